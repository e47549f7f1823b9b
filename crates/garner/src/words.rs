// SPDX-License-Identifier: Apache-2.0
//! Natural numbers as little-endian slices of 64-bit words: the form in which every layer hands them on.
//!
//! All functions take time that depends on lengths only.

use std::iter;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

/// Bits in a word.
pub const WORD_BITS: usize = 64;

/// Words needed for a number of `bits` bits.
pub const fn words_for(bits: usize) -> usize {
    bits.div_ceil(WORD_BITS)
}

/// Reads big-endian `bytes` into `words`. `None` if a nonzero byte does not fit.
pub fn from_be_bytes(bytes: &[u8], words: &mut [u64]) -> Option<()> {
    bool::from(low_from_be_bytes(bytes, words)).then_some(())
}

/// Reads as much of big-endian `bytes` into `words` as fits. Whether all that does not is zero, which is a secret if
/// `bytes` are.
pub fn low_from_be_bytes(bytes: &[u8], words: &mut [u64]) -> Choice {
    let (head, whole) = bytes.as_rchunks::<8>();
    let head = head.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    let mut from = whole.iter().rev().map(|bytes| u64::from_be_bytes(*bytes)).chain([head]);
    words.fill_with(|| from.next().unwrap_or(0));
    let overflow = from.fold(0, |overflow, word| overflow | word);
    overflow.ct_eq(&0)
}

/// Writes the low bytes of `words`, big-endian, into all of `bytes`; higher bytes are the caller's to rule out.
pub fn to_be_bytes(words: &[u64], bytes: &mut [u8]) {
    let (head, whole) = bytes.as_rchunks_mut::<8>();
    let mut words = words.iter().copied().chain(iter::repeat(0)).map(u64::to_be_bytes);
    for (to, word) in whole.iter_mut().rev().zip(words.by_ref()) {
        *to = word;
    }
    let word = words.next().expect("there is always another zero");
    head.copy_from_slice(&word[8 - head.len()..]);
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

/// `to = a · b + to`, as much of it as `to` holds; of `to`, what is longer than `b` must be zero before.
pub fn multiply_add(to: &mut [u64], a: &[u64], b: &[u64]) {
    for (i, a) in a.iter().enumerate() {
        let Some(to) = to.get_mut(i..) else { return };
        let mut carry = 0;
        for (to, b) in to.iter_mut().zip(b) {
            let sum = u128::from(*a) * u128::from(*b) + u128::from(*to) + u128::from(carry);
            *to = sum as u64;
            carry = (sum >> 64) as u64;
        }
        if let Some(to) = to.get_mut(b.len()) {
            *to = carry;
        }
    }
}

/// `to = words >> bits`, as much of it as `to` holds; zeros beyond the end.
pub fn shift_right(words: &[u64], bits: usize, to: &mut [u64]) {
    let words = words.get(bits / 64..).unwrap_or_default();
    let shift = bits % 64;
    let length = words.len().min(to.len());
    let (to, rest) = to.split_at_mut(length);
    rest.fill(0);
    if shift == 0 {
        to.copy_from_slice(&words[..length]);
        return;
    }
    let above = words.get(1..).unwrap_or_default();
    for ((to, word), above) in to.iter_mut().zip(words).zip(above) {
        *to = word >> shift | above << (64 - shift);
    }
    if let Some(to) = to.get_mut(above.len()) {
        *to = words[above.len()] >> shift;
    }
}

/// 2^exponent in `length` words.
pub fn power_of_two(exponent: usize, length: usize) -> Vec<u64> {
    let mut power = vec![0; length];
    power[exponent / WORD_BITS] = 1 << (exponent % WORD_BITS);
    power
}

/// `odd^-1 mod 2^64`, by Newton's iteration.
pub const fn inverse_of_odd(odd: u64) -> u64 {
    // Its own inverse mod 8; each step doubles the bits that are right.
    let (mut inverse, mut step) = (odd, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// Whether `a < b` (lengths equal), in constant time.
pub fn less(a: &[u64], b: &[u64]) -> Choice {
    debug_assert_eq!(a.len(), b.len());
    let mut borrow = 0;
    for (a, b) in a.iter().zip(b) {
        let difference = u128::from(*a).wrapping_sub(u128::from(*b)).wrapping_sub(u128::from(borrow));
        borrow = ((difference >> 64) as u64) & 1;
    }
    Choice::from(borrow as u8)
}

/// Whether `a == b` (lengths equal), in constant time.
pub fn equal(a: &[u64], b: &[u64]) -> Choice {
    debug_assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0, |differences, (a, b)| differences | (a ^ b)).ct_eq(&0)
}

/// Position of the highest set bit plus one, 0 for zero.
pub fn bit_length(words: &[u64]) -> usize {
    let mut length = 0;
    for (i, word) in words.iter().enumerate() {
        // The lowest bit is set for the processor's instruction, which knows no zero.
        let here = (i * WORD_BITS + WORD_BITS - (word | 1).leading_zeros() as usize) as u64;
        length.conditional_assign(&here, !word.ct_eq(&0));
    }
    length as usize
}
