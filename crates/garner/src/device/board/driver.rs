//! The rings of one board: many jobs under way, completed by interrupt, or by looking at the ring while it is busy.
//!
//! Callers put jobs in and sleep; one thread takes completions out and wakes them. Every job has a place of its own
//! in memory for operands and result, so nothing a board writes late can reach a caller's memory.

use super::format::{COMPLETION, Completion, DESCRIPTOR, Descriptor, Op, status};
use super::memory::DmaMemory;
use super::registers as register;
use super::slots::{Place, Slots};
use super::transport::Transport;
use crate::device::DeviceError;
use crate::key::PrivateKey;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Jobs under way at most, and places of each ring.
const DEPTH: usize = 64;
/// Where the board sees our memory.
const ADDRESS: u64 = 0x1000_0000;
/// How long the ring is watched after a completion before the thread sleeps until an interrupt.
const HOT: Duration = Duration::from_micros(20);
/// An interrupt that has not come after this is looked for.
const LOST: Duration = Duration::from_millis(20);

/// What the capability registers say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Capability {
    pub cores: usize,
    pub key_slots: usize,
    pub max_bits: usize,
    pub operand_bytes: usize,
}

/// Counters of the board, in device time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Counters {
    pub cycles: u64,
    pub jobs: u64,
    pub failed: u64,
    pub busy_core_cycles: u64,
    pub bus_cycles: u64,
    pub bus_beats: u64,
}

/// What the driver has met.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Events {
    pub interrupts: AtomicU64,
    /// Completions that were found without their interrupt.
    pub lost_interrupts: AtomicU64,
    pub resets: AtomicU64,
    pub keys_loaded: AtomicU64,
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
    transport: Box<dyn Transport>,
    entries: Vec<Entry>,
    free: VecDeque<usize>,
    slots: Slots,
    /// Descriptors submitted and completions taken, modulo 2^16.
    tail: u16,
    head: u16,
    /// Of the last thing that moved while jobs were under way.
    progress: Instant,
    /// Why the board is out of use.
    dead: Option<String>,
    closing: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    memory: DmaMemory,
    capability: Capability,
    layout: Layout,
    interrupt: OwnedFd,
    /// Wakes the thread: there are jobs, or it is over.
    kick: OwnedFd,
    patience: Duration,
    events: Events,
}

/// Where in our memory things are.
#[derive(Clone, Copy)]
struct Layout {
    completions: usize,
    entries: usize,
    operands: usize,
    entry: usize,
}

impl Layout {
    fn new(capability: Capability) -> Layout {
        let operands = capability.operand_bytes.next_multiple_of(64);
        let completions = DEPTH * DESCRIPTOR;
        let entry = operands + (capability.max_bits / 8).next_multiple_of(64);
        Layout { completions, entries: (completions + DEPTH * COMPLETION).next_multiple_of(4096), operands, entry }
    }

    fn operands(self, entry: usize) -> usize {
        self.entries + entry * self.entry
    }

    fn result(self, entry: usize) -> usize {
        self.operands(entry) + self.operands
    }

    fn bytes(self) -> usize {
        self.entries + DEPTH * self.entry
    }
}

/// The driver of one board.
pub struct Driver {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

fn field(value: u32, mask: u32) -> usize {
    ((value & mask) >> mask.trailing_zeros()) as usize
}

fn lock(shared: &Shared) -> MutexGuard<'_, State> {
    shared.state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Driver {
    /// Takes a board over: reset, rings set up, thread started. `patience` overrides the transport's.
    ///
    /// # Errors
    /// What is behind `transport` is no accelerator of this version, or it failed.
    pub fn start(mut transport: Box<dyn Transport>, patience: Option<Duration>) -> io::Result<Driver> {
        transport.reset()?;
        let capability = identify(&mut *transport)?;
        let layout = Layout::new(capability);
        let memory = DmaMemory::new(layout.bytes(), ADDRESS)?;
        transport.map(&memory)?;
        let interrupt = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let patience = patience.unwrap_or_else(|| transport.patience());
        let state = State {
            transport,
            entries: (0..DEPTH).map(|_| Entry::Free).collect(),
            free: (0..DEPTH).collect(),
            slots: Slots::new(capability.key_slots),
            tail: 0,
            head: 0,
            progress: Instant::now(),
            dead: None,
            closing: false,
        };
        let shared = Arc::new(Shared {
            state: Mutex::new(state),
            changed: Condvar::new(),
            memory,
            capability,
            layout,
            interrupt,
            kick: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            patience,
            events: Events::default(),
        });
        shared.set_up(&mut lock(&shared))?;
        let worker = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("garner-board".to_owned()).spawn(move || worker.work())?;
        Ok(Driver { shared, thread: Some(thread) })
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
    /// The board does not answer.
    pub fn counters(&self, clear: bool) -> io::Result<Counters> {
        let transport = &mut lock(&self.shared).transport;
        let mut wide = |offset: usize| {
            let low = transport.read(offset)?;
            io::Result::Ok(u64::from(low) | u64::from(transport.read(offset + 4)?) << 32)
        };
        let counters = Counters {
            cycles: wide(register::CYCLES)?,
            jobs: wide(register::JOBS)?,
            failed: wide(register::JOBS_FAILED)?,
            busy_core_cycles: wide(register::BUSY_CORE_CYCLES)?,
            bus_cycles: wide(register::BUS_CYCLES)?,
            bus_beats: wide(register::BUS_BEATS)?,
        };
        if clear {
            transport.write(register::CONTROL, register::CONTROL_ENABLE | register::CONTROL_CLEAR_COUNTERS)?;
        }
        Ok(counters)
    }

    /// Runs private operations; for each, the number of the job's key, base and result, all as long as its modulus.
    ///
    /// A result that the board itself found wrong is left as zeros, which fails the check of whoever asked.
    ///
    /// # Errors
    /// The board failed; nothing of the batch may be used.
    pub fn private(&self, jobs: &mut [crate::device::Private<'_>]) -> Result<(), DeviceError> {
        let shared = &*self.shared;
        let mut state = lock(shared);
        let mut waiting: VecDeque<(usize, Option<usize>)> = VecDeque::new(); // entry, and whose result (none: a key)
        let mut failure = None;
        for i in 0..jobs.len() {
            if failure.is_some() || state.dead.is_some() {
                break;
            }
            let key = jobs[i].key;
            let slot = match state.slots.place(key.public().modulus().words()) {
                Place::Loaded(slot) => slot,
                Place::Load(slot) => {
                    state = shared.room(state, &mut waiting, jobs, &mut failure);
                    if let Some(entry) = shared.submit_key(&mut state, key, slot) {
                        waiting.push_back((entry, None));
                    }
                    slot
                }
            };
            state = shared.room(state, &mut waiting, jobs, &mut failure);
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

impl Shared {
    /// Interrupts and rings, from index 0. The board is reset or fresh.
    fn set_up(&self, state: &mut State) -> io::Result<()> {
        let (tail, completions) = (self.memory.address(), self.memory.address() + self.layout.completions as u64);
        self.memory.wipe(0, self.layout.entries);
        state.tail = 0;
        state.head = 0;
        state.slots.clear();
        let transport = &mut state.transport;
        transport.interrupt(std::os::fd::AsFd::as_fd(&self.interrupt))?;
        let log2 = DEPTH.ilog2();
        for (offset, value) in [
            (register::SUBMISSION_BASE_LOW, tail as u32),
            (register::SUBMISSION_BASE_HIGH, (tail >> 32) as u32),
            (register::SUBMISSION_SIZE, log2),
            (register::SUBMISSION_TAIL, 0),
            (register::COMPLETION_BASE_LOW, completions as u32),
            (register::COMPLETION_BASE_HIGH, (completions >> 32) as u32),
            (register::COMPLETION_SIZE, log2),
            (register::COMPLETION_HEAD, 0),
            (register::INTERRUPT_STATUS, u32::MAX),
            (register::INTERRUPT_ENABLE, register::INTERRUPT_ENABLE_COMPLETION),
            (register::CONTROL, register::CONTROL_ENABLE),
        ] {
            transport.write(offset, value)?;
        }
        Ok(())
    }

    /// Waits until a job can be submitted; takes the caller's own oldest ones out if there is no room.
    fn room<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        waiting: &mut VecDeque<(usize, Option<usize>)>,
        jobs: &mut [crate::device::Private<'_>],
        failure: &mut Option<String>,
    ) -> MutexGuard<'a, State> {
        while state.free.is_empty() && state.dead.is_none() {
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
        let n = key.public().modulus().words();
        let exponent = key.public().exponent()[0] as u32;
        self.events.keys_loaded.fetch_add(1, Ordering::Relaxed);
        let parts: [&[u8]; 7] = [
            bytemuck::cast_slice(n),
            &exponent.to_le_bytes(),
            bytemuck::cast_slice(key.p().words()),
            bytemuck::cast_slice(key.q().words()),
            bytemuck::cast_slice(key.dp()),
            bytemuck::cast_slice(key.dq()),
            bytemuck::cast_slice(key.q_inverse()),
        ];
        self.submit(state, Op::LoadKey, slot, key.public().bits(), &parts, 0)
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
        let mut end = self.layout.operands(entry);
        for part in parts {
            self.memory.write(end, part);
            end += part.len();
        }
        let descriptor = Descriptor {
            op,
            slot,
            tag: entry as u16,
            bits,
            operand_bytes: end - self.layout.operands(entry),
            result_bytes,
            operand_address: self.memory.address() + self.layout.operands(entry) as u64,
            result_address: self.memory.address() + self.layout.result(entry) as u64,
        };
        self.memory.write(usize::from(state.tail) % DEPTH * DESCRIPTOR, &descriptor.to_bytes());
        state.tail = state.tail.wrapping_add(1);
        state.entries[entry] = Entry::Pending;
        Some(entry)
    }

    fn ring_doorbell(&self, state: &mut State) {
        if state.dead.is_some() {
            return;
        }
        state.progress = Instant::now();
        if let Err(error) = state.transport.write(register::SUBMISSION_TAIL, u32::from(state.tail)) {
            self.give_up(state, &format!("the doorbell: {error}"));
        }
        let _ = rustix::io::write(&self.kick, &1u64.to_ne_bytes()); // full is as good
    }

    /// Waits for the oldest of the caller's jobs and takes it out.
    fn take_oldest<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        waiting: &mut VecDeque<(usize, Option<usize>)>,
        jobs: &mut [crate::device::Private<'_>],
        failure: &mut Option<String>,
    ) -> MutexGuard<'a, State> {
        let Some((entry, job)) = waiting.pop_front() else { return state };
        while matches!(state.entries[entry], Entry::Pending) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        match (&state.entries[entry], job) {
            (Entry::Done(status::OK), Some(i)) => {
                self.memory.read(self.layout.result(entry), bytemuck::cast_slice_mut(jobs[i].result));
            }
            (Entry::Done(status::OK), None) => {}
            (Entry::Done(status::CHECK_FAILED), Some(i)) => jobs[i].result.fill(0),
            (Entry::Done(code), _) => {
                let what = if job.is_some() { "a private operation" } else { "loading a key" };
                failure.get_or_insert(format!("{what}: {}", status::text(*code)));
            }
            _ => {
                failure.get_or_insert_with(|| "the board was reset".to_owned());
            }
        }
        // Operands and results are secret, or will be.
        self.memory.wipe(self.layout.operands(entry), self.layout.entry);
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
            let interrupted = self.sleep(under_way.then_some(LOST));
            let mut state = lock(self);
            if interrupted {
                self.events.interrupts.fetch_add(1, Ordering::Relaxed);
                // Before looking at the ring: what comes later raises it again.
                if let Err(error) = state.transport.write(register::INTERRUPT_STATUS, u32::MAX) {
                    self.give_up(&mut state, &format!("interrupt status: {error}"));
                }
            } else if under_way && self.is_next_new(&state) {
                self.events.lost_interrupts.fetch_add(1, Ordering::Relaxed);
                // Cleared, so that the next completion is a new edge.
                if let Err(error) = state.transport.write(register::INTERRUPT_STATUS, u32::MAX) {
                    self.give_up(&mut state, &format!("interrupt status: {error}"));
                }
            }
        }
    }

    /// Until an interrupt (true), a kick, or the limit.
    fn sleep(&self, limit: Option<Duration>) -> bool {
        let mut waits = [PollFd::new(&self.interrupt, PollFlags::IN), PollFd::new(&self.kick, PollFlags::IN)];
        let limit = limit.map(|limit| Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() });
        let _ = poll(&mut waits, limit.as_ref());
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.kick, &mut count);
        rustix::io::read(&self.interrupt, &mut count).is_ok()
    }

    fn is_next_new(&self, state: &State) -> bool {
        let at = self.layout.completions + usize::from(state.head) % DEPTH * COMPLETION;
        Completion::is_new(self.memory.word(at + 12), state.head, DEPTH)
    }

    fn take_completions(&self, state: &mut State) -> usize {
        let mut taken = 0;
        while self.is_next_new(state) && taken < DEPTH {
            fence(Ordering::Acquire);
            let at = self.layout.completions + usize::from(state.head) % DEPTH * COMPLETION;
            let completion = Completion::from_words(self.memory.word(at), self.memory.word(at + 4));
            state.head = state.head.wrapping_add(1);
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
            if let Err(error) = state.transport.write(register::COMPLETION_HEAD, state.head.into()) {
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
        let reset = state.transport.reset().and_then(|()| identify(&mut *state.transport)).and_then(|capability| {
            if capability == self.capability { Ok(()) } else { Err(io::Error::other("it is another board now")) }
        });
        if let Err(error) = reset.and_then(|()| self.set_up(state)) {
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

/// Refuses what is no accelerator of this version.
fn identify(transport: &mut dyn Transport) -> io::Result<Capability> {
    let id = transport.read(register::ID)?;
    if id != ID {
        return Err(io::Error::other(format!("no Garner accelerator: identification {id:#010x}")));
    }
    let major = field(transport.read(register::VERSION)?, register::VERSION_MAJOR);
    if major != 1 {
        return Err(io::Error::other(format!("register map version {major}; version 1 is known here")));
    }
    let cores = transport.read(register::CAPABILITY_CORES)?;
    let arithmetic = transport.read(register::CAPABILITY_ARITHMETIC)?;
    let montgomery = transport.read(register::CAPABILITY_MONTGOMERY)?;
    let capability = Capability {
        cores: field(cores, register::CAPABILITY_CORES_CORES),
        key_slots: field(cores, register::CAPABILITY_CORES_KEY_SLOTS),
        max_bits: field(arithmetic, register::CAPABILITY_ARITHMETIC_MAX_BITS),
        operand_bytes: 4 * field(montgomery, register::CAPABILITY_MONTGOMERY_OPERAND_WORDS),
    };
    if capability.cores == 0 || capability.key_slots == 0 || capability.operand_bytes * 16 < 7 * capability.max_bits {
        return Err(io::Error::other(format!("impossible capabilities: {capability:?}")));
    }
    Ok(capability)
}

const ID: u32 = 0x4E52_4147;

impl Drop for Driver {
    /// Overwrites the keys on the board, stops it and takes the memory back.
    fn drop(&mut self) {
        lock(&self.shared).closing = true;
        let _ = rustix::io::write(&self.shared.kick, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let mut state = lock(&self.shared);
        let transport = &mut state.transport;
        let closed = transport.write(register::CONTROL, register::CONTROL_ZEROISE).and_then(|()| {
            let start = Instant::now();
            while transport.read(register::STATUS)? & register::STATUS_ZEROISING != 0 {
                if start.elapsed() > self.shared.patience {
                    return Err(io::Error::from(io::ErrorKind::TimedOut));
                }
            }
            transport.write(register::CONTROL, 0)
        });
        // A reset overwrites as well, and ends what is under way; only then is the memory ours alone.
        let ended = transport.reset().and_then(|()| transport.unmap(&self.shared.memory));
        if let Err(error) = closed.and(ended) {
            tracing::warn!(%error, "the board was left without its keys being seen overwritten");
        }
    }
}
