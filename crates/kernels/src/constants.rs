//! The block of constants that the kernels' fourth pointer shows: rows of [`Lanes`](crate::Lanes), and words within them.

use crate::program::{Pointer, Row, Word};

/// `−n^−1 mod 2^52`, one for each lane.
pub const NEGATIVE_INVERSE: usize = 0;
/// `2^52 − 1` in every lane.
pub const LIMB_MASK: usize = 1;
/// The table entry wanted, one number for each lane: read by the kernels that scan.
pub const WANTED: usize = 2;
/// Carries handed from one block to the next: zero it first.
pub const CARRY: usize = 3;
/// The numbers 0 to 7, one a word.
pub const NUMBERS: usize = 4;
/// The number 8 in every word.
pub const EIGHT: usize = 5;
/// Rows in the block.
pub const ROWS: usize = 6;

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

/// A number up to 8.
pub(crate) const fn number(number: usize) -> Word {
    POINTER.word(8 * NUMBERS + number)
}
