// SPDX-License-Identifier: Apache-2.0
//! EMSA-PKCS1-v1_5 (RFC 8017 section 9.2): `00 01 ff .. ff 00 DigestInfo`, as long as the modulus.
//!
//! Signatures are verified by encoding again and comparing in constant time; nothing received is ever parsed, so that
//! there is nothing to parse wrongly (Bleichenbacher 2006, BERserk 2014).

use super::Hash;
use crate::error::{Error, Result};
use openssl::memcmp;

/// Bytes of padding at least: `00 01`, eight `ff`, `00`.
const OVERHEAD: usize = 11;

/// Encodes a digest for signing.
///
/// Shapes   digest: `hash.digest_len()` bytes; encoded: as many bytes as the modulus, big-endian, overwritten.
///
/// # Errors
/// [`Error::Argument`] when the digest has another length, the modulus is too short for the hash, or the hash is
/// SHA-1, which is for verification only.
pub fn encode(hash: Hash, digest: &[u8], encoded: &mut [u8]) -> Result<()> {
    if hash == Hash::Sha1 {
        return Err(Error::argument("hash", "SHA-1 is accepted in verification only"));
    }
    encode_any(hash, digest, encoded)
}

/// Encodes bytes that already are a `DigestInfo`, or that are signed without one (TLS 1.0 and 1.1's MD5 with SHA-1,
/// OpenSSL's `RSA_private_encrypt`).
///
/// Shapes   payload: any length up to that of encoded less 11; encoded: as many bytes as the modulus, big-endian,
/// overwritten.
///
/// # Errors
/// [`Error::Argument`] when the payload is too long for the modulus.
pub fn encode_raw(payload: &[u8], encoded: &mut [u8]) -> Result<()> {
    pad(&[], payload, encoded)
}

/// Compares what the public operation made of a signature with the encoding of a digest.
///
/// Shapes   digest: `hash.digest_len()` bytes; recovered: signature^e mod n, big-endian, exactly as many bytes as the
/// modulus. That the signature had that length and was below n is for the caller to have checked (RFC 8017 section
/// 8.2.2 step 1).
///
/// # Errors
/// [`Error::Verification`] when they differ; [`Error::Argument`] as [`encode`], though SHA-1 is accepted.
pub fn verify(hash: Hash, digest: &[u8], recovered: &[u8]) -> Result<()> {
    let mut encoded = vec![0; recovered.len()];
    encode_any(hash, digest, &mut encoded)?;
    compare(&encoded, recovered)
}

/// As [`verify`], for a payload without `DigestInfo`.
///
/// # Errors
/// [`Error::Verification`] when they differ; [`Error::Argument`] as [`encode_raw`].
pub fn verify_raw(payload: &[u8], recovered: &[u8]) -> Result<()> {
    let mut encoded = vec![0; recovered.len()];
    encode_raw(payload, &mut encoded)?;
    compare(&encoded, recovered)
}

fn compare(encoded: &[u8], recovered: &[u8]) -> Result<()> {
    if memcmp::eq(encoded, recovered) { Ok(()) } else { Err(Error::Verification) }
}

/// Whether a digest could be the hash's, and is encoded in as many bytes as the modulus has.
///
/// # Errors
/// [`Error::Argument`] as [`encode`], though SHA-1 is accepted.
pub fn fits(hash: Hash, digest: &[u8], size: usize) -> Result<()> {
    if digest.len() != hash.digest_len() {
        let (name, is, should) = (hash.name(), digest.len(), hash.digest_len());
        return Err(Error::argument("digest", format!("has {is} bytes, but {name} gives {should}")));
    }
    has_room(hash.digest_info_prefix().len() + digest.len(), size)
}

fn has_room(length: usize, size: usize) -> Result<()> {
    if size < length + OVERHEAD {
        let reason = format!("has {size} bytes, fewer than the {} this signature needs", length + OVERHEAD);
        return Err(Error::argument("modulus", reason));
    }
    Ok(())
}

fn encode_any(hash: Hash, digest: &[u8], encoded: &mut [u8]) -> Result<()> {
    fits(hash, digest, encoded.len())?;
    pad(hash.digest_info_prefix(), digest, encoded)
}

fn pad(prefix: &[u8], payload: &[u8], encoded: &mut [u8]) -> Result<()> {
    let length = prefix.len() + payload.len();
    has_room(length, encoded.len())?;
    let (padding, rest) = encoded.split_at_mut(encoded.len() - length);
    padding.fill(0xff);
    padding[0] = 0;
    padding[1] = 1;
    padding[padding.len() - 1] = 0;
    let (start, end) = rest.split_at_mut(prefix.len());
    start.copy_from_slice(prefix);
    end.copy_from_slice(payload);
    Ok(())
}
