// SPDX-License-Identifier: Apache-2.0
//! The whole gatherer under shuttle: its lock, its conditions, and how callers sleep and are woken, in many interleavings of a
//! few threads. An operation that is answered wrongly, twice or never, and a thread that sleeps on, end a test with a schedule
//! that `shuttle::replay` runs again.
//!
//! `make check-interleavings`. What the scheduler decides is checked by its own simulation, over far more schedules; here it is
//! the runtime around it that is tried.

use super::{Config, Gatherer, Operation, Output};
use crate::arithmetic::libcrypto::Libcrypto;
use crate::arithmetic::{Modulus, Power};
use crate::device::{Cpu, Device, DeviceError, DeviceInfo, Limits};
use crate::error::{Error, Result};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config as Shuttle, Runner, future, thread};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Interleavings of each test, half of them at random, half with few changes of priority (Burckhardt et al. 2010, "A randomized
/// scheduler with probabilistic guarantees of finding bugs").
const INTERLEAVINGS: usize = 2_000;

/// Runs `body` in many interleavings.
fn explore(body: impl Fn() + Send + Sync + Clone + 'static) {
    fn run(scheduler: impl Scheduler + 'static, body: impl Fn() + Send + Sync + 'static) {
        let mut config = Shuttle::new();
        config.stack_size = 1 << 20; // libcrypto runs on it
        Runner::new(scheduler, config).run(body);
    }
    run(RandomScheduler::new(INTERLEAVINGS / 2), body.clone());
    run(PctScheduler::new(3, INTERLEAVINGS / 2), body);
}

/// libcrypto, wanting two at once; every `fails`th batch fails.
struct Two {
    cpu: Cpu,
    batches: AtomicUsize,
    fails: usize,
}

impl DeviceInfo for Two {
    fn name(&self) -> &str {
        "two"
    }

    fn limits(&self) -> Limits {
        self.cpu.limits()
    }

    fn preferred_batch(&self) -> usize {
        2
    }
}

impl Device for Two {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> std::result::Result<(), DeviceError> {
        // Whoever comes now waits, or takes another slot.
        thread::yield_now();
        match self.batches.fetch_add(1, Ordering::Relaxed) + 1 {
            count if count % self.fails == 0 => Err(DeviceError("as the test wants it".to_owned())),
            _ => self.cpu.exponentiate(jobs),
        }
    }
}

fn gatherer(slots: usize, queue_limit: usize, fails: usize) -> Arc<Gatherer> {
    let device = Two { cpu: Cpu::new(Arc::new(Libcrypto)), batches: AtomicUsize::new(0), fails };
    let mut config = Config::with(Arc::new(Libcrypto), vec![Arc::new(device)]);
    config.slots = slots;
    config.queue_limit = queue_limit;
    Arc::new(Gatherer::new(config))
}

/// `base`^3 modulo 65521.
fn operation(base: u8) -> Operation {
    Operation::exponentiation(&Arc::new(Modulus::new(&[0xfff1]).unwrap()), &[base], &[3]).unwrap()
}

fn is_right(base: u8, answer: &Output) -> bool {
    let [high, low] = answer[..] else { return false };
    u32::from(base).pow(3) % 65_521 == u32::from(high) << 8 | u32::from(low)
}

fn check(base: u8, answer: Result<Output>) {
    assert!(is_right(base, &answer.unwrap()));
}

/// The same, or that the gatherer was shut down.
fn check_or_shut_down(base: u8, answer: Result<Output>) {
    match answer {
        Err(Error::ShutDown) => {}
        answer => check(base, answer),
    }
}

fn all_kinds(slots: usize, queue_limit: usize, fails: usize) {
    let gatherer = gatherer(slots, queue_limit, fails);
    let callers: Vec<_> = (1..4)
        .map(|base| {
            let gatherer = Arc::clone(&gatherer);
            thread::spawn(move || (0..2).for_each(|_| check(base, gatherer.run(operation(base)))))
        })
        .collect();
    let of_batch = Arc::clone(&gatherer);
    let batch = thread::spawn(move || {
        let answers = of_batch.run_batch((10..13).map(operation).collect());
        answers.into_iter().zip(10..).for_each(|(answer, base)| check(base, answer));
    });
    let ticket = |base| loop {
        match gatherer.submit(operation(base)) {
            Err(Error::Full(_)) => thread::yield_now(),
            ticket => return ticket.unwrap(),
        }
    };
    let (waited, polled, dropped) = (ticket(20), ticket(21), ticket(22));
    drop(dropped);
    check(21, future::block_on(polled));
    check(20, waited.wait());
    callers.into_iter().chain([batch]).for_each(|thread| thread.join().unwrap());
    gatherer.shutdown();
    let done = gatherer.statistics().exponentiations;
    assert!((11..=12).contains(&done), "{done} operations, of which one may have been withdrawn");
}

#[test]
fn all_kinds_of_callers_are_answered_by_one_slot() {
    explore(|| all_kinds(1, 100, usize::MAX));
}

#[test]
fn all_kinds_of_callers_are_answered_by_two_slots() {
    explore(|| all_kinds(2, 100, usize::MAX));
}

#[test]
fn all_kinds_of_callers_find_room_in_a_queue_of_one() {
    explore(|| all_kinds(1, 1, usize::MAX));
}

#[test]
fn all_kinds_of_callers_are_answered_though_the_device_fails() {
    explore(|| all_kinds(2, 2, 2));
}

#[test]
fn shutting_down_answers_everybody() {
    explore(|| {
        let gatherer = gatherer(1, 2, usize::MAX);
        let callers: Vec<_> = (1..4)
            .map(|base| {
                let gatherer = Arc::clone(&gatherer);
                thread::spawn(move || check_or_shut_down(base, gatherer.run(operation(base))))
            })
            .collect();
        let of_tickets = Arc::clone(&gatherer);
        let tickets = thread::spawn(move || match of_tickets.submit(operation(20)) {
            Err(Error::ShutDown | Error::Full(_)) => {}
            ticket => check_or_shut_down(20, ticket.unwrap().wait()),
        });
        gatherer.shutdown();
        assert!(matches!(gatherer.run(operation(1)), Err(Error::ShutDown)));
        callers.into_iter().chain([tickets]).for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn retiring_lets_callers_go_on_and_tickets_end() {
    explore(|| {
        let gatherer = gatherer(1, 100, usize::MAX);
        let ticket = gatherer.submit(operation(20)).unwrap();
        let caller = Arc::clone(&gatherer);
        let caller = thread::spawn(move || (0..2).for_each(|_| check(2, caller.run(operation(2)))));
        gatherer.retire();
        assert!(matches!(gatherer.submit(operation(1)), Err(Error::ShutDown)));
        check(20, ticket.wait());
        check(3, gatherer.run(operation(3)));
        caller.join().unwrap();
    });
}
