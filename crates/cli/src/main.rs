//! The `garner` command: a front end to the library, for people and scripts. It holds no cryptography of its own.

mod devices;
mod failure;
mod machine;
mod output;
mod speed;
mod stats;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

const EXIT_CODES: &str = "\
Exit status:
  0  all went well
  1  a check failed: a result was wrong
  2  the command line was refused
  3  the machine, a file or another process stood in the way";

const EXAMPLES: &str = "\
Examples:
  garner devices                         what this machine can run RSA on
  garner speed                           the main measurement, beside OpenSSL, in under two minutes
  garner speed --bits 2048 --callers 1,64
  garner stats 4711                      what process 4711 has done with Garner";

/// RSA operations gathered into batches and run on the fastest device present.
#[derive(Parser)]
#[command(name = "garner", version, arg_required_else_help = true, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show what can run RSA here, and why something cannot
    Devices(devices::Arguments),
    /// Measure Garner beside OpenSSL, every result checked
    Speed(speed::Arguments),
    /// Show what a running process has done with Garner
    Stats(stats::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Speed(arguments) => speed::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has seen enough, as in `garner devices | head -1`.
        Err(Failure::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("garner: {failure}");
            failure.exit_code()
        }
    }
}
