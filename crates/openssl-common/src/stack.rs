// SPDX-License-Identifier: Apache-2.0
//! Room for operations that run inside asynchronous jobs: a job's own stack has 32 KiB, and no guard page at its end.

use crate::job::Job;
use corosensei::on_stack;
use corosensei::stack::DefaultStack;
use std::cell::Cell;

/// As much as the gatherer gives its executors. Memory is taken only for what is used.
const SIZE: usize = 2 << 20;

thread_local! {
    /// This thread's spare stack, free whenever it lies here.
    static SPARE: Cell<Option<DefaultStack>> = const { Cell::new(None) };
}

/// Uses this module's local that has a destructor: see [`garner::thread::prepare`].
pub(crate) fn prepare_thread() {
    SPARE.set(SPARE.take());
}

/// Whether this thread is inside an asynchronous job of OpenSSL.
pub fn in_a_job() -> bool {
    Job::current().is_some()
}

/// Runs `body` with enough stack for any operation: inside a job on a stack of the thread's own, elsewhere as it is.
/// `body` **must not pause the job**: the next job of this thread needs the stack too. `None` when there is no memory.
pub fn with_room<R>(body: impl FnOnce() -> R) -> Option<R> {
    if !in_a_job() {
        return Some(body());
    }
    let mut stack = match SPARE.take() {
        Some(stack) => stack,
        None => DefaultStack::new(SIZE).ok()?,
    };
    let result = on_stack(&mut stack, body);
    SPARE.set(Some(stack));
    Some(result)
}
