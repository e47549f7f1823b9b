// SPDX-License-Identifier: Apache-2.0
//! Which of several ways to do the same takes least time on this processor, found when it is needed first.
//!
//! Nothing but the time of operations may depend on an answer.

use std::time::{Duration, Instant};

/// For so long all ways run before they are measured.
const WARM_UP: Duration = Duration::from_micros(200);

/// So often they are measured, and each time so many runs of them;
const ROUNDS: usize = 49;
const RUNS_IN_A_ROUND: usize = 4;
/// after so long less often, but not less than this: a program that signs once waits for it.
const LONG: Duration = Duration::from_micros(1_200);
const LEAST_ROUNDS: usize = 9;

/// The median times of these ways.
///
/// They run in turn, so that another clock, or other work on the same core, comes to all of them alike; and for a while before
/// that: after other code processors run 512-bit registers slowly, and by another clock.
pub fn medians<const WAYS: usize>(mut ways: [&mut dyn FnMut(); WAYS]) -> [Duration; WAYS] {
    let mut times = [const { Vec::new() }; WAYS];
    let begin = Instant::now();
    let mut rounds = 0;
    while rounds < if begin.elapsed() < LONG { ROUNDS } else { LEAST_ROUNDS } {
        let is_warm = begin.elapsed() >= WARM_UP;
        for (way, times) in ways.iter_mut().zip(&mut times) {
            let start = Instant::now();
            (0..RUNS_IN_A_ROUND).for_each(|_| way());
            if is_warm {
                times.push(start.elapsed());
            }
        }
        rounds += usize::from(is_warm);
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2]
    })
}
