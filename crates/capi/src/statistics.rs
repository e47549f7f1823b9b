// SPDX-License-Identifier: Apache-2.0
//! The figures of a gatherer.

use crate::call::unit;
use crate::context::Context;
use crate::handles::GarnerContext;
use crate::memory::{Plain, Report};
use std::ffi::c_int;
use std::time::Duration;

/// `garner_statistics`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GarnerStatistics {
    size: usize,
    private_operations: u64,
    public_operations: u64,
    exponentiations: u64,
    batches: u64,
    lanes_used: u64,
    lanes_offered: u64,
    public_batches: u64,
    device_ns: u64,
    running_ns: u64,
    slots: u64,
    faults: u64,
    retries: u64,
    device_failures: u64,
    out_of_service: u64,
    queue: u64,
    queue_high_water: u64,
    mean_fill: f64,
    load: f64,
}

// SAFETY: numbers only.
unsafe impl Plain for GarnerStatistics {
    const NAME: &'static str = "garner_statistics";
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_statistics_get(
    gatherer: *mut GarnerContext,
    statistics: *mut GarnerStatistics,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let report = unsafe { Report::new(statistics)? };
        let figures = Context::get(gatherer)?.statistics();
        report.write(GarnerStatistics {
            size: size_of::<GarnerStatistics>(),
            private_operations: figures.private_operations,
            public_operations: figures.public_operations,
            exponentiations: figures.exponentiations,
            batches: figures.batches,
            lanes_used: figures.lanes_used,
            lanes_offered: figures.lanes_offered,
            public_batches: figures.public_batches,
            device_ns: nanoseconds(figures.device_time),
            running_ns: nanoseconds(figures.running),
            slots: figures.slots,
            faults: figures.faults,
            retries: figures.retries,
            device_failures: figures.device_failures,
            out_of_service: figures.out_of_service,
            queue: figures.queue,
            queue_high_water: figures.queue_high_water,
            mean_fill: figures.mean_fill(),
            load: figures.load(),
        });
        Ok(())
    })
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
