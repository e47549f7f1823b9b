// SPDX-License-Identifier: Apache-2.0
//! A GPU behind a gatherer: which operations it gets, and that all are answered rightly.

use super::*;
use garner::stats::Statistics;

/// Public operations through a gatherer with this GPU; how many the GPU got, and what it counted.
fn gather_public<M: Machine>(gpu: Gpu<M>) -> (usize, Statistics) {
    let count = Arc::new(AtomicUsize::new(0));
    let device = Arc::new(Counted(gpu, Arc::clone(&count)));
    let gatherer = Gatherer::new(Config::with(Arc::new(Libcrypto), vec![device]));
    let keys = public_keys(1024);
    // The longest exponent alone is a class of its own.
    for _ in 0..4 {
        let inputs: Vec<[u8; 9]> = (0..60_u8).map(|i| [i + 1; 9]).collect();
        let operation = |(i, input): (usize, &[u8; 9])| Operation::public(&keys[i % 3], input).unwrap();
        let answers = gatherer.run_batch(inputs.iter().enumerate().map(operation).collect());
        for (i, (answer, input)) in answers.into_iter().zip(inputs).enumerate() {
            let mut base = vec![0; 16];
            garner::words::from_be_bytes(&input, &mut base).unwrap();
            let mut expected = vec![0; 128];
            garner::words::to_be_bytes(&public_power(&keys[i % 3], &base), &mut expected);
            assert_eq!(*answer.unwrap(), expected);
        }
    }
    (count.load(Ordering::Relaxed), gatherer.statistics())
}

#[test]
fn the_gatherer_gives_public_operations_to_a_gpu_that_was_told_to_take_them_and_to_no_other() {
    let told = gpu(512);
    told.test_public(1024).unwrap();
    let (count, statistics) = gather_public(told);
    assert!(count > 0);
    assert_eq!((statistics.faults, statistics.device_failures), (0, 0));
    assert_eq!(gather_public(gpu(512)).0, 0);
}

#[test]
fn public_operations_that_a_lost_gpu_had_are_done_by_the_host() {
    let lost = Gpu::new(Emulator::new(Fault::Lost));
    assert!(lost.shared.public[0].set(Kernel::new(Role::Public, PUBLIC_WORDS[0])).is_ok());
    let (count, statistics) = gather_public(lost);
    assert!(count > 0);
    assert_eq!(statistics.out_of_service, 1);
}

#[test]
fn the_gatherer_signs_through_the_gpu() {
    let gatherer = Gatherer::new(Config::with(Arc::new(Libcrypto), vec![Arc::new(gpu(512))]));
    let key = key(1024);
    let operations = (0..70).map(|i: u32| Operation::private(&key, &i.to_be_bytes()).unwrap()).collect();
    for (i, power) in gatherer.run_batch(operations).into_iter().enumerate() {
        let back = gatherer.run(Operation::public(key.public(), &power.unwrap()).unwrap()).unwrap();
        assert!(back.ends_with(&(i as u32).to_be_bytes()));
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.faults, statistics.device_failures), (0, 0));
}
