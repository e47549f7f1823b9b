// SPDX-License-Identifier: Apache-2.0
//! How a gatherer ends: shut down, dropped, or retired at the end of a process.

mod gather_support;

use garner::Error;
use gather_support::{Gate, Known, TestDevice, eventually, gatherer, spawn_run};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

#[test]
fn shut_down_waits_for_answers_that_are_being_given() {
    struct Slow(AtomicBool);
    impl Wake for Slow {
        fn wake(self: Arc<Self>) {
            thread::sleep(Duration::from_millis(200));
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(8, &gate)), 1);
    let waker = Arc::new(Slow(AtomicBool::new(false)));
    thread::scope(|scope| {
        let call = |i| assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
        scope.spawn(move || call(0));
        gate.wait_for_arrivals(1);
        // A caller is blocked on the oldest, so it leads the batch in which the ticket is.
        scope.spawn(move || call(1));
        eventually("a caller waits", || gatherer.statistics().queue == 1);
        let mut ticket = gatherer.submit(known.operation(2)).unwrap();
        let waits = Pin::new(&mut ticket).poll(&mut Context::from_waker(&Waker::from(Arc::clone(&waker))));
        assert!(waits.is_pending());
        gate.open(1);
        gate.wait_for_arrivals(2);
        gate.open_for_good();
        gatherer.shutdown();
        assert!(waker.0.load(Ordering::SeqCst), "the waker has yet to end");
    });
}

#[test]
fn shutdown_answers_every_waiting_caller() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(2, &gate));
    let gatherer = gatherer(&device, 2);
    thread::scope(|scope| {
        let running: Vec<_> = (0..2).map(|i| spawn_run(scope, &gatherer, &known, i)).collect();
        gate.wait_for_arrivals(2);
        let waiting: Vec<_> = (2..6).map(|i| spawn_run(scope, &gatherer, &known, i)).collect();
        let tickets: Vec<_> = (6..10).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
        eventually("all are queued", || gatherer.statistics().queue == 8);
        let shutting = scope.spawn(|| gatherer.shutdown());
        for caller in waiting {
            assert_eq!(caller.join().unwrap().unwrap_err(), Error::ShutDown);
        }
        for ticket in tickets {
            assert_eq!(ticket.wait().unwrap_err(), Error::ShutDown);
        }
        // Those in a batch get their answer, and shut-down waits for them.
        assert!(!shutting.is_finished());
        gate.open_for_good();
        for (i, caller) in running.into_iter().enumerate() {
            assert_eq!(*caller.join().unwrap().unwrap(), known.answer(i));
        }
        shutting.join().unwrap();
    });
    assert_eq!(gatherer.run(known.operation(0)).unwrap_err(), Error::ShutDown);
    assert_eq!(gatherer.submit(known.operation(0)).unwrap_err(), Error::ShutDown);
    assert_eq!(gatherer.run_batch(vec![known.operation(0)])[0], Err(Error::ShutDown));
    assert_eq!(device.sizes(), [2, 2]);
    gatherer.shutdown();
}

#[test]
fn dropping_the_gatherer_answers_its_tickets_and_ends_its_threads() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(2, &gate));
    let gatherer = gatherer(&device, 1);
    let running = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let waiting = gatherer.submit(known.operation(1)).unwrap();
    let dropping = thread::spawn(move || drop(gatherer));
    assert_eq!(waiting.wait().unwrap_err(), Error::ShutDown);
    gate.open_for_good();
    dropping.join().unwrap();
    assert_eq!(*running.wait().unwrap(), known.answer(0));
    // Executors held the device; none is left.
    assert_eq!(Arc::strong_count(&device), 1);
}

#[test]
fn retirement_answers_tickets_that_wait_ends_the_executors_and_leaves_callers_be() {
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 2);
    let tickets: Vec<_> = (0..20).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
    gate.wait_for_arrivals(1);
    thread::scope(|scope| {
        let retiring = scope.spawn(|| gatherer.retire());
        eventually("tickets are refused", || matches!(gatherer.submit(known.operation(0)), Err(Error::ShutDown)));
        assert!(!retiring.is_finished());
        gate.open_for_good();
        retiring.join().unwrap();
    });
    for (i, mut ticket) in tickets.into_iter().enumerate() {
        assert_eq!(*ticket.try_take().expect("an answer").unwrap(), known.answer(i));
    }
    assert_eq!(*gatherer.run(known.operation(3)).unwrap(), known.answer(3));
    assert!(gatherer.run_batch(vec![known.operation(0)]).remove(0).is_err());
}

/// An executor that is to leave waits for the last ticket. It is told when that is not run but dropped: here the one slot is
/// a caller's, whose batch does not end.
#[test]
fn retirement_ends_when_the_last_ticket_is_dropped() {
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    thread::scope(|scope| {
        let caller = spawn_run(scope, &gatherer, &known, 0);
        gate.wait_for_arrivals(1);
        let ticket = gatherer.submit(known.operation(1)).unwrap();
        let retiring = scope.spawn(|| gatherer.retire());
        eventually("tickets are refused", || matches!(gatherer.submit(known.operation(2)), Err(Error::ShutDown)));
        assert!(!retiring.is_finished());
        drop(ticket);
        eventually("the executor leaves", || retiring.is_finished());
        gate.open_for_good();
        assert_eq!(*caller.join().unwrap().unwrap(), known.answer(0));
    });
}
