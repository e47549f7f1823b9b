// SPDX-License-Identifier: Apache-2.0
//! Candidates for primes: uniformly distributed over what FIPS 186-5, A.1.3, steps 4.2 to 4.4 allows.
//!
//! Called by the generator; calls the random source. Knows nothing of primality.
//!
//! Every candidate is a fresh random number, as the standard writes it; none is the successor of another. Two
//! liberties, both without effect on the distribution:
//!
//! - *Bits are drawn when they are first needed.* Step 4.4 throws a number away when it is below sqrt(2) 2^(k-1),
//!   which its top word alone decides, but for one value in 2^63. So the top word is drawn until it is large enough,
//!   and only then the rest: seven of ten refused numbers would never have had their lower words looked at.
//! - *The residue modulo 8 (step 4.3, the optional a and b).* Each candidate's a is drawn from {3, 7}: its two lowest
//!   bits are set, the third stays random. Candidates, and so primes, are then uniform among the numbers that are
//!   3 modulo 4. That makes (w - 1)/2 odd, so that a Miller-Rabin round is one exponentiation and one comparison,
//!   with no loop whose length would depend on the prime. It costs one bit of each prime's entropy of about k bits.

use crate::arithmetic::libcrypto::{self, SecretBigNum};
use crate::error::Result;
use crate::random::{MOST_REFUSALS, Random, fill_words, stuck};
use crate::secret::released;
use crate::words::{WORD_BITS, equal, less};
use openssl::bn::BigNum;
use zeroize::Zeroizing;

/// Draws candidates of one length.
#[derive(Debug)]
pub struct Candidates {
    /// The largest number below sqrt(2) 2^(k-1). Public.
    below: Vec<u64>,
}

impl Candidates {
    /// For primes of `bits` bits, a multiple of 64.
    pub fn of_bits(bits: usize) -> Candidates {
        assert_eq!(bits % WORD_BITS, 0, "primes fill whole words");
        Candidates { below: square_root_of_2(bits) }
    }

    /// Words in a candidate.
    pub fn words(&self) -> usize {
        self.below.len()
    }

    /// Fills `block` with candidates, one after the other.
    ///
    /// # Errors
    /// [`crate::Error::Random`].
    pub fn draw(&self, random: &mut dyn Random, block: &mut [u64]) -> Result<()> {
        fill_words(random, block)?;
        let last = self.words() - 1;
        let mut spare = Spare::new();
        for candidate in block.chunks_exact_mut(self.words()) {
            let mut refused = 0;
            // Each pass of this loop is one string of step 4.2; what time tells is how many were thrown away.
            loop {
                if released(less(&self.below[last..], &candidate[last..])) {
                    break;
                }
                if released(equal(&self.below[last..], &candidate[last..])) {
                    if released(less(&self.below, candidate)) {
                        break;
                    }
                    fill_words(random, &mut candidate[..last])?;
                }
                if refused == MOST_REFUSALS {
                    return Err(stuck());
                }
                refused += 1;
                candidate[last] = spare.next(random)?;
            }
            // Above the bound it stays: the bound is exceeded by the words above the lowest, or else bits are set.
            candidate[0] |= 3;
        }
        Ok(())
    }
}

/// Random words, many at a time.
struct Spare {
    words: Zeroizing<Vec<u64>>,
    used: usize,
}

impl Spare {
    const WORDS: usize = 512;

    fn new() -> Spare {
        Spare { words: Zeroizing::new(vec![0; Self::WORDS]), used: Self::WORDS }
    }

    fn next(&mut self, random: &mut dyn Random) -> Result<u64> {
        if self.used == Self::WORDS {
            fill_words(random, &mut self.words)?;
            self.used = 0;
        }
        self.used += 1;
        Ok(self.words[self.used - 1])
    }
}

/// floor(sqrt(2) 2^(bits-1)) = floor(sqrt(2^(2 bits - 1))), by Newton's iteration from above.
fn square_root_of_2(bits: usize) -> Vec<u64> {
    let memory = "memory for a number";
    let mut context = libcrypto::context();
    let mut square = BigNum::new().expect(memory);
    square.set_bit(2 * bits as i32 - 1).expect(memory);
    let mut root = SecretBigNum::new();
    root.set_bit(bits as i32).expect(memory);
    loop {
        let (mut quotient, mut next) = (BigNum::new().expect(memory), SecretBigNum::new());
        quotient.checked_div(&square, &root, &mut context).expect(memory);
        let mut sum = BigNum::new().expect(memory);
        sum.checked_add(&quotient, &root).expect(memory);
        next.rshift1(&sum).expect(memory);
        if *next >= *root {
            break;
        }
        root = next;
    }
    let mut words = vec![0; bits / WORD_BITS];
    root.to_words(&mut words);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::random::PrivateRandom;

    fn drawn(bits: usize, count: usize) -> Vec<Vec<u64>> {
        let candidates = Candidates::of_bits(bits);
        let mut block = vec![0; count * bits / 64];
        candidates.draw(&mut PrivateRandom, &mut block).unwrap();
        block.chunks_exact(bits / 64).map(<[u64]>::to_vec).collect()
    }

    #[test]
    fn bound_is_the_root_of_two_to_the_last_bit() {
        for bits in [256, 512, 1024, 1536, 2048, 4096] {
            let root = SecretBigNum::from_words(&square_root_of_2(bits));
            let mut next = BigNum::new().unwrap();
            next.checked_add(&root, &BigNum::from_u32(1).unwrap()).unwrap();
            let mut context = libcrypto::context();
            let (mut low, mut high, mut two) = (BigNum::new().unwrap(), BigNum::new().unwrap(), BigNum::new().unwrap());
            low.sqr(&root, &mut context).unwrap();
            high.sqr(&next, &mut context).unwrap();
            two.set_bit(2 * bits as i32 - 1).unwrap();
            assert!(low < two && two < high, "{bits}");
        }
        // The digits anyone can look up: sqrt(2) = 1.6A09E667F3BCC908 hexadecimal.
        assert_eq!(square_root_of_2(512)[7], 0xB504_F333_F9DE_6484);
    }

    #[test]
    fn candidates_are_within_bounds_and_three_modulo_four() {
        let below = square_root_of_2(512);
        for candidate in drawn(512, 2_000) {
            assert!(bool::from(less(&below, &candidate)));
            assert_eq!(candidate[0] & 3, 3);
        }
    }

    #[test]
    fn candidate_at_the_bound_is_decided_by_its_lower_words() {
        let candidates = Candidates::of_bits(128);
        let below = candidates.below.clone();
        for (low, accepted) in [(u64::MAX, true), (below[0].wrapping_add(1), true), (below[0], false), (0, false)] {
            let mut calls = 0;
            let mut source = |bytes: &mut [u8]| {
                bytes.fill(0xFF);
                if calls == 0 {
                    cast_words(bytes).copy_from_slice(&[low, below[1]]);
                }
                calls += 1;
                Ok::<(), Error>(())
            };
            let mut block = [0; 2];
            candidates.draw(&mut source, &mut block).unwrap();
            let expected = if accepted { [low | 3, below[1]] } else { [u64::MAX, u64::MAX] };
            assert_eq!(block, expected, "{low:x}");
        }
    }

    fn cast_words(bytes: &mut [u8]) -> &mut [u64] {
        bytemuck::cast_slice_mut(bytes)
    }

    /// Pearson's statistic of `counts` against equal shares.
    fn chi_square(counts: &[u64]) -> f64 {
        let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum()
    }

    #[test]
    fn candidates_are_uniform_in_their_top_bits_and_modulo_small_primes() {
        let candidates = drawn(256, 40_000);
        for prime in [3_u64, 5, 7, 11, 13, 101] {
            let mut counts = vec![0; prime as usize];
            for candidate in &candidates {
                let residue =
                    candidate.iter().rev().fold(0_u128, |r, &word| ((r << 64) | u128::from(word)) % u128::from(prime));
                counts[residue as usize] += 1;
            }
            let freedom = prime as f64 - 1.0;
            // Six standard deviations above the mean, and a little for few degrees of freedom.
            assert!(chi_square(&counts) < freedom + 6.0 * (2.0 * freedom).sqrt() + 20.0, "modulo {prime}: {counts:?}");
        }
        // The top word is uniform between the bound and 2^64: sixteen equal shares.
        let bound = 0xB504_F333_F9DE_6484_u64;
        let mut counts = [0; 16];
        for candidate in &candidates {
            let share = u128::from(candidate[3] - bound) * 16 / ((1 << 64) - u128::from(bound));
            counts[share as usize] += 1;
        }
        assert!(chi_square(&counts) < 15.0 + 6.0 * 30_f64.sqrt() + 20.0, "{counts:?}");
        // Half of them are 7 modulo 8.
        let sevens = candidates.iter().filter(|candidate| candidate[0] & 4 != 0).count() as u64;
        assert!(chi_square(&[sevens, 40_000 - sevens]) < 40.0, "{sevens}");
    }

    #[test]
    fn source_that_repeats_itself_is_an_error_and_no_endless_loop() {
        let mut zeros = |bytes: &mut [u8]| {
            bytes.fill(0);
            Ok(())
        };
        let error = Candidates::of_bits(512).draw(&mut zeros, &mut [0; 8]).unwrap_err();
        assert!(matches!(error, Error::Random(_)), "{error}");
    }
}
