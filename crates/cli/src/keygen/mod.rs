// SPDX-License-Identifier: Apache-2.0
//! `garner keygen`: one key or many, on all processors.
//!
//! | file | what it does |
//! |---|---|
//! | [`arguments`] | the options, and what they may be |
//! | [`names`] | which key goes to which file |
//! | [`files`] | what is there already, and how a key is written |
//! | [`workers`] | threads that generate and encode |

mod arguments;
mod files;
mod names;
mod workers;

pub use arguments::Arguments;

use crate::failure::{Failure, Of};
use crate::progress;
use files::Files;
use indicatif::ProgressBar;
use workers::{Encoded, Encoder};

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let files = Files::new(arguments)?;
    let arithmetic = garner::arithmetic::best().of("devices")?;
    arguments.check(&*arithmetic)?;
    files.check()?;
    let encoder = Encoder::new(arguments, &files.subject())?;
    files.make_folders()?;
    files.complete(&encoder)?;
    let count = files.missing().count();
    let progress = match arguments.count {
        1 => ProgressBar::hidden(),
        all => progress::counted(all as u64, "keys", (all - count) as u64),
    };
    let mut missing = files.missing();
    workers::run(&*arithmetic, arguments, count, &encoder, |key: Encoded| {
        // Another run may have made some meanwhile: then this key is not wanted.
        if let Some(i) = missing.next() {
            files.write(i, &key)?;
            progress.inc(1);
        }
        Ok(())
    })?;
    progress.finish_and_clear();
    Ok(())
}
