// SPDX-License-Identifier: Apache-2.0
//! What belongs to one process: state that a child made by `fork` must not share with, or inherit locked from, its parent.

mod away;

pub use away::away_from_fork;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::{fmt, ptr};

/// The generation of a process that no fork made since the library was loaded.
const FIRST: u64 = 1;

static GENERATION: AtomicU64 = AtomicU64::new(FIRST);

extern "C" fn before_fork() {
    away::before_fork();
}

extern "C" fn after_fork_in_parent() {
    away::after_fork_in_parent();
}

extern "C" fn after_fork_in_child() {
    GENERATION.fetch_add(1, Ordering::Relaxed);
    away::after_fork_in_child();
}

/// Makes libcrypto initialise itself, if it has not yet: called where the first of its functions may be called. Its own
/// locks know nothing of fork.
pub fn initialise_libcrypto() {
    away_from_fork(openssl::init);
}

/// Waits until no other thread is in work that was begun before this, see [`away_from_fork`].
pub(crate) fn nobody_is_away() {
    away::before_fork();
    away::after_fork_in_parent();
}

/// Uses this module's local that has a destructor: see [`crate::thread::prepare`].
pub(crate) fn prepare_thread() {
    away::prepare_thread();
}

/// A number that is the same throughout a process and differs in every child made by `fork`.
pub fn generation() -> u64 {
    GENERATION.load(Ordering::Relaxed)
}

/// Whether a `fork` made this process after the library was loaded.
pub fn is_child() -> bool {
    generation() != FIRST
}

/// Registers the handlers when the program or library is loaded. At the first use would be too late for a fork that is
/// just under way then: its child could find a lock of libcrypto taken.
#[used]
#[unsafe(link_section = ".init_array")]
static WATCH: extern "C" fn() = {
    extern "C" fn watch() {
        // SAFETY: the handlers are async-signal-safe (atomics and yields) and live as long as this library, whose
        // handlers the C library drops when it is unloaded.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork_in_parent), Some(after_fork_in_child)) };
    }
    watch
};

struct Slot<T> {
    generation: u64,
    value: T,
}

/// A value that every process has for itself: after `fork` the child's first use makes a fresh one.
///
/// The parent's value is left alone in the child's memory, never dropped: it may be locked or half changed by
/// a thread that does not exist in the child.
pub struct ForkLocal<T> {
    current: AtomicPtr<Slot<T>>,
}

impl<T: Default> ForkLocal<T> {
    /// This process's value.
    pub fn get(&self) -> &T {
        self.get_or_make(T::default)
    }
}

impl<T> ForkLocal<T> {
    /// Nothing yet; the first use makes the value.
    pub const fn new() -> ForkLocal<T> {
        ForkLocal { current: AtomicPtr::new(ptr::null_mut()) }
    }

    /// This process's value, made by `make` on first use; two threads may both make it, and one of them is dropped.
    pub fn get_or_make(&self, make: impl Fn() -> T) -> &T {
        let generation = generation();
        loop {
            let current = self.current.load(Ordering::Acquire);
            // SAFETY: a non-null pointer came from `Box::into_raw` below and is freed only by `drop`, which has `&mut`.
            if let Some(slot) = unsafe { current.as_ref() }
                && slot.generation == generation
            {
                return &slot.value;
            }
            let fresh = Box::into_raw(Box::new(Slot { generation, value: make() }));
            if self.current.compare_exchange(current, fresh, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: `fresh` was never shared: the exchange failed.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }
}

impl<T: Default> Default for ForkLocal<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for ForkLocal<T> {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        // SAFETY: see `get`; `&mut self` rules out other users.
        if let Some(slot) = unsafe { current.as_ref() }
            && slot.generation == generation()
        {
            // SAFETY: as above, and the value belongs to this process.
            drop(unsafe { Box::from_raw(current) });
        }
    }
}

// SAFETY: the value is reached only through `&T` from `get`, and dropped by whoever owns the `ForkLocal`.
unsafe impl<T: Send + Sync> Send for ForkLocal<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for ForkLocal<T> {}

impl<T> fmt::Debug for ForkLocal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ForkLocal")
    }
}
