//! Another process's figures, found through `/proc`.

use super::Statistics;
use super::page::{BYTES, NAME, Words};
use crate::error::{Error, Result};
use memmap2::MmapOptions;
use rustix::fs::SealFlags;
use std::fs::{self, File};
use std::path::Path;

/// The figures of the process `pid`, read from outside while it runs. A process with several gatherers gets their sums.
///
/// # Errors
/// [`Error::Argument`] when there is no such process, it may not be looked into, or it has used no gatherer.
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
        .ok_or_else(|| refused(format!("process {pid} has used no gatherer")))
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
    let file = File::open(descriptor).ok()?;
    // Without the seal its owner could shorten the page under us.
    let sealed = rustix::fs::fcntl_get_seals(&file).ok()?.contains(SealFlags::SHRINK);
    if !sealed || file.metadata().ok()?.len() != BYTES as u64 {
        return None;
    }
    // SAFETY: the length cannot shrink any more; others write to the page, so it is read through atomics only.
    let map = unsafe { MmapOptions::new().len(BYTES).map(&file) }.ok()?;
    Some(Words::new(map.into()))
}

/// The figures of two gatherers in one process.
fn sum(a: Statistics, b: Statistics) -> Statistics {
    Statistics {
        pid: a.pid,
        started: a.started.min(b.started),
        running: a.running.max(b.running),
        slots: a.slots + b.slots,
        private_operations: a.private_operations + b.private_operations,
        public_operations: a.public_operations + b.public_operations,
        exponentiations: a.exponentiations + b.exponentiations,
        batches: a.batches + b.batches,
        lanes_used: a.lanes_used + b.lanes_used,
        lanes_offered: a.lanes_offered + b.lanes_offered,
        public_batches: a.public_batches + b.public_batches,
        device_time: a.device_time + b.device_time,
        faults: a.faults + b.faults,
        retries: a.retries + b.retries,
        device_failures: a.device_failures + b.device_failures,
        out_of_service: a.out_of_service + b.out_of_service,
        queue: a.queue + b.queue,
        queue_high_water: a.queue_high_water.max(b.queue_high_water),
    }
}
