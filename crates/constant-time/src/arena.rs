// SPDX-License-Identifier: Apache-2.0
//! Addresses that depend on the order of allocations only.
//!
//! libcrypto parses keys, and leaves the C library's heap in a state that depends on them (an exception named in
//! `docs/security.md`). A traced process must not inherit that state, or its addresses would differ for a reason that
//! is not the traced call's: once [`begin`] was called, every Rust allocation gets whole pages, one after the other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

const PAGE: usize = 4096;
/// Only what is touched becomes memory.
const SIZE: usize = 1 << 30;

struct Arena {
    /// The next free address; 0 before [`begin`].
    next: AtomicUsize,
    end: AtomicUsize,
}

#[global_allocator]
static ARENA: Arena = Arena { next: AtomicUsize::new(0), end: AtomicUsize::new(0) };

/// From here on this process, and what it forks, allocates from the arena.
pub fn begin() {
    // SAFETY: a new private mapping; the result is checked.
    let start = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(std::ptr::null_mut(), SIZE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    };
    assert_ne!(start, libc::MAP_FAILED, "address space for the arena");
    ARENA.end.store(start as usize + SIZE, Ordering::Relaxed);
    ARENA.next.store(start as usize, Ordering::Relaxed);
}

// SAFETY: memory comes from the system's allocator, or from pages of the arena that nothing else uses; what comes from
// the arena is recognised by its address and never given back.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.next.load(Ordering::Relaxed) == 0 {
            // SAFETY: the caller's obligations are those of the system's allocator.
            return unsafe { System.alloc(layout) };
        }
        let size = layout.size().next_multiple_of(PAGE).max(PAGE);
        let start = self.next.fetch_add(size, Ordering::Relaxed);
        if layout.align() > PAGE || start + size > self.end.load(Ordering::Relaxed) {
            return std::ptr::null_mut();
        }
        start as *mut u8
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        let end = self.end.load(Ordering::Relaxed);
        if end == 0 || !(end - SIZE..end).contains(&(start as usize)) {
            // SAFETY: not from the arena, so from the system's allocator.
            unsafe { System.dealloc(start, layout) }
        }
    }
}
