// SPDX-License-Identifier: Apache-2.0
//! Batches run again and again, and what their times come to. What is meant to replace something else runs in turns with it,
//! so that both have the same clocks and the same heat.

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

/// Turns that each has, of those that are measured in turns. Long enough for the meter, which is read no more often than ten
/// times a second.
const TURNS: u32 = 4;

/// Times of batches, in seconds, in order.
pub struct Samples {
    times: Vec<f64>,
    per_batch: usize,
    joules: Option<f64>,
    /// Clocks read, in MHz.
    clocks: Vec<f64>,
}

impl Samples {
    /// Runs `batch` once to warm up, then for the time given.
    pub fn take<E>(work: &Work<'_>, mut batch: impl FnMut() -> Result<(), E>) -> Result<Samples, E> {
        let mut samples = Samples::in_turns(work, 1, |_| batch())?;
        Ok(samples.pop().expect("one"))
    }

    /// Runs `batch` of each number below `count` once to warm up, then all in turns, each for the time given.
    pub fn in_turns<E>(
        work: &Work<'_>,
        count: usize,
        mut batch: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<Vec<Samples>, E> {
        let Work { per_batch, time, meter } = *work;
        (0..count).try_for_each(&mut batch)?;
        let none = || Samples { times: Vec::new(), per_batch, joules: meter.map(|_| 0.0), clocks: Vec::new() };
        let mut all: Vec<Samples> = (0..count).map(|_| none()).collect();
        let (turns, least) = if count > 1 { (TURNS, 1) } else { (1, 3) };
        for turn in 0..turns {
            for i in 0..count {
                // There and back: nobody comes always first.
                let i = if turn % 2 == 0 { i } else { count - 1 - i };
                all[i].turn(meter, time / turns, least, || batch(i))?;
            }
        }
        all.iter_mut().for_each(|samples| samples.times.sort_unstable_by(f64::total_cmp));
        Ok(all)
    }

    fn turn<E>(
        &mut self,
        meter: Option<&Meter>,
        time: Duration,
        least: usize,
        mut batch: impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let read = || meter.and_then(Meter::joules);
        let (start, before, already) = (Instant::now(), read(), self.times.len());
        while self.times.len() < already + least || start.elapsed() < time {
            let start = Instant::now();
            batch()?;
            self.times.push(start.elapsed().as_secs_f64());
        }
        // At once, while the clock is still that of the work.
        self.clocks.extend(meter.and_then(Meter::clock_mhz));
        let used = read().zip(before).map(|(after, before)| after - before);
        self.joules = self.joules.zip(used).map(|(joules, used)| joules + used);
        Ok(())
    }

    /// How many batches there were after the first.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// `row` with rate, times, energy and clock filled in.
    pub fn row(&self, row: Row) -> Row {
        let of = |part: f64| self.times[((self.times.len() - 1) as f64 * part).round() as usize];
        let operations = (self.per_batch * self.times.len()) as f64;
        let clock = self.clocks.iter().sum::<f64>() / self.clocks.len() as f64;
        Row {
            garner_per_s: self.per_batch as f64 / of(0.5),
            p50_us: of(0.5) * 1e6,
            p99_us: of(0.99) * 1e6,
            joules_per_op: self.joules.map(|joules| joules / operations),
            clock_mhz: (!self.clocks.is_empty()).then_some(clock),
            rounds: self.times.len(),
            ..row
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_compared_take_turns() {
        let work = Work { per_batch: 5, time: Duration::ZERO, meter: None };
        let mut order = Vec::new();
        let samples = Samples::in_turns(&work, 2, |i| {
            order.push(i);
            Ok::<(), ()>(())
        });
        // Warming up, then four turns, there and back.
        assert_eq!(order, [0, 1, 0, 1, 1, 0, 0, 1, 1, 0]);
        assert!(samples.unwrap().iter().all(|samples| samples.count() == 4));
        assert_eq!(Samples::take(&work, || Ok::<(), ()>(())).unwrap().count(), 3);
    }
}
