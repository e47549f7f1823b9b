// SPDX-License-Identifier: Apache-2.0
//! The block of constants that the kernels' fourth pointer shows: rows of [`Lanes`](crate::Lanes), and words within them.

use crate::program::{Pointer, Row, Word};

/// `−n^−1 mod 2^52`, one for each lane.
pub const NEGATIVE_INVERSE: usize = 0;
/// `2^52 − 1` in every lane.
pub const LIMB_MASK: usize = 1;
/// The table entry wanted, one number for each lane: read by the kernels that scan.
pub const WANTED: usize = 2;
/// Carries handed from one block to the next, from 0 on after a block reduction.
pub const CARRY: usize = 3;
/// The numbers 0 to 7, one a word.
pub const NUMBERS: usize = 4;
/// The number 8 in every word.
pub const EIGHT: usize = 5;
/// For folded numbers: all ones in the first lane of each.
pub const FIRST: usize = 6;
/// For folded numbers: `2^52 − 1` in the first lane of each.
pub const FIRST_LIMB: usize = 7;
/// For numbers folded over four lanes: all ones in all lanes but the last of each.
pub const NOT_LAST: usize = 8;
/// For numbers folded over four lanes: all ones in all lanes but the first of each.
pub const NOT_FIRST: usize = 9;
/// The number 1 in every word.
pub const ONE: usize = 10;
/// `2^63` in every word.
pub const SIGN: usize = 11;
/// `2^11` in every word: `2^63`, shifted by a limb.
pub const SHIFTED_SIGN: usize = 12;
/// The pattern of `2^52` in double precision in every lane, that of a low half which is zero: for the kernels in double
/// precision, as are the next.
pub const LOW: usize = 13;
/// The pattern of `2^104` in every lane: that of a high half which is zero.
pub const HIGH: usize = 14;
/// The pattern of `2^104 + 2^52` in every lane.
pub const SPLITTER: usize = 15;
/// From here on, values for which there are too few registers; of the kernels in double precision, quotient digits.
pub const SPILL: usize = 16;
/// Rows of such values, two a row.
pub const SPILL_ROWS: usize = 24;
/// Rows in the block.
pub const ROWS: usize = SPILL + SPILL_ROWS;

/// The pointer to the block in every kernel that needs it.
pub const POINTER: Pointer = Pointer::P3;

pub(crate) const fn negative_inverse() -> Row {
    POINTER.row(NEGATIVE_INVERSE)
}

pub(crate) const fn limb_mask() -> Row {
    POINTER.row(LIMB_MASK)
}

pub(crate) const fn wanted() -> Row {
    POINTER.row(WANTED)
}

pub(crate) const fn carry() -> Row {
    POINTER.row(CARRY)
}

pub(crate) const fn first() -> Row {
    POINTER.row(FIRST)
}

pub(crate) const fn first_limb() -> Row {
    POINTER.row(FIRST_LIMB)
}

pub(crate) const fn not_last() -> Row {
    POINTER.row(NOT_LAST)
}

pub(crate) const fn not_first() -> Row {
    POINTER.row(NOT_FIRST)
}

pub(crate) const fn one() -> Row {
    POINTER.row(ONE)
}

/// A number up to 8.
pub(crate) const fn number(number: usize) -> Word {
    POINTER.word(8 * NUMBERS + number)
}

/// The pattern of `2^52` in double precision.
pub const TWO_TO_52: u64 = (1023 + 52) << 52;
/// The pattern of `2^104` in double precision.
pub const TWO_TO_104: u64 = (1023 + 104) << 52;
