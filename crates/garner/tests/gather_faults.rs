// SPDX-License-Identifier: Apache-2.0
//! Devices that lie, fail, panic or take only some operands.

mod gather_support;

use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use garner::device::{Cpu, DeviceError, Limits};
use garner::gather::{Config, Gatherer, Operation};
use garner::key::{Components, PrivateKey};
use gather_support::{Known, TestDevice, config, gatherer};
use openssl::bn::{BigNum, BigNumContext};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

#[test]
fn lying_device_never_releases_a_wrong_signature() {
    const OPERATIONS: usize = 100_000;
    let known = Known::new(512);
    let device = Arc::new(TestDevice::lying(16));
    let mut config = config(&[&device], 2);
    config.faults_allowed = u32::MAX;
    let gatherer = Gatherer::new(config);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (gatherer, known) = (&gatherer, &known);
            scope.spawn(move || {
                for i in 0..OPERATIONS / 16 {
                    assert_eq!(*gatherer.run(known.operation(thread + i)).unwrap(), known.answer(thread + i));
                }
            });
        }
        let operations = (0..OPERATIONS / 2).map(|i| known.operation(i)).collect();
        for (i, answer) in gatherer.run_batch(operations).into_iter().enumerate() {
            assert_eq!(*answer.unwrap(), known.answer(i));
        }
    });
    let statistics = gatherer.statistics();
    assert_eq!(statistics.private_operations, OPERATIONS as u64);
    // One exponentiation in a hundred was wrong, and each made one operation wrong. (A flipped bit above the modulus'
    // length is still a wrong number.)
    assert_eq!(statistics.faults, OPERATIONS as u64 * 2 / 100);
    assert_eq!(statistics.retries, statistics.faults);
    assert_eq!(statistics.out_of_service, 0);
}

#[test]
fn lying_device_is_taken_out_of_service() {
    let known = Known::new(512);
    let device = Arc::new(TestDevice::lying(2));
    let gatherer = gatherer(&device, 1);
    for i in 0..1000 {
        assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.faults, statistics.out_of_service), (8, 1));
    // The eighth lie was in the 800th exponentiation.
    assert_eq!(device.sizes().len(), 400);
}

/// Whoever chose the key must not be able to take sound devices away from others: half of its results are wrong wherever they are
/// computed, and which half the blinding decides.
#[test]
fn a_key_whose_prime_is_composite_takes_no_device_out_of_service() {
    let key = Arc::new(half_right());
    let arithmetic: Arc<dyn Arithmetic> = Arc::new(Libcrypto);
    let device = Arc::new(Cpu::new(Arc::clone(&arithmetic)));
    let gatherer = Gatherer::new(Config::with(arithmetic, vec![device]));
    let wrong = (2..200).filter(|&i| gatherer.run(Operation::private(&key, &[i]).unwrap()).is_err()).count();
    let statistics = gatherer.statistics();
    assert!(statistics.faults > 50, "{} faults, {wrong} without an answer", statistics.faults);
    assert_eq!(statistics.out_of_service, 0);
}

/// A key that passes its tests at loading half of the time. Its p is r (2r - 1) with both factors prime: x^(e d) is x modulo r for
/// every x, and modulo 2r - 1 for the squares.
fn half_right() -> PrivateKey {
    let mut context = BigNumContext::new().unwrap();
    let one = BigNum::from_u32(1).unwrap();
    let e = BigNum::from_u32(65_537).unwrap();
    let prime = |bits| {
        let mut prime = BigNum::new().unwrap();
        prime.generate_prime(bits, false, None, None).unwrap();
        prime
    };
    loop {
        let r = prime(128);
        let other = &(&r + &r) - &one;
        if !other.is_prime(64, &mut context).unwrap() {
            continue;
        }
        let (p, q) = (&r * &other, prime(256));
        let (p_1, q_1) = (&p - &one, &q - &one);
        let (mut shared, mut d, mut inverse) = (BigNum::new().unwrap(), BigNum::new().unwrap(), BigNum::new().unwrap());
        shared.gcd(&p_1, &q_1, &mut context).unwrap();
        if d.mod_inverse(&e, &(&(&p_1 * &q_1) / &shared), &mut context).is_err() {
            continue;
        }
        let dp = &d % &p_1;
        if !(&(&(&e * &dp) - &one) / &p_1).is_bit_set(0) {
            continue;
        }
        inverse.mod_inverse(&q, &p, &mut context).unwrap();
        let numbers = [&(&p * &q), &e, &d, &p, &q, &dp, &(&d % &q_1), &inverse].map(|number| number.to_vec());
        let [modulus, public_exponent, private_exponent, prime1, prime2, exponent1, exponent2, coefficient] = &numbers;
        let components = Components {
            modulus,
            public_exponent,
            private_exponent,
            prime1,
            prime2,
            exponent1,
            exponent2,
            coefficient,
        };
        if let Some(key) = (0..20).find_map(|_| PrivateKey::from_components(&components).ok()) {
            return key;
        }
    }
}

#[test]
fn operations_that_two_devices_get_wrong_are_right_in_the_end() {
    let known = Known::new(512);
    let liar = || {
        Arc::new(TestDevice::sound(2).after(|_, jobs| {
            jobs[0].result[0] ^= 1;
            Ok(())
        }))
    };
    let mut config = config(&[&liar(), &liar()], 1);
    config.faults_allowed = 3;
    let gatherer = Gatherer::new(config);
    for i in 0..5 {
        assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
    }
    // Each operation was wrong twice, and proved both devices wrong by its right answer, until they were out of service.
    let statistics = gatherer.statistics();
    assert_eq!((statistics.faults, statistics.retries, statistics.out_of_service), (6, 6, 2));
}

/// Libcrypto's arithmetic for the host, but for wrong results.
struct Flawed {
    /// Products so far.
    products: Arc<AtomicUsize>,
    /// The product that is wrong.
    wrong: usize,
    /// Whether all public powers are, and with them every check.
    powers: bool,
}

impl Flawed {
    /// A gatherer over it, and its count of products.
    fn gatherer(wrong: usize, powers: bool, devices: usize) -> (Gatherer, Arc<AtomicUsize>) {
        let products = Arc::new(AtomicUsize::new(0));
        let arithmetic = Arc::new(Flawed { products: Arc::clone(&products), wrong, powers });
        let devices = (0..devices).map(|_| Arc::new(TestDevice::sound(16)) as _).collect();
        (Gatherer::new(Config::with(arithmetic, devices)), products)
    }
}

impl Arithmetic for Flawed {
    fn name(&self) -> &'static str {
        "flawed"
    }

    fn lanes(&self) -> usize {
        8
    }

    fn multiply(&self, jobs: &mut [Multiply<'_>]) {
        Libcrypto.multiply(jobs);
        for job in jobs {
            job.result[0] ^= u64::from(self.products.fetch_add(1, Ordering::Relaxed) == self.wrong);
        }
    }

    fn power_secret(&self, jobs: &mut [Power<'_>]) {
        Libcrypto.power_secret(jobs);
    }

    fn power_public(&self, jobs: &mut [Power<'_>]) {
        Libcrypto.power_public(jobs);
        jobs.iter_mut().for_each(|job| job.result[0] ^= u64::from(self.powers));
    }
}

#[test]
fn wrong_host_arithmetic_is_told_from_sound_devices() {
    let known = Known::new(512);
    for devices in 1..=3 {
        let (gatherer, _) = Flawed::gatherer(usize::MAX, true, devices);
        for i in 0..40 {
            assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i), "{devices} devices");
        }
    }
}

#[test]
fn one_wrong_product_costs_nobody_an_answer() {
    /// Here a key makes its third set of pairs, of 13 members: their products are a tree that is inverted at its root.
    const TREE: usize = 20;
    let run = |gatherer: &Gatherer, known: &Known, operations: Range<usize>| {
        for i in operations {
            assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
        }
    };
    let (gatherer, products) = Flawed::gatherer(usize::MAX, false, 1);
    let known = Known::new(512);
    run(&gatherer, &known, 0..TREE);
    let before = products.load(Ordering::Relaxed);
    run(&gatherer, &known, TREE..TREE + 1);
    let after = products.load(Ordering::Relaxed);
    assert_eq!(gatherer.statistics().faults, 0);
    assert!(after - before >= 12 + 24, "a tree of 13, up and down");

    for wrong in before..after {
        // With a key that has no pairs yet.
        let known = Known::new(512);
        let (gatherer, products) = Flawed::gatherer(wrong, false, 1);
        run(&gatherer, &known, 0..TREE + 64);
        assert!(products.load(Ordering::Relaxed) > wrong);
        let faults = gatherer.statistics().faults;
        assert!(faults <= 1, "{faults} faults by product {wrong}");
    }
}

#[test]
fn exponentiation_beyond_its_modulus_is_not_released() {
    let device = Arc::new(TestDevice::sound(4).after(|_, jobs| {
        jobs[0].result.fill(u64::MAX);
        Ok(())
    }));
    let gatherer = gatherer(&device, 1);
    let modulus = Arc::new(Modulus::new(&[1_000_003]).unwrap());
    let answer = gatherer.run(Operation::exponentiation(&modulus, &[2], &[20]).unwrap()).unwrap();
    assert_eq!(*answer, (1_048_576u32 % 1_000_003).to_be_bytes()[1..]);
    assert_eq!(gatherer.statistics().faults, 1);
}

#[test]
fn panic_in_one_batch_reaches_only_its_callers() {
    let known = Known::new(512);
    // Every third batch panics, so the device is never out of service.
    let device = Arc::new(TestDevice::panicking(4, |call| call % 3 == 2));
    let gatherer = gatherer(&device, 2);
    thread::scope(|scope| {
        for thread in 0..8 {
            let (gatherer, known) = (&gatherer, &known);
            scope.spawn(move || {
                for i in 0..20 {
                    // Its callers get their answer from libcrypto.
                    assert_eq!(*gatherer.run(known.operation(thread + i)).unwrap(), known.answer(thread + i));
                }
            });
        }
    });
    let statistics = gatherer.statistics();
    assert_eq!(statistics.private_operations, 160);
    assert!(statistics.device_failures > 0 && statistics.retries >= statistics.device_failures);
}

#[test]
fn arithmetic_that_panics_fails_over_to_libcrypto() {
    struct Broken;
    impl garner::arithmetic::Arithmetic for Broken {
        fn name(&self) -> &'static str {
            "broken"
        }
        fn lanes(&self) -> usize {
            8
        }
        fn multiply(&self, _: &mut [garner::arithmetic::Multiply<'_>]) {
            panic!("broken")
        }
        fn power_secret(&self, _: &mut [garner::arithmetic::Power<'_>]) {
            panic!("broken")
        }
        fn power_public(&self, _: &mut [garner::arithmetic::Power<'_>]) {
            panic!("broken")
        }
    }
    let known = Known::new(512);
    let gatherer =
        Gatherer::new(garner::gather::Config::with(Arc::new(Broken), vec![Arc::new(TestDevice::sound(8)) as _]));
    for i in 0..10 {
        assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
        let public = Operation::public(known.key.public(), known.answer(i)).unwrap();
        assert_eq!(*gatherer.run(public).unwrap(), known.cases[i].0);
    }
}

#[test]
fn dying_device_is_taken_out_of_service_and_nobody_notices() {
    let known = Known::new(512);
    let dying = Arc::new(TestDevice::failing(2, 5));
    let gatherer = gatherer(&dying, 1);
    for i in 0..50 {
        assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.device_failures, statistics.retries, statistics.out_of_service), (3, 3, 1));
    // Five good batches, three failed ones, and none after that.
    assert_eq!(dying.sizes().len(), 8);
}

#[test]
fn dead_device_gives_way_to_the_next() {
    let known = Known::new(512);
    let (dead, spare) = (Arc::new(TestDevice::failing(2, 0)), Arc::new(TestDevice::sound(2)));
    let gatherer = gatherer_of_two(&dead, &spare);
    for i in 0..50 {
        assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
    }
    assert_eq!((dead.sizes().len(), spare.sizes().len()), (3, 50));
}

#[test]
fn a_failure_now_and_then_does_not_take_a_device_out_of_service() {
    let known = Known::new(512);
    let moody = TestDevice::sound(2)
        .before(|call, _| if call % 3 == 0 { Ok(()) } else { Err(DeviceError("not now".to_owned())) });
    let gatherer = gatherer(&Arc::new(moody), 1);
    for i in 0..30 {
        assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.device_failures, statistics.out_of_service), (20, 0));
}

#[test]
fn operands_outside_a_devices_limits_go_to_the_next() {
    let (small, large) = (Known::new(512), Known::new(1024));
    let mut narrow = TestDevice::sound(8);
    narrow.limits = Limits { min_bits: 2, max_bits: 300 };
    let (narrow, mut wide) = (Arc::new(narrow), TestDevice::sound(8));
    wide.limits = Limits { min_bits: 301, max_bits: 600 };
    let wide = Arc::new(wide);
    let gatherer = gatherer_of_two(&narrow, &wide);
    for i in 0..3 {
        assert_eq!(*gatherer.run(small.operation(i)).unwrap(), small.answer(i));
    }
    assert_eq!((narrow.sizes().len(), wide.sizes().len()), (3, 0));
    assert_eq!(*gatherer.run(large.operation(0)).unwrap(), large.answer(0));
    assert_eq!((narrow.sizes().len(), wide.sizes().len()), (3, 1));
    // Too large for both: libcrypto.
    let huge = Known::new(2048);
    assert_eq!(*gatherer.run(huge.operation(0)).unwrap(), huge.answer(0));
    assert_eq!((narrow.sizes().len(), wide.sizes().len()), (3, 1));
    assert_eq!(gatherer.statistics().device_failures, 0);
}

/// Two devices in order of preference, one slot.
fn gatherer_of_two(first: &Arc<TestDevice>, second: &Arc<TestDevice>) -> Gatherer {
    Gatherer::new(config(&[first, second], 1))
}
