// SPDX-License-Identifier: Apache-2.0
//! One pool: what waits in it, in order of arrival, and who runs its batches or is on the way to. Plain data.

use super::answer::{Answer, Reply};
use super::class::Class;
use super::operation::Operation;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// What the caller of a waiting operation does meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// It left with a ticket, or waits for a whole batch: executors run its operation.
    Ticket,
    /// It sleeps, and can be called to lead.
    Sleeps,
    /// It is on the way to lead a batch.
    Comes,
    /// It runs a batch of older operations first.
    Helps,
}

/// One waiting operation.
pub struct Entry {
    /// Its place in the order of arrival.
    pub number: u64,
    pub operation: Operation,
    pub reply: Reply,
    pub caller: Caller,
    /// The processor that its caller was last on.
    pub processor: usize,
}

impl Entry {
    fn comes(&self) -> bool {
        self.caller == Caller::Comes
    }
}

/// Operations of one class, oldest first.
#[derive(Default)]
struct Line {
    entries: VecDeque<Entry>,
    /// How many of their callers are on the way to lead.
    coming: usize,
    /// What one batch takes, in nanoseconds, averaged; 0 before the first.
    batch_time: u64,
}

impl Line {
    fn find(&self, number: u64) -> Option<usize> {
        self.entries.binary_search_by_key(&number, |entry| entry.number).ok()
    }
}

/// One pool's slots and lines.
#[derive(Default)]
pub struct PoolState {
    /// Batches in slots.
    pub running: usize,
    /// Brief batches under way, which need no slot.
    pub beside: usize,
    /// Executors on the way to take a batch.
    pub gathering: usize,
    /// The processors from which callers are on the way to lead a batch.
    coming: Vec<usize>,
    /// The processors that batches in slots compute on.
    occupied: Vec<usize>,
    /// Operations in all lines.
    pub waiting: usize,
    /// Batches in slots that were begun, ever.
    pub begun: u64,
    /// Batches that are to start without giving way.
    pub hurried: u32,
    /// How many operations the last batches could have had, times [`PoolState::ONE`]: rises at once, falls slowly.
    company: u64,
    lines: BTreeMap<Class, Line>,
}

impl PoolState {
    const ONE: u64 = 256;
    /// Batches of which only so much is remembered: a load that ended is forgotten after about ten.
    const MEMORY: u64 = 8;
    const MOST: usize = 1 << 16;

    /// How many operations the last batches had, or could have had: 1 for a caller that is alone.
    pub fn company(&self) -> usize {
        ((self.company + Self::ONE / 2) / Self::ONE) as usize
    }

    /// A batch of `fill` operations ended.
    pub fn ended(&mut self, class: Class, fill: usize, nanoseconds: u64) {
        let others = self.waiting - self.coming.len();
        let possible = fill.max(1 + others).min(Self::MOST) as u64 * Self::ONE;
        self.company = possible.max((self.company * (Self::MEMORY - 1) + possible) / Self::MEMORY);
        let line = self.lines.entry(class).or_default();
        line.batch_time = if line.batch_time == 0 { nanoseconds } else { (line.batch_time * 7 + nanoseconds) / 8 };
    }

    /// What one batch takes, averaged; zero before the first.
    pub fn batch_time(&self, class: Class) -> Duration {
        Duration::from_nanos(self.lines.get(&class).map_or(0, |line| line.batch_time))
    }

    /// Those on the way to take a batch.
    pub fn on_the_way(&self) -> usize {
        self.coming.len() + self.gathering
    }

    /// Whether a batch in a slot computes on this processor.
    pub fn occupied(&self, processor: usize) -> bool {
        self.occupied.contains(&processor)
    }

    /// Whether a batch in a slot computes on this processor, or a caller is on the way to lead one there.
    pub fn awaited(&self, processor: usize) -> bool {
        self.occupied(processor) || self.coming.contains(&processor)
    }

    /// Counts a batch in a slot, that computes on this processor, if on one.
    pub fn begin(&mut self, processor: Option<usize>) {
        self.running += 1;
        self.begun += 1;
        self.hurried = self.hurried.saturating_sub(1);
        self.occupied.extend(processor);
    }

    /// The end of what was begun.
    pub fn end(&mut self, processor: Option<usize>) {
        self.running -= 1;
        if let Some(processor) = processor {
            remove_one(&mut self.occupied, processor);
        }
    }

    /// Whether nobody computes a batch or is on the way to one on the processor that an entry's caller sleeps on.
    fn free_for(&self, entry: &Entry) -> bool {
        !self.awaited(entry.processor)
    }

    /// The class of the oldest operation that somebody may be called for, and whether that is a blocked caller: a ticket or
    /// one whose caller sleeps, unless `anywhere` not on a processor that is awaited.
    pub fn oldest(&self, anywhere: bool) -> Option<(Class, bool)> {
        self.first(|entry| match entry.caller {
            Caller::Ticket => true,
            Caller::Sleeps => anywhere || self.free_for(entry),
            Caller::Comes | Caller::Helps => false,
        })
    }

    /// [`PoolState::oldest`] of those whose callers sleep.
    pub fn oldest_blocked(&self, anywhere: bool) -> Option<Class> {
        let first = self.first(|entry| entry.caller == Caller::Sleeps && (anywhere || self.free_for(entry)));
        first.map(|(class, _)| class)
    }

    /// The class of the oldest operation for which that holds, and whether a caller is blocked on it.
    fn first(&self, may: impl Fn(&Entry) -> bool) -> Option<(Class, bool)> {
        let first = |line: &Line| line.entries.iter().position(&may);
        let firsts = self.lines.iter().filter_map(|(class, line)| Some((class, &line.entries[first(line)?])));
        firsts.min_by_key(|(_, entry)| entry.number).map(|(class, entry)| (*class, entry.caller != Caller::Ticket))
    }

    /// Whether an operation waits for an executor.
    pub fn has_tickets(&self) -> bool {
        self.lines.values().any(|line| line.entries.iter().any(|entry| entry.caller == Caller::Ticket))
    }

    /// How many wait in a line.
    pub fn in_line(&self, class: Class) -> usize {
        self.lines.get(&class).map_or(0, |line| line.entries.len())
    }

    /// How many callers of a line are on the way to lead.
    pub fn coming(&self, class: Class) -> usize {
        self.lines.get(&class).map_or(0, |line| line.coming)
    }

    /// Whether a caller of another class whose operation is older than `number` is on the way to lead.
    pub fn older_comes(&self, class: Class, number: u64) -> bool {
        let older =
            |line: &Line| line.coming > 0 && line.entries.iter().any(|entry| entry.comes() && entry.number < number);
        self.lines.iter().any(|(other, line)| *other != class && older(line))
    }

    /// Adds an operation, younger than all.
    pub fn push(&mut self, class: Class, entry: Entry) {
        self.waiting += 1;
        let line = self.lines.entry(class).or_default();
        if entry.comes() {
            line.coming += 1;
            self.coming.push(entry.processor);
        }
        line.entries.push_back(entry);
    }

    /// Takes the `count` oldest of a class, fewer if there are fewer. So many as there is `room` for of those on the way to
    /// lead are left to lead, unless there are too few others.
    pub fn take(&mut self, class: Class, count: usize, room: usize) -> Vec<Entry> {
        let Some(line) = self.lines.get_mut(&class) else { return Vec::new() };
        let mut spare = room.min(line.coming).min(line.entries.len().saturating_sub(count));
        let mut left = Vec::new();
        let mut taken = Vec::with_capacity(count.min(line.entries.len()));
        while taken.len() < count {
            let Some(entry) = line.entries.pop_front() else { break };
            if entry.comes() && spare > 0 {
                spare -= 1;
                left.push(entry);
                continue;
            }
            if entry.comes() {
                line.coming -= 1;
                remove_one(&mut self.coming, entry.processor);
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

    /// Chooses who is to lead the next batch of a class, and counts it as on the way: of the blocked callers of the `count`
    /// oldest, all of which the batch takes, the first that sleeps on this processor, else on one that is not awaited, else
    /// the oldest for whom that holds, or of all, if `anywhere`. Returns where it is to be told.
    ///
    /// Who ends a batch is about to leave its processor free. A leader that ran on another would wait there for a whole
    /// batch, and this one stand idle: systems are slow to move a thread that just ran.
    pub fn call(&mut self, class: Class, count: usize, here: usize, anywhere: bool) -> Option<Arc<Answer>> {
        let line = self.lines.get(&class)?;
        let may = |entry: &Entry| entry.caller == Caller::Sleeps;
        let good = |entry: &Entry| may(entry) && self.free_for(entry);
        let near = line.entries.iter().take(count).position(|entry| entry.processor == here && good(entry));
        let far = || line.entries.iter().position(good);
        let any = || line.entries.iter().position(may).filter(|_| anywhere);
        let leader = near.or_else(far).or_else(any)?;
        let line = self.lines.get_mut(&class)?;
        let entry = &mut line.entries[leader];
        entry.caller = Caller::Comes;
        line.coming += 1;
        self.coming.push(entry.processor);
        entry.reply.waiter()
    }

    /// Whether an operation still waits.
    pub fn waits(&self, class: Class, number: u64) -> bool {
        self.lines.get(&class).is_some_and(|line| line.find(number).is_some())
    }

    /// A caller that was on the way, or helped, is there, on this processor. Whether its operation still waits.
    pub fn came(&mut self, class: Class, number: u64, here: usize) -> bool {
        let Some(line) = self.lines.get_mut(&class) else { return false };
        let Some(at) = line.find(number) else { return false };
        let entry = &mut line.entries[at];
        if entry.comes() {
            line.coming -= 1;
            remove_one(&mut self.coming, entry.processor);
        }
        (entry.caller, entry.processor) = (Caller::Sleeps, here);
        true
    }

    /// Takes one operation, whose caller is not on the way.
    pub fn take_one(&mut self, class: Class, number: u64) -> Option<Entry> {
        let line = self.lines.get_mut(&class)?;
        let entry = line.entries.remove(line.find(number)?)?;
        self.waiting -= 1;
        Some(entry)
    }

    /// Everything that waits.
    pub fn drain(&mut self) -> Vec<Entry> {
        let mut all = Vec::new();
        for line in self.lines.values_mut() {
            all.extend(std::mem::take(&mut line.entries));
            line.coming = 0;
        }
        self.waiting = 0;
        self.coming.clear();
        all
    }
}

/// Removes one of those that are equal.
fn remove_one(from: &mut Vec<usize>, value: usize) {
    if let Some(at) = from.iter().position(|&other| other == value) {
        from.swap_remove(at);
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::Answers;
    use super::super::class::Kind;
    use super::*;
    use crate::arithmetic::Modulus;

    const CLASS: Class = Class { kind: Kind::Exponentiation, size: 1, exponent: 1, paths: 0 };
    const OTHER: Class = Class { size: 2, ..CLASS };

    /// Operations numbered from 0 that came from these processors, all with blocked callers but those of `tickets`.
    fn pool(processors: &[usize], tickets: &[usize]) -> PoolState {
        let modulus = Arc::new(Modulus::new(&[0xfff1]).unwrap());
        let answers = Arc::new(Answers::new(processors.len()));
        let mut pool = PoolState::default();
        for (i, &processor) in processors.iter().enumerate() {
            let operation = Operation::exponentiation(&modulus, &[2], &[3]).unwrap();
            let (caller, reply) = match tickets.contains(&i) {
                true => (Caller::Ticket, Reply::one_of(&answers, i)),
                false => (Caller::Sleeps, Reply::to(&Arc::new(Answer::new()))),
            };
            pool.push(CLASS, Entry { number: i as u64, operation, reply, caller, processor });
        }
        pool
    }

    fn coming(pool: &PoolState) -> Vec<u64> {
        let line = &pool.lines[&CLASS];
        let coming: Vec<u64> = line.entries.iter().filter(|entry| entry.comes()).map(|entry| entry.number).collect();
        assert_eq!((line.coming, pool.coming.len()), (coming.len(), coming.len()));
        coming
    }

    fn numbers(entries: &[Entry]) -> Vec<u64> {
        entries.iter().map(|entry| entry.number).collect()
    }

    #[test]
    fn who_is_called_sleeps_here_or_where_no_batch_is_or_is_the_oldest() {
        let mut pool = pool(&[5, 5, 6, 7, 5, 6], &[0]);
        let mut call = |count, here, anywhere| {
            let called = pool.call(CLASS, count, here, anywhere).is_some();
            (called, coming(&pool))
        };
        assert_eq!(call(4, 7, false), (true, vec![3]), "not the ticket, and of the others the one from here");
        assert_eq!(call(2, 6, false), (true, vec![1, 3]), "the one from here is too young");
        assert_eq!(call(6, 5, false), (true, vec![1, 2, 3]), "here somebody is coming already");
        assert_eq!(call(6, 5, false), (false, vec![1, 2, 3]), "so there is on all of them");
        assert_eq!(call(6, 5, true), (true, vec![1, 2, 3, 4]), "the oldest");
        assert_eq!(call(1, 5, true), (true, vec![1, 2, 3, 4, 5]));
        assert!(pool.call(CLASS, 6, 5, true).is_none() && pool.call(OTHER, 6, 5, true).is_none());
        assert_eq!(pool.oldest(true), Some((CLASS, false)));
    }

    #[test]
    fn nobody_is_called_to_a_processor_that_computes_while_there_is_another() {
        let mut pool = pool(&[5, 6, 5], &[]);
        pool.begin(Some(5));
        assert!(pool.occupied(5) && pool.awaited(5) && !pool.awaited(6));
        assert_eq!(pool.oldest(false), Some((CLASS, true)));
        assert!(pool.call(CLASS, 3, 5, true).is_some());
        assert_eq!(coming(&pool), [1]);
        assert!(pool.awaited(6) && !pool.occupied(6));
        assert_eq!((pool.oldest(false), pool.oldest(true)), (None, Some((CLASS, true))));
        pool.begin(Some(5));
        pool.end(Some(5));
        assert!(pool.occupied(5), "one of two is still there");
        pool.end(Some(5));
        assert!(!pool.awaited(5) && pool.running == 0);
        assert!(pool.came(CLASS, 1, 9) && !pool.awaited(6));
        assert!(pool.call(CLASS, 3, 9, false).is_some());
        assert_eq!(coming(&pool), [1], "it is there now");
        assert!(pool.awaited(9));
    }

    #[test]
    fn operations_of_those_on_the_way_are_left_where_there_are_slots_for_them_and_enough_others() {
        let mut pool = pool(&[5, 6, 7, 8, 9], &[]);
        for here in [5, 7] {
            assert!(pool.call(CLASS, 5, here, false).is_some());
        }
        assert_eq!((pool.in_line(CLASS), pool.oldest(true)), (5, Some((CLASS, true))));
        assert_eq!((pool.coming(CLASS), pool.coming(OTHER)), (2, 0));
        assert!(pool.older_comes(OTHER, 1) && !pool.older_comes(OTHER, 0) && !pool.older_comes(CLASS, 9));
        assert_eq!(numbers(&pool.take(CLASS, 1, 9)), [1]);
        assert_eq!(coming(&pool), [0, 2]);
        assert_eq!(numbers(&pool.take(CLASS, 1, 0)), [0], "the oldest, for there is no slot for it");
        assert_eq!(coming(&pool), [2]);
        assert!(!pool.waits(CLASS, 0) && !pool.came(CLASS, 0, 5), "somebody else took it");
        assert_eq!(numbers(&pool.take(CLASS, 1, 1)), [3]);
        assert_eq!(numbers(&pool.take(CLASS, 2, 1)), [2, 4], "it was needed");
        assert!(pool.oldest(true).is_none() && pool.waiting == 0 && coming(&pool).is_empty());
    }

    #[test]
    fn nobody_is_called_who_runs_a_batch_of_older_ones() {
        let mut pool = pool(&[5, 5], &[0]);
        pool.lines.get_mut(&CLASS).unwrap().entries[1].caller = Caller::Helps;
        assert_eq!((pool.oldest(true), pool.oldest_blocked(true)), (Some((CLASS, false)), None));
        assert!(pool.call(CLASS, 2, 5, true).is_none() && pool.on_the_way() == 0);
        assert!(pool.came(CLASS, 1, 6));
        assert_eq!(pool.oldest_blocked(false), Some(CLASS));
        assert!(pool.call(CLASS, 2, 5, false).is_some() && pool.awaited(6));
        assert_eq!(numbers(&pool.take(CLASS, 2, 0)), [0, 1]);
    }

    #[test]
    fn one_is_taken_by_its_number() {
        let mut pool = pool(&[5, 6, 7], &[]);
        assert!(pool.take_one(CLASS, 3).is_none() && pool.take_one(OTHER, 1).is_none());
        assert_eq!(pool.take_one(CLASS, 1).map(|entry| entry.number), Some(1));
        assert!(pool.take_one(CLASS, 1).is_none() && !pool.waits(CLASS, 1) && pool.waits(CLASS, 2));
        assert_eq!((pool.waiting, pool.in_line(CLASS)), (2, 2));
    }

    #[test]
    fn nobody_is_on_the_way_to_what_was_drained() {
        let mut pool = pool(&[5, 6], &[]);
        for here in [6, 5] {
            assert!(pool.call(CLASS, 2, here, false).is_some());
        }
        assert_eq!((coming(&pool), pool.on_the_way()), (vec![0, 1], 2));
        assert_eq!(numbers(&pool.drain()), [0, 1]);
        assert!(coming(&pool).is_empty() && pool.on_the_way() == 0 && pool.waiting == 0);
        assert!(!pool.came(CLASS, 0, 5));
    }
}
