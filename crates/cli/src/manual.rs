// SPDX-License-Identifier: Apache-2.0
//! `garner manual FOLDER`: the manual pages, made of what `--help` shows.

use crate::Cli;
use crate::failure::{Failure, Of};
use crate::files::{Access, Destination};
use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::io::{self, Write};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  garner manual /usr/local/share/man/man1      garner.1, garner-keygen.1, garner-sign.1, ...
  garner manual . && man -l garner-bulk.1

make install and the Debian package put them where man looks for them.";

/// Options of `garner manual`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Where to write the pages; older ones are replaced
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    for command in std::iter::once(&whole).chain(whole.get_subcommands()) {
        // `garner bulk` in its usage, and garner-bulk in its title.
        let name = command.get_display_name().unwrap_or(command.get_name()).to_owned();
        let file = arguments.folder.join(format!("{name}.1"));
        let mut text = Vec::new();
        page(command, &name, &mut text).of(file.display())?;
        Destination::new(Some(&file), true)?.write(&text, Access::Everybody, false)?;
    }
    Ok(())
}

/// Each section, but that examples and what else follows the options keep their lines.
fn page(command: &Command, name: &str, text: &mut dyn Write) -> io::Result<()> {
    let man = Man::new(command.clone()).title(name.to_uppercase()).manual("Garner");
    man.render_title(text)?;
    man.render_name_section(text)?;
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)?;
    if command.has_subcommands() {
        man.render_subcommands_section(text)?;
    }
    let Some(more) = command.get_after_help() else { return Ok(()) };
    sections(&more.to_string()).to_writer(text)
}

/// What follows the options: a paragraph that begins with a heading of its own, as `Examples:`, is a section.
fn sections(text: &str) -> Roff {
    let mut roff = Roff::new();
    let mut verbatim = false;
    let mut plain = |roff: &mut Roff, on: bool| {
        if on != verbatim {
            roff.control(if on { "nf" } else { "fi" }, []);
            verbatim = on;
        }
    };
    for paragraph in text.split("\n\n") {
        let (first, rest) = paragraph.split_once('\n').unwrap_or((paragraph, ""));
        let lines = match first.strip_suffix(':').filter(|heading| !heading.contains(' ') || rest.starts_with("  ")) {
            Some(heading) => {
                plain(&mut roff, false);
                roff.control("SH", [heading.to_uppercase().as_str()]);
                rest
            }
            None => {
                plain(&mut roff, false);
                roff.control("PP", []);
                paragraph
            }
        };
        // Columns stay where they are.
        plain(&mut roff, lines.lines().any(|line| line.starts_with("  ")));
        for line in lines.lines() {
            roff.text([roman(line)]);
        }
    }
    plain(&mut roff, false);
    roff
}
