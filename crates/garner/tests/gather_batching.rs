// SPDX-License-Identifier: Apache-2.0
//! Who shares a batch with whom, shown by counts.

mod gather_support;

use garner::arithmetic::Power;
use garner::device::DeviceError;
use gather_support::{Gate, Known, TestDevice, eventually, gatherer};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

#[test]
fn any_number_of_slots_will_do() {
    let known = Known::new(512);
    let gatherer = gatherer(&Arc::new(TestDevice::sound(4)), usize::MAX);
    let answers = gatherer.run_batch((0..10).map(|i| known.operation(i)).collect());
    assert!(answers.iter().enumerate().all(|(i, answer)| **answer.as_ref().unwrap() == known.answer(i)));
}

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
