// SPDX-License-Identifier: Apache-2.0
//! One way to run a batch: a device with the host's arithmetic, its health and what it costs.

use super::class::{Class, Kind, SIZES};
use super::operation::{Operation, Work};
use crate::arithmetic::Arithmetic;
use crate::device::Device;
use crate::fork::ForkLocal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// A device with the arithmetic that does the rest on the host.
pub struct Path {
    pub arithmetic: Arc<dyn Arithmetic>,
    pub device: Arc<dyn Device>,
    /// Exponentiations it wants in one call, at least 1.
    batch: usize,
    /// Whether batches compute on the processor of the thread that runs them.
    pub on_host: bool,
    is_shared: bool,
    /// Batches that run there now: a child has none of its parent's.
    under_way: ForkLocal<AtomicU32>,
    failures_in_a_row: AtomicU32,
    faults: AtomicU32,
    out_of_service: AtomicBool,
    costs: Costs,
}

/// A batch that runs on a path, until dropped.
pub struct UnderWay<'a>(&'a AtomicU32);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Path {
    pub fn new(arithmetic: Arc<dyn Arithmetic>, device: Arc<dyn Device>) -> Path {
        let batch = device.preferred_batch().max(1);
        let (on_host, is_shared) = (device.is_on_host(), device.is_shared());
        Path {
            arithmetic,
            device,
            batch,
            on_host,
            is_shared,
            under_way: ForkLocal::new(),
            failures_in_a_row: AtomicU32::new(0),
            faults: AtomicU32::new(0),
            out_of_service: AtomicBool::new(false),
            costs: Costs::default(),
        }
    }

    /// Whether the operands are within the device's limits.
    pub fn accepts(&self, operation: &Operation) -> bool {
        match &operation.work {
            Work::Private(key) => self.device.takes_key(key),
            Work::Exponentiation { modulus, .. } => self.device.takes_bits(modulus.bits()),
            Work::Public(key) => self.device.takes_public(key),
        }
    }

    /// Operations of a class that make one batch.
    pub fn limit(&self, class: Class) -> usize {
        (self.batch / class.lanes()).max(1)
    }

    /// The room that `lanes` exponentiations take: whole preferred batches.
    pub fn lanes_offered(&self, lanes: usize) -> usize {
        lanes.next_multiple_of(self.batch)
    }

    pub fn in_service(&self) -> bool {
        !self.out_of_service.load(Ordering::Relaxed)
    }

    /// A batch begins here.
    pub fn begin(&self) -> UnderWay<'_> {
        let under_way = self.under_way.get();
        under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(under_way)
    }

    /// Batches that one more would have to share the device with.
    pub fn company(&self) -> u64 {
        if self.is_shared { self.under_way.get().load(Ordering::Relaxed).into() } else { 0 }
    }

    /// A batch went well, in so many nanoseconds.
    pub fn went_well(&self, class: Class, operations: usize, nanoseconds: u64) {
        self.failures_in_a_row.store(0, Ordering::Relaxed);
        self.costs.learn(class, operations, nanoseconds);
    }

    /// A batch failed as a whole. Whether this takes the device out of service.
    pub fn failed(&self, allowed: u32) -> bool {
        let failures = self.failures_in_a_row.fetch_add(1, Ordering::Relaxed).saturating_add(1);
        failures >= allowed && !self.out_of_service.swap(true, Ordering::Relaxed)
    }

    /// So many results were proven wrong. Whether this takes the device out of service.
    pub fn lied(&self, count: u32, allowed: u32) -> bool {
        let faults = self.faults.fetch_add(count, Ordering::Relaxed).saturating_add(count);
        count > 0 && faults >= allowed && !self.out_of_service.swap(true, Ordering::Relaxed)
    }

    /// Nanoseconds per operation, and per word of its exponent where the caller chose that, in a batch of so many; and how often
    /// that was measured (counted up to 255).
    pub fn cost(&self, class: Class, operations: usize) -> (u64, u8) {
        self.costs.get(class, operations)
    }
}

/// Measured cost per operation and word of its exponent, by kind, length of the exponent (in powers of four), size and batch
/// size (in powers of two): `nanoseconds << 8 | measurements`.
///
/// Updates are not atomic as a whole; one that is lost to another matters nothing.
struct Costs(Vec<AtomicU64>);

const SCALES: usize = 20;

/// Lengths of exponents up to 2^7 words, the longest, for the kinds of which callers choose them; those of private operations go
/// with their sizes. Powers of four keep the table at 47 KiB.
const EXPONENTS: usize = 4;

const KINDS: usize = 1 + 2 * EXPONENTS;

impl Default for Costs {
    fn default() -> Self {
        Costs((0..KINDS * SIZES * SCALES).map(|_| AtomicU64::new(0)).collect())
    }
}

/// Words of the exponent, as far as they are counted.
fn exponent_words(class: Class) -> u64 {
    class.exponent.max(1).into()
}

impl Costs {
    fn at(&self, class: Class, operations: usize) -> &AtomicU64 {
        let scale = (operations.max(1).ilog2() as usize).min(SCALES - 1);
        let exponent = (exponent_words(class).ilog2() as usize / 2).min(EXPONENTS - 1);
        let kind = match class.kind {
            Kind::Private => 0,
            Kind::Exponentiation => 1 + exponent,
            Kind::Public => 1 + EXPONENTS + exponent,
        };
        &self.0[(kind * SIZES + usize::from(class.size)) * SCALES + scale]
    }

    fn get(&self, class: Class, operations: usize) -> (u64, u8) {
        let value = self.at(class, operations).load(Ordering::Relaxed);
        (value >> 8, value as u8)
    }

    fn learn(&self, class: Class, operations: usize, nanoseconds: u64) {
        let each = nanoseconds / (operations.max(1) as u64 * exponent_words(class));
        let (known, times) = self.get(class, operations);
        // The first measurement often includes the device waking up; it is replaced by the second.
        let new = if times < 2 { each } else { (known * 7 + each) / 8 };
        self.at(class, operations).store(new << 8 | u64::from(times.saturating_add(1)), Ordering::Relaxed);
    }
}
