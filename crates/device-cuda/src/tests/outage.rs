// SPDX-License-Identifier: Apache-2.0
//! A GPU that is lost, or never finishes, after its self-test: callers get their answers, and it is asked no more.

use super::*;
use std::thread;

#[test]
fn a_lost_gpu_is_taken_out_of_service_and_callers_notice_nothing() {
    let device = Gpu::new(Emulator::new(Fault::Lost));
    // As if it had been lost after its test.
    assert!(device.shared.kernels[0].set(Kernels::new(0)).is_ok());
    let gatherer = Gatherer::new(Config::with(Arc::new(Libcrypto), vec![Arc::new(device)]));
    let key = key(1024);
    for _ in 0..5 {
        let power = gatherer.run(Operation::private(&key, b"a number").unwrap()).unwrap();
        let back = gatherer.run(Operation::public(key.public(), &power).unwrap()).unwrap();
        assert!(back.ends_with(b"a number"));
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.device_failures, statistics.out_of_service), (3, 1));
}

#[test]
fn a_gpu_that_never_finishes_is_taken_out_of_service_and_callers_get_their_answers() {
    let (device, seen) = hanging();
    let gatherer = Gatherer::new(Config::with(Arc::new(Libcrypto), vec![Arc::new(device)]));
    let key = key(1024);
    // Several lanes at once have a batch that is never done; the fourth thread's waits for one of them.
    thread::scope(|scope| {
        for _ in 0..2 * MOST_LANES {
            scope.spawn(|| {
                let power = gatherer.run(Operation::private(&key, b"a number").unwrap()).unwrap();
                let back = gatherer.run(Operation::public(key.public(), &power).unwrap()).unwrap();
                assert!(back.ends_with(b"a number"));
            });
        }
    });
    for _ in 0..5 {
        gatherer.run(Operation::private(&key, b"a number").unwrap()).unwrap();
    }
    let statistics = gatherer.statistics();
    assert!(statistics.device_failures >= 3);
    assert_eq!(statistics.out_of_service, 1);
    // Nothing was asked of it once it was given up, and nothing of it is freed, which would wait for ever.
    let [queues, abandoned] = [&seen.queues, &seen.abandoned].map(|count| count.load(Ordering::Relaxed));
    assert!((1..=MOST_LANES).contains(&queues), "{queues} queues");
    assert_eq!(abandoned, queues);
    drop(gatherer);
    assert_eq!(seen.abandoned.load(Ordering::Relaxed), queues);
}

#[test]
fn nothing_of_a_gpu_that_was_given_up_is_used_again() {
    let (device, seen) = hanging();
    let key = key(1024);
    let operate = || {
        let (base, mut result) = (vec![2; 16], vec![0; 16]);
        device.operate(&mut [Private { key: &key, base: &base, result: &mut result }])
    };
    // Idle, and made before.
    device.shared.with_lane(|_| Ok(())).unwrap();
    device.shared.with_lane(|_| device.shared.with_lane(|_| Ok(()))).unwrap();
    let DeviceError(reason) = operate().unwrap_err();
    assert_eq!(reason, "not done within 0.05 s: the GPU is given up");
    let launched = seen.launched.lock().unwrap().len();
    for _ in 0..3 {
        let DeviceError(reason) = operate().unwrap_err();
        assert_eq!(reason, "the GPU was given up: it did not answer");
    }
    let DeviceError(reason) = device.test(1024).unwrap_err();
    assert_eq!(reason, "the GPU was given up: it did not answer");
    assert_eq!(seen.launched.lock().unwrap().len(), launched);
    assert_eq!(seen.queues.load(Ordering::Relaxed), 2);
}

#[test]
fn waiting_without_sleep_gives_up_a_gpu_that_never_finishes() {
    let given_up = Arc::default();
    let mut queue = Watched::new(&Emulator::new(Fault::Hangs), &given_up).unwrap();
    queue.spin().unwrap();
    queue.launch(&Kernel::new(Role::Gather, 16), &[], 1, 0).unwrap();
    assert!(queue.spin().is_err() && given_up.load(Ordering::Relaxed));
}
