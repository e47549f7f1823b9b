// SPDX-License-Identifier: Apache-2.0
//! The options of `garner bulk`.

use crate::devices;
use crate::encoding::Encoding;
use crate::options::password::Password;
use crate::options::signature;
use clap::{Args, ValueEnum};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  garner bulk --key key.pem digests.txt --out signatures.txt         one digest in hexadecimal digits per line
  sha256sum *.tar.gz | garner bulk --key key.pem --names --out signatures.txt
  openssl dgst -sha256 *.tar.gz | garner bulk --key key.pem --encoding binary --out 'signatures/{}.sig'
  garner bulk --key key.pem --of messages --encoding base64 tokens.txt --out signatures.txt
  find . -type f -print0 | garner bulk --key key.pem --of files -0 --encoding binary --out ../signatures.bin
  garner bulk --key alice=a.pem --key bob=b.pem digests.txt --out signatures.txt
  garner bulk --key garner:www digests.txt --out signatures.txt      by garnerd, which holds the key
  garner bulk --key public.pem --verify signatures.txt digests.txt

Lines:
  digests   hexadecimal digits, alone or with a name: what sha256sum writes, with --tag and -z (here -0) too, and
            openssl dgst with and without -r
  messages  all of the line but its newline
  files     the name of a file that is the message
With named keys each line begins with the name of its key and white space. A byte-order mark before digests or names of
files is passed over; before messages it is part of the first.

Line n of the output is the signature of line n of the input; in binary form they follow one another without anything
between them, each as long as its key. With --names a line is a signature, two spaces and the name, escaped as
sha256sum does. With {} in FILE each signature gets a file of its own, in which {} is the name; no name leads out of the
folder before the {}, and one that would is refused.

The output grows as FILE.partial and becomes FILE when it is whole. If it was interrupted in any way, the same command
goes on from FILE.partial: the signatures there are verified, a piece of one at the end is thrown away, the others are
made. The result is the same as without interruption (with PSS, whose salts are random: as good). Of signatures with
files of their own, those that are there are verified, and the others made; an empty file, which a loss of power leaves,
is none, unless the lines are names of files.

A line that cannot be signed, as a blank one in a list of digests or files, ends the run: correct it, and the same
command goes on.

With --verify the exit status is 0 if all signatures are good, and 1 if one is not or is missing, each of which is named
on standard error, or if the input has no lines.";

/// Options of `garner bulk`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The key file, or garner:NAME for that key of garnerd's; or, to choose the key for each line, several named ones
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

    /// Items end with a NUL byte instead of a newline, as after find -print0 and sha256sum -z
    #[arg(short = '0', long)]
    pub null: bool,

    /// Write the name of each item after its signature
    #[arg(long)]
    pub names: bool,

    /// Write to this file; with {} in it, to one for each signature, named after its item [default: standard output,
    /// where nothing can go on after an interruption]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Overwrite FILE if it exists, once its successor is whole; no file that the list names is overwritten
    #[arg(long)]
    pub force: bool,

    /// Throw FILE.partial away and begin anew
    #[arg(long)]
    pub restart: bool,

    /// Verify the signatures of this file, or of those named with {}, with public keys or private ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "force", "restart"])]
    pub verify: Option<PathBuf>,

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

/// Whether an output or input is a pattern, of a file for each signature.
pub fn is_pattern(path: &Path) -> bool {
    path.as_os_str().as_bytes().windows(2).any(|two| two == b"{}")
}
