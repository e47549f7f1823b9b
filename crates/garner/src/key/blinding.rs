//! The blinding pairs a key keeps between operations.

use crate::fork::ForkLocal;
use std::sync::{Mutex, MutexGuard};
use zeroize::Zeroizing;

/// How often a pair is squared and used again before a new one is made.
const USES: u32 = 32;

/// How many pairs are made at once for a key in use.
const TOGETHER: usize = 8;

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
        self.0.get().lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// A pair nobody else holds, if one is waiting.
    pub fn take(&self) -> Option<BlindingPair> {
        self.waiting().pairs.pop()
    }

    /// How many pairs to make where `needed` are missing. Pairs made together share one inversion, which costs as much as
    /// a good part of an exponentiation: a key that had many gets spare ones, one that is used once does not pay for them.
    pub fn to_make(&self, needed: usize) -> usize {
        let mut waiting = self.waiting();
        let count = needed.max(waiting.made.min(TOGETHER));
        waiting.made += count;
        count
    }

    /// Gives a pair back that was used and then squared; worn-out ones are dropped.
    pub fn put(&self, mut pair: BlindingPair) {
        pair.uses += 1;
        if pair.uses < USES {
            self.add(pair);
        }
    }

    /// Keeps a pair nobody used since it was made or squared; those the pool has no room for are dropped.
    pub fn add(&self, pair: BlindingPair) {
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
    fn spare_pairs_are_made_for_keys_in_use_and_each_is_used_so_often() {
        let pool = BlindingPool::default();
        assert_eq!([1, 1, 1, 1, 1, 1, 11].map(|needed| pool.to_make(needed)), [1, 1, 2, 4, 8, 8, 11]);
        for _ in 0..3 {
            pool.add(BlindingPair::fresh(16));
        }
        let mut uses = 0;
        while let Some(pair) = pool.take() {
            pool.put(pair);
            uses += 1;
        }
        assert_eq!(uses, 3 * USES);
    }

    #[test]
    fn pool_keeps_no_more_than_it_has_room_for() {
        let pool = BlindingPool::default();
        for _ in 0..100 {
            pool.add(BlindingPair::fresh(128));
        }
        assert_eq!(std::iter::from_fn(|| pool.take()).count(), POOL_WORDS / 256);
    }
}
