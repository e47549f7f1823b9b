// SPDX-License-Identifier: Apache-2.0
//! Trial division of many candidates by many small primes.
//!
//! Called by the generator; calls the arithmetic. A candidate with a small factor would fail the Miller-Rabin test anyway,
//! so dividing first changes what a prime costs and not which primes are found.
//!
//! [`Divisors`] divides by thirty-two primes side by side.
//!
//! A candidate leaves at the first group of primes that holds a factor. Time and addresses tell which candidates left
//! and when, so only of numbers that are thrown away; those that stay have all gone the same way.

use crate::arithmetic::Divisors;
use crate::secret::released;
use once_cell::race::OnceBox;
use subtle::Choice;
use zeroize::Zeroize;

/// The longest candidate, in words.
const MAX_WORDS: usize = 64;

/// The largest prime ever tried is below this. 2^17: then the sums of [`Divisors`] are below 2 * 64 * 2^32 * 2^17 = 2^56.
const MAX_DEPTH: usize = 1 << 17;

/// The primes to try on candidates of one length.
#[derive(Debug)]
pub struct Sieve {
    words: usize,
    groups: Vec<Divisors>,
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
        let groups = primes[..count].as_chunks().0.iter().map(|primes| Divisors::new(words, primes)).collect();
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
                let divided = Choice::from(u8::from(group.divide(candidate)));
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
        self.groups.last().expect("some primes").last()
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
            assert_eq!(primes.len() % Divisors::COUNT, 0);
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
}
