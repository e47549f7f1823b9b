// SPDX-License-Identifier: Apache-2.0
//! A simulated process: threads, processors, devices and a clock, all of them driven by one random number.

use super::super::fault::Fault;
use super::super::{Actions, At, Devices, Scheduler};
use super::random::Random;
use super::state::{Job, Kind, State, Thread, Todo};
use crate::gather::class::{Class, Kind as Work, Pool};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Steps of one schedule, at most: one that takes more never ends.
const STEPS: usize = 50_000;

/// One operation, as its caller sees it.
#[derive(Default, Clone)]
pub struct Operation {
    /// How often it was answered or handed back: once in the end.
    pub answers: usize,
    /// Its caller was woken to lead.
    pub called: bool,
    /// A ticket, whose waker may be anything.
    pub ticket: bool,
}

/// Two paths whose limits change, as those of devices that come out of service do.
pub struct Paths {
    limits: [AtomicUsize; 2],
    on_host: [bool; 2],
    choices: AtomicUsize,
}

impl Devices for Paths {
    fn limit(&self, _: Class) -> usize {
        self.limits.iter().map(|limit| limit.load(Ordering::Relaxed)).max().unwrap_or(1)
    }

    fn least_limit(&self, _: Class) -> usize {
        self.limits.iter().map(|limit| limit.load(Ordering::Relaxed)).min().unwrap_or(1)
    }

    fn choose(&self, _: Class, available: usize) -> (usize, usize) {
        let path = self.choices.fetch_add(1, Ordering::Relaxed) / 3 % 2;
        (path, available.min(self.limits[path].load(Ordering::Relaxed)))
    }

    fn on_host(&self, path: usize) -> bool {
        self.on_host[path]
    }
}

/// What happened in schedules, so that a simulation that leaves something out is seen.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Counts {
    pub events: u64,
    pub operations: u64,
    pub batches: u64,
    pub yields: u64,
    pub panics: u64,
    pub failed_starts: u64,
    pub older_first: u64,
    pub lent: u64,
    pub full_queue: u64,
    pub withdrawn: u64,
    pub retired: u64,
    pub closed_early: u64,
    pub forks: u64,
    /// Executors that were told to wait, and had wakes in hand.
    pub waits_put_off: u64,
}

impl Counts {
    fn all(&self) -> [u64; 14] {
        let Counts { events, operations, batches, yields, panics, failed_starts, older_first, .. } = *self;
        let Counts { lent, full_queue, withdrawn, retired, closed_early, forks, waits_put_off, .. } = *self;
        [
            events,
            operations,
            batches,
            yields,
            panics,
            failed_starts,
            older_first,
            lent,
            full_queue,
            withdrawn,
            retired,
            closed_early,
            forks,
            waits_put_off,
        ]
    }

    pub fn all_happened(&self) -> bool {
        self.all().iter().all(|&count| count > 0)
    }

    pub fn add(&mut self, other: &Counts) {
        self.events += other.events;
        self.operations += other.operations;
        self.batches += other.batches;
        self.yields += other.yields;
        self.panics += other.panics;
        self.failed_starts += other.failed_starts;
        self.older_first += other.older_first;
        self.lent += other.lent;
        self.full_queue += other.full_queue;
        self.withdrawn += other.withdrawn;
        self.retired += other.retired;
        self.closed_early += other.closed_early;
        self.forks += other.forks;
        self.waits_put_off += other.waits_put_off;
    }
}

pub struct World {
    pub random: Random,
    pub scheduler: Scheduler<Job>,
    pub paths: Arc<Paths>,
    pub threads: Vec<Thread>,
    pub operations: Vec<Operation>,
    pub classes: Vec<Class>,
    processors: usize,
    now: u64,
    /// One start of a thread in so many fails; 0 for none.
    starts_fail: usize,
    /// A start failed: tickets may wait for an executor that is busy.
    pub start_failed: bool,
    panics: bool,
    forks: bool,
    /// Waiting threads now and then wake for no reason.
    spurious: bool,
    fault: Option<Fault>,
    pub counts: Counts,
}

impl World {
    pub fn new(seed: u64, fault: Option<Fault>) -> World {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let private = Class { kind: Work::Private, size: 4, exponent: 0, paths: 3 };
        let all = [
            private,
            Class { size: 8, ..private },
            Class { kind: Work::Public, size: 12, exponent: 1, paths: 0 },
            Class { kind: Work::Public, size: 4, exponent: 1, paths: 0 },
        ];
        let classes = match random.below(3) {
            0 => vec![all[0]],
            1 => all[..2].to_vec(),
            _ => all.to_vec(),
        };
        let limit = |random: &mut Random| AtomicUsize::new([1, 2, 4, 4, 8][random.below(5)]);
        let paths = Arc::new(Paths {
            limits: [limit(&mut random), limit(&mut random)],
            on_host: [!random.one_in(4), random.one_in(2)],
            choices: AtomicUsize::new(0),
        });
        let (slots, queue_limit) = (1 + random.below(3), [1, 2, 3, 8, 64][random.below(5)]);
        let mut scheduler = Scheduler::new(slots, queue_limit, Arc::clone(&paths) as _);
        scheduler.fault = fault;
        let callers = 1 + random.below(9);
        let threads = (0..callers).map(|_| Thread::new(Kind::Caller, 1 + random.below(6))).collect();
        let mut world = World {
            scheduler,
            paths,
            threads,
            operations: Vec::new(),
            classes,
            processors: 1 + random.below(4),
            now: 0,
            starts_fail: [0, 0, 2, 5][random.below(4)],
            start_failed: false,
            panics: random.one_in(3),
            forks: random.one_in(16),
            spurious: random.one_in(2),
            fault,
            counts: Counts::default(),
            random,
        };
        if world.random.one_in(3) {
            world.threads.push(Thread::new(Kind::Retires, 0));
        }
        if world.random.one_in(6) {
            world.threads.push(Thread::new(Kind::Closes, 0));
            world.counts.closed_early = 1;
        }
        for i in 0..world.threads.len() {
            world.threads[i].processor = world.random.below(world.processors);
        }
        world
    }

    /// The child that a thread makes by `fork` while it gives answers: nothing but that thread, and a fresh scheduler. What
    /// the thread held of its parent's it lets go, as the runtime does.
    fn child(&mut self, thread: usize) -> World {
        let mut child = World::new(self.random.next(), self.fault);
        child.forks = false;
        let kind = self.threads[thread].kind;
        let calls = if kind == Kind::Caller { self.threads[thread].calls } else { 0 };
        child.threads = vec![Thread::new(Kind::Caller, calls)];
        child
    }

    pub fn run(mut self) -> Result<Counts, String> {
        let mut closing = false;
        for _ in 0..STEPS {
            let ready: Vec<usize> = (0..self.threads.len()).filter(|&i| self.is_ready(i, false)).collect();
            if ready.is_empty() {
                if self.threads.iter().all(Thread::has_ended) {
                    self.check_end()?;
                    self.counts.operations = self.operations.len() as u64;
                    return Ok(self.counts);
                }
                let done = |thread: &Thread| thread.has_ended() || thread.kind == Kind::Executor;
                if closing || !self.threads.iter().all(done) {
                    return Err(format!("everybody waits: {}", self.picture()));
                }
                // Executors have nothing to do: they are to leave in the end.
                closing = true;
                self.threads.push(Thread::new(Kind::Closes, 0));
                continue;
            }
            let mut thread = ready[self.random.below(ready.len())];
            if self.spurious && self.random.one_in(32) {
                let waiting: Vec<usize> = (0..self.threads.len()).filter(|&i| self.is_ready(i, true)).collect();
                thread = waiting[self.random.below(waiting.len())];
            }
            self.now += self.random.next() % 2000;
            if self.random.one_in(8) {
                self.threads[thread].processor = self.random.below(self.processors);
            }
            if self.random.one_in(64) {
                let limit = 1 + self.random.below(8);
                self.paths.limits[self.random.below(2)].store(limit, Ordering::Relaxed);
            }
            self.step(thread)?;
        }
        Err(format!("it does not end: {}", self.picture()))
    }

    pub fn at(&self, thread: usize) -> At {
        At { processor: self.threads[thread].processor, now: self.now }
    }

    /// Time that a thread is away for: mostly short, sometimes longer than any batch.
    pub fn passes(&mut self) -> u64 {
        let most = [300, 3_000, 30_000, 1_000_000][self.random.below(16).saturating_sub(12)];
        let time = self.random.next() % most;
        self.now += time;
        time
    }

    pub fn panics(&mut self) -> bool {
        self.panics && self.random.one_in(12)
    }

    /// Starts an executor, if the system lets it.
    pub fn starts(&mut self) -> bool {
        let fails = self.starts_fail > 0 && self.random.one_in(self.starts_fail);
        if fails {
            self.counts.failed_starts += 1;
            self.start_failed = true;
        } else {
            let mut executor = Thread::new(Kind::Executor, 0);
            executor.processor = self.random.below(self.processors);
            self.threads.push(executor);
        }
        !fails
    }

    /// After an event: starts executors, as the runtime does under its lock, leaves the other actions to the thread, to be
    /// carried out in its next steps, and checks the invariants.
    pub fn settle(&mut self, thread: usize) -> Result<(), String> {
        let actions = self.settle_later(thread)?;
        if !actions.is_empty() {
            self.threads[thread].todo.push_back(Todo::Wake(actions));
        }
        Ok(())
    }

    /// The same; the actions are the caller's to place.
    pub fn settle_later(&mut self, thread: usize) -> Result<Actions<usize>, String> {
        self.start_executors(thread);
        self.counts.events += 1;
        let actions = self.scheduler.take_actions();
        // Not before they are at hand: who is to be woken counts as awake.
        self.check(&actions)?;
        Ok(actions)
    }

    /// Starts the executors that the scheduler asks for, before any other event.
    pub fn start_executors(&mut self, thread: usize) {
        while let Some(pool) = self.scheduler.actions.starts.pop() {
            if !self.starts() {
                let at = self.at(thread);
                self.scheduler.executor_failed(Some(pool), at);
            }
        }
    }

    /// Carries out what a scheduler asked for.
    pub fn wake(&mut self, actions: &Actions<usize>) {
        for &operation in &actions.candidates {
            self.operations[operation].called = true;
        }
        for _ in 0..actions.executors {
            self.notify_one(|state| matches!(state, State::NoWork));
        }
        if actions.room {
            self.notify_one(|state| matches!(state, State::NoRoom(..)));
        }
        if actions.all {
            for thread in &mut self.threads {
                thread.notified |= matches!(thread.state, State::NoWork | State::NoRoom(..) | State::Unquiet);
            }
        }
    }

    /// Wakes one of the waiting threads, any of them.
    fn notify_one(&mut self, waits: impl Fn(&State) -> bool) {
        let waiting = |thread: &Thread| !thread.notified && thread.todo.is_empty() && waits(&thread.state);
        let waiting: Vec<usize> = (0..self.threads.len()).filter(|&i| waiting(&self.threads[i])).collect();
        if !waiting.is_empty() {
            let chosen = waiting[self.random.below(waiting.len())];
            self.threads[chosen].notified = true;
        }
    }

    pub fn answer(&mut self, operation: usize) -> Result<(), String> {
        self.operations[operation].answers += 1;
        match self.operations[operation].answers {
            1 => Ok(()),
            _ => Err(format!("operation {operation} is answered twice")),
        }
    }

    pub fn fork(&mut self, thread: usize) -> Result<(), String> {
        if self.forks && self.counts.forks < 4 && self.random.one_in(8) {
            self.counts.forks += 1;
            let counts = self.child(thread).run().map_err(|broken| format!("in a forked child: {broken}"))?;
            self.counts.events += counts.events;
        }
        Ok(())
    }

    pub fn class(&mut self) -> Class {
        self.classes[self.random.below(self.classes.len())]
    }

    pub fn picture(&self) -> String {
        let threads: Vec<String> = self.threads.iter().map(ToString::to_string).collect();
        let pools = Pool::ALL.map(|pool| {
            let state = &self.scheduler.pools[pool as usize];
            let entries = state.entries().map(|(_, entry)| (entry.item.0, entry.role, entry.processor));
            format!(
                "{pool:?}: {} run, {} executors assigned, waiting {:?}",
                state.running,
                state.assigned,
                entries.collect::<Vec<_>>()
            )
        });
        format!("threads {threads:?}; {pools:?}")
    }
}
