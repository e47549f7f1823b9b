// SPDX-License-Identifier: Apache-2.0
//! RSAES-PKCS1-v1_5's encoding (RFC 8017 section 7.2): `00 02 padding 00 message`, as long as the modulus.
//!
//! Whoever can tell whether a ciphertext was well padded can decrypt (Bleichenbacher 1998). [`decode`] says so, in one
//! error; a protocol that shows that error in any way, be it by time, must use
//! [`implicit_rejection`](super::implicit_rejection) or, in TLS, [`premaster`](super::premaster).

use super::release::release;
use crate::error::{Error, Result};
use crate::random;
use crate::secret::Wiped;
use crate::secret::released;
use std::slice;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater};

/// Bytes of padding at least: `00 02`, eight that are not zero, `00`.
pub const OVERHEAD: usize = 11;

/// Encodes a message for encryption, with random padding.
///
/// Shapes   message: up to 11 bytes less than the modulus; encoded: as many bytes as the modulus, big-endian,
/// overwritten, and as secret as the message.
///
/// # Errors
/// [`Error::Argument`] when the message is too long for the modulus; [`Error::Random`].
pub fn encode(message: &[u8], encoded: &mut [u8]) -> Result<()> {
    check_size(encoded.len())?;
    let room = encoded.len() - OVERHEAD;
    if message.len() > room {
        let reason = format!("has {} bytes, more than the {room} that the key has room for", message.len());
        return Err(Error::argument("message", reason));
    }
    let (padding, end) = encoded.split_at_mut(encoded.len() - message.len());
    let (last, start) = padding.split_last_mut().expect("eleven bytes at least");
    *last = 0;
    start[0] = 0;
    start[1] = 2;
    nonzero(&mut start[2..])?;
    end.copy_from_slice(message);
    Ok(())
}

/// Takes the message out of a decrypted block, or says that there is none.
///
/// Shapes   block: ciphertext^d mod n, big-endian, exactly as many bytes as the modulus.
/// Cost     no branch and no address depends on the block until the verdict is known, nor then on anything but the
/// message's length.
///
/// # Errors
/// [`Error::Verification`] whatever is wrong with the padding; [`Error::Argument`] when the modulus is too short for
/// any.
pub fn decode(block: &[u8]) -> Result<Wiped<u8>> {
    let (good, start) = message_start(block)?;
    release(good, block, start)
}

/// Whether a block is well padded, and where its message then starts; in constant time.
///
/// # Errors
/// [`Error::Argument`] when the modulus is too short.
pub(super) fn message_start(block: &[u8]) -> Result<(Choice, u32)> {
    check_size(block.len())?;
    let mut before = Choice::from(1);
    let mut start = 0;
    for (next, byte) in (3u32..).zip(&block[2..]) {
        let zero = byte.ct_eq(&0);
        start.conditional_assign(&next, before & zero);
        before &= !zero;
    }
    let long_enough = start.ct_gt(&(OVERHEAD as u32 - 1));
    Ok((block[0].ct_eq(&0) & block[1].ct_eq(&2) & !before & long_enough, start))
}

fn check_size(size: usize) -> Result<()> {
    if size >= OVERHEAD {
        return Ok(());
    }
    Err(Error::argument("modulus", format!("has {size} bytes, fewer than the {OVERHEAD} of the padding")))
}

/// Fills `bytes` with random ones from 1 to 255, each as likely as the next: zeros are drawn again. That shows how many
/// zeros were drawn, and nothing of the bytes that stay.
fn nonzero(bytes: &mut [u8]) -> Result<()> {
    random::secret(bytes)?;
    for byte in bytes {
        while released(byte.ct_eq(&0)) {
            random::secret(slice::from_mut(byte))?;
        }
    }
    Ok(())
}
