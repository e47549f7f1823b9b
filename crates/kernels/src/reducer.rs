// SPDX-License-Identifier: Apache-2.0
//! Reduction by 2^(−52) mod n: quotient digits for nothing.
//!
//! With m = 2^(−52) mod n and q the lowest limb of t, `t / 2^52 ≡ (t >> 52) + q · m` modulo n. A digit of Montgomery's reduction waits
//! for a product by −n^−1 and one by n's lowest limb, some ten cycles after the last; here the column itself is the digit, which
//! waits for one product and a carry, half as long. The multiply-adds are as many: m has no more limbs than n.
//!
//! **The bound.** Rows by m alone leave up to 2^52 · n. So the last two of a reduction are by n: for T, R = 2^(52·N) and all rows but
//! those by m the result is below `T / R + n + n / 2^52`, where rows by n alone leave `T / R + n`.
//!
//! Source: Orup 1995, *Simplifying quotient determination in high-radix modular multiplication*, where m appears as a multiple of n
//! that is −1 modulo 2^52.

use crate::LIMB_BITS;

/// Rows of a reduction that are by n itself: the last.
pub const LAST_ROWS: usize = 2;

/// Writes 2^(−52) mod n, which is `(k·n + 1) / 2^52` for k = −n^−1 mod 2^52.
///
/// `modulus` and `to` are N limbs, radix 2^52; `negative_inverse` is k. In constant time.
pub fn of_limb(modulus: &[u64], negative_inverse: u64, to: &mut [u64]) {
    let mut sum: u128 = 1;
    for i in 0..=modulus.len() {
        if let Some(limb) = modulus.get(i) {
            sum += u128::from(*limb) * u128::from(negative_inverse);
        }
        if i > 0 {
            to[i - 1] = sum as u64 & ((1 << LIMB_BITS) - 1);
        }
        sum >>= LIMB_BITS;
    }
}
