// SPDX-License-Identifier: Apache-2.0
//! The scheme of a signature on the command line.

use super::hash;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use garner::padding::{Hash, pss};
use garner::signature::Scheme;

/// How signatures are padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Padding {
    /// RSASSA-PKCS1-v1_5
    Pkcs1,
    /// RSASSA-PSS
    Pss,
}

/// Options of a signature scheme.
#[derive(Args, Debug)]
pub struct Options {
    /// Padding
    #[arg(long, value_enum, default_value = "pkcs1")]
    padding: Padding,

    /// Hash of the message
    #[arg(long, value_name = "NAME", default_value = "sha256", value_parser = hash::TO_SIGN)]
    hash: Hash,

    /// PSS: hash of the mask [default: that of --hash]
    #[arg(long, value_name = "NAME", value_parser = hash::ANY)]
    mgf1_hash: Option<Hash>,

    /// PSS: length of the salt in bytes, or digest, or max (as much as fits)
    /// [default: digest; in verification any]
    #[arg(long, value_name = "LENGTH", value_parser = salt)]
    salt_length: Option<pss::Salt>,
}

impl Options {
    /// The scheme to sign with.
    pub fn to_sign(&self) -> Result<Scheme, Failure> {
        if self.hash == Hash::Sha1 {
            return Err(Failure::Usage("--hash: SHA-1 is accepted in verification only".into()));
        }
        self.scheme(pss::Salt::Digest)
    }

    /// The scheme to verify with.
    pub fn to_verify(&self) -> Result<Scheme, Failure> {
        self.scheme(pss::Salt::Any)
    }

    fn scheme(&self, salt: pss::Salt) -> Result<Scheme, Failure> {
        match self.padding {
            Padding::Pkcs1 => {
                if self.mgf1_hash.is_some() || self.salt_length.is_some() {
                    return Err(Failure::Usage("--mgf1-hash and --salt-length are for --padding pss".into()));
                }
                Ok(Scheme::Pkcs1v15(self.hash))
            }
            Padding::Pss => {
                let mgf1_hash = self.mgf1_hash.unwrap_or(self.hash);
                let functions = pss::Functions::Mgf1 { hash: self.hash, mgf1_hash };
                Ok(Scheme::Pss { functions, salt: self.salt_length.unwrap_or(salt) })
            }
        }
    }

    /// The hash of the message.
    pub fn hash(&self) -> Hash {
        self.hash
    }
}

fn salt(text: &str) -> Result<pss::Salt, String> {
    match text {
        "digest" => Ok(pss::Salt::Digest),
        "max" => Ok(pss::Salt::Longest),
        "any" | "auto" => Ok(pss::Salt::Any),
        number => {
            let length = number.parse().map_err(|_| "a number of bytes, digest, max or any".to_owned())?;
            Ok(pss::Salt::Bytes(length))
        }
    }
}
