// SPDX-License-Identifier: Apache-2.0
//! The scheme of an encryption on the command line.

use super::hash;
use crate::encoding::hex_option;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use garner::encryption::Scheme;
use garner::padding::{Hash, oaep};

/// How messages are padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Padding {
    /// RSAES-OAEP
    Oaep,
    /// RSAES-PKCS1-v1_5
    Pkcs1,
    /// None: the message is a number as long as the modulus and below it
    Raw,
}

/// Options of an encryption scheme.
#[derive(Args, Debug)]
pub struct Options {
    /// Padding
    #[arg(long, value_enum, default_value = "oaep")]
    padding: Padding,

    /// OAEP: hash of the label [default: sha256; openssl pkeyutl's is sha1]
    #[arg(long, value_name = "NAME", value_parser = hash::ANY)]
    hash: Option<Hash>,

    /// OAEP: hash of the mask [default: that of --hash]
    #[arg(long, value_name = "NAME", value_parser = hash::ANY)]
    mgf1_hash: Option<Hash>,

    /// OAEP: label, as text
    #[arg(long, value_name = "TEXT", conflicts_with = "label_hex")]
    label: Option<String>,

    /// OAEP: label, in hexadecimal digits
    #[arg(long, value_name = "DIGITS")]
    label_hex: Option<String>,
}

/// What the options come to; it owns what a [`Scheme`] borrows.
pub struct Choice {
    padding: Padding,
    functions: oaep::Functions,
    label: Vec<u8>,
}

impl Options {
    /// The scheme.
    pub fn choice(&self) -> Result<Choice, Failure> {
        let oaep_only = [
            ("--hash", self.hash.is_some()),
            ("--mgf1-hash", self.mgf1_hash.is_some()),
            ("--label", self.label.is_some()),
            ("--label-hex", self.label_hex.is_some()),
        ];
        if self.padding != Padding::Oaep
            && let Some((option, _)) = oaep_only.iter().find(|(_, given)| *given)
        {
            return Err(Failure::Usage(format!("{option}: is for --padding oaep")));
        }
        let hash = self.hash.unwrap_or(Hash::Sha256);
        let label = match (&self.label, &self.label_hex) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(digits)) => hex_option("--label-hex", digits)?,
            (None, None) => Vec::new(),
        };
        let functions = oaep::Functions { hash, mgf1_hash: self.mgf1_hash.unwrap_or(hash) };
        Ok(Choice { padding: self.padding, functions, label })
    }
}

impl Choice {
    /// The padding.
    pub fn padding(&self) -> Padding {
        self.padding
    }

    /// The scheme in words.
    pub fn name(&self) -> String {
        match self.padding {
            Padding::Oaep => format!("OAEP with {}", self.functions.hash.name()),
            Padding::Pkcs1 => "PKCS#1 v1.5".to_owned(),
            Padding::Raw => "RSA without padding".to_owned(),
        }
    }

    /// The scheme; of PKCS#1 v1.5 the one with implicit rejection.
    pub fn scheme(&self) -> Scheme<'_> {
        match self.padding {
            Padding::Oaep => Scheme::Oaep { functions: self.functions, label: &self.label },
            Padding::Pkcs1 => Scheme::Pkcs1v15,
            Padding::Raw => Scheme::Raw,
        }
    }
}
