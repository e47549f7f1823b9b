// SPDX-License-Identifier: Apache-2.0
//! What waiting operations cost, and that nothing is left of them. One test at a time: they look at the whole process.

mod gather_support;

use garner::Error;
use gather_support::{Gate, Known, TestDevice, gatherer};
use std::sync::{Arc, Mutex};

static ALONE: Mutex<()> = Mutex::new(());

/// Resident memory of this process, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn ten_thousand_queued_stay_under_32_mib() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (known, gate) = (Known::new(2048), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(16, &gate)), 1);
    let first = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let before = resident();
    let tickets: Vec<_> = (1..=10_000).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
    assert_eq!(gatherer.statistics().queue, 10_000);
    let grown = resident() - before;
    assert!(grown < 32 << 10, "10,000 operations took {grown} KiB");
    std::thread::scope(|scope| {
        scope.spawn(|| gatherer.shutdown());
        assert!(tickets.into_iter().all(|ticket| ticket.wait() == Err(Error::ShutDown)));
        gate.open_for_good();
    });
    assert_eq!(*first.wait().unwrap(), known.answer(0));
}

#[test]
fn dropped_tickets_leak_nothing() {
    let _alone = ALONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(16, &gate)), 1);
    let first = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let before = descriptors();
    for i in 0..200 {
        let ticket = gatherer.submit(known.operation(i)).unwrap();
        ticket.event_fd().unwrap();
    }
    gate.open_for_good();
    assert_eq!(*first.wait().unwrap(), known.answer(0));
    gatherer.shutdown();
    assert_eq!(gatherer.statistics().private_operations, 1, "nobody wanted the others");
    assert_eq!(Arc::strong_count(&known.key), 1);
    assert_eq!(descriptors(), before);
}
