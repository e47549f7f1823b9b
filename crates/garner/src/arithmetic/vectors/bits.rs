//! Shifts of numbers in words, and their limbs. Time depends on lengths only.

use garner_kernels::LIMB_BITS;

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
