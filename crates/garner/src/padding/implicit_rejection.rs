// SPDX-License-Identifier: Apache-2.0
//! Implicit rejection: what a badly padded PKCS#1 v1.5 ciphertext decrypts to, instead of to an error.
//!
//! The stand-in is a message of random bytes and random length, always the same for one key and one ciphertext: nobody
//! without the private key can tell it from what a well padded ciphertext hides, so there is nothing for
//! Bleichenbacher's attack (1998) to ask. Messages are those of OpenSSL 3.2 and later, byte for byte; were they not,
//! whoever asked two implementations about the same ciphertext would see the difference.
//!
//! Source   draft-irtf-cfrg-rsa-guidance section 7; OpenSSL's `RSA_private_decrypt` since 3.2.

use super::Hash;
use super::pkcs1v15_encryption::{OVERHEAD, message_start};
use super::release::release;
use crate::digest::{HmacSha256, TAG};
use crate::error::{Error, Result};
use crate::secret::Wiped;
use subtle::{Choice, ConditionallySelectable, ConstantTimeLess};
use zeroize::{Zeroize, Zeroizing};

/// Lengths drawn for a stand-in. The last one short enough is taken; that none is has a probability below 2^-128.
const LENGTHS: usize = 128;

/// The secret that stand-ins for one ciphertext are made of: the draft's key derivation key.
#[derive(Clone)]
pub struct Rejection(Zeroizing<[u8; TAG]>);

impl Rejection {
    /// Derives it: HMAC(SHA-256(private exponent), ciphertext).
    ///
    /// Shapes   private_exponent: d as the key has it, big-endian, exactly as many bytes as the modulus;
    /// ciphertext: at most as long, and taken as if zero bytes came before it.
    ///
    /// # Errors
    /// [`Error::Argument`] when the ciphertext is longer than the exponent, or libcrypto refuses to compute SHA-256 or
    /// HMAC (by how it was built or configured); [`Error::Memory`].
    pub fn new(private_exponent: &[u8], ciphertext: &[u8]) -> Result<Rejection> {
        let Some(missing) = private_exponent.len().checked_sub(ciphertext.len()) else {
            return Err(Error::argument("ciphertext", "is longer than the modulus"));
        };
        let mut digest = Hash::Sha256.digest(private_exponent)?;
        let mut key = Zeroizing::new([0; TAG]);
        key.copy_from_slice(&digest);
        digest.zeroize();
        Ok(Rejection(HmacSha256::new(&key)?.tag(&[&vec![0; missing], ciphertext])?))
    }

    /// Takes the message out of a decrypted block, or puts a stand-in in its place.
    ///
    /// Shapes   block: ciphertext^d mod n, big-endian, exactly as many bytes as the modulus.
    /// Cost     no branch and no address depends on the block, but on the length of what is returned. The stand-in is
    /// always computed: 9 HMACs and one for each 32 bytes of the modulus.
    ///
    /// # Errors
    /// [`Error::Argument`] when the modulus has fewer than 11 or more than 8,191 bytes, or libcrypto refuses to compute
    /// HMAC; [`Error::Memory`]; never because of what the block holds.
    pub fn decode(&self, block: &[u8]) -> Result<Wiped<u8>> {
        let (message, start) = self.choose(block)?;
        // Only the length is released: there is something to return whatever the verdict.
        release(Choice::from(1), &message, start)
    }

    /// The same with nothing released: bytes, as many as the block has, and where among them the message starts.
    ///
    /// # Errors
    /// As [`Rejection::decode`].
    pub(super) fn choose(&self, block: &[u8]) -> Result<(Zeroizing<Vec<u8>>, u32)> {
        let (good, start) = message_start(block)?;
        let mut secret = HmacSha256::new(&self.0)?;
        let mut merged = Zeroizing::new(vec![0; block.len()]);
        expand(&mut secret, b"message", &mut merged)?;
        let length = length(&mut secret, block.len() - OVERHEAD)?;
        let start = u32::conditional_select(&(block.len() as u32 - length), &start, good);
        for (stand_in, byte) in merged.iter_mut().zip(block) {
            stand_in.conditional_assign(byte, good);
        }
        Ok((merged, start))
    }
}

impl std::fmt::Debug for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Rejection")
    }
}

/// The length of the stand-in, 0 to `longest`.
fn length(secret: &mut HmacSha256, longest: usize) -> Result<u32> {
    let mut drawn = Zeroizing::new([0; 2 * LENGTHS]);
    expand(secret, b"length", &mut *drawn)?;
    let limit = longest as u32 + 1;
    // As many bits as the limit has: rejection, not division, which takes its time from its operands.
    let mask = u32::MAX >> limit.leading_zeros();
    let mut length = 0;
    for pair in drawn.chunks_exact(2) {
        let candidate = u32::from(u16::from_be_bytes([pair[0], pair[1]])) & mask;
        let fits: Choice = candidate.ct_lt(&limit);
        length.conditional_assign(&candidate, fits);
    }
    Ok(length)
}

/// The draft's PRF: tags of (counter, label, length in bits), one after the other, cut to length.
fn expand(secret: &mut HmacSha256, label: &[u8], bytes: &mut [u8]) -> Result<()> {
    let Ok(bits) = u16::try_from(bytes.len() * 8) else {
        return Err(Error::argument("modulus", format!("has {} bytes, more than 8191", bytes.len())));
    };
    for (counter, block) in (0u16..).zip(bytes.chunks_mut(TAG)) {
        let tag = secret.tag(&[&counter.to_be_bytes(), label, &bits.to_be_bytes()])?;
        block.copy_from_slice(&tag[..block.len()]);
    }
    Ok(())
}
