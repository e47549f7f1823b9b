// SPDX-License-Identifier: Apache-2.0
//! What a leader does with a batch: run it, give the slot back, answer.

use super::batch::{self, Done};
use super::class::{Class, Kind, Pool};
use super::core::{Core, Work};
use super::operation::Operation;
use super::scheduler::{Batch, Entry, Ran, Role};
use super::sleep::Wakes;
use super::threads::{nanoseconds_since, thread_local};
use crate::fork::generation;
use crate::stats::{Counter, Page};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

thread_local! {
    static LEADING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is running a batch, or giving its answers.
pub fn is_leading() -> bool {
    LEADING.with(Cell::get)
}

/// Says that this thread [is leading](is_leading), until dropped.
struct Leading {
    outer: bool,
}

impl Leading {
    fn begin() -> Leading {
        Leading { outer: LEADING.with(|leading| leading.replace(true)) }
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        LEADING.with(|leading| leading.set(self.outer));
    }
}

/// Who leads a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leader {
    /// The caller of one of its operations, or an executor.
    Own,
    /// A caller whose own operation, of this class and number, still waits.
    Waiting(Class, u64),
    /// The caller of a whole batch, which lends its thread as an executor.
    Lent,
}

/// A batch that runs. Dropped by a panic it gives its slot back, and takes the operation out of the queue for which the
/// leader would have waited.
struct Running<'a> {
    core: &'a Arc<Core>,
    generation: u64,
    class: Class,
    processor: Option<usize>,
    leader: Leader,
    ended: bool,
}

impl Running<'_> {
    /// Whether the batch is this process's. Not in a child that was made while its thread computed, in a signal's handler or
    /// by a device: the child's scheduler has not heard of the batch.
    fn is_ours(&self) -> bool {
        generation() == self.generation
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.ended && self.is_ours() {
            let batch = (self.class, self.processor);
            self.core.report(|scheduler, at| scheduler.ended(batch, None, false, false, at));
            if let Leader::Waiting(class, number) = self.leader {
                self.core.withdraw(class, number);
            }
        }
    }
}

impl Core {
    /// Runs a batch and answers it. The pool for whose next batch this thread is assigned, if it is [lent](Leader::Lent) and
    /// is.
    pub fn lead(self: &Arc<Self>, batch: Batch<Work>, leader: Leader) -> Option<Pool> {
        let _leading = Leading::begin();
        let Batch { class, path, entries, processor, .. } = batch;
        let process = self.process();
        let mut running = Running { core: self, generation: generation(), class, processor, leader, ended: false };
        let operations: Vec<&Operation> = entries.iter().map(|entry| &entry.item.operation).collect();
        let start = Instant::now();
        let Done { answers, path } =
            batch::run(&self.route, &*self.arithmetic, &process.page, class, path, &operations);
        let ran = Ran { operations: operations.len(), nanoseconds: nanoseconds_since(start) };
        if !running.is_ours() {
            return None;
        }
        count(self, &process.page, class, path, ran);
        // The wakers of tickets are others' code, and may wait for what comes next: nobody else would take it, were this
        // thread assigned to it.
        let wakes_others = |entry: &Entry<Work>| entry.role == Role::Ticket && entry.item.reply.waiter().is_some();
        let lends = leader == Leader::Lent && !entries.iter().any(wakes_others);
        let to_others = answers_others(&entries);
        running.ended = true;
        let batch = (class, processor);
        let (assigned, actions) =
            self.report_first(|scheduler, at| scheduler.ended(batch, Some(ran), to_others, lends, at));
        let _answering = to_others.then(|| Answering { core: self, generation: running.generation });
        // Finished callers are woken before the next leader, which may keep their processor from them for its whole batch,
        // and before tasks, which may wait for either.
        let mut wakes = Wakes::default();
        for (entry, answer) in entries.into_iter().zip(answers) {
            entry.item.reply.answer(answer, &mut wakes);
        }
        wakes.wake_threads();
        self.wake(process, actions);
        drop(wakes);
        assigned.then_some(class.pool())
    }
}

/// Whether anybody but the leader waits for the answers of a batch.
fn answers_others(entries: &[Entry<Work>]) -> bool {
    entries.len() > 1 || entries.iter().any(|entry| entry.role != Role::Leader)
}

/// The answers of a batch are being given, until dropped.
struct Answering<'a> {
    core: &'a Arc<Core>,
    generation: u64,
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        // In a child that a waker made nobody has heard of them.
        if generation() == self.generation {
            self.core.report(|scheduler, _| scheduler.answered());
        }
    }
}

/// Adds one batch to the figures, by the path that ran it.
fn count(core: &Core, page: &Page, class: Class, path: usize, ran: Ran) {
    let lanes = ran.operations * class.lanes();
    page.add(Counter::DeviceNanoseconds, ran.nanoseconds);
    match class.kind {
        Kind::Public => {
            page.add(Counter::PublicOperations, ran.operations as u64);
            page.add(Counter::PublicBatches, 1);
            return;
        }
        Kind::Private => page.add(Counter::PrivateOperations, ran.operations as u64),
        Kind::Exponentiation => page.add(Counter::Exponentiations, ran.operations as u64),
    }
    page.add(Counter::Batches, 1);
    page.add(Counter::LanesUsed, lanes as u64);
    page.add(Counter::LanesOffered, core.route.path(path).lanes_offered(lanes) as u64);
}
