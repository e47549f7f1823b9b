// SPDX-License-Identifier: Apache-2.0
//! The premaster secret of TLS up to 1.2 with RSA key exchange: 48 bytes in PKCS#1 v1.5, the first two a version.

use super::implicit_rejection::Rejection;
use super::pkcs1v15_encryption::{OVERHEAD, message_start};
use crate::error::{Error, Result};
use crate::random;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

/// Bytes of a premaster secret.
pub const LENGTH: usize = 48;

/// Takes the premaster secret out of a decrypted block; whatever is wrong with it, a random secret takes its place and
/// the handshake fails later, as it does for any client that does not know the secret.
///
/// Shapes   block: ciphertext^d mod n, big-endian, exactly as many bytes as the modulus; version: what the ClientHello
/// offered, `0x0303` for TLS 1.2; alternative: a second version to accept, the one agreed on, for old clients that put
/// it there.
/// Cost     no branch and no address depends on the block, not even after this returns.
/// Source   RFC 5246 section 7.4.7.1; Klima, Pokorny, Rosa 2003 for the version.
///
/// # Errors
/// [`Error::Argument`] when the modulus has fewer than 59 bytes; [`Error::Random`]; never because of what the block
/// holds.
pub fn decode(block: &[u8], version: u16, alternative: Option<u16>) -> Result<Zeroizing<[u8; LENGTH]>> {
    let place = place(block)?;
    let (padded, start) = message_start(block)?;
    let found = &block[place..];
    or_random(found, padded & start.ct_eq(&(place as u32)) & has_version(found, version, alternative))
}

/// The same for an asker who is not to learn whether the padding was good, though he may see two answers for one ciphertext, or
/// what it decrypts to by implicit rejection: he gets the message of that, if it has 48 bytes, else random ones. The version is
/// his to look at, by [`with_version`]: an answer that depended on it would tell him.
///
/// Shapes   rejection: of the block's ciphertext; block: as for [`decode`].
/// Cost     no branch and no address depends on the block.
///
/// # Errors
/// As [`decode`], and those of [`Rejection::decode`].
pub fn decode_for_asker(rejection: &Rejection, block: &[u8]) -> Result<Zeroizing<[u8; LENGTH]>> {
    let place = place(block)?;
    let (message, start) = rejection.choose(block)?;
    or_random(&message[place..], start.ct_eq(&(place as u32)))
}

/// The secret if it has one of these versions, else a random one.
///
/// Cost     no branch depends on the secret.
///
/// # Errors
/// [`Error::Random`].
pub fn with_version(secret: &[u8; LENGTH], version: u16, alternative: Option<u16>) -> Result<Zeroizing<[u8; LENGTH]>> {
    or_random(secret, has_version(secret, version, alternative))
}

/// Where the secret begins in a block.
fn place(block: &[u8]) -> Result<usize> {
    block.len().checked_sub(LENGTH).filter(|&start| start >= OVERHEAD).ok_or_else(|| {
        let (size, least) = (block.len(), OVERHEAD + LENGTH);
        Error::argument("modulus", format!("has {size} bytes, fewer than the {least} of TLS"))
    })
}

fn has_version(secret: &[u8], version: u16, alternative: Option<u16>) -> Choice {
    let is = |version: u16| secret[..2].ct_eq(&version.to_be_bytes()[..]);
    is(version) | alternative.map_or(Choice::from(0), is)
}

fn or_random(found: &[u8], good: Choice) -> Result<Zeroizing<[u8; LENGTH]>> {
    let mut secret = Zeroizing::new([0; LENGTH]);
    // Drawn in any case, so that drawing says nothing.
    random::secret(&mut *secret)?;
    for (byte, found) in secret.iter_mut().zip(found) {
        byte.conditional_assign(found, good);
    }
    Ok(secret)
}
