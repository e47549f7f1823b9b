// SPDX-License-Identifier: Apache-2.0
//! Who shares a batch with whom, shown by counts.

mod gather_support;

use garner::Error;
use garner::arithmetic::Power;
use garner::device::DeviceError;
use garner::gather::{Gatherer, Operation};
use gather_support::{Gate, Known, TestDevice, config, eventually, gatherer};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::task::{Context, Wake, Waker};
use std::thread::{self, ThreadId};
use std::time::Duration;

#[test]
fn callers_arriving_during_a_batch_share_the_next() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(8, &gate));
    let gatherer = gatherer(&device, 1);
    thread::scope(|scope| {
        let call = |i| (gatherer.run(known.operation(i)).unwrap().to_vec() == known.answer(i)).then_some(()).unwrap();
        scope.spawn(move || call(0));
        gate.wait_for_arrivals(1);
        for i in 1..7 {
            scope.spawn(move || call(i));
        }
        eventually("six callers wait", || gatherer.statistics().queue == 6);
        gate.open_for_good();
    });
    // Four private operations are eight exponentiations.
    assert_eq!(device.sizes(), [2, 8, 4]);
    let statistics = gatherer.statistics();
    assert_eq!((statistics.private_operations, statistics.batches, statistics.queue_high_water), (7, 3, 6));
    assert_eq!((statistics.lanes_used, statistics.lanes_offered), (14, 24));
}

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
fn slow_device_makes_callers_share() {
    let known = Known::new(512);
    let device = Arc::new(TestDevice::slow(16, Duration::from_millis(20)));
    let gatherer = gatherer(&device, 1);
    thread::scope(|scope| {
        for i in 0..8 {
            let (gatherer, known) = (&gatherer, &known);
            scope.spawn(move || {
                for j in 0..4 {
                    assert_eq!(*gatherer.run(known.operation(i + j)).unwrap(), known.answer(i + j));
                }
            });
        }
    });
    let sizes = device.sizes();
    assert_eq!(sizes.iter().sum::<usize>(), 2 * 32);
    // One by one it would be 32 batches.
    assert!(sizes.len() < 32 && sizes.iter().any(|&size| size > 2), "nobody shared: {sizes:?}");
}

#[test]
fn one_slot_for_each_caller_when_there_are_enough() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(2, &gate));
    let gatherer = gatherer(&device, 3);
    thread::scope(|scope| {
        for i in 0..3 {
            let (gatherer, known) = (&gatherer, &known);
            scope.spawn(move || assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i)));
        }
        // All three at once: a single-lane device serialises nobody.
        gate.wait_for_arrivals(3);
        gate.open_for_good();
    });
    assert_eq!(device.sizes(), [2, 2, 2]);
}

/// Runs `call` in a thread that stays on one processor.
fn on<'scope>(scope: &'scope thread::Scope<'scope, '_>, processor: usize, call: impl FnOnce() + Send + 'scope) {
    scope.spawn(move || {
        let mut only = CpuSet::new();
        only.set(processor);
        sched_setaffinity(None, &only).unwrap();
        call();
    });
}

#[test]
fn processor_that_computes_a_batch_gets_no_second_one_while_others_take_what_waits() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(8, &gate).on_host());
    let gatherer = gatherer(&device, 2);
    let all = sched_getaffinity(None).unwrap();
    let processors: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|&processor| all.is_set(processor)).collect();
    thread::scope(|scope| {
        let call = |i| assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
        on(scope, processors[0], move || call(0));
        gate.wait_for_arrivals(1);
        on(scope, processors[0], move || call(1));
        eventually("one waits, though a slot is free", || gatherer.statistics().queue == 1);
        if let Some(&other) = processors.get(1) {
            on(scope, other, move || call(2));
            gate.wait_for_arrivals(2);
            assert_eq!(gatherer.statistics().queue, 0);
        }
        gate.open_for_good();
    });
    let expected: &[usize] = if processors.len() > 1 { &[2, 4] } else { &[2, 2] };
    assert_eq!(device.sizes(), expected);
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
fn tickets_share_batches_and_their_submitter_never_leads() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(8, &gate));
    let gatherer = gatherer(&device, 1);
    let mut tickets = vec![gatherer.submit(known.operation(0)).unwrap()];
    gate.wait_for_arrivals(1);
    tickets.extend((1..9).map(|i| gatherer.submit(known.operation(i)).unwrap()));
    assert!(tickets.iter_mut().all(|ticket| ticket.try_take().is_none()));
    gate.open_for_good();
    for (i, ticket) in tickets.into_iter().enumerate() {
        assert_eq!(*ticket.wait().unwrap(), known.answer(i));
    }
    assert_eq!(device.sizes(), [2, 8, 8]);
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

#[test]
fn mixed_sizes_over_64_threads() {
    let keys: Vec<Known> = [512, 768, 1024, 2048].into_iter().map(Known::new).collect();
    let device = Arc::new(TestDevice::sound(16));
    let gatherer = gatherer(&device, 2);
    let (per_thread, start) = (157, Barrier::new(64));
    thread::scope(|scope| {
        for thread in 0..64 {
            let (gatherer, keys, start) = (&gatherer, &keys, &start);
            scope.spawn(move || {
                start.wait();
                for i in 0..per_thread {
                    // The largest one time in eight: they cost forty times the smallest.
                    let known = &keys[[0, 1, 2, 0, 1, 3, 0, 1][(thread + i) % 8]];
                    let answer = if (thread + i) % 3 == 0 {
                        gatherer.submit(known.operation(i)).unwrap().wait()
                    } else {
                        gatherer.run(known.operation(i))
                    };
                    assert_eq!(*answer.unwrap(), known.answer(i));
                }
            });
        }
    });
    let statistics = gatherer.statistics();
    assert_eq!(statistics.private_operations, 64 * per_thread as u64);
    assert!(statistics.mean_fill() > 1.0, "64 callers on two slots must share: {statistics:?}");
    assert_eq!(statistics.queue, 0);
}

#[test]
fn run_batch_answers_in_order() {
    let (small, large) = (Known::new(512), Known::new(1024));
    let device = Arc::new(TestDevice::sound(8));
    let gatherer = gatherer(&device, 2);
    let operations = (0..300).map(|i| if i % 3 == 0 { large.operation(i) } else { small.operation(i) }).collect();
    for (i, answer) in gatherer.run_batch(operations).into_iter().enumerate() {
        assert_eq!(*answer.unwrap(), if i % 3 == 0 { large.answer(i) } else { small.answer(i) });
    }
    assert!(gatherer.statistics().mean_fill() > 1.0);
    assert!(gatherer.run_batch(Vec::new()).is_empty());
}

/// Notes which thread runs a batch.
fn note_thread(
    threads: &Arc<Mutex<Vec<ThreadId>>>,
) -> impl Fn(usize, &mut [Power<'_>]) -> Result<(), DeviceError> + Send + Sync + 'static {
    let threads = Arc::clone(threads);
    move |_, _| {
        threads.lock().unwrap().push(thread::current().id());
        Ok(())
    }
}

#[test]
fn caller_of_a_whole_batch_runs_it_where_a_slot_is_free() {
    let known = Known::new(512);
    let threads = Arc::new(Mutex::new(Vec::new()));
    let device = TestDevice::sound(8).before(note_thread(&threads));
    let gatherer = gatherer(&Arc::new(device), 1);
    let answers = gatherer.run_batch((0..22).map(|i| known.operation(i)).collect());
    for (i, answer) in answers.into_iter().enumerate() {
        assert_eq!(*answer.unwrap(), known.answer(i));
    }
    assert_eq!(*threads.lock().unwrap(), [thread::current().id(); 6], "22 operations, four in a batch");
}

#[test]
fn caller_of_a_whole_batch_gives_its_slot_to_the_next_caller_while_another_runs_the_rest() {
    let (known, other, gate) = (Known::new(512), Known::new(1024), Gate::new());
    let threads = Arc::new(Mutex::new(Vec::new()));
    let device = TestDevice::held(8, &gate).before(note_thread(&threads));
    let gatherer = gatherer(&Arc::new(device), 2);
    thread::scope(|scope| {
        let bulk = scope.spawn(|| gatherer.run_batch((0..8).map(|i| known.operation(i)).collect()));
        gate.wait_for_arrivals(2);
        let caller = scope.spawn(|| gatherer.run(other.operation(0)));
        eventually("the caller waits", || gatherer.statistics().queue == 1);
        let (bulk_thread, caller_thread) = (bulk.thread().id(), caller.thread().id());
        gate.open(1);
        gate.wait_for_arrivals(3);
        gate.open_for_good();
        assert_eq!(*caller.join().unwrap().unwrap(), other.answer(0));
        for (i, answer) in bulk.join().unwrap().into_iter().enumerate() {
            assert_eq!(*answer.unwrap(), known.answer(i));
        }
        let threads = threads.lock().unwrap();
        assert!(threads[..2].contains(&bulk_thread), "one of the two batches is its own");
        assert_eq!(threads[2..], [caller_thread]);
    });
}

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
fn operands_out_of_range_are_refused() {
    let known = Known::new(512);
    let modulus = {
        let mut bytes = vec![0; 64];
        garner::words::to_be_bytes(known.key.public().modulus().words(), &mut bytes);
        bytes
    };
    assert!(matches!(Operation::private(&known.key, &modulus), Err(Error::Argument { name: "input", .. })));
    assert!(matches!(Operation::public(known.key.public(), &[255; 65]), Err(Error::Argument { name: "input", .. })));
    let odd = Arc::new(garner::arithmetic::Modulus::new(&[9]).unwrap());
    assert!(matches!(Operation::exponentiation(&odd, &[9], &[1]), Err(Error::Argument { name: "base", .. })));
    assert!(matches!(Operation::exponentiation(&odd, &[2], &[]), Err(Error::Argument { name: "exponent", .. })));
    assert!(matches!(Operation::exponentiation(&odd, &[2], &[1; 1025]), Err(Error::Argument { name: "exponent", .. })));
    let gatherer = gatherer(&Arc::new(TestDevice::sound(8)), 1);
    assert_eq!(*gatherer.run(Operation::exponentiation(&odd, &[0, 2], &[0, 5]).unwrap()).unwrap(), [5]);
    // Leading zeros are no error, and zero is a value like any other.
    let zero = Operation::private(&known.key, &[0; 100]).unwrap();
    assert_eq!(*gatherer.run(zero).unwrap(), [0; 64]);
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
