// SPDX-License-Identifier: Apache-2.0
//! Kernels for processors whose additions, masks and loads compete with multiply-adds: the same operations as in
//! [`square`](mod@crate::square), [`multiply`](mod@crate::multiply) and [`window`](mod@crate::window), with fewer of all else.
//!
//! - **Two rows at a time.** Each limb of the modulus, or of an operand, is loaded once, into a register, and meets two
//!   quotient digits, or two limbs: four multiply-adds into three columns.
//! - **No masks, no rounding constants added.** The carry out of a column that becomes zero modulo 2^52 is
//!   `(column + 2^52 − 1) >> 52`; the constant stands in the column from its start on ([`columns`]). Limbs keep what was
//!   carried out of them above bit 52: multiply-adds do not look there, and what adds or compares limbs masks them first.
//!   Blocks, whose columns begin with sums, add it.
//! - **The table's scan by permutation** of two entries at once ([`scan`]).
//! - **Longer numbers** are composed of blocks ([`block`]), two or three rows at a time; of two blocks some
//!   at once, put into a common order ([`two_blocks`]).
//!
//! # The contract of limbs
//! A **loose** number is one whose limbs count modulo 2^52: bits from 52 on mean nothing. Kernels here take loose numbers and
//! write loose numbers, [`subtract_modulus`](crate::normalise::subtract_modulus) and [`add`](crate::normalise::add) in their
//! forms here make them limbs below 2^52. Moduli have limbs below 2^52.
//!
//! Source: Koç, Acar, Kaliski 1996 for the order of rows; that two rows share what they load is hybrid multiplication, Gura and
//! others 2004.

pub mod block;
pub mod columns;
pub mod multiply;
pub mod scan;
pub mod square;
pub mod two_blocks;
pub mod window;

use crate::block::{Columns, Finish};
use crate::{BLOCK_LIMBS, DIRECT_LIMBS, Kernel, LIMB_COUNTS, Program, normalise};
use normalise::Limbs;

/// Windows of a word of an exponent, which one kernel does.
pub const WINDOWS: usize = 64 / crate::doubles::SQUARES;

/// Every kernel of this kind, in a fixed order.
pub fn all() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    let mut add = |name: String, program: Program| kernels.push(Kernel { name, program });
    for n in DIRECT_LIMBS {
        add(format!("two_rows_square_{n}"), square::square(n));
        add(format!("two_rows_window_{n}"), window::window(n));
        add(format!("two_rows_windows_{n}"), window::windows(n, WINDOWS));
        if n <= window::ORDERED_LIMBS {
            add(format!("two_rows_windows_in_turn_{n}"), window::windows_in_turn(n, WINDOWS));
        }
        add(format!("two_rows_multiply_{n}"), multiply::multiply(n));
        add(format!("two_rows_half_multiply_{n}"), multiply::half_multiply(n));
        add(format!("two_rows_half_reduce_{n}"), multiply::half_reduce(n));
    }
    for m in BLOCK_LIMBS {
        for columns in [Columns::Fresh, Columns::FreshTop, Columns::Old] {
            add(format!("two_rows_product_{}_{m}", columns.name()), block::product(m, columns, Finish::Columns));
        }
        for (name, finish) in [("carry", Finish::Carry), ("last", Finish::Last)] {
            add(format!("two_rows_product_{name}_{m}"), block::product(m, Columns::Old, finish));
        }
        for (name, old) in [("first", 1..2), ("inner", 0..2), ("final", 0..1)] {
            add(format!("two_rows_square_{name}_{m}"), block::square(m, old));
        }
        add(format!("two_rows_reduce_{m}"), block::reduce(m, 0));
        add(format!("two_rows_reduce_scan_{m}"), block::reduce(m, block::scanned_limbs(m)));
        add(format!("two_rows_two_blocks_square_{m}"), two_blocks::square(m));
    }
    let m = two_blocks::SHORT_BLOCK;
    add(format!("two_rows_two_blocks_reduce_{m}"), two_blocks::reduce(m, 0));
    add(format!("two_rows_two_blocks_reduce_scan_{m}"), two_blocks::reduce(m, block::scanned_limbs(m)));
    add(format!("two_rows_two_blocks_reduce_last_{m}"), two_blocks::reduce_last(m));
    for n in LIMB_COUNTS {
        add(format!("two_rows_add_{n}"), normalise::add(n, Limbs::Loose));
        add(format!("two_rows_subtract_modulus_{n}"), normalise::subtract_modulus(n, Limbs::Loose));
    }
    kernels
}

#[cfg(test)]
mod tests;
