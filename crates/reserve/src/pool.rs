// SPDX-License-Identifier: Apache-2.0
//! The memory kept: mappings, and who has which part of them.
//!
//! While the system has memory nothing of this is touched, and one load says so.

use std::alloc::Layout;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use std::{ptr, thread};
use talc::TalcLock;
use talc::lock_api::{GuardNoSend, RawMutex};
use talc::source::Manual;

static POOL: TalcLock<Lock, Manual> = TalcLock::new(Manual);

/// Bytes mapped, bytes in use, and the most that were.
static SIZE: AtomicUsize = AtomicUsize::new(0);
static IN_USE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The least that is mapped at once. Each mapping is as large as all before it, so that there are never many.
const LEAST: usize = 1 << 20;

/// Where mappings begin and end. Those in front are never changed again.
static MAPPINGS: [[AtomicUsize; 2]; 48] = [const { [const { AtomicUsize::new(0) }; 2] }; 48];
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Bytes mapped.
pub fn size() -> usize {
    SIZE.load(Ordering::Acquire)
}

/// Bytes of the reserve that are in use: 0 unless the system was out of memory.
pub fn in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

/// The most that were in use at once.
pub fn most_in_use() -> usize {
    MOST.load(Ordering::Relaxed)
}

/// Maps more, until `bytes` are mapped. Whether they are.
pub fn grow_to(bytes: usize) -> bool {
    let mut pool = POOL.lock();
    let (size, count) = (size(), COUNT.load(Ordering::Relaxed));
    if size >= bytes {
        return true;
    }
    let Some(place) = MAPPINGS.get(count) else { return false };
    let most = LEAST.max(size);
    let Some(needed) = (bytes - size).checked_next_multiple_of(LEAST) else { return false };
    // Rather much at once; but less may be had where that may not.
    let found = [needed.max(most), needed].into_iter().find_map(|length| Some((map(length)?, length)));
    let Some((start, length)) = found else { return false };
    // SAFETY: new memory that nobody else knows of. What is claimed is never unmapped, and what is not is nobody's.
    unsafe {
        if pool.claim(start, length).is_none() {
            libc::munmap(start.cast(), length);
            return false;
        }
    }
    place[0].store(start.addr(), Ordering::Relaxed);
    place[1].store(start.addr() + length, Ordering::Relaxed);
    COUNT.store(count + 1, Ordering::Release);
    SIZE.fetch_add(length, Ordering::Release);
    true
}

/// New memory, which core dumps leave out: it may hold secrets.
fn map(length: usize) -> Option<*mut u8> {
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, wherever there is room; advice changes nothing of it.
    unsafe {
        let start = libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return None;
        }
        libc::madvise(start, length, libc::MADV_DONTDUMP);
        Some(start.cast())
    }
}

/// Whether an allocation is of the pool.
pub fn has(memory: *mut u8) -> bool {
    // Whoever has one sees that it is counted.
    if in_use() == 0 {
        return false;
    }
    let mappings = &MAPPINGS[..COUNT.load(Ordering::Acquire)];
    mappings
        .iter()
        .any(|[start, end]| (start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed)).contains(&memory.addr()))
}

/// Memory of the pool; null when there is none.
///
/// # Safety
/// As `GlobalAlloc::alloc`.
pub unsafe fn allocate(layout: Layout) -> *mut u8 {
    // Before it is handed out: see `has`.
    let used = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
    // SAFETY: by this function's contract.
    match unsafe { POOL.lock().allocate(layout) } {
        Some(memory) => {
            MOST.fetch_max(used, Ordering::Relaxed);
            memory.as_ptr()
        }
        None => {
            IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
            ptr::null_mut()
        }
    }
}

/// Gives memory back.
///
/// # Safety
/// As `GlobalAlloc::dealloc`, and it is the [pool's](has).
pub unsafe fn free(memory: *mut u8, layout: Layout) {
    // SAFETY: by this function's contract.
    unsafe { POOL.lock().deallocate(memory, layout) };
    IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
}

/// The pool's lock. It needs no memory and no local of the thread, and is nobody's while a child is made.
struct Lock;

static TAKEN: AtomicBool = AtomicBool::new(false);

// SAFETY: one holder at a time.
unsafe impl RawMutex for Lock {
    const INIT: Lock = Lock;
    type GuardMarker = GuardNoSend;

    fn lock(&self) {
        while !self.try_lock() {
            thread::yield_now();
        }
    }

    fn try_lock(&self) -> bool {
        TAKEN.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    unsafe fn unlock(&self) {
        TAKEN.store(false, Ordering::Release);
    }
}

/// Whether the fork under way has the lock.
static FORKING: AtomicBool = AtomicBool::new(false);

/// How long a fork waits for the lock: its own thread may hold it, which a signal took to a handler that forks.
const LONGEST: Duration = Duration::from_millis(100);

extern "C" fn before_fork() {
    let start = Instant::now();
    while !Lock.try_lock() {
        if start.elapsed() > LONGEST {
            return;
        }
        thread::yield_now();
    }
    FORKING.store(true, Ordering::Relaxed);
}

extern "C" fn after_fork() {
    if FORKING.swap(false, Ordering::Relaxed) {
        // SAFETY: taken by `before_fork`.
        unsafe { Lock.unlock() };
    }
}

extern "C" fn after_fork_in_child() {
    after_fork();
    crate::thread::after_fork_in_child();
}

/// Registered when the module is loaded, before those that may allocate: what is registered first runs last before a fork, and
/// first after it.
#[used]
#[unsafe(link_section = ".init_array.00100")]
static WATCH: extern "C" fn() = {
    extern "C" fn watch() {
        // SAFETY: the handlers live as long as the module.
        unsafe { libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(after_fork_in_child)) };
    }
    watch
};
