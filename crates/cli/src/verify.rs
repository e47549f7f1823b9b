// SPDX-License-Identifier: Apache-2.0
//! `garner verify`: whether a signature is that of a message or digest.

use crate::digest::Message;
use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use crate::files::Input;
use crate::options::{hash, key, signature};
use crate::output;
use clap::Args;
use garner::error::Error;
use garner::signature::verify_digest;
use garner_devices::gatherer;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  garner verify --key public.pem --signature letter.sig letter.txt
  garner verify --key public.pem --padding pss --signature letter.b64 --encoding base64 letter.txt
  openssl dgst -sha256 -sign key.pem letter.txt > letter.sig

The exit status is 0 for a good signature and 1 for any other, a malformed one too. After 2 and 3 nobody knows: the
command line, a key or the message stood in the way.";

/// Longest signature file, in bytes.
const LONGEST: usize = 16 << 10;

/// Options of `garner verify`.
#[derive(Args)]
// SHA-1 too, for old signatures.
#[command(after_help = EXAMPLES, mut_arg("hash", |arg| arg.value_parser(hash::ANY)))]
pub struct Arguments {
    #[command(flatten)]
    key: key::Key,

    #[command(flatten)]
    scheme: signature::Options,

    /// The signature
    #[arg(long, short, value_name = "FILE")]
    signature: PathBuf,

    /// Encoding of the signature
    #[arg(long, value_enum, default_value = "binary")]
    encoding: Encoding,

    #[command(flatten)]
    message: Message,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let scheme = arguments.scheme.to_verify()?;
    let key = arguments.key.public()?;
    let input = Input::open(Some(&arguments.signature), "the signature")?;
    let signature_name = input.name().to_owned();
    let signature = arguments.encoding.read(input, LONGEST)?;
    let (digest, name) = arguments.message.digest(arguments.scheme.hash())?;
    match verify_digest(gatherer().of("devices")?, &key, scheme, &digest, &signature) {
        Ok(()) => output::write("the signature is good\n"),
        Err(Error::Verification) => {
            Err(Failure::Check(format!("{signature_name}: not a signature of {name} by this key and scheme")))
        }
        Err(other) => Err(other).of(name),
    }
}
