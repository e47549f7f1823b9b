// SPDX-License-Identifier: Apache-2.0
//! What a figure needs beside it to be worth keeping: the commit that was measured, and what else the machine did.
//! Called by whatever measures; knows nothing of what is measured.

#![forbid(unsafe_code)]

use serde::{Deserialize, Serialize};
use std::fs;
use std::time::Duration;

/// How long other work is watched before a run.
const WATCHED: Duration = Duration::from_millis(250);

/// The commit, and the machine's load before a run. Fields of every benchmark's JSON; `null` is what is not known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    /// The commit that the program was built from.
    pub commit: Option<String>,
    /// Whether the sources differed from that commit.
    pub dirty: Option<bool>,
    /// The average number of runnable threads in the minute before.
    pub load: Option<f64>,
    /// Processors that had work in the quarter of a second before, when this program had none. The load's average still
    /// has the last benchmark in it; this has not.
    #[serde(default)]
    pub busy: Option<f64>,
    /// Processors of the machine, whichever this process may use.
    #[serde(skip)]
    processors: usize,
}

impl Origin {
    /// That of a run that begins now. Takes a quarter of a second.
    pub fn now() -> Origin {
        let before = Times::read();
        std::thread::sleep(WATCHED);
        let after = Times::read();
        let busy = before.zip(after).map(|(before, after)| after.busy_since(&before));
        let load = fs::read_to_string("/proc/loadavg").ok();
        let load = load.and_then(|text| text.split_whitespace().next()?.parse().ok());
        Origin { load, busy, processors: after.map_or(1, |times| times.processors), ..Origin::built() }
    }

    /// What is known without looking at the machine.
    pub fn built() -> Origin {
        Origin {
            commit: option_env!("GARNER_COMMIT").map(str::to_owned),
            dirty: option_env!("GARNER_DIRTY").map(|dirty| dirty == "true"),
            ..Origin::default()
        }
    }

    /// The commit in a few words: `0123abcd`, `0123abcd with changes` or `unknown commit`.
    pub fn commit_line(&self) -> String {
        let changes = if self.dirty == Some(false) { "" } else { " with changes" };
        match &self.commit {
            Some(commit) => format!("{commit}{changes}"),
            None => "unknown commit".to_owned(),
        }
    }

    /// What to say where other work would make the figures wrong.
    pub fn warning(&self) -> Option<String> {
        let busy = self.busy.filter(|&busy| busy > (self.processors as f64 / 20.0).max(0.25))?;
        let processors = self.processors;
        Some(format!(
            "the machine is busy: {busy:.1} of {processors} processors had other work before the run; figures suffer"
        ))
    }
}

/// Time of all processors since the machine was started, in ticks.
#[derive(Debug, Clone, Copy)]
struct Times {
    all: u64,
    idle: u64,
    processors: usize,
}

impl Times {
    fn read() -> Option<Times> {
        Times::of(&fs::read_to_string("/proc/stat").ok()?)
    }

    fn of(text: &str) -> Option<Times> {
        let mut lines = text.lines().take_while(|line| line.starts_with("cpu"));
        let ticks = lines.next()?.split_whitespace().skip(1).map(str::parse).collect::<Result<Vec<u64>, _>>().ok()?;
        // user, nice, system, idle, iowait, irq, softirq, steal; guests' time is part of user's.
        Some(Times { all: ticks.iter().take(8).sum(), idle: ticks.get(3)? + ticks.get(4)?, processors: lines.count() })
    }

    /// Processors that had work between.
    fn busy_since(&self, before: &Times) -> f64 {
        let (all, idle) = (self.all.saturating_sub(before.all), self.idle.saturating_sub(before.idle));
        self.processors as f64 * all.saturating_sub(idle) as f64 / all.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str =
        "cpu  100 0 100 1000 0 0 0 0 0 0\ncpu0 50 0 50 500 0 0 0 0 0 0\ncpu1 50 0 50 500 0 0 0 0 0 0\nintr 5\n";
    const AFTER: &str =
        "cpu  110 0 105 1020 5 0 0 10 7 0\ncpu0 0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0 0\nintr 5\n";

    #[test]
    fn time_of_others_and_of_a_host_is_busy_and_waiting_for_a_disk_is_not() {
        let (before, after) = (Times::of(BEFORE).unwrap(), Times::of(AFTER).unwrap());
        assert_eq!(after.busy_since(&before), 1.0, "25 of 50 ticks, on two processors");
        assert_eq!(before.busy_since(&before), 0.0);
    }

    #[test]
    fn a_busy_machine_is_warned_of_and_a_quiet_one_is_not() {
        let origin = |busy, processors| Origin { busy: Some(busy), processors, ..Origin::default() };
        assert_eq!(origin(0.2, 2).warning(), None);
        assert_eq!(origin(2.0, 64).warning(), None);
        let warning = origin(1.3, 2).warning().unwrap();
        assert!(warning.contains("1.3 of 2 processors had other work"), "{warning}");
        assert_eq!(Origin::default().warning(), None);
    }

    #[test]
    fn the_commit_is_one_of_this_repository() {
        let Origin { commit: Some(commit), dirty, .. } = Origin::built() else {
            return println!("left out: when this was built, its sources were in no repository of git's");
        };
        // Not the newest: somebody may have committed since.
        let known = std::process::Command::new("git").args(["cat-file", "-e", &commit]).status();
        assert!(known.is_ok_and(|status| status.success()), "{commit}");
        assert!(commit.len() == 40 && dirty.is_some(), "{commit} {dirty:?}");
    }
}
