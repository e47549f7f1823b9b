// SPDX-License-Identifier: Apache-2.0
//! The threads that run tickets: the gatherer's own, and callers of whole batches, which lend theirs.

use super::fault::seeded;
use super::pool::{Item, PoolState, Role};
use super::{At, Next, Scheduler};
use crate::gather::class::Pool;

/// What an executor does next.
pub enum Assignment<T> {
    /// A batch of this pool.
    Take(Pool, Next<T>),
    /// It waits until woken, and asks again.
    Wait,
    /// Its thread ends.
    Leave,
}

/// The executor threads.
#[derive(Default)]
pub(super) struct Executors {
    pub(super) threads: usize,
    /// Those with nothing to do, those included that are not awake yet.
    pub(super) idle: usize,
    /// Batches that idle executors are assigned to and have yet to begin with, by pool.
    pub(super) calls: [usize; 2],
}

impl<T: Item> Scheduler<T> {
    /// Assigns an idle executor to a batch, or one to be started, if there is either.
    pub(super) fn assign_executor(&mut self, pool: Pool, may_start: bool) -> bool {
        let executors = &mut self.executors;
        if executors.idle > executors.calls.iter().sum() {
            self.actions.executors += 1;
        } else if may_start && executors.threads <= self.slots {
            executors.threads += 1;
            executors.idle += 1;
            self.actions.starts.push(pool);
        } else {
            return false;
        }
        executors.calls[pool as usize] += 1;
        self.pool(pool).assigned += 1;
        true
    }

    /// The caller of a whole batch lends its thread as an executor, if a ticket is the oldest and a slot is free for it.
    pub fn lends(&mut self, at: At) -> Next<T> {
        let pool = Pool::ALL.into_iter().find(|&pool| self.assign_lender(pool));
        Pool::ALL.into_iter().for_each(|pool| self.assign(pool, false, at));
        match pool {
            Some(pool) => self.goes_on(pool, at),
            None => Next::Wait,
        }
    }

    /// Assigns the reporting thread, if a ticket is the oldest of a pool and a slot is free for it.
    pub(super) fn assign_lender(&mut self, pool: Pool) -> bool {
        let lends = self.has_free_slot(pool) && matches!(self.pool(pool).oldest(true), Some((_, true)));
        self.pool(pool).assigned += usize::from(lends);
        lends
    }

    /// A thread that is assigned as an executor looks for a batch.
    pub fn goes_on(&mut self, pool: Pool, at: At) -> Next<T> {
        let candidate = self.candidate(pool, None, at);
        self.consider(candidate, at)
    }

    /// A thread that is assigned as an executor takes no batch.
    pub fn stands_down(&mut self, pool: Pool, at: At) {
        self.pool(pool).assigned -= 1;
        self.assign(pool, true, at);
    }

    /// An executor thread is about to be started for a ticket that has none. Where that fails, [`Scheduler::executor_failed`]
    /// is to be reported.
    pub fn executor_starts(&mut self) {
        self.executors.threads += 1;
        self.executors.idle += 1;
    }

    /// An executor thread could not be started, for a batch of that pool if for one. Callers are woken instead. To be
    /// reported before any other event.
    pub fn executor_failed(&mut self, pool: Option<Pool>, at: At) {
        self.executors.threads -= 1;
        self.executors.idle -= 1;
        self.actions.all |= self.executors.threads == 0;
        if let Some(pool) = pool {
            self.executors.calls[pool as usize] -= 1;
            if !seeded!(self, FailedStartStaysAssigned) {
                self.pool(pool).assigned -= 1;
            }
            self.assign_threads(pool, true, false, at);
        }
    }

    /// An executor is ready, for the first time or woken.
    pub fn executor_next(&mut self, at: At) -> Assignment<T> {
        let called = Pool::ALL.into_iter().find(|&pool| self.executors.calls[pool as usize] > 0);
        if let Some(pool) = called {
            self.executors.calls[pool as usize] -= 1;
            self.executors.idle -= 1;
            return Assignment::Take(pool, self.goes_on(pool, at));
        }
        let has_tickets = |pool: &PoolState<T>| pool.entries().any(|(_, entry)| entry.role == Role::Ticket);
        if self.closed || self.retired && !self.pools.iter().any(has_tickets) {
            self.executors.idle -= 1;
            return Assignment::Leave;
        }
        Assignment::Wait
    }

    /// An executor is through with a batch of a pool and its answers, or with its panic; [`Scheduler::executor_next`] follows.
    pub fn executor_idle(&mut self, pool: Pool, at: At) {
        self.executors.idle += 1;
        // First for the other pool, whose tickets may have found no executor: nobody else would look after them.
        if !seeded!(self, OtherPoolForgotten) {
            self.assign(pool.other(), true, at);
        }
        self.assign(pool, true, at);
    }

    /// An executor that was told to leave has left.
    pub fn executor_left(&mut self) {
        self.executors.threads -= 1;
        self.actions.all |= self.executors.threads == 0;
    }

    /// How many executor threads there are.
    pub fn executors(&self) -> usize {
        self.executors.threads
    }
}
