// SPDX-License-Identifier: Apache-2.0
//! Kernels for processors whose additions, masks and loads compete with multiply-adds: the same operations as in
//! [`square`](mod@crate::square), [`multiply`](mod@crate::multiply) and [`window`](mod@crate::window), with fewer of all else.
//!
//! - **Two rows at a time.** Each limb of the modulus, or of an operand, is loaded once, into a register, and meets two
//!   quotient digits, or two limbs: four multiply-adds into three columns.
//! - **No masks, no rounding constants added.** The carry out of a column that becomes zero modulo 2^52 is
//!   `(column + 2^52 − 1) >> 52`; the constant stands in the column from its start on ([`columns`]). Limbs keep what was
//!   carried out of them above bit 52: multiply-adds do not look there, and what adds or compares limbs masks them first.
//! - **The table's scan by permutation** of two entries at once ([`scan`]).
//!
//! # The contract of limbs
//! A **loose** number is one whose limbs count modulo 2^52: bits from 52 on mean nothing. Kernels here take loose numbers and
//! write loose numbers, [`subtract_modulus`](crate::normalise::subtract_modulus) and [`add`](crate::normalise::add) in their
//! forms here make them limbs below 2^52. Moduli have limbs below 2^52.
//!
//! Source: Koç, Acar, Kaliski 1996 for the order of rows; that two rows share what they load is hybrid multiplication, Gura and
//! others 2004.

pub mod columns;
pub mod multiply;
pub mod scan;
pub mod square;
pub mod window;

use crate::{DIRECT_LIMBS, Kernel, Program, normalise};
use normalise::Limbs;

/// Every kernel of this kind, in a fixed order.
pub fn all() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    let mut add = |name: String, program: Program| kernels.push(Kernel { name, program });
    for n in DIRECT_LIMBS {
        add(format!("two_rows_square_{n}"), square::square(n));
        add(format!("two_rows_window_{n}"), window::window(n));
        add(format!("two_rows_multiply_{n}"), multiply::multiply(n));
        add(format!("two_rows_half_multiply_{n}"), multiply::half_multiply(n));
        add(format!("two_rows_half_reduce_{n}"), multiply::half_reduce(n));
        add(format!("two_rows_add_{n}"), normalise::add(n, Limbs::Loose));
        add(format!("two_rows_subtract_modulus_{n}"), normalise::subtract_modulus(n, Limbs::Loose));
    }
    kernels
}

#[cfg(test)]
mod tests;
