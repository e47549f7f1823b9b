// SPDX-License-Identifier: Apache-2.0
//! A thread's first call: it gets its promise, and its locals.
//!
//! The C library makes a thread's locals of a module when the first of them is used, and where it has no memory for them ends
//! the process. Whether a thread was here already is therefore kept by `pthread_setspecific`, which can fail.

use crate::pool;
use crate::promise::{Promise, THREAD, kept};
use std::ffi::c_void;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// The key under which a thread finds that it was here, plus one; 0 before there is one.
static KEY: AtomicU32 = AtomicU32::new(0);

/// Threads that were here and have not ended.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// To be called before anything else in each call that may be refused: whether the calling thread has the memory it may
/// need. `prepare` sees to its locals at its first call, and says whether there is memory for them.
pub fn enter(prepare: fn() -> bool) -> bool {
    enter_to_free(prepare) && (pool::in_use() == 0 || kept())
}

/// To be called before anything else in each call that cannot be refused, as it frees something: whether it may go on.
/// If not, what was to be freed is left behind: the C library would end the process.
pub fn enter_to_free(prepare: fn() -> bool) -> bool {
    is_known() || introduce(prepare).is_some()
}

/// Whether the calling thread was here.
fn is_known() -> bool {
    let key = KEY.load(Ordering::Acquire);
    // SAFETY: a key that was made and is never deleted.
    key > 0 && !unsafe { libc::pthread_getspecific(key - 1) }.is_null()
}

fn key() -> Option<libc::pthread_key_t> {
    let known = KEY.load(Ordering::Acquire);
    if known > 0 {
        return Some(known - 1);
    }
    let mut made = 0;
    // SAFETY: a place for the key; the destructor lives as long as the module, which is never unloaded.
    if unsafe { libc::pthread_key_create(&mut made, Some(left)) } != 0 {
        return None;
    }
    match KEY.compare_exchange(0, made + 1, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(made),
        Err(other) => {
            // SAFETY: nobody else knows it.
            unsafe { libc::pthread_key_delete(made) };
            Some(other - 1)
        }
    }
}

#[cold]
fn introduce(prepare: fn() -> bool) -> Option<()> {
    let promise = Promise::of(THREAD)?;
    let key = key()?;
    // SAFETY: a live key; any value but null says that the thread was here.
    if unsafe { libc::pthread_setspecific(key, ptr::without_provenance_mut(1)) } != 0 {
        return None;
    }
    if !prepare() {
        // SAFETY: as above; to null it cannot fail.
        unsafe { libc::pthread_setspecific(key, ptr::null()) };
        return None;
    }
    mem::forget(promise); // `left` ends it.
    THREADS.fetch_add(1, Ordering::Relaxed);
    Some(())
}

/// Ends the promise of a thread that ends.
unsafe extern "C" fn left(_: *mut c_void) {
    THREADS.fetch_sub(1, Ordering::Relaxed);
    drop(Promise::taken_over(THREAD));
}

/// Ends the promises of the threads that a child does not have: all but the one that forked.
pub(crate) fn after_fork_in_child() {
    let here = usize::from(is_known());
    let gone = THREADS.swap(here, Ordering::Relaxed).saturating_sub(here);
    drop(Promise::taken_over(gone * THREAD));
}
