// SPDX-License-Identifier: Apache-2.0
//! What a GPU takes: lengths whose self-test it passed, which no GPU with a fault does.

use super::*;

#[test]
fn a_batch_with_a_modulus_that_is_not_taken_fails_and_skips_nothing() {
    let device = gpu(512);
    let key = key(2048);
    let base = vec![3; 32];
    let mut results = [vec![0; 16], vec![0; 32]];
    let [half, whole] = &mut results;
    let job = |modulus, result| Power { modulus, base: &base, exponent: &[5], result };
    assert!(device.exponentiate(&mut [job(key.p(), half)]).is_err(), "no self-test yet");
    assert!(device.exponentiate_public(&mut [job(key.public().modulus(), whole)]).is_err());
    let mut whole = vec![0; 32];
    assert!(device.operate(&mut [Private { key: &key, base: &base, result: &mut whole }]).is_err());
}

#[test]
fn nothing_is_taken_before_the_self_test_of_its_length() {
    let device = Gpu::new(Emulator::new(Fault::None));
    let (small, large) = (key(1024), key(2048));
    assert!(!device.takes_key(&small) && !device.takes_bits(512));
    device.test(512).unwrap();
    assert!(device.takes_key(&small) && device.takes_bits(512));
    assert!(!device.takes_key(&large));
    assert_eq!(device.lengths(), [512]);
    assert!(!device.takes_public(small.public()));
    device.test_public(1024).unwrap();
    assert!(device.takes_public(small.public()) && !device.takes_public(large.public()));
}

#[test]
fn a_gpu_that_computes_one_bit_wrongly_does_not_pass() {
    let device = Gpu::new(Emulator::new(Fault::Lies));
    let DeviceError(reason) = device.test(512).unwrap_err();
    assert_eq!(reason, "the self-test failed: an exponentiation of 512 bits, number 20, is wrong");
    assert!(device.lengths().is_empty());
    let DeviceError(reason) = device.test_public(1024).unwrap_err();
    assert_eq!(reason, "the self-test failed: a public operation of 1024 bits, number 20, is wrong");
}

#[test]
fn a_gpu_that_leaves_out_any_one_kernel_does_not_pass() {
    for role in [Role::Gather, Role::Prepare, Role::Walk, Role::Finish, Role::Recombine] {
        let device = Gpu::new(Emulator::new(Fault::Skips(role)));
        let DeviceError(reason) = device.test(512).unwrap_err();
        assert!(reason.starts_with("the self-test failed: "), "{role:?}: {reason}");
        assert!(device.lengths().is_empty());
    }
}

#[test]
fn a_gpu_that_hangs_in_its_self_test_is_not_used() {
    let device = Gpu::new(Emulator::new(Fault::Hangs));
    let DeviceError(reason) = device.test(512).unwrap_err();
    assert_eq!(reason, "not done within 0.05 s: the GPU is given up");
    assert!(device.lengths().is_empty());
}
