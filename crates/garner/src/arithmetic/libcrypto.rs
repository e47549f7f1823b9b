// SPDX-License-Identifier: Apache-2.0
//! Modular arithmetic by libcrypto: the path where there are no kernels for the processor, and the second opinion when a
//! result fails its check.

use super::{Arithmetic, Multiply, Power};
use crate::fork::initialise_libcrypto;
use crate::words;
use openssl::bn::{BigNum, BigNumContext};
use std::ops::{Deref, DerefMut};
use zeroize::Zeroizing;

/// libcrypto's constant-time exponentiation, one number at a time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Libcrypto;

/// A `BigNum` that is cleared before it is freed and marked for libcrypto's constant-time paths.
pub struct SecretBigNum(BigNum);

impl SecretBigNum {
    /// Zero.
    pub fn new() -> SecretBigNum {
        initialise_libcrypto();
        let mut number = BigNum::new().expect("memory for a number");
        number.set_const_time();
        SecretBigNum(number)
    }

    /// The value of little-endian `words`.
    pub fn from_words(words: &[u64]) -> SecretBigNum {
        // libcrypto skips leading zero bytes one by one: a 1 in front, so that the time shows whole zero words only.
        let mut bytes = Zeroizing::new(vec![1; 1 + words.len() * 8]);
        words::to_be_bytes(words, &mut bytes[1..]);
        let mut number = SecretBigNum::new();
        number.0.copy_from_slice(&bytes).expect("memory for a number");
        number.0.clear_bit((words.len() * 64) as i32).expect("the bit is set");
        number
    }

    /// Writes the value to little-endian `words`, all of them.
    ///
    /// # Panics
    /// When it does not fit.
    pub fn to_words(&self, words: &mut [u64]) {
        let bytes = Zeroizing::new(self.0.to_vec_padded((words.len() * 8) as i32).expect("the number fits"));
        words::from_be_bytes(&bytes, words).expect("the number fits");
    }
}

impl Default for SecretBigNum {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for SecretBigNum {
    type Target = BigNum;
    fn deref(&self) -> &BigNum {
        &self.0
    }
}

impl DerefMut for SecretBigNum {
    fn deref_mut(&mut self) -> &mut BigNum {
        &mut self.0
    }
}

impl Drop for SecretBigNum {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// What libcrypto computes in. Like a [`SecretBigNum`], it may be the first that a process asks of libcrypto, while another
/// thread forks.
///
/// # Panics
/// When there is no memory.
pub fn context() -> BigNumContext {
    initialise_libcrypto();
    BigNumContext::new().expect("memory for a context")
}

fn power(job: &mut Power<'_>, context: &mut BigNumContext, secret: bool) {
    let modulus = SecretBigNum::from_words(job.modulus.words());
    let base = SecretBigNum::from_words(job.base);
    let mut reduced = SecretBigNum::new();
    reduced.nnmod(&base, &modulus, context).expect("reduction");
    let mut result = SecretBigNum::new();
    if secret {
        let exponent = SecretBigNum::from_words(job.exponent);
        result.mod_exp(&reduced, &exponent, &modulus, context).expect("exponentiation");
    } else {
        let mut bytes = vec![0; job.exponent.len() * 8];
        words::to_be_bytes(job.exponent, &mut bytes);
        let exponent = BigNum::from_slice(&bytes).expect("memory for a number");
        result.mod_exp(&reduced, &exponent, &modulus, context).expect("exponentiation");
    }
    result.to_words(job.result);
}

impl Arithmetic for Libcrypto {
    fn name(&self) -> &'static str {
        "libcrypto"
    }

    fn lanes(&self) -> usize {
        1
    }

    fn multiply(&self, jobs: &mut [Multiply<'_>]) {
        let mut context = context();
        for job in jobs {
            let (a, mut b) = (SecretBigNum::from_words(job.a), SecretBigNum::from_words(job.b));
            let modulus = SecretBigNum::from_words(job.modulus.words());
            let mut result = SecretBigNum::new();
            if let Some(c) = job.c {
                result.mod_mul(&b, &SecretBigNum::from_words(c), &modulus, &mut context).expect("multiplication");
                std::mem::swap(&mut b, &mut result);
            }
            result.mod_mul(&a, &b, &modulus, &mut context).expect("multiplication");
            result.to_words(job.result);
        }
    }

    fn power_secret(&self, jobs: &mut [Power<'_>]) {
        let mut context = context();
        for job in jobs {
            power(job, &mut context, true);
        }
    }

    fn power_public(&self, jobs: &mut [Power<'_>]) {
        let mut context = context();
        for job in jobs {
            power(job, &mut context, false);
        }
    }
}
