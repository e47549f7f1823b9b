// SPDX-License-Identifier: Apache-2.0
//! The right answers, by libcrypto, from numbers that are not secret.

use openssl::bn::{BigNum, BigNumContext, BigNumRef};

/// The value of little-endian `words`.
pub fn big(words: &[u64]) -> BigNum {
    let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    BigNum::from_slice(&bytes).expect("memory for a number")
}

/// The low `len` words.
pub fn low(number: &BigNumRef, len: usize) -> Vec<u64> {
    let bytes = number.to_vec();
    let mut words = vec![0; len];
    for (i, byte) in bytes.iter().rev().take(8 * len).enumerate() {
        words[i / 8] |= u64::from(*byte) << (8 * (i % 8));
    }
    words
}

/// `a * b mod n`
pub fn multiply(a: &[u64], b: &[u64], n: &[u64]) -> Vec<u64> {
    let mut context = BigNumContext::new().expect("memory for a context");
    let mut result = BigNum::new().expect("memory for a number");
    result.mod_mul(&big(a), &big(b), &big(n), &mut context).expect("multiplication");
    low(&result, n.len())
}

/// `base^exponent mod n`
pub fn power(base: &[u64], exponent: &[u64], n: &[u64]) -> Vec<u64> {
    let mut context = BigNumContext::new().expect("memory for a context");
    let mut result = BigNum::new().expect("memory for a number");
    result.mod_exp(&big(base), &big(exponent), &big(n), &mut context).expect("exponentiation");
    low(&result, n.len())
}
