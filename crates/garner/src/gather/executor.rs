//! The threads that run tickets: the gatherer's own, and callers of whole batches, who lend it theirs.
//!
//! Its own are started one at a time, when a slot is free for a ticket and no executor is idle; at most one for each slot
//! and one for public operations. They leave on shut-down. A forked child starts its own.

use super::class::Pool;
use super::core::{Core, Process};
use super::leader::{Slot, give_way};
use super::queue::Queue;
use crate::error::{Error, Result};
use crate::sync::{lock, wait};
use std::sync::Arc;
use std::thread;

/// Room for the kernels' tables and a device's driver.
const STACK: usize = 2 << 20;

/// Starts an executor, idle.
///
/// # Errors
/// [`Error::Device`] when the process may have no more threads.
pub fn start(core: &Arc<Core>, queue: &mut Queue) -> Result<()> {
    let shared = Arc::clone(core);
    let handle = thread::Builder::new()
        .name("garner-executor".to_owned())
        .stack_size(STACK)
        .spawn(move || work(&shared))
        .map_err(|error| Error::Device { device: "garner-executor".to_owned(), reason: error.to_string() })?;
    queue.executors.threads += 1;
    queue.executors.idle += 1;
    queue.executors.handles.push(handle);
    Ok(())
}

/// Assigns a slot of `pool` to an idle executor, or starts one if there are no more than execution slots. Whether it was possible:
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
        if queue.closed {
            queue.executors.idle -= 1;
            return None;
        }
        queue = wait(&process.work, queue);
    }
}

fn one_batch(core: &Arc<Core>, process: &Process, pool: Pool) {
    let mut slot = Slot::new(core, process, pool, false);
    run_oldest(core, process, pool, &mut slot);
    // Idle from here on, so that a slot may be handed to this executor itself. First one of the other pool, whose
    // tickets may have found no executor: nobody else would look after them.
    let mut queue = lock(&process.queue);
    queue.executors.idle += 1;
    let handed = core.dispatch(process, &mut queue, pool.other());
    drop(queue);
    handed.wake(process);
    drop(slot);
}

/// Runs tickets in the calling thread, in a slot counted as running and gathering already, batch after batch, until
/// `enough` says so or the oldest operation has a caller who can lead.
pub fn lend(core: &Arc<Core>, process: &Process, pool: Pool, enough: impl Fn() -> bool) {
    let mut slot = Slot::new(core, process, pool, false);
    loop {
        run_oldest(core, process, pool, &mut slot);
        if enough() {
            return;
        }
        let mut queue = lock(&process.queue);
        slot.note_end(&mut queue);
        core.note_use(process, &mut queue);
        let state = queue.pool(pool);
        if !matches!(state.oldest(), Some((_, false))) {
            return;
        }
        state.gathering += 1;
    }
}

/// Runs one batch with the oldest operation, if one waits. Whoever is on the way to it has arrived.
fn run_oldest(core: &Arc<Core>, process: &Process, pool: Pool, slot: &mut Slot<'_>) {
    let mut queue = give_way(core, process, pool, None, lock(&process.queue));
    queue.pool(pool).gathering -= 1;
    let Some((class, _)) = queue.pool(pool).oldest() else { return };
    let available = queue.pool(pool).in_line(class);
    let choice = core.route.choose(class, available);
    let entries = core.take(process, &mut queue, class, choice.take);
    let handed = core.dispatch(process, &mut queue, pool);
    drop(queue);
    handed.wake(process);
    slot.run(class, choice.path, None, entries);
}

/// Takes an executor off the count when its thread ends, however it ends.
struct Leaving<'a>(&'a Process);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        lock(&self.0.queue).executors.threads -= 1;
        self.0.quiet.notify_all();
    }
}
