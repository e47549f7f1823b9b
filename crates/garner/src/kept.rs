//! Working memory for secrets that outlives its use: wiped after each, and the block used last is handed out first.
//!
//! Kept by the process, not by each thread: of many callers that lead a batch in turn every one finds the block warm in
//! the cache, and a thousand threads leave no thousand blocks behind.

use crate::fork::ForkLocal;
use crate::secret::{SecretWords, wipe};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard};

/// Blocks kept at most; more threads than this at once make their own.
const MOST: usize = 64;

/// A forked child keeps its own: its parent's list may have been locked.
static KEPT: ForkLocal<Mutex<Vec<SecretWords>>> = ForkLocal::new();

fn kept() -> MutexGuard<'static, Vec<SecretWords>> {
    KEPT.get().lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// `used` zero words at the start of a page, wiped and kept for the next when dropped.
pub struct Block {
    /// Some until dropped.
    words: Option<SecretWords>,
    used: usize,
}

impl Block {
    /// `len` words, all zero.
    pub fn zeroed(len: usize) -> Block {
        let mut kept = kept();
        let place = kept.iter().rposition(|words| words.len() >= len);
        let words = place.map(|place| kept.remove(place));
        drop(kept);
        Block { words: Some(words.unwrap_or_else(|| SecretWords::zeroed(len))), used: len }
    }
}

impl Deref for Block {
    type Target = [u64];
    fn deref(&self) -> &[u64] {
        &self.words.as_ref().expect("some until dropped")[..self.used]
    }
}

impl DerefMut for Block {
    fn deref_mut(&mut self) -> &mut [u64] {
        &mut self.words.as_mut().expect("some until dropped")[..self.used]
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        wipe(self);
        if let Some(words) = self.words.take() {
            let mut kept = kept();
            if kept.len() < MOST {
                kept.push(words);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_handed_out_again_is_zero() {
        for len in [1, 600, 513, 4096] {
            let mut block = Block::zeroed(len);
            assert!(block.iter().all(|&word| word == 0));
            block.fill(u64::MAX);
        }
        assert!(Block::zeroed(4096).iter().all(|&word| word == 0));
    }
}
