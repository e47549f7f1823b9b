// SPDX-License-Identifier: Apache-2.0
//! What a run came to.

use crate::output::{grouped, rate};
use crate::progress::per_second;
use garner::stats::Statistics;
use serde::Serialize;
use std::fs;
use std::time::Duration;

/// Figures of a run.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// Signatures in the output.
    signatures: u64,
    /// Those made in this run.
    signed: u64,
    /// Those of an interrupted run, which were verified.
    resumed: u64,
    /// Time in which this run made its own and wrote them.
    seconds: f64,
    /// Of those made in this run.
    per_second: f64,
    /// Results that failed their check, none of which is in the output.
    faults: u64,
    /// Operations run again elsewhere, for that or because a device failed.
    retries: u64,
    /// Most memory the process ever had, in KiB (VmHWM).
    peak_memory_kib: Option<u64>,
}

impl Summary {
    /// Of `signed` signatures after `resumed` old ones.
    pub fn new(signed: u64, resumed: u64, elapsed: Duration, statistics: &Statistics) -> Summary {
        let Statistics { faults, retries, .. } = *statistics;
        Summary {
            signatures: signed + resumed,
            signed,
            resumed,
            seconds: elapsed.as_secs_f64(),
            per_second: per_second(signed, elapsed),
            faults,
            retries,
            peak_memory_kib: peak_memory(),
        }
    }

    /// For a program.
    pub fn json(&self) -> String {
        format!("{}\n", serde_json::to_string(self).expect("numbers"))
    }

    /// For people.
    pub fn text(&self) -> String {
        let before = match self.resumed {
            0 => String::new(),
            resumed => format!(", {} there before and verified", grouped(resumed)),
        };
        let again = match (self.faults, self.retries) {
            (0, 0) => String::new(),
            (faults, retries) => {
                format!("; {} wrong results caught, {} operations run again", grouped(faults), grouped(retries))
            }
        };
        let (signed, seconds) = (grouped(self.signed), self.seconds);
        format!("{signed} signed{before}; {seconds:.1} s, {} per second{again}", rate(self.per_second))
    }
}

fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
