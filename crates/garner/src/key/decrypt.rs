// SPDX-License-Identifier: Apache-2.0
//! Encrypted private keys (PBES2, RFC 8018), by `pkcs8` and `pkcs5`. Called by `parse`.
//! What is supported is listed in [`super`].

use crate::error::{Error, Result};
use pkcs8::der::asn1::AnyRef;
use pkcs8::der::{Decode, ErrorKind};
use pkcs8::pkcs5::pbes2::{Kdf, PBES2_OID, Parameters};
use pkcs8::pkcs5::{self, EncryptionScheme};
use pkcs8::spki::AlgorithmIdentifierRef;
use pkcs8::{EncryptedPrivateKeyInfoRef, ObjectIdentifier};
use zeroize::Zeroizing;

/// PBKDF2's iterations at most: RFC 8018 section 4.2 names no more even for "especially critical keys".
/// Without a bound a file could keep the loader busy for an hour.
pub(super) const MAX_ITERATIONS: u32 = 10_000_000;

/// scrypt's memory at most, 128 N r bytes: sixteen times that of OpenSSL's own files.
const MAX_SCRYPT_BYTES: u64 = 256 << 20;

/// scrypt's passes over that memory at most.
const MAX_SCRYPT_PARALLELIZATION: u16 = 16;

/// The text of the error for a password that does not fit, and for a file damaged where only decryption would notice.
pub(super) const WRONG_PASSWORD: &str = "wrong password or damaged file";

/// Decrypts an `EncryptedPrivateKeyInfo`; the result is whatever the padding let through, to be parsed with care.
///
/// # Errors
/// [`Error::Encoding`]: not such a structure, a scheme that is not supported, or [`WRONG_PASSWORD`].
pub(super) fn decrypt(der: &[u8], password: &[u8]) -> Result<Zeroizing<Vec<u8>>> {
    let encrypted = EncryptedPrivateKeyInfoRef::from_der(der).map_err(|error| match error.kind() {
        ErrorKind::OidUnknown { oid } => unsupported(&oid.to_string()),
        _ => scheme(der).filter(|oid| *oid != PBES2_OID).map_or_else(
            || Error::Encoding("the encryption parameters are malformed".into()),
            |oid| unsupported(&oid.to_string()),
        ),
    })?;
    match &encrypted.encryption_algorithm {
        EncryptionScheme::Pbes2(parameters) => check_cost(parameters)?,
        other => return Err(unsupported(&other.oid().to_string())),
    }
    let mut buffer = Zeroizing::new(encrypted.encrypted_data.as_bytes().to_vec());
    let length = match encrypted.encryption_algorithm.decrypt_in_place(password, &mut buffer) {
        Ok(plain) => plain.len(),
        Err(pkcs5::Error::DecryptFailed) => return Err(Error::Encoding(WRONG_PASSWORD.into())),
        Err(pkcs5::Error::UnsupportedAlgorithm { oid }) => return Err(unsupported(&oid.to_string())),
        Err(_) => return Err(Error::Encoding("the encryption parameters are invalid".into())),
    };
    buffer.truncate(length);
    Ok(buffer)
}

/// The encryption scheme of a structure that `pkcs8` did not take.
fn scheme(der: &[u8]) -> Option<ObjectIdentifier> {
    let fields = Vec::<AnyRef<'_>>::from_der(der).ok()?;
    Some(fields.first()?.decode_as::<AlgorithmIdentifierRef<'_>>().ok()?.oid)
}

/// Refuses parameters that would take minutes or gigabytes, and scrypt's N = 0, at which `pkcs5` 0.8 panics.
fn check_cost(parameters: &Parameters) -> Result<()> {
    match &parameters.kdf {
        Kdf::Pbkdf2(pbkdf2) if pbkdf2.iteration_count == 0 => {
            Err(Error::Encoding("PBKDF2 with an iteration count of 0".into()))
        }
        Kdf::Pbkdf2(pbkdf2) if pbkdf2.iteration_count > MAX_ITERATIONS => Err(Error::Encoding(format!(
            "PBKDF2 with {} iterations; no more than {MAX_ITERATIONS} are accepted",
            pbkdf2.iteration_count
        ))),
        Kdf::Pbkdf2(_) => Ok(()),
        Kdf::Scrypt(scrypt) => {
            if scrypt.cost_parameter < 2 || !scrypt.cost_parameter.is_power_of_two() || scrypt.block_size == 0 {
                return Err(Error::Encoding("the encryption parameters are invalid".into()));
            }
            let bytes = scrypt.cost_parameter.saturating_mul(128 * u64::from(scrypt.block_size));
            if bytes > MAX_SCRYPT_BYTES || scrypt.parallelization > MAX_SCRYPT_PARALLELIZATION {
                return Err(Error::Encoding(format!(
                    "scrypt with more than {} MiB or {MAX_SCRYPT_PARALLELIZATION} passes is not accepted",
                    MAX_SCRYPT_BYTES >> 20
                )));
            }
            Ok(())
        }
        _ => Err(Error::Encoding("the key derivation is not supported".into())),
    }
}

fn unsupported(oid: &str) -> Error {
    let name = match oid {
        "1.2.840.113549.3.7" => "triple DES",
        "1.3.14.3.2.7" => "DES",
        "1.2.840.113549.3.2" => "RC2",
        oid if oid.starts_with("1.2.840.113549.1.12.1.") => "a PKCS#12 scheme",
        oid if oid.starts_with("1.2.840.113549.1.5.") => "PBES1",
        _ => "a scheme",
    };
    Error::Encoding(format!(
        "encrypted with {name} ({oid}), which is not supported; convert the file with: openssl pkcs8 -topk8 -v2 aes-256-cbc"
    ))
}
