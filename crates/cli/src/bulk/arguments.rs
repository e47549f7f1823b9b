// SPDX-License-Identifier: Apache-2.0
//! The options of `garner bulk`.

use crate::devices;
use crate::encoding::Encoding;
use crate::files::is_standard_output;
use crate::options::password::Password;
use crate::options::signature;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  garner bulk --key key.pem digests.txt --out signatures.txt         one digest in hexadecimal digits per line
  sha256sum *.tar.gz | garner bulk --key key.pem --out signatures.txt
  garner bulk --key key.pem --of messages --encoding base64 tokens.txt --out signatures.txt
  find . -type f | garner bulk --key key.pem --of files --encoding binary --out signatures.bin
  garner bulk --key alice=a.pem --key bob=b.pem digests.txt --out signatures.txt

Lines:
  digests   hexadecimal digits; what follows them after white space is passed over, as in sha256sum's lists
  messages  all of the line but its newline
  files     the name of a file that is the message
With named keys each line begins with the name of its key and white space.

Line n of the output is the signature of line n of the input; in binary form they follow one another without anything
between them, each as long as its key.

The output grows as FILE.partial and becomes FILE when it is whole. If it was interrupted in any way, the same command
goes on from FILE.partial: the signatures there are verified, a piece of one at the end is thrown away, the others are
made. The result is the same as without interruption (with PSS, whose salts are random: as good).

A line that cannot be signed, as a blank one in a list of digests or files, ends the run: correct it, and the same
command goes on.";

/// Options of `garner bulk`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The key file; or, to choose the key for each line, several named ones
    #[arg(long = "key", short, value_name = "[NAME=]FILE", required = true)]
    pub keys: Vec<String>,

    /// Their password, if they are encrypted
    #[command(flatten)]
    pub password: Password,

    #[command(flatten)]
    pub scheme: signature::Options,

    /// What each line of the input is
    #[arg(long, value_enum, value_name = "KIND", default_value = "digests")]
    pub of: Kind,

    /// The input [default: standard input]
    #[arg(value_name = "FILE")]
    pub input: Option<PathBuf>,

    /// Encoding of the signatures
    #[arg(long, value_enum, default_value = "hex")]
    pub encoding: Encoding,

    /// Write to this file [default: standard output, where nothing can go on after an interruption]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Overwrite FILE if it exists, once its successor is whole
    #[arg(long)]
    pub force: bool,

    /// Throw FILE.partial away and begin anew
    #[arg(long)]
    pub restart: bool,

    #[command(flatten)]
    pub device: devices::Choice,

    /// Print what it came to as JSON
    #[arg(long)]
    pub json: bool,
}

/// What the lines are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Digests in hexadecimal digits
    Digests,
    /// Messages
    Messages,
    /// Names of files
    Files,
}

impl Arguments {
    /// The output file; none for standard output.
    pub fn out(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| !is_standard_output(path))
    }
}
