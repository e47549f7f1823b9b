// SPDX-License-Identifier: Apache-2.0
//! The scheduler: decides who runs which operations, and when. A state machine without locks, threads, clocks or system
//! calls. Called by `locked`, the runtime that holds its lock.
//!
//! **Events in, actions out.** A method is an event that a thread reports, with the time and its processor ([`At`]). It
//! returns what that thread does next ([`Next`]), and leaves in [`Scheduler::actions`] what the runtime has to do to others.
//!
//! **Terms.** A *slot* is the right to run a batch; each [`Pool`] has `slots` of them. A *queue* is what waits in a pool. The
//! *leader* of a batch is the thread that runs it. A *follower* sleeps while its operation waits. A *candidate* is a caller
//! that is assigned to lead a batch: one that was woken for it, or that yields its processor to let more operations arrive.
//! An *executor* runs tickets: a thread of the gatherer, or the caller of a whole batch, which lends its thread. An executor
//! is assigned together with a slot; a candidate takes one when it begins, so that callers that have a processor need not
//! wait for one that has none.
//!
//! **Invariants.** The simulation checks them after every event of very many random schedules.
//! 1. *Answered once.* Every operation is given to exactly one batch, or handed back: by `withdrawn` or `close`.
//! 2. *Nobody is forgotten.* While a slot is free, a thread is assigned to the oldest operation that waits. Exceptions, each
//!    of which ends with a batch: its caller leads a batch of older ones; its caller sleeps on a processor that the pool
//!    computes on, or has a candidate on; it is a ticket and every executor is busy.
//! 3. *An assigned thread is awake*, or is being woken.
//! 4. *Slots.* In each pool no more batches run, and executors are assigned, than there are slots; a batch that ends in any
//!    way gives its slot back. Brief batches need none.
//! 5. *A full batch never waits.* Nobody yields when the operations at hand fill a batch.
//! 6. *One batch on a processor.* No caller begins a batch on a processor that computes one of the same pool.
//! 7. *Order.* A batch has operations of one class, and takes the oldest, but for those of candidates. An executor begins
//!    with the oldest of all.
//! 8. *Limits.* No more operations wait than the queue's limit; there is at most one executor thread for each slot, and one.
//! 9. *Shut-down.* After `close` nothing waits and nothing begins. After `retire` no ticket is taken; executors leave when
//!    none waits.
//! 10. *Liveness.* Every schedule comes to an end, with every operation answered.

mod batch;
mod executors;
mod fault;
mod pool;
#[cfg(test)]
mod simulation;
#[cfg(test)]
mod tests;

pub use batch::{Batch, Candidate, Ran};
pub use executors::Assignment;
pub use pool::{Entry, Item, Role};

use super::class::{Class, Pool};
use executors::Executors;
use pool::PoolState;
use std::mem;
use std::sync::Arc;

/// What the scheduler knows of the devices: answers may change from one event to the next.
pub trait Devices: Send + Sync {
    /// Most operations of a class in one batch.
    fn limit(&self, class: Class) -> usize;

    /// As many operations of a class as every batch takes if they are there.
    fn least_limit(&self, class: Class) -> usize;

    /// The path for a batch of a class, and how many of `available` (at least 1) operations it takes (at least 1).
    fn choose(&self, class: Class, available: usize) -> (usize, usize);

    /// Whether batches on this path compute on the processor of their leader.
    fn on_host(&self, path: usize) -> bool;
}

/// Where and when an event happens.
#[derive(Debug, Clone, Copy)]
pub struct At {
    pub processor: usize,
    /// Nanoseconds since any moment, never less than in the event before.
    pub now: u64,
}

/// What the runtime has to do to other threads.
#[derive(Debug)]
#[must_use = "others wait for these"]
pub struct Actions<C> {
    /// Followers to be woken, to report [`Scheduler::woken`].
    pub candidates: Vec<C>,
    /// Waiting executors to be woken, any of them, to report [`Scheduler::executor_next`].
    pub executors: usize,
    /// Executor threads to be started. Where that fails, [`Scheduler::executor_failed`] is to be reported.
    pub starts: Vec<Pool>,
    /// One caller is to be woken that waits for room in the queue.
    pub room: bool,
    /// Everybody is to be woken that waits for an assignment, for room, or for shut-down.
    pub all: bool,
}

impl<C> Default for Actions<C> {
    fn default() -> Self {
        Actions { candidates: Vec::new(), executors: 0, starts: Vec::new(), room: false, all: false }
    }
}

impl<C> Actions<C> {
    pub fn is_empty(&self) -> bool {
        self.candidates.is_empty() && self.executors == 0 && self.starts.is_empty() && !self.room && !self.all
    }
}

/// What a thread that reported an event does next.
#[must_use = "others may wait for this thread"]
pub enum Next<T> {
    /// It runs this batch and reports [`Scheduler::ended`].
    Run(Batch<T>),
    /// It yields its processor once and reports [`Scheduler::yielded`].
    Yield(Candidate),
    /// A caller sleeps until it is answered or woken; an executor reports [`Scheduler::executor_idle`], and the caller of a
    /// whole batch waits for its answers.
    Wait,
}

/// What becomes of an operation that arrives.
pub enum Arrival<T> {
    /// It has this number; its caller does that next.
    Taken(u64, Next<T>),
    /// The queue is full: its caller waits for room and tries again.
    Full(T),
    /// Nothing is taken any more.
    Closed(T),
}

/// Why a ticket is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Full,
    Closed,
    /// There is no executor: one is to be started, see [`Scheduler::executor_starts`].
    NoExecutor,
}

/// See the [module](self).
pub struct Scheduler<T: Item> {
    slots: usize,
    queue_limit: usize,
    devices: Arc<dyn Devices>,
    pools: [PoolState<T>; 2],
    executors: Executors,
    closed: bool,
    retired: bool,
    /// Callers that wait for room in the queue.
    short_of_room: usize,
    /// Batches that ended and whose answers are being given.
    answering: usize,
    next: u64,
    longest: usize,
    /// Time for which slots were in use, added up over them, and when the number of batches last changed.
    in_use: (u64, u64),
    pub actions: Actions<T::Caller>,
    #[cfg(test)]
    fault: Option<fault::Fault>,
}

impl<T: Item> Scheduler<T> {
    /// With at least one slot in each pool, and room for at least one operation.
    pub fn new(slots: usize, queue_limit: usize, devices: Arc<dyn Devices>) -> Scheduler<T> {
        Scheduler {
            slots: slots.max(1),
            queue_limit: queue_limit.max(1),
            devices,
            pools: Default::default(),
            executors: Executors::default(),
            closed: false,
            retired: false,
            short_of_room: 0,
            answering: 0,
            next: 0,
            longest: 0,
            in_use: (0, 0),
            actions: Actions::default(),
            #[cfg(test)]
            fault: None,
        }
    }

    fn pool(&mut self, pool: Pool) -> &mut PoolState<T> {
        &mut self.pools[pool as usize]
    }

    /// Operations that wait.
    pub fn waiting(&self) -> usize {
        self.pools.iter().map(|pool| pool.waiting).sum()
    }

    /// The most that ever waited.
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Nanoseconds for which slots were in use so far, added up over them.
    pub fn in_use(&self, now: u64) -> u64 {
        let used = self.under_way().min(self.slots) as u64;
        let (total, since) = self.in_use;
        total + now.saturating_sub(since) * used
    }

    /// Whether no batch runs and no answer of one is being given.
    pub fn is_quiet(&self) -> bool {
        self.under_way() + self.answering == 0
    }

    fn under_way(&self) -> usize {
        self.pools.iter().map(|pool| pool.running + pool.brief).sum()
    }

    fn note_use(&mut self, now: u64) {
        self.in_use = (self.in_use(now), now);
    }

    /// A caller arrives with an operation, to wait for its answer.
    pub fn arrived(&mut self, class: Class, item: T, at: At) -> Arrival<T> {
        if self.closed {
            return Arrival::Closed(item);
        }
        let may_gather = self.may_gather(class, at.processor);
        let leads = class.brief() || may_gather && self.enough(class, self.available(class, Own::Apart));
        // A full batch of others goes first: who comes later does not pass them.
        let others_first = !class.brief() && self.pool(class.pool()).in_line(class) >= self.devices.limit(class);
        if leads && !others_first {
            let number = self.number();
            let own = Entry { number, item, role: Role::Leader, processor: at.processor };
            return Arrival::Taken(number, Next::Run(self.begin(class, Some(own), at)));
        }
        if self.is_full() {
            return Arrival::Full(item);
        }
        let role = match (leads, may_gather) {
            (true, _) => Role::Leader,
            (false, true) => Role::Candidate,
            (false, false) => Role::Follower,
        };
        let number = self.push(class, item, role, at);
        let next = match role {
            Role::Leader => {
                let batch = self.begin(class, None, at);
                Next::Run(Batch { leader_waits: true, ..batch })
            }
            Role::Candidate => {
                let candidate = self.candidate(class.pool(), Some((class, number)), at);
                self.consider(candidate, at)
            }
            Role::Follower | Role::Ticket => {
                // Somebody on another processor, since this one is not to be used.
                self.assign(class.pool(), false, at);
                Next::Wait
            }
        };
        Arrival::Taken(number, next)
    }

    /// A ticket's operation arrives; its number.
    pub fn submitted(&mut self, class: Class, item: T, at: At) -> Result<u64, (Refusal, T)> {
        let number = self.queued(class, item, at)?;
        self.assign(class.pool(), false, at);
        Ok(number)
    }

    /// An operation of a whole batch arrives; [`Scheduler::lends`] follows the last.
    pub fn queued(&mut self, class: Class, item: T, at: At) -> Result<u64, (Refusal, T)> {
        let refusal = match () {
            () if self.closed || self.retired => Refusal::Closed,
            () if self.is_full() => Refusal::Full,
            () if self.executors.threads == 0 => Refusal::NoExecutor,
            () => return Ok(self.push(class, item, Role::Ticket, at)),
        };
        // Room that it was told of, and leaves.
        self.tell_of_room();
        Err((refusal, item))
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    fn push(&mut self, class: Class, item: T, role: Role, at: At) -> u64 {
        let number = self.number();
        self.pool(class.pool()).push(class, Entry { number, item, role, processor: at.processor });
        self.longest = self.longest.max(self.waiting());
        self.tell_of_room();
        number
    }

    /// Whether the queue has no room, and takes more when it has.
    pub fn is_full(&self) -> bool {
        !self.closed && self.waiting() >= self.queue_limit
    }

    /// A caller waits until it is told that there is room; then it reports [`Scheduler::sees_room`].
    pub fn waits_for_room(&mut self, at: At) {
        self.short_of_room += 1;
        Pool::ALL.into_iter().for_each(|pool| self.assign(pool, false, at));
    }

    /// A caller waits for room no longer.
    pub fn sees_room(&mut self) {
        self.short_of_room -= 1;
    }

    /// Where operations leave the queue, and where somebody who was told of room leaves some: else it would wait for nobody.
    fn tell_of_room(&mut self) {
        self.actions.room |= self.short_of_room > 0 && self.waiting() < self.queue_limit;
    }

    /// A ticket is dropped: its operation, if nobody has begun it. Whoever is assigned to it finds others, or nothing.
    pub fn withdrawn(&mut self, class: Class, number: u64, at: At) -> Option<T> {
        let entry = self.pool(class.pool()).take_one(class, number)?;
        self.tell_of_room();
        // Its executor may have stood for others that are the oldest now.
        self.assign(class.pool(), false, at);
        // Executors may have nothing left to wait for, and no batch may end that tells them.
        self.actions.all |= self.retired;
        Some(entry.item)
    }

    /// Tickets are refused from now on, and executors leave when none waits. Callers go on.
    pub fn retire(&mut self) {
        self.retired = true;
        self.actions.all = true;
    }

    /// Nothing is taken from now on. Returns what waits, to be refused.
    pub fn close(&mut self) -> Vec<T> {
        self.closed = true;
        self.actions.all = true;
        self.pools.iter_mut().flat_map(PoolState::drain).map(|entry| entry.item).collect()
    }

    /// Takes what the runtime has to do to others.
    pub fn take_actions(&mut self) -> Actions<T::Caller> {
        mem::take(&mut self.actions)
    }
}

/// Where the operation of a thread that begins a batch is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    /// It has none in this batch.
    Nowhere,
    /// Likewise, and it is assigned as an executor.
    Assigned,
    /// It waits, and its caller is a candidate.
    InLine,
    /// It does not wait, or no longer.
    Apart,
}
