//! What a run came to.

use crate::output::{grouped, rate};
use serde::Serialize;
use std::fs;

/// Figures of a run.
#[derive(Debug, Serialize)]
pub struct Summary {
    /// Signatures in the output.
    signatures: u64,
    /// Those of an interrupted run.
    resumed: u64,
    /// Time in which the others were made and written.
    seconds: f64,
    /// Of those made in this run.
    per_second: f64,
    /// Most memory the process ever had, in KiB (VmHWM).
    peak_memory_kib: Option<u64>,
}

impl Summary {
    /// Of `signed` signatures after `resumed` old ones.
    pub fn new(signed: u64, resumed: u64, seconds: f64) -> Summary {
        let per_second = if seconds > 0.0 { signed as f64 / seconds } else { 0.0 };
        Summary { signatures: signed + resumed, resumed, seconds, per_second, peak_memory_kib: peak_memory() }
    }

    /// For a program.
    pub fn json(&self) -> String {
        format!("{}\n", serde_json::to_string(self).expect("numbers"))
    }

    /// For people.
    pub fn text(&self) -> String {
        let before = match self.resumed {
            0 => String::new(),
            resumed => format!(", {} of them there before", grouped(resumed)),
        };
        let (count, seconds) = (grouped(self.signatures), self.seconds);
        format!("{count} signatures{before}; {seconds:.1} s, {} per second", rate(self.per_second))
    }
}

fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
