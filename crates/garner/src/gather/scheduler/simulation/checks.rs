// SPDX-License-Identifier: Apache-2.0
//! The invariants of the scheduler's page, held against what the simulated threads do.

use super::super::pool::PoolState;
use super::super::{Actions, Batch, Role};
use super::state::{Job, State, Thread, Todo, Who};
use super::world::World;
use crate::gather::class::Pool;

/// Says what broke, unless it holds.
fn hold(holds: bool, broken: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(broken()) }
}

impl World {
    /// After every event. `actions` have yet to be carried out.
    pub fn check(&self, actions: &Actions<usize>) -> Result<(), String> {
        for pool in Pool::ALL {
            self.check_counts(pool)?;
            self.check_nobody_forgotten(pool)?;
        }
        self.check_assigned_are_awake(actions)?;
        let scheduler = &self.scheduler;
        let most = scheduler.slots + 1;
        hold(scheduler.executors.threads <= most, || format!("8: {} executors", scheduler.executors.threads))?;
        hold(scheduler.waiting() <= scheduler.queue_limit, || format!("8: {} wait", scheduler.waiting()))?;
        hold(!scheduler.closed || scheduler.waiting() == 0, || "9: operations wait after shut-down".to_owned())
    }

    /// The scheduler's counts are those of the threads; slots are not exceeded.
    fn check_counts(&self, pool: Pool) -> Result<(), String> {
        let state = &self.scheduler.pools[pool as usize];
        let runs = |brief: bool| {
            let mine = |batch: &Batch<Job>| batch.class.pool() == pool && batch.class.brief() == brief;
            let one = |thread: &&Thread| matches!(&thread.state, State::Runs(_, batch) if mine(batch));
            self.threads.iter().filter(one).count()
        };
        hold((state.running, state.brief) == (runs(false), runs(true)), || {
            format!("4: {pool:?} counts {} batches and {} brief ones: {}", state.running, state.brief, self.picture())
        })?;
        let slots = self.scheduler.slots;
        hold(state.running + state.assigned <= slots, || format!("4: {pool:?} has more than its slots"))?;
        hold(state.waiting == state.entries().count(), || format!("1: {pool:?} counts {} waiting", state.waiting))?;
        let candidates = state.entries().filter(|(_, entry)| entry.role == Role::Candidate).count();
        hold(state.on_the_way() == candidates + state.assigned, || format!("3: {pool:?} miscounts candidates"))?;
        let assigned = |state: &State| match state {
            State::Yields(Who::Executor(own), _) => *own == pool,
            State::Lends(_, own) => *own == Some(pool),
            _ => false,
        };
        let executors = self.threads.iter().filter(|thread| assigned(&thread.state)).count();
        let lenders =
            |state: &State| matches!(state, State::Yields(Who::Lender(_), candidate) if candidate.pool() == pool);
        let lenders = self.threads.iter().filter(|thread| lenders(&thread.state)).count();
        let known = executors + lenders + self.scheduler.executors.calls[pool as usize];
        hold(state.assigned == known, || {
            format!("4: {pool:?} has {} executors assigned, and there are {known}: {}", state.assigned, self.picture())
        })
    }

    /// While a slot is free, a thread is assigned to the oldest that waits.
    fn check_nobody_forgotten(&self, pool: Pool) -> Result<(), String> {
        let state = &self.scheduler.pools[pool as usize];
        if state.running + state.on_the_way() >= self.scheduler.slots {
            return Ok(());
        }
        // Followers on processors that the pool wants, and those that lead, are seen to at the end of a batch.
        let mut waiting: Vec<_> = state
            .entries()
            .filter(|(_, entry)| match entry.role {
                Role::Ticket => true,
                Role::Follower => !state.wants(entry.processor),
                Role::Candidate | Role::Leader => false,
            })
            .map(|(_, entry)| (entry.number, entry.role, entry.item.0))
            .collect();
        waiting.sort_by_key(|(number, ..)| *number);
        let executors = &self.scheduler.executors;
        let spare = executors.idle > executors.calls.iter().sum()
            || executors.threads <= self.scheduler.slots && !self.start_failed;
        // A ticket whose executor is assigned, or for which there is none, leaves the slot to followers.
        let forgotten = match waiting.first() {
            Some((_, Role::Ticket, _)) if state.assigned > 0 => None,
            Some((_, Role::Ticket, _)) if !spare => waiting.iter().find(|(_, role, _)| *role == Role::Follower),
            first => first,
        };
        hold(forgotten.is_none(), || format!("2: {pool:?} forgets {forgotten:?}: {}", self.picture()))
    }

    /// Whoever is assigned is awake, or somebody is about to wake it.
    fn check_assigned_are_awake(&self, actions: &Actions<usize>) -> Result<(), String> {
        let pending = || {
            let todo = self.threads.iter().flat_map(|thread| &thread.todo);
            let wakes = todo.filter_map(|todo| if let Todo::Wake(actions) = todo { Some(actions) } else { None });
            wakes.chain([actions])
        };
        for (_, entry) in self.scheduler.pools.iter().flat_map(PoolState::entries) {
            let operation = entry.item.0;
            let awake = || {
                let own = |who: &Who| matches!(who, Who::Caller(_, _, own) if *own == operation);
                let yields = |state: &State| matches!(state, State::Yields(who, _) if own(who));
                self.threads.iter().any(|thread| yields(&thread.state))
            };
            let called =
                || self.operations[operation].called || pending().any(|wakes| wakes.candidates.contains(&operation));
            hold(entry.role != Role::Candidate || awake() || called(), || {
                format!("3: the candidate of {operation} sleeps: {}", self.picture())
            })?;
        }
        let executors = &self.scheduler.executors;
        let unaware =
            |thread: &Thread| matches!(thread.state, State::NoWork) && !thread.notified && thread.todo.is_empty();
        let asleep = self.threads.iter().filter(|thread| unaware(thread)).count();
        let wakes: usize = pending().map(|wakes| wakes.executors).sum();
        let calls: usize = executors.calls.iter().sum();
        hold(calls + asleep <= executors.idle + wakes, || format!("3: an assigned executor sleeps: {}", self.picture()))
    }

    /// When a thread begins a batch.
    pub fn check_batch(&self, who: &Who, batch: &Batch<Job>) -> Result<(), String> {
        hold(!self.scheduler.closed, || "9: a batch begins after shut-down".to_owned())?;
        hold(!batch.entries.is_empty(), || "7: a batch is empty".to_owned())?;
        let state = &self.scheduler.pools[batch.class.pool() as usize];
        let caller = matches!(who, Who::Caller(..));
        if let (true, Some(processor)) = (caller, batch.processor) {
            hold(state.computing(processor) == 1, || format!("6: two batches compute on processor {processor}"))?;
        }
        let own = usize::from(caller && !batch.leader_waits);
        let others: Vec<u64> = batch.entries[own..].iter().map(|entry| entry.number).collect();
        hold(others.is_sorted(), || format!("7: not in order of arrival: {others:?}"))?;
        let youngest = others.last().copied().unwrap_or(0);
        let passed = |role: Role| role != Role::Candidate;
        let mut older = state.entries().filter(|(class, entry)| *class == batch.class && passed(entry.role));
        hold(older.all(|(_, entry)| entry.number >= youngest), || "7: an older operation is passed".to_owned())?;
        if !caller {
            let oldest = batch.entries.iter().filter(|entry| passed(entry.role)).map(|entry| entry.number).min();
            let waits =
                state.entries().filter(|(_, entry)| entry.role == Role::Ticket).map(|(_, entry)| entry.number).min();
            hold(waits.is_none() || oldest < waits, || "7: an executor passes the oldest ticket".to_owned())?;
        }
        Ok(())
    }

    /// When a thread yields.
    pub fn check_yield(&self, who: &Who) -> Result<(), String> {
        hold(!self.scheduler.closed, || "9: a candidate waits after shut-down".to_owned())?;
        let Who::Caller(class, ..) = who else { return Ok(()) };
        let at_hand = self.scheduler.pools[class.pool() as usize].in_line(*class);
        hold(at_hand < self.scheduler.devices.limit(*class), || format!("5: {at_hand} operations wait for more"))
    }

    /// When every thread has ended.
    pub fn check_end(&self) -> Result<(), String> {
        let unanswered = self.operations.iter().position(|operation| operation.answers != 1);
        hold(unanswered.is_none(), || format!("1: operation {unanswered:?} has no answer"))?;
        let scheduler = &self.scheduler;
        let executors = (scheduler.executors.threads, scheduler.executors.idle, scheduler.executors.calls);
        hold(executors == (0, 0, [0, 0]), || format!("9: executors are left: {executors:?}"))?;
        hold(scheduler.is_quiet() && scheduler.short_of_room == 0, || "9: not quiet".to_owned())?;
        hold(scheduler.pools.iter().all(|pool| pool.on_the_way() == 0), || "4: slots are left reserved".to_owned())
    }
}
