// SPDX-License-Identifier: Apache-2.0
//! Everything that is checked before a key may be used; the list, and what it does not establish, is in [`super`].
//!
//! Called by `components` only. Runs once per load and is not constant time, see [`super`].

use super::numbers::{Numbers, computed, less_1};
use super::{PrivateKey, PublicKey};
use crate::arithmetic::libcrypto::{Libcrypto, SecretBigNum};
use crate::arithmetic::{Arithmetic, Modulus};
use crate::error::{Error, Result};
use crate::miller_rabin::{Candidate, Round};
use crate::random::{PrivateRandom, before_end};
use crate::secret::SecretWords;
use crate::words::words_for;
use once_cell::race::OnceBool;
use openssl::bn::{BigNumContext, BigNumRef};
use std::cmp::Ordering;
use std::mem::swap;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The smallest modulus, in bits.
const MIN_BITS: usize = 512;

/// The largest public exponent, in bits (FIPS 186-5 allows as many).
const MAX_EXPONENT_BITS: usize = 256;

/// A public key, if `n` and `e` can be one.
pub(super) fn check_public(n: &BigNumRef, e: &BigNumRef) -> Result<PublicKey> {
    let bits = bits(n);
    if bits < MIN_BITS {
        return Err(Error::key("modulus", format!("modulus has {bits} bits, fewer than {MIN_BITS}")));
    }
    if bits > Modulus::MAX_BITS {
        return Err(Error::key("modulus", format!("modulus has {bits} bits, more than {}", Modulus::MAX_BITS)));
    }
    if n.is_even() {
        return Err(Error::key("modulus", "modulus is even"));
    }
    if e.is_even() {
        return Err(Error::key("publicExponent", "publicExponent is even"));
    }
    if self::bits(e) < 2 {
        return Err(Error::key("publicExponent", "publicExponent is 1"));
    }
    if self::bits(e) > MAX_EXPONENT_BITS {
        let reason = format!("publicExponent has {} bits, more than {MAX_EXPONENT_BITS}", self::bits(e));
        return Err(Error::key("publicExponent", reason));
    }
    // e < n needs no check of its own: the longest e is shorter than the shortest n.
    let mut exponent = vec![0; words_for(self::bits(e))];
    words_of(e, &mut exponent);
    Ok(PublicKey { modulus: modulus(n), exponent })
}

/// A private key, if every check passes.
pub(super) fn private(key: Numbers) -> Result<PrivateKey> {
    let (public, key) = consistent(key)?;
    check_pairwise(&key, &mut computed(BigNumContext::new()))?;
    Ok(build(public, &key))
}

/// A private key whose maker has made the pairwise consistency test, if every other check passes.
pub(super) fn private_tried(key: Numbers) -> Result<PrivateKey> {
    let (public, key) = consistent(key)?;
    Ok(build(public, &key))
}

/// Every check but the trial operation; p and q come out in order.
fn consistent(mut key: Numbers) -> Result<(PublicKey, Numbers)> {
    let public = check_public(&key.n, &key.e)?;
    let mut context = computed(BigNumContext::new());
    check_ranges(&key)?;
    check_primes_are_the_modulus(&key, &mut context)?;
    check_exponents(&key, &mut context)?;
    check_coefficient(&key, &mut context)?;
    if key.p.ucmp(&key.q) == Ordering::Less {
        swap(&mut key.p, &mut key.q);
        swap(&mut key.dp, &mut key.dq);
        let mut inverse = SecretBigNum::new();
        // p q^-1 existed, so the two are coprime and this inverse exists too.
        computed(inverse.mod_inverse(&key.q, &key.p, &mut context));
        key.q_inverse = inverse;
    }
    Ok((public, key))
}

impl PrivateKey {
    /// Tests both primes for primality: Miller-Rabin with random bases, error below 2^-128, whoever chose the primes.
    ///
    /// Loading does not make this test; see [the module](super) for what that leaves open.
    ///
    /// # Errors
    /// [`Error::Key`] naming the composite: `prime1` is the larger of the two, whatever the file's order.
    /// [`Error::Random`] when there is no randomness.
    pub fn check_primes(&self) -> Result<()> {
        let candidates = [("prime1", Candidate::new(self.p().words())?), ("prime2", Candidate::new(self.q().words())?)];
        // In turn, so that a composite is found soon, whichever it is.
        for _ in 0..ROUNDS {
            for (field, candidate) in &candidates {
                if !passes(candidate)? {
                    return Err(Error::key(field, format!("{field} is not prime")));
                }
            }
        }
        Ok(())
    }
}

impl PrivateKey {
    /// Whether both primes are, as [`PrivateKey::check_primes`] finds it out the first time. With composites a sound device's result
    /// may fail its check, and another's, blinded afresh, pass it.
    pub(crate) fn has_primes(&self) -> bool {
        self.prime.get().unwrap_or_else(|| match self.check_primes() {
            // Want of randomness may pass.
            Err(Error::Random(_)) => false,
            tested => self.prime.get_or_init(|| tested.is_ok()),
        })
    }
}

/// As many rounds of Miller-Rabin as are passed by a composite with a probability of 2^-128 at most: each by every fourth base at
/// most.
const ROUNDS: usize = 64;

/// Whether a number passes a round. Not libcrypto's test, which takes seconds for long primes and draws its bases meanwhile: a fork
/// would have to wait for it.
fn passes(candidate: &Candidate) -> Result<bool> {
    if candidate.words() == [3] {
        return Ok(true); // there is no base
    }
    let mut passed = true;
    for mut round in Round::with_random_bases(std::iter::once(candidate), &mut PrivateRandom)? {
        Libcrypto.power_secret(&mut [round.job()]);
        passed &= round.passed(&Libcrypto);
    }
    Ok(passed)
}

/// Every field is positive and below the modulus: bounds the cost of what follows.
fn check_ranges(key: &Numbers) -> Result<()> {
    let fields = [
        ("privateExponent", &key.d),
        ("prime1", &key.p),
        ("prime2", &key.q),
        ("exponent1", &key.dp),
        ("exponent2", &key.dq),
        ("coefficient", &key.q_inverse),
    ];
    for (field, value) in fields {
        if bits(value) == 0 {
            return Err(Error::key(field, format!("{field} is zero")));
        }
        if value.ucmp(&key.n) != Ordering::Less {
            return Err(Error::key(field, format!("{field} is not below the modulus")));
        }
    }
    Ok(())
}

/// p and q are odd, above 1, different, and their product is n.
fn check_primes_are_the_modulus(key: &Numbers, context: &mut BigNumContext) -> Result<()> {
    for (field, prime) in [("prime1", &key.p), ("prime2", &key.q)] {
        if prime.is_even() {
            return Err(Error::key(field, format!("{field} is even")));
        }
        if bits(prime) == 1 {
            return Err(Error::key(field, format!("{field} is 1")));
        }
    }
    if key.p.ucmp(&key.q) == Ordering::Equal {
        return Err(Error::key("prime2", "prime2 equals prime1"));
    }
    let mut product = SecretBigNum::new();
    computed(product.checked_mul(&key.p, &key.q, context));
    if product.ucmp(&key.n) != Ordering::Equal {
        let field = match (divides(&key.p, &key.n, context), divides(&key.q, &key.n, context)) {
            (true, _) => "prime2",
            (false, true) => "prime1",
            (false, false) => "modulus",
        };
        return Err(Error::key(field, "prime1 x prime2 is not the modulus"));
    }
    Ok(())
}

/// d(p), d(q) and d are inverses of e, the first two reduced.
fn check_exponents(key: &Numbers, context: &mut BigNumContext) -> Result<()> {
    let (p_less_1, q_less_1) = (less_1(&key.p), less_1(&key.q));
    let d1 = inverse_of(&key.e, &key.dp, &p_less_1, context);
    let d2 = inverse_of(&key.e, &key.dq, &q_less_1, context);
    // Modulo lcm(p - 1, q - 1) is modulo both.
    let d = inverse_of(&key.e, &key.d, &p_less_1, context) && inverse_of(&key.e, &key.d, &q_less_1, context);
    let reason = match (d, d1, d2) {
        (true, true, true) => None,
        (false, false, false) => {
            Some(("publicExponent", "publicExponent matches none of privateExponent, exponent1 and exponent2"))
        }
        (_, false, _) => Some(("exponent1", "publicExponent x exponent1 is not 1 modulo prime1 - 1")),
        (_, _, false) => Some(("exponent2", "publicExponent x exponent2 is not 1 modulo prime2 - 1")),
        (false, true, true) => Some((
            "privateExponent",
            "publicExponent x privateExponent is not 1 modulo the least common multiple of prime1 - 1 and prime2 - 1",
        )),
    };
    if let Some((field, reason)) = reason {
        return Err(Error::key(field, reason));
    }
    if key.dp.ucmp(&p_less_1) != Ordering::Less {
        return Err(Error::key("exponent1", "exponent1 is not below prime1 - 1"));
    }
    if key.dq.ucmp(&q_less_1) != Ordering::Less {
        return Err(Error::key("exponent2", "exponent2 is not below prime2 - 1"));
    }
    Ok(())
}

/// q^-1 is the inverse of q modulo p, reduced.
fn check_coefficient(key: &Numbers, context: &mut BigNumContext) -> Result<()> {
    if !inverse_of(&key.q, &key.q_inverse, &key.p, context) {
        return Err(Error::key("coefficient", "coefficient x prime2 is not 1 modulo prime1"));
    }
    if key.q_inverse.ucmp(&key.p) != Ordering::Less {
        return Err(Error::key("coefficient", "coefficient is not below prime1"));
    }
    Ok(())
}

/// (r^e)^d = r for a random r, through the CRT parts: one public and one private operation.
fn check_pairwise(key: &Numbers, context: &mut BigNumContext) -> Result<()> {
    let mut r = SecretBigNum::new();
    before_end(|| key.n.rand_range(&mut r)).map_err(|error| Error::Random(error.to_string()))?;
    let mut c = SecretBigNum::new();
    computed(c.mod_exp(&r, &key.e, &key.n, context));
    let half = |field, prime: &BigNumRef, exponent: &BigNumRef, context: &mut BigNumContext| {
        let (mut reduced, mut expected, mut half) = (SecretBigNum::new(), SecretBigNum::new(), SecretBigNum::new());
        computed(reduced.nnmod(&c, prime, context));
        computed(half.mod_exp(&reduced, exponent, prime, context));
        computed(expected.nnmod(&r, prime, context));
        if half.ucmp(&expected) != Ordering::Equal {
            return Err(Error::key(field, format!("{field} is not prime: a trial operation gave a wrong result")));
        }
        Ok(half)
    };
    let from_p = half("prime1", &key.p, &key.dp, context)?;
    let from_q = half("prime2", &key.q, &key.dq, context)?;
    // Garner: m = m_q + q (q^-1 (m_p - m_q) mod p).
    let (mut difference, mut h, mut m) = (SecretBigNum::new(), SecretBigNum::new(), SecretBigNum::new());
    computed(difference.mod_sub(&from_p, &from_q, &key.p, context));
    computed(h.mod_mul(&difference, &key.q_inverse, &key.p, context));
    computed(m.checked_mul(&h, &key.q, context));
    let mut result = SecretBigNum::new();
    computed(result.checked_add(&m, &from_q));
    if result.ucmp(&r) != Ordering::Equal {
        return Err(Error::key("coefficient", "a trial operation gave a wrong result"));
    }
    Ok(())
}

/// The checked numbers in their final form; `p > q`.
fn build(public: PublicKey, key: &Numbers) -> PrivateKey {
    let (p, q) = (modulus(&key.p), modulus(&key.q));
    let (p_words, q_words) = (p.words().len(), q.words().len());
    let mut parts = SecretWords::zeroed(2 * p_words + q_words + public.modulus.words().len());
    let (dp, rest) = parts.split_at_mut(p_words);
    let (q_inverse, rest) = rest.split_at_mut(p_words);
    let (dq, d) = rest.split_at_mut(q_words);
    words_of(&key.dp, dp);
    words_of(&key.q_inverse, q_inverse);
    words_of(&key.dq, dq);
    words_of(&key.d, d);
    PrivateKey {
        public: Arc::new(public),
        p,
        q,
        parts,
        blinding: Default::default(),
        life: Arc::default(),
        prime: OnceBool::new(),
    }
}

/// Length in bits.
fn bits(number: &BigNumRef) -> usize {
    number.num_bits() as usize
}

/// Whether `a b = 1 mod modulus`, for a modulus above 1.
fn inverse_of(a: &BigNumRef, b: &BigNumRef, modulus: &BigNumRef, context: &mut BigNumContext) -> bool {
    let mut product = SecretBigNum::new();
    computed(product.mod_mul(a, b, modulus, context));
    bits(&product) == 1
}

/// Whether `divisor` divides `number`.
fn divides(divisor: &BigNumRef, number: &BigNumRef, context: &mut BigNumContext) -> bool {
    let mut remainder = SecretBigNum::new();
    computed(remainder.nnmod(number, divisor, context));
    bits(&remainder) == 0
}

/// A modulus from an odd number of 2 to 8,192 bits.
fn modulus(number: &BigNumRef) -> Modulus {
    let mut words = Zeroizing::new(vec![0; words_for(bits(number))]);
    words_of(number, &mut words);
    Modulus::new(&words).expect("the number was found odd and within limits")
}

/// Writes `number` to little-endian `words`, all of them; it fits.
fn words_of(number: &BigNumRef, words: &mut [u64]) {
    let bytes = Zeroizing::new(computed(number.to_vec_padded((words.len() * 8) as i32)));
    crate::words::from_be_bytes(&bytes, words).expect("as many bytes as the words hold");
}
