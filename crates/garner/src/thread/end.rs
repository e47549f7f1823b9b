// SPDX-License-Identifier: Apache-2.0
//! What there is to do when a thread ends.
//!
//! For a thread's local with a destructor the C library takes memory at its first use (`__cxa_thread_atexit_impl`), and ends
//! the process where it has none. `pthread_setspecific` takes none for the first 32 keys of a process, and says so where it
//! has none for another. So locals have no destructor here (they are `const`, of `ManuallyDrop`), and what frees them is asked
//! for when there is something to free.
//!
//! Used by all modules with such locals, those of the front ends too.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

/// What is called at the end of each thread that [asked](AtEnd::watch) for it. For a static: it is known by its address.
///
/// The C library calls it after the destructors of locals, in the order in which libraries made their first keys; it may use
/// locals without destructor, and ask again.
#[derive(Debug)]
pub struct AtEnd {
    run: fn(),
}

/// What one thread asked for.
type Asked = [Option<&'static AtEnd>; 4];

thread_local! {
    static ASKED: Cell<Asked> = const { Cell::new([None; 4]) };
}

impl AtEnd {
    /// Has `run` called, which must not panic.
    pub const fn new(run: fn()) -> AtEnd {
        AtEnd { run }
    }

    /// Asks for the calling thread, once or more often. Whether it will be called; if not, there is no memory for that.
    pub fn watch(&'static self) -> bool {
        let mut asked = ASKED.get();
        if asked.iter().flatten().any(|&other| ptr::eq(other, self)) {
            return true;
        }
        let first = asked.iter().all(Option::is_none);
        let Some(place) = asked.iter_mut().find(|place| place.is_none()) else { return false };
        if first && !set() {
            return false;
        }
        *place = Some(self);
        ASKED.set(asked);
        true
    }
}

/// The key, plus one; 0 before there is one, [`GONE`] when the library is unloaded or the process ends.
static KEY: AtomicU32 = AtomicU32::new(0);
const GONE: u32 = u32::MAX;

/// Has [`ended`] called for this thread. Whether it will be.
fn set() -> bool {
    let key = match KEY.load(Ordering::Acquire) {
        0 => match make() {
            Some(key) => key,
            None => return false,
        },
        GONE => return false,
        known => known - 1,
    };
    // SAFETY: a key of ours; any value but null has the destructor called. A key that was deleted meanwhile is refused.
    unsafe { libc::pthread_setspecific(key, ptr::without_provenance(1)) == 0 }
}

fn make() -> Option<libc::pthread_key_t> {
    let mut made = 0;
    // SAFETY: a place for the key; the destructor is called no more when `unload` deleted it.
    if unsafe { libc::pthread_key_create(&mut made, Some(ended)) } != 0 {
        return None;
    }
    match KEY.compare_exchange(0, made + 1, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(made),
        Err(other) => {
            // SAFETY: nobody else knows it.
            unsafe { libc::pthread_key_delete(made) };
            (other != GONE).then(|| other - 1)
        }
    }
}

unsafe extern "C" fn ended(_: *mut c_void) {
    for end in ASKED.take().into_iter().flatten() {
        (end.run)();
    }
}

/// Deletes the key before this code is unmapped: what threads have then is left behind.
#[used]
#[unsafe(link_section = ".fini_array")]
static UNLOAD: extern "C" fn() = {
    extern "C" fn unload() {
        let key = KEY.swap(GONE, Ordering::AcqRel);
        if key != 0 && key != GONE {
            // SAFETY: a key of ours, deleted once.
            unsafe { libc::pthread_key_delete(key - 1) };
        }
    }
    unload
};

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::thread;

    #[test]
    fn an_end_is_called_once_a_thread_that_asked_and_may_ask_again() {
        static CALLS: AtomicUsize = AtomicUsize::new(0);
        static OTHERS: AtomicUsize = AtomicUsize::new(0);
        static OTHER: AtEnd = AtEnd::new(|| {
            OTHERS.fetch_add(1, Ordering::Relaxed);
        });
        static END: AtEnd = AtEnd::new(|| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            assert!(OTHER.watch());
        });
        for threads in 1..=3 {
            thread::spawn(|| assert!(END.watch() && END.watch())).join().unwrap();
            thread::spawn(|| ()).join().unwrap();
            assert_eq!([&CALLS, &OTHERS].map(|count| count.load(Ordering::Relaxed)), [threads; 2]);
        }
    }
}
