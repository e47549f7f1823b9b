// SPDX-License-Identifier: Apache-2.0
//! What is asked of the C library that the standard library has no form of.

/// The calling thread. The standard library's handle would need memory.
pub fn this_thread() -> libc::pthread_t {
    // SAFETY: has no preconditions.
    unsafe { libc::pthread_self() }
}

/// Has the C library call `handler` when the process ends. If it cannot, all that is missed is what the handler does.
pub fn at_exit(handler: extern "C" fn()) {
    // SAFETY: the handler lives as long as this library, which is never unloaded (`-z nodelete`).
    unsafe { libc::atexit(handler) };
}
