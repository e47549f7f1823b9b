//! `garner keygen`: one key or many, on all processors.
//!
//! | file | what it does |
//! |---|---|
//! | [`arguments`] | the options, and what they may be |
//! | [`names`] | which key goes to which file |
//! | [`workers`] | threads that generate and encode |

mod arguments;
mod names;
mod workers;

pub use arguments::Arguments;

use crate::failure::{Failure, Of};
use crate::files::{Access, Destination};
use crate::progress;
use indicatif::ProgressBar;
use names::Names;
use workers::{Encoded, Encoder};

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let names = Names::new(arguments.out.as_deref(), arguments.extension(), arguments.count, "--out")?;
    let public = match &arguments.public_out {
        Some(pattern) => Some(Names::new(Some(pattern), "pub.pem", arguments.count, "--public-out")?),
        None => None,
    };
    // An existing file is refused before the first key is made, not after a thousand.
    for i in 0..arguments.count {
        Destination::new(names.of(i).as_deref(), arguments.force)?;
        if let Some(public) = &public {
            Destination::new(public.of(i).as_deref(), arguments.force)?;
        }
    }
    let encoder = Encoder::new(arguments, &names.subject())?;
    let arithmetic = garner::arithmetic::best().of("devices")?;
    let progress = match arguments.count {
        1 => ProgressBar::hidden(),
        count => progress::counted(count as u64, "keys", 0),
    };
    let mut written = 0;
    workers::run(&*arithmetic, arguments, &encoder, |key: Encoded| {
        if let Some(public) = &public {
            let destination = public.of(written);
            Destination::new(destination.as_deref(), arguments.force)?.write(
                key.public.as_bytes(),
                Access::Everybody,
                false,
            )?;
        }
        let destination = names.of(written);
        Destination::new(destination.as_deref(), arguments.force)?.write(&key.private, Access::Owner, arguments.der)?;
        written += 1;
        progress.inc(1);
        Ok(())
    })?;
    progress.finish_and_clear();
    Ok(())
}
