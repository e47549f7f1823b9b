// SPDX-License-Identifier: Apache-2.0
//! `garner bulk`: signatures of any number of digests, messages or files, and on after an interruption.
//!
//! | file | what it does |
//! |---|---|
//! | [`arguments`] | the options |
//! | [`keys`] | which key a line is signed with |
//! | [`jobs`] | lines of the input, parsed and hashed |
//! | [`partial`] | the output while it grows, and what is left of one |
//! | [`resume`] | verifies what is there already |
//! | [`pipeline`] | lines in, signatures out, a bounded number under way |
//! | [`summary`] | what it came to |
//!
//! Nothing but the output itself is kept to go on from: each signature there is verified against its line, which costs
//! a few per cent of making it, and finds any change of input, key or scheme.

mod arguments;
mod jobs;
mod keys;
mod partial;
mod pipeline;
mod resume;
mod summary;

pub use arguments::Arguments;

use crate::failure::{Failure, Of};
use crate::interruption::Interruptible;
use crate::{output, progress};
use garner::gather::{Config, Gatherer};
use jobs::Jobs;
use keys::Keys;
use partial::{Growing, Partial};
use pipeline::Pipeline;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::time::Instant;
use summary::Summary;

/// Batches of work under way for each slot: one running, the others ready for it and for the order of the output.
const BATCHES: usize = 4;

/// Signatures under way at least: where batches are small, so are the pauses of reader and writer.
const LEAST_WINDOW: usize = 256;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let scheme = arguments.scheme.to_sign()?;
    if arguments.json && arguments.out().is_none() {
        return Err(Failure::Usage("--json: needs --out, standard output being the signatures'".into()));
    }
    let config = arguments.device.config()?;
    let window = window(&config);
    let keys = Keys::read(&arguments.keys, &arguments.password)?;
    let jobs = Jobs::open(arguments.input.as_deref(), arguments.of, arguments.scheme.hash(), keys)?;
    // Signatures on standard output are nothing to go on from: there a signal just ends the process.
    let partial = match arguments.out() {
        Some(path) => {
            let partial = Partial::open(path, arguments.force, arguments.restart)?;
            Some(Interruptible::new(partial, |partial| Ok(partial.interrupted()))?)
        }
        None => None,
    };
    let gatherer = Arc::new(Gatherer::new(config));
    let pipeline = Pipeline { gatherer, scheme, encoding: arguments.encoding, window };
    let outcome = sign(&pipeline, jobs, partial.as_ref());
    let summary = match partial {
        Some(partial) => partial.complete(|partial| {
            let summary = outcome?;
            partial.finish().map(|()| summary)
        })?,
        None => outcome?,
    };
    if arguments.json {
        output::write(&summary.json())?;
    } else if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "{}", summary.text());
    }
    Ok(())
}

/// Signs what is not signed yet.
fn sign(pipeline: &Pipeline, mut jobs: Jobs, partial: Option<&Interruptible<Partial>>) -> Result<Summary, Failure> {
    let Pipeline { gatherer, scheme, encoding, .. } = pipeline;
    let resumed = match partial {
        Some(partial) => resume::resume(partial, &mut jobs, gatherer, *scheme, *encoding)?,
        None => 0,
    };
    let bar = match jobs.total() {
        Some(total) => progress::counted(total, "signatures", resumed),
        None => progress::uncounted("signatures", resumed),
    };
    let mut growing = partial.map_or_else(|| Growing::Standard(io::stdout()), Growing::File);
    let start = Instant::now();
    let outcome = pipeline.run(jobs, &mut growing, &bar);
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let signed = outcome.map_err(|failure| match partial {
        Some(partial) => partial.with(|partial| partial.keep(failure)),
        None => failure,
    })?;
    Ok(Summary::new(signed, resumed, seconds, &gatherer.statistics()))
}

/// How many signatures are under way at most: enough for every slot, and so few that memory stays small.
fn window(config: &Config) -> usize {
    let batch = config.devices.iter().map(|device| device.preferred_batch()).max().unwrap_or(1);
    (BATCHES * config.slots * batch).clamp(LEAST_WINDOW, config.queue_limit.max(LEAST_WINDOW))
}

/// What is wrong with a line of the input.
fn wrong_line(name: &str, line: u64, reason: impl Display) -> Failure {
    Failure::Input(format!("{name}:{line}: {reason}"))
}

/// Says at which line of which input something failed that is not the line's fault.
fn at<T, E: Display>(result: Result<T, E>, name: &str, line: u64) -> Result<T, Failure> {
    result.of(format_args!("{name}:{line}"))
}
