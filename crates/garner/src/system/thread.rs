// SPDX-License-Identifier: Apache-2.0
//! Threads where memory may have run out.
//!
//! The C library makes a thread's locals of a library, and a note for each that has a destructor, when they are used first,
//! and ends the process where it has no memory for them. The standard library does the same where it has none for a thread's
//! handle. So threads are started here without that, and every thread uses its locals at once, when it was seen that there is
//! memory.

use super::{fork, pages};
use memmap2::MmapMut;
use once_cell::race::OnceRef;
use std::ffi::{CStr, c_void};
use std::hint::black_box;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::{io, ptr, thread};

/// The stack of a thread that runs batches: room for the kernels' tables and a device's driver.
const STACK: usize = 2 << 20;

/// More than a thread's locals and the notes of their destructors take.
const ROOM: usize = 64 << 10;

/// The sizes that glibc's malloc keeps apart: of each, what a thread frees it gets again before anybody else, up to seven
/// pieces. Locals come of these.
const SIZES: [usize; 64] = {
    let mut sizes = [0; 64];
    let mut at = 0;
    while at < sizes.len() {
        sizes[at] = 24 + 16 * at;
        at += 1;
    }
    sizes
};

/// The note of a destructor: its size, and more pieces of it than a thread keeps for itself. glibc takes it by `calloc`, which
/// takes none of those seven, but the others of that size before it looks for more memory.
const NOTE: usize = 40;
const NOTES: usize = 7 + 16;

/// Address space that the C library takes for a new thread's first allocations.
const AHEAD: usize = 2 << 20;

/// What each thread of ours begins with.
static AT_START: OnceRef<'static, fn() -> bool> = OnceRef::new();

/// Has each thread that is started here call `start` before anything else; it ends at once if that says no. For libraries that
/// keep memory for each of their threads; the first call decides.
pub fn at_start(start: &'static fn() -> bool) {
    let _ = AT_START.set(start);
}

/// Uses every local of the calling thread that has a destructor, if there is memory for that. Whether there is.
///
/// A library that must not end its host for want of memory calls this before anything else in a thread.
pub fn prepare() -> bool {
    let there = set_aside();
    if there {
        fork::prepare_thread();
        pages::prepare_thread();
    }
    there
}

/// Whether there is memory for this thread's locals; if so, pieces of it lie ready for the thread, so that others that take
/// memory at this moment leave enough.
fn set_aside() -> bool {
    let mut pieces = [ptr::null_mut(); NOTES + SIZES.len() + 1];
    // Freeing the large one has malloc join the small ones that lie ready: it is the first to go.
    let sizes = [ROOM].into_iter().chain([NOTE; NOTES]).chain(SIZES);
    let mut there = true;
    for (piece, size) in pieces.iter_mut().zip(sizes) {
        // SAFETY: asks for memory.
        *piece = black_box(unsafe { libc::malloc(size) });
        there &= !piece.is_null();
    }
    for piece in pieces {
        // SAFETY: memory of ours, freed once; null is ignored.
        unsafe { libc::free(piece) };
    }
    there
}

/// A thread; dropped, it goes on by itself.
pub struct Thread(libc::pthread_t);

impl Thread {
    /// Waits for its end.
    pub fn join(self) {
        // SAFETY: a thread of ours, neither joined nor detached yet.
        unsafe { libc::pthread_join(ManuallyDrop::new(self).0, ptr::null_mut()) };
    }
}

impl Drop for Thread {
    fn drop(&mut self) {
        // SAFETY: as in `join`.
        unsafe { libc::pthread_detach(self.0) };
    }
}

/// What a new thread is told.
struct Start {
    name: &'static CStr,
    state: Arc<AtomicU8>,
    body: Box<dyn FnOnce() + Send>,
}

const STARTING: u8 = 0;
const STARTED: u8 = 1;
const REFUSED: u8 = 2;

/// Starts a thread, and returns when it has the memory that it needs to begin.
///
/// # Errors
/// There is no memory for it, or there may be no more threads.
pub fn spawn(name: &'static CStr, body: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    drop(MmapMut::map_anon(STACK + AHEAD)?);
    let state = Arc::new(AtomicU8::new(STARTING));
    let start = Box::into_raw(Box::new(Start { name, state: Arc::clone(&state), body: Box::new(body) }));
    let mut attributes = MaybeUninit::uninit();
    let mut id = MaybeUninit::uninit();
    // SAFETY: attributes are initialised, used and destroyed; `begin` gets what it wants, once.
    let error = unsafe {
        let attributes = attributes.as_mut_ptr();
        match libc::pthread_attr_init(attributes) {
            0 => {
                libc::pthread_attr_setstacksize(attributes, STACK);
                let error = libc::pthread_create(id.as_mut_ptr(), attributes, begin, start.cast());
                libc::pthread_attr_destroy(attributes);
                error
            }
            error => error,
        }
    };
    if error != 0 {
        // SAFETY: no thread has it.
        drop(unsafe { Box::from_raw(start) });
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: the thread was started.
    let thread = Thread(unsafe { id.assume_init() });
    loop {
        match state.load(Ordering::Acquire) {
            STARTING => thread::yield_now(),
            STARTED => return Ok(thread),
            _ => {
                thread.join();
                return Err(io::ErrorKind::OutOfMemory.into());
            }
        }
    }
}

extern "C" fn begin(start: *mut c_void) -> *mut c_void {
    // SAFETY: from `spawn`, for this thread alone.
    let Start { name, state, body } = *unsafe { Box::from_raw(start.cast::<Start>()) };
    let start = AT_START.get().copied().unwrap_or(prepare);
    if start() {
        // It is for those who look.
        let _ = rustix::thread::set_name(name);
        state.store(STARTED, Ordering::Release);
        // A panic has been reported, and ends the thread.
        let _ = catch_unwind(AssertUnwindSafe(body));
    } else {
        state.store(REFUSED, Ordering::Release);
    }
    ptr::null_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn a_thread_has_its_name_and_is_joined_also_after_a_panic() {
        let name = Arc::new(Mutex::new(String::new()));
        let place = Arc::clone(&name);
        let body = move || {
            *place.lock().unwrap() = std::fs::read_to_string("/proc/thread-self/comm").unwrap();
            panic!("as it should");
        };
        spawn(c"garner-test", body).unwrap().join();
        assert_eq!(*name.lock().unwrap(), "garner-test\n");
    }
}
