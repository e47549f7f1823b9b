// SPDX-License-Identifier: Apache-2.0
//! `garner decrypt`: the message of a ciphertext.

use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use crate::files::{Access, Input};
use crate::options::{encryption, key, output};
use clap::Args;
use encryption::Padding;
use garner::encryption::Scheme;
use garner::error::Error;
use garner_devices::gatherer;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  garner decrypt --key key.pem session.enc --out session.key
  garner decrypt --key key.pem --hash sha1 session.enc        what openssl pkeyutl encrypts with OAEP by default
  garner decrypt --key key.pem --padding pkcs1 session.enc

With --padding pkcs1 a badly padded ciphertext decrypts to a message that nobody can foresee, the same each time, as
in OpenSSL since 3.2: who could tell good padding from bad could decrypt any ciphertext. The file of a message is
readable by its owner only.

The exit status is 1 for a ciphertext that does not decrypt, a malformed one too.";

/// Longest ciphertext file, in bytes.
const LONGEST: usize = 16 << 10;

/// Options of `garner decrypt`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    key: key::Key,

    #[command(flatten)]
    scheme: encryption::Options,

    /// PKCS#1 v1.5: say that the padding is bad. Only where nobody else gets to see that
    #[arg(long)]
    explicit_rejection: bool,

    /// The ciphertext [default: standard input]
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
    let scheme = match (choice.padding(), arguments.explicit_rejection) {
        (Padding::Pkcs1, true) => Scheme::Pkcs1v15Explicit,
        (_, false) => choice.scheme(),
        (_, true) => return Err(Failure::Usage("--explicit-rejection: is for --padding pkcs1".into())),
    };
    let key = arguments.key.private()?;
    let input = Input::open(arguments.file.as_deref(), "the ciphertext")?;
    let name = input.name().to_owned();
    let ciphertext = arguments.encoding.read(input, LONGEST)?;
    let size = key.public().size();
    if ciphertext.len() != size {
        let is = ciphertext.len();
        return Err(Failure::Check(format!("{name}: has {is} bytes, but ciphertexts of this key have {size}")));
    }
    let decrypted = match key.decryption(scheme, &ciphertext) {
        Ok((task, opening)) => task.run(|| gatherer().of("devices"))?.and_then(|output| opening.open(output)),
        Err(error) => Err(error),
    };
    match decrypted {
        Ok(message) => destination.write(&message, Access::Owner, true),
        Err(Error::Verification) => Err(Failure::Check(format!("{name}: does not decrypt by this key and scheme"))),
        other => other.map(drop).of(arguments.key.name()),
    }
}
