// SPDX-License-Identifier: Apache-2.0
//! The mechanisms: which there are, what they become, and their operations by the daemon.

use crate::failure::failure;
use crate::keys::NamedKey;
use crate::memory::{self, Result};
use cryptoki_sys::*;
use garner::encryption;
use garner::gather::Output;
use garner::padding::{Hash, oaep, pss};
use garner::signature::{self, Scheme};
use garner_remote::Error;
use openssl::hash::{Hasher, MessageDigest};
use std::sync::Arc;
use zeroize::Zeroizing;

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

/// libcrypto's hash function of a message mechanism.
fn digest_of(hash: Hash) -> MessageDigest {
    match hash {
        Hash::Sha224 => MessageDigest::sha224(),
        Hash::Sha384 => MessageDigest::sha384(),
        Hash::Sha512 => MessageDigest::sha512(),
        Hash::Sha3_224 => MessageDigest::sha3_224(),
        Hash::Sha3_256 => MessageDigest::sha3_256(),
        Hash::Sha3_384 => MessageDigest::sha3_384(),
        Hash::Sha3_512 => MessageDigest::sha3_512(),
        _ => MessageDigest::sha256(),
    }
}

/// A signature to be made.
pub struct Signing {
    key: Arc<NamedKey>,
    how: SigningHow,
    data: Data,
    has_pieces: bool,
}

enum SigningHow {
    /// By a scheme, of a digest.
    Scheme(Scheme),
    /// By PKCS#1 v1.5 around what is given: a digest with the name of its hash.
    Unnamed,
    /// Without padding.
    Raw,
}

/// What is to be signed.
enum Data {
    /// A message, of which this was seen.
    Message(Hasher),
    /// What is not longer than the modulus.
    Block(Zeroizing<Vec<u8>>),
}

impl Signing {
    /// By this mechanism.
    ///
    /// # Safety
    /// As [`memory::values`].
    pub unsafe fn new(key: Arc<NamedKey>, mechanism: &CK_MECHANISM) -> Result<Signing> {
        let kind = mechanism.mechanism;
        // SAFETY: by this function's contract.
        let pss = || unsafe { pss(&key, mechanism) };
        let of_message = HASHES.iter().find(|hash| [hash.3, hash.4].contains(&kind));
        let how = match (kind, of_message) {
            (CKM_RSA_PKCS, _) => SigningHow::Unnamed,
            (CKM_RSA_X_509, _) => SigningHow::Raw,
            (CKM_RSA_PKCS_PSS, _) => SigningHow::Scheme(pss()?.1),
            (_, Some(hash)) if kind == hash.3 => SigningHow::Scheme(Scheme::Pkcs1v15(hash.0)),
            (_, Some(hash)) => match pss()? {
                (of_digest, scheme) if of_digest == hash.0 => SigningHow::Scheme(scheme),
                _ => return Err(CKR_MECHANISM_PARAM_INVALID),
            },
            _ => return Err(CKR_MECHANISM_INVALID),
        };
        let data = match of_message {
            Some(hash) => Data::Message(Hasher::new(digest_of(hash.0)).map_err(|_| CKR_FUNCTION_FAILED)?),
            None => Data::Block(Zeroizing::new(Vec::with_capacity(key.key.public().size()))),
        };
        Ok(Signing { key, how, data, has_pieces: false })
    }

    /// Bytes of the signature.
    pub fn size(&self) -> usize {
        self.key.key.public().size()
    }

    /// Whether some of what is to be signed came already.
    pub fn has_pieces(&self) -> bool {
        self.has_pieces
    }

    /// More of what is to be signed.
    pub fn add(&mut self, piece: &[u8]) -> Result<()> {
        self.has_pieces = true;
        let size = self.size();
        match &mut self.data {
            Data::Message(hasher) => hasher.update(piece).map_err(|_| CKR_FUNCTION_FAILED),
            // As much as there is room for, so that nothing is left where it was.
            Data::Block(block) if block.len() + piece.len() <= size => {
                block.extend_from_slice(piece);
                Ok(())
            }
            Data::Block(_) => Err(CKR_DATA_LEN_RANGE),
        }
    }

    /// The signature.
    pub fn end(self) -> Result<Output> {
        let key = &self.key.key;
        let data = match self.data {
            Data::Message(mut hasher) => Zeroizing::new(hasher.finish().map_err(|_| CKR_FUNCTION_FAILED)?.to_vec()),
            Data::Block(block) => block,
        };
        let signature = match self.how {
            SigningHow::Scheme(scheme) => key.sign(scheme, &data),
            SigningHow::Unnamed => key.sign_unnamed(&data),
            SigningHow::Raw => key.private(&data),
        };
        signature.map_err(|error| failure(&error))
    }
}

/// PSS with the parameters of a mechanism, and the hash of what is signed.
///
/// # Safety
/// As [`memory::values`].
unsafe fn pss(key: &NamedKey, mechanism: &CK_MECHANISM) -> Result<(Hash, Scheme)> {
    // SAFETY: by this function's contract.
    let given: CK_RSA_PKCS_PSS_PARAMS = unsafe { memory::parameters(mechanism)? };
    let hash = hash_of(given.hashAlg)?;
    let functions = pss::Functions::Mgf1 { hash, mgf1_hash: mask_of(given.mgf)? };
    let scheme = Scheme::Pss { functions, salt: pss::Salt::Bytes(given.sLen as usize) };
    let fits = signature::fits(key.key.public(), scheme, &vec![0; scheme.digest_len()]).is_ok();
    // SHA-1 is for verification.
    if hash == Hash::Sha1 || !fits || given.sLen > CK_ULONG::from(u16::MAX) {
        return Err(CKR_MECHANISM_PARAM_INVALID);
    }
    Ok((hash, scheme))
}

/// A decryption to be made.
pub struct Decrypting {
    key: Arc<NamedKey>,
    how: DecryptingHow,
}

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
        if ciphertext.len() != self.size() {
            return Err(CKR_ENCRYPTED_DATA_LEN_RANGE);
        }
        let scheme = match &self.how {
            DecryptingHow::Oaep { functions, label } => encryption::Scheme::Oaep { functions: *functions, label },
            DecryptingHow::Pkcs1v15 => encryption::Scheme::Pkcs1v15,
            DecryptingHow::Raw => encryption::Scheme::Raw,
        };
        self.key.key.decrypt(scheme, ciphertext).map_err(|error| match error {
            // Not below the modulus.
            Error::Here(garner::Error::Argument { .. }) => CKR_ENCRYPTED_DATA_INVALID,
            error => failure(&error),
        })
    }
}
