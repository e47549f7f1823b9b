// SPDX-License-Identifier: Apache-2.0
//! Lines in, signatures out: one thread reads, hashes and submits, this one waits for the answers in order and writes.
//! A bounded number of tickets lies between them.

use super::jobs::{Item, Job};
use super::sink::Sink;
use crate::failure::{Failure, Of};
use crate::progress::Progress;
use garner::gather::{Gatherer, Ticket};
use garner::secret::Wiped;
use garner::signature::Scheme;
use garner_remote::Key;
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
    /// What errors call the input.
    pub input: String,
    /// Signatures under way at most.
    pub window: usize,
}

/// Signatures on their way with their lines and items, and what went wrong after them.
#[derive(Default)]
struct Block {
    tickets: Vec<(u64, Item, Ticket)>,
    failure: Option<Failure>,
}

impl Pipeline {
    /// Signs all `jobs`; how many that were. All that was signed before an error is written.
    pub fn run<J>(&self, jobs: J, sink: &mut Sink<'_>, progress: &Progress) -> Result<u64, Failure>
    where
        J: Iterator<Item = Result<Job<Key>, Failure>> + Send + 'static,
    {
        let name = &self.input;
        // One block is being made and one waited for.
        let (sender, receiver) = mpsc::sync_channel((self.window / BLOCK).saturating_sub(2));
        let (gatherer, scheme, input) = (Arc::clone(&self.gatherer), self.scheme, name.clone());
        // Not scoped: after an error of the output nobody waits for the rest of the input.
        let reader = thread::Builder::new()
            .spawn(move || submit_all(jobs, &input, &gatherer, scheme, &sender))
            .of("a thread")?;
        let mut signed = 0;
        for block in receiver {
            // From the last to the first: when the last is there, so are nearly all of the others.
            let answers: Vec<_> =
                block.tickets.into_iter().rev().map(|(line, item, ticket)| (line, item, ticket.wait())).collect();
            for (line, item, answer) in answers.into_iter().rev() {
                let wrong = |failure| super::wrong_line(name, line, failure);
                let added = super::at(answer.map(Wiped::into_public), name, line)
                    .and_then(|signature| sink.add(&item, &signature).map_err(wrong));
                if let Err(failure) = added {
                    return sink.flush().and(Err(failure));
                }
                signed += 1;
                progress.done(1);
            }
            sink.flush()?;
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
fn submit_all(
    jobs: impl Iterator<Item = Result<Job<Key>, Failure>>,
    input: &str,
    gatherer: &Gatherer,
    scheme: Scheme,
    sender: &SyncSender<Block>,
) {
    let mut block = Block::default();
    for job in jobs {
        let submitted = job.and_then(|Job { line, key, digest, item }| {
            let task = key.signing(scheme, &digest).map_err(|error| super::wrong_line(input, line, error))?;
            Ok((line, item, super::at(task.submit(|| Ok::<_, Failure>(gatherer))?, input, line)?))
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
