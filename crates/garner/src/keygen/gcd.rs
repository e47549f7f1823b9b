// SPDX-License-Identifier: Apache-2.0
//! The greatest common divisor of two secret odd numbers, in constant time: Bernstein, Yang 2019, "Fast constant-time
//! gcd computation and modular inversion".
//!
//! Called by `parts` for lcm(p - 1, q - 1), where libcrypto's constant-time gcd would take a twentieth of a key's time.
//!
//! One *divstep* takes (delta, f, g), f odd, to (1 - delta, g, (g - f) / 2) when delta > 0 and g is odd, else to
//! (1 + delta, f, (g + (g mod 2) f) / 2). It keeps gcd(f, g) and, starting from delta = 1 with |f|, |g| < 2^d, has
//! brought g to zero after (49 d + 57) / 17 steps (theorem 11.2, for d >= 46). Sixty-two steps depend on the lowest
//! sixty-two bits only: they are found on single words, as a matrix over 2^62, and then applied to the whole numbers.

use crate::words::WORD_BITS;
use zeroize::Zeroizing;

/// Steps taken on single words at once: entries of the matrix then fit in 63 bits and a sign.
const STEPS: u32 = 62;

/// gcd(a, b) for odd a and b of as many words, each with its highest bit clear. Time depends on the number of words.
pub fn of_odd(a: &[u64], b: &[u64]) -> Zeroizing<Vec<u64>> {
    debug_assert!(a.len() == b.len() && a[0] & b[0] & 1 == 1);
    debug_assert!((a[a.len() - 1] | b[b.len() - 1]) >> (WORD_BITS - 1) == 0, "room for a sign");
    let (mut f, mut g) = (Zeroizing::new(a.to_vec()), Zeroizing::new(b.to_vec()));
    let steps = (49 * (WORD_BITS * a.len() - 1) + 57).div_ceil(17);
    let mut delta = 1;
    for _ in 0..steps.div_ceil(STEPS as usize) {
        let matrix = divsteps(&mut delta, f[0], g[0]);
        apply(&matrix, &mut f, &mut g);
    }
    // f is the divisor or its negative.
    let negative = (f[f.len() - 1] as i64 >> (WORD_BITS - 1)) as u64;
    let mut carry = negative & 1;
    for word in f.iter_mut() {
        let (sum, over) = (*word ^ negative).overflowing_add(carry);
        (*word, carry) = (sum, u64::from(over));
    }
    f
}

/// [[u, v], [q, r]]: [`STEPS`] divsteps take (f, g) to (u f + v g, q f + r g) / 2^62.
struct Matrix {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

fn divsteps(delta: &mut i64, mut f: u64, mut g: u64) -> Matrix {
    let Matrix { mut u, mut v, mut q, mut r } = Matrix { u: 1, v: 0, q: 0, r: 1 };
    for _ in 0..STEPS {
        // All ones where (f, g) becomes (g, -f).
        let swap = -((g & 1) as i64) & (-*delta >> 63);
        *delta = (*delta ^ swap) - swap;
        let exchange = |a: i64, b: i64| {
            let difference = (a ^ b) & swap;
            (a ^ difference, ((b ^ difference) ^ swap).wrapping_sub(swap))
        };
        let (new_f, new_g) = exchange(f as i64, g as i64);
        (f, g) = (new_f as u64, new_g as u64);
        (u, q) = exchange(u, q);
        (v, r) = exchange(v, r);
        *delta += 1;
        let odd = -((g & 1) as i64);
        g = g.wrapping_add(f & odd as u64) >> 1;
        q += u & odd;
        r += v & odd;
        u <<= 1;
        v <<= 1;
    }
    Matrix { u, v, q, r }
}

/// (f, g) = (u f + v g, q f + r g) / 2^62: both sums are multiples of it. Two's complement.
fn apply(matrix: &Matrix, f: &mut [u64], g: &mut [u64]) {
    let [u, v, q, r] = [matrix.u, matrix.v, matrix.q, matrix.r].map(i128::from);
    let last = f.len() - 1;
    let (mut carry_f, mut carry_g) = (0_i128, 0_i128);
    let (mut low_f, mut low_g) = (0_u64, 0_u64);
    for i in 0..=last {
        // The top words carry the sign. No sum overflows: |u| + |v| and |q| + |r| are at most 2^62.
        let word = |word: u64| if i == last { i128::from(word as i64) } else { i128::from(word) };
        let (word_f, word_g) = (word(f[i]), word(g[i]));
        carry_f += u * word_f + v * word_g;
        carry_g += q * word_f + r * word_g;
        let (next_f, next_g) = (carry_f as u64, carry_g as u64);
        if i > 0 {
            f[i - 1] = low_f >> STEPS | next_f << (64 - STEPS);
            g[i - 1] = low_g >> STEPS | next_g << (64 - STEPS);
        }
        (low_f, low_g) = (next_f, next_g);
        carry_f >>= 64;
        carry_g >>= 64;
    }
    f[last] = low_f >> STEPS | (carry_f as u64) << (64 - STEPS);
    g[last] = low_g >> STEPS | (carry_g as u64) << (64 - STEPS);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::libcrypto::SecretBigNum;
    use crate::random::{PrivateRandom, fill_words};
    use openssl::bn::{BigNum, BigNumContext};

    fn by_libcrypto(a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut divisor = SecretBigNum::new();
        let (x, y) = (SecretBigNum::from_words(a), SecretBigNum::from_words(b));
        divisor.gcd(&x, &y, &mut BigNumContext::new().unwrap()).unwrap();
        let mut words = vec![0; a.len()];
        divisor.to_words(&mut words);
        words
    }

    fn random_odd(words: usize, bits: usize) -> Vec<u64> {
        let mut number = vec![0; words];
        fill_words(&mut PrivateRandom, &mut number[..bits.div_ceil(64)]).unwrap();
        if !bits.is_multiple_of(64) {
            number[bits / 64] &= (1 << (bits % 64)) - 1;
        }
        number[0] |= 1;
        number
    }

    #[test]
    fn random_numbers_agree_with_libcrypto() {
        for words in [1, 2, 4, 8, 16, 24, 32, 64] {
            for _ in 0..100 {
                let (a, b) = (random_odd(words, 64 * words - 1), random_odd(words, 64 * words - 1));
                assert_eq!(*of_odd(&a, &b), by_libcrypto(&a, &b), "{a:x?} {b:x?}");
            }
        }
    }

    #[test]
    fn multiples_of_a_common_factor_agree_with_libcrypto() {
        let mut context = BigNumContext::new().unwrap();
        for common_bits in [1, 2, 17, 63, 64, 65, 300, 500] {
            for _ in 0..50 {
                let common = SecretBigNum::from_words(&random_odd(16, common_bits));
                let mut times = |number: Vec<u64>| {
                    let mut product = SecretBigNum::new();
                    product.checked_mul(&common, &SecretBigNum::from_words(&number), &mut context).unwrap();
                    let mut words = vec![0; 16];
                    product.to_words(&mut words);
                    words
                };
                let (a, b) = (times(random_odd(16, 1023 - common_bits)), times(random_odd(16, 400)));
                assert_eq!(*of_odd(&a, &b), by_libcrypto(&a, &b), "{a:x?} {b:x?}");
            }
        }
    }

    #[test]
    fn extreme_numbers_agree_with_libcrypto() {
        let most = {
            let mut most = vec![u64::MAX; 16];
            most[15] >>= 1;
            most
        };
        let mut one = vec![0; 16];
        one[0] = 1;
        let mut near = most.clone();
        near[0] -= 2;
        let mut fermat = one.clone();
        fermat[15] |= 1 << 62;
        for a in [&most, &one, &near, &fermat] {
            for b in [&most, &one, &near, &fermat] {
                assert_eq!(*of_odd(a, b), by_libcrypto(a, b));
            }
        }
        // Successive Fibonacci numbers are Euclid's worst case; F(n) and F(2 n) share F(n).
        let (mut previous, mut current) = (BigNum::from_u32(1).unwrap(), BigNum::from_u32(1).unwrap());
        for _ in 0..1_400 {
            let mut next = BigNum::new().unwrap();
            next.checked_add(&previous, &current).unwrap();
            (previous, current) = (current, next);
            if previous.is_bit_set(0) && current.is_bit_set(0) && current.num_bits() < 1024 {
                let words = |number: &BigNum| {
                    let mut words = vec![0; 16];
                    crate::words::from_be_bytes(&number.to_vec(), &mut words).unwrap();
                    words
                };
                assert_eq!(*of_odd(&words(&current), &words(&previous)), one);
            }
        }
    }
}
