// SPDX-License-Identifier: Apache-2.0
//! The mechanisms: which there are, what they become, and their operations by the daemon.

use crate::memory::{self, Result};
use crate::objects::NamedKey;
use cryptoki_sys::*;
use garner::encryption;
use garner::gather::Output;
use garner::padding::{Hash, oaep, pss};
use garner::signature::Scheme;
use garner_remote::Error;
use garner_remote::message::Refusal;
use std::sync::Arc;

/// Hashes: by themselves, in a mask, and in a signature of a message by PKCS#1 v1.5 and by PSS.
const HASHES: [(Hash, CK_MECHANISM_TYPE, CK_RSA_PKCS_MGF_TYPE, CK_MECHANISM_TYPE, CK_MECHANISM_TYPE); 8] = [
    (Hash::Sha224, CKM_SHA224, CKG_MGF1_SHA224, CKM_SHA224_RSA_PKCS, CKM_SHA224_RSA_PKCS_PSS),
    (Hash::Sha256, CKM_SHA256, CKG_MGF1_SHA256, CKM_SHA256_RSA_PKCS, CKM_SHA256_RSA_PKCS_PSS),
    (Hash::Sha384, CKM_SHA384, CKG_MGF1_SHA384, CKM_SHA384_RSA_PKCS, CKM_SHA384_RSA_PKCS_PSS),
    (Hash::Sha512, CKM_SHA512, CKG_MGF1_SHA512, CKM_SHA512_RSA_PKCS, CKM_SHA512_RSA_PKCS_PSS),
    (Hash::Sha3_224, CKM_SHA3_224, CKG_MGF1_SHA3_224, CKM_SHA3_224_RSA_PKCS, CKM_SHA3_224_RSA_PKCS_PSS),
    (Hash::Sha3_256, CKM_SHA3_256, CKG_MGF1_SHA3_256, CKM_SHA3_256_RSA_PKCS, CKM_SHA3_256_RSA_PKCS_PSS),
    (Hash::Sha3_384, CKM_SHA3_384, CKG_MGF1_SHA3_384, CKM_SHA3_384_RSA_PKCS, CKM_SHA3_384_RSA_PKCS_PSS),
    (Hash::Sha3_512, CKM_SHA3_512, CKG_MGF1_SHA3_512, CKM_SHA3_512_RSA_PKCS, CKM_SHA3_512_RSA_PKCS_PSS),
];

/// All mechanisms.
pub fn all() -> Vec<CK_MECHANISM_TYPE> {
    let both = [CKM_RSA_PKCS, CKM_RSA_PKCS_PSS, CKM_RSA_PKCS_OAEP, CKM_RSA_X_509];
    both.into_iter().chain(HASHES.iter().flat_map(|hash| [hash.3, hash.4])).collect()
}

/// What a mechanism is for.
pub fn info(mechanism: CK_MECHANISM_TYPE) -> Result<CK_MECHANISM_INFO> {
    let flags = match mechanism {
        CKM_RSA_PKCS | CKM_RSA_X_509 => CKF_SIGN | CKF_DECRYPT,
        CKM_RSA_PKCS_OAEP => CKF_DECRYPT,
        other if all().contains(&other) => CKF_SIGN,
        _ => return Err(CKR_MECHANISM_INVALID),
    };
    Ok(CK_MECHANISM_INFO { ulMinKeySize: 512, ulMaxKeySize: 8192, flags })
}

fn hash_of(mechanism: CK_MECHANISM_TYPE) -> Result<Hash> {
    if mechanism == CKM_SHA_1 {
        return Ok(Hash::Sha1);
    }
    let known = HASHES.iter().find(|hash| hash.1 == mechanism);
    known.map(|hash| hash.0).ok_or(CKR_MECHANISM_PARAM_INVALID)
}

fn mask_of(mask: CK_RSA_PKCS_MGF_TYPE) -> Result<Hash> {
    if mask == CKG_MGF1_SHA1 {
        return Ok(Hash::Sha1);
    }
    let known = HASHES.iter().find(|hash| hash.2 == mask);
    known.map(|hash| hash.0).ok_or(CKR_MECHANISM_PARAM_INVALID)
}

/// A signature to be made.
#[derive(Debug)]
pub struct Signing {
    key: Arc<NamedKey>,
    how: SigningHow,
}

#[derive(Debug)]
enum SigningHow {
    /// Of a message.
    Message(Scheme),
    /// Of a digest.
    Digest(Scheme),
    /// By PKCS#1 v1.5 around what is given: a digest with the name of its hash.
    Unnamed,
    /// Without padding.
    Raw,
}

impl Signing {
    /// By this mechanism.
    ///
    /// # Safety
    /// As [`memory::values`].
    pub unsafe fn new(key: Arc<NamedKey>, mechanism: &CK_MECHANISM) -> Result<Signing> {
        let kind = mechanism.mechanism;
        // SAFETY: by this function's contract.
        let pss = || unsafe { pss(mechanism) };
        let of_message = HASHES.iter().find(|hash| [hash.3, hash.4].contains(&kind));
        let how = match (kind, of_message) {
            (CKM_RSA_PKCS, _) => SigningHow::Unnamed,
            (CKM_RSA_X_509, _) => SigningHow::Raw,
            (CKM_RSA_PKCS_PSS, _) => SigningHow::Digest(pss()?),
            (_, Some(hash)) if kind == hash.3 => SigningHow::Message(Scheme::Pkcs1v15(hash.0)),
            (_, Some(_)) => SigningHow::Message(pss()?),
            _ => return Err(CKR_MECHANISM_INVALID),
        };
        Ok(Signing { key, how })
    }

    /// Bytes of the signature.
    pub fn size(&self) -> usize {
        self.key.key.public().size()
    }

    /// The signature.
    pub fn of(&self, data: &[u8]) -> Result<Output> {
        let key = &self.key.key;
        let signature = match self.how {
            SigningHow::Message(scheme) => {
                scheme.digest(data).map_err(Error::from).and_then(|digest| key.sign(scheme, &digest))
            }
            SigningHow::Digest(scheme) => key.sign(scheme, data),
            SigningHow::Unnamed => key.sign_unnamed(data),
            SigningHow::Raw => key.private(data),
        };
        signature.map_err(|error| failure(&error))
    }
}

/// PSS with the parameters of a mechanism.
///
/// # Safety
/// As [`memory::values`].
unsafe fn pss(mechanism: &CK_MECHANISM) -> Result<Scheme> {
    // SAFETY: by this function's contract.
    let given: CK_RSA_PKCS_PSS_PARAMS = unsafe { memory::parameters(mechanism)? };
    let functions = pss::Functions::Mgf1 { hash: hash_of(given.hashAlg)?, mgf1_hash: mask_of(given.mgf)? };
    Ok(Scheme::Pss { functions, salt: pss::Salt::Bytes(given.sLen as usize) })
}

/// A decryption to be made.
#[derive(Debug)]
pub struct Decrypting {
    key: Arc<NamedKey>,
    how: DecryptingHow,
}

#[derive(Debug)]
enum DecryptingHow {
    Oaep { functions: oaep::Functions, label: Vec<u8> },
    Pkcs1v15,
    Raw,
}

impl Decrypting {
    /// By this mechanism.
    ///
    /// # Safety
    /// As [`memory::values`].
    pub unsafe fn new(key: Arc<NamedKey>, mechanism: &CK_MECHANISM) -> Result<Decrypting> {
        let how = match mechanism.mechanism {
            CKM_RSA_PKCS => DecryptingHow::Pkcs1v15,
            CKM_RSA_X_509 => DecryptingHow::Raw,
            CKM_RSA_PKCS_OAEP => {
                // SAFETY: by this function's contract.
                let given: CK_RSA_PKCS_OAEP_PARAMS = unsafe { memory::parameters(mechanism)? };
                if given.source != CKZ_DATA_SPECIFIED && given.ulSourceDataLen != 0 {
                    return Err(CKR_MECHANISM_PARAM_INVALID);
                }
                let functions = oaep::Functions { hash: hash_of(given.hashAlg)?, mgf1_hash: mask_of(given.mgf)? };
                // SAFETY: as above.
                let label = unsafe { memory::values(given.pSourceData.cast::<u8>(), given.ulSourceDataLen)? };
                DecryptingHow::Oaep { functions, label: label.to_vec() }
            }
            _ => return Err(CKR_MECHANISM_INVALID),
        };
        Ok(Decrypting { key, how })
    }

    /// Bytes of the message at most.
    pub fn size(&self) -> usize {
        self.key.key.public().size()
    }

    /// The message.
    pub fn of(&self, ciphertext: &[u8]) -> Result<Output> {
        let scheme = match &self.how {
            DecryptingHow::Oaep { functions, label } => encryption::Scheme::Oaep { functions: *functions, label },
            DecryptingHow::Pkcs1v15 => encryption::Scheme::Pkcs1v15,
            DecryptingHow::Raw => encryption::Scheme::Raw,
        };
        self.key.key.decrypt(scheme, ciphertext).map_err(|error| failure(&error))
    }
}

/// What the standard calls an error.
pub fn failure(error: &Error) -> CK_RV {
    match error {
        Error::Refused(Refusal::Verification) | Error::Here(garner::Error::Verification) => CKR_ENCRYPTED_DATA_INVALID,
        Error::Refused(Refusal::Argument { .. }) | Error::Here(garner::Error::Argument { .. }) => CKR_DATA_LEN_RANGE,
        Error::Refused(Refusal::Forbidden(_)) => CKR_KEY_FUNCTION_NOT_PERMITTED,
        Error::Refused(Refusal::NoKey) => CKR_KEY_HANDLE_INVALID,
        Error::Unreachable { .. } => CKR_DEVICE_ERROR,
        _ => CKR_FUNCTION_FAILED,
    }
}
