// SPDX-License-Identifier: Apache-2.0
//! What an interrupted run left: verified, signature by signature, against the lines it belongs to.

use super::jobs::{Job, Jobs};
use super::judge::{BATCH, Judge};
use super::keys::Key;
use super::partial::Partial;
use super::records::Records;
use crate::failure::{Failure, Of};
use crate::interruption::Interruptible;
use crate::progress::Progress;
use std::io::Read;

/// Takes from `jobs` those whose signatures are there whole, and makes `partial` ready for the next one. How many.
///
/// A piece of a signature at the end, all that a killed process can leave, is thrown away.
pub fn resume<K: Key>(
    partial: &Interruptible<Partial>,
    jobs: &mut Jobs<K>,
    judge: Judge<'_>,
    records: Records,
) -> Result<u64, Failure> {
    let (length, name) = partial.with(|partial| (partial.length(), partial.name().to_owned()));
    if length == 0 {
        return Ok(0);
    }
    let input = judge.input;
    let bar = Progress::new(jobs.total(), "verified");
    let mut reader = partial.with(Partial::read)?;
    let (mut verified, mut taken, mut ended) = (0, 0u64, false);
    let mut batch: Vec<(Job<K>, Option<Vec<u8>>)> = Vec::with_capacity(BATCH);
    while !ended {
        while batch.len() < BATCH {
            if taken == length {
                ended = true;
                break;
            }
            let Some(job) = jobs.next() else {
                verify(&mut batch, judge, &name)?;
                let text = format!("{name}: has more signatures than {input} has lines; it belongs to another input");
                return Err(Failure::Environment(text).and("--restart throws it away"));
            };
            let job = job.map_err(|failure| partial.with(|partial| partial.keep(failure)))?;
            let size = records.length(job.key.public().size(), &job.item.name);
            if length - taken < size as u64 {
                jobs.put_back(job);
                ended = true;
                break;
            }
            let mut record = vec![0; size];
            reader.read_exact(&mut record).of(&name)?;
            taken += size as u64;
            let newline = records.encoding.is_binary() || record.ends_with(b"\n");
            let signature = records.signature(&record, &job.item.name).filter(|_| newline);
            batch.push((job, signature));
        }
        let count = verify(&mut batch, judge, &name)?;
        verified += count;
        bar.done(count);
    }
    drop(reader);
    bar.finish();
    partial.with(|partial| partial.go_on(taken))?;
    Ok(verified)
}

/// Verifies a batch and empties it.
fn verify<K: Key>(batch: &mut Vec<(Job<K>, Option<Vec<u8>>)>, judge: Judge<'_>, name: &str) -> Result<u64, Failure> {
    let verdicts = judge.verdicts(batch)?;
    if let Some(wrong) = verdicts.iter().position(|good| !good) {
        let (input, line) = (judge.input, batch[wrong].0.line);
        let text = format!("{name}: signature {line} is not that of {input}:{line} by this key and scheme");
        return Err(Failure::Environment(text).and("--restart throws the file away"));
    }
    batch.clear();
    Ok(verdicts.len() as u64)
}
