//! Natural numbers as little-endian slices of 64-bit words: the form in which every layer hands them on.
//!
//! All functions take time that depends on lengths only.

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeLess};

/// Bits in a word.
pub const WORD_BITS: usize = 64;

/// Words needed for a number of `bits` bits.
pub const fn words_for(bits: usize) -> usize {
    bits.div_ceil(WORD_BITS)
}

/// Reads big-endian `bytes` into `words`. `None` if a nonzero byte does not fit.
pub fn from_be_bytes(bytes: &[u8], words: &mut [u64]) -> Option<()> {
    words.fill(0);
    let mut overflow = 0;
    for (i, &byte) in bytes.iter().rev().enumerate() {
        match words.get_mut(i / 8) {
            Some(word) => *word |= u64::from(byte) << (8 * (i % 8)),
            None => overflow |= byte,
        }
    }
    (overflow == 0).then_some(())
}

/// Writes the low bytes of `words`, big-endian, into all of `bytes`; higher bytes are the caller's to rule out.
pub fn to_be_bytes(words: &[u64], bytes: &mut [u8]) {
    for (i, byte) in bytes.iter_mut().rev().enumerate() {
        *byte = words.get(i / 8).map_or(0, |word| (word >> (8 * (i % 8))) as u8);
    }
}

/// `a += b` (lengths equal); returns the carry.
pub fn add_assign(a: &mut [u64], b: &[u64]) -> u64 {
    debug_assert_eq!(a.len(), b.len());
    let mut carry = 0;
    for (a, b) in a.iter_mut().zip(b) {
        let sum = u128::from(*a) + u128::from(*b) + u128::from(carry);
        *a = sum as u64;
        carry = (sum >> 64) as u64;
    }
    carry
}

/// `a -= b` (lengths equal); returns the borrow, 0 or 1.
pub fn sub_assign(a: &mut [u64], b: &[u64]) -> u64 {
    debug_assert_eq!(a.len(), b.len());
    let mut borrow = 0;
    for (a, b) in a.iter_mut().zip(b) {
        let difference = u128::from(*a).wrapping_sub(u128::from(*b)).wrapping_sub(u128::from(borrow));
        *a = difference as u64;
        borrow = ((difference >> 64) as u64) & 1;
    }
    borrow
}

/// `a += b` where `mask` is all ones, unchanged where it is zero.
pub fn add_masked(a: &mut [u64], b: &[u64], mask: u64) {
    debug_assert_eq!(a.len(), b.len());
    let mut carry = 0;
    for (a, b) in a.iter_mut().zip(b) {
        let sum = u128::from(*a) + u128::from(*b & mask) + u128::from(carry);
        *a = sum as u64;
        carry = (sum >> 64) as u64;
    }
}

/// Whether `a < b` (lengths equal), in constant time.
pub fn less(a: &[u64], b: &[u64]) -> Choice {
    debug_assert_eq!(a.len(), b.len());
    let mut less = Choice::from(0);
    for (a, b) in a.iter().zip(b) {
        less = Choice::conditional_select(&a.ct_lt(b), &less, a.ct_eq(b));
    }
    less
}

/// Whether `a == b` (lengths equal), in constant time.
pub fn equal(a: &[u64], b: &[u64]) -> Choice {
    a.ct_eq(b)
}

/// Position of the highest set bit plus one; not constant time, for public numbers and public lengths.
pub fn bit_length(words: &[u64]) -> usize {
    words
        .iter()
        .rposition(|&word| word != 0)
        .map_or(0, |i| i * WORD_BITS + (WORD_BITS - words[i].leading_zeros() as usize))
}
