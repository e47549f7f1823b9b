// SPDX-License-Identifier: Apache-2.0
//! Which of several ways to do the same takes least time on this processor, found when it is needed first.
//!
//! Nothing but the time of operations may depend on an answer.

use std::time::{Duration, Instant};

/// For so long all ways run before they are measured.
const WARM_UP: Duration = Duration::from_micros(200);

/// So often they are measured;
const ROUNDS: usize = 49;
/// after so long less often, but not less than this: a program that signs once waits for it.
const LONG: Duration = Duration::from_micros(1_200);
const LEAST_ROUNDS: usize = 40;

/// A way is run so often in a round, where a round takes no longer than this: the clock is read by some ten nanoseconds.
const RUNS: usize = 4;
const SHORT: Duration = Duration::from_micros(50);

/// The times of these ways, as far as nothing else runs on the processor: a quarter of each way's rounds took no longer.
///
/// They run in turn, so that another clock, or other work on the same core, comes to all of them alike; and for a while before
/// that: after other code processors run 512-bit registers slowly, and by another clock. Others' work comes in bursts of
/// milliseconds. It lengthens ways unequally, and may well last for half of the rounds, so that their medians say nothing.
pub fn least_times(ways: &mut [&mut dyn FnMut()]) -> Vec<Duration> {
    let mut times = vec![Vec::new(); ways.len()];
    let begin = Instant::now();
    ways.iter_mut().for_each(|way| way());
    let runs = if begin.elapsed() < SHORT { RUNS } else { 1 };
    let mut rounds = 0;
    while rounds < if begin.elapsed() < LONG { ROUNDS } else { LEAST_ROUNDS } {
        let is_warm = begin.elapsed() >= WARM_UP;
        for (way, times) in ways.iter_mut().zip(&mut times) {
            let start = Instant::now();
            (0..runs).for_each(|_| way());
            if is_warm {
                times.push(start.elapsed());
            }
        }
        rounds += usize::from(is_warm);
    }
    let quarter = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 4]
    };
    times.iter_mut().map(quarter).collect()
}
