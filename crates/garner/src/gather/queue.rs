// SPDX-License-Identifier: Apache-2.0
//! What is behind the gatherer's lock: both pools, and who is busy. Plain data: what to do next is elsewhere.

use super::answer::Reply;
use super::class::{Class, Pool};
use super::operation::Operation;
use super::pool::{Caller, Entry, PoolState};
use crate::thread::Thread;
use rustix::thread::sched_getcpu;
use std::time::{Duration, Instant};

/// The executor threads' state.
#[derive(Default)]
pub struct Executors {
    pub threads: usize,
    /// Those with nothing to do, including those not yet awake to their assignment.
    pub idle: usize,
    /// Batches that idle executors were called for, by pool.
    pub assigned: [usize; 2],
    pub handles: Vec<Thread>,
}

/// How long slots were in use.
#[derive(Default)]
struct InUse {
    total: Duration,
    /// When the number of batches under way last changed.
    since: Option<Instant>,
}

/// Everything behind the gatherer's lock.
#[derive(Default)]
pub struct Queue {
    pools: [PoolState; 2],
    pub executors: Executors,
    pub closed: bool,
    /// No tickets are taken any more.
    pub retired: bool,
    /// Callers that wait for room.
    pub short_of_room: usize,
    /// Batches that ended whose answers are being given.
    pub answering: usize,
    in_use: InUse,
    next: u64,
}

impl Queue {
    pub fn pool(&mut self, pool: Pool) -> &mut PoolState {
        &mut self.pools[pool as usize]
    }

    /// Operations waiting.
    pub fn len(&self) -> usize {
        self.pools.iter().map(|pool| pool.waiting).sum()
    }

    /// Whether an operation waits for an executor.
    pub fn has_tickets(&self) -> bool {
        self.pools.iter().any(PoolState::has_tickets)
    }

    /// Batches that are running.
    pub fn under_way(&self) -> usize {
        self.pools.iter().map(|pool| pool.running + pool.beside).sum()
    }

    /// Counts a batch as under way: in a slot of `pool` or, if brief, beside them. `processor` is the one it computes on, if
    /// on one.
    pub fn begin(&mut self, slots: usize, pool: Pool, brief: bool, processor: Option<usize>) {
        self.note_use(slots);
        let state = self.pool(pool);
        if brief { state.beside += 1 } else { state.begin(processor) }
    }

    /// The end of what was begun. Returns what [`Queue::note_use`] does.
    pub fn end(&mut self, slots: usize, pool: Pool, brief: bool, processor: Option<usize>) -> Duration {
        let in_use = self.note_use(slots);
        let state = self.pool(pool);
        if brief {
            state.beside -= 1
        } else {
            state.end(processor)
        }
        in_use
    }

    /// Time for which slots were in use up to now, added up over them.
    fn note_use(&mut self, slots: usize) -> Duration {
        let (now, used) = (Instant::now(), self.under_way().min(slots));
        if let Some(since) = self.in_use.since.replace(now) {
            self.in_use.total += (now - since) * used as u32;
        }
        self.in_use.total
    }

    /// Adds an operation; its number.
    pub fn push(&mut self, class: Class, operation: Operation, reply: Reply, caller: Caller) -> u64 {
        let number = self.next;
        self.next += 1;
        let entry = Entry { number, operation, reply, caller, processor: sched_getcpu() };
        self.pool(class.pool()).push(class, entry);
        number
    }

    /// Everything that waits.
    pub fn drain(&mut self) -> Vec<Entry> {
        self.pools.iter_mut().flat_map(PoolState::drain).collect()
    }
}
