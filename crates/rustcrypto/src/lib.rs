// SPDX-License-Identifier: Apache-2.0
//! Garner's RSA behind RustCrypto's traits, so that what is written for those (certificates, requests, tokens) signs in
//! batches with whatever else the process signs.
//!
//! A front end over [`garner::signature`]. [`SigningKey`] and [`VerifyingKey`] are keys with a [`Scheme`].
//!
//! | trait | for |
//! |---|---|
//! | [`Signer`], [`PrehashSigner`] | [`SigningKey`]; salts are random |
//! | [`RandomizedSigner`], [`RandomizedPrehashSigner`] | [`SigningKey`]; the salt of PSS is the generator's, and nothing else is |
//! | [`AsyncSigner`] | [`AsyncSigningKey`], which blocks no thread |
//! | [`Verifier`], [`PrehashVerifier`] | [`VerifyingKey`] |
//! | [`Keypair`], [`DynSignatureAlgorithmIdentifier`], [`EncodePublicKey`] | what certificates say of keys and signatures |
//!
//! The trait `signature` derives an [`AsyncSigner`] from every [`Signer`], which blocks: asynchronous code takes
//! [`SigningKey::into_async`].
//!
//! ```
//! use garner::gather::Gatherer;
//! use garner::padding::Hash;
//! use garner::signature::Scheme;
//! use garner_rustcrypto::SigningKey;
//! use signature::{Keypair, Signer, Verifier};
//! # use garner::keygen::{self, Options};
//! # use std::sync::Arc;
//! # let arithmetic = garner::arithmetic::best()?;
//! # let options = Options { below_fips: true, ..Options::default() };
//! # let key = Arc::new(keygen::generate_one(&*arithmetic, 1024, &options)?);
//!
//! let key = SigningKey::new(Gatherer::global()?, key, Scheme::pss(Hash::Sha256));
//! let signature = key.try_sign(b"a message")?;
//! key.verifying_key().verify(b"a message", &signature)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod identifier;

use garner::gather::{Gatherer, Operation, Output};
use garner::key::{PrivateKey, PublicKey};
use garner::padding::pss;
use garner::signature::Scheme;
use signature::hazmat::{PrehashSigner, PrehashVerifier, RandomizedPrehashSigner};
use signature::rand_core::TryCryptoRng;
use signature::{AsyncSigner, Error, Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};
use spki::der::asn1::BitString;
use spki::der::{self, Document};
use spki::{AlgorithmIdentifierOwned, DynSignatureAlgorithmIdentifier, EncodePublicKey, SignatureBitStringEncoding};
use std::sync::Arc;

/// A private key, its scheme, and the gatherer that makes its signatures.
#[derive(Debug, Clone)]
pub struct SigningKey {
    gatherer: &'static Gatherer,
    key: Arc<PrivateKey>,
    scheme: Scheme,
}

/// As [`SigningKey`], for [`AsyncSigner`].
#[derive(Debug, Clone)]
pub struct AsyncSigningKey(SigningKey);

/// A public key and its scheme.
#[derive(Debug, Clone)]
pub struct VerifyingKey {
    gatherer: &'static Gatherer,
    key: Arc<PublicKey>,
    scheme: Scheme,
}

/// A signature's bytes, big-endian, as many as the modulus has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature(Box<[u8]>);

impl SigningKey {
    /// A key that signs by [`Gatherer::global`], or by another gatherer that the process keeps for ever.
    pub fn new(gatherer: &'static Gatherer, key: Arc<PrivateKey>, scheme: impl Into<Scheme>) -> SigningKey {
        SigningKey { gatherer, key, scheme: scheme.into() }
    }

    /// The same key, for [`AsyncSigner`].
    pub fn into_async(self) -> AsyncSigningKey {
        AsyncSigningKey(self)
    }
}

impl VerifyingKey {
    /// A key that verifies by [`Gatherer::global`], or by another gatherer that the process keeps for ever.
    pub fn new(gatherer: &'static Gatherer, key: Arc<PublicKey>, scheme: impl Into<Scheme>) -> VerifyingKey {
        VerifyingKey { gatherer, key, scheme: scheme.into() }
    }
}

/// Why nothing was signed. What a verification fails for is not told.
fn failed(error: garner::Error) -> Error {
    Error::from_source(error)
}

fn made(signature: garner::error::Result<Vec<u8>>) -> Result<Signature, Error> {
    Ok(Signature(signature.map_err(failed)?.into()))
}

impl Signer<Signature> for SigningKey {
    fn try_sign(&self, message: &[u8]) -> Result<Signature, Error> {
        made(garner::signature::sign(self.gatherer, &self.key, self.scheme, message))
    }
}

impl PrehashSigner<Signature> for SigningKey {
    fn sign_prehash(&self, digest: &[u8]) -> Result<Signature, Error> {
        made(garner::signature::sign_digest(self.gatherer, &self.key, self.scheme, digest))
    }
}

impl RandomizedSigner<Signature> for SigningKey {
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(&self, rng: &mut R, message: &[u8]) -> Result<Signature, Error> {
        self.sign_prehash_with_rng(rng, &self.scheme.digest(message).map_err(failed)?)
    }
}

impl RandomizedPrehashSigner<Signature> for SigningKey {
    fn sign_prehash_with_rng<R: TryCryptoRng + ?Sized>(&self, rng: &mut R, digest: &[u8]) -> Result<Signature, Error> {
        let Scheme::Pss { functions, salt } = self.scheme else { return self.sign_prehash(digest) };
        let public = self.key.public();
        pss::fits(functions, salt, digest, public.bits()).map_err(failed)?;
        let mut salt = vec![0; identifier::salt_len(functions, salt, public.bits())];
        rng.try_fill_bytes(&mut salt).map_err(|error| failed(garner::Error::Random(error.to_string())))?;
        let mut encoded = vec![0; public.size()];
        pss::encode_with_salt(functions, &salt, digest, public.bits(), &mut encoded).map_err(failed)?;
        let operation = Operation::private(&self.key, &encoded).map_err(failed)?;
        made(self.gatherer.run(operation).map(Output::into_public))
    }
}

impl AsyncSigner<Signature> for AsyncSigningKey {
    async fn sign_async(&self, message: &[u8]) -> Result<Signature, Error> {
        let SigningKey { gatherer, key, scheme } = &self.0;
        made(garner::signature::sign_async(gatherer, key, *scheme, message).await)
    }
}

impl Verifier<Signature> for VerifyingKey {
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        garner::signature::verify(self.gatherer, &self.key, self.scheme, message, &signature.0)
            .map_err(|_| Error::new())
    }
}

impl PrehashVerifier<Signature> for VerifyingKey {
    fn verify_prehash(&self, digest: &[u8], signature: &Signature) -> Result<(), Error> {
        let verdict = garner::signature::verify_digest(self.gatherer, &self.key, self.scheme, digest, &signature.0);
        verdict.map_err(|_| Error::new())
    }
}

impl Keypair for SigningKey {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey::new(self.gatherer, Arc::clone(self.key.public()), self.scheme)
    }
}

impl Keypair for AsyncSigningKey {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        self.0.verifying_key()
    }
}

impl DynSignatureAlgorithmIdentifier for SigningKey {
    fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
        identifier::of(self.scheme, self.key.public().bits())
    }
}

impl DynSignatureAlgorithmIdentifier for AsyncSigningKey {
    fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
        self.0.signature_algorithm_identifier()
    }
}

impl DynSignatureAlgorithmIdentifier for VerifyingKey {
    fn signature_algorithm_identifier(&self) -> spki::Result<AlgorithmIdentifierOwned> {
        identifier::of(self.scheme, self.key.bits())
    }
}

impl EncodePublicKey for VerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        Ok(Document::try_from(self.key.to_der())?)
    }
}

impl SignatureBitStringEncoding for Signature {
    fn to_bitstring(&self) -> der::Result<BitString> {
        BitString::from_bytes(&self.0)
    }
}

impl SignatureEncoding for Signature {
    type Repr = Box<[u8]>;
}

impl From<Signature> for Box<[u8]> {
    fn from(signature: Signature) -> Box<[u8]> {
        signature.0
    }
}

impl TryFrom<&[u8]> for Signature {
    type Error = Error;

    fn try_from(bytes: &[u8]) -> Result<Signature, Error> {
        Ok(Signature(bytes.into()))
    }
}
