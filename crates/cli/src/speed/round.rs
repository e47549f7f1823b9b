// SPDX-License-Identifier: Apache-2.0
//! One timed round: some threads, each doing the same thing again and again until the time is up.
//!
//! Every system measured runs through this one piece of code, in this process or in another: `bench/peer`
//! compiles this very file. So it uses the standard library only, and knows nothing of RSA.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// What one thread does in a round.
pub trait Worker: Send {
    /// One call into the system measured. Returns how many operations it completed.
    fn turn(&mut self) -> Result<u64, String>;
}

/// What a round came to.
#[derive(Debug, Clone, Default)]
pub struct Round {
    /// Operations completed, the last of each thread included.
    pub operations: u64,
    /// From the start until the last thread was done.
    pub elapsed: Duration,
    /// From the start until a thread was done, on average.
    pub each: Duration,
    /// How long every single turn took, in nanoseconds, in no particular order.
    pub latencies: Vec<u64>,
}

/// Starts one thread per worker, all at once, and lets each begin turns until `window` has passed.
///
/// A turn begun is finished and counted, and the clock runs until then: nothing is cut off and nothing is free.
pub fn run<W: Worker>(workers: &mut [W], window: Duration) -> Result<Round, String> {
    if let [worker] = workers {
        // One caller needs no second thread.
        let start = Instant::now();
        let mut round = turns(worker, start, window)?;
        round.elapsed = start.elapsed();
        round.each = round.elapsed;
        return Ok(round);
    }
    // Threads wait at the gate until all exist; the time it opens is what it holds.
    let gate = RwLock::new(Instant::now());
    let abandoned = AtomicBool::new(false);
    thread::scope(|scope| {
        let mut closed = gate.write().unwrap_or_else(PoisonError::into_inner);
        let mut threads = Vec::with_capacity(workers.len());
        let mut failure = None;
        for worker in workers {
            let (gate, abandoned) = (&gate, &abandoned);
            let spawned = thread::Builder::new().spawn_scoped(scope, move || {
                let start = *gate.read().unwrap_or_else(PoisonError::into_inner);
                if abandoned.load(Ordering::Relaxed) {
                    return Ok(Round::default());
                }
                let mut round = turns(worker, start, window)?;
                round.elapsed = start.elapsed();
                Ok(round)
            });
            match spawned {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    failure = Some(format!("thread {}: {error}", threads.len() + 1));
                    abandoned.store(true, Ordering::Relaxed);
                    break;
                }
            }
        }
        *closed = Instant::now();
        drop(closed);
        let (mut whole, count) = (Round::default(), threads.len().max(1) as u32);
        for thread in threads {
            match thread.join() {
                Ok(Ok(part)) => {
                    whole.operations += part.operations;
                    whole.elapsed = whole.elapsed.max(part.elapsed);
                    whole.each += part.elapsed / count;
                    whole.latencies.extend(part.latencies);
                }
                Ok(Err(error)) => failure = Some(error),
                Err(_) => failure = Some("a caller's thread panicked".into()),
            }
        }
        failure.map_or(Ok(whole), Err)
    })
}

/// One thread's turns: at least one, and more while `window` has not passed since `start`.
fn turns(worker: &mut impl Worker, start: Instant, window: Duration) -> Result<Round, String> {
    let mut round = Round::default();
    let mut began = Instant::now();
    loop {
        round.operations += worker.turn()?;
        let ended = Instant::now();
        round.latencies.push((ended - began).as_nanos() as u64);
        if ended - start >= window {
            return Ok(round);
        }
        began = ended;
    }
}

/// The value that `share` (0 to 1) of the sorted `values` do not exceed; 0 of none.
pub fn percentile(sorted: &[u64], share: f64) -> u64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counts(u64);

    impl Worker for Counts {
        fn turn(&mut self) -> Result<u64, String> {
            self.0 += 1;
            Ok(2)
        }
    }

    struct Fails;

    impl Worker for Fails {
        fn turn(&mut self) -> Result<u64, String> {
            Err("as told".into())
        }
    }

    #[test]
    fn every_turn_is_counted_and_timed() {
        for callers in [1, 3] {
            let mut workers: Vec<Counts> = (0..callers).map(|_| Counts(0)).collect();
            let round = run(&mut workers, Duration::from_millis(2)).unwrap();
            let turns: u64 = workers.iter().map(|worker| worker.0).sum();
            assert!(workers.iter().all(|worker| worker.0 > 0));
            assert_eq!(round.operations, 2 * turns);
            assert_eq!(round.latencies.len() as u64, turns);
            assert!(round.elapsed >= round.each && round.each >= Duration::from_micros(1_999));
        }
    }

    #[test]
    fn a_failing_turn_fails_the_round() {
        assert_eq!(run(&mut [Fails, Fails], Duration::ZERO).unwrap_err(), "as told");
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<u64> = (1..=100).collect();
        assert_eq!(percentile(&values, 0.5), 50);
        assert_eq!(percentile(&values, 0.99), 99);
        assert_eq!(percentile(&[7], 0.99), 7);
        assert_eq!(percentile(&[], 0.5), 0);
    }
}
