// SPDX-License-Identifier: Apache-2.0
//! Signatures by PKCS#1 v1.5 and PSS (RFC 8017 section 8): a front end for programs in Rust.
//!
//! Called by the C library and the command; calls the gatherer, with `padding` before and after it.
//!
//! Shapes everywhere: messages are of any length; digests have [`Scheme::digest_len`] bytes; signatures are big-endian and
//! exactly as long as the modulus, [`PublicKey::size`] bytes. Calls block until the answer is there and share batches
//! with all other callers of the same gatherer; [`sign_async`] gives a future instead, and who wants a descriptor submits the
//! operation of [`signing`] or [`verification`]. Where a scheme is asked for, a [`Hash`](enum@Hash) stands for PKCS#1 v1.5 with it.
//!
//! ```
//! use garner::gather::Gatherer;
//! use garner::padding::Hash;
//! use garner::signature::{self, Scheme};
//! # use garner::keygen::{self, Options};
//! # use std::sync::Arc;
//! # let arithmetic = garner::arithmetic::best()?;
//! # let options = Options { below_fips: true, ..Options::default() };
//! # let key = Arc::new(keygen::generate_one(&*arithmetic, 1024, &options)?);
//!
//! let gatherer = Gatherer::global()?;
//! let signature = signature::sign(gatherer, &key, Hash::Sha256, b"a message")?;
//! signature::verify(gatherer, key.public(), Hash::Sha256, b"a message", &signature)?;
//!
//! let pss = Scheme::pss(Hash::Sha3_256);
//! let requests = [b"one", b"two"].map(|message| signature::Request { key: &key, scheme: pss, message });
//! for result in signature::sign_batch(gatherer, &requests) {
//!     assert_eq!(result?.len(), key.public().size());
//! }
//! # Ok::<(), garner::Error>(())
//! ```

#![forbid(unsafe_code)]

mod pending;

pub use pending::{Pending, sign_async, sign_digest_async};

use crate::error::{Error, Result};
use crate::gather::{Gatherer, Operation, Output};
use crate::key::{PrivateKey, PublicKey};
use crate::padding::{Hash, pkcs1v15, pss};
use std::sync::Arc;
use zeroize::Zeroizing;

/// How a signature is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// RSASSA-PKCS1-v1_5. With SHA-1 for verification only.
    Pkcs1v15(Hash),
    /// RSASSA-PSS. With SHA-1 of the message for verification only.
    Pss {
        /// Hash and mask.
        functions: pss::Functions,
        /// The salt's length.
        salt: pss::Salt,
    },
}

impl From<Hash> for Scheme {
    fn from(hash: Hash) -> Scheme {
        Scheme::Pkcs1v15(hash)
    }
}

impl Scheme {
    /// RSASSA-PSS with one hash for message and mask and a salt as long as a digest: what TLS 1.3 uses.
    pub const fn pss(hash: Hash) -> Scheme {
        Scheme::Pss { functions: pss::Functions::of(hash), salt: pss::Salt::Digest }
    }

    /// Length of a digest in bytes.
    pub const fn digest_len(self) -> usize {
        match self {
            Scheme::Pkcs1v15(hash) => hash.digest_len(),
            Scheme::Pss { functions, .. } => functions.digest_len(),
        }
    }

    /// The digest of a message.
    ///
    /// # Errors
    /// [`Error::Argument`] when libcrypto cannot compute it (by how it was built or configured); [`Error::Memory`].
    pub fn digest(self, message: &[u8]) -> Result<Vec<u8>> {
        match self {
            Scheme::Pkcs1v15(hash) => Ok(hash.digest(message)?.to_vec()),
            Scheme::Pss { functions, .. } => functions.digest(message),
        }
    }
}

/// The operation whose output is the signature of a digest.
///
/// # Errors
/// [`Error::Argument`] when the digest has the wrong length for its hash, the modulus is too short for hash and salt,
/// or the hash is SHA-1, which is for verification only; [`Error::Random`]; [`Error::Memory`].
pub fn signing(key: &Arc<PrivateKey>, scheme: impl Into<Scheme>, digest: &[u8]) -> Result<Operation> {
    let mut encoded = Zeroizing::new(vec![0; key.public().size()]);
    match scheme.into() {
        Scheme::Pkcs1v15(hash) => pkcs1v15::encode(hash, digest, &mut encoded)?,
        Scheme::Pss { functions, salt } => pss::encode(functions, salt, digest, key.public().bits(), &mut encoded)?,
    }
    Operation::private(key, &encoded)
}

/// Signs a message.
///
/// # Errors
/// As [`signing`] and [`Gatherer::run`].
pub fn sign(gatherer: &Gatherer, key: &Arc<PrivateKey>, scheme: impl Into<Scheme>, message: &[u8]) -> Result<Vec<u8>> {
    let scheme = scheme.into();
    sign_digest(gatherer, key, scheme, &scheme.digest(message)?)
}

/// Signs a digest.
///
/// # Errors
/// As [`signing`] and [`Gatherer::run`].
pub fn sign_digest(
    gatherer: &Gatherer,
    key: &Arc<PrivateKey>,
    scheme: impl Into<Scheme>,
    digest: &[u8],
) -> Result<Vec<u8>> {
    gatherer.run(signing(key, scheme, digest)?).map(Output::into_public)
}

/// One signature of [`sign_batch`].
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The key.
    pub key: &'a Arc<PrivateKey>,
    /// The scheme.
    pub scheme: Scheme,
    /// The message.
    pub message: &'a [u8],
}

/// Signs any number of messages, with any keys, as one batch. Results come in the order of the requests; one that fails
/// leaves the others alone.
///
/// # Errors
/// Each as [`sign`].
pub fn sign_batch(gatherer: &Gatherer, requests: &[Request<'_>]) -> Vec<Result<Vec<u8>>> {
    let mut results = Vec::with_capacity(requests.len());
    let mut operations = Vec::with_capacity(requests.len());
    for request in requests {
        let digest = request.scheme.digest(request.message);
        match digest.and_then(|digest| signing(request.key, request.scheme, &digest)) {
            Ok(operation) => {
                operations.push(operation);
                results.push(Ok(Vec::new()));
            }
            Err(error) => results.push(Err(error)),
        }
    }
    let accepted = results.iter_mut().filter(|result| result.is_ok());
    for (result, answer) in accepted.zip(gatherer.run_batch(operations)) {
        *result = answer.map(Output::into_public);
    }
    results
}

/// What is left of a verification once its public operation has run.
#[derive(Debug, Clone)]
pub struct Verification {
    scheme: Scheme,
    bits: usize,
    digest: Vec<u8>,
}

impl Verification {
    /// Judges the output of the operation that [`verification`] gave with this.
    ///
    /// # Errors
    /// [`Error::Verification`] when the signature does not match; [`Error::Argument`] when libcrypto cannot compute the
    /// hash of the scheme; [`Error::Memory`].
    pub fn judge(&self, recovered: &[u8]) -> Result<()> {
        match self.scheme {
            Scheme::Pkcs1v15(hash) => pkcs1v15::verify(hash, &self.digest, recovered),
            Scheme::Pss { functions, salt } => pss::verify(functions, salt, &self.digest, self.bits, recovered),
        }
    }
}

/// Whether a signature of this digest can be by this key, as far as lengths say.
///
/// # Errors
/// [`Error::Argument`] when the digest has the wrong length for its hash or the modulus is too short for hash and salt.
pub fn fits(key: &PublicKey, scheme: Scheme, digest: &[u8]) -> Result<()> {
    match scheme {
        Scheme::Pkcs1v15(hash) => pkcs1v15::fits(hash, digest, key.size()),
        Scheme::Pss { functions, salt } => pss::fits(functions, salt, digest, key.bits()),
    }
}

/// The public operation of a verification, and what judges its output.
///
/// # Errors
/// [`Error::Argument`] when the digest has the wrong length for its hash or the modulus is too short for hash and salt;
/// [`Error::Verification`] when the signature has not the length of the modulus or is not below it.
pub fn verification(
    key: &Arc<PublicKey>,
    scheme: impl Into<Scheme>,
    digest: &[u8],
    signature: &[u8],
) -> Result<(Operation, Verification)> {
    let (scheme, bits) = (scheme.into(), key.bits());
    fits(key, scheme, digest)?;
    if signature.len() != key.size() {
        return Err(Error::Verification);
    }
    let operation = Operation::public(key, signature).map_err(|_| Error::Verification)?;
    Ok((operation, Verification { scheme, bits, digest: digest.to_vec() }))
}

/// Verifies the signature of a message.
///
/// # Errors
/// [`Error::Verification`] when anything about the signature is wrong, whatever it is; [`Error::Argument`] when
/// the modulus is too short for hash and salt; otherwise as [`Gatherer::run`].
pub fn verify(
    gatherer: &Gatherer,
    key: &Arc<PublicKey>,
    scheme: impl Into<Scheme>,
    message: &[u8],
    signature: &[u8],
) -> Result<()> {
    let scheme = scheme.into();
    verify_digest(gatherer, key, scheme, &scheme.digest(message)?, signature)
}

/// Verifies the signature of a digest.
///
/// # Errors
/// As [`verify`], and [`Error::Argument`] when the digest has the wrong length for its hash.
pub fn verify_digest(
    gatherer: &Gatherer,
    key: &Arc<PublicKey>,
    scheme: impl Into<Scheme>,
    digest: &[u8],
    signature: &[u8],
) -> Result<()> {
    let (operation, verification) = verification(key, scheme, digest, signature)?;
    verification.judge(&gatherer.run(operation)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::hash::MessageDigest;
    use openssl::pkey::PKey;
    use openssl::rsa::Rsa;
    use openssl::sign::Verifier;

    fn key(bits: u32) -> Arc<PrivateKey> {
        let der = Rsa::generate(bits).unwrap().private_key_to_der().unwrap();
        Arc::new(PrivateKey::read(&der, None).unwrap())
    }

    #[test]
    fn libcrypto_verifies_what_is_signed() {
        let gatherer = Gatherer::global().unwrap();
        let key = key(1024);
        let signature = sign(gatherer, &key, Hash::Sha256, b"message").unwrap();
        let public = PKey::public_key_from_der(&key.public().to_der()).unwrap();
        let mut verifier = Verifier::new(MessageDigest::sha256(), &public).unwrap();
        assert!(verifier.verify_oneshot(&signature, b"message").unwrap());
        assert_eq!(verify(gatherer, key.public(), Hash::Sha256, b"message", &signature), Ok(()));
    }

    #[test]
    fn pss_signatures_verify_with_their_scheme_only() {
        let gatherer = Gatherer::global().unwrap();
        let key = key(1025);
        let scheme = Scheme::pss(Hash::Sha256);
        let signature = sign(gatherer, &key, scheme, b"message").unwrap();
        let check = |scheme, message| verify(gatherer, key.public(), scheme, message, &signature);
        assert_eq!(check(scheme, b"message"), Ok(()));
        assert_eq!(check(scheme, b"massage"), Err(Error::Verification));
        assert_eq!(check(Scheme::pss(Hash::Sha3_256), b"message"), Err(Error::Verification));
        assert_eq!(check(Hash::Sha256.into(), b"message"), Err(Error::Verification));
        let functions = pss::Functions::of(Hash::Sha256);
        assert_eq!(check(Scheme::Pss { functions, salt: pss::Salt::Any }, b"message"), Ok(()));
        assert_eq!(check(Scheme::Pss { functions, salt: pss::Salt::Bytes(31) }, b"message"), Err(Error::Verification));
        // The salt is random.
        assert_ne!(sign(gatherer, &key, scheme, b"message").unwrap(), signature);
    }

    #[test]
    fn every_wrong_signature_gets_the_same_error() {
        let gatherer = Gatherer::global().unwrap();
        let key = key(1024);
        let good = sign(gatherer, &key, Hash::Sha256, b"message").unwrap();
        let mut changed = good.clone();
        changed[100] ^= 1;
        let longer = [&[0], &good[..]].concat();
        for wrong in [&changed[..], &longer, &good[1..], &[], &[0xff; 128], &[0; 128]] {
            let result = verify(gatherer, key.public(), Hash::Sha256, b"message", wrong);
            assert_eq!(result, Err(Error::Verification), "{} bytes", wrong.len());
        }
        assert_eq!(verify(gatherer, key.public(), Hash::Sha256, b"other", &good), Err(Error::Verification));
        assert_eq!(verify(gatherer, key.public(), Hash::Sha512, b"message", &good), Err(Error::Verification));
    }

    #[test]
    fn refused_request_of_a_batch_leaves_the_others_alone() {
        let gatherer = Gatherer::global().unwrap();
        let keys = [key(512), key(1024)];
        let schemes = [
            Hash::Sha256.into(),
            Hash::Sha1.into(),
            Hash::Sha512.into(),
            Scheme::pss(Hash::Sha256),
            Scheme::pss(Hash::Sha384),
        ];
        let requests: Vec<Request<'_>> = (0..60)
            .map(|i| Request { key: &keys[i % 2], scheme: schemes[i % 5], message: &b"a message in pieces"[..i % 19] })
            .collect();
        for (request, result) in requests.iter().zip(sign_batch(gatherer, &requests)) {
            // 512 bits have room for SHA-256 by PKCS#1 v1.5 only.
            let short = request.key.public().bits() == 512 && request.scheme != Hash::Sha256.into();
            if request.scheme == Hash::Sha1.into() || short {
                assert!(matches!(result, Err(Error::Argument { .. })), "{request:?}");
            } else {
                let signature = result.unwrap();
                verify(gatherer, request.key.public(), request.scheme, request.message, &signature).unwrap();
            }
        }
    }
}
