// SPDX-License-Identifier: Apache-2.0
//! What is left on a GPU: nothing of numbers, and nothing of keys that were dropped.

use super::emulated::EmulatedQueue;
use super::*;

fn lane() -> Lane<EmulatedQueue> {
    Gpu::new(Emulator::new(Fault::None)).shared.lane().unwrap()
}

/// All but the records of keys is zero.
fn assert_wiped(lane: &Lane<EmulatedQueue>) {
    for buffer in 0..Buffer::records(0).0 {
        assert!(lane.queue().buffer(Buffer(buffer)).iter().all(|word| *word == 0), "buffer {buffer}");
    }
}

#[test]
fn nothing_is_left_of_exponentiations_secret_or_public_done_or_failed() {
    let mut lane = lane();
    let key = key(1024);
    let base = random_below(key.public().modulus());
    let mut result = vec![0; 16];
    let modulus = key.p().words();
    let mut job = Unprepared { modulus, base: &base, exponent: key.dp(), result: &mut result[..8] };
    lane.exponentiate(&Kernels::new(0), &mut [&mut job]).unwrap();
    assert_wiped(&lane);
    let kernel = Kernel::new(Role::Public, 32);
    let modulus = key.public().modulus();
    let mut job = Power { modulus, base: &base, exponent: &[65_537], result: &mut result };
    lane.public(&kernel, &[65_537], &mut [&mut job]).unwrap();
    assert_wiped(&lane);
    // A kernel that needs one array more.
    let kernel = Kernel { name: kernel.name, ..Kernel::new(Role::Prepare, 32) };
    assert!(lane.public(&kernel, &[65_537], &mut [&mut job]).is_err());
    assert_wiped(&lane);
}

#[test]
fn nothing_of_a_batch_and_nothing_of_a_dropped_key_is_left() {
    let kernels = Kernels::new(0);
    let mut lane = lane();
    let run = |lane: &mut Lane<EmulatedQueue>, key: &PrivateKey| {
        let base = random_below(key.public().modulus());
        let mut result = vec![0; base.len()];
        let mut job = Private { key, base: &base, result: &mut result };
        lane.operate(&kernels, &mut [&mut job]).unwrap();
    };
    let dropped = key(1024);
    run(&mut lane, &dropped);
    assert_wiped(&lane);
    let p = dropped.p().words()[3];
    assert!(holds(&lane, p), "the key stays for the next batch");
    drop(dropped);
    lane.sweep().unwrap();
    assert!(!holds(&lane, p), "the key is gone");
}

fn holds(lane: &Lane<EmulatedQueue>, word: u64) -> bool {
    let records = lane.queue().buffer(Buffer::records(0));
    records.windows(2).any(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32 == word)
}

#[test]
fn a_dropped_key_leaves_every_lane_whatever_the_next_batches_are() {
    let device = gpu(512);
    device.test_public(1024).unwrap();
    let kernels = Kernels::new(0);
    let dropped = key(1024);
    let load = |lane: &mut Lane<EmulatedQueue>| {
        let (base, mut result) = (vec![2; 16], vec![0; 16]);
        lane.operate(&kernels, &mut [&mut Private { key: &dropped, base: &base, result: &mut result }])
    };
    // Two batches at once, so in two lanes.
    device.shared.with_lane(|first| load(first).and_then(|()| device.shared.with_lane(load))).unwrap();
    let p = dropped.p().words()[3];
    let holding = || device.shared.lanes.lock().unwrap().idle.iter().filter(|lane| holds(lane, p)).count();
    assert_eq!(holding(), 2);
    drop(dropped);
    let [key, ..] = public_keys(1024);
    for _ in 0..2 {
        let mut result = vec![0; 16];
        let job = Power { modulus: key.modulus(), base: &[2; 16], exponent: key.exponent(), result: &mut result };
        device.exponentiate_public(&mut [job]).unwrap();
    }
    assert_eq!(holding(), 0);
}
