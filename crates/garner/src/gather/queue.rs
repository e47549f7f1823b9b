//! What waits, in order of arrival, and who is busy. Plain data: the lock around it and what to do next are elsewhere.

use super::answer::Reply;
use super::class::{Class, Pool};
use super::operation::Operation;
use rustix::thread::sched_getcpu;
use std::collections::{BTreeMap, VecDeque};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One waiting operation.
pub struct Entry {
    pub number: u64,
    pub operation: Operation,
    pub reply: Reply,
    /// A caller is blocked on it and can lead; else it is a ticket.
    pub blocked: bool,
    /// The processor it came from, and its caller sleeps on.
    pub processor: usize,
}

/// Operations of one class, oldest first.
#[derive(Default)]
pub struct Line {
    pub entries: VecDeque<Entry>,
    /// What one batch takes, in nanoseconds, averaged; 0 before the first.
    pub batch_time: u64,
}

/// One pool's slots and lines.
#[derive(Default)]
pub struct PoolState {
    /// Slots in use.
    pub running: usize,
    /// Brief batches under way, which need no slot.
    pub beside: usize,
    /// Slots given to executors that have not taken their batch yet.
    pub gathering: usize,
    /// Operations in all lines.
    pub waiting: usize,
    /// How many operations the last batches could have had, times [`PoolState::ONE`]: rises at once, falls slowly.
    company: u64,
    /// Batches that are to start without giving way.
    pub hurried: u32,
    lines: BTreeMap<Class, Line>,
}

/// The executor threads' state.
#[derive(Default)]
pub struct Executors {
    pub threads: usize,
    /// Those with nothing to do, including those not yet awake to their assignment.
    pub idle: usize,
    /// Slots given to idle executors, by pool.
    pub assigned: [usize; 2],
    pub handles: Vec<JoinHandle<()>>,
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
    /// Callers that wait for room.
    pub short_of_room: usize,
    in_use: InUse,
    next: u64,
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
        let possible = fill.max(1 + self.waiting).min(Self::MOST) as u64 * Self::ONE;
        self.company = possible.max((self.company * (Self::MEMORY - 1) + possible) / Self::MEMORY);
        let line = self.lines.entry(class).or_default();
        line.batch_time = if line.batch_time == 0 { nanoseconds } else { (line.batch_time * 7 + nanoseconds) / 8 };
    }

    /// The class of the oldest operation, and whether a caller is blocked on it.
    pub fn oldest(&self) -> Option<(Class, bool)> {
        let fronts = self.lines.iter().filter_map(|(class, line)| line.entries.front().map(|entry| (class, entry)));
        fronts.min_by_key(|(_, entry)| entry.number).map(|(class, entry)| (*class, entry.blocked))
    }

    pub fn line(&self, class: Class) -> Option<&Line> {
        self.lines.get(&class)
    }

    /// How many wait in a line.
    pub fn in_line(&self, class: Class) -> usize {
        self.lines.get(&class).map_or(0, |line| line.entries.len())
    }

    /// The `count` oldest of a class; fewer if there are fewer.
    pub fn take(&mut self, class: Class, count: usize) -> Vec<Entry> {
        let Some(line) = self.lines.get_mut(&class) else { return Vec::new() };
        let count = count.min(line.entries.len());
        let taken = line.entries.drain(..count).collect();
        if line.entries.is_empty() && line.entries.capacity() > 1024 {
            line.entries = VecDeque::new();
        }
        self.waiting -= count;
        taken
    }

    /// Takes the operation whose caller is to lead the next batch of a class: the first of the `count` oldest, all of
    /// which the batch takes, that came from this processor, else the oldest.
    ///
    /// Who ends a batch is about to leave its processor free. A leader that ran on another would wait there for a whole
    /// batch, and this one stand idle: systems are slow to move a thread that just ran. Measured with 64 callers on two
    /// cores: 6 % of their time.
    pub fn take_leader(&mut self, class: Class, count: usize) -> Option<Entry> {
        let entries = &mut self.lines.get_mut(&class)?.entries;
        let here = sched_getcpu();
        let near = entries.iter().take(count).position(|entry| entry.blocked && entry.processor == here);
        let leader = entries.remove(near.unwrap_or(0))?;
        self.waiting -= 1;
        Some(leader)
    }
}

impl Queue {
    pub fn pool(&mut self, pool: Pool) -> &mut PoolState {
        &mut self.pools[pool as usize]
    }

    /// Operations waiting.
    pub fn len(&self) -> usize {
        self.pools.iter().map(|pool| pool.waiting).sum()
    }

    /// Batches that are running or about to.
    pub fn under_way(&self) -> usize {
        self.pools.iter().map(|pool| pool.running + pool.beside).sum()
    }

    /// Counts a batch as under way, in a slot or, if brief, beside them.
    pub fn begin(&mut self, slots: usize, pool: Pool, brief: bool) {
        self.note_use(slots);
        *self.count(pool, brief) += 1;
    }

    /// The end of what was begun. Returns what [`Queue::note_use`] does.
    pub fn end(&mut self, slots: usize, pool: Pool, brief: bool) -> Duration {
        let in_use = self.note_use(slots);
        *self.count(pool, brief) -= 1;
        in_use
    }

    fn count(&mut self, pool: Pool, brief: bool) -> &mut usize {
        let state = self.pool(pool);
        if brief { &mut state.beside } else { &mut state.running }
    }

    /// Time for which slots were in use up to now, added up over them.
    pub fn note_use(&mut self, slots: usize) -> Duration {
        let (now, used) = (Instant::now(), self.under_way().min(slots));
        if let Some(since) = self.in_use.since.replace(now) {
            self.in_use.total += (now - since) * used as u32;
        }
        self.in_use.total
    }

    pub fn push(&mut self, class: Class, operation: Operation, reply: Reply, blocked: bool) {
        let number = self.next;
        self.next += 1;
        let pool = self.pool(class.pool());
        pool.waiting += 1;
        let line = pool.lines.entry(class).or_default();
        line.entries.push_back(Entry { number, operation, reply, blocked, processor: sched_getcpu() });
    }

    /// Everything that waits.
    pub fn drain(&mut self) -> Vec<Entry> {
        let mut all = Vec::new();
        for pool in &mut self.pools {
            pool.waiting = 0;
            for line in pool.lines.values_mut() {
                all.extend(std::mem::take(&mut line.entries));
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::answer::Answers;
    use super::super::class::Kind;
    use super::*;
    use crate::arithmetic::Modulus;
    use rustix::thread::{CpuSet, sched_setaffinity};
    use std::sync::Arc;

    const CLASS: Class = Class { kind: Kind::Exponentiation, size: 1, exponent: 1, paths: 0 };

    #[test]
    fn the_leader_is_the_first_of_the_oldest_that_came_from_this_processor() {
        let modulus = Arc::new(Modulus::new(&[0xfff1]).unwrap());
        let answers = Arc::new(Answers::new(5));
        let mut queue = Queue::default();
        for index in 0..5 {
            let operation = Operation::exponentiation(&modulus, &[2], &[3]).unwrap();
            queue.push(CLASS, operation, Reply::one_of(&answers, index), index != 1);
        }
        // Pinned, for a thread may be moved at any moment.
        let here = sched_getcpu();
        let mut only = CpuSet::new();
        only.set(here);
        sched_setaffinity(None, &only).unwrap();
        let pool = queue.pool(CLASS.pool());
        let entries = &mut pool.lines.get_mut(&CLASS).unwrap().entries;
        let elsewhere = here + 1;
        for (entry, processor) in entries.iter_mut().zip([elsewhere, here, elsewhere, here, here]) {
            entry.processor = processor;
        }
        let mut lead = |count| pool.take_leader(CLASS, count).map(|entry| entry.number);
        assert_eq!(lead(3), Some(0), "a ticket cannot lead, the fourth is too young");
        assert_eq!(lead(3), Some(3));
        assert_eq!(lead(1), Some(1), "the oldest, where a batch is one operation");
        assert_eq!(lead(9), Some(4));
        assert_eq!(lead(9), Some(2));
        assert_eq!(lead(9), None);
        assert_eq!(pool.waiting, 0);
    }
}
