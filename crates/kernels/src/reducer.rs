// SPDX-License-Identifier: Apache-2.0
//! Reduction by 2^(−52) mod n: quotient digits for nothing.
//!
//! With m = 2^(−52) mod n and q the lowest limb of t, `t / 2^52 ≡ (t >> 52) + q · m` modulo n. A digit of Montgomery's reduction waits
//! for a product by −n^−1 and one by n's lowest limb, some ten cycles after the last; here the column itself is the digit, which
//! waits for one product and a carry, half as long. The multiply-adds are as many: m has no more limbs than n.
//!
//! **The bound.** Rows by m alone leave up to 2^52 · n. So the last two of a reduction are by n: T, reduced by N rows of which the last
//! two are by n, comes to less than `T / R + n + n / 2^52`, where R = 2^(52·N); rows by n alone leave less than `T / R + n`.
//!
//! Source: Orup 1995, *Simplifying quotient determination in high-radix modular multiplication*, by a multiple of n that is −1 modulo
//! 2^52, which is `m · 2^52 − 1`.

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

    /// Limbs of few bits, so that what happens once in 2^52 happens here.
    #[test]
    fn reductions_keep_their_bound_whatever_the_limbs() {
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = |below: u128| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            u128::from(state) % below
        };
        for (bits, rows) in [(3, 4), (3, 10), (4, 6), (5, 5)] {
            let (radix, r) = (1 << bits, 1_u128 << (bits * rows));
            for round in 0..5_000 {
                let room = r >> (round % (bits * rows - 2));
                let n = (random(room.max(3)) | 1).max(3);
                let negative_inverse = (0..radix).find(|k| (k * n + 1) % radix == 0).expect("n is odd");
                let reducer = (negative_inverse * n + 1) / radix;
                let reduced = |sum: u128, rows: usize| {
                    (0..rows).fold(sum, |sum, row| {
                        let limb = sum % radix;
                        if row + LAST_ROWS < rows {
                            sum / radix + limb * reducer
                        } else {
                            (sum + limb * negative_inverse % radix * n) / radix
                        }
                    })
                };
                let sum = if round % 2 == 0 { random(r * n) } else { r * n - 1 };
                let result = reduced(sum, rows);
                // result < sum / R + n + n / radix, in whole numbers.
                assert!(
                    result * r * radix < sum * radix + n * r * radix + n * r,
                    "{sum} modulo {n}, {rows} of {bits} bits"
                );
                assert_eq!(result % n * (r % n) % n, sum % n);
                let half = rows / 2;
                if rows % 2 == 0 && half > LAST_ROWS && n < r >> 6 {
                    assert!(reduced(reduced(random(r), half), half) < 2 * n);
                }
            }
        }
    }

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
