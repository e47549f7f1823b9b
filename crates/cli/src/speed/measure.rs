//! Many short rounds, the systems in turn, and what they come to.

use super::arguments::{Kind, Shape};
use super::round::{self, Round, Worker, percentile};
use crate::failure::{Failure, Of};
use garner::stats::Statistics;
use indicatif::ProgressBar;
use std::time::Duration;

/// Rounds that the time given is meant for.
const ROUNDS: u32 = 10;

/// Rounds at least, however slow: a median of fewer means little.
const LEAST_ROUNDS: usize = 3;

/// Progress steps of one row.
pub const STEPS: u64 = 1_000;

/// What a side's round came to.
pub struct Sample {
    /// Operations per second.
    pub rate: f64,
    /// Measured time.
    pub elapsed: Duration,
    /// Latencies in nanoseconds.
    pub latencies: Latencies,
}

/// Latencies, as they are known.
pub enum Latencies {
    /// That of every turn.
    Every(Vec<u64>),
    /// Only the round's median and 99th percentile.
    Percentiles(u64, u64),
}

impl From<Round> for Sample {
    fn from(round: Round) -> Sample {
        let rate = round.operations as f64 / round.elapsed.as_secs_f64();
        Sample { rate, elapsed: round.elapsed, latencies: Latencies::Every(round.latencies) }
    }
}

/// One system measured.
pub trait Side {
    /// What people call it.
    fn name(&self) -> &str;

    /// Works for `window`.
    fn round(&mut self, window: Duration) -> Result<Sample, Failure>;

    /// Checks, outside the measured time, what the round has made; returns how many results were found right.
    fn check(&mut self) -> Result<u64, Failure> {
        Ok(0)
    }
}

/// A side whose callers are threads of this process.
pub struct Threads<W> {
    /// The system's name.
    pub name: String,
    /// One per thread.
    pub workers: Vec<W>,
    /// Checks what they made.
    pub check: fn(&mut [W]) -> Result<u64, Failure>,
}

impl<W: Worker> Side for Threads<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn round(&mut self, window: Duration) -> Result<Sample, Failure> {
        Ok(round::run(&mut self.workers, window).of(&self.name)?.into())
    }

    fn check(&mut self) -> Result<u64, Failure> {
        (self.check)(&mut self.workers)
    }
}

/// One line of the result.
pub struct Row {
    pub kind: Kind,
    pub bits: u32,
    pub device: String,
    pub shape: Shape,
    pub slots: usize,
    /// Operations per batch, if any batch was counted.
    pub fill: Option<f64>,
    /// Garner's, then each other system's.
    pub outcomes: Vec<Outcome>,
}

impl Row {
    /// Garner's outcome.
    pub fn garner(&self) -> &Outcome {
        &self.outcomes[0]
    }

    /// The other systems' outcomes.
    pub fn baselines(&self) -> &[Outcome] {
        &self.outcomes[1..]
    }
}

/// What a side's rounds came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    pub name: String,
    /// Median of the rounds' operations per second.
    pub per_second: f64,
    /// Median of the rounds' ratios of Garner's rate to this one's.
    pub ratio: f64,
    /// Latency in microseconds.
    pub p50_us: f64,
    pub p99_us: f64,
    pub rounds: usize,
    /// Results checked and found right.
    pub checked: u64,
}

/// Gives each side `seconds` of measured time in short rounds, in turn; the first is the one the others are compared to.
pub fn contest(
    sides: &mut [Box<dyn Side>],
    seconds: Duration,
    progress: &ProgressBar,
) -> Result<Vec<Outcome>, Failure> {
    let started = progress.position();
    let window = seconds / ROUNDS;
    let mut samples: Vec<Vec<Sample>> = sides.iter().map(|_| Vec::new()).collect();
    let mut checked = vec![0; sides.len()];
    // A first turn each, not counted: tables are built, blinding is set up, pages are touched.
    for (side, checked) in sides.iter_mut().zip(&mut checked) {
        side.round(Duration::ZERO)?;
        *checked += side.check()?;
    }
    let mut measured = Duration::ZERO;
    let whole = seconds * sides.len() as u32;
    while measured < whole || samples[0].len() < LEAST_ROUNDS {
        let first = samples[0].len();
        for turn in 0..sides.len() {
            // Whoever was first is last in the next round: a machine that grows slower or faster favours nobody.
            let i = (first + turn) % sides.len();
            let sample = sides[i].round(window)?;
            measured += sample.elapsed;
            samples[i].push(sample);
            checked[i] += sides[i].check()?;
        }
        let part = (measured.as_secs_f64() / whole.as_secs_f64()).min(1.0);
        progress.set_position(started + (part * STEPS as f64) as u64);
    }
    progress.set_position(started + STEPS);
    let ours: Vec<f64> = samples[0].iter().map(|sample| sample.rate).collect();
    let outcomes = sides.iter().zip(samples).zip(checked);
    Ok(outcomes.map(|((side, samples), checked)| outcome(side.name(), samples, &ours, checked)).collect())
}

fn outcome(name: &str, samples: Vec<Sample>, ours: &[f64], checked: u64) -> Outcome {
    let per_second = median(samples.iter().map(|sample| sample.rate).collect());
    let ratio = median(samples.iter().zip(ours).map(|(sample, ours)| ours / sample.rate).collect());
    let rounds = samples.len();
    let (mut every, mut medians, mut tails) = (Vec::new(), Vec::new(), Vec::new());
    for sample in samples {
        match sample.latencies {
            Latencies::Every(latencies) => every.extend(latencies),
            Latencies::Percentiles(p50, p99) => {
                medians.push(p50 as f64);
                tails.push(p99 as f64);
            }
        }
    }
    every.sort_unstable();
    let (p50, p99) = if medians.is_empty() {
        (percentile(&every, 0.5) as f64, percentile(&every, 0.99) as f64)
    } else {
        (median(medians), median(tails))
    };
    Outcome { name: name.to_owned(), per_second, ratio, p50_us: p50 / 1e3, p99_us: p99 / 1e3, rounds, checked }
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Operations per batch between two readings; `None` without a batch.
pub fn fill(before: &Statistics, after: &Statistics) -> Option<f64> {
    let batches = (after.batches + after.public_batches) - (before.batches + before.public_batches);
    let operations = after.operations() - before.operations();
    (batches > 0).then(|| operations as f64 / batches as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Steady(f64, u32);

    impl Side for Steady {
        fn name(&self) -> &str {
            "steady"
        }

        fn round(&mut self, window: Duration) -> Result<Sample, Failure> {
            self.1 += 1;
            // Every round is as fast as the machine is just then; the machine grows slower.
            let rate = self.0 / f64::from(self.1);
            Ok(Sample { rate, elapsed: window, latencies: Latencies::Every(vec![1_000, 3_000]) })
        }

        fn check(&mut self) -> Result<u64, Failure> {
            Ok(5)
        }
    }

    #[test]
    fn the_ratio_is_that_of_rounds_side_by_side() {
        let mut sides: Vec<Box<dyn Side>> = vec![Box::new(Steady(300.0, 0)), Box::new(Steady(100.0, 0))];
        let outcomes = contest(&mut sides, Duration::from_millis(100), &ProgressBar::hidden()).unwrap();
        assert_eq!(outcomes[0].ratio, 1.0);
        assert_eq!(outcomes[1].ratio, 3.0);
        assert_eq!(outcomes[0].rounds, 10);
        assert_eq!(outcomes[0].checked, 55);
        assert_eq!((outcomes[0].p50_us, outcomes[0].p99_us), (1.0, 3.0));
    }

    #[test]
    fn a_median_of_two_is_their_mean() {
        assert_eq!(median(vec![4.0, 1.0]), 2.5);
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
    }
}
