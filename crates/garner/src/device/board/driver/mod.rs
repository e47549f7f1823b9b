//! The board shared by many threads: many jobs under way, completed by interrupt, or by looking at the ring while it is
//! busy.
//!
//! Callers put jobs in and sleep; one thread takes completions out and wakes them.

use super::format::{Completion, Job, Op, Scheme, status};
use super::rings::{Capability, Counters, DEPTH, Rings};
use super::slots::{Place, Slots};
use super::transport::Transport;
use crate::device::{DeviceError, Private};
use crate::fork::generation;
use crate::key::PrivateKey;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the ring is watched after a completion before the thread sleeps until an interrupt.
const HOT: Duration = Duration::from_micros(20);
/// After this without an interrupt the thread looks by itself: for completions, and whether the board is there.
const LOST: Duration = Duration::from_millis(20);

/// What the driver has met.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Events {
    pub interrupts: AtomicU64,
    /// Completions that were found without their interrupt.
    pub lost_interrupts: AtomicU64,
    pub resets: AtomicU64,
    pub keys_loaded: AtomicU64,
    /// Operations that the board itself found wrong.
    pub checks_failed: AtomicU64,
    /// Cycles from a core's taking a private operation to its answer, the last good one's.
    pub last_cycles: AtomicU64,
}

/// A place for a job.
enum Entry {
    Free,
    /// Submitted: as which job of all, and since when no core's being busy explains that it has not ended.
    Pending {
        number: u64,
        since: Instant,
    },
    Done(Completion),
    /// The board was reset under it.
    Lost,
}

/// Jobs have just ended, the first of them the one of this number. A board gives jobs to cores in the order of the
/// ring, so one behind it may have waited for its core, and its time begins now. That of a job before it goes on: it
/// had a core already when that one got its own.
///
/// So every job has the whole of patience for its own run, however long the queue, and one that hangs gets no more of
/// it by what other cores do.
fn renew(entries: &mut [Entry], first_ended: u64, now: Instant) {
    for entry in entries {
        if let Entry::Pending { number, since } = entry
            && *number > first_ended
        {
            *since = now;
        }
    }
}

/// Since when the job waits that has waited longest; none if there is none under way.
fn longest_wait(entries: &[Entry]) -> Option<Instant> {
    let since = |entry: &Entry| if let Entry::Pending { since, .. } = entry { Some(*since) } else { None };
    entries.iter().filter_map(since).min()
}

struct State {
    rings: Rings,
    entries: Vec<Entry>,
    free: VecDeque<usize>,
    slots: Slots,
    /// Jobs so far.
    submitted: u64,
    /// Why the board is out of use.
    dead: Option<String>,
    closing: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    capability: Capability,
    interrupt: OwnedFd,
    /// Wakes the thread: there are jobs, or it is over.
    kick: OwnedFd,
    patience: Duration,
    events: Events,
}

/// The driver of one board.
pub struct Driver {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// The process that opened the board. A child made by `fork` has neither the thread nor the memory.
    owner: u64,
}

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// Takes a board over: reset, rings set up, thread started. `patience` overrides the transport's.
    ///
    /// # Errors
    /// What is behind `transport` is no accelerator of this version, or it failed.
    pub fn start(transport: Box<dyn Transport>, patience: Option<Duration>) -> io::Result<Driver> {
        let mut rings = Rings::open(transport)?;
        rings.start(true)?;
        let capability = rings.capability();
        let shared = Arc::new(Shared {
            interrupt: rings.interrupt().try_clone_to_owned()?,
            patience: patience.unwrap_or_else(|| rings.patience()),
            state: Mutex::new(State {
                rings,
                entries: (0..DEPTH).map(|_| Entry::Free).collect(),
                free: (0..DEPTH).collect(),
                slots: Slots::new(capability.key_slots),
                submitted: 0,
                dead: None,
                closing: false,
            }),
            changed: Condvar::new(),
            capability,
            kick: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            events: Events::default(),
        });
        let worker = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("garner-board".to_owned()).spawn(move || worker.work())?;
        Ok(Driver { shared, thread: Some(thread), owner: generation() })
    }

    /// What the board can do.
    pub fn capability(&self) -> Capability {
        self.shared.capability
    }

    /// What the driver has met.
    pub fn events(&self) -> &Events {
        &self.shared.events
    }

    /// The board's counters; `clear` sets them to 0 afterwards.
    ///
    /// # Errors
    /// The board does not answer, or this is a child of the process that opened it.
    pub fn counters(&self, clear: bool) -> io::Result<Counters> {
        if self.owner != generation() {
            return Err(io::Error::other(NOT_OURS));
        }
        lock(&self.shared).rings.counters(clear)
    }

    /// Runs private operations; for each, the number of the job's key, base and result, all as long as its modulus.
    ///
    /// A result that the board itself found wrong is left as zeros, which fails the check of whoever asked.
    ///
    /// # Errors
    /// The board failed; nothing of the batch may be used.
    pub fn private(&self, jobs: &mut [Private<'_>]) -> Result<(), DeviceError> {
        if self.owner != generation() {
            return Err(DeviceError(NOT_OURS.to_owned()));
        }
        let shared = &*self.shared;
        let mut state = lock(shared);
        let mut waiting: VecDeque<(usize, Option<usize>)> = VecDeque::new(); // entry, and whose result (none: a key)
        let mut failure = None;
        for i in 0..jobs.len() {
            if failure.is_some() || state.dead.is_some() {
                break;
            }
            // For both jobs: between them the lock is not given up, or another thread's would find a key in its slot that is
            // not in the ring yet.
            state = shared.room(state, 2, &mut waiting, jobs, &mut failure);
            let key = jobs[i].key;
            let slot = match state.slots.place(&identity(key)) {
                Place::Loaded(slot) => slot,
                Place::Load(slot) => {
                    if let Some(entry) = shared.submit_key(&mut state, key, slot) {
                        waiting.push_back((entry, None));
                    }
                    slot
                }
            };
            if let Some(entry) = shared.submit_private(&mut state, key, slot, jobs[i].base) {
                waiting.push_back((entry, Some(i)));
            }
        }
        shared.ring_doorbell(&mut state);
        while !waiting.is_empty() {
            state = shared.take_oldest(state, &mut waiting, jobs, &mut failure);
        }
        match failure.or_else(|| state.dead.clone()) {
            None => Ok(()),
            Some(reason) => {
                // Whatever was refused, no slot is taken for loaded on our word.
                state.slots.clear();
                Err(DeviceError(reason))
            }
        }
    }
}

/// What tells the key in a slot from others: n and e.
fn identity(key: &PrivateKey) -> Vec<u64> {
    [key.public().modulus().words(), key.public().exponent()].concat()
}

/// Why a child made by `fork` is refused.
pub const NOT_OURS: &str = "the board belongs to the process that opened it, of which this one is a child";

impl Shared {
    /// Waits until so many jobs can be submitted; takes the caller's own oldest ones out if there is no room.
    fn room<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        entries: usize,
        waiting: &mut VecDeque<(usize, Option<usize>)>,
        jobs: &mut [Private<'_>],
        failure: &mut Option<String>,
    ) -> MutexGuard<'a, State> {
        while state.free.len() < entries && state.dead.is_none() {
            self.ring_doorbell(&mut state);
            state = if waiting.is_empty() {
                self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else {
                self.take_oldest(state, waiting, jobs, failure)
            };
        }
        state
    }

    fn submit_key(&self, state: &mut State, key: &PrivateKey, slot: u8) -> Option<usize> {
        self.events.keys_loaded.fetch_add(1, Ordering::Relaxed);
        let exponent = (key.public().exponent()[0] as u32).to_le_bytes();
        self.submit(state, Op::LoadKey, slot, key.public().bits(), &key_parts(key, &exponent), 0)
    }

    fn submit_private(&self, state: &mut State, key: &PrivateKey, slot: u8, base: &[u64]) -> Option<usize> {
        let bits = key.public().bits();
        self.submit(state, Op::Private, slot, bits, &[bytemuck::cast_slice(base)], bits / 8)
    }

    /// Puts a job into the ring, without ringing the bell. `None` on a board that is out of use.
    fn submit(
        &self,
        state: &mut State,
        op: Op,
        slot: u8,
        bits: usize,
        parts: &[&[u8]],
        result_bytes: usize,
    ) -> Option<usize> {
        if state.dead.is_some() {
            return None;
        }
        let entry = state.free.pop_front().expect("the caller made room");
        let job = Job { op, scheme: Scheme::FixedWindow, slot, bits, exponent_bits: 0, interrupt: true };
        state.rings.put(entry, job, parts, result_bytes);
        // From now on, as good as from the doorbell: it is rung before the lock is given up.
        state.entries[entry] = Entry::Pending { number: state.submitted, since: Instant::now() };
        state.submitted += 1;
        Some(entry)
    }

    fn ring_doorbell(&self, state: &mut State) {
        if state.dead.is_some() {
            return;
        }
        if let Err(error) = state.rings.ring_doorbell() {
            self.give_up(state, &format!("the doorbell: {error}"));
        }
        let _ = rustix::io::write(&self.kick, &1u64.to_ne_bytes()); // full is as good
    }

    /// Waits for the oldest of the caller's jobs and takes it out.
    fn take_oldest<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        waiting: &mut VecDeque<(usize, Option<usize>)>,
        jobs: &mut [Private<'_>],
        failure: &mut Option<String>,
    ) -> MutexGuard<'a, State> {
        let Some((entry, job)) = waiting.pop_front() else { return state };
        while matches!(state.entries[entry], Entry::Pending { .. }) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match (&state.entries[entry], job) {
            (Entry::Done(Completion { status: status::OK, cycles, .. }), Some(i)) => {
                self.events.last_cycles.store(u64::from(*cycles), Ordering::Relaxed);
                state.rings.result(entry, bytemuck::cast_slice_mut(jobs[i].result));
            }
            (Entry::Done(Completion { status: status::OK, .. }), None) => {}
            (Entry::Done(Completion { status: status::CHECK_FAILED, .. }), Some(i)) => {
                jobs[i].result.fill(0);
                self.events.checks_failed.fetch_add(1, Ordering::Relaxed);
                // The key in its slot may be what is damaged: the next operation loads it anew.
                state.slots.forget(&identity(jobs[i].key));
            }
            (Entry::Done(Completion { status: code, .. }), _) => {
                let what = if job.is_some() { "a private operation" } else { "loading a key" };
                failure.get_or_insert(format!("{what}: {}", status::text(*code)));
            }
            _ => {
                failure.get_or_insert_with(|| "the board was reset".to_owned());
            }
        }
        state.rings.wipe(entry);
        state.entries[entry] = Entry::Free;
        state.free.push_back(entry);
        self.changed.notify_all();
        state
    }

    /// The thread: takes completions until it is over.
    fn work(&self) {
        let mut hot = Instant::now();
        loop {
            let mut state = lock(self);
            let taken = self.take_completions(&mut state);
            if taken > 0 {
                hot = Instant::now();
                self.changed.notify_all();
            }
            if state.closing || state.dead.is_some() {
                return;
            }
            let waiting = longest_wait(&state.entries);
            if waiting.is_some_and(|since| since.elapsed() > self.patience) {
                self.recover(&mut state);
                continue;
            }
            let under_way = waiting.is_some();
            drop(state);
            if under_way && hot.elapsed() < HOT {
                std::hint::spin_loop();
                continue;
            }
            let woken = self.sleep(under_way.then_some(LOST));
            let mut state = lock(self);
            match woken {
                Woken::Interrupted => {
                    self.events.interrupts.fetch_add(1, Ordering::Relaxed);
                    self.rearm(&mut state);
                }
                Woken::Late if state.rings.has_next() => {
                    self.events.lost_interrupts.fetch_add(1, Ordering::Relaxed);
                    // Cleared, so that the next completion is a new edge.
                    self.rearm(&mut state);
                }
                Woken::Late => {
                    // A board that is gone will never answer; no need to wait until patience ends.
                    if let Err(error) = state.rings.check_presence() {
                        self.give_up(&mut state, &error.to_string());
                    }
                }
                Woken::Kicked => {}
            }
        }
    }

    fn rearm(&self, state: &mut State) {
        if let Err(error) = state.rings.rearm() {
            self.give_up(state, &format!("interrupt status: {error}"));
        }
    }

    /// Until an interrupt, a kick, or the limit.
    fn sleep(&self, limit: Option<Duration>) -> Woken {
        let mut waits = [PollFd::new(&self.interrupt, PollFlags::IN), PollFd::new(&self.kick, PollFlags::IN)];
        let limit = limit.map(|limit| Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() });
        let ready = poll(&mut waits, limit.as_ref());
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.kick, &mut count);
        match rustix::io::read(&self.interrupt, &mut count) {
            Ok(_) => Woken::Interrupted,
            Err(_) if ready == Ok(0) => Woken::Late,
            Err(_) => Woken::Kicked,
        }
    }

    fn take_completions(&self, state: &mut State) -> usize {
        let mut taken = 0;
        let mut first_ended = None;
        while taken < DEPTH
            && let Some(completion) = state.rings.take()
        {
            taken += 1;
            // A tag that is not under way is the board's mistake; its job will run into the time limit.
            if let Some(entry) = state.entries.get_mut(usize::from(completion.tag))
                && let Entry::Pending { number, .. } = *entry
            {
                *entry = Entry::Done(completion);
                first_ended = Some(first_ended.map_or(number, |first: u64| first.min(number)));
            }
        }
        if let Some(first) = first_ended {
            renew(&mut state.entries, first, Instant::now());
        }
        if taken > 0
            && let Err(error) = state.rings.acknowledge()
        {
            self.give_up(state, &format!("the completion ring: {error}"));
        }
        taken
    }

    /// The board hangs, or one of its cores: resets it and starts anew. What was under way is lost.
    fn recover(&self, state: &mut State) {
        tracing::warn!("a job did not end within {:?}: the board is reset", self.patience);
        self.events.resets.fetch_add(1, Ordering::Relaxed);
        self.lose(state);
        state.slots.clear();
        if let Err(error) = state.rings.reset().and_then(|()| state.rings.start(true)) {
            self.give_up(state, &format!("reset: {error}"));
        }
    }

    fn lose(&self, state: &mut State) {
        for entry in &mut state.entries {
            if matches!(entry, Entry::Pending { .. }) {
                *entry = Entry::Lost;
            }
        }
        self.changed.notify_all();
    }

    fn give_up(&self, state: &mut State, reason: &str) {
        tracing::warn!(reason, "the board is out of use");
        state.dead.get_or_insert_with(|| reason.to_owned());
        self.lose(state);
    }
}

/// What ended a sleep.
enum Woken {
    Interrupted,
    Kicked,
    /// Nothing did, for as long as an interrupt may take.
    Late,
}

/// The operands of a key's loading, in the order of `OpLoadKey`; `exponent` is its public one.
pub fn key_parts<'a>(key: &'a PrivateKey, exponent: &'a [u8; 4]) -> [&'a [u8]; 7] {
    [
        bytemuck::cast_slice(key.public().modulus().words()),
        exponent,
        bytemuck::cast_slice(key.p().words()),
        bytemuck::cast_slice(key.q().words()),
        bytemuck::cast_slice(key.dp()),
        bytemuck::cast_slice(key.dq()),
        bytemuck::cast_slice(key.q_inverse()),
    ]
}

impl Drop for Driver {
    /// Ends the thread; the rings overwrite the keys on the board, stop it and take the memory back.
    fn drop(&mut self) {
        if self.owner != generation() {
            // The parent's: nothing of it is here but a copy of its descriptors, perhaps with a lock taken.
            std::mem::forget((self.thread.take(), Arc::clone(&self.shared)));
            return;
        }
        lock(&self.shared).closing = true;
        let _ = rustix::io::write(&self.shared.kick, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::{self, Fake};
    use super::*;

    fn pending(number: u64, since: Instant) -> Entry {
        Entry::Pending { number, since }
    }

    #[test]
    fn a_queue_gives_each_job_its_own_time_and_one_that_hangs_no_more_than_that() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut entries: Vec<Entry> = (0..DEPTH as u64).map(|number| pending(number, start)).collect();
        entries.reverse(); // places are not in the order of the ring
        // One core, a job in 10 s: nobody has waited longer than that, at any time.
        for ended in 0..20 {
            assert_eq!(longest_wait(&entries), Some(at(10 * ended)));
            entries[DEPTH - 1 - ended as usize] = Entry::Free;
            renew(&mut entries, ended, at(10 * (ended + 1)));
        }
        // Job 20 hangs in its core; the others end in another, and new ones come.
        for ended in 21..DEPTH as u64 {
            entries[DEPTH - 1 - ended as usize] = pending(ended + DEPTH as u64, at(10 * ended));
            renew(&mut entries, ended, at(10 * ended));
            assert_eq!(longest_wait(&entries), Some(at(200)));
        }
        entries.fill_with(|| Entry::Free);
        assert_eq!(longest_wait(&entries), None);
    }

    fn operate(driver: &Driver, key: &PrivateKey) -> Result<(), DeviceError> {
        let (base, mut result) = ([3; 8], [0; 8]);
        driver.private(&mut [Private { key, base: &base, result: &mut result }])
    }

    #[test]
    fn a_job_that_hangs_resets_the_board_though_others_go_on() {
        let (fake, seen) = Fake::new();
        let driver = Driver::start(fake, Some(Duration::from_millis(500))).unwrap();
        let key = fake::key();
        operate(&driver, &key).unwrap();
        seen.hang.store(true, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let hanging = scope.spawn(|| operate(&driver, &key));
            while seen.hang.load(Ordering::SeqCst) {
                std::thread::yield_now();
            }
            let start = Instant::now();
            while !hanging.is_finished() {
                assert!(start.elapsed() < Duration::from_secs(20), "it waits for as long as others work");
                let _ = operate(&driver, &key); // may be lost in the reset
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(hanging.join().unwrap().is_err());
        });
        assert_eq!(driver.events().resets.load(Ordering::Relaxed), 1);
        operate(&driver, &key).unwrap();
    }

    #[test]
    fn the_cycles_of_an_operation_are_those_of_private_ones_that_ended_well() {
        let (fake, seen) = Fake::new();
        let driver = Driver::start(fake, None).unwrap();
        let cycles = || driver.events().last_cycles.load(Ordering::Relaxed);
        let key = fake::key();
        operate(&driver, &key).unwrap();
        assert_eq!(cycles(), u64::from(fake::CYCLES));
        // Neither a key's nor a refused operation's count.
        seen.refuse.store(true, Ordering::SeqCst);
        assert!(operate(&driver, &key).is_err());
        assert_eq!(cycles(), u64::from(fake::CYCLES));
    }
}
