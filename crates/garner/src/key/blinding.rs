//! The blinding pairs a key keeps between operations.

use crate::fork::ForkLocal;
use std::sync::Mutex;
use zeroize::Zeroizing;

/// How often a pair is squared and used again before a new one is made.
const USES: u32 = 32;

/// Words of pairs a key keeps at most: 32 KiB, 64 pairs at 2048 bits.
const POOL_WORDS: usize = 4096;

/// `factor = r^e` and `inverse = r^-1`, both modulo n, for a random r nobody knows.
pub(crate) struct BlindingPair {
    words: Zeroizing<Vec<u64>>,
    uses: u32,
}

impl BlindingPair {
    /// A pair of `len` words each, to be filled in.
    pub fn fresh(len: usize) -> BlindingPair {
        BlindingPair { words: Zeroizing::new(vec![0; 2 * len]), uses: 0 }
    }

    /// Whether it was never used.
    pub fn is_fresh(&self) -> bool {
        self.uses == 0
    }

    /// Factor and inverse.
    pub fn parts(&self) -> (&[u64], &[u64]) {
        self.words.split_at(self.words.len() / 2)
    }

    /// Factor and inverse, to be changed.
    pub fn parts_mut(&mut self) -> (&mut [u64], &mut [u64]) {
        let half = self.words.len() / 2;
        self.words.split_at_mut(half)
    }
}

/// Pairs waiting for the next operations of one key. A child made by `fork` starts with none of its parent's.
#[derive(Default)]
pub(crate) struct BlindingPool(ForkLocal<Mutex<Vec<BlindingPair>>>);

impl BlindingPool {
    /// A pair nobody else holds, if one is waiting.
    pub fn take(&self) -> Option<BlindingPair> {
        self.0.get().lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop()
    }

    /// Gives a pair back that was used and then squared; worn-out ones and those the pool has no room for are dropped.
    pub fn put(&self, mut pair: BlindingPair) {
        pair.uses += 1;
        if pair.uses >= USES {
            return;
        }
        let mut pool = self.0.get().lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if (pool.len() + 1) * pair.words.len() <= POOL_WORDS {
            pool.push(pair);
        }
    }
}
