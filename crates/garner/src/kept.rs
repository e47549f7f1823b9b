// SPDX-License-Identifier: Apache-2.0
//! Working memory for secrets that outlives its use: wiped after each, and the block used last is handed out first.
//!
//! Kept by processor, not by thread: of many callers that lead a batch in turn every one finds the block that is warm in its
//! processor's cache, and a thousand threads leave no thousand blocks behind. One list for all processors would hand blocks
//! from cache to cache.

use crate::fork::ForkLocal;
use crate::secret::{SecretWords, wipe};
use crate::sync::lock;
use rustix::thread::sched_getcpu;
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard};

/// Lists of processors; those beyond share them.
const LISTS: usize = 64;

/// Blocks in one list at most. An operation has up to three; threads taken from a processor in the middle of their work
/// leave theirs behind, and more make their own.
const MOST: usize = 8;

/// Words of the longest block that processors keep for themselves. Longer ones, as a GPU's batch takes, have one list for
/// all: there one more for each processor would be too much.
const LONGEST: usize = 1 << 17;

/// Blocks that were used on one processor, alone in their cache lines.
#[repr(align(128))]
#[derive(Default)]
struct List(Mutex<Vec<SecretWords>>);

struct Lists {
    of_processors: [List; LISTS],
    long: List,
}

impl Default for Lists {
    fn default() -> Lists {
        Lists { of_processors: std::array::from_fn(|_| List::default()), long: List::default() }
    }
}

/// A forked child keeps its own: a list of its parent's may have been locked.
static KEPT: ForkLocal<Lists> = ForkLocal::new();

/// The list for blocks of so many words, taken or given back by this thread.
fn kept(words: usize) -> MutexGuard<'static, Vec<SecretWords>> {
    let lists = KEPT.get();
    let List(list) = if words > LONGEST { &lists.long } else { &lists.of_processors[sched_getcpu() % LISTS] };
    lock(list)
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
        let mut kept = kept(len);
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
    /// Where too many are kept the one unused for longest goes: blocks too short for the work of now must not keep those
    /// out that it needs.
    fn drop(&mut self) {
        wipe(self);
        // What is not mapped is of an allocator that had to help out: not to be kept from others.
        let Some(words) = self.words.take().filter(SecretWords::is_mapped) else { return };
        let mut kept = kept(words.len());
        kept.push(words);
        let oldest = (kept.len() > MOST).then(|| kept.remove(0));
        drop(kept);
        drop(oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::thread::{CpuSet, sched_setaffinity};

    #[test]
    fn a_block_handed_out_again_is_zero() {
        for len in [1, 600, 513, 4096, LONGEST + 1] {
            let mut block = Block::zeroed(len);
            assert!(block.iter().all(|&word| word == 0));
            block.fill(u64::MAX);
        }
        assert!(Block::zeroed(4096).iter().all(|&word| word == 0));
    }

    #[test]
    fn blocks_no_longer_used_make_room() {
        let mut only = CpuSet::new();
        only.set(sched_getcpu());
        sched_setaffinity(None, &only).unwrap();
        let short: Vec<Block> = (0..2 * MOST).map(|_| Block::zeroed(1)).collect();
        drop(short);
        // Other tests use the list, too: once is enough.
        let kept_now = |_| {
            drop((Block::zeroed(1), Block::zeroed(5000)));
            kept(1).iter().any(|words| words.len() >= 5000)
        };
        assert!((0..100).any(kept_now), "what is in use now is kept");
        assert!(kept(1).len() <= MOST);
    }
}
