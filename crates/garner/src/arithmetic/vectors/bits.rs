//! Shifts of numbers in words. Time depends on lengths only.

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
