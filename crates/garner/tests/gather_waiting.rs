// SPDX-License-Identifier: Apache-2.0
//! Whoever waits is served in its turn, and no more wait than the queue admits.

mod gather_support;

use garner::Error;
use garner::gather::Gatherer;
use gather_support::{Gate, Known, TestDevice, config, eventually, gatherer};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

#[test]
fn ticket_is_not_passed_by_full_batches_of_another_size() {
    let (known, other, gate) = (Known::new(512), Known::new(1024), Gate::new());
    let order = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&order);
    let device = TestDevice::held(8, &gate).before(move |_, jobs| {
        log.lock().unwrap().push((jobs.len() / 2, jobs[0].modulus.bits()));
        Ok(())
    });
    let gatherer = Gatherer::new(config(&[&Arc::new(device)], 1));
    thread::scope(|scope| {
        let call = |i| assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
        // It comes back while the executor is on its way, and with those that wait it has a full batch.
        scope.spawn(move || (0..20).for_each(call));
        gate.wait_for_arrivals(1);
        let ticket = gatherer.submit(other.operation(0)).unwrap();
        for i in 1..13 {
            scope.spawn(move || call(i));
        }
        eventually("twelve callers wait behind the ticket", || gatherer.statistics().queue == 13);
        gate.open(1);
        gate.wait_for_arrivals(2);
        // One operation of 1,024 bits: exponentiations of 512.
        assert_eq!(order.lock().unwrap()[1], (1, 512), "the ticket was passed");
        gate.open_for_good();
        assert_eq!(*ticket.wait().unwrap(), other.answer(0));
    });
}

#[test]
fn nobody_is_forgotten_whatever_stalls() {
    let known = Arc::new([Known::new(512), Known::new(1024)]);
    let stalls = |call: usize| Duration::from_micros([0, 30, 700, 0, 2000, 100, 0][call % 7]);
    for slots in [1, 2, 3] {
        let device = TestDevice::sound(8).on_host().before(move |call, _| {
            thread::sleep(stalls(call));
            Ok(())
        });
        let gatherer = Arc::new(gatherer(&Arc::new(device), slots));
        let (done, all_done) = mpsc::channel();
        // Not scoped: if one is forgotten, the test is to end nevertheless.
        for caller in 0..24 {
            let (gatherer, known, done) = (Arc::clone(&gatherer), Arc::clone(&known), done.clone());
            thread::spawn(move || {
                for i in caller..caller + 60 {
                    let known = &known[usize::from(i % 5 == 0)];
                    let answer = if caller % 6 == 0 {
                        gatherer.submit(known.operation(i)).unwrap().wait()
                    } else {
                        gatherer.run(known.operation(i))
                    };
                    assert_eq!(*answer.unwrap(), known.answer(i));
                    if i % 7 == 0 {
                        thread::sleep(stalls(i / 7));
                    }
                }
                done.send(()).unwrap();
            });
        }
        for finished in 0..24 {
            let next = all_done.recv_timeout(Duration::from_secs(120));
            next.unwrap_or_else(|_| panic!("{finished} of 24 came to an end: {:?}", gatherer.statistics()));
        }
    }
}

#[test]
fn caller_of_another_size_is_not_passed_for_ever_by_who_comes_back_at_once() {
    let (known, other) = (Known::new(512), Known::new(1024));
    let device = Arc::new(TestDevice::slow(8, Duration::from_millis(1)).on_host());
    let gatherer = gatherer(&device, 1);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for i in 0..3 {
            let (gatherer, known, stop) = (&gatherer, &known, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
                }
            });
        }
        for i in 0..10 {
            let before = device.sizes().len();
            assert_eq!(*gatherer.run(other.operation(i)).unwrap(), other.answer(i));
            let passed = device.sizes().len() - before;
            // In its turn it is two or three; a thread that gets no processor may miss more.
            assert!(passed < 200, "{passed} batches came before");
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_rare_size_is_served_in_its_turn() {
    let (common, rare, gate) = (Known::new(512), Known::new(1024), Gate::new());
    let order = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&order);
    let opened = Arc::clone(&gate);
    let device = TestDevice::held(8, &gate).after(move |_, jobs| {
        log.lock().unwrap().push((jobs.len() / 2, jobs[0].modulus.bits()));
        opened.open(1);
        Ok(())
    });
    let gatherer = gatherer(&Arc::new(device), 1);
    let mut tickets = vec![(gatherer.submit(common.operation(0)).unwrap(), common.answer(0))];
    gate.wait_for_arrivals(1);
    for i in 1..12 {
        let known = if i == 7 { &rare } else { &common };
        tickets.push((gatherer.submit(known.operation(i)).unwrap(), known.answer(i)));
    }
    gate.open(1);
    for (ticket, answer) in tickets {
        assert_eq!(*ticket.wait().unwrap(), answer);
    }
    assert_eq!(*order.lock().unwrap(), [(1, 256), (4, 256), (4, 256), (1, 512), (2, 256)]);
}

#[test]
fn queue_limit_gives_back_pressure() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(2, &gate));
    let mut config = config(&[&device], 1);
    config.queue_limit = 4;
    let gatherer = Gatherer::new(config);
    let running = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let tickets: Vec<_> = (1..5).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
    assert_eq!(gatherer.submit(known.operation(5)).unwrap_err(), Error::Full(4));
    thread::scope(|scope| {
        let callers: Vec<_> = (6..12)
            .map(|i| {
                (
                    i,
                    scope.spawn({
                        let (gatherer, known) = (&gatherer, &known);
                        move || gatherer.run(known.operation(i))
                    }),
                )
            })
            .collect();
        let bulk = scope.spawn(|| gatherer.run_batch((0..20).map(|i| known.operation(i)).collect()));
        gate.open_for_good();
        for (i, caller) in callers {
            assert_eq!(*caller.join().unwrap().unwrap(), known.answer(i));
        }
        for (i, answer) in bulk.join().unwrap().into_iter().enumerate() {
            assert_eq!(*answer.unwrap(), known.answer(i));
        }
    });
    assert_eq!(*running.wait().unwrap(), known.answer(0));
    for (i, ticket) in (1..).zip(tickets) {
        assert_eq!(*ticket.wait().unwrap(), known.answer(i));
    }
    // Nobody got past the limit, callers that wait included.
    assert_eq!(gatherer.statistics().queue_high_water, 4);
}

#[test]
fn callers_short_of_room_are_never_forgotten() {
    let known = Arc::new(Known::new(512));
    let mut config = config(&[&Arc::new(TestDevice::sound(2))], 1);
    config.queue_limit = 1;
    let gatherer = Arc::new(Gatherer::new(config));
    // All start together again and again, for it is at the end of a rush that nobody comes to wake a forgotten one.
    let start = Arc::new(Barrier::new(12));
    // Not scoped: should one be forgotten, the test fails instead of waiting for it.
    for thread in 0..12 {
        let (gatherer, known, start) = (Arc::clone(&gatherer), Arc::clone(&known), Arc::clone(&start));
        thread::spawn(move || {
            for i in 0..200 {
                start.wait();
                let operation = known.operation(thread + i);
                let answer = if thread % 4 == 0 {
                    gatherer.run_batch(vec![operation]).remove(0)
                } else {
                    gatherer.run(operation)
                };
                assert_eq!(*answer.unwrap(), known.answer(thread + i));
            }
        });
    }
    eventually("all are answered", || gatherer.statistics().private_operations == 12 * 200);
    assert_eq!(gatherer.statistics().queue_high_water, 1);
}
