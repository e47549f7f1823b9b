// SPDX-License-Identifier: Apache-2.0
//! The premaster secret of TLS up to 1.2 with RSA key exchange: 48 bytes in PKCS#1 v1.5, the first two a version.

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
    let Some(expected) = block.len().checked_sub(LENGTH).filter(|&start| start >= OVERHEAD) else {
        let (size, least) = (block.len(), OVERHEAD + LENGTH);
        return Err(Error::argument("modulus", format!("has {size} bytes, fewer than the {least} of TLS")));
    };
    let mut secret = Zeroizing::new([0; LENGTH]);
    // Drawn in any case, so that drawing says nothing.
    random::secret(&mut *secret)?;
    let (padded, start) = message_start(block)?;
    let found = &block[expected..];
    let version_good = [Some(version), alternative]
        .into_iter()
        .flatten()
        .fold(Choice::from(0), |good, version| good | found[..2].ct_eq(&version.to_be_bytes()[..]));
    let good = padded & start.ct_eq(&(expected as u32)) & version_good;
    for (byte, found) in secret.iter_mut().zip(found) {
        byte.conditional_assign(found, good);
    }
    Ok(secret)
}
