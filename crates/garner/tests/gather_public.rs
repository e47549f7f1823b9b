// SPDX-License-Identifier: Apache-2.0
//! Public operations, which have slots of their own.

mod gather_support;

use garner::gather::Operation;
use gather_support::{Gate, Known, TestDevice, eventually, gatherer};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

#[test]
fn public_operations_undo_private_ones() {
    let known = Known::new(1024);
    let gatherer = gatherer(&Arc::new(TestDevice::sound(8)), 2);
    let public = |i: usize| Operation::public(known.key.public(), known.answer(i)).unwrap();
    for i in 0..4 {
        assert_eq!(*gatherer.run(public(i)).unwrap(), known.cases[i].0);
    }
    for (i, answer) in gatherer.run_batch((0..100).map(public).collect()).into_iter().enumerate() {
        assert_eq!(*answer.unwrap(), known.cases[i % 16].0);
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.public_operations, statistics.private_operations, statistics.batches), (104, 0, 0));
}

#[test]
fn public_operations_do_not_wait_for_private_ones() {
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    let private = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let public = Operation::public(known.key.public(), known.answer(0)).unwrap();
    assert_eq!(*gatherer.run(public).unwrap(), known.cases[0].0);
    let public = Operation::public(known.key.public(), known.answer(1)).unwrap();
    assert_eq!(*gatherer.submit(public).unwrap().wait().unwrap(), known.cases[1].0);
    gate.open_for_good();
    assert_eq!(*private.wait().unwrap(), known.answer(0));
}

#[test]
fn ticket_that_found_every_executor_busy_with_the_other_kind_is_run_when_one_is_free() {
    struct Holds(Arc<Gate>);
    impl Wake for Holds {
        fn wake(self: Arc<Self>) {
            self.0.hold();
        }
    }
    let (known, private_gate, public_gate) = (Known::new(512), Gate::new(), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(4, &private_gate)), 2);
    let held = gatherer.submit(known.operation(0)).unwrap();
    private_gate.wait_for_arrivals(1);
    // Two public operations keep their executors waiting in their wakers: with two slots, that is every executor.
    let waker = Waker::from(Arc::new(Holds(Arc::clone(&public_gate))));
    let public = (0..2).map(|i| {
        loop {
            let operation = Operation::public(known.key.public(), known.answer(i)).unwrap();
            let mut ticket = gatherer.submit(operation).unwrap();
            if Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending() {
                public_gate.wait_for_arrivals(i + 1);
                return ticket;
            }
        }
    });
    let public: Vec<_> = public.collect();
    let mut private = gatherer.submit(known.operation(1)).unwrap();
    thread::sleep(Duration::from_millis(50));
    assert_eq!(gatherer.statistics().queue, 1, "a slot is free, but no executor");
    public_gate.open_for_good();
    private_gate.wait_for_arrivals(2);
    private_gate.open_for_good();
    let mut answer = None;
    eventually("the private operation is run", || {
        answer = private.try_take();
        answer.is_some()
    });
    assert_eq!(*answer.unwrap().unwrap(), known.answer(1));
    assert_eq!(*held.wait().unwrap(), known.answer(0));
    for (i, ticket) in public.into_iter().enumerate() {
        assert_eq!(*ticket.wait().unwrap(), known.cases[i].0);
    }
}

#[test]
fn longer_public_operations_are_not_passed_for_ever_by_brief_ones() {
    let (brief, longer) = (Known::new(2048), Known::new(3072));
    let gatherer = gatherer(&Arc::new(TestDevice::sound(8)), 1);
    let stop = AtomicBool::new(false);
    let public = |known: &Known, i| Operation::public(known.key.public(), known.answer(i)).unwrap();
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    gatherer.run(public(&brief, 0)).unwrap();
                }
            });
        }
        let (sender, done) = mpsc::channel();
        let gatherer = &gatherer;
        let operation = public(&longer, 0);
        let ticket = gatherer.submit(public(&longer, 1)).unwrap();
        scope.spawn(move || sender.send((gatherer.run(operation).is_ok(), ticket.wait().is_ok())).unwrap());
        let both = done.recv_timeout(Duration::from_secs(20));
        stop.store(true, Ordering::Relaxed);
        assert_eq!(both, Ok((true, true)), "a caller and a ticket");
    });
}
