//! Memory for secrets: its own pages, kept out of core dumps and (where the limit allows) out of swap, zeroised on drop.

use memmap2::{Advice, MmapMut};
use std::fmt;
use std::ops::{Deref, DerefMut};
use zeroize::Zeroize;

/// A zero-filled, page-aligned slice of 64-bit words for secrets.
///
/// The pages are excluded from core dumps; locking them into memory is tried and its failure ignored
/// (`RLIMIT_MEMLOCK` is often small). `Debug` shows the length only.
pub struct SecretWords {
    pages: MmapMut,
    len: usize,
}

impl SecretWords {
    /// `len` words, all zero.
    ///
    /// # Panics
    /// When the operating system has no memory left, as any allocation does.
    pub fn zeroed(len: usize) -> SecretWords {
        let pages = MmapMut::map_anon((len * 8).max(1)).expect("memory for secrets");
        // Neither call can make the memory less safe to use; both are best effort.
        let _ = pages.advise(Advice::DontDump);
        let _ = pages.lock();
        SecretWords { pages, len }
    }

    /// A copy of `words`.
    pub fn copy_of(words: &[u64]) -> SecretWords {
        let mut secret = SecretWords::zeroed(words.len());
        secret.copy_from_slice(words);
        secret
    }
}

impl Deref for SecretWords {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &bytemuck::cast_slice(&self.pages[..self.len * 8])[..self.len]
    }
}

impl DerefMut for SecretWords {
    fn deref_mut(&mut self) -> &mut [u64] {
        bytemuck::cast_slice_mut(&mut self.pages[..self.len * 8])
    }
}

impl Drop for SecretWords {
    fn drop(&mut self) {
        self.pages.as_mut().zeroize();
    }
}

impl fmt::Debug for SecretWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretWords({} words)", self.len)
    }
}
