// SPDX-License-Identifier: Apache-2.0
//! The reserve in a child of a process with many threads.

use garner_reserve::{Promise, THREAD, enter};
use std::sync::Barrier;
use std::thread;

#[test]
fn child_keeps_no_promises_of_threads_that_it_does_not_have() {
    const THREADS: usize = 16;
    assert!(enter(|| true));
    let barrier = Barrier::new(THREADS + 1);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                assert!(enter(|| true));
                // All are here while the child is made.
                barrier.wait();
                barrier.wait();
            });
        }
        barrier.wait();
        // SAFETY: the child allocates nothing and leaves by _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let none = libc::rlimit { rlim_cur: 1 << 20, rlim_max: 1 << 20 };
            // SAFETY: a lower limit; then the end, without the parent's handlers.
            unsafe {
                libc::setrlimit(libc::RLIMIT_AS, &raw const none);
                let promise = Promise::of(THREADS * THREAD);
                libc::_exit(i32::from(promise.is_none()));
            }
        }
        barrier.wait();
        let mut status = -1;
        // SAFETY: a place for the status.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert_eq!(status, 0, "what the parent's threads were promised is to be had");
    });
}
