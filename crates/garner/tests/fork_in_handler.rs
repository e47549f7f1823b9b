// SPDX-License-Identifier: Apache-2.0
//! fork(2) in a signal handler that interrupts work no fork may fall into: the thread cannot wait for itself.

mod fork_support;

use fork_support::{fork, status};
use garner::fork::away_from_fork;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// What became of the handler's child; its own value there.
static CHILD: AtomicI32 = AtomicI32::new(-1);

extern "C" fn fork_in_handler(_: libc::c_int) {
    // SAFETY: the handler of a signal that the thread itself raises, outside of any function with locks.
    CHILD.store(unsafe { libc::fork() }, Ordering::SeqCst);
}

#[test]
fn thread_that_forks_while_it_is_inside_goes_on_and_so_does_its_child() {
    let first = fork(|| {
        let handler = fork_in_handler as extern "C" fn(libc::c_int);
        // SAFETY: sets the handler above, which has the right type, and raises its signal in this thread.
        away_from_fork(|| unsafe {
            libc::signal(libc::SIGUSR1, handler as libc::sighandler_t);
            libc::raise(libc::SIGUSR1);
        });
        match CHILD.load(Ordering::SeqCst) {
            -1 => false,
            // Its forks wait for nobody, and other threads' forks wait for it.
            0 => status(fork(|| away_from_fork(|| true))) == 0 && forks_wait_for_others(),
            child => status(child) == 0 && forks_wait_for_others(),
        }
    });
    assert_eq!(status(first), 0);
}

#[test]
fn fork_waits_for_other_threads_that_are_inside() {
    assert_eq!(status(fork(forks_wait_for_others)), 0);
}

/// Whether a child never sees another thread inside.
fn forks_wait_for_others() -> bool {
    static INSIDE: AtomicUsize = AtomicUsize::new(0);
    let busy = || {
        for _ in 0..100 {
            away_from_fork(|| {
                INSIDE.fetch_add(1, Ordering::SeqCst);
                thread::sleep(Duration::from_micros(200));
                INSIDE.fetch_sub(1, Ordering::SeqCst);
            });
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(busy)).collect();
        let mut good = true;
        while !threads.iter().all(|thread| thread.is_finished()) {
            good &= status(fork(|| INSIDE.load(Ordering::SeqCst) == 0)) == 0;
        }
        good
    })
}
