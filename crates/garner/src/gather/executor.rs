// SPDX-License-Identifier: Apache-2.0
//! The threads that run tickets: the gatherer's own, and callers of whole batches, who lend it theirs.
//!
//! Its own are started one at a time, when a slot is free for a ticket and no executor is idle; at most one for each slot
//! and one for public operations. They leave on shut-down, and on retirement when no ticket waits. A forked child starts its own.

use super::class::Pool;
use super::core::{Core, Own, Process};
use super::leader::{Inside, Results, Slot, give_way};
use super::queue::Queue;
use crate::error::{Error, Result};
use crate::sync::{lock, wait};
use crate::thread;
use std::io::ErrorKind;
use std::sync::Arc;

/// Starts an executor, idle.
///
/// # Errors
/// [`Error::Memory`], or [`Error::Device`] when the process may have no more threads.
pub fn start(core: &Arc<Core>, queue: &mut Queue) -> Result<()> {
    let shared = Arc::clone(core);
    let handle = thread::spawn(c"garner-executor", move || work(&shared)).map_err(|error| match error.kind() {
        ErrorKind::OutOfMemory => Error::Memory,
        _ => Error::Device { device: "garner-executor".to_owned(), reason: error.to_string() },
    })?;
    queue.executors.threads += 1;
    queue.executors.idle += 1;
    queue.executors.handles.push(handle);
    Ok(())
}

/// Calls an idle executor for a batch of `pool`, or starts one if there are no more than execution slots. Whether it was possible:
/// if not, all executors are busy, and the first that ends its batch sees to what waits in either pool. The caller wakes
/// it.
pub fn rouse(core: &Arc<Core>, queue: &mut Queue, pool: Pool) -> bool {
    let spare = |queue: &Queue| queue.executors.idle > queue.executors.assigned.iter().sum();
    let may_start = queue.executors.threads <= core.slots;
    if !(spare(queue) || may_start && start(core, queue).is_ok()) {
        return false;
    }
    queue.executors.assigned[pool as usize] += 1;
    true
}

fn work(core: &Arc<Core>) {
    let process = core.process();
    let _leaving = Leaving(process);
    while let Some(pool) = next(process) {
        one_batch(core, process, pool);
    }
}

/// Waits for an assignment; `None` when there will be none any more.
fn next(process: &Process) -> Option<Pool> {
    let mut queue = lock(&process.queue);
    loop {
        let executors = &mut queue.executors;
        let assigned = Pool::ALL.into_iter().find(|&pool| executors.assigned[pool as usize] > 0);
        if let Some(pool) = assigned {
            executors.assigned[pool as usize] -= 1;
            executors.idle -= 1;
            return Some(pool);
        }
        if queue.closed || queue.retired && !queue.has_tickets() {
            queue.executors.idle -= 1;
            return None;
        }
        queue = wait(&process.work, queue);
    }
}

fn one_batch(core: &Arc<Core>, process: &Process, pool: Pool) {
    let _inside = Inside::enter();
    if let Some((slot, results)) = run_oldest(core, process, pool) {
        // Wakers are others' code, and may be long: it has no slot meanwhile, and is not idle before.
        slot.close(results);
    }
    let mut queue = lock(&process.queue);
    // Idle from here on, so that this executor itself may be called. First for the other pool, whose tickets may have
    // found no executor: nobody else would look after them.
    queue.executors.idle += 1;
    let mut called = core.dispatch(&mut queue, pool.other(), true);
    called.append(core.dispatch(&mut queue, pool, true));
    drop(queue);
    called.wake(process);
}

/// Runs tickets in the calling thread, counted as gathering already, batch after batch, until `enough` says so, the oldest
/// operation has a caller who can lead, or others are on the way to what is left.
pub fn lend(core: &Arc<Core>, process: &Process, pool: Pool, enough: impl Fn() -> bool) {
    let _inside = Inside::enter();
    while let Some((slot, results)) = run_oldest(core, process, pool) {
        if results.have_tickets() {
            // A waker may wait for what comes next: nobody else would take it, were this thread on the way to it.
            slot.close(results);
            if enough() || !core.gather_in_free_slot(&mut lock(&process.queue), pool) {
                return;
            }
            continue;
        }
        let mut queue = lock(&process.queue);
        let answering = slot.end(&mut queue, &results);
        let goes_on = core.gather_in_free_slot(&mut queue, pool);
        let called = core.dispatch(&mut queue, pool, true);
        drop(queue);
        results.tell(process, called, answering);
        if !goes_on {
            return;
        }
        if enough() {
            let mut queue = lock(&process.queue);
            queue.pool(pool).gathering -= 1;
            let called = core.dispatch(&mut queue, pool, true);
            drop(queue);
            called.wake(process);
            return;
        }
    }
}

/// Runs one batch with the oldest operation, if one waits and a slot is free: else whoever ends a batch sees to it. Whoever
/// was on the way to it has arrived.
fn run_oldest<'a>(core: &'a Arc<Core>, process: &'a Process, pool: Pool) -> Option<(Slot<'a>, Results)> {
    let mut queue = give_way(core, process, pool, None, lock(&process.queue));
    let state = queue.pool(pool);
    state.gathering -= 1;
    let (class, _) = state.oldest(true).filter(|_| state.running < core.slots)?;
    let choice = core.route.choose(class, core.available(state, class, Own::Nowhere));
    let (mut slot, entries) = Slot::take(core, process, queue, class, choice.path, choice.take);
    let results = slot.run(class, choice.path, None, entries);
    Some((slot, results))
}

/// Takes an executor off the count when its thread ends, however it ends.
struct Leaving<'a>(&'a Process);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        lock(&self.0.queue).executors.threads -= 1;
        self.0.quiet.notify_all();
    }
}
