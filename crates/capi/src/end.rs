// SPDX-License-Identifier: Apache-2.0
//! The end of the process. When `main` returns, libcrypto cleans up while the program's threads may still sign, and the
//! gatherer's for tickets: none of them may meet it then.

use core_garner::fork::initialise_libcrypto;
use core_garner::random::leave_libcrypto;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether [`at_exit`] is registered; a child made by `fork` inherits that.
static WATCHING: AtomicBool = AtomicBool::new(false);

/// Whether the process has a gatherer: one that was never asked for is not opened to be ended.
static OPENED: AtomicBool = AtomicBool::new(false);

/// Threads that sign are served as ever, but without libcrypto; tickets that wait get their answers.
extern "C" fn at_exit() {
    if OPENED.load(Ordering::SeqCst)
        && let Ok(gatherer) = garner_devices::gatherer()
    {
        gatherer.retire();
    }
    leave_libcrypto();
}

/// Before anything of libcrypto's is used: has the C library call [`at_exit`] before libcrypto cleans up. If it cannot, all that is missed is what that does.
pub fn watch() {
    // Written once: each call reads it, on whatever processor.
    if !WATCHING.load(Ordering::Relaxed) && !WATCHING.swap(true, Ordering::SeqCst) {
        // What is registered last is called first.
        initialise_libcrypto();
        // SAFETY: the handler lives as long as this library, which is never unloaded (`-z nodelete`).
        unsafe { libc::atexit(at_exit) };
    }
}

/// The gatherer of the process is there.
pub fn opened() {
    if !OPENED.load(Ordering::Relaxed) {
        OPENED.store(true, Ordering::SeqCst);
    }
}
