// SPDX-License-Identifier: Apache-2.0
//! The threads that run tickets: the gatherer's own, and callers of whole batches, who lend it theirs.
//!
//! The scheduler has executors started one at a time, when a slot is free for a ticket and no executor is idle. They leave
//! on shut-down, and on retirement when no ticket waits. A forked child starts its own.

use super::class::Pool;
use super::core::{Core, Work};
use super::leader::Leader;
use super::scheduler::{Assignment, Next};
use super::threads::{Thread, spawn};
use crate::error::{Error, Result};
use crate::fork::generation;
use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

const NAME: &CStr = c"garner-executor";

/// Starts an executor.
///
/// # Errors
/// [`Error::Memory`], or [`Error::Device`] when the process may have no more threads.
pub fn start(core: &Arc<Core>) -> Result<Thread> {
    let shared = Arc::clone(core);
    spawn(NAME, move || work(&shared)).map_err(|error| Error::thread(NAME, &error))
}

fn work(core: &Arc<Core>) {
    let process = generation();
    let mut last = None;
    while let Some((pool, next)) = next(core, last) {
        // Who waits for its tickets waits for this thread.
        let batch = || core.next_batch(next).map(|batch| core.lead(batch, Leader::Own));
        let _ = catch_unwind(AssertUnwindSafe(batch));
        if generation() != process {
            // A child that a waker or a signal's handler made: this thread is none of its executors.
            return;
        }
        last = Some(pool);
    }
    core.report(|scheduler, _| scheduler.executor_left());
}

/// Waits for an assignment, after a batch of the `last` pool; `None` when there will be none any more.
fn next(core: &Arc<Core>, last: Option<Pool>) -> Option<(Pool, Next<Work>)> {
    let mut locked = core.lock();
    if let Some(pool) = last {
        locked.report(|scheduler, at| scheduler.executor_idle(pool, at));
    }
    loop {
        match locked.report(|scheduler, at| scheduler.executor_next(at)) {
            Assignment::Take(pool, next) => {
                locked.release();
                return Some((pool, next));
            }
            Assignment::Leave => {
                locked.release();
                return None;
            }
            Assignment::Wait => locked = locked.wait_for_work().unwrap_or_else(|| core.lock()),
        }
    }
}

/// Runs tickets in the calling thread, batch after batch, until `enough` says so, the oldest operation has a caller who can
/// lead, or others are assigned to what is left.
pub fn lend(core: &Arc<Core>, mut next: Next<Work>, enough: impl Fn() -> bool) {
    let process = generation();
    while let Some(batch) = core.next_batch(next) {
        let assigned = core.lead(batch, Leader::Lent);
        if generation() != process {
            return;
        }
        next = match assigned {
            Some(pool) if enough() => return core.report(|scheduler, at| scheduler.stands_down(pool, at)),
            Some(pool) => core.report(|scheduler, at| scheduler.goes_on(pool, at)),
            None if enough() => return,
            None => core.report(|scheduler, at| scheduler.lends(at)),
        };
    }
}
