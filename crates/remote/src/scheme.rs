// SPDX-License-Identifier: Apache-2.0
//! Schemes in messages: those of `garner::signature` and `garner::encryption`, hashes by their names.

use crate::error::Error;
use garner::gather::Output;
use garner::padding::{Hash, oaep, premaster, pss};
use garner::{encryption, signature};
use serde::{Deserialize, Serialize};

/// A hash function as its name in FIPS 180-4 and FIPS 202.
mod named {
    use garner::padding::Hash;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        hash.name().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        let name = <&str>::deserialize(deserializer)?;
        // Only as it is written above: a message has one form.
        Hash::ALL.into_iter().find(|hash| hash.name() == name).ok_or_else(|| D::Error::custom("no such hash function"))
    }
}

/// A padding, as policies name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Padding {
    /// PKCS#1 v1.5, of signatures and of ciphertexts.
    Pkcs1v15,
    /// PSS.
    Pss,
    /// OAEP.
    Oaep,
}

impl Padding {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Padding::Pkcs1v15 => "pkcs1v15",
            Padding::Pss => "pss",
            Padding::Oaep => "oaep",
        }
    }
}

/// The salt of a PSS signature to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Salt {
    /// As long as the digest.
    Digest,
    /// So many bytes.
    Bytes(u16),
    /// As long as the modulus has room for.
    Longest,
}

/// How a signature is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SignatureScheme {
    /// RSASSA-PKCS1-v1_5.
    Pkcs1v15 {
        /// Hash of the message.
        #[serde(with = "named")]
        hash: Hash,
    },
    /// RSASSA-PSS with MGF1.
    Pss {
        /// Hash of the message.
        #[serde(with = "named")]
        hash: Hash,
        /// Hash of the mask.
        #[serde(with = "named")]
        mgf1_hash: Hash,
        /// The salt's length.
        salt: Salt,
    },
    /// RSASSA-PSS with SHAKE128 for message and mask.
    Shake128(Salt),
    /// RSASSA-PSS with SHAKE256 for message and mask.
    Shake256(Salt),
}

impl SignatureScheme {
    /// The library's scheme in a message; `None` for one that this version has not.
    pub fn of(scheme: signature::Scheme) -> Option<SignatureScheme> {
        let (functions, salt) = match scheme {
            signature::Scheme::Pkcs1v15(hash) => return Some(SignatureScheme::Pkcs1v15 { hash }),
            signature::Scheme::Pss { functions, salt } => (functions, salt),
            _ => return None,
        };
        let salt = match salt {
            pss::Salt::Digest => Salt::Digest,
            pss::Salt::Bytes(length) => Salt::Bytes(length.try_into().ok()?),
            pss::Salt::Longest | pss::Salt::Any => Salt::Longest,
            _ => return None,
        };
        Some(match functions {
            pss::Functions::Mgf1 { hash, mgf1_hash } => SignatureScheme::Pss { hash, mgf1_hash, salt },
            pss::Functions::Shake128 => SignatureScheme::Shake128(salt),
            pss::Functions::Shake256 => SignatureScheme::Shake256(salt),
            _ => return None,
        })
    }

    /// Its padding.
    pub fn padding(&self) -> Padding {
        match self {
            SignatureScheme::Pkcs1v15 { .. } => Padding::Pkcs1v15,
            _ => Padding::Pss,
        }
    }
}

impl From<SignatureScheme> for signature::Scheme {
    fn from(scheme: SignatureScheme) -> signature::Scheme {
        let (functions, salt) = match scheme {
            SignatureScheme::Pkcs1v15 { hash } => return signature::Scheme::Pkcs1v15(hash),
            SignatureScheme::Pss { hash, mgf1_hash, salt } => (pss::Functions::Mgf1 { hash, mgf1_hash }, salt),
            SignatureScheme::Shake128(salt) => (pss::Functions::Shake128, salt),
            SignatureScheme::Shake256(salt) => (pss::Functions::Shake256, salt),
        };
        let salt = match salt {
            Salt::Digest => pss::Salt::Digest,
            Salt::Bytes(length) => pss::Salt::Bytes(length.into()),
            Salt::Longest => pss::Salt::Longest,
        };
        signature::Scheme::Pss { functions, salt }
    }
}

/// How a ciphertext is decrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum EncryptionScheme<'a> {
    /// RSAES-OAEP.
    Oaep {
        /// Hash of the label.
        #[serde(with = "named")]
        hash: Hash,
        /// Hash of the mask.
        #[serde(with = "named")]
        mgf1_hash: Hash,
        /// The label.
        label: &'a [u8],
    },
    /// RSAES-PKCS1-v1_5 with implicit rejection. The kind that tells of bad padding is in no message: whoever sees it
    /// decrypts any ciphertext, and the daemon does not trust its clients.
    Pkcs1v15,
    /// The premaster secret of TLS, without its version, which the client looks at, in [`opened`]: from answers that depended on a
    /// version he names he would learn whether padding was good.
    TlsPremaster,
}

impl<'a> EncryptionScheme<'a> {
    /// The library's scheme in a message; `None` for one that no message has.
    pub fn of(scheme: encryption::Scheme<'a>) -> Option<EncryptionScheme<'a>> {
        match scheme {
            encryption::Scheme::Oaep { functions, label } => {
                Some(EncryptionScheme::Oaep { hash: functions.hash, mgf1_hash: functions.mgf1_hash, label })
            }
            encryption::Scheme::Pkcs1v15 => Some(EncryptionScheme::Pkcs1v15),
            encryption::Scheme::TlsPremaster { .. } | encryption::Scheme::TlsPremasterForAsker => {
                Some(EncryptionScheme::TlsPremaster)
            }
            _ => None,
        }
    }

    /// Its padding.
    pub fn padding(&self) -> Padding {
        match self {
            EncryptionScheme::Oaep { .. } => Padding::Oaep,
            EncryptionScheme::Pkcs1v15 | EncryptionScheme::TlsPremaster => Padding::Pkcs1v15,
        }
    }
}

impl<'a> From<EncryptionScheme<'a>> for encryption::Scheme<'a> {
    fn from(scheme: EncryptionScheme<'a>) -> encryption::Scheme<'a> {
        match scheme {
            EncryptionScheme::Oaep { hash, mgf1_hash, label } => {
                encryption::Scheme::Oaep { functions: oaep::Functions { hash, mgf1_hash }, label }
            }
            EncryptionScheme::Pkcs1v15 => encryption::Scheme::Pkcs1v15,
            EncryptionScheme::TlsPremaster => encryption::Scheme::TlsPremasterForAsker,
        }
    }
}

/// The message of a decryption by `scheme` from the daemon's answer.
///
/// # Errors
/// [`Error::Malformed`] for an answer of a length that no daemon gives; those of [`premaster::with_version`].
pub fn opened(scheme: encryption::Scheme<'_>, answer: Output) -> Result<Output, Error> {
    match scheme {
        encryption::Scheme::TlsPremaster { version, alternative } => {
            let secret = <&[u8; premaster::LENGTH]>::try_from(&answer[..]).map_err(|_| Error::Malformed)?;
            Ok(Output::from(premaster::with_version(secret, version, alternative)?.to_vec()))
        }
        _ => Ok(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_come_back_as_they_were() {
        let functions = pss::Functions::Mgf1 { hash: Hash::Sha512, mgf1_hash: Hash::Sha256 };
        let salts = [pss::Salt::Digest, pss::Salt::Bytes(20), pss::Salt::Longest];
        let pss = salts.map(|salt| signature::Scheme::Pss { functions, salt });
        let shake = signature::Scheme::Pss { functions: pss::Functions::Shake128, salt: pss::Salt::Digest };
        for scheme in [Hash::Sha3_256.into(), shake].into_iter().chain(pss) {
            assert_eq!(signature::Scheme::from(SignatureScheme::of(scheme).unwrap()), scheme);
        }
        let functions = oaep::Functions { hash: Hash::Sha256, mgf1_hash: Hash::Sha1 };
        for scheme in [
            encryption::Scheme::Oaep { functions, label: b"label" },
            encryption::Scheme::Pkcs1v15,
            encryption::Scheme::TlsPremasterForAsker,
        ] {
            assert_eq!(encryption::Scheme::from(EncryptionScheme::of(scheme).unwrap()), scheme);
        }
    }

    #[test]
    fn what_tells_of_bad_padding_is_in_no_message() {
        assert_eq!(EncryptionScheme::of(encryption::Scheme::Pkcs1v15Explicit), None);
        assert_eq!(EncryptionScheme::of(encryption::Scheme::Raw), None);
    }
}
