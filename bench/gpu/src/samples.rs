// SPDX-License-Identifier: Apache-2.0
//! Batches run again and again, and what their times come to.

use crate::energy::Meter;
use crate::report::Row;
use std::time::{Duration, Instant};

/// What is measured for how long.
pub struct Work<'a> {
    /// Operations in a batch.
    pub per_batch: usize,
    /// At least so long, and at least three batches.
    pub time: Duration,
    /// The GPU's meter.
    pub meter: Option<&'a Meter>,
}

/// Times of batches, in seconds, in order.
pub struct Samples {
    times: Vec<f64>,
    per_batch: usize,
    joules: Option<f64>,
    /// In MHz.
    clock: Option<f64>,
}

impl Samples {
    /// Runs `batch` once to warm up, then for the time given.
    pub fn take<E>(work: &Work<'_>, mut batch: impl FnMut() -> Result<(), E>) -> Result<Samples, E> {
        let Work { per_batch, time, meter } = *work;
        batch()?;
        let (start, before, mut times) = (Instant::now(), meter.and_then(Meter::joules), Vec::new());
        while times.len() < 3 || start.elapsed() < time {
            let start = Instant::now();
            batch()?;
            times.push(start.elapsed().as_secs_f64());
        }
        // At once, while the clock is still that of the work.
        let clock = meter.and_then(Meter::clock_mhz);
        let joules = meter.and_then(Meter::joules).zip(before).map(|(after, before)| after - before);
        times.sort_unstable_by(f64::total_cmp);
        Ok(Samples { times, per_batch, joules, clock })
    }

    /// How many batches there were after the first.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// `row` with rate, times, energy and clock filled in.
    pub fn row(&self, row: Row) -> Row {
        let of = |part: f64| self.times[((self.times.len() - 1) as f64 * part).round() as usize];
        let operations = (self.per_batch * self.times.len()) as f64;
        Row {
            garner_per_s: self.per_batch as f64 / of(0.5),
            p50_us: of(0.5) * 1e6,
            p99_us: of(0.99) * 1e6,
            joules_per_op: self.joules.map(|joules| joules / operations),
            clock_mhz: self.clock,
            rounds: self.times.len(),
            ..row
        }
    }
}
