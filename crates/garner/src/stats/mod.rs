// SPDX-License-Identifier: Apache-2.0
//! What a gatherer has done, as figures that can be read while it runs, from inside and from outside.
//!
//! The figures live in one page of shared memory per process and gatherer, laid out as `page.rs` says. They are updated once per
//! batch; each is exact, and figures read together may differ by the batches that ended in between. Those of the queue and of
//! busy time are updated whenever an operation arrives or a batch begins or ends; the gatherer's own reading brings them to date.

#![forbid(unsafe_code)]

mod outside;
mod page;

pub use outside::read;
pub(crate) use page::{Counter, Page};

use std::time::Duration;

/// The figures of one process. Counters since the gatherer was made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The process.
    pub pid: u32,
    /// When the gatherer was made, in seconds since 1970.
    pub started: u64,
    /// Time since the first operation; zero before it.
    pub running: Duration,
    /// How many batches run at the same time, but for brief ones; 0 before the first operation.
    pub slots: u64,
    /// Private operations answered.
    pub private_operations: u64,
    /// Public operations answered.
    pub public_operations: u64,
    /// Exponentiations answered.
    pub exponentiations: u64,
    /// Batches of private operations or exponentiations.
    pub batches: u64,
    /// Exponentiations in those batches: two for a private operation.
    pub lanes_used: u64,
    /// Room in those batches: each counts with its device's preferred batch, or as often that as it needs.
    pub lanes_offered: u64,
    /// Batches of public operations.
    pub public_batches: u64,
    /// Time spent in batches of all kinds, added up.
    pub device_time: Duration,
    /// Wrong results, each time an operation had one: s^e is not m, or, of an exponentiation or of a public operation by a device,
    /// it is not below the modulus. None was released.
    pub faults: u64,
    /// Operations run again on another path.
    pub retries: u64,
    /// Batches that failed as a whole: an error or a panic of a device.
    pub device_failures: u64,
    /// Devices taken out of service.
    pub out_of_service: u64,
    /// Operations waiting now.
    pub queue: u64,
    /// Most operations that ever waited.
    pub queue_high_water: u64,
    /// Time in which batches were under way, added up over the slots: more batches than slots count as all slots.
    pub busy: Duration,
}

impl Statistics {
    /// Operations of all kinds.
    pub fn operations(&self) -> u64 {
        self.private_operations.saturating_add(self.public_operations).saturating_add(self.exponentiations)
    }

    /// Operations per batch (private operations and exponentiations); 0 before the first.
    pub fn mean_fill(&self) -> f64 {
        ratio(self.private_operations.saturating_add(self.exponentiations) as f64, self.batches as f64)
    }

    /// Part of the lanes offered that were used, 0 to 1.
    pub fn lane_use(&self) -> f64 {
        ratio(self.lanes_used as f64, self.lanes_offered as f64)
    }

    /// Device time per operation; zero before the first.
    pub fn mean_time(&self) -> Duration {
        Duration::from_secs_f64(ratio(self.device_time.as_secs_f64(), self.operations() as f64))
    }

    /// Busy time / (time since the first operation × slots): 0 idle, 1 as many batches as slots all the time.
    pub fn load(&self) -> f64 {
        ratio(self.busy.as_secs_f64(), self.running.as_secs_f64() * self.slots as f64)
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
