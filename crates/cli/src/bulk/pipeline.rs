// SPDX-License-Identifier: Apache-2.0
//! Lines in, signatures out: one thread reads, hashes and submits, this one waits for the answers in order and writes.
//! A bounded number of tickets lies between them.

use super::jobs::{Job, Jobs};
use super::partial::Growing;
use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use garner::gather::{Gatherer, Ticket};
use garner::signature::{Scheme, signing};
use indicatif::ProgressBar;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

/// Signatures handed over and written at once: every hand-over wakes a thread, which costs as much as a few per cent of
/// a signature.
const BLOCK: usize = 64;

/// What signs.
pub struct Pipeline {
    pub gatherer: Arc<Gatherer>,
    pub scheme: Scheme,
    pub encoding: Encoding,
    /// Signatures under way at most.
    pub window: usize,
}

/// Signatures on their way with their lines, and what went wrong after them.
#[derive(Default)]
struct Block {
    tickets: Vec<(u64, Ticket)>,
    failure: Option<Failure>,
}

impl Pipeline {
    /// Signs all `jobs`; how many that were. All that was signed before an error is written.
    pub fn run(&self, jobs: Jobs, output: &mut Growing<'_>, bar: &ProgressBar) -> Result<u64, Failure> {
        let name = jobs.name().to_owned();
        // One block is being made and one waited for.
        let (sender, receiver) = mpsc::sync_channel((self.window / BLOCK).saturating_sub(2));
        let (gatherer, scheme) = (Arc::clone(&self.gatherer), self.scheme);
        // Not scoped: after an error of the output nobody waits for the rest of the input.
        let reader =
            thread::Builder::new().spawn(move || submit_all(jobs, &gatherer, scheme, &sender)).of("a thread")?;
        let mut text = Vec::new();
        let mut signed = 0;
        for block in receiver {
            // From the last to the first: when the last is there, so are nearly all of the others.
            let answers: Vec<_> = block.tickets.into_iter().rev().map(|(line, ticket)| (line, ticket.wait())).collect();
            for (line, answer) in answers.into_iter().rev() {
                match super::at(answer, &name, line) {
                    Ok(signature) => self.encoding.append(&signature, &mut text),
                    Err(failure) => return output.append(&text).and(Err(failure)),
                }
                signed += 1;
                bar.inc(1);
            }
            output.append(&text)?;
            text.clear();
            if let Some(failure) = block.failure {
                return Err(failure);
            }
        }
        // The blocks end with the input, or with a defect of what reads it.
        reader.join().map_err(|_| Failure::Environment(format!("{name}: the thread that reads it died")))?;
        Ok(signed)
    }
}

/// Submits until the input ends, or the other side does.
fn submit_all(jobs: Jobs, gatherer: &Gatherer, scheme: Scheme, sender: &SyncSender<Block>) {
    let name = jobs.name().to_owned();
    let mut block = Block::default();
    for job in jobs {
        let submitted = job.and_then(|Job { line, key, digest }| {
            let operation = signing(&key, scheme, &digest).map_err(|error| super::wrong_line(&name, line, error))?;
            Ok((line, super::at(gatherer.submit(operation), &name, line)?))
        });
        match submitted {
            Ok(submitted) => block.tickets.push(submitted),
            Err(failure) => {
                block.failure = Some(failure);
                break;
            }
        }
        if block.tickets.len() == BLOCK && sender.send(mem::take(&mut block)).is_err() {
            return;
        }
    }
    // The other side is gone only after an error of its own.
    let _ = sender.send(block);
}
