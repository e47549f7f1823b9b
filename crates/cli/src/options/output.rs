// SPDX-License-Identifier: Apache-2.0
//! Where a command's result goes.

use crate::failure::Failure;
use crate::files::Destination;
use clap::Args;
use std::path::PathBuf;

/// The file of a result.
#[derive(Args, Debug)]
pub struct Output {
    /// Write to this file, whole or not at all [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Overwrite existing files
    #[arg(long)]
    force: bool,
}

impl Output {
    /// Refuses an existing file unless forced.
    pub fn destination(&self) -> Result<Destination<'_>, Failure> {
        Destination::new(self.out.as_deref(), self.force)
    }
}
