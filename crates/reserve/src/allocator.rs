// SPDX-License-Identifier: Apache-2.0
//! The system's allocator, with the pool behind it.

use crate::pool;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;

/// The global allocator of a module.
#[derive(Debug, Clone, Copy)]
pub struct Allocator;

// SAFETY: memory is the system's or the pool's, and goes back where it came from; nothing unwinds.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by this function's contract.
        let memory = unsafe { System.alloc(layout) };
        // SAFETY: as above.
        if memory.is_null() { unsafe { pool::allocate(layout) } } else { memory }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by this function's contract.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if !memory.is_null() {
            return memory;
        }
        // SAFETY: as above; what is not null has that size.
        unsafe {
            let memory = pool::allocate(layout);
            if !memory.is_null() {
                memory.write_bytes(0, layout.size());
            }
            memory
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: by this function's contract, and given back to where it is from.
        unsafe { if pool::has(memory) { pool::free(memory, layout) } else { System.dealloc(memory, layout) } }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !pool::has(memory) {
            // SAFETY: by this function's contract.
            let moved = unsafe { System.realloc(memory, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: by this function's contract the size is good for that alignment; both blocks have what is copied, and the old
        // one stays where nothing new is to be had.
        unsafe {
            let moved = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !moved.is_null() {
                ptr::copy_nonoverlapping(memory, moved, size.min(layout.size()));
                self.dealloc(memory, layout);
            }
            moved
        }
    }
}
