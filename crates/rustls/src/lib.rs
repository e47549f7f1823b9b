// SPDX-License-Identifier: Apache-2.0
//! Garner's RSA keys for [rustls]: the signatures of a process's handshakes share batches.
//!
//! A front end over [`garner::signature`]. [`provider`] takes a rustls provider and gives one that loads RSA keys into
//! Garner, all else being the other's; [`SigningKey`] is one such key, for a certificate resolver.
//!
//! rustls asks for a signature in the middle of a handshake and waits for it: a thread signs one at a time, and batches form
//! of what several threads sign. Under an asynchronous runtime those are its workers; a runtime of one thread gains the
//! faster operation and no batch.
//!
//! ```
//! use rustls::ServerConfig;
//! use rustls::crypto::ring;
//! use rustls::pki_types::{CertificateDer, PrivateKeyDer};
//! use std::sync::Arc;
//!
//! fn server(
//!     chain: Vec<CertificateDer<'static>>,
//!     key: PrivateKeyDer<'static>,
//! ) -> Result<ServerConfig, Box<dyn std::error::Error>> {
//!     let provider = garner_rustls::provider(ring::default_provider())?;
//!     let config = ServerConfig::builder_with_provider(Arc::new(provider)).with_safe_default_protocol_versions()?;
//!     Ok(config.with_no_client_auth().with_single_cert(chain, key)?)
//! }
//! ```

#![forbid(unsafe_code)]

use garner::gather::Gatherer;
use garner::key::PrivateKey;
use garner::padding::{Hash, pkcs1v15, pss};
use garner::signature::{self, Scheme};
use rustls::crypto::{CryptoProvider, KeyProvider};
use rustls::pki_types::{PrivateKeyDer, SubjectPublicKeyInfoDer};
use rustls::sign::{Signer, SigningKey as RustlsKey};
use rustls::{Error, SignatureAlgorithm, SignatureScheme};
use std::fmt;
use std::sync::Arc;

/// What TLS has for RSA, in the order in which rustls's own providers choose.
const SCHEMES: [(SignatureScheme, Scheme); 6] = [
    (SignatureScheme::RSA_PSS_SHA512, Scheme::pss(Hash::Sha512)),
    (SignatureScheme::RSA_PSS_SHA384, Scheme::pss(Hash::Sha384)),
    (SignatureScheme::RSA_PSS_SHA256, Scheme::pss(Hash::Sha256)),
    (SignatureScheme::RSA_PKCS1_SHA512, Scheme::Pkcs1v15(Hash::Sha512)),
    (SignatureScheme::RSA_PKCS1_SHA384, Scheme::Pkcs1v15(Hash::Sha384)),
    (SignatureScheme::RSA_PKCS1_SHA256, Scheme::Pkcs1v15(Hash::Sha256)),
];

/// A private key whose signatures a gatherer makes.
pub struct SigningKey {
    gatherer: &'static Gatherer,
    key: Arc<PrivateKey>,
}

impl SigningKey {
    /// A key that signs by [`Gatherer::global`], or by another gatherer that the process keeps for ever.
    pub fn new(gatherer: &'static Gatherer, key: Arc<PrivateKey>) -> SigningKey {
        SigningKey { gatherer, key }
    }

    /// Whether the modulus has room for the scheme: one of 1024 bits has none for PSS with SHA-512.
    fn has_room(&self, scheme: Scheme) -> bool {
        let (public, digest) = (self.key.public(), vec![0; scheme.digest_len()]);
        match scheme {
            Scheme::Pss { functions, salt } => pss::fits(functions, salt, &digest, public.bits()).is_ok(),
            Scheme::Pkcs1v15(hash) => pkcs1v15::fits(hash, &digest, public.size()).is_ok(),
            _ => false,
        }
    }
}

impl RustlsKey for SigningKey {
    fn choose_scheme(&self, offered: &[SignatureScheme]) -> Option<Box<dyn Signer>> {
        let usable = |(name, scheme): &&(SignatureScheme, Scheme)| offered.contains(name) && self.has_room(*scheme);
        let &(name, scheme) = SCHEMES.iter().find(usable)?;
        Some(Box::new(Signing { gatherer: self.gatherer, key: Arc::clone(&self.key), name, scheme }))
    }

    fn public_key(&self) -> Option<SubjectPublicKeyInfoDer<'_>> {
        Some(self.key.public().to_der().into())
    }

    fn algorithm(&self) -> SignatureAlgorithm {
        SignatureAlgorithm::RSA
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("key", &self.key).finish_non_exhaustive()
    }
}

/// A key with the scheme of one handshake.
struct Signing {
    gatherer: &'static Gatherer,
    key: Arc<PrivateKey>,
    name: SignatureScheme,
    scheme: Scheme,
}

impl Signer for Signing {
    fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        signature::sign(self.gatherer, &self.key, self.scheme, message)
            .map_err(|error| Error::General(error.to_string()))
    }

    fn scheme(&self) -> SignatureScheme {
        self.name
    }
}

impl fmt::Debug for Signing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Signing").field("scheme", &self.name).finish_non_exhaustive()
    }
}

/// `base`, but for RSA keys, which sign by [`Gatherer::global`]. Keys that Garner does not read, other kinds among them,
/// are `base`'s. What says so lives as long as the process: call this once.
///
/// # Errors
/// Those of [`Gatherer::global`].
pub fn provider(base: CryptoProvider) -> garner::error::Result<CryptoProvider> {
    let keys = Keys { gatherer: Gatherer::global()?, others: base.key_provider };
    Ok(CryptoProvider { key_provider: Box::leak(Box::new(keys)), ..base })
}

#[derive(Debug)]
struct Keys {
    gatherer: &'static Gatherer,
    others: &'static dyn KeyProvider,
}

impl KeyProvider for Keys {
    fn load_private_key(&self, key: PrivateKeyDer<'static>) -> Result<Arc<dyn RustlsKey>, Error> {
        match PrivateKey::from_der(key.secret_der()) {
            Ok(key) => Ok(Arc::new(SigningKey::new(self.gatherer, Arc::new(key)))),
            Err(_) => self.others.load_private_key(key),
        }
    }
}
