// SPDX-License-Identifier: Apache-2.0
//! How a test makes a child of a process that has a board.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Whether `work` is true in a child made by `fork`.
pub fn in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child makes no use of other threads' locks but the allocator's, which the C library looks after, and ends by
    // `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let good = catch_unwind(AssertUnwindSafe(work)).unwrap_or(false);
        // SAFETY: ends the child without running what is the parent's.
        unsafe { libc::_exit(i32::from(!good)) };
    }
    let mut status = 1;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    status == 0
}
