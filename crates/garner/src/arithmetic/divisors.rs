// SPDX-License-Identifier: Apache-2.0
//! Whether one of thirty-two small primes divides a number.
//!
//! With limbs x_i of 32 bits, x = sum x_i 2^(32 i), so x is a multiple of r exactly when S = sum x_i (2^(32 i) mod r)
//! is. S fits in 64 bits, and S is a multiple of an odd r exactly when S r^-1 mod 2^64 is at most (2^64 - 1) / r
//! (Granlund, Montgomery 1994, section 9). There is no division in it: one multiply-add per limb and prime,
//! thirty-two primes side by side, for the vector units of whatever processor runs it.

use crate::words::{WORD_BITS, inverse_of_odd};

/// Primes tried side by side: four AVX-512 registers of 64-bit sums.
const COUNT: usize = 32;

/// [`Divisors::COUNT`] odd primes, and what is needed to divide numbers of one length by them.
#[derive(Debug)]
pub struct Divisors {
    /// r^-1 mod 2^64.
    inverse: [u64; COUNT],
    /// floor((2^64 - 1) / r).
    limit: [u64; COUNT],
    /// For each word of a number 2^(64 j) mod r and, in the upper half, 2^(64 j + 32) mod r.
    powers: Vec<[u64; COUNT]>,
}

impl Divisors {
    /// How many they are.
    pub const COUNT: usize = COUNT;

    /// For numbers of `words` words, at most 2^11 of them; the primes are odd and below 2^20.
    pub fn new(words: usize, primes: &[u64; COUNT]) -> Divisors {
        let mut divisors = Divisors { inverse: [0; COUNT], limit: [0; COUNT], powers: vec![[0; COUNT]; words] };
        for (lane, &prime) in primes.iter().enumerate() {
            divisors.inverse[lane] = inverse_of_odd(prime);
            divisors.limit[lane] = u64::MAX / prime;
            let mut power = 1;
            for word in &mut divisors.powers {
                let next = (power << 32) % prime;
                word[lane] = power | next << 32;
                power = (next << 32) % prime;
            }
        }
        divisors
    }

    /// The last of the primes.
    #[cfg(test)]
    pub fn last(&self) -> u64 {
        u64::MAX / self.limit[COUNT - 1]
    }

    /// Whether one of the primes divides `number`, of as many words as they are for. Neither a branch nor an address depends
    /// on the number.
    pub fn divide(&self, number: &[u64]) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                // SAFETY: the processor has what the function was compiled for.
                return unsafe { self.divide_by_avx512(number) };
            }
            if is_x86_feature_detected!("avx2") {
                // SAFETY: as above.
                return unsafe { self.divide_by_avx2(number) };
            }
        }
        self.divide_anywhere(number)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn divide_by_avx512(&self, number: &[u64]) -> bool {
        self.divide_anywhere(number)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn divide_by_avx2(&self, number: &[u64]) -> bool {
        self.divide_anywhere(number)
    }

    #[inline(always)]
    fn divide_anywhere(&self, number: &[u64]) -> bool {
        const LOW: u64 = u32::MAX as u64;
        debug_assert_eq!(number.len(), self.powers.len());
        let mut sums = [0_u64; COUNT];
        for (&word, powers) in number.iter().zip(&self.powers) {
            let (low, high) = (word & LOW, word >> (WORD_BITS / 2));
            for (sum, &power) in sums.iter_mut().zip(powers) {
                *sum += low * (power & LOW) + high * (power >> 32);
            }
        }
        let mut any = false;
        for ((sum, inverse), limit) in sums.iter().zip(&self.inverse).zip(&self.limit) {
            any |= sum.wrapping_mul(*inverse) <= *limit;
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{PrivateRandom, fill_words};

    #[test]
    fn every_path_of_every_processor_agrees() {
        let is_prime = |number: &u64| (3..*number).take_while(|d| d * d <= *number).all(|d| !number.is_multiple_of(d));
        let primes: Vec<u64> = (3..).step_by(2).filter(is_prime).take(3 * COUNT).collect();
        let mut block = vec![0; 16 * 500];
        fill_words(&mut PrivateRandom, &mut block).unwrap();
        for primes in primes.as_chunks().0 {
            let divisors = Divisors::new(16, primes);
            assert_eq!(divisors.last(), primes[COUNT - 1]);
            for number in block.chunks_exact(16) {
                let divided = primes.iter().any(|prime| {
                    let step = |r: u128, &word: &u64| ((r << 64) | u128::from(word)) % u128::from(*prime);
                    number.iter().rev().fold(0, step) == 0
                });
                assert_eq!((divisors.divide(number), divisors.divide_anywhere(number)), (divided, divided));
            }
        }
    }
}
