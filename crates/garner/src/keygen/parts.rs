//! From two primes to a key: the criteria on the pair (FIPS 186-5, A.1.1 and A.1.3), the private exponent and the
//! numbers of the CRT, and the pairwise consistency test.
//!
//! Called by the generator, which runs the exponentiations asked for here together with its Miller-Rabin rounds; calls
//! libcrypto for everything that is done once per key.

use super::gcd;
use super::miller_rabin::Candidate;
use super::random::{Random, draw_until};
use crate::arithmetic::libcrypto::SecretBigNum;
use crate::arithmetic::{Arithmetic, Modulus, Power};
use crate::error::Result;
use crate::key::{Components, PrivateKey};
use crate::secret::released;
use crate::words::{equal, less, to_be_bytes, words_for};
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use zeroize::Zeroizing;

/// What libcrypto's arithmetic can only fail for.
const MEMORY: &str = "memory for a number";

/// The public exponent.
#[derive(Debug)]
pub struct Exponent {
    number: BigNum,
    words: Vec<u64>,
}

impl Exponent {
    /// From big-endian bytes without meaning in their leading zeros.
    pub fn from_be_bytes(bytes: &[u8]) -> Exponent {
        let number = BigNum::from_slice(bytes).expect(MEMORY);
        let mut words = vec![0; words_for(number.num_bits() as usize)];
        crate::words::from_be_bytes(bytes, &mut words).expect("as many words as the number has");
        Exponent { number, words }
    }

    /// Length in bits.
    pub fn bits(&self) -> usize {
        self.number.num_bits() as usize
    }

    /// Whether it is odd.
    pub fn is_odd(&self) -> bool {
        self.number.is_bit_set(0)
    }

    /// A.1.3, step 4.5: gcd(prime - 1, e) = 1.
    ///
    /// p - 1 is first reduced modulo e, in constant time; the rest is libcrypto's constant-time gcd.
    pub fn suits(&self, prime: &Candidate) -> bool {
        let mut context = context();
        let mut less_1 = SecretBigNum::from_words(prime.words());
        less_1.sub_word(1).expect(MEMORY);
        let (mut residue, mut divisor) = (SecretBigNum::new(), SecretBigNum::new());
        residue.nnmod(&less_1, &self.number, &mut context).expect(MEMORY);
        divisor.gcd(&residue, &self.number, &mut context).expect(MEMORY);
        divisor.num_bits() == 1
    }
}

/// A key all of whose numbers are there but q^-1 mod p, and that has not yet passed its pairwise consistency test.
pub struct Untried {
    modulus: Modulus,
    /// The larger prime.
    p: Modulus,
    q: Modulus,
    d: SecretBigNum,
    dp: Zeroizing<Vec<u64>>,
    dq: Zeroizing<Vec<u64>>,
    /// p - 2: q^(p-2) mod p is q^-1 by Fermat's little theorem.
    p_less_2: Zeroizing<Vec<u64>>,
    /// The value to sign, random below n.
    message: Zeroizing<Vec<u64>>,
    results: Results,
    signature: Zeroizing<Vec<u64>>,
    verified: Zeroizing<Vec<u64>>,
}

/// What the exponentiations give.
struct Results {
    q_inverse: Zeroizing<Vec<u64>>,
    half_p: Zeroizing<Vec<u64>>,
    half_q: Zeroizing<Vec<u64>>,
}

/// Exponentiations [`Untried::jobs`] asks for.
pub const JOBS: usize = 3;

impl Untried {
    /// The key of two primes of the same length, each of which [suits](Exponent::suits) `e`.
    ///
    /// `None` when they are too close together, |p - q| <= 2^(nlen/2 - 100) (A.1.3, step 5.5), or d is too small,
    /// d <= 2^(nlen/2) (A.1.1, criterion 3).
    ///
    /// # Errors
    /// [`crate::Error::Random`].
    pub fn new(first: Candidate, second: Candidate, e: &Exponent, random: &mut dyn Random) -> Result<Option<Untried>> {
        let (p, q) = if released(less(first.words(), second.words())) { (second, first) } else { (first, second) };
        let bits = 64 * p.words().len();
        let mut context = context();
        let [p_number, q_number] = [&p, &q].map(|prime| SecretBigNum::from_words(prime.words()));
        if too_close(&p_number, &q_number, bits) {
            return Ok(None);
        }
        let (p_less_1, q_less_1) = (less_by(&p_number, 1), less_by(&q_number, 1));
        let d = inverse(&e.number, &least_common_multiple(p.words(), q.words(), &mut context), &mut context);
        // d is odd, so more bits than nlen/2 is d > 2^(nlen/2).
        if d.num_bits() as usize <= bits {
            return Ok(None);
        }
        let mut n = SecretBigNum::new();
        n.checked_mul(&p_number, &q_number, &mut context).expect(MEMORY);
        let modulus = Modulus::new(&words(&n, 2 * bits)).expect("an odd number of allowed length");
        debug_assert_eq!(modulus.bits(), 2 * bits);
        let mut residue = |less_1: &BigNumRef| {
            let mut residue = SecretBigNum::new();
            residue.nnmod(&d, less_1, &mut context).expect(MEMORY);
            words(&residue, bits)
        };
        let (dp, dq) = (residue(&p_less_1), residue(&q_less_1));
        let p_less_2 = words(&less_by(&p_number, 2), bits);
        let message = draw_until(random, modulus.bits(), |message| released(less(message, modulus.words())))?;
        let zeros = |bits: usize| Zeroizing::new(vec![0; words_for(bits)]);
        Ok(Some(Untried {
            modulus,
            p: p.into_modulus(),
            q: q.into_modulus(),
            d,
            dp,
            dq,
            p_less_2,
            message,
            results: Results { q_inverse: zeros(bits), half_p: zeros(bits), half_q: zeros(bits) },
            signature: zeros(2 * bits),
            verified: zeros(2 * bits),
        }))
    }

    /// The secret exponentiations to be done: q^-1 mod p, and the two halves of a trial signature.
    pub fn jobs(&mut self) -> [Power<'_>; JOBS] {
        let Untried { p, q, dp, dq, p_less_2, message, results, .. } = self;
        [
            Power { modulus: p, base: q.words(), exponent: p_less_2, result: &mut results.q_inverse },
            Power { modulus: p, base: message, exponent: dp, result: &mut results.half_p },
            Power { modulus: q, base: message, exponent: dq, result: &mut results.half_q },
        ]
    }

    /// Recombines the halves, once the jobs are done; asks for the public exponentiation that checks the signature.
    fn recombine<'a>(&'a mut self, e: &'a Exponent) -> Power<'a> {
        let mut context = context();
        let number = SecretBigNum::from_words;
        let (p, q, half_q) = (number(self.p.words()), number(self.q.words()), number(&self.results.half_q));
        let (mut difference, mut h) = (SecretBigNum::new(), SecretBigNum::new());
        difference.mod_sub(&number(&self.results.half_p), &half_q, &p, &mut context).expect(MEMORY);
        h.mod_mul(&difference, &number(&self.results.q_inverse), &p, &mut context).expect(MEMORY);
        let (mut product, mut signature) = (SecretBigNum::new(), SecretBigNum::new());
        product.checked_mul(&h, &q, &mut context).expect(MEMORY);
        signature.checked_add(&product, &half_q).expect(MEMORY);
        signature.to_words(&mut self.signature);
        Power { modulus: &self.modulus, base: &self.signature, exponent: &e.words, result: &mut self.verified }
    }

    /// The key, or `None` when the trial signature did not verify.
    ///
    /// # Errors
    /// [`crate::Error::Key`] when the numbers do not fit together.
    fn into_key(self, e: &Exponent) -> Result<Option<PrivateKey>> {
        if !released(equal(&self.verified, &self.message)) {
            return Ok(None);
        }
        let d = words(&self.d, self.modulus.bits());
        let bytes = |words: &[u64]| {
            let mut bytes = Zeroizing::new(vec![0; words.len() * 8]);
            to_be_bytes(words, &mut bytes);
            bytes
        };
        PrivateKey::from_generated(&Components {
            modulus: &bytes(self.modulus.words()),
            public_exponent: &bytes(&e.words),
            private_exponent: &bytes(&d),
            prime1: &bytes(self.p.words()),
            prime2: &bytes(self.q.words()),
            exponent1: &bytes(&self.dp),
            exponent2: &bytes(&self.dq),
            coefficient: &bytes(&self.results.q_inverse),
        })
        .map(Some)
    }
}

/// The keys whose [jobs](Untried::jobs) are done: the pairwise consistency test (FIPS 140-3 asks for it; SP 800-56B,
/// 6.4.1), a random value signed through the CRT and verified with e. `None` for a key that failed.
///
/// # Errors
/// [`crate::Error::Key`] when the numbers of one do not fit together.
pub fn try_out(arithmetic: &dyn Arithmetic, mut keys: Vec<Untried>, e: &Exponent) -> Result<Vec<Option<PrivateKey>>> {
    let mut jobs: Vec<Power<'_>> = keys.iter_mut().map(|key| key.recombine(e)).collect();
    arithmetic.power_public(&mut jobs);
    keys.into_iter().map(|key| key.into_key(e)).collect()
}

fn context() -> BigNumContext {
    BigNumContext::new_secure().or_else(|_| BigNumContext::new()).expect("memory for a context")
}

/// `number`, which has at most `bits` bits, in as many words as that takes.
fn words(number: &SecretBigNum, bits: usize) -> Zeroizing<Vec<u64>> {
    let mut words = Zeroizing::new(vec![0; words_for(bits)]);
    number.to_words(&mut words);
    words
}

fn less_by(number: &BigNumRef, small: u32) -> SecretBigNum {
    let mut result = SecretBigNum::new();
    result.checked_sub(number, &BigNum::from_u32(small).expect(MEMORY)).expect(MEMORY);
    result
}

/// |p - q| <= 2^(bits - 100), for p >= q.
fn too_close(p: &BigNumRef, q: &BigNumRef, bits: usize) -> bool {
    let (mut difference, mut bound) = (SecretBigNum::new(), BigNum::new().expect(MEMORY));
    difference.checked_sub(p, q).expect(MEMORY);
    bound.set_bit(bits as i32 - 100).expect(MEMORY);
    *difference <= *bound
}

/// lcm(p - 1, q - 1) for p and q that are 3 modulo 4: 2 a b / gcd(a, b) with the odd halves a and b.
fn least_common_multiple(p: &[u64], q: &[u64], context: &mut BigNumContext) -> SecretBigNum {
    let (a, b) = (half(p), half(q));
    let divisor = SecretBigNum::from_words(&gcd::of_odd(&a, &b));
    let (mut product, mut twice, mut multiple) = (SecretBigNum::new(), SecretBigNum::new(), SecretBigNum::new());
    product.checked_mul(&SecretBigNum::from_words(&a), &SecretBigNum::from_words(&b), context).expect(MEMORY);
    twice.lshift1(&product).expect(MEMORY);
    multiple.checked_div(&twice, &divisor, context).expect(MEMORY);
    multiple
}

/// floor(number / 2)
fn half(number: &[u64]) -> Zeroizing<Vec<u64>> {
    let next = number[1..].iter().chain([&0]);
    Zeroizing::new(number.iter().zip(next).map(|(word, next)| word >> 1 | next << 63).collect())
}

/// `number^-1 mod modulus`; the two are coprime.
fn inverse(number: &BigNumRef, modulus: &BigNumRef, context: &mut BigNumContext) -> SecretBigNum {
    let mut inverse = SecretBigNum::new();
    inverse.mod_inverse(number, modulus, context).expect("numbers without a common factor");
    inverse
}

#[cfg(test)]
mod tests {
    use super::super::random::PrivateRandom;
    use super::*;

    fn number(bits: &[i32]) -> BigNum {
        let mut number = BigNum::new().unwrap();
        bits.iter().for_each(|&bit| number.set_bit(bit).unwrap());
        number
    }

    #[test]
    fn distance_of_the_primes_is_decided_at_its_bound() {
        let q = number(&[255, 254, 0]);
        for (bits, close) in [(&[][..], true), (&[155], true), (&[156], true), (&[156, 1], false), (&[157], false)] {
            let mut p = BigNum::new().unwrap();
            p.checked_add(&q, &number(bits)).unwrap();
            assert_eq!(too_close(&p, &q, 256), close, "{bits:?}");
        }
    }

    #[test]
    fn close_primes_make_no_key() {
        let prime = || Candidate::new(&[u64::MAX, u64::MAX, u64::MAX, u64::MAX]).unwrap();
        let e = Exponent::from_be_bytes(&[1, 0, 1]);
        assert!(Untried::new(prime(), prime(), &e, &mut PrivateRandom).unwrap().is_none());
    }

    #[test]
    fn exponent_with_a_factor_of_a_prime_less_one_does_not_suit() {
        // 2^127 - 2 = 2 3^3 7^2 19 43 73 127 337 5419 92737 649657 77158673929
        let prime = Candidate::new(&[u64::MAX, u64::MAX >> 1]).unwrap();
        for (e, suits) in
            [(3_u64, false), (5, true), (92_737, false), (65_537, true), (65_537 * 19, false), (5 * 11 * 13, true)]
        {
            assert_eq!(Exponent::from_be_bytes(&e.to_be_bytes()).suits(&prime), suits, "{e}");
        }
    }

    #[test]
    fn least_common_multiple_of_primes_with_a_common_factor() {
        // 7 - 1 = 2 3, 19 - 1 = 2 3 3, 31 - 1 = 2 3 5
        for (p, q, multiple) in [(7_u64, 19, 18), (19, 31, 90), (7, 31, 30), (11, 23, 110)] {
            let found = least_common_multiple(&[p], &[q], &mut context());
            assert_eq!(found.to_dec_str().unwrap().to_string(), multiple.to_string());
        }
    }
}
