// SPDX-License-Identifier: Apache-2.0
//! The blinding pairs a key keeps between operations.

use crate::fork::ForkLocal;
use crate::sync::lock;
use std::sync::{Mutex, MutexGuard};
use zeroize::Zeroizing;

/// How often a pair is squared and used again before a new one is made.
const USES: u32 = 32;

/// How many pairs are made at once for a batch, at most, unless it needs more than squares of these.
const AT_FIRST: usize = 8;

/// How many are made at once for a key in use. They share one inversion, which costs
/// as much as a good part of an exponentiation.
const TOGETHER: usize = 32;

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

    /// The pair that takes this one's place, to be filled in with the squares; `None` if it had all its uses or has been
    /// squared.
    pub fn next(&self) -> Option<BlindingPair> {
        let uses = self.uses + 1;
        (uses < USES).then(|| BlindingPair { words: Zeroizing::new(vec![0; self.words.len()]), uses })
    }

    /// Its square is in use already.
    pub fn wear_out(&mut self) {
        self.uses = USES - 1;
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
pub(crate) struct BlindingPool(ForkLocal<Mutex<Waiting>>);

#[derive(Default)]
struct Waiting {
    pairs: Vec<BlindingPair>,
    /// How many were made so far.
    made: usize,
}

impl BlindingPool {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        lock(self.0.get())
    }

    /// A pair nobody else holds, if one is waiting.
    pub fn take(&self) -> Option<BlindingPair> {
        self.waiting().pairs.pop()
    }

    /// How many pairs of `len` words each to make where `needed` are missing. Pairs made together share one inversion, which costs as much as
    /// a good part of an exponentiation: a key that had many gets spare ones, one that is used once does not pay for them.
    /// Where more are missing, squares of pairs serve for the rest.
    pub fn to_make(&self, needed: usize, len: usize) -> usize {
        let mut waiting = self.waiting();
        let spare = waiting.made.min(TOGETHER).min(POOL_WORDS / (2 * len));
        let count = needed.min(AT_FIRST).max(needed.div_ceil(USES as usize)).max(spare);
        waiting.made += count;
        count
    }

    /// Drops all pairs that wait.
    pub fn clear(&self) {
        self.waiting().pairs.clear();
    }

    /// Keeps a pair that nobody has used; one that the pool has no room for is dropped.
    pub fn put(&self, pair: BlindingPair) {
        let mut waiting = self.waiting();
        if (waiting.pairs.len() + 1) * pair.words.len() <= POOL_WORDS {
            waiting.pairs.push(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_pairs_are_made_for_keys_in_use_and_squares_serve_large_batches() {
        let pool = BlindingPool::default();
        let make = |needed| pool.to_make(needed, 16);
        assert_eq!([9, 300].map(|needed| BlindingPool::default().to_make(needed, 16)), [8, 10]);
        assert_eq!([1, 1, 1, 1, 1, 1, 8, 8].map(make), [1, 1, 2, 4, 8, 16, 32, 32]);
        assert_eq!([9, 1024, 1025, 32_000].map(make), [32, 32, 33, 1000]);
        assert_eq!(pool.to_make(1, 128), POOL_WORDS / 256, "no more than there is room for");
    }

    #[test]
    fn a_pair_has_so_many_uses() {
        let first = BlindingPair::fresh(16);
        let line = std::iter::successors(Some(first), |pair| pair.next());
        assert_eq!(line.count(), USES as usize);
    }

    #[test]
    fn pool_keeps_no_more_than_it_has_room_for() {
        let pool = BlindingPool::default();
        for _ in 0..100 {
            pool.put(BlindingPair::fresh(128));
        }
        assert_eq!(std::iter::from_fn(|| pool.take()).count(), POOL_WORDS / 256);
    }
}
