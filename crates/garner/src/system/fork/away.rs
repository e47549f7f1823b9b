// SPDX-License-Identifier: Apache-2.0
//! Work that no `fork` may fall into.
//!
//! Each thread has a mark that says whether it is inside; a fork waits until no other thread's is set. Marks and not a count:
//! a signal handler may fork too (POSIX allowed it until 2024), of a thread that is inside itself, or about to be.

use std::cell::Cell;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{ptr, thread};

/// One thread's mark. Marks are never freed, but used again by other threads.
struct Mark {
    /// [`this_thread`] of whose it is; 0 of nobody.
    owner: AtomicUsize,
    /// How deep its thread is inside.
    depth: AtomicUsize,
    next: AtomicPtr<Mark>,
}

static MARKS: AtomicPtr<Mark> = AtomicPtr::new(ptr::null_mut());

/// How long a thread that is inside waits for others that are before it forks.
const LONGEST: Duration = Duration::from_millis(100);

/// Forks that are under way or wait.
static FORKING: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static MINE: Cell<Option<&'static Mark>> = const { Cell::new(None) };
    /// What there is to do when the thread ends.
    static END: End = const { End };
}

struct End;

unsafe extern "C" {
    /// Frees what libcrypto keeps for this thread, its random number generators among it (OPENSSL_init_crypto(3)). Safe: it
    /// takes nothing, and what is freed is made again when it is wanted.
    safe fn OPENSSL_thread_stop();
}

impl Drop for End {
    fn drop(&mut self) {
        // libcrypto would do it a moment later, with its global locks taken and no fork kept away. Leaving gives the mark back,
        // as always in a thread that is ending.
        away_from_fork(|| OPENSSL_thread_stop());
    }
}

/// Uses this module's local that has a destructor: see [`crate::thread::prepare`].
pub(super) fn prepare_thread() {
    let _ = END.try_with(|_| ());
}

fn give_back() {
    if let Some(mark) = MINE.take() {
        mark.owner.store(0, Ordering::Release);
    }
}

/// The same in a child made by this thread, and never 0.
fn this_thread() -> usize {
    // SAFETY: has no preconditions; safe to call from a signal handler.
    unsafe { libc::pthread_self() as usize }
}

/// All marks; safe to call from a signal handler.
fn marks() -> impl Iterator<Item = &'static Mark> {
    let at = |place: &AtomicPtr<Mark>| {
        // SAFETY: null, or a mark that was leaked by `mine` and written before it was linked.
        unsafe { place.load(Ordering::SeqCst).as_ref() }
    };
    std::iter::successors(at(&MARKS), move |mark| at(&mark.next))
}

/// This thread's mark.
fn mine() -> &'static Mark {
    if let Some(mark) = MINE.get() {
        return mark;
    }
    let me = this_thread();
    let free = |mark: &&Mark| mark.owner.compare_exchange(0, me, Ordering::AcqRel, Ordering::Relaxed).is_ok();
    let mark = marks().find(free).unwrap_or_else(|| {
        let mark = Mark {
            owner: AtomicUsize::new(me),
            depth: AtomicUsize::new(0),
            next: AtomicPtr::new(MARKS.load(Ordering::Acquire)),
        };
        let mark: &'static Mark = Box::leak(Box::new(mark));
        let place = ptr::from_ref(mark).cast_mut();
        let mut first = mark.next.load(Ordering::Relaxed);
        while let Err(other) = MARKS.compare_exchange_weak(first, place, Ordering::SeqCst, Ordering::SeqCst) {
            mark.next.store(other, Ordering::Relaxed);
            first = other;
        }
        mark
    });
    MINE.set(Some(mark));
    mark
}

/// Does `work` while no `fork` is under way in this process: a fork by another thread waits until it is done.
///
/// For calls of libcrypto that take its global locks (randomness, fetching an algorithm): a child made while another
/// thread holds one would wait for it for ever. Short work only, and none that forks.
pub fn away_from_fork<T>(work: impl FnOnce() -> T) -> T {
    struct Leaving(&'static Mark);
    impl Drop for Leaving {
        fn drop(&mut self) {
            // In a thread that is ending nobody else would.
            if self.0.depth.fetch_sub(1, Ordering::SeqCst) == 1 && END.try_with(|_| ()).is_err() {
                give_back();
            }
        }
    }
    let mark = mine();
    while mark.depth.fetch_add(1, Ordering::SeqCst) == 0 && FORKING.load(Ordering::SeqCst) > 0 {
        mark.depth.fetch_sub(1, Ordering::SeqCst);
        while FORKING.load(Ordering::SeqCst) > 0 {
            thread::yield_now();
        }
    }
    let _leaving = Leaving(mark);
    work()
}

/// Before a fork: waits until no other thread is inside. A thread that is inside itself, in a signal handler, does not wait
/// for ever: another may be waiting for a lock that it holds.
pub(super) fn before_fork() {
    FORKING.fetch_add(1, Ordering::SeqCst);
    let me = this_thread();
    let inside = |mine: bool| {
        let sought = |mark: &Mark| (mark.owner.load(Ordering::SeqCst) == me) == mine;
        marks().any(|mark| sought(mark) && mark.depth.load(Ordering::SeqCst) > 0)
    };
    let (start, patience) = (Instant::now(), if inside(true) { LONGEST } else { Duration::MAX });
    while inside(false) && start.elapsed() < patience {
        thread::yield_now();
    }
}

pub(super) fn after_fork_in_parent() {
    // Not below 0: a child made in a handler while its thread was about to fork has set it to 0, and goes on to fork.
    let _ = FORKING.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |forks| forks.checked_sub(1));
}

/// Only the thread that forked is here; where it was inside it still is.
pub(super) fn after_fork_in_child() {
    let me = this_thread();
    for mark in marks().filter(|mark| mark.owner.load(Ordering::SeqCst) != me) {
        mark.depth.store(0, Ordering::SeqCst);
        mark.owner.store(0, Ordering::SeqCst);
    }
    FORKING.store(0, Ordering::SeqCst);
}
