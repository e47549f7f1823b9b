// SPDX-License-Identifier: Apache-2.0
//! `garner bulk`: signatures of any number of digests, messages or files, on after an interruption, and their verification.
//!
//! | file | what it does |
//! |---|---|
//! | [`arguments`] | the options |
//! | [`keys`] | which key a line is signed with |
//! | [`jobs`], [`digests`] | items of the input, parsed and hashed |
//! | [`pipeline`] | items in, signatures out, a bounded number under way |
//! | [`sink`] | where signatures go: |
//! | [`partial`], [`records`] | one file while it grows, and what is left of one; its form |
//! | [`folder`] | a file for each |
//! | [`judge`] | verifies many at once |
//! | [`resume`], [`unsigned`] | verify what is there already in one file, in a file for each |
//! | [`verify`] | `--verify` |
//! | [`summary`] | what it came to |
//!
//! Nothing but the output itself is kept to go on from: each signature there is verified against its line, which costs
//! a few per cent of making it, and finds any change of input, key or scheme.

mod arguments;
mod digests;
mod folder;
mod jobs;
mod judge;
mod keys;
mod partial;
mod pipeline;
mod records;
mod resume;
mod sink;
mod summary;
mod unsigned;
mod verify;

pub use arguments::Arguments;

use crate::failure::{Failure, Of};
use crate::files::{Destination, Identity, folder as folder_of, tidy};
use crate::interruption::Interruptible;
use crate::output;
use crate::progress::Progress;
use arguments::is_pattern;
use folder::Folder;
use garner::gather::{Config, Gatherer};
use garner_remote::Key;
use jobs::Jobs;
use judge::Judge;
use keys::Keys;
use partial::Partial;
use pipeline::Pipeline;
use records::Records;
use sink::{Sink, Target};
use std::collections::VecDeque;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Instant;
use summary::Summary;
use unsigned::Unsigned;

/// Batches of work under way for each slot: one running, the others ready for it and for the order of the output.
const BATCHES: usize = 4;

/// Signatures under way at least: where batches are small, so are the pauses of reader and writer.
const LEAST_WINDOW: usize = 256;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let records = Records { encoding: arguments.encoding, names: arguments.names };
    if records.names && records.encoding.is_binary() {
        return Err(Failure::Usage("--names: is for lines; --encoding binary has none".into()));
    }
    match &arguments.verify {
        Some(path) => verify::run(arguments, path, records),
        None => sign(arguments, records),
    }
}

/// Signs.
fn sign(arguments: &Arguments, records: Records) -> Result<(), Failure> {
    let scheme = arguments.scheme.to_sign()?;
    let pattern = arguments.out.as_deref().filter(|path| is_pattern(path));
    if pattern.is_some() && (arguments.names || arguments.restart) {
        return Err(Failure::Usage("--names and --restart are for one file, not for a file for each signature".into()));
    }
    let config = arguments.device.config()?;
    let window = window(&config);
    let keys = Keys::read(&arguments.keys, &arguments.password)?;
    let mut jobs = Jobs::open(arguments, keys, arguments.names || pattern.is_some())?;
    let mut target = target(arguments, &mut jobs)?;
    let gatherer = Arc::new(Gatherer::new(config));
    let pipeline = Pipeline { gatherer, scheme, input: jobs.name().to_owned(), window };
    let outcome = sign_rest(&pipeline, jobs, &mut target, records);
    let summary = match target {
        Target::File(partial) => partial.complete(|partial| {
            let summary = outcome?;
            partial.finish().map(|()| summary)
        })?,
        Target::Folder(folder) => folder.complete(|_| outcome)?,
        Target::Stream(_) => outcome?,
    };
    if arguments.json {
        output::write(&summary.json())?;
    } else if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "{}", summary.text());
    }
    Ok(())
}

/// Where the signatures go; of `jobs`, none is to be what is written.
fn target(arguments: &Arguments, jobs: &mut Jobs<Key>) -> Result<Target, Failure> {
    let out = arguments.out.as_deref();
    if let Some(pattern) = out.filter(|path| is_pattern(path)) {
        let mut folder = Folder::open(pattern, arguments.encoding, arguments.force, true)?;
        folder.tidy();
        if arguments.force {
            folder.spare(jobs.listed(folder.ending())?);
        }
        return Ok(Target::Folder(Interruptible::new(folder, |folder| Ok(folder.interrupted()))?));
    }
    let destination = Destination::new(out, arguments.force)?;
    if arguments.json && destination.is_standard() {
        return Err(Failure::Usage("--json: needs --out, standard output being the signatures'".into()));
    }
    if let Some(stream) = destination.stream(arguments.encoding.is_binary())? {
        let stdout = File::from(io::stdout().as_fd().try_clone_to_owned()?);
        jobs.refuse(stdout.metadata().ok().as_ref().and_then(Identity::of));
        return Ok(Target::Stream(stream));
    }
    let whole = destination.name();
    tidy(&folder_of(whole));
    let partial = Partial::open(whole, arguments.force, arguments.restart)?;
    jobs.refuse(whole.metadata().ok().as_ref().and_then(Identity::of));
    jobs.refuse(partial.identity());
    Ok(Target::File(Interruptible::new(partial, |partial| Ok(partial.interrupted()))?))
}

/// Signs what is not signed yet.
fn sign_rest(
    pipeline: &Pipeline,
    mut jobs: Jobs<Key>,
    target: &mut Target,
    records: Records,
) -> Result<Summary, Failure> {
    let Pipeline { gatherer, scheme, input, .. } = pipeline;
    let resumed = match target {
        Target::File(partial) => {
            resume::resume(partial, &mut jobs, Judge { gatherer, scheme: *scheme, input }, records)?
        }
        _ => 0,
    };
    let progress = Progress::new(jobs.total(), "signed");
    progress.found(resumed);
    let start = Instant::now();
    let outcome = match target {
        Target::Folder(folder) => {
            let unsigned = Unsigned {
                jobs,
                folder: folder.with(|folder| folder.clone()),
                gatherer: Arc::clone(gatherer),
                scheme: *scheme,
                progress: progress.clone(),
                ready: VecDeque::new(),
                failure: None,
            };
            pipeline.run(unsigned, &mut Sink::new(target, records), &progress)
        }
        _ => pipeline.run(jobs, &mut Sink::new(target, records), &progress),
    };
    let elapsed = start.elapsed();
    progress.finish();
    let signed = outcome.map_err(|failure| match target {
        Target::File(partial) => partial.with(|partial| partial.keep(failure)),
        // What is there of the others stays, and the same command goes on anyhow.
        _ => failure,
    })?;
    Ok(Summary::new(signed, progress.total_found(), elapsed, &gatherer.statistics()))
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
