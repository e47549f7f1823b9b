// SPDX-License-Identifier: Apache-2.0
//! The daemon's keys, each with what programs find it by.

use garner_remote::{Error, HeldKey, stub};

/// A key by its name.
#[derive(Debug)]
pub struct NamedKey {
    /// The name.
    pub name: String,
    /// The beginning of its modulus's SHA-256.
    pub identifier: [u8; 20],
    /// The key.
    pub key: HeldKey,
}

impl NamedKey {
    /// The daemon's key of this name.
    ///
    /// # Errors
    /// There is none, or the daemon does not answer.
    pub fn new(name: String) -> Result<NamedKey, Error> {
        let key = HeldKey::named(&name)?;
        let fingerprint = stub::fingerprint_of(key.public())?;
        let identifier = fingerprint[..20].try_into().expect("a part of 32 bytes");
        Ok(NamedKey { name, identifier, key })
    }
}
