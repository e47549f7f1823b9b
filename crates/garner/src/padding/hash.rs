// SPDX-License-Identifier: Apache-2.0
//! The hash functions that signatures may use, with their PKCS#1 prefixes. Hashing itself is libcrypto's.

use crate::error::{Error, Result};
use crate::random::before_end;
use openssl::error::ErrorStack;
use openssl::hash::{DigestBytes, Hasher, MessageDigest};

/// A hash function for signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hash {
    /// SHA-1, for verification only: signing with it is refused.
    Sha1,
    /// SHA-224.
    Sha224,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// SHA-512/224.
    Sha512_224,
    /// SHA-512/256.
    Sha512_256,
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
}

impl Hash {
    /// Every hash function there is here.
    pub const ALL: [Hash; 11] = [
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

    /// The name in FIPS 180-4 and FIPS 202: `SHA-256`, `SHA-512/224`, `SHA3-384`.
    pub fn name(self) -> &'static str {
        match self {
            Hash::Sha1 => "SHA-1",
            Hash::Sha224 => "SHA-224",
            Hash::Sha256 => "SHA-256",
            Hash::Sha384 => "SHA-384",
            Hash::Sha512 => "SHA-512",
            Hash::Sha512_224 => "SHA-512/224",
            Hash::Sha512_256 => "SHA-512/256",
            Hash::Sha3_224 => "SHA3-224",
            Hash::Sha3_256 => "SHA3-256",
            Hash::Sha3_384 => "SHA3-384",
            Hash::Sha3_512 => "SHA3-512",
        }
    }

    /// The function of that name; case and the signs `-`, `/`, `_` do not matter (`sha256`, `SHA2-256`, `sha512-224`).
    ///
    /// # Errors
    /// [`Error::Argument`] when there is none.
    pub fn from_name(name: &str) -> Result<Hash> {
        fn plain(name: &str) -> impl Iterator<Item = u8> {
            name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
        }
        let called_so = |hash: &Hash| {
            let second = hash.name().strip_prefix("SHA-").filter(|_| *hash != Hash::Sha1);
            plain(name).eq(plain(hash.name()))
                || second.is_some_and(|rest| plain(name).eq(plain("SHA2").chain(plain(rest))))
        };
        Hash::ALL.into_iter().find(called_so).ok_or_else(|| {
            let known = Hash::ALL.map(Hash::name).join(", ");
            Error::argument("hash", format!("{name:?} is not one of {known}"))
        })
    }

    /// Length of a digest in bytes.
    pub const fn digest_len(self) -> usize {
        match self {
            Hash::Sha1 => 20,
            Hash::Sha224 | Hash::Sha512_224 | Hash::Sha3_224 => 28,
            Hash::Sha256 | Hash::Sha512_256 | Hash::Sha3_256 => 32,
            Hash::Sha384 | Hash::Sha3_384 => 48,
            Hash::Sha512 | Hash::Sha3_512 => 64,
        }
    }

    /// The DER of `DigestInfo` up to the digest, which follows immediately.
    ///
    /// Source   RFC 8017 section 9.2 note 1; for SHA-3 the object identifiers of FIPS 202 in the same structure
    /// (RFC 8702 uses them so).
    pub const fn digest_info_prefix(self) -> &'static [u8] {
        /// NIST's hash functions differ in the last arc of the identifier 2.16.840.1.101.3.4.2.x and in lengths only.
        const fn nist(arc: u8, len: u8) -> [u8; 19] {
            [0x30, 17 + len, 0x30, 13, 0x06, 9, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, arc, 0x05, 0, 0x04, len]
        }
        const SHA1: [u8; 15] = [0x30, 33, 0x30, 9, 0x06, 5, 0x2b, 0x0e, 0x03, 0x02, 0x1a, 0x05, 0, 0x04, 20];
        const SHA256: [u8; 19] = nist(1, 32);
        const SHA384: [u8; 19] = nist(2, 48);
        const SHA512: [u8; 19] = nist(3, 64);
        const SHA224: [u8; 19] = nist(4, 28);
        const SHA512_224: [u8; 19] = nist(5, 28);
        const SHA512_256: [u8; 19] = nist(6, 32);
        const SHA3_224: [u8; 19] = nist(7, 28);
        const SHA3_256: [u8; 19] = nist(8, 32);
        const SHA3_384: [u8; 19] = nist(9, 48);
        const SHA3_512: [u8; 19] = nist(10, 64);
        match self {
            Hash::Sha1 => &SHA1,
            Hash::Sha224 => &SHA224,
            Hash::Sha256 => &SHA256,
            Hash::Sha384 => &SHA384,
            Hash::Sha512 => &SHA512,
            Hash::Sha512_224 => &SHA512_224,
            Hash::Sha512_256 => &SHA512_256,
            Hash::Sha3_224 => &SHA3_224,
            Hash::Sha3_256 => &SHA3_256,
            Hash::Sha3_384 => &SHA3_384,
            Hash::Sha3_512 => &SHA3_512,
        }
    }

    /// libcrypto's implementation, for hashing in pieces.
    ///
    /// # Errors
    /// [`Error::Argument`] when this libcrypto was built without it.
    pub fn message_digest(self) -> Result<MessageDigest> {
        let name = match self {
            Hash::Sha512_224 => "SHA512-224",
            Hash::Sha512_256 => "SHA512-256",
            Hash::Sha1 => "SHA1",
            Hash::Sha224 => "SHA224",
            Hash::Sha256 => "SHA256",
            Hash::Sha384 => "SHA384",
            Hash::Sha512 => "SHA512",
            Hash::Sha3_224 | Hash::Sha3_256 | Hash::Sha3_384 | Hash::Sha3_512 => self.name(),
        };
        before_end(|| MessageDigest::from_name(name))
            .ok_or_else(|| Error::argument("hash", format!("this libcrypto has no {}", self.name())))
    }

    /// The digest of a message.
    ///
    /// # Errors
    /// [`Error::Argument`] when libcrypto cannot compute it (by how it was built or configured); [`Error::Memory`].
    pub fn digest(self, message: &[u8]) -> Result<DigestBytes> {
        let function = self.message_digest()?;
        let digest = || {
            let mut hasher = hasher(function)?;
            hasher.update(message)?;
            hasher.finish()
        };
        digest().map_err(|errors| Error::refused(&errors, self.name()))
    }
}

/// A hash to be fed. Only its beginning takes locks of libcrypto's: what is hashed may be long, and no fork waits for that.
pub(super) fn hasher(function: MessageDigest) -> std::result::Result<Hasher, ErrorStack> {
    before_end(|| Hasher::new(function))
}
