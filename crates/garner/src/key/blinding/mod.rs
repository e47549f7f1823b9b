// SPDX-License-Identifier: Apache-2.0
//! The blinding pairs of a key: products of two members of a set of independent ones, never the same two.
//!
//! Source: Boyko, Peinado, Venkatesan 1998, who make pairs (r, r^e) for RSA as products of some that were computed before;
//! they choose at random, where a [schedule] keeps related products apart.

mod schedule;

use crate::fork::ForkLocal;
use crate::sync::lock;
use schedule::{SIZES, Schedule, Size};
use std::sync::{Arc, Mutex, MutexGuard};
use zeroize::Zeroizing;

/// Words of the set that a key keeps at most: 32 KiB, 64 members at 2048 bits.
const SET_WORDS: usize = 4096;

/// Independent pairs (r^e, r^-1) of one key, both modulo n, each of a random r nobody knows. They are shared by the
/// operations that use them, and wiped with the last.
pub(crate) struct BlindingSet {
    /// The name of the arithmetic that makes it.
    maker: &'static str,
    size: Size,
    words: Zeroizing<Vec<u64>>,
}

impl BlindingSet {
    fn new(maker: &'static str, size: Size, len: usize) -> BlindingSet {
        BlindingSet { maker, size, words: Zeroizing::new(vec![0; size.members() * 2 * len]) }
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.size.members()
    }

    /// Every member's r^e and r^-1, to be filled in.
    pub fn members_mut(&mut self) -> impl Iterator<Item = (&mut [u64], &mut [u64])> {
        let both = self.words.len() / self.size.members();
        self.words.chunks_exact_mut(both).map(move |member| member.split_at_mut(both / 2))
    }

    fn member(&self, member: usize) -> (&[u64], &[u64]) {
        let both = self.words.len() / self.size.members();
        self.words[member * both..][..both].split_at(both / 2)
    }
}

/// The pair of one operation: two members of a set.
pub(crate) struct BlindingPair {
    set: Arc<BlindingSet>,
    members: [usize; 2],
}

impl BlindingPair {
    /// Two numbers whose product is r^e.
    pub fn factors(&self) -> [&[u64]; 2] {
        self.members.map(|member| self.set.member(member).0)
    }

    /// Two numbers whose product is r^-1.
    pub fn inverses(&self) -> [&[u64]; 2] {
        self.members.map(|member| self.set.member(member).1)
    }
}

/// The pairs of a set that have not been used.
pub(crate) struct Unused {
    set: Arc<BlindingSet>,
    schedule: Schedule,
}

impl Unused {
    /// All pairs of `set`.
    pub fn all(set: BlindingSet) -> Unused {
        Unused { schedule: Schedule::new(set.size), set: Arc::new(set) }
    }

    /// The next `count` pairs, or as many as are left.
    pub fn take(&mut self, count: usize) -> Vec<BlindingPair> {
        let pair = |members| BlindingPair { set: Arc::clone(&self.set), members };
        self.schedule.by_ref().take(count).map(pair).collect()
    }
}

/// What one key keeps for its next operations. A child made by `fork` starts with nothing of its parent's.
#[derive(Default)]
pub(crate) struct BlindingPool(ForkLocal<Mutex<Kept>>);

#[derive(Default)]
struct Kept {
    unused: Option<Unused>,
    /// How many pairs were asked for so far.
    asked: usize,
}

impl BlindingPool {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        lock(self.0.get())
    }

    /// `count` pairs that nobody else gets, or as many as are left of a set that this arithmetic made: one that computes
    /// wrongly spoils no operation of another.
    pub fn take(&self, maker: &'static str, count: usize) -> Vec<BlindingPair> {
        let mut kept = self.kept();
        kept.asked = kept.asked.saturating_add(count);
        let unused = kept.unused.as_mut().filter(|unused| unused.set.maker == maker);
        unused.map_or(vec![], |unused| unused.take(count))
    }

    /// A new set, to be filled in by this arithmetic, where `missing` pairs are missing, of numbers of `len` words.
    ///
    /// Members share one inversion, which costs as much as a good part of an exponentiation, and make more pairs the more
    /// they are: a key that had many gets a large set, one that is used once does not pay for it. Nor does an operation of
    /// a batch pay for more than one member.
    pub fn new_set(&self, maker: &'static str, missing: usize, len: usize) -> BlindingSet {
        let before = self.kept().asked.saturating_sub(missing);
        let wanted = before.saturating_mul(2).saturating_add(missing);
        let enough = |size: &&Size| size.members() >= missing && size.combinations() >= wanted;
        let room = |size: &&Size| size.members() * 2 * len <= SET_WORDS;
        let (smallest, largest) = (&SIZES[0], SIZES.iter().rfind(room));
        let size = SIZES.iter().find(enough).filter(room).or(largest).unwrap_or(smallest);
        BlindingSet::new(maker, *size, len)
    }

    /// Drops all pairs that are left.
    pub fn clear(&self) {
        self.kept().unused = None;
    }

    /// Keeps the rest of a set, unless another thread's by the same arithmetic has more.
    pub fn put(&self, rest: Unused) {
        let mut kept = self.kept();
        let has_more =
            |unused: &Unused| unused.set.maker == rest.set.maker && unused.schedule.len() >= rest.schedule.len();
        if !kept.unused.as_ref().is_some_and(has_more) {
            kept.unused = Some(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Members of the set that is made when a key of `len` words that had `before` operations gets a batch.
    fn members(before: usize, batch: usize, len: usize) -> usize {
        let pool = BlindingPool::default();
        pool.take("test", before);
        let missing = batch - pool.take("test", batch).len();
        pool.new_set("test", missing, len).members()
    }

    #[test]
    fn a_key_that_is_used_once_makes_few_pairs_and_one_in_use_many() {
        let sizes = [0, 1, 8, 9, 35, 36, 224, 225].map(|before| members(before, 1, 16));
        assert_eq!(sizes, [3, 7, 7, 13, 13, 31, 31, 61]);
        assert_eq!([1, 2, 3, 7, 8, 31, 32, 1000].map(|batch| members(0, batch, 16)), [3, 3, 7, 7, 13, 31, 61, 61]);
    }

    #[test]
    fn a_key_keeps_no_more_than_it_has_room_for() {
        for len in 1..600 {
            let members = members(10_000, 1, len);
            assert!(members * 2 * len <= SET_WORDS || members == 3, "{members} members of {len} words");
        }
        assert_eq!([32, 64, 128].map(|len| members(0, 1000, len)), [61, 31, 13]);
        let pool = BlindingPool::default();
        for missing in [1, 61, 2] {
            pool.put(Unused::all(BlindingPool::default().new_set("test", missing, 16)));
        }
        assert_eq!(pool.take("test", 10_000).len(), 60 * 30, "the one with the most pairs left, and no other");
    }

    #[test]
    fn pairs_are_taken_once_and_never_after_the_pool_is_cleared() {
        let pool = BlindingPool::default();
        assert!(pool.take("test", 13).is_empty());
        pool.put(Unused::all(pool.new_set("test", 13, 16)));
        let taken = [1, 8, 3, 100].iter().flat_map(|&n| pool.take("test", n));
        let mut taken: Vec<[usize; 2]> = taken.map(|pair| pair.members).collect();
        taken.sort_unstable();
        taken.dedup();
        assert_eq!(taken.len(), 12 * 6);
        assert!(pool.take("test", 1).is_empty());
        pool.put(Unused::all(pool.new_set("test", 1, 16)));
        assert_eq!(pool.take("test", 2).len(), 2);
        pool.clear();
        assert!(pool.take("test", 1).is_empty());
    }

    #[test]
    fn pairs_of_another_arithmetic_are_not_taken_and_give_way() {
        let pool = BlindingPool::default();
        pool.put(Unused::all(pool.new_set("first", 61, 16)));
        assert!(pool.take("second", 1).is_empty());
        assert_eq!(pool.take("first", 1).len(), 1);
        pool.put(Unused::all(pool.new_set("second", 1, 16)));
        assert!(pool.take("first", 1).is_empty());
        assert_eq!(pool.take("second", 1).len(), 1);
    }
}
