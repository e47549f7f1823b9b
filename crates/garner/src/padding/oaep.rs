// SPDX-License-Identifier: Apache-2.0
//! RSAES-OAEP's encoding (RFC 8017 section 7.1): `00 maskedSeed maskedDB`, as long as the modulus.

use super::release::release;
use super::{Hash, mgf1};
use crate::error::{Error, Result};
use crate::random;
use crate::secret::Wiped;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

/// The functions of an OAEP scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Functions {
    /// Hash of the label; its length is also the seed's.
    pub hash: Hash,
    /// Hash of the masks.
    pub mgf1_hash: Hash,
}

impl Functions {
    /// One hash for label and masks.
    pub const fn of(hash: Hash) -> Functions {
        Functions { hash, mgf1_hash: hash }
    }

    /// The longest message that a modulus of `size` bytes has room for; `None` when it is too short for the hash.
    ///
    /// Source   RFC 8017 7.1.1 step 1b.
    pub const fn longest_message(self, size: usize) -> Option<usize> {
        size.checked_sub(2 * self.hash.digest_len() + 2)
    }

    /// As [`Functions::longest_message`], with the error that says what is missing.
    pub(crate) fn room(self, size: usize) -> Result<usize> {
        self.longest_message(size).ok_or_else(|| {
            let (least, name) = (2 * self.hash.digest_len() + 2, self.hash.name());
            Error::argument("modulus", format!("has {size} bytes, fewer than the {least} that {name} needs"))
        })
    }
}

/// Encodes a message for encryption, with a random seed.
///
/// Shapes   label: any length, often none; message: up to [`Functions::longest_message`] bytes; encoded: as many bytes
/// as the modulus, big-endian, overwritten, and as secret as the message.
///
/// # Errors
/// [`Error::Argument`] when the modulus is too short for the hash, or the message too long for the modulus;
/// [`Error::Random`]; [`Error::Memory`].
pub fn encode(functions: Functions, label: &[u8], message: &[u8], encoded: &mut [u8]) -> Result<()> {
    let room = functions.room(encoded.len())?;
    if message.len() > room {
        let reason = format!("has {} bytes, more than the {room} that the key has room for", message.len());
        return Err(Error::argument("message", reason));
    }
    let label = functions.hash.digest(label)?;
    encoded.fill(0);
    let (seed, db) = encoded[1..].split_at_mut(label.len());
    random::secret(seed)?;
    db[..label.len()].copy_from_slice(&label);
    let (padding, end) = db.split_at_mut(db.len() - message.len());
    padding[padding.len() - 1] = 1;
    end.copy_from_slice(message);
    mgf1::mask(functions.mgf1_hash, seed, db)?;
    mgf1::mask(functions.mgf1_hash, db, seed)
}

/// Takes the message out of a decrypted block.
///
/// Shapes   label: as in encryption; block: ciphertext^d mod n, big-endian, exactly as many bytes as the modulus. That
/// the ciphertext had that length and was below n is for the caller to have checked (RFC 8017 section 7.1.2 step 1).
/// Cost     no branch and no address depends on the block until the verdict is known, nor then on anything but the
/// message's length: Manger's attack (2001) needs to tell one cause of failure from another.
///
/// # Errors
/// [`Error::Verification`] whatever is wrong with the block or the label; [`Error::Argument`] when the modulus is too
/// short for the hash; [`Error::Memory`].
pub fn decode(functions: Functions, label: &[u8], block: &[u8]) -> Result<Wiped<u8>> {
    functions.room(block.len())?;
    let label = functions.hash.digest(label)?;
    let mut encoded = Zeroizing::new(block.to_vec());
    let (first, rest) = encoded.split_at_mut(1);
    let (seed, db) = rest.split_at_mut(label.len());
    mgf1::mask(functions.mgf1_hash, db, seed)?;
    mgf1::mask(functions.mgf1_hash, seed, db)?;
    let (label_found, padded) = db.split_at(label.len());
    let (separated, start) = after_separator(padded);
    let good = first[0].ct_eq(&0) & label_found.ct_eq(&label) & separated;
    release(good, padded, start)
}

/// Whether `padded` is zero bytes (or none), a byte of 1 and a message, and where the message then starts.
fn after_separator(padded: &[u8]) -> (Choice, u32) {
    let mut before = Choice::from(1);
    let mut good = Choice::from(1);
    let mut start = 0;
    for (next, byte) in (1u32..).zip(padded) {
        let (zero, one) = (byte.ct_eq(&0), byte.ct_eq(&1));
        start.conditional_assign(&next, before & one);
        good &= !before | zero | one;
        before &= !one;
    }
    (good & !before, start)
}
