// SPDX-License-Identifier: Apache-2.0
//! `garner keygen`: one key or many, on all processors.
//!
//! | file | what it does |
//! |---|---|
//! | [`arguments`] | the options, and what they may be |
//! | [`names`] | which key goes to which file |
//! | [`files`] | what is there already, and how a key is written |
//! | [`inspect`] | whether what is there is what would be made |
//! | [`workers`] | threads that generate and encode |
//! | [`tally`] | what it came to |

mod arguments;
mod files;
mod inspect;
mod names;
mod tally;
mod workers;

pub use arguments::Arguments;

use crate::failure::{Failure, Of};
use crate::interruption::Interruptible;
use crate::output;
use crate::progress::Progress;
use files::Files;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;
use tally::{Again, Tally};
use workers::{Encoded, Encoder};

/// How many refused keys are named; their number is in the summary.
const NAMED: u64 = 20;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let arithmetic = garner::arithmetic::best().of("devices")?;
    arguments.check(&*arithmetic)?;
    // Before the files are looked at: the password's is none of them.
    arguments.password.given()?;
    let files = Files::new(arguments)?;
    files.check()?;
    let encoder = Encoder::new(arguments, &files.subject())?;
    files.make_folders()?;
    files.tidy();
    let again = Again::new(arguments);
    let tally = Interruptible::new(Tally::new(arguments.count as u64), move |tally| Ok(tally.interrupted(again)))?;
    inspect(arguments, &files, &encoder, &tally)?;
    let count = files.missing().count();
    let progress = match arguments.count {
        1 => Progress::hidden(),
        all => Progress::new(Some(all as u64), "made"),
    };
    progress.found(tally.with(|tally| tally.found));
    let mut missing = files.missing();
    tally.with(|tally| tally.start = Instant::now());
    let outcome = workers::run(&*arithmetic, arguments, count, &encoder, |key: Encoded| {
        // Another run may have made some meanwhile: then this key is not wanted.
        if let Some(i) = missing.next() {
            // A signal waits until both halves are there.
            tally.with(|tally| files.write(i, &key).map(|()| tally.made += 1))?;
            progress.done(1);
        }
        Ok(())
    });
    progress.finish();
    outcome.map_err(|failure| match arguments.count {
        1 => failure,
        _ => failure.and(&tally.with(|tally| tally.interrupted(again))),
    })?;
    tally.complete(|tally| show(arguments, &tally))
}

/// Looks at the keys that are there; if one is not as it should be, nothing is made.
fn inspect(
    arguments: &Arguments,
    files: &Files<'_>,
    encoder: &Encoder,
    tally: &Interruptible<Tally>,
) -> Result<(), Failure> {
    let progress = match arguments.count {
        1 => Progress::hidden(),
        all => Progress::new(Some(all as u64), "looked at"),
    };
    files.inspect(encoder, |wrong| {
        let refused = tally.with(|tally| {
            match wrong {
                Some(_) => tally.refused += 1,
                None => tally.found += 1,
            }
            tally.refused
        });
        if let Some(reason) = wrong.filter(|_| refused <= NAMED) {
            progress.suspend(|| output::complain(reason));
        }
        progress.done(1);
        Ok(())
    })?;
    progress.finish();
    let tally = tally.with(|tally| tally.clone());
    if tally.refused == 0 {
        return Ok(());
    }
    // The failure below is what there is to tell, whoever reads the summary.
    let _ = show(arguments, &tally);
    let (refused, all) = (output::grouped(tally.refused), output::grouped(tally.refused + tally.found));
    let text = format!("{refused} of the {all} keys that are there are not what is asked for; nothing was made");
    Err(Failure::Environment(text).and("move them away, or ask for what they are"))
}

/// The closing summary.
fn show(arguments: &Arguments, tally: &Tally) -> Result<(), Failure> {
    let elapsed = tally.start.elapsed();
    if arguments.json {
        return output::write(&tally.json(elapsed));
    }
    if (arguments.count > 1 || arguments.resume) && io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "{}", tally.text(elapsed));
    }
    Ok(())
}
