// SPDX-License-Identifier: Apache-2.0
//! Encrypted private keys (PBES2, RFC 8018), written by `pkcs8` and `pkcs5`. Called by the front ends; `decrypt` reads
//! what this writes, and so does every OpenSSL since 1.1.0.

use super::PrivateKey;
use super::decrypt::MAX_ITERATIONS;
use super::write::info;
use crate::error::{Error, Result};
use crate::random;
use pkcs8::SecretDocument;
use pkcs8::der::pem::LineEnding;
use pkcs8::pkcs5::pbes2::{EncryptionScheme, Kdf, Parameters, Pbkdf2Params};

/// The cipher of an encrypted key file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Cipher {
    /// AES-128 in CBC mode.
    Aes128Cbc,
    /// AES-192 in CBC mode.
    Aes192Cbc,
    /// AES-256 in CBC mode: the default.
    #[default]
    Aes256Cbc,
}

/// How a private key is encrypted: PBES2 with PBKDF2 (HMAC with SHA-256, a random salt of 16 bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Encryption {
    /// The cipher.
    pub cipher: Cipher,
    /// Iterations of PBKDF2, 1 to 10 million: what guessing one password costs.
    pub iterations: u32,
}

impl Encryption {
    /// Iterations by default: OWASP's recommendation for PBKDF2 with HMAC-SHA-256 (2023). OpenSSL's own is 2,048.
    pub const ITERATIONS: u32 = 600_000;
}

impl Default for Encryption {
    fn default() -> Encryption {
        Encryption { cipher: Cipher::default(), iterations: Encryption::ITERATIONS }
    }
}

impl PrivateKey {
    /// PKCS#8 `EncryptedPrivateKeyInfo` (RFC 5958) in DER.
    ///
    /// # Errors
    /// [`Error::Argument`] when the number of iterations is out of range or the password empty (a file that any empty
    /// input opens is encrypted by mistake); [`Error::Random`].
    pub fn to_encrypted_pkcs8_der(&self, password: &[u8], encryption: &Encryption) -> Result<Vec<u8>> {
        self.encrypted(password, encryption).map(|document| document.as_bytes().to_vec())
    }

    /// PKCS#8 encrypted in PEM, `ENCRYPTED PRIVATE KEY`.
    ///
    /// # Errors
    /// As [`PrivateKey::to_encrypted_pkcs8_der`].
    pub fn to_encrypted_pkcs8_pem(&self, password: &[u8], encryption: &Encryption) -> Result<String> {
        let document = self.encrypted(password, encryption)?;
        let pem = document.to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF).map_err(failed)?;
        Ok(pem.to_string())
    }

    fn encrypted(&self, password: &[u8], encryption: &Encryption) -> Result<SecretDocument> {
        if password.is_empty() {
            return Err(Error::argument("password", "is empty"));
        }
        if !(1..=MAX_ITERATIONS).contains(&encryption.iterations) {
            let reason = format!("is {}, must be from 1 to {MAX_ITERATIONS}", encryption.iterations);
            return Err(Error::argument("iterations", reason));
        }
        let (mut salt, mut iv) = ([0; 16], [0; 16]);
        random::public(&mut salt)?;
        random::public(&mut iv)?;
        let kdf = Kdf::Pbkdf2(Pbkdf2Params::hmac_sha256(encryption.iterations, &salt).map_err(failed)?);
        let scheme = match encryption.cipher {
            Cipher::Aes128Cbc => EncryptionScheme::Aes128Cbc { iv },
            Cipher::Aes192Cbc => EncryptionScheme::Aes192Cbc { iv },
            Cipher::Aes256Cbc => EncryptionScheme::Aes256Cbc { iv },
        };
        let parameters = Parameters { kdf, encryption: scheme };
        info(&self.pkcs1()).encrypt_with_params(parameters, password).map_err(failed)
    }
}

/// The encoders have nothing to refuse in what is checked above; their texts may quote their input.
fn failed<E>(_: E) -> Error {
    Error::Encoding("the key could not be encrypted".into())
}
