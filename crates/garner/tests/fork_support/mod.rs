// SPDX-License-Identifier: Apache-2.0
//! Children made by fork(2), and how they ended.

/// Runs `work` in a forked child, which ends with 0 if it returned true. Nothing of the test harness runs in the child.
pub fn fork(work: impl FnOnce() -> bool) -> libc::pid_t {
    // SAFETY: the child uses only what this library promises to work after fork, and leaves by _exit.
    match unsafe { libc::fork() } {
        0 => {
            // A child that hangs is killed by the alarm, and the parent sees that.
            // SAFETY: plain system calls.
            unsafe { libc::alarm(100) };
            let good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(false);
            // SAFETY: ends the process without running the parent's handlers.
            unsafe { libc::_exit(if good { 0 } else { 1 }) }
        }
        child => {
            assert!(child > 0, "fork failed");
            child
        }
    }
}

/// The wait status of a child; 0 for a good end.
pub fn status(child: libc::pid_t) -> i32 {
    let mut status = -1;
    // SAFETY: `status` outlives the call.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    status
}
