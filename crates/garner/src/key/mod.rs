// SPDX-License-Identifier: Apache-2.0
//! RSA keys: parsed once, validated, secrets zeroised on drop.
//!
//! Called by the front ends to load keys and by `private_op` and the devices to read their parts. Knows nothing of
//! batches and devices.
//!
//! ```
//! use garner::key::{Encryption, PrivateKey};
//! # use garner::keygen::{self, Options};
//! # let arithmetic = garner::arithmetic::best()?;
//! # let options = Options { below_fips: true, ..Options::default() };
//! # let key = keygen::generate_one(&*arithmetic, 1024, &options)?;
//! # let file = key.to_pkcs8_pem();
//!
//! let key = PrivateKey::read(file.as_bytes(), None)?;
//! let encrypted = key.to_encrypted_pkcs8_pem(b"correct horse", &Encryption::default())?;
//! assert!(PrivateKey::read(encrypted.as_bytes(), Some(b"incorrect horse")).is_err());
//! let same = PrivateKey::read(encrypted.as_bytes(), Some(b"correct horse"))?;
//! assert_eq!(same.public().to_pem(), key.public().to_pem());
//! # Ok::<(), garner::Error>(())
//! ```
//!
//! # What can be read
//!
//! | structure | PEM label | source |
//! |---|---|---|
//! | `RSAPrivateKey` | `RSA PRIVATE KEY` | RFC 8017 A.1.2 |
//! | `PrivateKeyInfo`, `OneAsymmetricKey` with rsaEncryption | `PRIVATE KEY` | RFC 5208, RFC 5958 |
//! | `EncryptedPrivateKeyInfo` with PBES2 | `ENCRYPTED PRIVATE KEY` | RFC 5958, RFC 8018 |
//! | `SubjectPublicKeyInfo` with rsaEncryption | `PUBLIC KEY` | RFC 5280 |
//! | `RSAPublicKey` | `RSA PUBLIC KEY` | RFC 8017 A.1.1 |
//!
//! DER is recognised by its structure, PEM by its label. A PEM file may hold other blocks and text beside the key.
//!
//! Encryption: PBES2 with PBKDF2 (HMAC with SHA-1, SHA-224, SHA-256, SHA-384 or SHA-512; up to 10 million iterations;
//! salt up to 32 bytes) or scrypt (up to 256 MiB), and AES-128, AES-192 or AES-256 in CBC mode or AES-128 or AES-256
//! in GCM mode. Not supported: PBES1, the PKCS#12 schemes, DES and triple DES, and the header-encrypted PEM of
//! `openssl rsa -aes256 -traditional`; the error says how to convert such a file.
//!
//! # What is checked
//!
//! Of every key: n has 512 to 8,192 bits and is odd; e is odd, at least 3, at most 256 bits long and below n.
//!
//! Of a private key also:
//! - every field is positive and below n;
//! - p and q are odd, above 1, different, and p q = n exactly;
//! - e d(p) = 1 mod (p - 1) with d(p) < p - 1, and e d(q) = 1 mod (q - 1) with d(q) < q - 1;
//! - q q^-1 = 1 mod p with q^-1 < p;
//! - e d = 1 mod lcm(p - 1, q - 1), so d may be reduced modulo (p - 1)(q - 1) or modulo the lcm;
//! - a random r comes back from r^e mod n through d(p), d(q), q^-1 (a pairwise consistency test). This finds
//!   composite "primes" that were not chosen to deceive.
//!
//! What that does *not* establish: that p and q are prime. A composite whose every factor f has f - 1 dividing
//! e d(p) - 1 (a Carmichael number, for example) passes; such a key computes correct results but may be easy to factor.
//! [`PrivateKey::check_primes`] makes the full test and costs as much as some tens of signatures. Nor is it checked
//! that the primes were random, of equal length or far apart: unbalanced and weak keys that compute correctly are
//! accepted. Of a public key alone nothing beyond the first line can be checked.
//!
//! Multi-prime keys are refused, as are RSASSA-PSS and RSAES-OAEP keys (whose restrictions would be lost).
//!
//! # Secrets and time
//!
//! Decoded buffers are zeroised, numbers are cleared before they are freed, and a key at rest lives in
//! [`SecretWords`] only; a decrypting dependency (`pkcs5`) leaves the key derived from the password, not the private
//! key, on its stack. Loading is not constant time: comparisons, parities, lengths, the first failing check and the
//! recovery of primes from (n, e, d) branch on key material, once per load. Multiplication, reduction, inversion and
//! exponentiation are libcrypto's, with its constant-time flag set. Nothing here runs per operation except the
//! accessors.

#![forbid(unsafe_code)]

mod blinding;
mod components;
mod decrypt;
mod encrypt;
mod numbers;
mod parse;
pub mod pem;
mod recover;
mod validate;
mod write;

pub(crate) use blinding::{BlindingPair, BlindingSet, Unused};
pub use components::Components;
pub use encrypt::{Cipher, Encryption};
pub(crate) use numbers::Numbers;

use crate::arithmetic::Modulus;
use crate::secret::SecretWords;
use blinding::BlindingPool;
use once_cell::race::OnceBool;
use std::sync::{Arc, Weak};

/// An RSA public key.
#[derive(Debug)]
pub struct PublicKey {
    modulus: Modulus,
    exponent: Vec<u64>,
}

/// An RSA private key in CRT form; `p > q`.
///
/// All parts are validated on construction; `Debug` shows the public size only.
pub struct PrivateKey {
    public: Arc<PublicKey>,
    p: Modulus,
    q: Modulus,
    /// d(p), q^-1, d(q) and d, one after the other: one page up to 8,192 bits, where four would each take their own.
    parts: SecretWords,
    blinding: BlindingPool,
    /// Ends with the key, as its public half may not.
    life: Arc<()>,
    /// Whether its primes are; not known before somebody asks.
    prime: OnceBool,
}

impl PublicKey {
    /// The modulus n.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The public exponent e, little-endian words without leading zeros.
    pub fn exponent(&self) -> &[u64] {
        &self.exponent
    }

    /// Modulus length in bits.
    pub fn bits(&self) -> usize {
        self.modulus.bits()
    }

    /// Modulus length in bytes: the length of every input and output.
    pub fn size(&self) -> usize {
        self.modulus.bits().div_ceil(8)
    }
}

impl PrivateKey {
    /// The public half.
    pub fn public(&self) -> &Arc<PublicKey> {
        &self.public
    }

    /// Gone when the key is: for a device that keeps a copy of its parts.
    pub fn life(&self) -> Weak<()> {
        Arc::downgrade(&self.life)
    }

    /// The larger prime. This and the other secret parts are for devices, which compute with them: whoever copies one wipes
    /// the copy when the key's [`life`](PrivateKey::life) ends.
    pub fn p(&self) -> &Modulus {
        &self.p
    }

    /// The smaller prime.
    pub fn q(&self) -> &Modulus {
        &self.q
    }

    /// d mod (p - 1), as many words as p.
    pub fn dp(&self) -> &[u64] {
        &self.parts[..self.p.words().len()]
    }

    /// q^-1 mod p, as many words as p.
    pub fn q_inverse(&self) -> &[u64] {
        let p = self.p.words().len();
        &self.parts[p..2 * p]
    }

    /// d mod (q - 1), as many words as q.
    pub fn dq(&self) -> &[u64] {
        let (p, q) = (self.p.words().len(), self.q.words().len());
        &self.parts[2 * p..2 * p + q]
    }

    /// The private exponent as it was read, as many words as n. Only for writing the key back.
    pub(crate) fn d(&self) -> &[u64] {
        let (p, q) = (self.p.words().len(), self.q.words().len());
        &self.parts[2 * p + q..]
    }

    /// What the blinding of this key's next operations is made of.
    pub(crate) fn blinding(&self) -> &BlindingPool {
        &self.blinding
    }
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PrivateKey({} bits)", self.public.bits())
    }
}
