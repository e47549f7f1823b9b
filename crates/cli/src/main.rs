// SPDX-License-Identifier: Apache-2.0
//! The `garner` command: a front end to the library, for people and scripts. It holds no cryptography of its own.

#![forbid(unsafe_code)]

mod bulk;
mod completions;
mod decrypt;
mod devices;
mod digest;
mod encoding;
mod encrypt;
mod failure;
mod files;
mod interruption;
mod invocation;
mod keygen;
mod machine;
mod manual;
mod options;
mod output;
mod progress;
mod sign;
mod speed;
mod stats;
mod stub;
mod verify;

use clap::{Parser, Subcommand};
use failure::Failure;
use garner_origin::Origin;
use std::process::ExitCode;
use std::sync::LazyLock;

const ENVIRONMENT: &str = "\
Environment:
  GARNER_CPU      arithmetic of the processor: ifma, avx-ifma, avx2 or libcrypto [default: the fastest here]
  GARNER_GPU      off; public: verifying and encrypting too; commas between several
  GARNER_KERNELS  one-row or two-rows, with AVX-512: this kind of kernels [default: what is measured to be faster]
  GARNER_SUMMARY  provider and ENGINE: a line of figures when a process ends, to stderr or appended to the file named
  GARNER_SOCKET   where garnerd listens [default: /run/garnerd/socket]
  GARNER_PATIENCE for so many seconds a garnerd that holds keys and does not answer is asked again [default: 10]
  GARNER_METRICS  where garnerd gives its figures, for garner stats [default: /run/garnerd/metrics]";

const EXIT_CODES: &str = "\
Exit status:
  0    all went well
  1    a check failed: a signature or ciphertext is not good, or a result was wrong
  2    the command line was refused
  3    the machine, a file or another process stood in the way
  130  interrupted by SIGINT, as Ctrl-C sends it; 143: by SIGTERM";

const EXAMPLES: &str = "\
Examples:
  garner keygen --out key.pem --public-out public.pem
  garner sign --key key.pem letter.txt --out letter.sig
  garner verify --key public.pem --signature letter.sig letter.txt
  sha256sum *.gz | garner bulk --key key.pem --out signatures.txt
  garner devices                         what this machine can run RSA on
  garner speed                           the main measurement, beside OpenSSL, in under two minutes
  garner speed --bits 2048 --callers 1,64
  garner stats 4711                      what process 4711 has done with Garner";

/// RSA operations gathered into batches and run on the fastest device present.
#[derive(Parser)]
#[command(name = "garner", version, long_version = VERSION.as_str(), arg_required_else_help = true)]
#[command(after_help = [EXAMPLES, ENVIRONMENT, EXIT_CODES].join("\n\n"))]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Generate one key or many
    Keygen(keygen::Arguments),
    /// Sign a message or digest
    Sign(sign::Arguments),
    /// Verify the signature of a message or digest
    Verify(verify::Arguments),
    /// Sign any number of digests, messages or files
    Bulk(bulk::Arguments),
    /// Encrypt a short message
    Encrypt(encrypt::Arguments),
    /// Decrypt a ciphertext
    Decrypt(decrypt::Arguments),
    /// Show what can run RSA here, and why something cannot
    Devices(devices::Arguments),
    /// Measure Garner beside OpenSSL, every result checked
    Speed(speed::Arguments),
    /// Show what a running process has done with Garner
    Stats(stats::Arguments),
    /// Make a file that stands for a key which garnerd holds
    Stub(stub::Arguments),
    /// Print what completes these commands in a shell
    Completions(completions::Arguments),
    /// Write the manual pages of these commands
    Manual(manual::Arguments),
}

/// `0.1.0` and, on a second line, the commit it was built from.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}\ncommit {}", env!("CARGO_PKG_VERSION"), Origin::built().commit_line()));

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Keygen(arguments) => keygen::run(&arguments),
        Command::Sign(arguments) => sign::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Bulk(arguments) => bulk::run(&arguments),
        Command::Encrypt(arguments) => encrypt::run(&arguments),
        Command::Decrypt(arguments) => decrypt::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Speed(arguments) => speed::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Stub(arguments) => stub::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Manual(arguments) => manual::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough, as in `garner devices | head -1`.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            output::complain(&failure);
            failure.exit_code()
        }
    }
}
