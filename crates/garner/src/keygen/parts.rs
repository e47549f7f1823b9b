// SPDX-License-Identifier: Apache-2.0
//! From two primes to a key: the criteria on the pair (FIPS 186-5, A.1.1 and A.1.3), the private exponent and the
//! numbers of the CRT, and the pairwise consistency test.
//!
//! Called by the generator, which runs the exponentiations asked for here together with its Miller-Rabin rounds; calls
//! libcrypto for everything that is done once per key.

use super::gcd;
use crate::arithmetic::libcrypto::{SecretBigNum, context};
use crate::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use crate::error::Result;
use crate::fork::initialise_libcrypto;
use crate::key::{Numbers, PrivateKey};
use crate::miller_rabin::Candidate;
use crate::random::{Random, draw_until};
use crate::secret::released;
use crate::words::{
    WORD_BITS, add_masked, equal, inverse_of_odd, less, multiply_add, power_of_two, shift_right, sub_assign, words_for,
};
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
    /// From big-endian bytes without meaning in their leading zeros; a length that was checked.
    pub fn from_be_bytes(bytes: &[u8]) -> Exponent {
        initialise_libcrypto();
        let number = BigNum::from_slice(bytes).expect(MEMORY);
        let mut words = vec![0; words_for(number.num_bits() as usize)];
        crate::words::from_be_bytes(bytes, &mut words).expect("as many words as the number has");
        Exponent { number, words }
    }

    /// A.1.3, step 4.5: gcd(prime - 1, e) = 1, for a prime that is 3 modulo 4.
    pub fn suits(&self, prime: &Candidate) -> bool {
        // Both are odd then, e and the half of prime - 1, and have the same common factors.
        let length = prime.words().len().max(self.words.len() + 1);
        let lengthened = |words: &[u64]| {
            let mut long = Zeroizing::new(vec![0; length]);
            long[..words.len()].copy_from_slice(words);
            long
        };
        let (half, e) = (lengthened(&half(prime.words())), lengthened(&self.words));
        let mut one = vec![0; length];
        one[0] = 1;
        released(equal(&gcd::of_odd(&half, &e), &one))
    }
}

/// A key all of whose numbers are there but q^-1 mod p, and that has not yet passed its pairwise consistency test.
pub struct Untried {
    modulus: Modulus,
    /// The larger prime.
    p: Modulus,
    q: Modulus,
    d: Zeroizing<Vec<u64>>,
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
    /// (half_p - half_q) q^-1 mod p
    h: Zeroizing<Vec<u64>>,
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
        let words = p.words().len();
        if too_close(p.words(), q.words()) {
            return Ok(None);
        }
        let mut context = context();
        let multiple = SecretBigNum::from_words(&least_common_multiple(p.words(), q.words()));
        let d = to_words(&inverse(&e.number, &multiple, &mut context), 2 * words);
        if too_small(&d) {
            return Ok(None);
        }
        let modulus = Modulus::new(&product(p.words(), q.words())).expect("an odd number of allowed length");
        debug_assert_eq!(modulus.bits(), 2 * words * WORD_BITS);
        let mut exponent = |prime: &Candidate| residue(&d, &less_by(prime.words(), 1), &mut context);
        let (dp, dq) = (exponent(&p), exponent(&q));
        let p_less_2 = less_by(p.words(), 2);
        let message = draw_until(random, modulus.bits(), |message| released(less(message, modulus.words())))?;
        let zeros = |words: usize| Zeroizing::new(vec![0; words]);
        Ok(Some(Untried {
            modulus,
            p: p.into_modulus(),
            q: q.into_modulus(),
            d,
            dp,
            dq,
            p_less_2,
            message,
            results: Results { q_inverse: zeros(words), half_p: zeros(words), half_q: zeros(words), h: zeros(words) },
            signature: zeros(2 * words),
            verified: zeros(2 * words),
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

    /// Once the jobs are done: the first step of the recombination, (half_p - half_q) q^-1 mod p.
    fn recombine(&mut self) -> Multiply<'_> {
        let Untried { p, results: Results { q_inverse, half_p, half_q, h }, .. } = self;
        // q < p, so half_q < p and one addition of p makes a negative difference canonical.
        let borrow = sub_assign(half_p, half_q);
        add_masked(half_p, p.words(), borrow.wrapping_neg());
        Multiply { modulus: p, a: half_p, b: q_inverse, result: h, c: None }
    }

    /// The second step, h q + half_q, and the public exponentiation that checks the signature.
    fn check<'a>(&'a mut self, e: &'a Exponent) -> Power<'a> {
        let Untried { modulus, q, results: Results { half_q, h, .. }, signature, verified, .. } = self;
        signature[..half_q.len()].copy_from_slice(half_q);
        multiply_add(signature, h, q.words());
        Power { modulus, base: signature, exponent: &e.words, result: verified }
    }

    /// The key, or `None` when the trial signature did not verify.
    ///
    /// # Errors
    /// [`crate::Error::Key`] when the numbers do not fit together.
    fn into_key(self, e: &Exponent) -> Result<Option<PrivateKey>> {
        if !released(equal(&self.verified, &self.message)) {
            return Ok(None);
        }
        let number = SecretBigNum::from_words;
        PrivateKey::from_generated(Numbers {
            n: number(self.modulus.words()),
            e: number(&e.words),
            d: number(&self.d),
            p: number(self.p.words()),
            q: number(self.q.words()),
            dp: number(&self.dp),
            dq: number(&self.dq),
            q_inverse: number(&self.results.q_inverse),
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
    let mut jobs: Vec<Multiply<'_>> = keys.iter_mut().map(Untried::recombine).collect();
    arithmetic.multiply(&mut jobs);
    let mut jobs: Vec<Power<'_>> = keys.iter_mut().map(|key| key.check(e)).collect();
    arithmetic.power_public(&mut jobs);
    keys.into_iter().map(|key| key.into_key(e)).collect()
}

/// `number` in `length` words; it fits.
fn to_words(number: &SecretBigNum, length: usize) -> Zeroizing<Vec<u64>> {
    let mut words = Zeroizing::new(vec![0; length]);
    number.to_words(&mut words);
    words
}

/// `number - small`, which is not negative.
fn less_by(number: &[u64], small: u64) -> Zeroizing<Vec<u64>> {
    let mut result = Zeroizing::new(number.to_vec());
    let mut subtrahend = vec![0; number.len()];
    subtrahend[0] = small;
    sub_assign(&mut result, &subtrahend);
    result
}

fn product(a: &[u64], b: &[u64]) -> Zeroizing<Vec<u64>> {
    let mut product = Zeroizing::new(vec![0; a.len() + b.len()]);
    multiply_add(&mut product, a, b);
    product
}

/// |p - q| <= 2^(k - 100), for p >= q of k bits.
fn too_close(p: &[u64], q: &[u64]) -> bool {
    let mut difference = Zeroizing::new(p.to_vec());
    sub_assign(&mut difference, q);
    !released(less(&power_of_two(p.len() * WORD_BITS - 100, p.len()), &difference))
}

/// d <= 2^k, for d of 2 k bits' words.
fn too_small(d: &[u64]) -> bool {
    !released(less(&power_of_two(d.len() / 2 * WORD_BITS, d.len()), d))
}

/// lcm(p - 1, q - 1) for p and q that are 3 modulo 4: 2 a (b / gcd(a, b)) with the odd halves a and b.
fn least_common_multiple(p: &[u64], q: &[u64]) -> Zeroizing<Vec<u64>> {
    let (a, b) = (half(p), half(q));
    // p - 1 is twice a.
    let divisor = gcd::of_odd(&a, &b);
    product(&less_by(p, 1), &exact_quotient(b, &divisor))
}

/// `number / divisor`, for an odd divisor of as many words that leaves no remainder: from the lowest word up (Jebelean
/// 1993), so that nothing is estimated.
fn exact_quotient(mut number: Zeroizing<Vec<u64>>, divisor: &[u64]) -> Zeroizing<Vec<u64>> {
    let inverse = inverse_of_odd(divisor[0]);
    for i in 0..number.len() {
        // The quotient takes the place of the words that it has brought to zero.
        let (digit, rest) = number[i..].split_first_mut().expect("i is below the length");
        *digit = digit.wrapping_mul(inverse);
        let mut carry = ((u128::from(*digit) * u128::from(divisor[0])) >> WORD_BITS) as u64;
        for (word, divisor) in rest.iter_mut().zip(&divisor[1..]) {
            let subtrahend = u128::from(*digit) * u128::from(*divisor) + u128::from(carry);
            let (difference, borrow) = word.overflowing_sub(subtrahend as u64);
            (*word, carry) = (difference, (subtrahend >> WORD_BITS) as u64 + u64::from(borrow));
        }
    }
    number
}

/// floor(number / 2)
fn half(number: &[u64]) -> Zeroizing<Vec<u64>> {
    let mut half = Zeroizing::new(vec![0; number.len()]);
    shift_right(number, 1, &mut half);
    half
}

/// `number mod modulus`, by libcrypto: not inlined, so that `check-ct` knows its branches from ours.
#[inline(never)]
fn residue(number: &[u64], modulus: &[u64], context: &mut BigNumContext) -> Zeroizing<Vec<u64>> {
    let mut residue = SecretBigNum::new();
    residue.nnmod(&SecretBigNum::from_words(number), &SecretBigNum::from_words(modulus), context).expect(MEMORY);
    to_words(&residue, modulus.len())
}

/// `number^-1 mod modulus`, by libcrypto as above; the two are coprime.
#[inline(never)]
fn inverse(number: &BigNumRef, modulus: &BigNumRef, context: &mut BigNumContext) -> SecretBigNum {
    let mut inverse = SecretBigNum::new();
    inverse.mod_inverse(number, modulus, context).expect("numbers without a common factor");
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{PrivateRandom, fill_words};
    use crate::words::add_assign;

    fn number(bits: &[usize]) -> Vec<u64> {
        let mut number = vec![0; 4];
        bits.iter().for_each(|&bit| number[bit / 64] |= 1 << (bit % 64));
        number
    }

    #[test]
    fn distance_of_the_primes_is_decided_at_its_bound() {
        let q = number(&[255, 254, 0]);
        for (bits, close) in [(&[][..], true), (&[155], true), (&[156], true), (&[156, 1], false), (&[157], false)] {
            let mut p = q.clone();
            add_assign(&mut p, &number(bits));
            assert_eq!(too_close(&p, &q), close, "{bits:?}");
        }
    }

    #[test]
    fn size_of_the_private_exponent_is_decided_at_its_bound() {
        for (bits, small) in [(&[0][..], true), (&[127], true), (&[128], true), (&[128, 0], false), (&[129], false)] {
            assert_eq!(too_small(&number(bits)), small, "{bits:?}");
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
        for (p, q, multiple) in [(7, 19, 18), (19, 31, 90), (7, 31, 30), (11, 23, 110)] {
            assert_eq!(*least_common_multiple(&[p, 0], &[q, 0]), [multiple, 0, 0, 0]);
        }
    }

    #[test]
    fn exact_quotients_are_exact_for_divisors_of_every_length() {
        for words in 1..=16 {
            let mut factors = [vec![0; 16], vec![0; 16]];
            fill_words(&mut PrivateRandom, &mut factors[0][..words]).unwrap();
            fill_words(&mut PrivateRandom, &mut factors[1][..16 - words]).unwrap();
            factors.iter_mut().for_each(|factor| factor[0] |= 1);
            let number = Zeroizing::new(product(&factors[0], &factors[1])[..16].to_vec());
            assert_eq!(*exact_quotient(number, &factors[0]), factors[1], "{factors:x?}");
        }
    }
}
