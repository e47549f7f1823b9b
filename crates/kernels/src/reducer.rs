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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_inverse_of_a_limb_and_below_the_modulus() {
        let limb = 1 << LIMB_BITS;
        for n in [3, 5, 0xffff_fffb, 0x8_0000_0000_0001, limb - 1_u64] {
            // Each step doubles the bits that are right, of three.
            let inverse = (0..5).fold(n, |x, _| x.wrapping_mul(2_u64.wrapping_sub(n.wrapping_mul(x))));
            let negative_inverse = inverse.wrapping_neg() & (limb - 1);
            let mut reducer = [0];
            of_limb(&[n], negative_inverse, &mut reducer);
            assert!(reducer[0] < n, "{n}");
            assert_eq!((u128::from(reducer[0]) << LIMB_BITS) % u128::from(n), 1, "{n}");

            // With a second limb of nothing it is the same number, and with another modulus another.
            let mut longer = [7, 7];
            of_limb(&[n, 0], negative_inverse, &mut longer);
            assert_eq!(longer, [reducer[0], 0], "{n}");
            of_limb(&[n, 1], negative_inverse, &mut longer);
            let product = u128::from(negative_inverse) * u128::from(n) + 1;
            let upper = (product >> LIMB_BITS) as u64 + negative_inverse;
            assert_eq!(longer, [upper & (limb - 1), upper >> LIMB_BITS], "{n} + 2^52");
        }
    }
}
