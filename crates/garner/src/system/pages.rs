// SPDX-License-Identifier: Apache-2.0
//! Pages for secrets: kept out of core dumps and, where the limit allows, out of swap.

use super::fork;
use memmap2::MmapMut;
use rustix::mm::{Advice, madvise, mlock, munlock};
use std::cell::RefCell;

/// Bytes of a page.
const BYTES: usize = 4096;

/// The largest mapping kept for the next secret, and how many a thread keeps at most.
const KEPT_BYTES: usize = 4 * BYTES;
const KEPT_MAPPINGS: usize = 64;

thread_local! {
    /// Mappings of this thread's dropped secrets, wiped. Four system calls and a page fault cost as much as a fifth
    /// of the exponentiation for which key generation needs each new modulus.
    static KEPT: RefCell<Vec<MmapMut>> = const { RefCell::new(Vec::new()) };
}

/// Uses this module's local that has a destructor: see [`crate::thread::prepare`].
pub(super) fn prepare_thread() {
    let _ = KEPT.try_with(|_| ());
}

/// Whole pages that nobody else has.
pub enum Pages {
    Mapped(MmapMut),
    /// Of the program's allocator, which may have some where the system maps none.
    Allocated(Vec<Page>),
}

/// A page.
#[derive(Clone, Copy, bytemuck::Zeroable, bytemuck::Pod)]
#[repr(C, align(4096))]
pub struct Page([u64; BYTES / 8]);

impl Pages {
    /// Zero pages for `bytes` bytes: kept ones, or new ones.
    ///
    /// # Panics
    /// When neither the operating system nor the program's allocator has memory left.
    pub fn new(bytes: usize) -> Pages {
        let size = bytes.max(1).next_multiple_of(BYTES);
        mapped(size).map_or_else(|| Pages::Allocated(allocated(size / BYTES)), Pages::Mapped)
    }

    /// Whether they are not the program's allocator's.
    pub fn are_mapped(&self) -> bool {
        matches!(self, Pages::Mapped(_))
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Pages::Mapped(mapping) => mapping,
            Pages::Allocated(pages) => bytemuck::cast_slice(pages),
        }
    }

    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Pages::Mapped(mapping) => mapping,
            Pages::Allocated(pages) => bytemuck::cast_slice_mut(pages),
        }
    }

    /// Gives them back, wiped by the caller.
    pub fn give_back(self) {
        match self {
            Pages::Mapped(mapping) => keep(mapping),
            Pages::Allocated(pages) => unlock(pages),
        }
    }
}

/// A mapping of that size: one that is kept, or a new one; none where there is no memory.
fn mapped(size: usize) -> Option<MmapMut> {
    let kept = KEPT.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        let place = kept.iter().rposition(|mapping| mapping.len() == size)?;
        Some(kept.swap_remove(place))
    });
    if let Ok(Some(mapping)) = kept {
        if fork::is_child() {
            // It may have been the parent's, and a child does not inherit the lock.
            let _ = mapping.lock();
        }
        return Some(mapping);
    }
    let mapping = MmapMut::map_anon(size).ok()?;
    // Neither call can make the memory less safe to use; both are best effort.
    let _ = mapping.advise(memmap2::Advice::DontDump);
    let _ = mapping.lock();
    Some(mapping)
}

/// Takes wiped pages back.
fn keep(mapping: MmapMut) {
    if mapping.len() <= KEPT_BYTES {
        // A thread that ends keeps nothing: its mappings are unmapped.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < KEPT_MAPPINGS {
                kept.push(mapping);
            }
        });
    }
}

/// So many pages of the program's allocator, all zero. Neither call can make them less safe to use; both are best effort. Dumps
/// go on leaving them out when they are given back.
///
/// # Panics
/// When the program's allocator has no memory left.
fn allocated(count: usize) -> Vec<Page> {
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

/// Gives pages of [`allocated`] back. In a program that had all its memory locked these are not any more.
fn unlock(mut pages: Vec<Page>) {
    // SAFETY: as in `allocated`.
    unsafe {
        let _ = munlock(pages.as_mut_ptr().cast(), pages.len() * BYTES);
    }
}
