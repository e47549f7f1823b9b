// SPDX-License-Identifier: Apache-2.0
//! Pages of the program's allocator that are kept out of core dumps and, where the limit allows, out of swap.

use rustix::mm::{Advice, madvise, mlock, munlock};

/// Bytes of a page.
pub const BYTES: usize = 4096;

/// A page.
#[derive(Clone, Copy, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(4096))]
pub struct Page([u64; BYTES / 8]);

/// So many pages, all zero. Neither call can make them less safe to use; both are best effort. Dumps go on leaving them out
/// when they are given back.
///
/// # Panics
/// When the program's allocator has no memory left.
pub fn allocated(count: usize) -> Vec<Page> {
    let mut pages = Vec::new();
    pages.try_reserve_exact(count).expect("memory for secrets");
    pages.resize(count, Page([0; BYTES / 8]));
    let (start, length) = (pages.as_mut_ptr().cast(), count * BYTES);
    // SAFETY: whole pages, ours until they are given back; neither call changes what is in them.
    unsafe {
        let _ = madvise(start, length, Advice::LinuxDontDump);
        let _ = mlock(start, length);
    }
    pages
}

/// Gives pages of [`allocated`] back, wiped by the caller.
pub fn give_back(mut pages: Vec<Page>) {
    // SAFETY: as in `allocated`.
    unsafe {
        let _ = munlock(pages.as_mut_ptr().cast(), pages.len() * BYTES);
    }
}
