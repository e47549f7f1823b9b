// SPDX-License-Identifier: Apache-2.0
//! Names of hash functions on the command line.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};
use garner::padding::Hash;
use std::ffi::OsStr;

/// Reads a name, in the library's many spellings, for `value_parser`. Help and refusals list the same names in the same
/// one spelling.
#[derive(Debug, Clone)]
pub struct Names(&'static [Hash]);

/// All hash functions.
pub const ANY: Names = Names(&Hash::ALL);

/// Those to sign with: all but SHA-1.
pub const TO_SIGN: Names = Names(Hash::ALL.split_first().expect("there are some").1);

impl Names {
    fn listed(&self) -> impl Iterator<Item = PossibleValue> {
        self.0.iter().map(|hash| PossibleValue::new(spelling(*hash)))
    }
}

impl TypedValueParser for Names {
    type Value = Hash;

    /// Also takes those that are not listed: what is wrong with them depends on the command.
    fn parse_ref(&self, command: &Command, option: Option<&Arg>, value: &OsStr) -> Result<Hash, Error> {
        if let Some(hash) = value.to_str().and_then(|name| Hash::from_name(name).ok()) {
            return Ok(hash);
        }
        let refused = PossibleValuesParser::new(self.listed()).parse_ref(command, option, value);
        refused.map(|listed| unreachable!("{listed} is listed and unknown"))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.listed()))
    }
}

/// The name that `openssl dgst` has for it.
fn spelling(hash: Hash) -> &'static str {
    match hash {
        Hash::Sha1 => "sha1",
        Hash::Sha224 => "sha224",
        Hash::Sha256 => "sha256",
        Hash::Sha384 => "sha384",
        Hash::Sha512 => "sha512",
        Hash::Sha512_224 => "sha512-224",
        Hash::Sha512_256 => "sha512-256",
        Hash::Sha3_224 => "sha3-224",
        Hash::Sha3_256 => "sha3-256",
        Hash::Sha3_384 => "sha3-384",
        Hash::Sha3_512 => "sha3-512",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_listed_is_that_of_its_hash() {
        assert!(ANY.0.iter().all(|hash| Hash::from_name(spelling(*hash)).as_ref() == Ok(hash)));
        assert!(TO_SIGN.0.len() == ANY.0.len() - 1 && !TO_SIGN.0.contains(&Hash::Sha1));
    }
}
