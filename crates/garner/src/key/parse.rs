// SPDX-License-Identifier: Apache-2.0
//! Keys from PEM and DER. Called by the front ends; the structures are decoded by `pkcs1`, `pkcs8` and `spki`.
//!
//! Decoders' own error texts are not passed on: they quote bytes of their input, which here may be the key's.

use super::components::Components;
use super::decrypt::{WRONG_PASSWORD, decrypt};
use super::{PrivateKey, PublicKey, pem};
use crate::error::{Error, Result};
use pkcs1::{ALGORITHM_OID, ObjectIdentifier, RsaPrivateKeyRef, RsaPublicKeyRef};
use pkcs8::der::asn1::{AnyRef, SequenceRef, UintRef};
use pkcs8::der::{self, Decode, ErrorKind, Reader, SliceReader, Tag, Tagged};
use pkcs8::spki::AlgorithmIdentifierRef;
use pkcs8::{PrivateKeyInfoRef, SubjectPublicKeyInfoRef};
use std::sync::Arc;

/// Labels of private keys in PEM files.
const PRIVATE: &[&str] = &["PRIVATE KEY", "RSA PRIVATE KEY", ENCRYPTED];
const ENCRYPTED: &str = "ENCRYPTED PRIVATE KEY";

/// Labels of public keys in PEM files.
const PUBLIC: &[&str] = &["PUBLIC KEY", "RSA PUBLIC KEY"];

/// The fields of `RSAPrivateKey` and, at the start of [`PUBLIC_FIELDS`], of `RSAPublicKey`.
const PRIVATE_FIELDS: &[&str] = &[
    "version",
    "modulus",
    "publicExponent",
    "privateExponent",
    "prime1",
    "prime2",
    "exponent1",
    "exponent2",
    "coefficient",
];
const PUBLIC_FIELDS: &[&str] = &["modulus", "publicExponent"];

/// The structures told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Structure {
    Pkcs1Private,
    Pkcs8,
    Pkcs8Encrypted,
    Pkcs1Public,
    PublicKeyInfo,
}

impl PrivateKey {
    /// Reads a private key from a file's content: PEM or DER, PKCS#1 or PKCS#8, encrypted or not.
    ///
    /// `password` is used if the key is encrypted and ignored if it is not.
    ///
    /// # Errors
    /// [`Error::Encoding`] when nothing of that kind can be decoded (a wrong password is named as such),
    /// [`Error::NoPassword`], [`Error::Key`] when the key is refused, [`Error::Random`].
    pub fn read(bytes: &[u8], password: Option<&[u8]>) -> Result<PrivateKey> {
        if looks_like_pem(bytes) {
            private_der(&pem::decode(bytes, PRIVATE)?, password)
        } else {
            private_der(bytes, password)
        }
    }

    /// Reads an unencrypted key in DER: PKCS#1 or PKCS#8.
    ///
    /// # Errors
    /// As [`PrivateKey::read`].
    pub fn from_der(der: &[u8]) -> Result<PrivateKey> {
        private_der(der, None)
    }

    /// Reads an unencrypted key in PEM: PKCS#1 or PKCS#8.
    ///
    /// # Errors
    /// As [`PrivateKey::read`].
    pub fn from_pem(pem: impl AsRef<[u8]>) -> Result<PrivateKey> {
        private_der(&pem::decode(pem.as_ref(), PRIVATE)?, None)
    }

    /// Reads an encrypted PKCS#8 key in DER.
    ///
    /// # Errors
    /// As [`PrivateKey::read`]; [`Error::Encoding`] also when the key is not encrypted.
    pub fn from_encrypted_der(der: &[u8], password: impl AsRef<[u8]>) -> Result<PrivateKey> {
        match structure(der)? {
            Structure::Pkcs8Encrypted => private_der(der, Some(password.as_ref())),
            _ => Err(Error::Encoding("the key is not encrypted".into())),
        }
    }

    /// Reads an encrypted PKCS#8 key in PEM.
    ///
    /// # Errors
    /// As [`PrivateKey::read`]; [`Error::Encoding`] also when the key is not encrypted.
    pub fn from_encrypted_pem(pem: impl AsRef<[u8]>, password: impl AsRef<[u8]>) -> Result<PrivateKey> {
        PrivateKey::from_encrypted_der(&pem::decode(pem.as_ref(), PRIVATE)?, password)
    }
}

impl PublicKey {
    /// Reads a public key from a file's content: PEM or DER, `SubjectPublicKeyInfo` or PKCS#1; or the public half of
    /// a private key of any kind that [`PrivateKey::read`] takes, which is validated in full first; of one without primes
    /// only n and e are, because finding primes takes long.
    ///
    /// A PEM file with both gives its public key.
    ///
    /// # Errors
    /// As [`PrivateKey::read`].
    pub fn read(bytes: &[u8], password: Option<&[u8]>) -> Result<PublicKey> {
        if !looks_like_pem(bytes) {
            return public_der(bytes, password);
        }
        if pem::contains(bytes, PUBLIC) || !pem::contains(bytes, PRIVATE) {
            public_der(&pem::decode(bytes, PUBLIC)?, password)
        } else {
            public_der(&pem::decode(bytes, PRIVATE)?, password)
        }
    }

    /// Reads a public key, or the public half of an unencrypted private key, in DER.
    ///
    /// # Errors
    /// As [`PrivateKey::read`].
    pub fn from_der(der: &[u8]) -> Result<PublicKey> {
        public_der(der, None)
    }

    /// Reads a public key, or the public half of an unencrypted private key, in PEM.
    ///
    /// # Errors
    /// As [`PrivateKey::read`].
    pub fn from_pem(pem: impl AsRef<[u8]>) -> Result<PublicKey> {
        if !pem::is_pem(pem.as_ref()) {
            return Err(Error::Encoding("the file holds no PEM block".into()));
        }
        PublicKey::read(pem.as_ref(), None)
    }
}

/// PEM, unless the whole input is one DER sequence (PEM may begin with any text).
fn looks_like_pem(bytes: &[u8]) -> bool {
    <&SequenceRef>::from_der(bytes).is_err() && pem::is_pem(bytes)
}

fn private_der(der: &[u8], password: Option<&[u8]>) -> Result<PrivateKey> {
    private_as(der, password, pkcs1_private)
}

/// What `pkcs1` makes of the `RSAPrivateKey` in a private key.
fn private_as<K>(der: &[u8], password: Option<&[u8]>, pkcs1: fn(&[u8]) -> Result<K>) -> Result<K> {
    match structure(der)? {
        Structure::Pkcs1Private => pkcs1(der),
        Structure::Pkcs8 => pkcs1(pkcs8_private(der)?),
        Structure::Pkcs8Encrypted => {
            let plain = decrypt(der, password.ok_or(Error::NoPassword)?)?;
            // The padding of a wrong password is right once in 256 times; what comes out is then no key.
            if PrivateKeyInfoRef::from_der(&plain).is_err() {
                return Err(Error::Encoding(WRONG_PASSWORD.into()));
            }
            pkcs1(pkcs8_private(&plain)?)
        }
        Structure::Pkcs1Public | Structure::PublicKeyInfo => {
            Err(Error::Encoding("this is a public key; a private key is needed".into()))
        }
    }
}

fn public_der(der: &[u8], password: Option<&[u8]>) -> Result<PublicKey> {
    match structure(der)? {
        Structure::Pkcs1Public => pkcs1_public(der),
        Structure::PublicKeyInfo => {
            let info =
                SubjectPublicKeyInfoRef::from_der(der).map_err(|error| malformed("SubjectPublicKeyInfo", error))?;
            check_algorithm("algorithm", &info.algorithm)?;
            let key = info.subject_public_key.as_bytes().ok_or_else(|| {
                Error::Encoding("SubjectPublicKeyInfo: subjectPublicKey is not a whole number of bytes".into())
            })?;
            pkcs1_public(key)
        }
        Structure::Pkcs1Private | Structure::Pkcs8 | Structure::Pkcs8Encrypted => {
            private_as(der, password, pkcs1_public_half)
        }
    }
}

/// The `RSAPrivateKey` in it.
fn pkcs8_private(der: &[u8]) -> Result<&[u8]> {
    let info = PrivateKeyInfoRef::from_der(der).map_err(|error| malformed("PKCS#8", error))?;
    check_algorithm("privateKeyAlgorithm", &info.algorithm)?;
    Ok(info.private_key.as_bytes())
}

/// The fields of an `RSAPrivateKey`, and whether it has primes: some smart-card tools write keys that have only (n, e, d) with
/// zeros in place of the rest.
fn pkcs1_fields(der: &[u8]) -> Result<(RsaPrivateKeyRef<'_>, bool)> {
    check_version(der)?;
    let key = RsaPrivateKeyRef::from_der(der).map_err(|error| blame("RSAPrivateKey", der, PRIVATE_FIELDS, error))?;
    let has_primes = !is_zero(&key.prime1) || !is_zero(&key.prime2);
    let rest = [("exponent1", &key.exponent1), ("exponent2", &key.exponent2), ("coefficient", &key.coefficient)];
    if let Some((field, _)) = rest.iter().find(|(_, value)| !has_primes && !is_zero(value)) {
        return Err(Error::key(field, format!("prime1 and prime2 are zero, but {field} is not")));
    }
    Ok((key, has_primes))
}

fn pkcs1_public_half(der: &[u8]) -> Result<PublicKey> {
    match pkcs1_fields(der)? {
        (key, false) => PublicKey::from_n_e(key.modulus.as_bytes(), key.public_exponent.as_bytes()),
        _ => Ok(Arc::into_inner(pkcs1_private(der)?.public).expect("nobody else has seen the key yet")),
    }
}

fn pkcs1_private(der: &[u8]) -> Result<PrivateKey> {
    let (key, has_primes) = pkcs1_fields(der)?;
    if !has_primes {
        return PrivateKey::from_n_e_d(
            key.modulus.as_bytes(),
            key.public_exponent.as_bytes(),
            key.private_exponent.as_bytes(),
        );
    }
    PrivateKey::from_components(&Components {
        modulus: key.modulus.as_bytes(),
        public_exponent: key.public_exponent.as_bytes(),
        private_exponent: key.private_exponent.as_bytes(),
        prime1: key.prime1.as_bytes(),
        prime2: key.prime2.as_bytes(),
        exponent1: key.exponent1.as_bytes(),
        exponent2: key.exponent2.as_bytes(),
        coefficient: key.coefficient.as_bytes(),
    })
}

fn pkcs1_public(der: &[u8]) -> Result<PublicKey> {
    let key = RsaPublicKeyRef::from_der(der).map_err(|error| blame("RSAPublicKey", der, PUBLIC_FIELDS, error))?;
    PublicKey::from_n_e(key.modulus.as_bytes(), key.public_exponent.as_bytes())
}

fn is_zero(value: &UintRef<'_>) -> bool {
    value.as_bytes().iter().all(|&byte| byte == 0)
}

/// Tells the structures apart by the tags of their first elements.
fn structure(der: &[u8]) -> Result<Structure> {
    let outer = <&SequenceRef>::from_der(der).map_err(|error| malformed("DER", error))?;
    let mut reader = SliceReader::new(outer.as_bytes()).map_err(|error| malformed("DER", error))?;
    let mut tag = || -> Result<Option<Tag>> {
        if reader.is_finished() {
            return Ok(None);
        }
        AnyRef::decode(&mut reader).map(|any| Some(any.tag())).map_err(|error| malformed("DER", error))
    };
    match (tag()?, tag()?, tag()?) {
        (Some(Tag::Integer), Some(Tag::Sequence), Some(Tag::OctetString)) => Ok(Structure::Pkcs8),
        (Some(Tag::Integer), Some(Tag::Integer), None) => Ok(Structure::Pkcs1Public),
        (Some(Tag::Integer), Some(Tag::Integer), Some(Tag::Integer)) => Ok(Structure::Pkcs1Private),
        (Some(Tag::Sequence), Some(Tag::OctetString), None) => Ok(Structure::Pkcs8Encrypted),
        (Some(Tag::Sequence), Some(Tag::BitString), None) => Ok(Structure::PublicKeyInfo),
        _ => Err(Error::Encoding("neither PEM nor the DER of a PKCS#1, PKCS#8 or public key".into())),
    }
}

/// Only rsaEncryption, with parameters NULL or none.
fn check_algorithm(field: &'static str, algorithm: &AlgorithmIdentifierRef<'_>) -> Result<()> {
    const OAEP: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.7");
    const PSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
    if algorithm.oid == ALGORITHM_OID {
        return if algorithm.parameters.is_none_or(AnyRef::is_null) {
            Ok(())
        } else {
            Err(Error::key(field, "the parameters of rsaEncryption are not NULL"))
        };
    }
    let name = match algorithm.oid {
        PSS => "an RSASSA-PSS key; only those for rsaEncryption are read".into(),
        OAEP => "an RSAES-OAEP key; only those for rsaEncryption are read".into(),
        oid => format!("a key for the algorithm {oid}, not an RSA key"),
    };
    Err(Error::key(field, format!("this is {name}")))
}

/// Refuses multi-prime and unknown versions of `RSAPrivateKey` by name.
fn check_version(der: &[u8]) -> Result<()> {
    let Ok(fields) = Vec::<AnyRef<'_>>::from_der(der) else {
        return Ok(()); // The decoder proper will say why.
    };
    match fields.first().map(|version| version.decode_as::<u8>()) {
        Some(Ok(0)) if fields.len() > PRIVATE_FIELDS.len() => Err(Error::key(
            "otherPrimeInfos",
            "there is more than the version two-prime (0) has: a multi-prime key, or trailing data",
        )),
        Some(Ok(0)) => Ok(()),
        Some(Ok(1)) => Err(Error::key("version", "multi-prime keys (version 1) are not supported")),
        _ => Err(Error::key("version", "version is not two-prime (0)")),
    }
}

/// Why the decoder refused a sequence of INTEGERs: names the first field that is missing or no non-negative INTEGER.
fn blame(structure: &str, der: &[u8], fields: &'static [&'static str], error: der::Error) -> Error {
    let Ok(elements) = Vec::<AnyRef<'_>>::from_der(der) else {
        return malformed(structure, error);
    };
    for (i, field) in fields.iter().enumerate() {
        match elements.get(i) {
            None => return Error::key(field, format!("{field} is missing")),
            Some(element) if element.tag() != Tag::Integer => {
                return Error::key(field, format!("{field} is not an INTEGER"));
            }
            Some(element) if element.value().first().is_some_and(|byte| byte & 0x80 != 0) => {
                return Error::key(field, format!("{field} is negative"));
            }
            Some(element) if element.decode_as::<UintRef<'_>>().is_err() => {
                return Error::key(field, format!("{field} is not encoded as DER requires"));
            }
            Some(_) => {}
        }
    }
    malformed(structure, error)
}

/// A decoder's error without the bytes it quotes.
fn malformed(structure: &str, error: der::Error) -> Error {
    let reason = match error.kind() {
        ErrorKind::Incomplete { .. } => "the data is truncated",
        ErrorKind::TrailingData { .. } => "there is data after the end",
        _ => "malformed",
    };
    Error::Encoding(format!("{structure}: {reason}"))
}
