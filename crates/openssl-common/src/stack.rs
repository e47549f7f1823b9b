// SPDX-License-Identifier: Apache-2.0
//! Room for operations that run inside asynchronous jobs: a job's own stack has 32 KiB, and no guard page at its end.

use crate::job::Job;
use corosensei::on_stack;
use corosensei::stack::DefaultStack;
use garner::thread::AtEnd;
use std::cell::Cell;
use std::mem::ManuallyDrop;

/// As much as the gatherer gives its executors. Memory is taken only for what is used.
const SIZE: usize = 2 << 20;

thread_local! {
    /// This thread's spare stack, free whenever it lies here.
    static SPARE: Cell<ManuallyDrop<Option<DefaultStack>>> = const { Cell::new(ManuallyDrop::new(None)) };
}

/// Unmaps it.
static AT_END: AtEnd = AtEnd::new(|| drop(exchange(None)));

/// Leaves a stack for the next job of this thread, and takes the one that was there.
fn exchange(stack: Option<DefaultStack>) -> Option<DefaultStack> {
    ManuallyDrop::into_inner(SPARE.replace(ManuallyDrop::new(stack)))
}

/// Runs `body` with enough stack for any operation: inside a job on a stack of the thread's own, elsewhere as it is.
/// `body` **must not pause the job**: the next job of this thread needs the stack too. `None` when there is no memory.
pub fn with_room<R>(body: impl FnOnce() -> R) -> Option<R> {
    if Job::current().is_none() {
        return Some(body());
    }
    let mut stack = match exchange(None) {
        Some(stack) => stack,
        None => DefaultStack::new(SIZE).ok()?,
    };
    let result = on_stack(&mut stack, body);
    if AT_END.watch() {
        drop(exchange(Some(stack)));
    }
    Some(result)
}
