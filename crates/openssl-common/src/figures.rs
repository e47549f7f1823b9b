// SPDX-License-Identifier: Apache-2.0
//! The statistics under the names that both front ends give them.
//!
//! | name | what |
//! |---|---|
//! | `operations` | operations of all kinds answered |
//! | `total-time` | time spent in batches, seconds, added up |
//! | `average-time` | of that, per operation, microseconds |
//! | `average-load` | part of the slots in use since the first operation, 0 to 1 |
//!
//! Engines of this kind always had these four.

use garner::stats::Statistics;
use std::ffi::CStr;

/// One figure's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// How many.
    Count(u64),
    /// How much.
    Real(f64),
}

/// The names of all figures, in the order of [`Figures`].
pub const NAMES: [&CStr; 18] = [
    c"operations",
    c"total-time",
    c"average-time",
    c"average-load",
    c"private-operations",
    c"public-operations",
    c"keys-generated",
    c"batches",
    c"mean-fill",
    c"lane-use",
    c"slots",
    c"faults",
    c"retries",
    c"device-failures",
    c"out-of-service",
    c"queue",
    c"queue-high-water",
    c"reserve-high-water",
];

/// Which of [`NAMES`] are counts; the others are reals.
pub const COUNTS: [bool; 18] =
    [true, false, false, false, true, true, true, true, false, false, true, true, true, true, true, true, true, true];

/// How many of [`NAMES`] come first and are the four of old.
pub const CLASSIC: usize = 4;

/// All figures.
pub type Figures = [(&'static str, Value); NAMES.len()];

/// All figures, of a gatherer with these statistics that `keys` keys were generated beside.
pub(crate) fn all(s: &Statistics, keys: u64) -> Figures {
    use Value::{Count, Real};
    let values = [
        Count(s.operations()),
        Real(s.device_time.as_secs_f64()),
        Real(s.mean_time().as_secs_f64() * 1e6),
        Real(s.load()),
        Count(s.private_operations),
        Count(s.public_operations),
        Count(keys),
        Count(s.batches),
        Real(s.mean_fill()),
        Real(s.lane_use()),
        Count(s.slots),
        Count(s.faults),
        Count(s.retries),
        Count(s.device_failures),
        Count(s.out_of_service),
        Count(s.queue),
        Count(s.queue_high_water),
        Count(garner_reserve::most_in_use() as u64),
    ];
    std::array::from_fn(|i| (NAMES[i].to_str().expect("plain names"), values[i]))
}
