//! Lines in, signatures out: one thread reads, hashes and submits, this one waits for the answers in order and writes.
//! A bounded number of tickets lies between them.

use super::jobs::{Job, Jobs};
use super::partial::Growing;
use crate::encoding::Encoding;
use crate::failure::{Failure, Of};
use garner::gather::{Gatherer, Ticket};
use garner::signature::{Scheme, signing};
use indicatif::ProgressBar;
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;

/// Bytes collected before they are written.
const CHUNK: usize = 64 << 10;

/// What signs.
pub struct Pipeline {
    pub gatherer: Arc<Gatherer>,
    pub scheme: Scheme,
    pub encoding: Encoding,
    /// Tickets under way at most.
    pub window: usize,
}

/// A signature on its way, and its line.
type Submitted = Result<(u64, Ticket), Failure>;

impl Pipeline {
    /// Signs all `jobs`; how many that were. All that was signed before an error is written.
    pub fn run(&self, jobs: Jobs, output: &mut Growing<'_>, bar: &ProgressBar) -> Result<u64, Failure> {
        let name = jobs.name().to_owned();
        let (sender, receiver) = mpsc::sync_channel(self.window);
        let (gatherer, scheme) = (Arc::clone(&self.gatherer), self.scheme);
        // Not scoped: after an error of the output nobody waits for the rest of the input.
        thread::Builder::new().spawn(move || submit_all(jobs, &gatherer, scheme, &sender)).of("a thread")?;
        let mut chunk = Vec::with_capacity(CHUNK + 8192);
        let (mut signed, mut shown) = (0, 0);
        for submitted in receiver {
            let signature = submitted.and_then(|(line, ticket)| super::at(ticket.wait(), &name, line));
            let signature = match signature {
                Ok(signature) => signature,
                Err(failure) => {
                    output.append(&chunk)?;
                    return Err(failure);
                }
            };
            self.encoding.append(&signature, &mut chunk);
            signed += 1;
            if chunk.len() >= CHUNK {
                output.append(&chunk)?;
                chunk.clear();
                bar.inc(signed - shown);
                shown = signed;
            }
        }
        output.append(&chunk)?;
        bar.inc(signed - shown);
        Ok(signed)
    }
}

/// Submits until the input ends, or the other side does.
fn submit_all(jobs: Jobs, gatherer: &Gatherer, scheme: Scheme, sender: &SyncSender<Submitted>) {
    let name = jobs.name().to_owned();
    for job in jobs {
        let submitted = job.and_then(|Job { line, key, digest }| {
            let ticket = signing(&key, scheme, &digest).and_then(|operation| gatherer.submit(operation));
            Ok((line, super::at(ticket, &name, line)?))
        });
        let failed = submitted.is_err();
        if sender.send(submitted).is_err() || failed {
            return;
        }
    }
}
