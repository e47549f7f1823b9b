// SPDX-License-Identifier: Apache-2.0
//! Single rules of the scheduler, each in the smallest case that needs it.

use super::*;
use crate::gather::class::Kind;

const CLASS: Class = Class { kind: Kind::Exponentiation, size: 1, exponent: 1, paths: 0 };
const OTHER: Class = Class { size: 2, ..CLASS };

/// Where the tests are, and another processor.
const HERE: At = At { processor: 0, now: 0 };
const THERE: At = At { processor: 1, now: 0 };

/// A device on the host that takes four at once.
struct Four;

impl Devices for Four {
    fn limit(&self, _: Class) -> usize {
        4
    }

    fn least_limit(&self, _: Class) -> usize {
        4
    }

    fn choose(&self, _: Class, available: usize) -> (usize, usize) {
        (0, available.min(4))
    }

    fn on_host(&self, _: usize) -> bool {
        true
    }
}

struct Nothing;

impl Item for Nothing {
    type Caller = ();

    fn caller(&self) {}
}

fn scheduler(slots: usize) -> Scheduler<Nothing> {
    Scheduler::new(slots, 100, Arc::new(Four))
}

/// With so many followers of a class that sleep at `at`.
fn with_followers(slots: usize, class: Class, count: usize, at: At) -> Scheduler<Nothing> {
    let mut scheduler = scheduler(slots);
    for _ in 0..count {
        scheduler.push(class, Nothing, Role::Follower, at);
    }
    scheduler
}

fn arrives(scheduler: &mut Scheduler<Nothing>, class: Class, at: At) -> (u64, Next<Nothing>) {
    let Arrival::Taken(number, next) = scheduler.arrived(class, Nothing, at) else { panic!("it was not taken") };
    (number, next)
}

fn batch(next: Next<Nothing>) -> (Vec<u64>, bool) {
    let Next::Run(batch) = next else { panic!("no batch") };
    (batch.entries.iter().map(|entry| entry.number).collect(), batch.leader_waits)
}

#[test]
fn a_candidate_is_taken_along_where_there_is_no_slot_for_it() {
    let mut scheduler = with_followers(1, CLASS, 2, THERE);
    scheduler.assign(Pool::Long, false, HERE);
    assert_eq!(scheduler.actions.candidates.len(), 1);
    let (number, next) = arrives(&mut scheduler, CLASS, HERE);
    assert_eq!(batch(next), (vec![number, 0, 1], false));
    assert!(matches!(scheduler.woken(CLASS, 0, THERE), Next::Wait), "it is answered by that batch");
}

#[test]
fn a_full_batch_of_older_ones_is_run_before_the_own_operation() {
    let mut scheduler = with_followers(1, CLASS, 4, THERE);
    scheduler.assign(Pool::Long, false, HERE);
    let (number, next) = arrives(&mut scheduler, CLASS, HERE);
    assert_eq!(batch(next), (vec![0, 1, 2, 3], true));
    let ran = Ran { operations: 4, nanoseconds: 1000 };
    assert!(!scheduler.ended((CLASS, Some(0)), Some(ran), true, false, HERE));
    assert!(scheduler.actions.candidates.len() == 1, "nobody is woken for who leads");
    scheduler.answered();
    scheduler.follows(CLASS, number, HERE);
    assert_eq!(scheduler.actions.candidates.len(), 2);
    let Next::Yield(candidate) = scheduler.woken(CLASS, number, HERE) else { panic!("the last batch had company") };
    let next = scheduler.yielded(candidate, 10, At { now: 100, ..HERE });
    assert_eq!(batch(next), (vec![number], false));
}

#[test]
fn callers_leave_their_processor_and_the_last_slot_to_candidates() {
    let mut scheduler = with_followers(2, CLASS, 2, HERE);
    scheduler.assign(Pool::Long, true, HERE);
    assert_eq!(scheduler.actions.candidates.len(), 2);
    assert!(!scheduler.may_gather(CLASS, 0) && scheduler.may_begin(Pool::Long, 0));
    let available = [Own::Nowhere, Own::InLine, Own::Apart].map(|own| scheduler.available(CLASS, own));
    assert_eq!(available, [1, 1, 2], "one of the two, or the other one, is to lead");
    assert!(scheduler.in_turn(OTHER, u64::MAX));
    scheduler.pool(Pool::Long).begin(None);
    assert!(!scheduler.in_turn(OTHER, u64::MAX) && scheduler.in_turn(CLASS, u64::MAX), "the last slot");
}

#[test]
fn no_second_batch_begins_on_a_processor_that_computes_one() {
    let mut scheduler = scheduler(2);
    assert_eq!(batch(arrives(&mut scheduler, CLASS, HERE).1), (vec![0], false));
    assert!(matches!(arrives(&mut scheduler, CLASS, HERE).1, Next::Wait));
    assert!(scheduler.actions.is_empty(), "it sleeps where a batch is computed");
    assert_eq!(batch(arrives(&mut scheduler, CLASS, THERE).1), (vec![2, 1], false));
    scheduler.ended((CLASS, Some(0)), None, false, false, HERE);
    assert_eq!(batch(arrives(&mut scheduler, CLASS, HERE).1), (vec![3], false));
}

#[test]
fn a_follower_is_woken_where_all_executors_are_busy() {
    let mut scheduler = scheduler(2);
    scheduler.executors.threads = 3;
    scheduler.push(CLASS, Nothing, Role::Ticket, HERE);
    for _ in 0..8 {
        scheduler.push(CLASS, Nothing, Role::Follower, HERE);
    }
    scheduler.assign(Pool::Long, true, HERE);
    // The ticket is in its batch, if it is among the oldest four.
    assert!(!scheduler.actions.candidates.is_empty() && scheduler.actions.starts.is_empty());
    assert_eq!(scheduler.actions.executors, 0);
}

#[test]
fn the_slot_of_an_assigned_executor_is_left_to_it() {
    let mut scheduler = scheduler(1);
    scheduler.executor_starts();
    assert!(scheduler.submitted(CLASS, Nothing, HERE).is_ok());
    assert_eq!(scheduler.actions.executors, 1);
    assert!(!scheduler.may_gather(CLASS, 0));
    assert!(matches!(arrives(&mut scheduler, CLASS, HERE).1, Next::Wait));
    let Assignment::Take(Pool::Long, next) = scheduler.executor_next(HERE) else { panic!("it was assigned") };
    assert_eq!(batch(next), (vec![0, 1], false));
}

#[test]
fn a_candidate_yields_for_company_and_no_longer_than_its_patience() {
    let mut scheduler = scheduler(1);
    let _ = arrives(&mut scheduler, CLASS, HERE);
    (0..2).for_each(|_| assert!(matches!(arrives(&mut scheduler, CLASS, THERE).1, Next::Wait)));
    scheduler.ended((CLASS, Some(0)), Some(Ran { operations: 1, nanoseconds: 1000 }), false, false, HERE);
    // Three could have shared a batch: the two wait for a third.
    let Next::Yield(candidate) = scheduler.woken(CLASS, 1, THERE) else { panic!("it begins at once") };
    let Next::Yield(candidate) = scheduler.yielded(candidate, 10, At { now: 99, ..THERE }) else { panic!("too early") };
    let next = scheduler.yielded(candidate, 10, At { now: 100, ..THERE });
    assert_eq!(batch(next), (vec![1, 2], false), "after a tenth of a batch's time");
}

#[test]
fn batches_after_a_yield_that_another_process_had_begin_at_once() {
    let mut scheduler = scheduler(1);
    let _ = arrives(&mut scheduler, CLASS, HERE);
    (0..2).for_each(|_| assert!(matches!(arrives(&mut scheduler, CLASS, THERE).1, Next::Wait)));
    let ran = Some(Ran { operations: 1, nanoseconds: 1000 });
    scheduler.ended((CLASS, Some(0)), ran, false, false, HERE);
    let Next::Yield(candidate) = scheduler.woken(CLASS, 1, THERE) else { panic!("it begins at once") };
    let late = At { now: 5000, ..THERE };
    assert_eq!(batch(scheduler.yielded(candidate, 5000, late)), (vec![1, 2], false));
    scheduler.ended((CLASS, Some(1)), ran, false, false, late);
    assert_eq!(batch(arrives(&mut scheduler, CLASS, late).1), (vec![3], false), "without a yield");
}
