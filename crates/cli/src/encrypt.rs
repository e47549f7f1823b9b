// SPDX-License-Identifier: Apache-2.0
//! `garner encrypt`: a short message to the owner of a key.

use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use crate::files::{Access, Input};
use crate::options::{encryption, key, output};
use clap::Args;
use garner::encryption::encrypt;
use garner_devices::gatherer;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  garner encrypt --key public.pem session.key --out session.enc
  garner encrypt --key public.pem --hash sha512 --label invoice session.key --out session.enc
  openssl pkeyutl -decrypt -inkey key.pem -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 \\
      -in session.enc

RSA encrypts short messages: with OAEP and SHA-256, up to 190 bytes by a key of 2048 bits. Encrypt longer ones with a
symmetric cipher, and that cipher's key with this.";

/// Options of `garner encrypt`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    key: key::Key,

    #[command(flatten)]
    scheme: encryption::Options,

    /// The message [default: standard input]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Encoding of the ciphertext
    #[arg(long, value_enum, default_value = "binary")]
    encoding: Encoding,

    #[command(flatten)]
    output: output::Output,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let destination = arguments.output.destination()?;
    let choice = arguments.scheme.choice()?;
    let key = arguments.key.public()?;
    let input = Input::open(arguments.file.as_deref(), "the message")?;
    let name = input.name().to_owned();
    let room = choice.scheme().longest_message(key.size()).of(&name)?;
    let too_long = || {
        let (scheme, bits) = (choice.name(), key.bits());
        let text =
            format!("{name}: is longer than {room} bytes, the most that {scheme} takes with a key of {bits} bits");
        Failure::Environment(text)
    };
    let message = input.read_within(room)?.ok_or_else(too_long)?;
    let ciphertext = encrypt(gatherer().of("devices")?, &key, choice.scheme(), &message).of(name)?;
    let mut text = Vec::new();
    arguments.encoding.append(&ciphertext, &mut text);
    destination.write(&text, Access::Everybody, arguments.encoding.is_binary())
}
