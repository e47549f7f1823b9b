// SPDX-License-Identifier: Apache-2.0
//! Keys from their numbers: what the parsers end in, and the way in for callers that hold the numbers already.

use super::numbers::{Numbers, computed};
use super::validate::check_public;
use super::{PrivateKey, PublicKey, recover, validate};
use crate::arithmetic::libcrypto::SecretBigNum;
use crate::error::{Error, Result};

/// The numbers of an RSA private key, each big-endian and of any length (leading zero bytes do not matter).
///
/// Field names and meanings are those of RFC 8017 A.1.2. `prime1` may be the smaller prime.
#[derive(Clone, Copy)]
pub struct Components<'a> {
    /// n = prime1 prime2.
    pub modulus: &'a [u8],
    /// e.
    pub public_exponent: &'a [u8],
    /// d, modulo lcm(prime1 - 1, prime2 - 1) or any multiple of it below n.
    pub private_exponent: &'a [u8],
    /// p.
    pub prime1: &'a [u8],
    /// q.
    pub prime2: &'a [u8],
    /// d mod (prime1 - 1).
    pub exponent1: &'a [u8],
    /// d mod (prime2 - 1).
    pub exponent2: &'a [u8],
    /// prime2^-1 mod prime1.
    pub coefficient: &'a [u8],
}

impl PrivateKey {
    /// A key from all its numbers, validated as the [module](super) says.
    ///
    /// # Errors
    /// [`Error::Key`] naming the first field at fault; [`Error::Random`].
    pub fn from_components(components: &Components<'_>) -> Result<PrivateKey> {
        validate::private(numbers(components)?)
    }

    /// A key whose numbers were just made and put to the pairwise consistency test: all other checks are made.
    ///
    /// # Errors
    /// [`Error::Key`] naming the first field at fault.
    pub(crate) fn from_generated(numbers: Numbers) -> Result<PrivateKey> {
        validate::private_tried(numbers)
    }

    /// A key from its modulus, public and private exponent, each big-endian: the primes are recovered and the CRT
    /// parts computed, so that the key is as fast as any other.
    ///
    /// Costs a few private-key operations. Of numbers that are not a two-prime key's, a modulus that is a prime or
    /// the power of one costs most: a hundred private-key operations before it is refused.
    ///
    /// # Errors
    /// [`Error::Key`] naming the field at fault; [`Error::Random`].
    pub fn from_n_e_d(modulus: &[u8], public_exponent: &[u8], private_exponent: &[u8]) -> Result<PrivateKey> {
        let n = number("modulus", modulus)?;
        let e = number("publicExponent", public_exponent)?;
        let d = number("privateExponent", private_exponent)?;
        // What was computed from the three numbers is no field of the caller's, and what can be said of n and e alone
        // was checked before it: the three do not belong together.
        validate::private(recover::primes(n, e, d)?).map_err(|error| match error {
            Error::Key { .. } => {
                Error::key("privateExponent", "privateExponent does not belong to modulus and publicExponent")
            }
            other => other,
        })
    }
}

impl PublicKey {
    /// A public key from its modulus and exponent, each big-endian.
    ///
    /// # Errors
    /// [`Error::Key`] naming the field at fault.
    pub fn from_n_e(modulus: &[u8], public_exponent: &[u8]) -> Result<PublicKey> {
        let (n, e) = (number("modulus", modulus)?, number("publicExponent", public_exponent)?);
        check_public(&n, &e)
    }
}

/// The longest number taken in, in bytes. Anything longer is refused before libcrypto sees it; the exact limits,
/// which depend on the field, come later.
const LONGEST: usize = 8_192;

fn numbers(components: &Components<'_>) -> Result<Numbers> {
    let Components { modulus, public_exponent, private_exponent, .. } = *components;
    Ok(Numbers {
        n: number("modulus", modulus)?,
        e: number("publicExponent", public_exponent)?,
        d: number("privateExponent", private_exponent)?,
        p: number("prime1", components.prime1)?,
        q: number("prime2", components.prime2)?,
        dp: number("exponent1", components.exponent1)?,
        dq: number("exponent2", components.exponent2)?,
        q_inverse: number("coefficient", components.coefficient)?,
    })
}

/// A number from big-endian bytes.
fn number(field: &'static str, bytes: &[u8]) -> Result<SecretBigNum> {
    let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len());
    let bytes = &bytes[start..];
    if bytes.len() > LONGEST {
        return Err(Error::key(field, format!("{field} has {} bits, which no supported key has", bytes.len() * 8)));
    }
    let mut number = SecretBigNum::new();
    computed(number.copy_from_slice(bytes));
    Ok(number)
}
