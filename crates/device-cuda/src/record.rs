// SPDX-License-Identifier: Apache-2.0
//! A private key as the kernels want it.

use garner::arithmetic::libcrypto::{self, SecretBigNum};
use garner::key::PrivateKey;
use garner::words::less;
use garner_gpu_kernels::kernels::KEY_PARTS;
use openssl::bn::BigNum;
use zeroize::Zeroizing;

/// The numbers of the CRT; for a test also of p and q that are no primes.
pub struct Parts<'a> {
    /// p, odd.
    pub p: &'a [u64],
    /// q, odd and coprime to p.
    pub q: &'a [u64],
    /// d mod (p - 1)
    pub dp: &'a [u64],
    /// d mod (q - 1)
    pub dq: &'a [u64],
    /// q^-1 mod p
    pub q_inverse: &'a [u64],
}

impl<'a> Parts<'a> {
    /// Those of a key.
    pub fn of(key: &'a PrivateKey) -> Parts<'a> {
        Parts { p: key.p().words(), q: key.q().words(), dp: key.dp(), dq: key.dq(), q_inverse: key.q_inverse() }
    }

    /// Writes the record, with primes of `words` 32-bit words.
    pub fn write(&self, words: usize, record: &mut [u32]) {
        let mut parts = record.chunks_exact_mut(words);
        let mut next = || parts.next().expect("as many as a record has");
        for (modulus, exponent) in [(self.p, self.dp), (self.q, self.dq)] {
            copy(next(), modulus);
            copy(next(), &remainder_of_r(modulus, words));
            let reversed = next();
            copy(reversed, exponent);
            reversed.reverse();
        }
        copy(next(), &times_r(self.q_inverse, self.p, words));
        debug_assert_eq!(record.len(), KEY_PARTS * words);
    }
}

fn copy(to: &mut [u32], from: &[u64]) {
    for (to, from) in to.chunks_exact_mut(2).zip(from) {
        (to[0], to[1]) = (*from as u32, (from >> 32) as u32);
    }
}

/// R mod `modulus`, as many words, where R = 2^(32 words). The modulus is secret.
pub fn remainder_of_r(modulus: &[u64], words: usize) -> Zeroizing<Vec<u64>> {
    if 2 * modulus.len() == words && modulus[modulus.len() - 1] >> 63 == 1 {
        // R - N, which is below N. That N fills all of R is no secret: lengths are public.
        let mut negative = Zeroizing::new(modulus.iter().map(|word| !word).collect::<Vec<_>>());
        negative[0] |= 1; // plus 1, for N is odd
        debug_assert!(bool::from(less(&negative, modulus)));
        return negative;
    }
    let mut one = Zeroizing::new(vec![0; modulus.len()]);
    one[0] = 1;
    times_r(&one, modulus, words)
}

/// R² mod `modulus`, as many words.
pub fn square_of_r(modulus: &[u64], words: usize) -> Zeroizing<Vec<u64>> {
    times_r(&remainder_of_r(modulus, words), modulus, words)
}

/// `a R mod modulus`, as many words as the modulus.
fn times_r(a: &[u64], modulus: &[u64], words: usize) -> Zeroizing<Vec<u64>> {
    let memory = "memory for a number";
    let mut context = libcrypto::context();
    let mut r = BigNum::new().expect(memory);
    r.set_bit(32 * words as i32).expect(memory);
    let (a, modulus_number) = (SecretBigNum::from_words(a), SecretBigNum::from_words(modulus));
    let mut reduced = SecretBigNum::new();
    reduced.nnmod(&r, &modulus_number, &mut context).expect(memory);
    let mut product = SecretBigNum::new();
    product.mod_mul(&a, &reduced, &modulus_number, &mut context).expect(memory);
    let mut result = Zeroizing::new(vec![0; modulus.len()]);
    product.to_words(&mut result);
    result
}

/// `base`, reduced if it is longer than twice the length of numbers of `words` words.
pub fn shortened(base: &[u64], modulus: &[u64], words: usize) -> Option<Zeroizing<Vec<u64>>> {
    if 2 * base.len() <= 2 * words {
        return None;
    }
    let mut context = libcrypto::context();
    let mut reduced = SecretBigNum::new();
    let (base, number) = (SecretBigNum::from_words(base), SecretBigNum::from_words(modulus));
    reduced.nnmod(&base, &number, &mut context).expect("reduction");
    let mut result = Zeroizing::new(vec![0; modulus.len()]);
    reduced.to_words(&mut result);
    Some(result)
}
