// SPDX-License-Identifier: Apache-2.0
//! Trial division of many candidates by many small primes.
//!
//! Called by the generator; calls nothing. A candidate with a small factor would fail the Miller-Rabin test anyway,
//! so dividing first changes what a prime costs and not which primes are found.
//!
//! With limbs x_i of 32 bits, x = sum x_i 2^(32 i), so x is a multiple of r exactly when S = sum x_i (2^(32 i) mod r)
//! is. S fits in 64 bits, and S is a multiple of an odd r exactly when S r^-1 mod 2^64 is at most (2^64 - 1) / r
//! (Granlund, Montgomery 1994, section 9). There is no division in it: one multiply-add per limb and prime,
//! thirty-two primes side by side, for the vector units of whatever processor runs it.
//!
//! A candidate leaves at the first group of primes that holds a factor. Time and addresses tell which candidates left
//! and when, so only of numbers that are thrown away; those that stay have all gone the same way.

use crate::secret::released;
use crate::words::{WORD_BITS, inverse_of_odd};
use once_cell::race::OnceBox;
use subtle::Choice;
use zeroize::Zeroize;

/// Primes tried side by side: four AVX-512 registers of 64-bit sums.
const GROUP: usize = 32;

/// The longest candidate, in words.
const MAX_WORDS: usize = 64;

/// The largest prime ever tried is below this. 2^17: then S < 2 * 64 * 2^32 * 2^17 = 2^56.
const MAX_DEPTH: usize = 1 << 17;

/// [`GROUP`] primes, and what is needed to divide by them.
#[derive(Debug)]
struct Group {
    /// r^-1 mod 2^64.
    inverse: [u64; GROUP],
    /// floor((2^64 - 1) / r).
    limit: [u64; GROUP],
    /// For each word of a candidate 2^(64 j) mod r and, in the upper half, 2^(64 j + 32) mod r.
    powers: Vec<[u64; GROUP]>,
}

/// The primes to try on candidates of one length.
#[derive(Debug)]
pub struct Sieve {
    words: usize,
    groups: Vec<Group>,
}

impl Sieve {
    /// The sieve for candidates of `words` words; made once per process.
    ///
    /// # Panics
    /// When `words` is zero or above 64.
    pub fn for_words(words: usize) -> &'static Sieve {
        // Not a `OnceLock`, which would block the child of a fork for ever that was made while another thread is inside.
        static SIEVES: [OnceBox<Sieve>; MAX_WORDS] = [const { OnceBox::new() }; MAX_WORDS];
        SIEVES[words - 1].get_or_init(|| Box::new(Sieve::new(words, depth(words))))
    }

    /// With the odd primes below `depth`, in whole groups.
    fn new(words: usize, depth: usize) -> Sieve {
        assert!((1..=MAX_WORDS).contains(&words) && depth <= MAX_DEPTH);
        let primes = odd_primes_below(MAX_DEPTH);
        let count = primes.iter().filter(|&&prime| prime < depth as u64).count();
        let groups = primes[..count].chunks_exact(GROUP).map(|primes| Group::new(words, primes)).collect();
        Sieve { words, groups }
    }

    /// How many candidates of `block` no prime divides. These are moved to its front, in their order; the rest of
    /// the block is zeroised.
    pub fn retain(&self, block: &mut [u64]) -> usize {
        let mut count = block.len() / self.words;
        for group in &self.groups {
            let mut kept = 0;
            for i in 0..count {
                let candidate = &block[i * self.words..][..self.words];
                let divided = Choice::from(u8::from(divides_any(group, candidate)));
                if !released(divided) {
                    block.copy_within(i * self.words..(i + 1) * self.words, kept * self.words);
                    kept += 1;
                }
            }
            count = kept;
        }
        block[count * self.words..].zeroize();
        count
    }

    /// The largest prime tried.
    #[cfg(test)]
    fn largest(&self) -> u64 {
        u64::MAX / self.groups.last().expect("some primes").limit[GROUP - 1]
    }
}

/// How deep to sieve: to the prime r at which one more division costs what it saves, an exponentiation in every r-th
/// candidate. See the cost model in [`super`].
fn depth(words: usize) -> usize {
    match words {
        0..=8 => 1 << 13,
        9..=16 => 27_000,
        17..=24 => 58_000,
        _ => MAX_DEPTH,
    }
}

impl Group {
    fn new(words: usize, primes: &[u64]) -> Group {
        let mut group = Group { inverse: [0; GROUP], limit: [0; GROUP], powers: vec![[0; GROUP]; words] };
        for (lane, &prime) in primes.iter().enumerate() {
            group.inverse[lane] = inverse_of_odd(prime);
            group.limit[lane] = u64::MAX / prime;
            let mut power = 1;
            for word in &mut group.powers {
                let next = (power << 32) % prime;
                word[lane] = power | next << 32;
                power = (next << 32) % prime;
            }
        }
        group
    }
}

/// Whether one of the group's primes divides the candidate.
fn divides_any(group: &Group, candidate: &[u64]) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            // SAFETY: the processor has what the function was compiled for.
            return unsafe { divides_any_avx512(group, candidate) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { divides_any_avx2(group, candidate) };
        }
    }
    divides_any_anywhere(group, candidate)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq")]
fn divides_any_avx512(group: &Group, candidate: &[u64]) -> bool {
    divides_any_anywhere(group, candidate)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn divides_any_avx2(group: &Group, candidate: &[u64]) -> bool {
    divides_any_anywhere(group, candidate)
}

#[inline(always)]
fn divides_any_anywhere(group: &Group, candidate: &[u64]) -> bool {
    const LOW: u64 = u32::MAX as u64;
    debug_assert_eq!(candidate.len(), group.powers.len());
    let mut sums = [0_u64; GROUP];
    for (&word, powers) in candidate.iter().zip(&group.powers) {
        let (low, high) = (word & LOW, word >> (WORD_BITS / 2));
        for (sum, &power) in sums.iter_mut().zip(powers) {
            *sum += low * (power & LOW) + high * (power >> 32);
        }
    }
    let mut any = false;
    for ((sum, inverse), limit) in sums.iter().zip(&group.inverse).zip(&group.limit) {
        any |= sum.wrapping_mul(*inverse) <= *limit;
    }
    any
}

/// All odd primes below `limit`, by the sieve of Eratosthenes.
fn odd_primes_below(limit: usize) -> Vec<u64> {
    let mut composite = vec![false; limit];
    let mut primes = Vec::new();
    for number in (3..limit).step_by(2) {
        if !composite[number] {
            primes.push(number as u64);
            for multiple in (number * number..limit).step_by(number) {
                composite[multiple] = true;
            }
        }
    }
    primes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{PrivateRandom, fill_words};

    fn remainder(number: &[u64], divisor: u64) -> u64 {
        let step = |r: u128, &word: &u64| ((r << 64) | u128::from(word)) % u128::from(divisor);
        number.iter().rev().fold(0, step) as u64
    }

    #[test]
    fn known_counts_of_primes() {
        assert_eq!(odd_primes_below(100).len(), 24);
        assert_eq!(odd_primes_below(1 << 16).len(), 6541);
        assert_eq!(odd_primes_below(1 << 17).last(), Some(&131_071));
    }

    #[test]
    fn keeps_exactly_what_no_prime_divides() {
        for words in [1, 4, 16, 24, 33, 64] {
            let sieve = Sieve::for_words(words);
            let primes: Vec<u64> = odd_primes_below(MAX_DEPTH).into_iter().filter(|&p| p <= sieve.largest()).collect();
            assert_eq!(primes.len() % GROUP, 0);
            let mut block = vec![0; words * 300];
            fill_words(&mut PrivateRandom, &mut block).unwrap();
            block.chunks_exact_mut(words).for_each(|candidate| candidate[0] |= 3);
            let expected: Vec<Vec<u64>> = block
                .chunks_exact(words)
                .filter(|candidate| primes.iter().all(|&prime| remainder(candidate, prime) != 0))
                .map(<[u64]>::to_vec)
                .collect();
            let kept = sieve.retain(&mut block);
            assert_eq!(block[..kept * words], expected.concat(), "{words} words");
            assert!(block[kept * words..].iter().all(|&word| word == 0), "what was discarded is wiped");
        }
    }

    #[test]
    fn every_prime_finds_its_multiples() {
        // The largest multiple of each prime in 16 words: all limbs near their maximum.
        let sieve = Sieve::for_words(16);
        for prime in odd_primes_below(sieve.largest() as usize + 1) {
            let mut number = [u64::MAX; 16];
            number[0] -= remainder(&number, prime);
            assert_eq!(sieve.retain(&mut number), 0, "{prime}");
        }
    }

    #[test]
    fn every_path_of_every_processor_agrees() {
        let sieve = Sieve::for_words(16);
        let mut block = vec![0; 16 * 500];
        fill_words(&mut PrivateRandom, &mut block).unwrap();
        for candidate in block.chunks_exact(16) {
            for group in &sieve.groups[..3] {
                assert_eq!(divides_any(group, candidate), divides_any_anywhere(group, candidate));
            }
        }
    }
}
