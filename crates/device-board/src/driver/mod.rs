// SPDX-License-Identifier: Apache-2.0
//! The board shared by many threads: many jobs under way, completed by interrupt, or by looking at the ring while it is
//! busy.
//!
//! Callers put jobs in and sleep; one thread takes completions out and wakes them.

mod entry;
mod operate;
mod work;

use super::ring::{Counters, DEPTH};
use super::rings::{Capability, Rings};
use super::transport::Transport;
use entry::Entry;
use garner::device::slots::Slots;
use garner::fork::generation;
use garner::key::PrivateKey;
use garner::sync::lock;
use garner::thread::{self, Thread};
use rustix::event::{EventfdFlags, eventfd};
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// What the driver has met.
#[derive(Debug, Default)]
#[allow(missing_docs)]
pub struct Events {
    pub interrupts: AtomicU64,
    /// Completions that were found without their interrupt.
    pub lost_interrupts: AtomicU64,
    pub resets: AtomicU64,
    pub keys_loaded: AtomicU64,
    /// Slots whose keys were dropped, or could not be relied upon.
    pub slots_wiped: AtomicU64,
    /// Operations that the board itself found wrong.
    pub checks_failed: AtomicU64,
    /// Cycles from a core's taking a private operation to its answer, the last good one's.
    pub last_cycles: AtomicU64,
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
    /// Wakes the thread: there are jobs, or it is over.
    kick: OwnedFd,
    /// Reports that, and interrupts.
    wakes: OwnedFd,
    patience: Duration,
    events: Events,
}

/// The driver of one board.
pub struct Driver {
    shared: Arc<Shared>,
    thread: Option<Thread>,
    /// The process that opened the board. A child made by `fork` has neither the thread nor the memory.
    owner: u64,
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
        let kick = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let shared = Arc::new(Shared {
            wakes: work::wakes(rings.interrupt(), kick.as_fd())?,
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
            kick,
            events: Events::default(),
        });
        let worker = Arc::clone(&shared);
        let thread = thread::spawn(c"garner-board", move || worker.work())?;
        Ok(Driver { shared, thread: Some(thread), owner: generation() })
    }

    /// Whether this process opened the board, and not one of which it is a child.
    pub fn is_ours(&self) -> bool {
        self.owner == generation()
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
        if !self.is_ours() {
            return Err(io::Error::other(NOT_OURS));
        }
        lock(&self.shared.state).rings.counters(clear)
    }
}

/// Why a child made by `fork` is refused.
pub const NOT_OURS: &str = "the board belongs to the process that opened it, of which this one is a child";

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
        if !self.is_ours() {
            // The parent's: nothing of it is here but a copy of its descriptors, perhaps with a lock taken.
            std::mem::forget((self.thread.take(), Arc::clone(&self.shared)));
            return;
        }
        lock(&self.shared.state).closing = true;
        let _ = rustix::io::write(&self.shared.kick, &1u64.to_ne_bytes());
        if let Some(thread) = self.thread.take() {
            thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::{self, Fake};
    use garner::device::{DeviceError, Private};
    use std::sync::atomic::Ordering;
    use std::time::Instant;

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
    fn slots_are_wiped_whose_keys_were_dropped_or_are_not_relied_upon() {
        let (fake, seen) = Fake::new();
        let driver = Driver::start(fake, None).unwrap();
        let wiped = || std::mem::take(&mut *seen.wiped.lock().unwrap());
        let [first, second] = [fake::key(), fake::key()];
        operate(&driver, &first).unwrap();
        operate(&driver, &second).unwrap();
        assert!(wiped().is_empty());
        drop(first);
        operate(&driver, &second).unwrap();
        assert_eq!(wiped(), [0]);
        operate(&driver, &second).unwrap();
        assert!(wiped().is_empty(), "once is enough");
        // Whatever was refused: what the slots hold is not known, and is loaded anew.
        let loaded = || driver.events().keys_loaded.load(Ordering::Relaxed);
        let before = loaded();
        seen.refuse.store(true, Ordering::SeqCst);
        assert!(operate(&driver, &second).is_err());
        seen.refuse.store(false, Ordering::SeqCst);
        operate(&driver, &second).unwrap();
        assert_eq!((wiped(), loaded()), (vec![1], before + 1));
        assert_eq!(driver.events().slots_wiped.load(Ordering::Relaxed), 2);
        // What could not be wiped is, the next time.
        let third = fake::key();
        seen.refuse_wipe.store(true, Ordering::SeqCst);
        drop(second);
        assert!(operate(&driver, &third).is_err());
        assert!(wiped().is_empty());
        operate(&driver, &third).unwrap();
        assert_eq!(wiped(), [2, 3], "the slot of the second key, and that of the third, not relied upon");
    }

    #[test]
    fn a_completion_that_could_not_be_written_resets_the_board_at_once() {
        let (fake, seen) = Fake::new();
        let driver = Driver::start(fake, Some(Duration::from_secs(600))).unwrap();
        let key = fake::key();
        operate(&driver, &key).unwrap();
        seen.lose_completion.store(true, Ordering::SeqCst);
        let start = Instant::now();
        assert!(operate(&driver, &key).is_err());
        assert!(start.elapsed() < Duration::from_secs(60), "patience does not end");
        assert_eq!(driver.events().resets.load(Ordering::Relaxed), 1);
        operate(&driver, &key).unwrap();
    }

    #[test]
    fn a_descriptor_that_could_not_be_read_fails_its_batch_alone() {
        let (fake, seen) = Fake::new();
        let driver = Driver::start(fake, None).unwrap();
        let key = fake::key();
        operate(&driver, &key).unwrap(); // descriptors 0 and 1
        *seen.unread.lock().unwrap() = Some(3);
        let (bases, mut results) = ([[3; 8], [4; 8], [5; 8]], [[0; 8]; 3]);
        let mut jobs: Vec<_> = bases
            .iter()
            .zip(&mut results)
            .map(|(base, result)| Private { key: &key, base: base.as_slice(), result: result.as_mut_slice() })
            .collect();
        let DeviceError(reason) = driver.private(&mut jobs).unwrap_err();
        assert!(reason.starts_with("a private operation: memory could not be read"), "{reason}");
        assert_eq!(results, [[3; 8], [0; 8], [5; 8]], "each of its own job");
        operate(&driver, &key).unwrap();
        assert_eq!(driver.events().resets.load(Ordering::Relaxed), 0);
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
