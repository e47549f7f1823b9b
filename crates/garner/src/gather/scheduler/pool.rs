// SPDX-License-Identifier: Apache-2.0
//! One pool of the scheduler: what waits in it, in order of arrival, who is assigned to it, and what runs. Plain data.

#[cfg(test)]
mod tests;

use crate::gather::class::Class;
use std::collections::{BTreeMap, VecDeque};

/// What the thread behind a waiting operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// There is none to lead: executors run the operation of a ticket, or of a whole batch.
    Ticket,
    /// It sleeps, and can be woken to lead.
    Follower,
    /// It is assigned to lead the next batch: it was woken, or yields.
    Candidate,
    /// It leads a batch of older operations first.
    Leader,
}

/// An operation, as far as the scheduler knows it.
pub trait Item {
    /// The thread that waits for it.
    type Caller;

    fn caller(&self) -> Self::Caller;
}

/// One waiting operation.
pub struct Entry<T> {
    /// Its place in the order of arrival.
    pub number: u64,
    pub item: T,
    pub role: Role,
    /// The processor that its thread was last on.
    pub processor: usize,
}

/// Operations of one class, oldest first.
struct Line<T> {
    entries: VecDeque<Entry<T>>,
    /// How many of them are candidates'.
    candidates: usize,
    /// What one batch takes, in nanoseconds, averaged; 0 before the first.
    batch_time: u64,
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Line { entries: VecDeque::new(), candidates: 0, batch_time: 0 }
    }
}

impl<T> Line<T> {
    fn find(&self, number: u64) -> Option<usize> {
        self.entries.binary_search_by_key(&number, |entry| entry.number).ok()
    }
}

/// One pool's slots and lines.
pub struct PoolState<T> {
    /// Batches in slots.
    pub running: usize,
    /// Brief batches, which need no slot.
    pub brief: usize,
    /// Executors that are assigned to take a batch. Each has a slot reserved.
    pub assigned: usize,
    /// The processors of candidates.
    candidates: Vec<usize>,
    /// The processors that batches in slots compute on.
    computing: Vec<usize>,
    /// Operations in all lines.
    pub waiting: usize,
    /// Batches in slots that were begun, ever.
    pub begun: u64,
    /// Batches that are to begin without a yield.
    pub hurried: u32,
    /// How many operations the last batches could have had, times [`ONE`]: rises at once, falls slowly.
    company: u64,
    lines: BTreeMap<Class, Line<T>>,
}

const ONE: u64 = 256;

/// Batches of which only so much is remembered: a load that ended is forgotten after about ten.
const MEMORY: u64 = 8;

/// The most company that is counted.
const MOST: usize = 1 << 16;

impl<T> Default for PoolState<T> {
    fn default() -> Self {
        PoolState {
            running: 0,
            brief: 0,
            assigned: 0,
            candidates: Vec::new(),
            computing: Vec::new(),
            waiting: 0,
            begun: 0,
            hurried: 0,
            company: 0,
            lines: BTreeMap::new(),
        }
    }
}

impl<T: Item> PoolState<T> {
    /// How many operations the last batches had, or could have had: 1 for a caller that is alone.
    pub fn company(&self) -> usize {
        ((self.company + ONE / 2) / ONE) as usize
    }

    /// Learns from a batch of `operations` that ended after so many nanoseconds.
    pub fn learn(&mut self, class: Class, operations: usize, nanoseconds: u64) {
        let others = self.waiting - self.candidates.len();
        let possible = operations.max(1 + others).min(MOST) as u64 * ONE;
        self.company = possible.max((self.company * (MEMORY - 1) + possible) / MEMORY);
        let line = self.lines.entry(class).or_default();
        line.batch_time = if line.batch_time == 0 { nanoseconds } else { (line.batch_time * 7 + nanoseconds) / 8 };
    }

    /// What one batch takes, in nanoseconds, averaged; 0 before the first.
    pub fn batch_time(&self, class: Class) -> u64 {
        self.lines.get(&class).map_or(0, |line| line.batch_time)
    }

    /// Threads assigned to take a batch: candidates and executors.
    pub fn on_the_way(&self) -> usize {
        self.candidates.len() + self.assigned
    }

    /// How many batches in slots compute on this processor.
    #[cfg(test)]
    pub fn computing(&self, processor: usize) -> usize {
        self.computing.iter().filter(|&&other| other == processor).count()
    }

    /// Whether a batch in a slot computes on this processor.
    pub fn computes_on(&self, processor: usize) -> bool {
        self.computing.contains(&processor)
    }

    /// Whether a batch in a slot computes on this processor, or a candidate is to lead one there.
    pub fn wants(&self, processor: usize) -> bool {
        self.computes_on(processor) || self.candidates.contains(&processor)
    }

    /// A batch takes a slot, and computes on this processor, if on one.
    pub fn begin(&mut self, processor: Option<usize>) {
        self.running += 1;
        self.begun += 1;
        self.hurried = self.hurried.saturating_sub(1);
        self.computing.extend(processor);
    }

    /// The batch gives its slot back.
    pub fn end(&mut self, processor: Option<usize>) {
        self.running -= 1;
        if let Some(processor) = processor {
            remove_one(&mut self.computing, processor);
        }
    }

    /// Whether a thread may be assigned for an entry: a ticket's, or a follower that, unless `anywhere`, sleeps on a
    /// processor that the pool does not want.
    fn may_assign(&self, entry: &Entry<T>, anywhere: bool) -> bool {
        match entry.role {
            Role::Ticket => true,
            Role::Follower => anywhere || !self.wants(entry.processor),
            Role::Candidate | Role::Leader => false,
        }
    }

    /// The oldest operation that a thread may be assigned for: its class, and whether that is a ticket.
    pub fn oldest(&self, anywhere: bool) -> Option<(Class, bool)> {
        self.first(|entry| self.may_assign(entry, anywhere))
    }

    /// The class of [`PoolState::oldest`] among followers.
    pub fn oldest_follower(&self, anywhere: bool) -> Option<Class> {
        let first = self.first(|entry| entry.role == Role::Follower && self.may_assign(entry, anywhere));
        first.map(|(class, _)| class)
    }

    fn first(&self, may: impl Fn(&Entry<T>) -> bool) -> Option<(Class, bool)> {
        let firsts = self.lines.iter().filter_map(|(class, line)| Some((class, line.entries.iter().find(|e| may(e))?)));
        firsts.min_by_key(|(_, entry)| entry.number).map(|(class, entry)| (*class, entry.role == Role::Ticket))
    }

    /// Every waiting operation with its class.
    pub fn entries(&self) -> impl Iterator<Item = (Class, &Entry<T>)> {
        self.lines.iter().flat_map(|(class, line)| line.entries.iter().map(move |entry| (*class, entry)))
    }

    /// How many wait in a line.
    pub fn in_line(&self, class: Class) -> usize {
        self.lines.get(&class).map_or(0, |line| line.entries.len())
    }

    /// How many candidates wait in a line.
    pub fn candidates(&self, class: Class) -> usize {
        self.lines.get(&class).map_or(0, |line| line.candidates)
    }

    /// Whether a candidate of another class has an operation older than `number`.
    pub fn older_candidate(&self, class: Class, number: u64) -> bool {
        let older = |line: &Line<T>| {
            let candidates = |entry: &Entry<T>| entry.role == Role::Candidate && entry.number < number;
            line.candidates > 0 && line.entries.iter().any(candidates)
        };
        self.lines.iter().any(|(other, line)| *other != class && older(line))
    }

    /// Adds an operation, younger than all.
    pub fn push(&mut self, class: Class, entry: Entry<T>) {
        self.waiting += 1;
        let line = self.lines.entry(class).or_default();
        if entry.role == Role::Candidate {
            line.candidates += 1;
            self.candidates.push(entry.processor);
        }
        line.entries.push_back(entry);
    }

    /// Takes the `count` oldest of a class, fewer if there are fewer. Leaves operations of candidates, as many as there are
    /// `free` slots for them, unless there are too few others.
    pub fn take(&mut self, class: Class, count: usize, free: usize) -> Vec<Entry<T>> {
        let Some(line) = self.lines.get_mut(&class) else { return Vec::new() };
        let mut spare = free.min(line.candidates).min(line.entries.len().saturating_sub(count));
        let mut left = Vec::new();
        let mut taken = Vec::with_capacity(count.min(line.entries.len()));
        while taken.len() < count {
            let Some(entry) = line.entries.pop_front() else { break };
            let candidate = entry.role == Role::Candidate;
            if candidate && spare > 0 {
                spare -= 1;
                left.push(entry);
                continue;
            }
            if candidate {
                line.candidates -= 1;
                remove_one(&mut self.candidates, entry.processor);
            }
            taken.push(entry);
        }
        for entry in left.into_iter().rev() {
            line.entries.push_front(entry);
        }
        if line.entries.is_empty() && line.entries.capacity() > 1024 {
            line.entries = VecDeque::new();
        }
        self.waiting -= taken.len();
        taken
    }

    /// Makes a follower the candidate for the next batch of a class: of the `count` oldest, all of which the batch takes,
    /// the first that sleeps on this processor, if the pool does not want it; else the oldest anywhere for whom that holds,
    /// or of all, if `anywhere`. Returns its entry.
    ///
    /// A thread that ends a batch is about to leave its processor free. A leader that last ran on another would wait there
    /// for a whole batch, and this one stand idle: systems are slow to move a thread that just ran.
    pub fn make_candidate(&mut self, class: Class, count: usize, here: usize, anywhere: bool) -> Option<&Entry<T>> {
        let line = self.lines.get(&class)?;
        let follows = |entry: &Entry<T>| entry.role == Role::Follower;
        let good = |entry: &Entry<T>| follows(entry) && self.may_assign(entry, false);
        let near = line.entries.iter().take(count).position(|entry| entry.processor == here && good(entry));
        let far = || line.entries.iter().position(good);
        let any = || line.entries.iter().position(follows).filter(|_| anywhere);
        let place = near.or_else(far).or_else(any)?;
        let line = self.lines.get_mut(&class)?;
        let entry = &mut line.entries[place];
        entry.role = Role::Candidate;
        line.candidates += 1;
        self.candidates.push(entry.processor);
        Some(entry)
    }

    /// Whether an operation still waits.
    pub fn waits(&self, class: Class, number: u64) -> bool {
        self.lines.get(&class).is_some_and(|line| line.find(number).is_some())
    }

    /// A candidate, or the leader of a batch of older operations, follows from now on, on this processor. Whether its
    /// operation still waits.
    pub fn make_follower(&mut self, class: Class, number: u64, here: usize) -> bool {
        let Some(line) = self.lines.get_mut(&class) else { return false };
        let Some(place) = line.find(number) else { return false };
        let entry = &mut line.entries[place];
        if entry.role == Role::Candidate {
            line.candidates -= 1;
            remove_one(&mut self.candidates, entry.processor);
        }
        (entry.role, entry.processor) = (Role::Follower, here);
        true
    }

    /// Takes one operation, which is no candidate's.
    pub fn take_one(&mut self, class: Class, number: u64) -> Option<Entry<T>> {
        let line = self.lines.get_mut(&class)?;
        let entry = line.entries.remove(line.find(number)?)?;
        self.waiting -= 1;
        Some(entry)
    }

    /// Everything that waits.
    pub fn drain(&mut self) -> Vec<Entry<T>> {
        let mut all = Vec::new();
        for line in self.lines.values_mut() {
            all.extend(std::mem::take(&mut line.entries));
            line.candidates = 0;
        }
        self.waiting = 0;
        self.candidates.clear();
        all
    }
}

/// Removes one of those that are equal.
fn remove_one(from: &mut Vec<usize>, value: usize) {
    if let Some(place) = from.iter().position(|&other| other == value) {
        from.swap_remove(place);
    }
}
