//! Shifts of numbers in words. Time depends on lengths only.

/// `to = words >> bits`, as much of it as `to` holds; zeros beyond the end.
pub fn shift_right(words: &[u64], bits: usize, to: &mut [u64]) {
    let words = words.get(bits / 64..).unwrap_or_default();
    let shift = bits % 64;
    if shift == 0 {
        let length = words.len().min(to.len());
        to[..length].copy_from_slice(&words[..length]);
        to[length..].fill(0);
    } else {
        for (i, to) in to.iter_mut().enumerate() {
            let at = |i: usize| words.get(i).copied().unwrap_or(0);
            *to = at(i) >> shift | at(i + 1) << (64 - shift);
        }
    }
}
