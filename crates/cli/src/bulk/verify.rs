// SPDX-License-Identifier: Apache-2.0
//! `garner bulk --verify`: whether signatures are those of the lines of a list.

use super::arguments::{Arguments, is_pattern};
use super::folder::Folder;
use super::jobs::{Job, Jobs};
use super::judge::{BATCH, Judge};
use super::keys::{Key, Keys};
use super::records::Records;
use crate::failure::{Failure, Of};
use crate::files::Input;
use crate::output::{self, grouped, rate};
use crate::progress::{Progress, per_second};
use garner::gather::Gatherer;
use garner::key::PublicKey;
use serde::Serialize;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest record, in bytes: a signature and a name.
const LONGEST: u64 = 1 << 20;

/// Where the signatures are.
enum Source {
    File(BufReader<Input>, Records),
    Folder(Folder),
}

/// What it came to.
#[derive(Serialize)]
struct Summary {
    /// Lines of the list.
    signatures: u64,
    good: u64,
    bad: u64,
    seconds: f64,
    per_second: f64,
}

/// Verifies the signatures that `path` names.
pub fn run(arguments: &Arguments, path: &Path, records: Records) -> Result<(), Failure> {
    let scheme = arguments.scheme.to_verify()?;
    let gatherer = Gatherer::new(arguments.device.config()?);
    let keys = Keys::<Arc<PublicKey>>::read(&arguments.keys, &arguments.password)?;
    let pattern = is_pattern(path);
    let mut jobs = Jobs::open(arguments, keys, records.names || pattern)?;
    let input = jobs.name().to_owned();
    let mut source = if pattern {
        Source::Folder(Folder::open(path, arguments.encoding, false, false)?)
    } else {
        Source::File(BufReader::with_capacity(64 << 10, Input::open(Some(path), "the signatures")?), records)
    };
    let judge = Judge { gatherer: &gatherer, scheme, input: &input };
    let progress = Progress::new(jobs.total(), "verified");
    let start = Instant::now();
    let (mut count, mut bad) = (0, 0);
    loop {
        let mut batch = Vec::with_capacity(BATCH);
        for job in jobs.by_ref().take(BATCH) {
            let job = job?;
            let signature = source.signature(&job, &input)?;
            batch.push((job, signature));
        }
        let verdicts = judge.verdicts(&batch)?;
        for ((job, signature), _) in batch.iter().zip(&verdicts).filter(|(_, good)| !**good) {
            let what =
                if signature.is_some() { "the signature is not that of this line" } else { "no signature is there" };
            progress.suspend(|| output::complain(format_args!("{input}:{}: {what}", job.line)));
            bad += 1;
        }
        count += batch.len() as u64;
        progress.done(batch.len() as u64);
        if batch.is_empty() {
            break;
        }
    }
    progress.finish();
    let left = source.is_left()?;
    // That nobody reads the summary is no reason for another verdict.
    let shown = Summary::new(count, bad, start.elapsed()).show(arguments.json);
    if bad > 0 {
        let text = format!("{}: {} of {} signatures are not good", path.display(), grouped(bad), grouped(count));
        return Err(Failure::Check(text));
    }
    if left {
        return Err(Failure::Check(format!("{}: has more signatures than {input} has lines", path.display())));
    }
    if count == 0 {
        // Mostly a list that could not be made, and no reason to go on.
        return Err(Failure::Check(format!("{input}: has no lines: nothing was verified")));
    }
    shown
}

impl Source {
    /// The signature of a job; none if it is not there, and no bytes if there is something else.
    fn signature<K: Key>(&mut self, job: &Job<K>, input: &str) -> Result<Option<Vec<u8>>, Failure> {
        let size = job.key.public().size();
        let (reader, records) = match self {
            Source::Folder(folder) => {
                let wrong = |failure| super::wrong_line(input, job.line, failure);
                return folder.read(&job.item, size).map_err(wrong);
            }
            Source::File(reader, records) => (reader, *records),
        };
        let name = reader.get_ref().name().to_owned();
        let mut record = Vec::new();
        if records.encoding.is_binary() {
            reader.take(size as u64).read_to_end(&mut record).of(name)?;
        } else {
            reader.take(LONGEST).read_until(b'\n', &mut record).of(name)?;
        }
        if record.is_empty() {
            return Ok(None);
        }
        Ok(Some(records.signature(&record, &job.item.name).unwrap_or_default()))
    }

    /// Whether there is more than was asked for.
    fn is_left(&mut self) -> Result<bool, Failure> {
        match self {
            Source::Folder(_) => Ok(false),
            Source::File(reader, _) => {
                let left = reader.fill_buf().map(|left| !left.is_empty());
                left.of(reader.get_ref().name())
            }
        }
    }
}

impl Summary {
    fn new(signatures: u64, bad: u64, elapsed: Duration) -> Summary {
        let per_second = per_second(signatures, elapsed);
        Summary { signatures, good: signatures - bad, bad, seconds: elapsed.as_secs_f64(), per_second }
    }

    fn show(&self, json: bool) -> Result<(), Failure> {
        if json {
            return output::write(&format!("{}\n", serde_json::to_string(self).expect("numbers")));
        }
        let (good, all) = (grouped(self.good), grouped(self.signatures));
        let (seconds, rate) = (self.seconds, rate(self.per_second));
        output::write(&format!("{good} of {all} signatures are good; {seconds:.1} s, {rate} per second\n"))
    }
}
