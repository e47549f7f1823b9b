//! `garner_operation`, and what every way of running one shares: operands in, an operation of the gatherer, its output
//! judged.

use crate::handles::{self, GarnerModulus, GarnerPrivateKey, GarnerPublicKey};
use crate::memory::{self, Plain};
use crate::status::Failure;
use core_garner::arithmetic::Modulus;
use core_garner::gather::{Operation, Output};
use core_garner::key::{PrivateKey, PublicKey};
use core_garner::padding::Hash;
use core_garner::signature::{self, Verification};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// `garner_operation`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GarnerOperation {
    pub(crate) size: usize,
    pub(crate) kind: c_int,
    pub(crate) hash: c_int,
    pub(crate) private_key: *const GarnerPrivateKey,
    pub(crate) public_key: *const GarnerPublicKey,
    pub(crate) modulus: *const GarnerModulus,
    pub(crate) input: *const c_void,
    pub(crate) input_length: usize,
    pub(crate) second: *const c_void,
    pub(crate) second_length: usize,
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

/// What was signed.
#[derive(Clone, Copy)]
pub enum Signed<'a> {
    /// A message, still to be hashed.
    Message(&'a [u8]),
    /// A digest.
    Digest(&'a [u8]),
}

impl Signed<'_> {
    fn digest(self, hash: Hash) -> Result<Vec<u8>, Failure> {
        Ok(match self {
            Signed::Message(message) => hash.digest(message)?.to_vec(),
            Signed::Digest(digest) => digest.to_vec(),
        })
    }
}

/// An operation with its operands copied, ready for the gatherer.
pub struct Prepared {
    /// What the gatherer runs.
    pub operation: Operation,
    /// What becomes of its output.
    pub outcome: Outcome,
}

/// What becomes of the gatherer's output.
pub enum Outcome {
    /// It is the answer, of that many bytes.
    Release(usize),
    /// It is judged; nothing but the judgement is released.
    Judge(Verification),
}

impl Outcome {
    /// Bytes of the answer.
    pub fn size(&self) -> usize {
        match self {
            Outcome::Release(size) => *size,
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
        }
    }
}

impl Prepared {
    /// input^d mod n
    pub fn private(key: &Arc<PrivateKey>, input: &[u8]) -> Result<Prepared, Failure> {
        let operation = Operation::private(key, number("input", input)?)?;
        Ok(Prepared { operation, outcome: Outcome::Release(key.public().size()) })
    }

    /// input^e mod n
    pub fn public(key: &Arc<PublicKey>, input: &[u8]) -> Result<Prepared, Failure> {
        let operation = Operation::public(key, number("input", input)?)?;
        Ok(Prepared { operation, outcome: Outcome::Release(key.size()) })
    }

    /// base^exponent mod modulus
    pub fn mod_exp(modulus: &Arc<Modulus>, base: &[u8], exponent: &[u8]) -> Result<Prepared, Failure> {
        let operation = Operation::exponentiation(modulus, number("base", base)?, number("exponent", exponent)?)?;
        Ok(Prepared { operation, outcome: Outcome::Release(modulus.bits().div_ceil(8)) })
    }

    /// The signature of a message or digest.
    pub fn sign(key: &Arc<PrivateKey>, hash: Hash, signed: Signed<'_>) -> Result<Prepared, Failure> {
        let operation = signature::signing(key, hash, &signed.digest(hash)?)?;
        Ok(Prepared { operation, outcome: Outcome::Release(key.public().size()) })
    }

    /// Whether a signature is that of a message or digest.
    pub fn verify(key: &Arc<PublicKey>, hash: Hash, signed: Signed<'_>, signature: &[u8]) -> Result<Prepared, Failure> {
        let (operation, verification) = signature::verification(key, hash, &signed.digest(hash)?, signature)?;
        Ok(Prepared { operation, outcome: Outcome::Judge(verification) })
    }
}

impl GarnerOperation {
    /// Copies the operands.
    ///
    /// # Safety
    /// As `garner.h` says under "Memory".
    pub unsafe fn prepare(&self) -> Result<Prepared, Failure> {
        // SAFETY: the caller's promise; the slices do not outlive this function, which writes nothing of the caller's.
        let input = || unsafe { memory::bytes("input", self.input, self.input_length) };
        // SAFETY: as above.
        let second = || unsafe { memory::bytes("second", self.second, self.second_length) };
        let message = || input().map(Signed::Message);
        let digest = || input().map(Signed::Digest);
        match self.kind {
            kind::PRIVATE => Prepared::private(&handles::get(self.private_key)?, input()?),
            kind::PUBLIC => Prepared::public(&handles::get(self.public_key)?, input()?),
            kind::MOD_EXP => Prepared::mod_exp(&handles::get(self.modulus)?, input()?, second()?),
            kind::SIGN => Prepared::sign(&handles::get(self.private_key)?, hash_of(self.hash)?, message()?),
            kind::SIGN_DIGEST => Prepared::sign(&handles::get(self.private_key)?, hash_of(self.hash)?, digest()?),
            kind::VERIFY => {
                Prepared::verify(&handles::get(self.public_key)?, hash_of(self.hash)?, message()?, second()?)
            }
            kind::VERIFY_DIGEST => {
                Prepared::verify(&handles::get(self.public_key)?, hash_of(self.hash)?, digest()?, second()?)
            }
            other => Err(Failure::argument("kind", format!("{other} is not one of enum garner_operation_kind"))),
        }
    }
}

/// A number has at least one byte; nothing at all is a mistake rather than zero.
fn number<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a [u8], Failure> {
    if bytes.is_empty() { Err(Failure::argument(name, "has no bytes")) } else { Ok(bytes) }
}
