// SPDX-License-Identifier: Apache-2.0
//! The page of shared memory that carries the figures: a memfd, so that nothing is left behind when the process ends,
//! however it ends.
//!
//! Layout, version 1: 64-bit words in the machine's byte order, all zero when new.
//!
//! | word | holds |
//! |---|---|
//! | 0 | the magic number, written last |
//! | 1 | the version |
//! | 2 | the process, as it sees itself |
//! | 3 | when the page was made, seconds since 1970 |
//! | 4 | the first operation, nanoseconds of the system's monotonic clock; 0 before it |
//! | 5 | slots |
//! | 8 ... | the counters, in [`Counter`]'s order |

use super::Statistics;
use crate::system::shared::{BYTES, SharedPage};
use rustix::time::ClockId;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The memfd's name; `/proc/PID/fd` shows it after `/memfd:`.
pub const NAME: &str = "garner-stats";

pub const MAGIC: u64 = u64::from_be_bytes(*b"garnerst");
pub const VERSION: u64 = 1;

const WORD_MAGIC: usize = 0;
const WORD_VERSION: usize = 1;
const WORD_PID: usize = 2;
const WORD_STARTED: usize = 3;
const WORD_FIRST: usize = 4;
const WORD_SLOTS: usize = 5;
const WORD_COUNTERS: usize = 8;

/// What is counted. New ones go to the end; a change of order is a new version.
#[derive(Debug, Clone, Copy)]
pub enum Counter {
    PrivateOperations,
    PublicOperations,
    Exponentiations,
    Batches,
    LanesUsed,
    LanesOffered,
    PublicBatches,
    DeviceNanoseconds,
    Faults,
    Retries,
    DeviceFailures,
    OutOfService,
    Queue,
    QueueHighWater,
    BusyNanoseconds,
}

/// The page this process writes.
pub struct Page {
    words: Words,
    /// Kept open: it is how others find the page.
    _file: Option<OwnedFd>,
}

/// A page as words.
pub struct Words(Place);

enum Place {
    Shared(SharedPage),
    /// Of this process alone.
    Own(Box<[AtomicU64; BYTES / 8]>),
}

impl Words {
    /// Those of a shared page.
    pub fn new(page: SharedPage) -> Words {
        Words(Place::Shared(page))
    }

    fn own() -> Words {
        Words(Place::Own(Box::new([const { AtomicU64::new(0) }; BYTES / 8])))
    }

    fn at(&self, index: usize) -> &AtomicU64 {
        match &self.0 {
            Place::Shared(page) => page.word(index),
            Place::Own(words) => &words[index],
        }
    }

    fn load(&self, index: usize) -> u64 {
        self.at(index).load(Ordering::Relaxed)
    }

    /// Whether this is a page of ours, written to the end, made by process `pid`.
    pub fn is_of(&self, pid: u32) -> bool {
        self.at(WORD_MAGIC).load(Ordering::Acquire) == MAGIC
            && self.load(WORD_VERSION) == VERSION
            && self.load(WORD_PID) == u64::from(pid)
    }

    /// The figures as they are now.
    pub fn statistics(&self) -> Statistics {
        let counter = |counter: Counter| self.load(WORD_COUNTERS + counter as usize);
        let running = match self.load(WORD_FIRST) {
            0 => 0,
            first => monotonic().saturating_sub(first),
        };
        Statistics {
            pid: self.load(WORD_PID) as u32,
            started: self.load(WORD_STARTED),
            running: Duration::from_nanos(running),
            slots: self.load(WORD_SLOTS),
            private_operations: counter(Counter::PrivateOperations),
            public_operations: counter(Counter::PublicOperations),
            exponentiations: counter(Counter::Exponentiations),
            batches: counter(Counter::Batches),
            lanes_used: counter(Counter::LanesUsed),
            lanes_offered: counter(Counter::LanesOffered),
            public_batches: counter(Counter::PublicBatches),
            device_time: Duration::from_nanos(counter(Counter::DeviceNanoseconds)),
            faults: counter(Counter::Faults),
            retries: counter(Counter::Retries),
            device_failures: counter(Counter::DeviceFailures),
            out_of_service: counter(Counter::OutOfService),
            queue: counter(Counter::Queue),
            queue_high_water: counter(Counter::QueueHighWater),
            busy: Duration::from_nanos(counter(Counter::BusyNanoseconds)),
        }
    }
}

impl Default for Page {
    /// A page others can find; where the system has no memfd or no memory to map it, one that only this process sees.
    fn default() -> Page {
        let (words, file) = match SharedPage::create(NAME) {
            Ok((page, file)) => (Words::new(page), Some(file)),
            Err(error) => {
                tracing::debug!(%error, "no shared page; the figures cannot be read from outside");
                (Words::own(), None)
            }
        };
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        words.at(WORD_VERSION).store(VERSION, Ordering::Relaxed);
        words.at(WORD_PID).store(u64::from(std::process::id()), Ordering::Relaxed);
        words.at(WORD_STARTED).store(started, Ordering::Relaxed);
        words.at(WORD_MAGIC).store(MAGIC, Ordering::Release);
        Page { words, _file: file }
    }
}

impl Page {
    /// Adds to a counter.
    pub fn add(&self, counter: Counter, count: u64) {
        self.words.at(WORD_COUNTERS + counter as usize).fetch_add(count, Ordering::Relaxed);
    }

    /// Sets a counter; for those only written under a lock.
    pub fn set(&self, counter: Counter, value: u64) {
        self.words.at(WORD_COUNTERS + counter as usize).store(value, Ordering::Relaxed);
    }

    /// Raises a counter to at least `value`; for those only written under a lock.
    pub fn at_least(&self, counter: Counter, value: u64) {
        if self.words.load(WORD_COUNTERS + counter as usize) < value {
            self.set(counter, value);
        }
    }

    /// Notes the time of the first operation, and the number of slots; later calls change nothing. To be called under a
    /// lock.
    pub fn first_operation(&self, slots: u64) {
        if self.words.load(WORD_FIRST) == 0 {
            self.words.at(WORD_SLOTS).store(slots, Ordering::Relaxed);
            self.words.at(WORD_FIRST).store(monotonic(), Ordering::Relaxed);
        }
    }

    /// The figures as they are now.
    pub fn read(&self) -> Statistics {
        self.words.statistics()
    }
}

/// Nanoseconds of a clock that is the same for all processes.
fn monotonic() -> u64 {
    let now = rustix::time::clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}
