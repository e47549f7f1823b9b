// SPDX-License-Identifier: Apache-2.0
//! Kernels for processors whose additions, masks and loads compete with multiply-adds: the same operations as in
//! [`square`](mod@crate::one_row::square), [`multiply`](mod@crate::one_row::multiply) and [`window`](mod@crate::one_row::window), with fewer of all else.
//!
//! - **Two rows at a time.** Each limb of the modulus, or of an operand, is loaded once, into a register, and meets two
//!   quotient digits, or two limbs: four multiply-adds into three columns.
//! - **No masks, hardly a rounding constant.** Rows by the [reducer](crate::reducer) need none: their columns are the digits. The carry
//!   out of a column that the modulus itself makes zero modulo 2^52, of the last two rows and of blocks, is
//!   `(column + 2^52 − 1) >> 52`. Products start with that constant; squares, which double their columns, and blocks, whose columns
//!   begin with sums, add it. Limbs keep what was carried out of them above bit 52: multiply-adds do not look there, and what adds
//!   or compares limbs masks them first.
//! - **The table's scan by permutation** of two entries at once, by merges where a permutation costs more, or by stores where those
//!   take no time from multiply-adds ([`scan`]).
//! - **Longer numbers** are composed of blocks ([`block`]), two or three rows at a time; of two blocks some
//!   at once, put into a common order ([`two_blocks`]).
//!
//! # The contract of limbs
//! A **loose** number is one whose limbs count modulo 2^52: bits from 52 on mean nothing. Kernels here take loose numbers and
//! write loose numbers, [`subtract_modulus`](crate::normalise::subtract_modulus) and [`add`](crate::normalise::add) in their
//! forms here make them limbs below 2^52. Moduli have limbs below 2^52.
//!
//! Source: Koç, Acar, Kaliski 1996 for the order of rows; that two rows share what they load is hybrid multiplication, Gura and
//! others 2004; Orup 1995 for the reducer.

pub mod block;
pub mod columns;
pub mod multiply;
pub mod scan;
pub mod square;
pub mod two_blocks;
pub mod window;

use crate::one_row::block::PRODUCTS;
use crate::{BLOCK_LIMBS, DIRECT_LIMBS, Id, Kernel, LIMB_COUNTS, Operation, Program, normalise};
use normalise::Limbs;
use scan::Way;

/// Windows of a word of an exponent, which one kernel does.
pub const WINDOWS: usize = 64 / crate::doubles::SQUARES;

/// Every kernel of this kind, in a fixed order.
pub fn all() -> Vec<Kernel> {
    use Operation as O;
    let mut kernels = Vec::new();
    let mut put = |operation, limbs, program: Program| {
        let id = Id::of(operation, limbs);
        kernels.push(Kernel { id, name: format!("two_rows_{id}"), program });
    };
    for n in DIRECT_LIMBS {
        put(O::Square, n, square::square(n));
        for (way, window, windows) in [
            (Way::Permutation, O::Window, O::Windows),
            (Way::Merges, O::WindowMerges, O::WindowsMerge),
            (Way::Stores, O::WindowStores, O::WindowsStore),
        ] {
            // Short windows would have a store for every fifth multiply-add, which takes time then, and load too soon what they stored.
            if way != Way::Stores || n > window::ORDERED_LIMBS {
                put(window, n, window::window(n, way));
                put(windows, n, window::windows(n, WINDOWS, way));
            }
        }
        if n <= window::ORDERED_LIMBS {
            for (way, in_turn) in [(Way::Permutation, O::WindowsInTurn), (Way::Merges, O::WindowsInTurnMerge)] {
                put(in_turn, n, window::windows_in_turn(n, WINDOWS, way));
            }
        }
        put(O::Multiply, n, multiply::multiply(n));
        put(O::HalfMultiply, n, multiply::half_multiply(n));
        put(O::HalfReduce, n, multiply::half_reduce(n));
    }
    for m in BLOCK_LIMBS {
        for (operation, columns, finish) in PRODUCTS {
            put(operation, m, block::product(m, columns, finish));
        }
        for (operation, old) in [(O::SquareFirst, 1..2), (O::SquareInner, 0..2), (O::SquareFinal, 0..1)] {
            put(operation, m, block::square(m, old));
        }
        put(O::Reduce, m, block::reduce(m, 0));
        put(O::ReduceScan, m, block::reduce(m, block::scanned_limbs(m)));
        put(O::TwoBlocksSquare, m, two_blocks::square(m));
    }
    let m = two_blocks::SHORT_BLOCK;
    put(O::TwoBlocksReduce, m, two_blocks::reduce(m, 0));
    put(O::TwoBlocksReduceScan, m, two_blocks::reduce(m, block::scanned_limbs(m)));
    put(O::TwoBlocksReduceLast, m, two_blocks::reduce_last(m));
    for n in LIMB_COUNTS {
        put(O::Add, n, normalise::add(n, Limbs::Loose));
        put(O::SubtractModulus, n, normalise::subtract_modulus(n, Limbs::Loose));
    }
    kernels
}

#[cfg(test)]
mod tests;
