// SPDX-License-Identifier: Apache-2.0
//! `garner completions SHELL`: what completes commands, options and their values.

use crate::failure::Failure;
use crate::{Cli, output};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

const EXAMPLES: &str = "\
Examples:
  garner completions bash > ~/.local/share/bash-completion/completions/garner
  garner completions zsh > ~/.zfunc/_garner            a folder of $fpath
  garner completions fish > ~/.config/fish/completions/garner.fish

make install and the Debian package put them where the shells look for them.";

/// Options of `garner completions`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut Cli::command(), "garner", &mut text);
    output::write_bytes(&text)
}
