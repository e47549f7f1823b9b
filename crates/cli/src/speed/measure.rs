// SPDX-License-Identifier: Apache-2.0
//! Many short rounds, the systems in turn, and what they come to.

use super::arguments::{Kind, Shape, Summary};
use super::energy::Meter;
use super::round::{self, Round, Worker, percentile};
use crate::failure::{Failure, Of};
use garner::keygen::Statistics as Generated;
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
    /// Operations completed.
    pub operations: u64,
    /// Measured time, until the last thread was done.
    pub elapsed: Duration,
    /// Until a thread was done, on average.
    pub each: Duration,
    /// Latencies in nanoseconds.
    pub latencies: Latencies,
    /// What the machine's processors used meanwhile, where that is measured.
    pub joules: Option<f64>,
}

/// Latencies, as they are known.
pub enum Latencies {
    /// That of every turn.
    Every(Vec<u64>),
    /// Only the round's median and 99th percentile.
    Percentiles(u64, u64),
}

impl Sample {
    /// Operations per second.
    fn rate(&self) -> f64 {
        self.operations as f64 / self.elapsed.as_secs_f64()
    }
}

impl From<Round> for Sample {
    fn from(round: Round) -> Sample {
        let latencies = Latencies::Every(round.latencies);
        Sample { operations: round.operations, elapsed: round.elapsed, each: round.each, latencies, joules: None }
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

    /// What key generation had to do for its keys, where that is known.
    fn generated(&self) -> Option<Generated> {
        None
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
    /// Operations per second, summed up as the operation's [`Summary`] says.
    pub per_second: f64,
    /// Garner's rate to this one's, likewise.
    pub ratio: f64,
    /// All operations of all rounds.
    pub operations: u64,
    /// Latency in microseconds.
    pub p50_us: f64,
    pub p99_us: f64,
    pub rounds: usize,
    /// Results checked and found right.
    pub checked: u64,
    /// Joules an operation, all that the machine's processors used.
    pub joules: Option<f64>,
    /// Of key generation.
    pub generated: Option<PerKey>,
}

/// What key generation had to do, a key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PerKey {
    /// Candidates drawn.
    pub candidates: f64,
    /// Those that no small prime divides.
    pub survivors: f64,
    /// Those put to Miller-Rabin.
    pub primality_tests: f64,
}

impl From<Generated> for PerKey {
    fn from(generated: Generated) -> PerKey {
        let a_key = |count: u64| count as f64 / generated.keys.max(1) as f64;
        PerKey {
            candidates: a_key(generated.candidates),
            survivors: a_key(generated.survivors),
            primality_tests: generated.primality_tests_per_key(),
        }
    }
}

/// Gives each side `seconds` of measured time in short rounds, in turn; the first is the one the others are compared to.
pub fn contest(
    sides: &mut [Box<dyn Side>],
    seconds: Duration,
    summary: Summary,
    meter: Option<&Meter>,
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
    let least = match summary {
        Summary::Mean { operations } => operations,
        Summary::Median => 0,
    };
    let fewest = |samples: &[Vec<Sample>]| samples.iter().map(|samples| operations(samples)).min().unwrap_or(0);
    while measured < whole || samples[0].len() < LEAST_ROUNDS || fewest(&samples) < least {
        let first = samples[0].len();
        for turn in 0..sides.len() {
            // Whoever was first is last in the next round: a machine that grows slower or faster favours nobody.
            let i = (first + turn) % sides.len();
            let before = meter.map(Meter::read).transpose().of("energy")?;
            let mut sample = sides[i].round(window)?;
            if let Some((meter, before)) = meter.zip(before) {
                sample.joules = Some(meter.joules_since(&before).of("energy")?);
            }
            measured += sample.elapsed;
            samples[i].push(sample);
            checked[i] += sides[i].check()?;
        }
        let enough = if least == 0 { 1.0 } else { fewest(&samples) as f64 / least as f64 };
        let part = (measured.as_secs_f64() / whole.as_secs_f64()).min(enough).min(1.0);
        progress.set_position(started + (part * STEPS as f64) as u64);
    }
    progress.set_position(started + STEPS);
    let rates = |samples: &[Sample]| samples.iter().map(Sample::rate).collect::<Vec<f64>>();
    let (ours, our_mean) = (rates(&samples[0]), mean(&samples[0]));
    let outcomes = sides.iter().zip(samples).zip(checked);
    Ok(outcomes
        .map(|((side, samples), checked)| {
            let (per_second, ratio) = match summary {
                Summary::Mean { .. } => (mean(&samples), our_mean / mean(&samples)),
                Summary::Median => {
                    let rates = rates(&samples);
                    (median(rates.clone()), median(ours.iter().zip(rates).map(|(ours, rate)| ours / rate).collect()))
                }
            };
            let (rounds, operations) = (samples.len(), operations(&samples));
            let joules = samples.iter().map(|sample| sample.joules).sum::<Option<f64>>();
            let joules = joules.map(|joules| joules / operations.max(1) as f64);
            let (p50_us, p99_us) = latencies(samples);
            let (name, generated) = (side.name().to_owned(), side.generated().map(PerKey::from));
            Outcome { name, per_second, ratio, operations, p50_us, p99_us, rounds, checked, joules, generated }
        })
        .collect())
}

fn operations(samples: &[Sample]) -> u64 {
    samples.iter().map(|sample| sample.operations).sum()
}

/// Operations per second over all rounds. The time that a thread waits for the others to be done is not counted: who takes
/// longer than a round, with times that scatter, would wait for the unluckiest thread in each.
fn mean(samples: &[Sample]) -> f64 {
    operations(samples) as f64 / samples.iter().map(|sample| sample.each.as_secs_f64()).sum::<f64>()
}

/// Median and 99th percentile over all rounds, in microseconds.
fn latencies(samples: Vec<Sample>) -> (f64, f64) {
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
    (p50 / 1e3, p99 / 1e3)
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
            let elapsed = window * self.1;
            let operations = (self.0 * window.as_secs_f64()) as u64;
            Ok(Sample {
                operations,
                elapsed,
                each: elapsed,
                latencies: Latencies::Every(vec![1_000, 3_000]),
                joules: None,
            })
        }

        fn check(&mut self) -> Result<u64, Failure> {
            Ok(5)
        }
    }

    #[test]
    fn the_ratio_is_that_of_rounds_side_by_side() {
        let outcomes =
            contest(&mut steady(), Duration::from_secs(1), Summary::Median, None, &ProgressBar::hidden()).unwrap();
        assert_eq!(outcomes[0].ratio, 1.0);
        assert!((outcomes[1].ratio - 3.0).abs() < 1e-9);
        assert!(outcomes[0].rounds >= 3);
        assert_eq!(outcomes[0].checked, 5 * (1 + outcomes[0].rounds as u64));
        assert_eq!((outcomes[0].p50_us, outcomes[0].p99_us), (1.0, 3.0));
    }

    fn steady() -> Vec<Box<dyn Side>> {
        vec![Box::new(Steady(300.0, 0)), Box::new(Steady(100.0, 0))]
    }

    #[test]
    fn a_mean_counts_every_operation_and_waits_for_enough_of_them() {
        let summary = Summary::Mean { operations: 200 };
        let outcomes = contest(&mut steady(), Duration::from_secs(1), summary, None, &ProgressBar::hidden()).unwrap();
        // Ten operations in every round.
        assert_eq!((outcomes[1].operations, outcomes[1].rounds), (200, 20));
        assert_eq!((outcomes[0].operations, outcomes[0].ratio), (600, 1.0));
        assert!((outcomes[1].ratio - 3.0).abs() < 1e-9);
        // The first round, which is not counted, took a tenth of a second, the last one 21.
        let seconds: f64 = (2..=21).map(|round| f64::from(round) / 10.0).sum();
        assert!((outcomes[1].per_second - 200.0 / seconds).abs() < 1e-9);
    }

    #[test]
    fn a_median_of_two_is_their_mean() {
        assert_eq!(median(vec![4.0, 1.0]), 2.5);
        assert_eq!(median(vec![9.0, 1.0, 2.0]), 2.0);
    }
}
