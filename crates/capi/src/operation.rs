// SPDX-License-Identifier: Apache-2.0
//! `garner_operation`, and what every way of running one shares: operands in, a task, its output judged.

use crate::handles::{self, GarnerModulus, GarnerPrivateKey, GarnerPublicKey};
use crate::memory::{self, Plain};
use crate::status::Failure;
use core_garner::arithmetic::Modulus;
use core_garner::encryption;
use core_garner::gather::{Operation, Output};
use core_garner::key::PublicKey;
use core_garner::padding::{Hash, oaep, pss};
use core_garner::signature::{self, Scheme, Verification};
use garner_remote::Key;
use garner_remote::key::{Opening, Task};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// `garner_operation`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GarnerOperation {
    pub(crate) size: usize,
    pub(crate) kind: c_int,
    pub(crate) hash: c_int,
    pub(crate) mgf1_hash: c_int,
    pub(crate) salt_length: c_int,
    pub(crate) private_key: *const GarnerPrivateKey,
    pub(crate) public_key: *const GarnerPublicKey,
    pub(crate) modulus: *const GarnerModulus,
    pub(crate) input: *const c_void,
    pub(crate) input_length: usize,
    pub(crate) second: *const c_void,
    pub(crate) second_length: usize,
    pub(crate) label: *const c_void,
    pub(crate) label_length: usize,
    pub(crate) output: *mut c_void,
    pub(crate) output_length: usize,
    pub(crate) status: c_int,
}

// SAFETY: numbers and pointers; NULL is a pointer.
unsafe impl Plain for GarnerOperation {
    const NAME: &'static str = "garner_operation";
}

/// `enum garner_operation_kind`
pub mod kind {
    use std::ffi::c_int;

    /// input^d mod n
    pub const PRIVATE: c_int = 1;
    /// input^e mod n
    pub const PUBLIC: c_int = 2;
    /// base^exponent mod modulus
    pub const MOD_EXP: c_int = 3;
    /// The signature of a message.
    pub const SIGN: c_int = 4;
    /// The signature of a digest.
    pub const SIGN_DIGEST: c_int = 5;
    /// Whether a signature is that of a message.
    pub const VERIFY: c_int = 6;
    /// Whether a signature is that of a digest.
    pub const VERIFY_DIGEST: c_int = 7;
    /// The PSS signature of a message.
    pub const SIGN_PSS: c_int = 8;
    /// The PSS signature of a digest.
    pub const SIGN_DIGEST_PSS: c_int = 9;
    /// Whether a PSS signature is that of a message.
    pub const VERIFY_PSS: c_int = 10;
    /// Whether a PSS signature is that of a digest.
    pub const VERIFY_DIGEST_PSS: c_int = 11;
    /// Encryption by OAEP.
    pub const ENCRYPT_OAEP: c_int = 12;
    /// Decryption by OAEP.
    pub const DECRYPT_OAEP: c_int = 13;
    /// Encryption by PKCS#1 v1.5.
    pub const ENCRYPT_PKCS1: c_int = 14;
    /// Decryption by PKCS#1 v1.5 with implicit rejection.
    pub const DECRYPT_PKCS1: c_int = 15;
    /// Decryption by PKCS#1 v1.5 with an error for bad padding.
    pub const DECRYPT_PKCS1_EXPLICIT: c_int = 16;
}

/// `enum garner_hash`: 1 and up, in this order.
pub const HASHES: [Hash; 11] = [
    Hash::Sha1,
    Hash::Sha224,
    Hash::Sha256,
    Hash::Sha384,
    Hash::Sha512,
    Hash::Sha512_224,
    Hash::Sha512_256,
    Hash::Sha3_224,
    Hash::Sha3_256,
    Hash::Sha3_384,
    Hash::Sha3_512,
];

/// The hash of that number.
pub fn hash_of(number: c_int) -> Result<Hash, Failure> {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let hash = index.and_then(|index| HASHES.get(index));
    hash.copied().ok_or_else(|| Failure::argument("hash", format!("{number} is not one of enum garner_hash")))
}

/// The hash of a mask: 0 is `hash`, that of the message or label.
fn mgf1_hash_of(number: c_int, hash: Hash) -> Result<Hash, Failure> {
    match number {
        0 => Ok(hash),
        number => hash_of(number)
            .map_err(|_| Failure::argument("mgf1_hash", format!("{number} is neither 0 nor one of enum garner_hash"))),
    }
}

/// `enum garner_salt`
pub mod salt {
    use std::ffi::c_int;

    /// As long as the digest.
    pub const DIGEST: c_int = 0;
    /// None.
    pub const NONE: c_int = -1;
    /// As long as fits.
    pub const LONGEST: c_int = -2;
    /// Whatever length a signature has.
    pub const ANY: c_int = -3;
}

/// PSS with these parameters.
pub fn pss_of(hash: c_int, mgf1_hash: c_int, salt_length: c_int) -> Result<Scheme, Failure> {
    let hash = hash_of(hash)?;
    let salt = match salt_length {
        salt::DIGEST => pss::Salt::Digest,
        salt::NONE => pss::Salt::Bytes(0),
        salt::LONGEST => pss::Salt::Longest,
        salt::ANY => pss::Salt::Any,
        length => pss::Salt::Bytes(usize::try_from(length).map_err(|_| {
            Failure::argument("salt_length", format!("{length} is neither a length nor one of enum garner_salt"))
        })?),
    };
    Ok(Scheme::Pss { functions: pss::Functions::Mgf1 { hash, mgf1_hash: mgf1_hash_of(mgf1_hash, hash)? }, salt })
}

/// OAEP with these parameters.
pub fn oaep_of(hash: c_int, mgf1_hash: c_int, label: &[u8]) -> Result<encryption::Scheme<'_>, Failure> {
    let hash = hash_of(hash)?;
    let functions = oaep::Functions { hash, mgf1_hash: mgf1_hash_of(mgf1_hash, hash)? };
    Ok(encryption::Scheme::Oaep { functions, label })
}

/// What was signed.
#[derive(Clone, Copy)]
pub enum Signed<'a> {
    /// A message, still to be hashed.
    Message(&'a [u8]),
    /// A digest.
    Digest(&'a [u8]),
}

impl Signed<'_> {
    fn digest(self, scheme: Scheme) -> Result<Vec<u8>, Failure> {
        Ok(match self {
            Signed::Message(message) => scheme.digest(message)?,
            Signed::Digest(digest) => digest.to_vec(),
        })
    }
}

/// An operation with its operands copied, ready to be run.
pub struct Prepared {
    /// What the gatherer runs, or the daemon if it holds the key.
    pub task: Task,
    /// What becomes of its output.
    pub outcome: Outcome,
}

/// What becomes of the task's output.
pub enum Outcome {
    /// It is the answer, of that many bytes.
    Release(usize),
    /// It is judged; nothing but the judgement is released.
    Judge(Verification),
    /// The answer is the message in it, of that many bytes at most.
    Open(Opening, usize),
}

impl Outcome {
    /// Bytes of the answer at most: the room that it needs.
    pub fn size(&self) -> usize {
        match self {
            Outcome::Release(size) | Outcome::Open(_, size) => *size,
            Outcome::Judge(_) => 0,
        }
    }

    /// The answer.
    pub fn of(&self, output: Output) -> Result<Output, Failure> {
        match self {
            Outcome::Release(_) => Ok(output),
            Outcome::Judge(verification) => {
                verification.judge(&output)?;
                Ok(Output::default())
            }
            Outcome::Open(opening, _) => Ok(opening.open(output)?),
        }
    }
}

impl Prepared {
    /// input^d mod n
    pub fn private(key: &Arc<Key>, input: &[u8]) -> Result<Prepared, Failure> {
        let task = key.private(number("input", input)?)?;
        Ok(Prepared { task, outcome: Outcome::Release(key.public().size()) })
    }

    /// input^e mod n
    pub fn public(key: &Arc<PublicKey>, input: &[u8]) -> Result<Prepared, Failure> {
        let task = Operation::public(key, number("input", input)?)?.into();
        Ok(Prepared { task, outcome: Outcome::Release(key.size()) })
    }

    /// base^exponent mod modulus
    pub fn mod_exp(modulus: &Arc<Modulus>, base: &[u8], exponent: &[u8]) -> Result<Prepared, Failure> {
        let operation = Operation::exponentiation(modulus, number("base", base)?, number("exponent", exponent)?)?;
        Ok(Prepared { task: operation.into(), outcome: Outcome::Release(modulus.bits().div_ceil(8)) })
    }

    /// The signature of a message or digest.
    pub fn sign(key: &Arc<Key>, scheme: Scheme, signed: Signed<'_>) -> Result<Prepared, Failure> {
        let task = key.signing(scheme, &signed.digest(scheme)?)?;
        Ok(Prepared { task, outcome: Outcome::Release(key.public().size()) })
    }

    /// Whether a signature is that of a message or digest.
    pub fn verify(
        key: &Arc<PublicKey>,
        scheme: Scheme,
        signed: Signed<'_>,
        signature: &[u8],
    ) -> Result<Prepared, Failure> {
        let (operation, verification) = signature::verification(key, scheme, &signed.digest(scheme)?, signature)?;
        Ok(Prepared { task: operation.into(), outcome: Outcome::Judge(verification) })
    }

    /// The ciphertext of a message.
    pub fn encrypt(key: &Arc<PublicKey>, scheme: encryption::Scheme<'_>, message: &[u8]) -> Result<Prepared, Failure> {
        let task = encryption::encryption(key, scheme, message)?.into();
        Ok(Prepared { task, outcome: Outcome::Release(key.size()) })
    }

    /// The message of a ciphertext.
    pub fn decrypt(key: &Arc<Key>, scheme: encryption::Scheme<'_>, ciphertext: &[u8]) -> Result<Prepared, Failure> {
        let longest = scheme.longest_message(key.public().size())?;
        let (task, opening) = key.decryption(scheme, ciphertext)?;
        Ok(Prepared { task, outcome: Outcome::Open(opening, longest) })
    }
}

impl GarnerOperation {
    /// Copies the operands.
    ///
    /// # Safety
    /// As `garner.h` says under "Memory".
    pub unsafe fn prepare(&self) -> Result<Prepared, Failure> {
        // SAFETY: the caller's promise; the slices do not outlive this function, which writes nothing of the caller's.
        let input = || unsafe { memory::operand("input", self.input, self.input_length) };
        // SAFETY: as above.
        let message = || unsafe { memory::bytes("input", self.input, self.input_length) };
        // SAFETY: as above.
        let second = || unsafe { memory::operand("second", self.second, self.second_length) };
        // SAFETY: as above.
        let label = || unsafe { memory::bytes("label", self.label, self.label_length) };
        let message = || message().map(Signed::Message);
        let digest = || input().map(Signed::Digest);
        let private = || handles::get(self.private_key);
        let public = || handles::get(self.public_key);
        let pkcs1 = || hash_of(self.hash).map(Scheme::Pkcs1v15);
        let pss = || pss_of(self.hash, self.mgf1_hash, self.salt_length);
        match self.kind {
            kind::PRIVATE => Prepared::private(&private()?, input()?),
            kind::PUBLIC => Prepared::public(&public()?, input()?),
            kind::MOD_EXP => Prepared::mod_exp(&handles::get(self.modulus)?, input()?, second()?),
            kind::SIGN => Prepared::sign(&private()?, pkcs1()?, message()?),
            kind::SIGN_DIGEST => Prepared::sign(&private()?, pkcs1()?, digest()?),
            kind::SIGN_PSS => Prepared::sign(&private()?, pss()?, message()?),
            kind::SIGN_DIGEST_PSS => Prepared::sign(&private()?, pss()?, digest()?),
            kind::VERIFY => Prepared::verify(&public()?, pkcs1()?, message()?, second()?),
            kind::VERIFY_DIGEST => Prepared::verify(&public()?, pkcs1()?, digest()?, second()?),
            kind::VERIFY_PSS => Prepared::verify(&public()?, pss()?, message()?, second()?),
            kind::VERIFY_DIGEST_PSS => Prepared::verify(&public()?, pss()?, digest()?, second()?),
            kind::ENCRYPT_OAEP => {
                Prepared::encrypt(&public()?, oaep_of(self.hash, self.mgf1_hash, label()?)?, input()?)
            }
            kind::DECRYPT_OAEP => {
                Prepared::decrypt(&private()?, oaep_of(self.hash, self.mgf1_hash, label()?)?, input()?)
            }
            kind::ENCRYPT_PKCS1 => Prepared::encrypt(&public()?, encryption::Scheme::Pkcs1v15, input()?),
            kind::DECRYPT_PKCS1 => Prepared::decrypt(&private()?, encryption::Scheme::Pkcs1v15, input()?),
            kind::DECRYPT_PKCS1_EXPLICIT => {
                Prepared::decrypt(&private()?, encryption::Scheme::Pkcs1v15Explicit, input()?)
            }
            other => Err(Failure::argument("kind", format!("{other} is not one of enum garner_operation_kind"))),
        }
    }
}

/// A number has at least one byte; nothing at all is a mistake rather than zero.
fn number<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a [u8], Failure> {
    if bytes.is_empty() { Err(Failure::argument(name, "has no bytes")) } else { Ok(bytes) }
}
