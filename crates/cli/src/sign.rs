// SPDX-License-Identifier: Apache-2.0
//! `garner sign`: the signature of a message or digest.

use crate::digest::Message;
use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use crate::files::Access;
use crate::options::{key, output, signature};
use clap::Args;
use garner_devices::gatherer;

const EXAMPLES: &str = "\
Examples:
  garner sign --key key.pem letter.txt --out letter.sig
  garner sign --key key.pem --padding pss --hash sha3-256 letter.txt --encoding base64
  sha512sum letter.txt | cut -c 1-128 | garner sign --key key.pem --hash sha512 --digest -o letter.sig
  garner sign --key garner:www letter.txt -o letter.sig       by garnerd, which holds the key
  openssl dgst -sha256 -verify public.pem -signature letter.sig letter.txt

Many messages at once: garner bulk.";

/// Options of `garner sign`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    key: key::Key,

    #[command(flatten)]
    scheme: signature::Options,

    #[command(flatten)]
    message: Message,

    /// Encoding of the signature
    #[arg(long, value_enum, default_value = "binary")]
    encoding: Encoding,

    #[command(flatten)]
    output: output::Output,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let destination = arguments.output.destination()?;
    let scheme = arguments.scheme.to_sign()?;
    let key = arguments.key.private()?;
    let (digest, name) = arguments.message.digest(arguments.scheme.hash())?;
    let task = key.signing(scheme, &digest).of(name)?;
    let signature = task.run(|| gatherer().of("devices"))?.of(arguments.key.name())?;
    let mut text = Vec::new();
    arguments.encoding.append(&signature, &mut text);
    destination.write(&text, Access::Everybody, arguments.encoding.is_binary())
}
