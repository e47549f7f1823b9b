// SPDX-License-Identifier: Apache-2.0
//! From a free slot to the end of a batch: who is assigned, who yields and for how long, what a batch takes.

use super::fault::seeded;
use super::pool::{Entry, Item, Role};
use super::{At, Next, Own, Scheduler};
use crate::gather::class::{Class, Pool};

/// Yields that bring nobody before a batch, at most.
const YIELDS: u32 = 4;

/// Time lost by yielding, as part of the time of one batch: one divided by this.
const PATIENCE: u64 = 10;

/// Batches that begin without a yield after one for which another process had the processor.
const HURRIED: u32 = 16;

/// A thread that is assigned to take a batch, and lets operations arrive first.
#[derive(Debug, Clone)]
pub struct Candidate {
    pool: Pool,
    /// Class and number of a caller's own operation. An executor has none.
    own: Option<(Class, u64)>,
    /// When it was assigned, and when an operation last arrived since.
    first: u64,
    since: u64,
    /// The longest yield since then, in nanoseconds, and how many there were.
    longest: u64,
    in_vain: u32,
    /// Operations at hand, and batches begun in the pool, when it last looked.
    gathered: usize,
    begun: u64,
}

/// The operations of a batch, and its slot.
pub struct Batch<T> {
    pub class: Class,
    pub path: usize,
    /// Never empty. The leader's own is the first, if it is among them.
    pub entries: Vec<Entry<T>>,
    /// The leader's own operation is younger and still waits: after the batch it reports [`Scheduler::follows`].
    pub leader_waits: bool,
    /// The processor that the batch computes on, if it has a slot and computes on one.
    pub processor: Option<usize>,
}

/// A batch that was run to its end.
#[derive(Debug, Clone, Copy)]
pub struct Ran {
    pub operations: usize,
    pub nanoseconds: u64,
}

#[cfg(test)]
impl Candidate {
    pub fn pool(&self) -> Pool {
        self.pool
    }
}

impl<T: Item> Scheduler<T> {
    /// Assigns threads to the oldest operations that wait in a pool, while slots are free.
    ///
    /// Who ends a batch assigns `anywhere`: with its processor there is one more, and systems may move there who sleeps on
    /// one that the pool wants. Else whoever was woken there would find it taken.
    pub(super) fn assign(&mut self, pool: Pool, anywhere: bool, at: At) {
        self.assign_threads(pool, anywhere, true, at);
    }

    pub(super) fn assign_threads(&mut self, pool: Pool, anywhere: bool, may_start: bool, at: At) {
        while self.has_free_slot(pool) {
            let Some((mut class, ticket)) = self.pool(pool).oldest(anywhere) else { return };
            if ticket {
                // One executor is enough for one batch, the rest of which may still arrive.
                let state = &self.pools[pool as usize];
                if state.waiting <= state.assigned * self.devices.limit(class) {
                    return;
                }
                if self.assign_executor(pool, may_start) {
                    continue;
                }
                // The first executor that is through with its batch sees to the tickets.
                let Some(other) = self.pool(pool).oldest_follower(anywhere) else { return };
                class = other;
            }
            let count = self.devices.least_limit(class);
            let state = &mut self.pools[pool as usize];
            let Some(entry) = state.make_candidate(class, count, at.processor, anywhere) else { return };
            let caller = entry.item.caller();
            if !seeded!(self, WakeLost) {
                self.actions.candidates.push(caller);
            }
        }
    }

    /// Whether a slot is free that nobody is assigned to take.
    pub(super) fn has_free_slot(&self, pool: Pool) -> bool {
        let state = &self.pools[pool as usize];
        state.running + state.on_the_way() < self.slots
    }

    /// Whether a caller may begin a batch on this processor: a slot is free that is no executor's.
    pub(super) fn may_begin(&self, pool: Pool, processor: usize) -> bool {
        let state = &self.pools[pool as usize];
        let assigned = if seeded!(self, ReservedSlotTaken) { 0 } else { state.assigned };
        let computes = state.computes_on(processor) && !seeded!(self, ProcessorShared);
        state.running + assigned < self.slots && !computes
    }

    /// Slots that are left to callers once `begun` more batches run.
    fn slots_left(&self, pool: Pool, begun: usize) -> usize {
        let state = &self.pools[pool as usize];
        self.slots.saturating_sub(state.running + state.assigned + begun)
    }

    /// Whether an operation need not leave the last slot to an older one of another class, whose caller is a candidate.
    pub(super) fn in_turn(&self, class: Class, number: u64) -> bool {
        let pool = class.pool();
        self.slots_left(pool, 1) > 0 || !self.pools[pool as usize].older_candidate(class, number)
    }

    /// Whether a caller that arrives may become a candidate: nobody else computes or is one on this processor.
    pub(super) fn may_gather(&self, class: Class, processor: usize) -> bool {
        let pool = class.pool();
        let wanted = self.pools[pool as usize].wants(processor);
        self.may_begin(pool, processor) && !wanted && self.in_turn(class, u64::MAX)
    }

    /// How many operations there are for a leader's batch, with its own. It leaves slots to other candidates, with theirs,
    /// unless its batch is full with them.
    pub(super) fn available(&self, class: Class, own: Own) -> usize {
        let state = &self.pools[class.pool() as usize];
        let all = state.in_line(class) + usize::from(own == Own::Apart);
        let others = state.candidates(class) - usize::from(own == Own::InLine);
        if others == 0 || all >= self.devices.limit(class) {
            return all;
        }
        // An assigned executor is counted already.
        let begins = usize::from(own != Own::Assigned);
        all - self.slots_left(class.pool(), begins).min(others)
    }

    /// Whether `gathered` operations need not wait for more.
    pub(super) fn enough(&self, class: Class, gathered: usize) -> bool {
        let state = &self.pools[class.pool() as usize];
        let full = || gathered >= self.devices.limit(class) && !seeded!(self, FullBatchYields);
        class.pool() == Pool::Short || state.hurried > 0 || gathered >= state.company() || full()
    }

    pub(super) fn candidate(&self, pool: Pool, own: Option<(Class, u64)>, at: At) -> Candidate {
        let begun = self.pools[pool as usize].begun;
        Candidate { pool, own, first: at.now, since: at.now, longest: 0, in_vain: 0, gathered: 0, begun }
    }

    /// A follower was woken to lead a batch with this operation.
    pub fn woken(&mut self, class: Class, number: u64, at: At) -> Next<T> {
        let candidate = self.candidate(class.pool(), Some((class, number)), at);
        self.consider(candidate, at)
    }

    /// A candidate is back from a yield that lasted so many nanoseconds.
    pub fn yielded(&mut self, mut candidate: Candidate, lasted: u64, at: At) -> Next<T> {
        candidate.longest = candidate.longest.max(lasted);
        candidate.in_vain += 1;
        self.consider(candidate, at)
    }

    /// Lets operations arrive before a batch begins, when the last batches had company: the candidate yields until its batch
    /// is full, or has as many as lately, or a few yields or a tenth of a batch's time brought nobody. Time in which somebody
    /// arrived was not lost: those threads had it; but a whole batch's time is all it gives. A batch that others began
    /// meanwhile counts as an arrival. A yield that brought nobody and lasted longer than a batch went to another process,
    /// which may keep the processor for milliseconds: the next batches do without.
    pub(super) fn consider(&mut self, mut candidate: Candidate, at: At) -> Next<T> {
        let pool = candidate.pool;
        let state = &self.pools[pool as usize];
        let class = match candidate.own {
            Some((class, number)) => Some(class).filter(|_| state.waits(class, number)),
            None => state.oldest(true).map(|(class, _)| class),
        };
        let Some(class) = class else { return self.begins(candidate, at) };
        let batch_time = state.batch_time(class);
        let gathered = self.available(class, if candidate.own.is_some() { Own::InLine } else { Own::Assigned });
        let state = &mut self.pools[pool as usize];
        if gathered > candidate.gathered || state.begun != candidate.begun {
            (candidate.since, candidate.in_vain, candidate.longest) = (at.now, 0, 0);
        } else if candidate.longest > batch_time && state.running == 0 {
            state.hurried = HURRIED;
        }
        (candidate.gathered, candidate.begun) = (gathered, state.begun);
        let patient = candidate.in_vain < YIELDS
            && at.now - candidate.since < batch_time / PATIENCE
            && at.now - candidate.first < batch_time;
        if patient && !self.enough(class, gathered) {
            return Next::Yield(candidate);
        }
        self.begins(candidate, at)
    }

    /// A candidate begins its batch, if a slot is free for it and its turn has come. Else its operation is left: whoever ends
    /// a batch sees to it.
    fn begins(&mut self, candidate: Candidate, at: At) -> Next<T> {
        let pool = candidate.pool;
        let Some((class, number)) = candidate.own else {
            self.pool(pool).assigned -= 1;
            let Some((class, _)) = self.pool(pool).oldest(true) else { return Next::Wait };
            return Next::Run(self.begin(class, None, at));
        };
        if seeded!(self, CandidateStays) && !self.may_begin(pool, at.processor) {
            return Next::Wait;
        }
        if !self.pool(pool).make_follower(class, number, at.processor) {
            return Next::Wait;
        }
        if self.may_begin(pool, at.processor) && self.in_turn(class, number) {
            let own = self.pool(pool).take_one(class, number);
            return Next::Run(self.begin(class, own.map(|own| Entry { role: Role::Leader, ..own }), at));
        }
        self.assign(pool, false, at);
        Next::Wait
    }

    /// Takes a slot, unless the class is brief, and operations for a batch, the leader's `own` among them.
    pub(super) fn begin(&mut self, class: Class, own: Option<Entry<T>>, at: At) -> Batch<T> {
        let (pool, brief, mine) = (class.pool(), class.brief(), usize::from(own.is_some()));
        let available = self.available(class, if mine == 1 { Own::Apart } else { Own::Nowhere });
        let (path, take) = self.devices.choose(class, available);
        let processor = Some(at.processor).filter(|_| self.devices.on_host(path) && !brief);
        let free = self.slots_left(pool, 1);
        self.note_use(at.now);
        let state = &mut self.pools[pool as usize];
        if brief {
            state.brief += 1
        } else {
            state.begin(processor)
        }
        let mut entries: Vec<Entry<T>> = own.into_iter().collect();
        entries.extend(state.take(class, take - mine, free));
        if seeded!(self, OperationLost) && entries.len() > 3 {
            entries.pop();
        }
        if !seeded!(self, RoomNotTold) {
            self.tell_of_room();
        }
        self.assign(pool, false, at);
        Batch { class, path, entries, leader_waits: false, processor }
    }

    /// A batch of `class` on `processor` gives its slot back. `ran` is missing after a panic. If `answers`, its answers are
    /// given after this, and [`Scheduler::answered`] is to be reported then. Whether its thread, if it `lends` itself as an
    /// executor, is assigned to a next batch.
    ///
    /// The slot comes before the answers, for whoever is woken by one may take the processor for long.
    pub fn ended(
        &mut self,
        (class, processor): (Class, Option<usize>),
        ran: Option<Ran>,
        answers: bool,
        lends: bool,
        at: At,
    ) -> bool {
        let pool = class.pool();
        self.note_use(at.now);
        let state = &mut self.pools[pool as usize];
        if class.brief() {
            state.brief -= 1;
        } else if ran.is_some() || !seeded!(self, SlotLeakedByPanic) {
            state.end(processor);
        }
        if let Some(ran) = ran {
            state.learn(class, ran.operations, ran.nanoseconds);
        }
        self.answering += usize::from(answers);
        // Shut-down may wait for this, and retired executors may have nothing left to wait for.
        self.actions.all |= self.closed || self.retired && !seeded!(self, RetirementNotTold);
        let lends = lends && self.assign_lender(pool);
        if !seeded!(self, EndAssignsNobody) {
            self.assign(pool, true, at);
        }
        lends
    }

    /// The answers of a batch are given.
    pub fn answered(&mut self) {
        self.answering -= 1;
        self.actions.all |= self.closed && !seeded!(self, CloseNotTold);
    }

    /// A leader whose own operation may still wait is through with a batch of older ones. From now on it follows.
    pub fn follows(&mut self, class: Class, number: u64, at: At) {
        if seeded!(self, LeaderNeverFollows) {
            return;
        }
        if self.pool(class.pool()).make_follower(class, number, at.processor) {
            self.assign(class.pool(), true, at);
        }
    }
}
