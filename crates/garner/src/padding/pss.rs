// SPDX-License-Identifier: Apache-2.0
//! EMSA-PSS (RFC 8017 section 9.1), with MGF1 or with SHAKE (RFC 8702): `maskedDB H bc`, of one bit less than the
//! modulus.
//!
//! With a modulus of 8k + 1 bits the encoding is a byte shorter than the modulus; blocks here are as long as the
//! modulus always and begin with a zero byte then.

use super::hash::hasher;
use super::{Hash, mgf1};
use crate::error::{Error, Result};
use crate::random;
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use subtle::ConstantTimeEq;

/// The last byte of every encoding.
const TRAILER: u8 = 0xbc;

/// The functions that make a PSS scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Functions {
    /// A hash and MGF1, with the same hash or another.
    Mgf1 {
        /// Hash of the message and of the encoding. SHA-1 is accepted in verification only.
        hash: Hash,
        /// Hash of the mask.
        mgf1_hash: Hash,
    },
    /// SHAKE128 for both: digests of 32 bytes, and a mask as long as it need be (RFC 8702).
    Shake128,
    /// SHAKE256 for both: digests of 64 bytes, and a mask as long as it need be (RFC 8702).
    Shake256,
}

impl Functions {
    /// A hash, and MGF1 with the same.
    pub const fn of(hash: Hash) -> Functions {
        Functions::Mgf1 { hash, mgf1_hash: hash }
    }

    /// Length of a digest in bytes.
    pub const fn digest_len(self) -> usize {
        match self {
            Functions::Mgf1 { hash, .. } => hash.digest_len(),
            Functions::Shake128 => 32,
            Functions::Shake256 => 64,
        }
    }

    /// The digest of a message.
    ///
    /// # Errors
    /// [`Error::Argument`] when libcrypto cannot compute it (by how it was built or configured); [`Error::Memory`].
    pub fn digest(self, message: &[u8]) -> Result<Vec<u8>> {
        self.hash(&[message], self.digest_len())
    }

    /// The longest salt that a modulus of `bits` bits has room for; `None` when it has not even room for a digest.
    ///
    /// Source   RFC 8017 9.1.1 step 3.
    pub const fn longest_salt(self, bits: usize) -> Option<usize> {
        bits.saturating_sub(1).div_ceil(8).checked_sub(self.digest_len() + 2)
    }

    fn name(self) -> &'static str {
        match self {
            Functions::Mgf1 { hash, .. } => hash.name(),
            Functions::Shake128 => "SHAKE128",
            Functions::Shake256 => "SHAKE256",
        }
    }

    fn message_digest(self) -> Result<MessageDigest> {
        match self {
            Functions::Mgf1 { hash, .. } => hash.message_digest(),
            Functions::Shake128 => Ok(MessageDigest::shake_128()),
            Functions::Shake256 => Ok(MessageDigest::shake_256()),
        }
    }

    fn refused(self, errors: ErrorStack) -> Error {
        Error::refused(&errors, self.name())
    }

    /// Hash(eight zero bytes, digest, salt): what RFC 8017 calls H.
    fn salted(self, digest: &[u8], salt: &[u8]) -> Result<Vec<u8>> {
        self.hash(&[&[0; 8], digest, salt], self.digest_len())
    }

    /// The hash of these parts, one after the other: `length` bytes, of what is no SHAKE all there are.
    fn hash(self, parts: &[&[u8]], length: usize) -> Result<Vec<u8>> {
        let function = self.message_digest()?;
        let hash = || {
            let mut hasher = hasher(function)?;
            parts.iter().try_for_each(|part| hasher.update(part))?;
            if let Functions::Mgf1 { .. } = self {
                return Ok(hasher.finish()?.to_vec());
            }
            let mut digest = vec![0; length];
            hasher.finish_xof(&mut digest)?;
            Ok(digest)
        };
        hash().map_err(|error| self.refused(error))
    }

    /// Exclusive-ors the mask of a seed onto data.
    fn mask(self, seed: &[u8], data: &mut [u8]) -> Result<()> {
        if let Functions::Mgf1 { mgf1_hash, .. } = self {
            return mgf1::mask(mgf1_hash, seed, data);
        }
        let mask = self.hash(&[seed], data.len())?;
        for (byte, mask) in data.iter_mut().zip(mask) {
            *byte ^= mask;
        }
        Ok(())
    }

    fn check(self, digest: &[u8]) -> Result<()> {
        let (is, should) = (digest.len(), self.digest_len());
        if is == should {
            return Ok(());
        }
        Err(Error::argument("digest", format!("has {is} bytes, but {} gives {should}", self.name())))
    }
}

/// The length of the salt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Salt {
    /// As long as the digest: what RFC 8017 recommends and TLS 1.3 requires.
    Digest,
    /// So many bytes.
    Bytes(usize),
    /// As long as the modulus has room for.
    Longest,
    /// In verification whatever length the signature has; in signing, as [`Salt::Longest`].
    Any,
}

impl Salt {
    /// The length in bytes, where it is fixed.
    fn bytes(self, functions: Functions, bits: usize) -> Result<Option<usize>> {
        let longest = functions.longest_salt(bits);
        let wanted = match self {
            Salt::Digest => functions.digest_len(),
            Salt::Bytes(length) => length,
            Salt::Longest => longest.unwrap_or(0),
            Salt::Any => 0,
        };
        if longest.is_none_or(|longest| wanted > longest) {
            let digest = functions.digest_len();
            let reason = format!("has {bits} bits, too few for a digest of {digest} bytes and a salt of {wanted}");
            return Err(Error::argument("modulus", reason));
        }
        Ok((self != Salt::Any).then_some(wanted))
    }
}

/// Encodes a digest for signing, with a random salt.
///
/// Shapes   digest: `functions.digest_len()` bytes; bits: of the modulus; encoded: as many bytes as the modulus,
/// big-endian, overwritten.
///
/// # Errors
/// [`Error::Argument`] when the digest has another length, the modulus is too short for hash and salt, or the hash of
/// the message is SHA-1, which is for verification only; [`Error::Random`]; [`Error::Memory`].
///
/// # Panics
/// When `encoded` is not as long as a modulus of `bits` bits.
pub fn encode(functions: Functions, salt: Salt, digest: &[u8], bits: usize, encoded: &mut [u8]) -> Result<()> {
    let length = salt.bytes(functions, bits)?.or(functions.longest_salt(bits)).unwrap_or(0);
    let mut salt = vec![0; length];
    // A signature shows its salt to whoever verifies it.
    random::public(&mut salt)?;
    encode_with_salt(functions, &salt, digest, bits, encoded)
}

/// As [`encode`], with the caller's salt. Random salts are what PSS's proof is about: for tests, and for signatures
/// that must come out the same each time (an empty salt).
///
/// # Errors
/// As [`encode`].
///
/// # Panics
/// As [`encode`].
pub fn encode_with_salt(
    functions: Functions,
    salt: &[u8],
    digest: &[u8],
    bits: usize,
    encoded: &mut [u8],
) -> Result<()> {
    assert_eq!(encoded.len(), bits.div_ceil(8), "an encoding as long as the modulus");
    if let Functions::Mgf1 { hash: Hash::Sha1, .. } = functions {
        return Err(Error::argument("hash", "SHA-1 is accepted in verification only"));
    }
    functions.check(digest)?;
    Salt::Bytes(salt.len()).bytes(functions, bits)?;
    let hash = functions.salted(digest, salt)?;
    let Layout { start, masked, spare } = Layout::of(functions, bits);
    encoded.fill(0);
    let (db, end) = encoded[start..].split_at_mut(masked);
    let separator = masked - salt.len() - 1;
    db[separator] = 1;
    db[separator + 1..].copy_from_slice(salt);
    functions.mask(&hash, db)?;
    db[0] &= spare;
    end[..hash.len()].copy_from_slice(&hash);
    end[hash.len()] = TRAILER;
    Ok(())
}

/// Whether a digest could be the function's, and the modulus, of `bits` bits, has room for it and the salt.
///
/// # Errors
/// [`Error::Argument`] as [`verify`].
pub fn fits(functions: Functions, salt: Salt, digest: &[u8], bits: usize) -> Result<()> {
    functions.check(digest)?;
    salt.bytes(functions, bits).map(drop)
}

/// Judges what the public operation made of a signature.
///
/// Shapes   digest: `functions.digest_len()` bytes; bits: of the modulus; recovered: signature^e mod n, big-endian,
/// exactly as many bytes as the modulus. That the signature had that length and was below n is for the caller to have
/// checked (RFC 8017 section 8.1.2 step 1). Signatures are public: this is not constant time.
///
/// # Errors
/// [`Error::Verification`] when it is no encoding of the digest with such a salt; [`Error::Argument`] when the digest
/// has another length or the modulus is too short for hash and salt; [`Error::Memory`].
pub fn verify(functions: Functions, salt: Salt, digest: &[u8], bits: usize, recovered: &[u8]) -> Result<()> {
    functions.check(digest)?;
    let salt = salt.bytes(functions, bits)?;
    if recovered.len() != bits.div_ceil(8) {
        return Err(Error::Verification);
    }
    let Layout { start, masked, spare } = Layout::of(functions, bits);
    let (db, end) = recovered[start..].split_at(masked);
    let (hash, trailer) = end.split_at(functions.digest_len());
    if recovered[..start].iter().any(|&byte| byte != 0) || trailer != [TRAILER] || db[0] & !spare != 0 {
        return Err(Error::Verification);
    }
    let mut db = db.to_vec();
    functions.mask(hash, &mut db)?;
    db[0] &= spare;
    let separator = db.iter().position(|&byte| byte != 0).ok_or(Error::Verification)?;
    let found = &db[separator + 1..];
    if db[separator] != 1 || salt.is_some_and(|length| length != found.len()) {
        return Err(Error::Verification);
    }
    let expected = functions.salted(digest, found)?;
    if bool::from(expected.ct_eq(hash)) { Ok(()) } else { Err(Error::Verification) }
}

/// Where things lie in a block.
struct Layout {
    /// Zero bytes before the encoding: 1 if the modulus has 8k + 1 bits, otherwise none.
    start: usize,
    /// Bytes of maskedDB.
    masked: usize,
    /// The bits of its first byte that are below the modulus's highest.
    spare: u8,
}

impl Layout {
    /// Called once the modulus is known to be long enough.
    fn of(functions: Functions, bits: usize) -> Layout {
        let length = (bits - 1).div_ceil(8);
        Layout {
            start: bits.div_ceil(8) - length,
            masked: length - functions.digest_len() - 1,
            spare: 0xff >> (8 * length - (bits - 1)),
        }
    }
}
