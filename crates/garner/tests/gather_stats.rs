// SPDX-License-Identifier: Apache-2.0
//! The figures, from inside and from outside.

mod gather_support;

use garner::gather::{Gatherer, Operation};
use garner::stats;
use gather_support::{Gate, Known, TestDevice, config, eventually, gatherer};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

#[test]
fn figures_add_up() {
    let known = Known::new(512);
    let gatherer = Gatherer::new(config(&[&Arc::new(TestDevice::slow(4, Duration::from_millis(2)))], 3));
    assert_eq!(gatherer.statistics().running, Duration::ZERO);
    assert_eq!(gatherer.statistics().load(), 0.0);
    for i in 0..10 {
        gatherer.run(known.operation(i)).unwrap();
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.pid, statistics.slots), (std::process::id(), 3));
    assert_eq!((statistics.operations(), statistics.batches, statistics.mean_fill()), (10, 10, 1.0));
    assert_eq!((statistics.lanes_used, statistics.lanes_offered, statistics.lane_use()), (20, 40, 0.5));
    // Each batch slept 2 ms, one after the other.
    assert!(statistics.device_time >= Duration::from_millis(20) && statistics.running >= statistics.device_time);
    assert!(statistics.mean_time() >= Duration::from_millis(2));
    assert!(statistics.busy >= statistics.device_time && statistics.running >= statistics.busy);
    let load = statistics.busy.as_secs_f64() / statistics.running.as_secs_f64() / 3.0;
    assert!((statistics.load() - load).abs() < 1e-9 && load > 0.0 && load <= 1.0 / 3.0);
}

#[test]
fn busy_time_goes_on_while_a_batch_does() {
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    let ticket = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let before = gatherer.statistics().busy;
    eventually("the slot was busy", || gatherer.statistics().busy >= before + Duration::from_millis(5));
    gate.open_for_good();
    ticket.wait().unwrap();
}

#[test]
fn room_is_that_of_the_device_that_ran_the_batch() {
    let known = Known::new(512);
    let (dead, spare) = (Arc::new(TestDevice::failing(64, 0)), Arc::new(TestDevice::sound(2)));
    let gatherer = Gatherer::new(config(&[&dead, &spare], 1));
    gatherer.run(known.operation(0)).unwrap();
    assert_eq!((dead.sizes().len(), gatherer.statistics().lanes_offered), (1, 2));
}

#[test]
fn load_is_at_most_one_though_more_batches_run_than_there_are_slots() {
    let known = Known::new(512);
    let gatherer = Gatherer::new(config(&[&Arc::new(TestDevice::slow(2, Duration::from_millis(1)))], 1));
    std::thread::scope(|scope| {
        // Brief operations need no slot.
        for i in 0..12 {
            let (gatherer, known) = (&gatherer, &known);
            scope.spawn(move || {
                for _ in 0..50 {
                    let answer = gatherer.run(known.operation(i)).unwrap();
                    gatherer.run(Operation::public(known.key.public(), &answer).unwrap()).unwrap();
                }
            });
        }
        eventually("something was done", || gatherer.statistics().operations() > 100);
        let load = gatherer.statistics().load();
        assert!(load > 0.1 && load <= 1.0, "{load}");
    });
    let statistics = gatherer.statistics();
    assert!(statistics.load() > 0.1 && statistics.load() <= 1.0, "{statistics:?}");
}

/// The other process of the test below; does nothing unless that test starts it.
#[test]
fn helper_signs_and_waits() {
    if std::env::var_os("GARNER_TEST_HELPER").is_none() {
        return;
    }
    let known = Known::new(512);
    let gatherer = gatherer(&Arc::new(TestDevice::sound(4)), 2);
    for i in 0..7 {
        assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
    }
    std::io::stderr().write_all(b"signed\n").unwrap();
    // Until it is killed.
    loop {
        std::thread::park();
    }
}

#[test]
fn figures_of_a_running_process_are_read_from_outside_and_vanish_with_it() {
    let mut helper = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "helper_signs_and_waits", "--nocapture"])
        .env("GARNER_TEST_HELPER", "1")
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(helper.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "signed"), "the helper ended early");
    let statistics = stats::read(helper.id()).unwrap();
    helper.kill().unwrap();
    helper.wait().unwrap();
    assert_eq!((statistics.pid, statistics.private_operations, statistics.slots), (helper.id(), 7, 2));
    assert!(statistics.device_time > Duration::ZERO && statistics.running >= statistics.device_time);
    eventually("the process is gone", || stats::read(helper.id()).is_err());
}

#[test]
fn a_process_without_figures_is_named() {
    let mut sleeper = Command::new("sleep").arg("100").spawn().unwrap();
    let error = stats::read(sleeper.id()).unwrap_err().to_string();
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert!(error.contains(&sleeper.id().to_string()), "{error}");
    assert!(stats::read(u32::MAX).is_err());
}
