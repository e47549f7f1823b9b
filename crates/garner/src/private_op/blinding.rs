// SPDX-License-Identifier: Apache-2.0
//! Base blinding (Kocher 1996): a device only ever sees m * r^e for a random r.
//!
//! The pair (r^e, r^-1) of an operation is the product of two members of a set of independent ones, which the key keeps; no
//! two of its operations get the same two. So no base is a power of another, or any product of two others, whatever the
//! inputs are: see [`crate::key`]'s schedule of the pairs. The members are multiplied with each other before the input
//! comes to it: nothing an attacker knows is ever multiplied with a number that is used again.

use super::{PrivateOp, RunError, Step};
use crate::arithmetic::libcrypto::SecretBigNum;
use crate::arithmetic::{Arithmetic, Multiply, Power};
use crate::error::Error;
use crate::key::{BlindingPair, BlindingSet, PrivateKey, PublicKey, Unused};
use crate::random::{PrivateRandom, draw_until};
use crate::secret::released;
use crate::words;
use openssl::bn::{BigNum, BigNumContext};
use openssl::error::ErrorStack;
use std::ffi::c_int;
use std::ptr;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

/// A secret number below the modulus.
type Number = Zeroizing<Vec<u64>>;

/// `BN_R_NO_INVERSE` of libcrypto.
const NO_INVERSE: c_int = 108;

/// A pair for every key named, of the sets of this arithmetic that the keys keep or of new ones.
pub fn pairs<'a>(
    arithmetic: &dyn Arithmetic,
    keys: impl Iterator<Item = &'a PrivateKey>,
) -> Result<Vec<BlindingPair>, RunError> {
    let keys: Vec<&PrivateKey> = keys.collect();
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&i| ptr::from_ref(keys[i]));
    let mut pairs: Vec<Option<BlindingPair>> = keys.iter().map(|_| None).collect();
    let mut lots = Vec::new();
    for group in order.chunk_by(|&a, &b| ptr::eq(keys[a], keys[b])) {
        let mut lot = Lot { key: keys[group[0]], missing: group };
        lot.serve(lot.key.blinding().take(arithmetic.name(), group.len()), &mut pairs);
        lots.push(lot);
    }
    loop {
        lots.retain(|lot| !lot.missing.is_empty());
        if lots.is_empty() {
            return Ok(pairs.into_iter().map(|pair| pair.expect("taken or made")).collect());
        }
        let sets = make(arithmetic, &lots)?;
        for (lot, set) in lots.iter_mut().zip(sets) {
            let mut unused = Unused::all(set);
            lot.serve(unused.take(lot.missing.len()), &mut pairs);
            lot.key.blinding().put(unused);
        }
    }
}

/// The operations of one key, by their places in the batch, that have no pair yet.
struct Lot<'a> {
    key: &'a PrivateKey,
    missing: &'a [usize],
}

impl Lot<'_> {
    /// Gives the first of them these pairs.
    fn serve(&mut self, made: Vec<BlindingPair>, pairs: &mut [Option<BlindingPair>]) {
        let (served, missing) = self.missing.split_at(made.len());
        for (&i, pair) in served.iter().zip(made) {
            pairs[i] = Some(pair);
        }
        self.missing = missing;
    }
}

/// `x = m * r^e mod n` for every step.
pub fn blind(
    arithmetic: &dyn Arithmetic,
    operations: &[PrivateOp<'_>],
    steps: &mut [Step<'_>],
    pairs: &[BlindingPair],
) {
    let mut jobs = Vec::with_capacity(steps.len());
    for ((operation, step), pair) in operations.iter().zip(steps).zip(pairs) {
        let (modulus, [b, c]) = (step.key.public().modulus(), pair.factors());
        jobs.push(Multiply { modulus, a: operation.input, b, c: Some(c), result: step.x });
    }
    arithmetic.multiply(&mut jobs);
}

/// `y = y * r^-1 mod n` for every step. Overwrites `x`.
pub fn unblind(arithmetic: &dyn Arithmetic, steps: &mut [Step<'_>], pairs: &[BlindingPair]) {
    let mut jobs = Vec::with_capacity(steps.len());
    for (step, pair) in steps.iter_mut().zip(pairs) {
        let (modulus, [b, c]) = (step.key.public().modulus(), pair.inverses());
        jobs.push(Multiply { modulus, a: step.y, b, c: Some(c), result: step.x });
    }
    arithmetic.multiply(&mut jobs);
    for step in steps {
        step.y.copy_from_slice(step.x);
    }
}

/// Drops what the key of an operation that went wrong keeps: sets are not checked, and a wrong member would spoil every
/// pair it belongs to.
pub fn drop_suspects(steps: &[Step<'_>], good: &[bool]) {
    for (step, _) in steps.iter().zip(good).filter(|(_, good)| !**good) {
        step.key.blinding().clear();
    }
}

/// A new set for each lot, of random r: r^e by the host's arithmetic, r^-1 by libcrypto, one inversion for each lot
/// ([`inverses`]; Montgomery's trick).
fn make(arithmetic: &dyn Arithmetic, lots: &[Lot<'_>]) -> Result<Vec<BlindingSet>, RunError> {
    let mut sets = Vec::with_capacity(lots.len());
    let mut drawn = Vec::with_capacity(lots.len());
    for Lot { key, missing } in lots {
        let (public, words) = (key.public(), key.public().modulus().words());
        let mut set = key.blinding().new_set(arithmetic.name(), missing.len(), words.len());
        let random = |_| random_below(words, public.bits());
        let mut bases = (0..set.members()).map(random).collect::<Result<Vec<_>, _>>()?;
        let inverses = inverses(arithmetic, public, &mut bases)?;
        for ((_, to), inverse) in set.members_mut().zip(&inverses) {
            to.copy_from_slice(inverse);
        }
        sets.push(set);
        drawn.push(bases);
    }
    let mut jobs = Vec::new();
    for ((lot, set), bases) in lots.iter().zip(&mut sets).zip(&drawn) {
        let public = lot.key.public();
        for ((result, _), base) in set.members_mut().zip(bases) {
            jobs.push(Power { modulus: public.modulus(), base, exponent: public.exponent(), result });
        }
    }
    arithmetic.power_public(&mut jobs);
    Ok(sets)
}

/// `base^-1 mod n` for all `bases`, all of one key. Bases without an inverse, which only a key with a small
/// prime ever meets, are drawn anew.
///
/// Products of two, of four and so on up to one of all, which is inverted; then down again: the inverse of a product times
/// one factor is that of the other.
fn inverses(arithmetic: &dyn Arithmetic, key: &PublicKey, bases: &mut [Number]) -> Result<Vec<Number>, RunError> {
    let modulus = key.modulus();
    let multiply = |factors: &[(&Number, &Number)]| {
        let mut products: Vec<Number> = factors.iter().map(|(a, _)| Zeroizing::new(vec![0; a.len()])).collect();
        let mut jobs = Vec::with_capacity(factors.len());
        for (&(a, b), result) in factors.iter().zip(&mut products) {
            jobs.push(Multiply { modulus, a, b, result, c: None });
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
            let (some, others) = bases.split_at_mut(bases.len() / 2);
            let mut some = inverses(arithmetic, key, some)?;
            some.append(&mut inverses(arithmetic, key, others)?);
            return Ok(some);
        };
        let mut inverses = multiply(&[(&inverse, &mask)]);
        for level in levels.iter().rev() {
            let (twos, _) = level.as_chunks();
            let both = twos.iter().zip(&inverses).flat_map(|([a, b], inverse)| [(inverse, b), (inverse, a)]);
            let mut below = multiply(&both.collect::<Vec<_>>());
            below.extend(inverses.drain(twos.len()..));
            inverses = below;
        }
        return Ok(inverses);
    }
}

/// `value^-1 mod modulus`, in time that depends on `value`; `None` where there is none.
fn inverse_mod(value: &[u64], modulus: &[u64]) -> Result<Option<Number>, RunError> {
    // libcrypto's arithmetic can fail for nothing else, but for what is told apart below.
    let failed = |_: ErrorStack| RunError::Memory;
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
            let inverses = inverses(&Libcrypto, &key, &mut bases).unwrap();
            for (base, inverse) in bases.iter().zip(&inverses) {
                let mut one = [0; 8];
                Libcrypto.multiply(&mut [Multiply {
                    modulus: key.modulus(),
                    a: base,
                    b: inverse,
                    c: None,
                    result: &mut one,
                }]);
                assert_eq!(one, [1, 0, 0, 0, 0, 0, 0, 0], "{count} bases");
            }
        }
    }
}
