// SPDX-License-Identifier: Apache-2.0
//! RSA key generation by FIPS 186-5, many keys at once: random probable primes (A.1.3), tested by Miller-Rabin (B.3.1)
//! with the rounds of Table B.1.
//!
//! Called by the front ends. Calls the arithmetic with batches of exponentiations, a device with very large ones,
//! libcrypto for random bits and for what is done once per key, and [`key`](crate::key) with the finished numbers. Knows
//! nothing of encodings and threads.
//!
//! | step | file | does |
//! |---|---|---|
//! | draw | `candidate` | random numbers in [sqrt(2) 2^(k-1), 2^k), 3 modulo 4; each independent of all others |
//! | sieve | `sieve` | divides by all primes up to a bound; nine of ten candidates end here |
//! | filter | `filter` | where a device gets thousands at once: a round there, in which most composites end |
//! | first round | `miller_rabin` | one exponentiation on each of eight candidates in the time of one |
//! | other rounds | `miller_rabin` | all at once, in lanes beside new candidates |
//! | pair | `parts` | p and q: apart, coprime to e; d, the numbers of the CRT |
//! | try | `parts` | signs a random value through the CRT and verifies it: no key leaves without |
//!
//! `generator` moves candidates, primes and keys through these steps and fills the lanes with whatever is due.
//!
//! ```
//! use garner::arithmetic;
//! use garner::keygen::{self, Options};
//!
//! let arithmetic = arithmetic::best()?;
//! let key = keygen::generate_one(&*arithmetic, 2048, &Options::default())?;
//! let many = keygen::generate(&*arithmetic, 2048, 10, &Options::default(), |so_far| {
//!     println!("{} keys", so_far.keys);
//! })?;
//! assert_eq!((key.public().bits(), many.len()), (2048, 10));
//! # Ok::<(), garner::Error>(())
//! ```
//!
//! # What a key satisfies
//!
//! With nlen = 2 k bits of modulus (FIPS 186-5, A.1.1 and A.1.3):
//! - e is odd and 2^16 < e < 2^256; p - 1 and q - 1 have no factor in common with it;
//! - sqrt(2) 2^(k-1) <= p, q < 2^k, so n has exactly nlen bits; |p - q| > 2^(k-100);
//! - p and q are prime but for a probability of 2^-100 and of the key's security strength, 2^-112 to 2^-200;
//! - d = e^-1 mod lcm(p - 1, q - 1) > 2^k.
//!
//! Where this departs from the letter of A.1.3, and why primes come out with the same distribution:
//! - many candidates are under way at once, and p and q are the first and the second prime of one sequence: candidates
//!   are independent, so that which came first says nothing of what they are;
//! - gcd(p - 1, e) = 1 is checked after the first prime test instead of before: a candidate must pass both;
//! - candidates are divided by small primes before the Miller-Rabin test, which finds composites only;
//! - the optional a and b of steps 4.3 and 5.3 are drawn from {3, 7} for each candidate, see `candidate`;
//! - steps 4.7 and 5.8 give up after 10 k candidates for p and 20 k for q; so does this, but for the up to 2,048
//!   candidates that it draws ahead (for a device, twice what fills it). It comes about with probabilities of 2^-41 and 2^-83.
//!
//! Lengths are multiples of 128 bits, so that primes fill whole words; 2048 and up as the standard asks, 512 and up with
//! [`Options::below_fips`].
//!
//! # What time tells
//!
//! Time and addresses depend on candidates that are thrown away: on which the sieve or a round found composite, and
//! when. Each was drawn independently of those kept, so it tells nothing of them. Prime candidates all go the same way.
//! Every bit that becomes a branch goes through [`released`](crate::secret::released): whether a number drawn was below
//! its bound, whether a small prime divides a candidate, whether it passed a round, whether a pair of primes is far
//! enough apart and suits e, which of the two is the larger, and whether the finished key passed its trial. What libcrypto
//! computes once per key (e^-1 mod lcm(p - 1, q - 1), and d modulo p - 1 and q - 1) it computes with its constant-time
//! flag. `docs/security.md` has the evidence and argues the exceptions.
//!
//! Candidates, bases, exponents and intermediate results are zeroised: those of the sieve and all finished keys in
//! [`SecretWords`](crate::secret::SecretWords), the rest wiped when dropped.
//!
//! # Cost model
//!
//! One odd candidate of k bits is prime with probability 2 / (k ln 2), and one in e^gamma ln(B) / 2 of them has no
//! factor below B. Sieving pays up to the B where dividing by one more prime (words / 4 cycles, see `sieve`) costs as
//! much as the exponentiation it saves in every B-th candidate: B = T / (words / 4). A key costs two primes' tests,
//! the further rounds of two primes (t - 1 each), and 3 exponentiations of its own: q^-1 = q^(p-2) mod p and the two
//! halves of the trial signature.
//!
//! | nlen | candidates | B | tests | exponentiations | T, cycles | all T | sieve | key, cycles |
//! |---|---|---|---|---|---|---|---|---|
//! | 2048 | 710 | 27,000 | 78 | 89 | 107 k | 9.5 M | 1.1 M | 10.7 M |
//! | 3072 | 1065 | 58,000 | 109 | 118 | 355 k | 41.9 M | 4.5 M | 46.4 M |
//! | 4096 | 1420 | 131,072 | 135 | 144 | 830 k | 119.7 M | 15.1 M | 134.9 M |
//! | 6144 | 2129 | 131,072 | 203 | 212 | 2.7 M | 572 M | 34 M | 606 M |
//! | 8192 | 2839 | 131,072 | 271 | 280 | 6.2 M | 1733 M | 60 M | 1794 M |
//!
//! All expected values; T is one exponentiation with eight lanes full, half of an RSA operation by the AVX-512 IFMA
//! kernels where a core issues two of their multiply-adds a cycle; with one (Zen 4) twice that (at 6144 and 8192 bits an
//! estimate). `garner speed --operation keygen` measures.
//! The lanes are always full while primes are wanted: new candidates fill what the other steps leave.
//! One key alone takes about 11 batches of one pass each, 8 lanes wide: 78 candidates, the rounds beside them.

#![forbid(unsafe_code)]

mod candidate;
mod filter;
mod gcd;
mod generator;
mod parts;
#[doc(hidden)]
pub mod sieve;
mod statistics;

pub use crate::random::{PrivateRandom, Random};
pub use generator::Generator;
pub use statistics::Statistics;

use crate::arithmetic::{Arithmetic, Modulus};
use crate::error::{Error, Result};
use crate::key::PrivateKey;
use parts::Exponent;

/// What is asked of a key beside its length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The public exponent e, big-endian: odd and 2^16 < e < 2^256. 65,537 by default.
    pub exponent: Vec<u8>,
    /// Also allow what FIPS 186-5 forbids: lengths from 512 bits and exponents from 3. For tests and for verifiers
    /// that know no better. Off by default.
    pub below_fips: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { exponent: vec![1, 0, 1], below_fips: false }
    }
}

/// The shortest modulus of FIPS 186-5, in bits.
const FIPS_BITS: usize = 2048;

/// The shortest modulus generated at all, in bits.
const MIN_BITS: usize = 512;

/// Lengths are multiples of this: primes fill whole words.
const STEP_BITS: usize = 128;

/// Bits of the smallest and the largest exponent of FIPS 186-5 (A.1.3, step 2).
const EXPONENT_BITS: std::ops::RangeInclusive<usize> = 17..=256;

impl Options {
    /// The exponent, if it and a modulus of `bits` bits are allowed.
    fn checked(&self, bits: usize) -> Result<Exponent> {
        let least = if self.below_fips { MIN_BITS } else { FIPS_BITS };
        if !(least..=Modulus::MAX_BITS).contains(&bits) {
            return Err(Error::argument("bits", format!("is {bits}, must be from {least} to {}", Modulus::MAX_BITS)));
        }
        if !bits.is_multiple_of(STEP_BITS) {
            return Err(Error::argument("bits", format!("is {bits}, must be a multiple of {STEP_BITS}")));
        }
        let zeros = self.exponent.iter().take_while(|&&byte| byte == 0).count();
        let exponent = &self.exponent[zeros..];
        let length = exponent.first().map_or(0, |first| 8 * exponent.len() - first.leading_zeros() as usize);
        let least = if self.below_fips { 2 } else { *EXPONENT_BITS.start() };
        if length < least {
            let least = if self.below_fips { "3" } else { "65537" };
            return Err(Error::argument("exponent", format!("must be at least {least}")));
        }
        if length > *EXPONENT_BITS.end() {
            let reason = format!("has {length} bits, more than {}", EXPONENT_BITS.end());
            return Err(Error::argument("exponent", reason));
        }
        if exponent.last().is_some_and(|last| last & 1 == 0) {
            return Err(Error::argument("exponent", "is even"));
        }
        Ok(Exponent::from_be_bytes(exponent))
    }
}

/// `count` keys of `bits` bits, by the calling thread; `progress` is told after each.
///
/// For so many keys that they should not all be in memory, for several threads, and with a device for very many, take them
/// from a [`Generator`].
///
/// # Errors
/// [`Error::Argument`] as [`Generator::new`]; [`Error::Random`]; [`Error::Key`] when a new key fails its trial, for its numbers
/// were computed wrongly.
pub fn generate(
    arithmetic: &dyn Arithmetic,
    bits: usize,
    count: usize,
    options: &Options,
    mut progress: impl FnMut(&Statistics),
) -> Result<Vec<PrivateKey>> {
    let mut generator = Generator::new(arithmetic, bits, count, options)?;
    let mut keys = Vec::new();
    while let Some(key) = generator.next() {
        keys.push(key?);
        progress(generator.statistics());
    }
    Ok(keys)
}

/// One key of `bits` bits, as soon as can be.
///
/// # Errors
/// As [`generate`].
pub fn generate_one(arithmetic: &dyn Arithmetic, bits: usize, options: &Options) -> Result<PrivateKey> {
    Generator::new(arithmetic, bits, 1, options)?.next().expect("one key was asked for")
}
