// SPDX-License-Identifier: Apache-2.0
//! Shifts of numbers in words, and their limbs. Time depends on lengths only.

use garner_kernels::LIMB_BITS;

/// `to |= words << bits`, as much of it as `to` holds.
pub fn or_shifted_left(words: &[u64], bits: usize, to: &mut [u64]) {
    let Some(to) = to.get_mut(bits / 64..) else { return };
    let shift = bits % 64;
    let mut carried = 0;
    for (to, word) in to.iter_mut().zip(words.iter().copied().chain([0])) {
        *to |= word << shift | carried;
        carried = if shift == 0 { 0 } else { word >> (64 - shift) };
    }
}

/// The limbs of `words`, as many as `to` holds; zeros beyond the end.
pub fn to_limbs(words: &[u64], to: &mut [u64]) {
    let word = |i: usize| u128::from(words.get(i).copied().unwrap_or(0));
    for (i, limb) in to.iter_mut().enumerate() {
        let (first, shift) = (i * LIMB_BITS / 64, i * LIMB_BITS % 64);
        *limb = ((word(first) | word(first + 1) << 64) >> shift) as u64 & ((1 << LIMB_BITS) - 1);
    }
}
