//! Base blinding (Kocher 1996): a device only ever sees m * r^e for a random r.
//!
//! A pair (r^e, r^-1) is used once, then both halves are squared, which gives the pair of r^2; after some uses it is
//! replaced. Operations that run together never share a pair; many of one key have pairs and their squares.

use super::{RunError, Step};
use crate::arithmetic::libcrypto::SecretBigNum;
use crate::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use crate::error::Error;
use crate::key::{BlindingPair, PrivateKey, PublicKey};
use crate::random::{PrivateRandom, draw_until};
use crate::secret::released;
use crate::words;
use openssl::bn::{BigNum, BigNumContext};
use openssl::error::ErrorStack;
use std::ffi::c_int;
use std::ops::Range;
use std::ptr;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// `BN_R_NO_INVERSE` of libcrypto.
const NO_INVERSE: c_int = 108;

/// A pair for every key named, taken from the keys' pools or made anew.
pub fn pairs<'a>(
    arithmetic: &dyn Arithmetic,
    keys: impl Iterator<Item = &'a PrivateKey>,
) -> Result<Vec<BlindingPair>, RunError> {
    let keys: Vec<&PrivateKey> = keys.collect();
    let mut pairs: Vec<Option<BlindingPair>> = keys.iter().map(|key| key.blinding().take()).collect();
    let mut missing: Vec<usize> = (0..keys.len()).filter(|&i| pairs[i].is_none()).collect();
    missing.sort_by_key(|&i| ptr::from_ref(keys[i]));
    let groups = || missing.chunk_by(|&a, &b| ptr::eq(keys[a], keys[b]));
    let mut lots: Vec<Lot<'_>> = groups().map(|group| Lot::of(keys[group[0]], group.len())).collect();
    fill(arithmetic, &mut lots)?;
    for (group, lot) in groups().zip(lots) {
        let mut made = lot.pairs.into_iter();
        for &i in group {
            pairs[i] = made.next();
        }
        made.for_each(|spare| keys[group[0]].blinding().put(spare));
    }
    Ok(pairs.into_iter().map(|pair| pair.expect("taken or made")).collect())
}

/// `y = y * r^-1 mod n` for every step.
pub fn unblind(arithmetic: &dyn Arithmetic, steps: &mut [Step<'_>], pairs: &[BlindingPair]) {
    let mut jobs: Vec<Multiply<'_>> = steps
        .iter_mut()
        .zip(pairs)
        .map(|(step, pair)| {
            let modulus = step.key.public().modulus();
            Multiply { modulus, a: step.y, b: pair.parts().1, result: step.x }
        })
        .collect();
    arithmetic.multiply(&mut jobs);
    for step in steps {
        step.y.copy_from_slice(step.x);
    }
}

/// Gives the keys' pools the square of every pair whose operation went well, unless it is worn out. The pool of a key for
/// which one did not is emptied: pairs are not checked, and those that were made together may all be wrong.
pub fn renew(arithmetic: &dyn Arithmetic, steps: &[Step<'_>], pairs: &[BlindingPair], good: &[bool]) {
    let used = steps.iter().zip(pairs).zip(good);
    let (keys, pairs): (Vec<&PrivateKey>, Vec<&BlindingPair>) = used
        .filter(|((_, pair), good)| **good && !pair.is_worn_out())
        .map(|((step, pair), _)| (step.key, pair))
        .unzip();
    let moduli = keys.iter().map(|key| key.public().modulus());
    for (key, square) in keys.iter().zip(squares(arithmetic, moduli.zip(pairs))) {
        key.blinding().put(square);
    }
    for (step, _) in steps.iter().zip(good).filter(|(_, good)| !**good) {
        step.key.blinding().clear();
    }
}

/// The pair of r^2 for each pair of an r.
fn squares<'a>(
    arithmetic: &dyn Arithmetic,
    pairs: impl Iterator<Item = (&'a Modulus, &'a BlindingPair)>,
) -> Vec<BlindingPair> {
    let pairs: Vec<_> = pairs.collect();
    let mut squares: Vec<BlindingPair> = pairs.iter().map(|(_, pair)| pair.next()).collect();
    let mut jobs = Vec::with_capacity(2 * pairs.len());
    for ((modulus, pair), square) in pairs.into_iter().zip(&mut squares) {
        let ((factor, inverse), results) = (pair.parts(), square.parts_mut());
        jobs.push(Multiply { modulus, a: factor, b: factor, result: results.0 });
        jobs.push(Multiply { modulus, a: inverse, b: inverse, result: results.1 });
    }
    arithmetic.multiply(&mut jobs);
    squares
}

/// Pairs of one key that are made together.
struct Lot<'a> {
    key: &'a PublicKey,
    pairs: Vec<BlindingPair>,
    /// How many of them are of an r of their own; the others are squares.
    made: usize,
    needed: usize,
}

impl<'a> Lot<'a> {
    /// Where `needed` pairs are missing: these and perhaps some more, to be filled in.
    fn of(key: &'a PrivateKey, needed: usize) -> Lot<'a> {
        let words = key.public().modulus().words().len();
        let made = key.blinding().to_make(needed);
        let pairs = (0..made).map(|_| BlindingPair::fresh(words)).collect();
        Lot { key: key.public(), pairs, made, needed }
    }

    /// The pairs to be squared for those that are still missing: the youngest.
    fn parents(&self) -> Range<usize> {
        let youngest = self.pairs.len() - self.made;
        let missing = self.needed.saturating_sub(self.pairs.len());
        youngest..youngest + missing.min(self.made)
    }
}

/// As many pairs for each lot as it needs, or more.
fn fill(arithmetic: &dyn Arithmetic, lots: &mut [Lot<'_>]) -> Result<(), RunError> {
    make(arithmetic, lots)?;
    while lots.iter().any(|lot| !lot.parents().is_empty()) {
        let parents = lots.iter().flat_map(|lot| lot.pairs[lot.parents()].iter().map(|pair| (lot.key.modulus(), pair)));
        let mut squares = squares(arithmetic, parents).into_iter();
        for lot in lots.iter_mut() {
            let parents = lot.parents();
            let children = squares.by_ref().take(parents.len());
            lot.pairs[parents].iter_mut().for_each(BlindingPair::wear_out);
            lot.pairs.extend(children);
        }
    }
    Ok(())
}

/// Fills the pairs with random r: r^e by the host's arithmetic, r^-1 by libcrypto, one inversion for each lot
/// (Montgomery's trick).
fn make(arithmetic: &dyn Arithmetic, lots: &mut [Lot<'_>]) -> Result<(), RunError> {
    let mut bases = Vec::with_capacity(lots.len());
    for Lot { key, pairs, .. } in lots.iter_mut() {
        let random = || random_below(key.modulus().words(), key.bits());
        let mut drawn = pairs.iter().map(|_| random()).collect::<Result<Vec<_>, _>>()?;
        invert(arithmetic, key, &mut drawn, pairs)?;
        bases.push(drawn);
    }
    let mut jobs = Vec::new();
    for (Lot { key, pairs, .. }, bases) in lots.iter_mut().zip(&bases) {
        for (pair, base) in pairs.iter_mut().zip(bases) {
            let result = pair.parts_mut().0;
            jobs.push(Power { modulus: key.modulus(), base, exponent: key.exponent(), result });
        }
    }
    arithmetic.power_public(&mut jobs);
    Ok(())
}

/// `inverse = base^-1 mod n` for all `bases`, all of one key. Bases without an inverse, which only a key with a small
/// prime ever meets, are drawn anew.
fn invert(
    arithmetic: &dyn Arithmetic,
    key: &PublicKey,
    bases: &mut [Zeroizing<Vec<u64>>],
    pairs: &mut [BlindingPair],
) -> Result<(), RunError> {
    let modulus = key.modulus();
    let multiply = |a: &[u64], b: &[u64]| {
        let mut result = Zeroizing::new(vec![0; a.len()]);
        arithmetic.multiply(&mut [Multiply { modulus, a, b, result: &mut result }]);
        result
    };
    loop {
        // prefix[i] = mask * base[0] * ... * base[i - 1]. libcrypto's inversion takes time that depends on its operand,
        // which the random mask makes independent of every base.
        let mut prefix = vec![random_below(modulus.words(), key.bits())?];
        for base in bases.iter() {
            prefix.push(multiply(prefix.last().expect("not empty"), base));
        }
        let Some(mut inverse) = inverse_mod(prefix.last().expect("not empty"), modulus.words())? else {
            if let [base] = bases {
                *base = random_below(modulus.words(), key.bits())?;
                continue;
            }
            let half = bases.len() / 2;
            invert(arithmetic, key, &mut bases[..half], &mut pairs[..half])?;
            return invert(arithmetic, key, &mut bases[half..], &mut pairs[half..]);
        };
        for i in (0..bases.len()).rev() {
            pairs[i].parts_mut().1.copy_from_slice(&multiply(&inverse, &prefix[i]));
            inverse = multiply(&inverse, &bases[i]);
        }
        return Ok(());
    }
}

/// `value^-1 mod modulus`, in time that depends on `value`; `None` where there is none.
fn inverse_mod(value: &[u64], modulus: &[u64]) -> Result<Option<Zeroizing<Vec<u64>>>, RunError> {
    let failed = |error: ErrorStack| RunError::Random(error.to_string());
    let modulus = {
        let mut bytes = vec![0; modulus.len() * 8];
        words::to_be_bytes(modulus, &mut bytes);
        BigNum::from_slice(&bytes).map_err(failed)?
    };
    let mut plain = BigNum::new().map_err(failed)?;
    let mut bytes = Zeroizing::new(vec![0; value.len() * 8]);
    words::to_be_bytes(value, &mut bytes);
    plain.copy_from_slice(&bytes).map_err(failed)?;
    let mut context = BigNumContext::new().map_err(failed)?;
    let mut inverse = SecretBigNum::new();
    let outcome = inverse.mod_inverse(&plain, &modulus, &mut context);
    plain.clear();
    match outcome {
        Err(error) if error.errors().iter().any(|error| error.reason_code() == NO_INVERSE) => return Ok(None),
        outcome => outcome.map_err(failed)?,
    }
    let mut result = Zeroizing::new(vec![0; value.len()]);
    inverse.to_words(&mut result);
    Ok(Some(result))
}

/// A uniform number in 1..modulus, by rejection: how many were rejected tells nothing about the one kept.
fn random_below(modulus: &[u64], bits: usize) -> Result<Zeroizing<Vec<u64>>, RunError> {
    let accept = |number: &[u64]| {
        let zero = number.iter().fold(0, |any, word| any | word).ct_eq(&0);
        released(words::less(number, modulus) & !zero)
    };
    draw_until(&mut PrivateRandom, bits, accept).map_err(|error| match error {
        Error::Random(reason) => RunError::Random(reason),
        other => RunError::Random(other.to_string()),
    })
}
