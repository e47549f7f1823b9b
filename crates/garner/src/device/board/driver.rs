//! The board shared by many threads: many jobs under way, completed by interrupt, or by looking at the ring while it is
//! busy.
//!
//! Callers put jobs in and sleep; one thread takes completions out and wakes them.

use super::format::{Job, Op, Scheme, status};
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
    /// Cycles from a core's taking a private operation to its answer, the last one's.
    pub last_cycles: AtomicU64,
}

/// A place for a job.
enum Entry {
    Free,
    /// Submitted; whether somebody still waits for it.
    Pending,
    Done(u8),
    /// The board was reset under it.
    Lost,
}

struct State {
    rings: Rings,
    entries: Vec<Entry>,
    free: VecDeque<usize>,
    slots: Slots,
    /// Of the last thing that moved while jobs were under way.
    progress: Instant,
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
                progress: Instant::now(),
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

const NOT_OURS: &str = "the board belongs to the process that opened it, of which this one is a child";

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
        state.entries[entry] = Entry::Pending;
        Some(entry)
    }

    fn ring_doorbell(&self, state: &mut State) {
        if state.dead.is_some() {
            return;
        }
        state.progress = Instant::now();
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
        while matches!(state.entries[entry], Entry::Pending) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match (&state.entries[entry], job) {
            (Entry::Done(status::OK), Some(i)) => {
                state.rings.result(entry, bytemuck::cast_slice_mut(jobs[i].result));
            }
            (Entry::Done(status::OK), None) => {}
            (Entry::Done(status::CHECK_FAILED), Some(i)) => {
                jobs[i].result.fill(0);
                self.events.checks_failed.fetch_add(1, Ordering::Relaxed);
                // The key in its slot may be what is damaged: the next operation loads it anew.
                state.slots.forget(&identity(jobs[i].key));
            }
            (Entry::Done(code), _) => {
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
            let under_way = state.entries.iter().any(|entry| matches!(entry, Entry::Pending));
            if under_way && state.progress.elapsed() > self.patience {
                self.recover(&mut state);
                continue;
            }
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
        while taken < DEPTH
            && let Some(completion) = state.rings.take()
        {
            taken += 1;
            // A tag that is not under way is the board's mistake; its job will run into the time limit.
            if let Some(entry) = state.entries.get_mut(usize::from(completion.tag))
                && matches!(entry, Entry::Pending)
            {
                *entry = Entry::Done(completion.status);
                self.events.last_cycles.store(completion.cycles.into(), Ordering::Relaxed);
            }
        }
        if taken > 0 {
            state.progress = Instant::now();
            if let Err(error) = state.rings.acknowledge() {
                self.give_up(state, &format!("the completion ring: {error}"));
            }
        }
        taken
    }

    /// The board hangs: resets it and starts anew. What was under way is lost.
    fn recover(&self, state: &mut State) {
        tracing::warn!("the board did not answer for {:?}: reset", self.patience);
        self.events.resets.fetch_add(1, Ordering::Relaxed);
        self.lose(state);
        state.slots.clear();
        if let Err(error) = state.rings.reset().and_then(|()| state.rings.start(true)) {
            self.give_up(state, &format!("reset: {error}"));
        }
        state.progress = Instant::now();
    }

    fn lose(&self, state: &mut State) {
        for entry in &mut state.entries {
            if matches!(entry, Entry::Pending) {
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
