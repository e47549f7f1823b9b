// SPDX-License-Identifier: Apache-2.0
//! How X.509 names a scheme (RFC 4055, RFC 8692, RFC 8702).

use garner::padding::{Hash, pss};
use garner::signature::Scheme;
use pkcs1::{RsaPssParams, TrailerField};
use spki::der::asn1::{Any, Null};
use spki::der::{Decode, ErrorKind};
use spki::{AlgorithmIdentifier, AlgorithmIdentifierOwned, Error, ObjectIdentifier, Result};

const PSS: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.10");
const MGF1: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.8");
const PSS_SHAKE128: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.6.30");
const PSS_SHAKE256: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.6.31");

/// RSASSA-PKCS1-v1_5 with a hash; `None` for one that this crate does not know.
const fn pkcs1v15(hash: Hash) -> Option<ObjectIdentifier> {
    let name = match hash {
        Hash::Sha1 => "1.2.840.113549.1.1.5",
        Hash::Sha224 => "1.2.840.113549.1.1.14",
        Hash::Sha256 => "1.2.840.113549.1.1.11",
        Hash::Sha384 => "1.2.840.113549.1.1.12",
        Hash::Sha512 => "1.2.840.113549.1.1.13",
        Hash::Sha512_224 => "1.2.840.113549.1.1.15",
        Hash::Sha512_256 => "1.2.840.113549.1.1.16",
        Hash::Sha3_224 => "2.16.840.1.101.3.4.3.13",
        Hash::Sha3_256 => "2.16.840.1.101.3.4.3.14",
        Hash::Sha3_384 => "2.16.840.1.101.3.4.3.15",
        Hash::Sha3_512 => "2.16.840.1.101.3.4.3.16",
        _ => return None,
    };
    Some(ObjectIdentifier::new_unwrap(name))
}

/// A hash alone: the first part of `DigestInfo`, which is a sequence of this and the digest.
fn hash(hash: Hash) -> Result<AlgorithmIdentifierOwned> {
    let info = hash.digest_info_prefix();
    Ok(AlgorithmIdentifierOwned::from_der(&info[2..info.len() - 2])?)
}

/// The length of the salts that a scheme signs with under a modulus of `bits` bits; any where there is no room for one.
pub fn salt_len(functions: pss::Functions, salt: pss::Salt, bits: usize) -> usize {
    match salt {
        pss::Salt::Digest => functions.digest_len(),
        pss::Salt::Bytes(length) => length,
        _ => functions.longest_salt(bits).unwrap_or(0),
    }
}

/// The name of a scheme.
///
/// # Errors
/// The salt is longer than the structure of the crate `pkcs1` has room for, 255 bytes; or, with SHAKE, not as long as the digest,
/// as RFC 8702 has it, whose names have no parameters.
pub fn of(scheme: Scheme, bits: usize) -> Result<AlgorithmIdentifierOwned> {
    match scheme {
        Scheme::Pkcs1v15(hash) => {
            let oid = pkcs1v15(hash).ok_or(Error::AlgorithmParametersMissing)?;
            Ok(AlgorithmIdentifier { oid, parameters: Some(Null.into()) })
        }
        Scheme::Pss { functions: functions @ (pss::Functions::Shake128 | pss::Functions::Shake256), salt } => {
            if salt_len(functions, salt, bits) != functions.digest_len() {
                return Err(Error::AlgorithmParametersMissing);
            }
            let oid = if functions == pss::Functions::Shake128 { PSS_SHAKE128 } else { PSS_SHAKE256 };
            Ok(AlgorithmIdentifier { oid, parameters: None })
        }
        Scheme::Pss { functions: functions @ pss::Functions::Mgf1 { hash: of_message, mgf1_hash }, salt } => {
            let salt_len = salt_len(functions, salt, bits);
            let parameters = RsaPssParams {
                hash: hash(of_message)?,
                mask_gen: AlgorithmIdentifier { oid: MGF1, parameters: Some(hash(mgf1_hash)?) },
                salt_len: u8::try_from(salt_len)
                    .map_err(|_| Error::from(spki::der::Error::from(ErrorKind::Overflow)))?,
                trailer_field: TrailerField::BC,
            };
            Ok(AlgorithmIdentifier { oid: PSS, parameters: Some(Any::encode_from(&parameters)?) })
        }
        _ => Err(Error::AlgorithmParametersMissing),
    }
}
