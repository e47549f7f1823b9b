// SPDX-License-Identifier: Apache-2.0
//! Another process's figures, found through `/proc`.

use super::Statistics;
use super::page::{NAME, Words};
use crate::error::{Error, Result};
use crate::system::shared::SharedPage;
use rustix::fs::OFlags;
use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The figures of the process `pid`, read from outside while it runs. A process with several gatherers gets their sums.
///
/// # Errors
/// [`Error::Argument`] when there is no such process, it may not be looked into, or it has not used Garner.
pub fn read(pid: u32) -> Result<Statistics> {
    let refused = |reason: String| Error::argument("pid", reason);
    let folder = format!("/proc/{pid}/fd");
    let entries = fs::read_dir(&folder).map_err(|error| refused(format!("process {pid} cannot be read: {error}")))?;
    let own_pid = own_pid(pid).unwrap_or(pid);
    entries
        .flatten()
        .filter_map(|entry| page(&entry.path()))
        // A child made by `fork` holds its parent's page too.
        .filter(|page| page.is_of(own_pid))
        .map(|page| page.statistics())
        .reduce(sum)
        .ok_or_else(|| refused(format!("process {pid} has not used Garner")))
}

/// The process's number as it sees itself, which differs inside a container.
fn own_pid(pid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    line.split_whitespace().next_back()?.parse().ok()
}

/// The page behind a descriptor, if it is one.
fn page(descriptor: &Path) -> Option<Words> {
    let target = fs::read_link(descriptor).ok()?;
    if !target.to_str()?.starts_with(&format!("/memfd:{NAME}")) {
        return None;
    }
    mapped(descriptor)
}

/// The page behind a descriptor that was one a moment ago: its owner may have put anything else there since.
fn mapped(descriptor: &Path) -> Option<Words> {
    // To open a pipe is not to wait for its other end.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(descriptor).ok()?;
    SharedPage::open(&file).map(Words::new)
}

/// The figures of two gatherers in one process, which may have written anything there.
fn sum(a: Statistics, b: Statistics) -> Statistics {
    Statistics {
        pid: a.pid,
        started: a.started.min(b.started),
        running: a.running.max(b.running),
        slots: a.slots.saturating_add(b.slots),
        private_operations: a.private_operations.saturating_add(b.private_operations),
        public_operations: a.public_operations.saturating_add(b.public_operations),
        exponentiations: a.exponentiations.saturating_add(b.exponentiations),
        batches: a.batches.saturating_add(b.batches),
        lanes_used: a.lanes_used.saturating_add(b.lanes_used),
        lanes_offered: a.lanes_offered.saturating_add(b.lanes_offered),
        public_batches: a.public_batches.saturating_add(b.public_batches),
        device_time: a.device_time.saturating_add(b.device_time),
        faults: a.faults.saturating_add(b.faults),
        retries: a.retries.saturating_add(b.retries),
        device_failures: a.device_failures.saturating_add(b.device_failures),
        out_of_service: a.out_of_service.saturating_add(b.out_of_service),
        queue: a.queue.saturating_add(b.queue),
        queue_high_water: a.queue_high_water.max(b.queue_high_water),
        busy: a.busy.saturating_add(b.busy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    use std::time::Duration;

    #[test]
    fn a_pipe_in_the_place_of_a_page_is_passed_over_and_not_waited_for() {
        let path = std::env::temp_dir().join(format!("garner-stats-pipe-{}", std::process::id()));
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let page = mapped(&path);
        fs::remove_file(&path).unwrap();
        assert!(page.is_none());
    }

    #[test]
    fn figures_that_nobody_can_have_are_summed_up_all_the_same() {
        let hostile = Statistics {
            slots: u64::MAX,
            private_operations: u64::MAX,
            public_operations: u64::MAX,
            exponentiations: 1,
            device_time: Duration::MAX,
            queue: u64::MAX,
            ..Statistics::default()
        };
        let both = sum(hostile.clone(), hostile);
        assert_eq!((both.slots, both.operations(), both.queue), (u64::MAX, u64::MAX, u64::MAX));
        assert!(both.mean_fill() >= 0.0 && both.load() >= 0.0);
    }
}
