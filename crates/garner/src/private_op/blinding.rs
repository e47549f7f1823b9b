// SPDX-License-Identifier: Apache-2.0
//! Base blinding (Kocher 1996): a device only ever sees m * r^e for a random r.
//!
//! A pair (r^e, r^-1) is used once; where its halves are multiplied with they are squared, too, which gives the pair of r^2.
//! After some uses it is replaced. Operations that run together never share a pair; many of one key have pairs and their squares.

use super::{PrivateOp, RunError, Step};
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

/// A secret number below the modulus.
type Number = Zeroizing<Vec<u64>>;

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

/// `x = m * r^e mod n` for every step, and half of the pairs that take the pairs' places.
pub fn blind(
    arithmetic: &dyn Arithmetic,
    operations: &[PrivateOp<'_>],
    steps: &mut [Step<'_>],
    pairs: &[BlindingPair],
    next: &mut [Option<BlindingPair>],
) {
    let mut jobs = Vec::with_capacity(steps.len());
    for (((operation, step), pair), next) in operations.iter().zip(steps).zip(pairs).zip(next) {
        let modulus = step.key.public().modulus();
        let square = next.as_mut().map(|next| next.parts_mut().0);
        jobs.push(Multiply { modulus, a: operation.input, b: pair.parts().0, result: step.x, square });
    }
    arithmetic.multiply(&mut jobs);
}

/// `y = y * r^-1 mod n` for every step, and the other half of the pairs that take the pairs' places.
pub fn unblind(
    arithmetic: &dyn Arithmetic,
    steps: &mut [Step<'_>],
    pairs: &[BlindingPair],
    next: &mut [Option<BlindingPair>],
) {
    let mut jobs = Vec::with_capacity(steps.len());
    for ((step, pair), next) in steps.iter_mut().zip(pairs).zip(next) {
        let modulus = step.key.public().modulus();
        let square = next.as_mut().map(|next| next.parts_mut().1);
        jobs.push(Multiply { modulus, a: step.y, b: pair.parts().1, result: step.x, square });
    }
    arithmetic.multiply(&mut jobs);
    for step in steps {
        step.y.copy_from_slice(step.x);
    }
}

/// Gives the keys' pools the next pair of every operation that went well. The pool of a key for which one did not is
/// emptied: pairs are not checked, and those that were made together may all be wrong.
pub fn renew(steps: &[Step<'_>], next: Vec<Option<BlindingPair>>, good: &[bool]) {
    for ((step, next), _) in steps.iter().zip(next).zip(good).filter(|(_, good)| **good) {
        next.into_iter().for_each(|next| step.key.blinding().put(next));
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
    let mut squares: Vec<BlindingPair> = pairs.iter().map(|(_, pair)| pair.next().expect("not worn out")).collect();
    let mut jobs = Vec::with_capacity(2 * pairs.len());
    for ((modulus, pair), square) in pairs.into_iter().zip(&mut squares) {
        let ((factor, inverse), results) = (pair.parts(), square.parts_mut());
        jobs.push(Multiply { modulus, a: factor, b: factor, result: results.0, square: None });
        jobs.push(Multiply { modulus, a: inverse, b: inverse, result: results.1, square: None });
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
        let made = key.blinding().to_make(needed, words);
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
/// ([`invert`]; Montgomery's trick).
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
///
/// Products of two, of four and so on up to one of all, which is inverted; then down again: the inverse of a product times
/// one factor is that of the other.
fn invert(
    arithmetic: &dyn Arithmetic,
    key: &PublicKey,
    bases: &mut [Number],
    pairs: &mut [BlindingPair],
) -> Result<(), RunError> {
    let modulus = key.modulus();
    let multiply = |factors: &[(&Number, &Number)]| {
        let mut products: Vec<Number> = factors.iter().map(|(a, _)| Zeroizing::new(vec![0; a.len()])).collect();
        let mut jobs = Vec::with_capacity(factors.len());
        for (&(a, b), result) in factors.iter().zip(&mut products) {
            jobs.push(Multiply { modulus, a, b, result, square: None });
        }
        arithmetic.multiply(&mut jobs);
        products
    };
    loop {
        let mut levels = vec![bases.to_vec()];
        while let Some(level) = levels.last().filter(|level| level.len() > 1) {
            let (twos, odd) = level.as_chunks();
            let mut products = multiply(&twos.iter().map(|[a, b]| (a, b)).collect::<Vec<_>>());
            products.extend_from_slice(odd);
            levels.push(products);
        }
        // libcrypto's inversion takes time that depends on its operand, which the random mask makes independent of every
        // base.
        let mask = random_below(modulus.words(), key.bits())?;
        let masked = multiply(&[(&levels.pop().expect("one number")[0], &mask)]);
        let Some(inverse) = inverse_mod(&masked[0], modulus.words())? else {
            if let [base] = bases {
                *base = random_below(modulus.words(), key.bits())?;
                continue;
            }
            let half = bases.len() / 2;
            invert(arithmetic, key, &mut bases[..half], &mut pairs[..half])?;
            return invert(arithmetic, key, &mut bases[half..], &mut pairs[half..]);
        };
        let mut inverses = multiply(&[(&inverse, &mask)]);
        for level in levels.iter().rev() {
            let (twos, _) = level.as_chunks();
            let both = twos.iter().zip(&inverses).flat_map(|([a, b], inverse)| [(inverse, b), (inverse, a)]);
            let mut below = multiply(&both.collect::<Vec<_>>());
            below.extend(inverses.drain(twos.len()..));
            inverses = below;
        }
        for (pair, inverse) in pairs.iter_mut().zip(&inverses) {
            pair.parts_mut().1.copy_from_slice(inverse);
        }
        return Ok(());
    }
}

/// `value^-1 mod modulus`, in time that depends on `value`; `None` where there is none.
fn inverse_mod(value: &[u64], modulus: &[u64]) -> Result<Option<Number>, RunError> {
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
fn random_below(modulus: &[u64], bits: usize) -> Result<Number, RunError> {
    let accept = |number: &[u64]| {
        let zero = number.iter().fold(0, |any, word| any | word).ct_eq(&0);
        released(words::less(number, modulus) & !zero)
    };
    draw_until(&mut PrivateRandom, bits, accept).map_err(|error| match error {
        Error::Random(reason) => RunError::Random(reason),
        other => RunError::Random(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::libcrypto::Libcrypto;

    #[test]
    fn every_number_of_bases_is_inverted_and_those_without_an_inverse_are_drawn_anew() {
        // 3, 5 and 17 divide 2^512 - 1.
        let key = PublicKey::from_n_e(&[0xff; 64], &[3]).unwrap();
        for count in 1..20 {
            let mut bases: Vec<Number> = (1..=count).map(|i| Zeroizing::new(vec![i, 0, 0, 0, 0, 0, 0, 0])).collect();
            let mut pairs: Vec<BlindingPair> = (0..count).map(|_| BlindingPair::fresh(8)).collect();
            invert(&Libcrypto, &key, &mut bases, &mut pairs).unwrap();
            for (base, pair) in bases.iter().zip(&pairs) {
                let mut one = [0; 8];
                let job =
                    Multiply { modulus: key.modulus(), a: base, b: pair.parts().1, result: &mut one, square: None };
                Libcrypto.multiply(&mut [job]);
                assert_eq!(one, [1, 0, 0, 0, 0, 0, 0, 0], "{count} bases");
            }
        }
    }
}
