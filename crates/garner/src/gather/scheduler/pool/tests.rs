// SPDX-License-Identifier: Apache-2.0
//! What waits, who is chosen, and what a batch takes.

use super::*;
use crate::gather::class::Kind;

struct Nothing;

impl Item for Nothing {
    type Caller = ();

    fn caller(&self) {}
}

const CLASS: Class = Class { kind: Kind::Exponentiation, size: 1, exponent: 1, paths: 0 };
const OTHER: Class = Class { size: 2, ..CLASS };

/// Operations numbered from 0 whose threads sleep on these processors; those of `tickets` have none.
fn pool(processors: &[usize], tickets: &[usize]) -> PoolState<Nothing> {
    let mut pool = PoolState::default();
    for (i, &processor) in processors.iter().enumerate() {
        let role = if tickets.contains(&i) { Role::Ticket } else { Role::Follower };
        pool.push(CLASS, Entry { number: i as u64, item: Nothing, role, processor });
    }
    pool
}

fn candidates(pool: &PoolState<Nothing>) -> Vec<u64> {
    let line = &pool.lines[&CLASS];
    let candidates: Vec<u64> =
        line.entries.iter().filter(|entry| entry.role == Role::Candidate).map(|entry| entry.number).collect();
    assert_eq!((line.candidates, pool.candidates.len()), (candidates.len(), candidates.len()));
    candidates
}

fn numbers(entries: &[Entry<Nothing>]) -> Vec<u64> {
    entries.iter().map(|entry| entry.number).collect()
}

#[test]
fn the_candidate_sleeps_here_or_where_no_batch_is_or_is_the_oldest() {
    let mut pool = pool(&[5, 5, 6, 7, 5, 6], &[0]);
    let mut make = |count, here, anywhere| {
        let made = pool.make_candidate(CLASS, count, here, anywhere).is_some();
        (made, candidates(&pool))
    };
    assert_eq!(make(4, 7, false), (true, vec![3]), "not the ticket, and of the others the one from here");
    assert_eq!(make(2, 6, false), (true, vec![1, 3]), "the one from here is too young");
    assert_eq!(make(6, 5, false), (true, vec![1, 2, 3]), "here there is a candidate already");
    assert_eq!(make(6, 5, false), (false, vec![1, 2, 3]), "so there is on all of them");
    assert_eq!(make(6, 5, true), (true, vec![1, 2, 3, 4]), "the oldest");
    assert_eq!(make(1, 5, true), (true, vec![1, 2, 3, 4, 5]));
    assert!(pool.make_candidate(CLASS, 6, 5, true).is_none() && pool.make_candidate(OTHER, 6, 5, true).is_none());
    assert_eq!(pool.oldest(true), Some((CLASS, true)));
}

#[test]
fn nobody_is_woken_on_a_processor_that_computes_while_there_is_another() {
    let mut pool = pool(&[5, 6, 5], &[]);
    pool.begin(Some(5));
    assert!(pool.computes_on(5) && pool.wants(5) && !pool.wants(6));
    assert_eq!(pool.oldest(false), Some((CLASS, false)));
    assert!(pool.make_candidate(CLASS, 3, 5, true).is_some());
    assert_eq!(candidates(&pool), [1]);
    assert!(pool.wants(6) && !pool.computes_on(6));
    assert_eq!((pool.oldest(false), pool.oldest(true)), (None, Some((CLASS, false))));
    pool.begin(Some(5));
    pool.end(Some(5));
    assert!(pool.computes_on(5), "one of two is still there");
    pool.end(Some(5));
    assert!(!pool.wants(5) && pool.running == 0);
    assert!(pool.make_follower(CLASS, 1, 9) && !pool.wants(6));
    assert!(pool.make_candidate(CLASS, 3, 9, false).is_some());
    assert_eq!(candidates(&pool), [1], "it sleeps there now");
    assert!(pool.wants(9));
}

#[test]
fn operations_of_candidates_are_left_where_there_are_slots_for_them_and_enough_others() {
    let mut pool = pool(&[5, 6, 7, 8, 9], &[]);
    for here in [5, 7] {
        assert!(pool.make_candidate(CLASS, 5, here, false).is_some());
    }
    assert_eq!((pool.in_line(CLASS), pool.oldest(true)), (5, Some((CLASS, false))));
    assert_eq!((pool.candidates(CLASS), pool.candidates(OTHER)), (2, 0));
    assert!(pool.older_candidate(OTHER, 1) && !pool.older_candidate(OTHER, 0) && !pool.older_candidate(CLASS, 9));
    assert_eq!(numbers(&pool.take(CLASS, 1, 9)), [1]);
    assert_eq!(candidates(&pool), [0, 2]);
    assert_eq!(numbers(&pool.take(CLASS, 1, 0)), [0], "the oldest, for there is no slot for it");
    assert_eq!(candidates(&pool), [2]);
    assert!(!pool.waits(CLASS, 0) && !pool.make_follower(CLASS, 0, 5), "somebody else took it");
    assert_eq!(numbers(&pool.take(CLASS, 1, 1)), [3]);
    assert_eq!(numbers(&pool.take(CLASS, 2, 1)), [2, 4], "it was needed");
    assert!(pool.oldest(true).is_none() && pool.waiting == 0 && candidates(&pool).is_empty());
}

#[test]
fn nobody_is_woken_who_leads_a_batch_of_older_ones() {
    let mut pool = pool(&[5, 5], &[0]);
    pool.lines.get_mut(&CLASS).unwrap().entries[1].role = Role::Leader;
    assert_eq!((pool.oldest(true), pool.oldest_follower(true)), (Some((CLASS, true)), None));
    assert!(pool.make_candidate(CLASS, 2, 5, true).is_none() && pool.on_the_way() == 0);
    assert!(pool.make_follower(CLASS, 1, 6));
    assert_eq!(pool.oldest_follower(false), Some(CLASS));
    assert!(pool.make_candidate(CLASS, 2, 5, false).is_some() && pool.wants(6));
    assert_eq!(numbers(&pool.take(CLASS, 2, 0)), [0, 1]);
}

#[test]
fn one_is_taken_by_its_number() {
    let mut pool = pool(&[5, 6, 7], &[]);
    assert!(pool.take_one(CLASS, 3).is_none() && pool.take_one(OTHER, 1).is_none());
    assert_eq!(pool.take_one(CLASS, 1).map(|entry| entry.number), Some(1));
    assert!(pool.take_one(CLASS, 1).is_none() && !pool.waits(CLASS, 1) && pool.waits(CLASS, 2));
    assert_eq!((pool.waiting, pool.in_line(CLASS)), (2, 2));
}

#[test]
fn nobody_is_assigned_to_what_was_drained() {
    let mut pool = pool(&[5, 6], &[]);
    for here in [6, 5] {
        assert!(pool.make_candidate(CLASS, 2, here, false).is_some());
    }
    assert_eq!((candidates(&pool), pool.on_the_way()), (vec![0, 1], 2));
    assert_eq!(numbers(&pool.drain()), [0, 1]);
    assert!(candidates(&pool).is_empty() && pool.on_the_way() == 0 && pool.waiting == 0);
    assert!(!pool.make_follower(CLASS, 0, 5));
}
