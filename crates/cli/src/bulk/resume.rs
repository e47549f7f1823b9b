// SPDX-License-Identifier: Apache-2.0
//! What an interrupted run left: verified, signature by signature, against the lines it belongs to.

use super::jobs::{Job, Jobs};
use super::partial::Partial;
use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use crate::interruption::Interruptible;
use crate::progress;
use garner::gather::Gatherer;
use garner::signature::{Scheme, verification};
use std::io::Read;

/// Signatures verified at once.
const BATCH: usize = 1024;

/// Takes from `jobs` those whose signatures are there whole, and makes `partial` ready for the next one. How many.
///
/// A piece of a signature at the end, all that a killed process can leave, is thrown away.
pub fn resume(
    partial: &Interruptible<Partial>,
    jobs: &mut Jobs,
    gatherer: &Gatherer,
    scheme: Scheme,
    encoding: Encoding,
) -> Result<u64, Failure> {
    let (length, name) = partial.with(|partial| (partial.length(), partial.name().to_owned()));
    if length == 0 {
        return Ok(0);
    }
    let input = jobs.name().to_owned();
    let bar = match jobs.total() {
        Some(total) => progress::counted(total, "signatures verified", 0),
        None => progress::uncounted("signatures verified", 0),
    };
    let mut reader = partial.with(Partial::read)?;
    let (mut verified, mut taken, mut ended) = (0, 0u64, false);
    let mut batch: Vec<(Job, Vec<u8>)> = Vec::with_capacity(BATCH);
    while !ended {
        while batch.len() < BATCH {
            if taken == length {
                ended = true;
                break;
            }
            let Some(job) = jobs.next() else {
                verify(&mut batch, gatherer, scheme, encoding, &name, &input)?;
                let text = format!("{name}: has more signatures than {input} has lines; it belongs to another input");
                return Err(Failure::Environment(text).and("--restart throws it away"));
            };
            let job = job.map_err(|failure| partial.with(|partial| partial.keep(failure)))?;
            let size = encoding.length(job.key.public().size());
            if length - taken < size as u64 {
                jobs.put_back(job);
                ended = true;
                break;
            }
            let mut record = vec![0; size];
            reader.read_exact(&mut record).of(&name)?;
            taken += size as u64;
            batch.push((job, record));
        }
        verified += verify(&mut batch, gatherer, scheme, encoding, &name, &input)?;
        bar.set_position(verified);
    }
    drop(reader);
    bar.finish_and_clear();
    partial.with(|partial| partial.go_on(taken))?;
    Ok(verified)
}

/// Verifies a batch and empties it.
fn verify(
    batch: &mut Vec<(Job, Vec<u8>)>,
    gatherer: &Gatherer,
    scheme: Scheme,
    encoding: Encoding,
    name: &str,
    input: &str,
) -> Result<u64, Failure> {
    let wrong = |line: u64| {
        let text = format!("{name}: signature {line} is not that of {input}:{line} by this key and scheme");
        Failure::Environment(text).and("--restart throws the file away")
    };
    let (mut operations, mut judges) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
    // The first signature that is none, by its form or as a number: those before it are judged first.
    let mut malformed = None;
    for (job, record) in batch.drain(..) {
        let newline = encoding.is_binary() || record.ends_with(b"\n");
        let signature = encoding.decode(&record).ok().filter(|_| newline);
        let begun = signature.map(|signature| verification(job.key.public(), scheme, &job.digest, &signature));
        let Some(Ok((operation, judge))) = begun else {
            malformed = Some(job.line);
            break;
        };
        operations.push(operation);
        judges.push((job.line, judge));
    }
    let count = judges.len() as u64;
    for ((line, judge), answer) in judges.into_iter().zip(gatherer.run_batch(operations)) {
        judge.judge(&answer.of(name)?).map_err(|_| wrong(line))?;
    }
    malformed.map_or(Ok(count), |line| Err(wrong(line)))
}
