//! The device over the emulator: everything but the driver.

use super::emulated::EmulatedQueue;
use super::faulty::{Fault, Faulty, Seen};
use super::lane::{Kernels, Lane};
use super::*;
use crate::arithmetic::libcrypto::Libcrypto;
use crate::arithmetic::{Arithmetic, Modulus};
use crate::gather::{Config, Gatherer, Operation};
use crate::keygen::{Generator, Options};
use crate::stats::Statistics;
use garner_gpu_kernels::Kernel;
use openssl::bn::{BigNum, BigNumContext};
use openssl::rsa::Rsa;
use std::sync::atomic::AtomicUsize;

fn gpu(bits: usize) -> Gpu<Emulator> {
    let gpu = Gpu::new(Emulator);
    gpu.test(bits).unwrap();
    gpu
}

fn lane() -> Lane<EmulatedQueue> {
    Gpu::new(Emulator).shared.lane(Choice { most_spread: 0, one_key: OneKey::Tensor }).unwrap()
}

fn key(bits: u32) -> Arc<PrivateKey> {
    let rsa = Rsa::generate(bits).unwrap();
    Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap())
}

fn random_below(modulus: &Modulus) -> Vec<u64> {
    let bytes = modulus.words().iter().rev().flat_map(|word| word.to_be_bytes()).collect::<Vec<_>>();
    let mut number = BigNum::new().unwrap();
    BigNum::from_slice(&bytes).unwrap().rand_range(&mut number).unwrap();
    let bytes = number.to_vec_padded(bytes.len() as i32).unwrap();
    bytes.rchunks(8).map(|chunk| u64::from_be_bytes(chunk.try_into().unwrap())).collect()
}

/// Private operations of these keys, in turn, `count` of them; compared with libcrypto.
fn operate(device: &dyn Device, keys: &[Arc<PrivateKey>], count: usize) {
    let of = |i: usize| &keys[i % keys.len()];
    let bases: Vec<Vec<u64>> = (0..count).map(|i| random_below(of(i).public().modulus())).collect();
    let mut results: Vec<Vec<u64>> = bases.iter().map(|base| vec![7; base.len()]).collect();
    let mut jobs: Vec<Private<'_>> = bases
        .iter()
        .zip(&mut results)
        .enumerate()
        .map(|(i, (base, result))| Private { key: of(i), base, result })
        .collect();
    device.operate(&mut jobs).unwrap();
    let mut expected = results.clone();
    let mut powers: Vec<Power<'_>> = bases
        .iter()
        .zip(&mut expected)
        .enumerate()
        .map(|(i, (base, result))| Power { modulus: of(i).public().modulus(), base, exponent: of(i).d(), result })
        .collect();
    Libcrypto.power_secret(&mut powers);
    assert!(results == expected);
}

#[test]
fn private_operations_of_mixed_keys_and_sizes_equal_libcrypto() {
    let device = gpu(512);
    device.test(1024).unwrap();
    // 1,040 bits: primes of 520, which take the length of 1,024.
    let keys = [key(1024), key(1040), key(1024)];
    assert!(keys.iter().all(|key| device.takes_key(key)));
    operate(&device, &keys, 1);
    operate(&device, &keys, 40);
}

#[test]
fn exponentiations_with_exponents_longer_and_shorter_than_the_modulus_equal_libcrypto() {
    let device = gpu(512);
    let modulus = |bits: i32| {
        let mut number = BigNum::new().unwrap();
        number.rand(bits, openssl::bn::MsbOption::ONE, true).unwrap();
        let bytes = number.to_vec_padded(64).unwrap();
        let words: Vec<u64> = bytes.rchunks(8).map(|chunk| u64::from_be_bytes(chunk.try_into().unwrap())).collect();
        Modulus::new(&words).unwrap()
    };
    let moduli = [modulus(512), modulus(511), modulus(300), modulus(448)];
    let exponent_words = [8, 1, 3, 13];
    for base_words in [1, 8, 16, 40] {
        let bases: Vec<Vec<u64>> =
            (0..4).map(|i| (0..base_words).map(|j| (u64::MAX / (i + j + 2)) ^ j).collect()).collect();
        let exponents: Vec<Vec<u64>> = exponent_words
            .iter()
            .map(|words| (0..*words).map(|i| 0x9E37_79B9_7F4A_7C15 << (i % 7)).collect())
            .collect();
        let mut results: Vec<Vec<u64>> = moduli.iter().map(|modulus| vec![0; modulus.words().len()]).collect();
        let mut expected = results.clone();
        for (results, by_device) in [(&mut results, true), (&mut expected, false)] {
            let mut jobs: Vec<Power<'_>> = results
                .iter_mut()
                .enumerate()
                .map(|(i, result)| Power { modulus: &moduli[i], base: &bases[i], exponent: &exponents[i], result })
                .collect();
            if by_device {
                device.exponentiate(&mut jobs).unwrap();
            } else {
                Libcrypto.power_secret(&mut jobs);
            }
        }
        assert_eq!(results, expected, "bases of {base_words} words");
    }
}

/// Public keys of one length: e is 65,537, 3, and a number of 70 bits.
fn public_keys(bits: u32) -> [Arc<PublicKey>; 3] {
    let of = |e: &BigNum| {
        let rsa = Rsa::generate_with_e(bits, e).unwrap();
        Arc::clone(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap().public())
    };
    let mut long = BigNum::new().unwrap();
    [0, 7, 69].into_iter().for_each(|bit| long.set_bit(bit).unwrap());
    [&BigNum::from_u32(65_537).unwrap(), &BigNum::from_u32(3).unwrap(), &long].map(of)
}

/// base^e mod n by libcrypto.
fn public_power(key: &PublicKey, base: &[u64]) -> Vec<u64> {
    let mut result = vec![0; base.len()];
    let job = Power { modulus: key.modulus(), base, exponent: key.exponent(), result: &mut result };
    Libcrypto.power_public(&mut [job]);
    result
}

#[test]
fn batches_take_the_kernel_for_their_size_and_keys_with_equal_results() {
    let seen = Arc::<Seen>::default();
    let machine = || Faulty { width: 16 * LANES, seen: Arc::clone(&seen), ..Faulty::new(Fault::None) };
    let devices = [OneKey::Record, OneKey::Constant, OneKey::Tensor].map(|one_key| Gpu::choosing(machine(), one_key));
    devices.iter().for_each(|device| device.test(512).unwrap());
    let (one, two) = ([key(1024)], [key(1024), key(1024)]);
    let usual = Style::usual(16);
    let (spread, mixed, alike) = (Role::Walk(Style::Spread), Role::Walk(usual), Role::WalkAlike(usual));
    for (keys, operations, roles) in [
        (&one[..], 1, [spread; 3]),
        (&two, LANES, [spread; 3]),
        (&two, LANES + 2, [mixed; 3]),
        (&one, LANES + 1, [alike, Role::WalkConstant(usual), Role::WalkTensor]),
        // One of 33 has another key.
        (&[vec![Arc::clone(&one[0]); LANES], two.to_vec()].concat(), LANES + 2, [mixed; 3]),
        (&[vec![Arc::clone(&one[0]); LANES], vec![Arc::clone(&two[0])]].concat(), LANES + 1, [alike; 3]),
        // Of a key that is not the first on the GPU.
        (&two[1..], LANES + 1, [alike, Role::WalkConstant(usual), Role::WalkTensor]),
    ] {
        for (device, role) in devices.iter().zip(roles) {
            seen.launched.lock().unwrap().clear();
            operate(device, keys, operations);
            let others = [Role::Gather, Role::Prepare, Role::Finish, Role::Recombine];
            let is_walk = |role: &&Role| !others.contains(role);
            let launched: Vec<Role> = seen.launched.lock().unwrap().iter().filter(is_walk).copied().collect();
            assert_eq!(launched, [role], "{operations} operations, {} keys", keys.len());
        }
    }
}

#[test]
fn public_operations_of_mixed_keys_sizes_and_exponents_equal_libcrypto() {
    let device = Gpu::new(Emulator);
    device.test_public(1024).unwrap();
    let keys: Vec<_> = [1024, 1000].into_iter().flat_map(public_keys).collect();
    let of = |i: usize| &keys[i % keys.len()];
    let bases: Vec<Vec<u64>> = (0..40).map(|i| random_below(of(i).modulus())).collect();
    let mut results: Vec<Vec<u64>> = bases.iter().map(|base| vec![7; base.len()]).collect();
    let mut jobs: Vec<Power<'_>> = bases
        .iter()
        .zip(&mut results)
        .enumerate()
        .map(|(i, (base, result))| Power { modulus: of(i).modulus(), base, exponent: of(i).exponent(), result })
        .collect();
    device.exponentiate_public(&mut jobs).unwrap();
    for (i, (base, result)) in bases.iter().zip(&results).enumerate() {
        assert_eq!(*result, public_power(of(i), base), "number {i}");
    }
}

/// A GPU that counts the public operations and candidates it gets.
struct Counted<M: Machine>(Gpu<M>, Arc<AtomicUsize>);

impl<M: Machine> Device for Counted<M> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn takes_public(&self, key: &PublicKey) -> bool {
        self.0.takes_public(key)
    }

    fn preferred_batch(&self) -> usize {
        self.0.preferred_batch()
    }

    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.0.exponentiate(jobs)
    }

    fn takes_bits(&self, bits: usize) -> bool {
        self.0.takes_bits(bits)
    }

    fn exponentiate_unprepared(&self, jobs: &mut [Unprepared<'_>]) -> Result<(), DeviceError> {
        self.1.fetch_add(jobs.len(), Ordering::Relaxed);
        self.0.exponentiate_unprepared(jobs)
    }

    fn exponentiate_public(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.1.fetch_add(jobs.len(), Ordering::Relaxed);
        self.0.exponentiate_public(jobs)
    }
}

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
            crate::words::from_be_bytes(&input, &mut base).unwrap();
            let mut expected = vec![0; 128];
            crate::words::to_be_bytes(&public_power(&keys[i % 3], &base), &mut expected);
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

/// The moduli of five keys from one seed, with this device for a filter, and how many candidates it filtered.
fn moduli_made_with(device: Arc<dyn Device>) -> (Vec<Vec<u64>>, u64) {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let source = move |bytes: &mut [u8]| {
        for byte in bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = (state >> 32) as u8;
        }
        Ok(())
    };
    let options = Options { below_fips: true, ..Options::default() };
    let generator = Generator::new(&Libcrypto, 1024, 5, &options).unwrap();
    let mut generator = generator.with_random(source).with_device(device);
    let keys: Vec<PrivateKey> = generator.by_ref().map(Result::unwrap).collect();
    keys.iter().for_each(|key| key.check_primes().unwrap());
    let moduli = keys.iter().map(|key| key.public().modulus().words().to_vec()).collect();
    (moduli, generator.statistics().filtered)
}

/// The host, which wants as much at once as the emulated GPU does.
struct Host;

impl Device for Host {
    fn name(&self) -> &str {
        "host"
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: MIN_BITS, max_bits: 2048 }
    }

    fn preferred_batch(&self) -> usize {
        Gpu::new(Emulator).preferred_batch()
    }

    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        Libcrypto.power_secret(jobs);
        Ok(())
    }
}

#[test]
fn keys_made_with_a_gpu_are_those_made_without_it_from_the_same_randomness() {
    let count = Arc::new(AtomicUsize::new(0));
    let (moduli, filtered) = moduli_made_with(Arc::new(Counted(gpu(512), Arc::clone(&count))));
    assert_eq!(moduli_made_with(Arc::new(Host)), (moduli, filtered));
    // One candidate in thirty or so is prime.
    assert!(filtered > 100, "{filtered} candidates");
    assert_eq!(count.load(Ordering::Relaxed) as u64, filtered);
}

/// Gives this result whatever it is asked: with 1, every number is a prime, with 2 none.
struct Constant(u64);

impl Device for Constant {
    fn name(&self) -> &str {
        "constant"
    }

    fn limits(&self) -> Limits {
        Host.limits()
    }

    fn preferred_batch(&self) -> usize {
        64
    }

    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        for job in jobs {
            job.result.fill(0);
            job.result[0] = self.0;
        }
        Ok(())
    }
}

#[test]
fn keys_are_made_of_primes_whatever_a_device_calls_one_or_when_it_is_lost() {
    let (moduli, filtered) = moduli_made_with(Arc::new(Constant(1)));
    assert!(moduli.len() == 5 && filtered > 0);
    let (moduli, filtered) = moduli_made_with(Arc::new(Constant(2)));
    assert!(moduli.len() == 5 && filtered < 512);
    let lost = Gpu::new(Faulty::new(Fault::Lost));
    lost.shared.passed.store(1, Ordering::Release);
    let count = Arc::new(AtomicUsize::new(0));
    let (moduli, filtered) = moduli_made_with(Arc::new(Counted(lost, Arc::clone(&count))));
    assert_eq!((moduli.len(), filtered), (5, 0));
    // Asked once.
    assert!(count.load(Ordering::Relaxed) <= 64);
    let (moduli, filtered) = moduli_made_with(Arc::new(hanging().0));
    assert_eq!((moduli.len(), filtered), (5, 0));
}

#[test]
fn public_operations_that_a_lost_gpu_had_are_done_by_the_host() {
    let lost = Gpu::new(Faulty::new(Fault::Lost));
    lost.shared.public_passed.store(1, Ordering::Release);
    let (count, statistics) = gather_public(lost);
    assert!(count > 0);
    assert_eq!(statistics.out_of_service, 1);
}

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
    let device = Gpu::new(Emulator);
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
    let device = Gpu::new(Faulty::new(Fault::Lies));
    let DeviceError(reason) = device.test(512).unwrap_err();
    assert_eq!(reason, "the self-test failed: an exponentiation of 512 bits, number 20, is wrong");
    assert!(device.lengths().is_empty());
    let DeviceError(reason) = device.test_public(1024).unwrap_err();
    assert_eq!(reason, "the self-test failed: a public operation of 1024 bits, number 20, is wrong");
}

#[test]
fn a_gpu_that_leaves_out_any_one_kernel_does_not_pass() {
    let usual = Style::usual(16);
    let walks = [Role::Walk(usual), Role::WalkAlike(usual), Role::Walk(Style::Spread)];
    let of_all = [Role::Gather, Role::Prepare, Role::Finish, Role::Recombine].into_iter().chain(walks);
    let of_one_key = [(Role::WalkConstant(usual), OneKey::Constant), (Role::WalkTensor, OneKey::Tensor)];
    for (role, one_key) in of_all.map(|role| (role, OneKey::Record)).chain(of_one_key) {
        let device = Gpu::choosing(Faulty::new(Fault::Skips(role)), one_key);
        let DeviceError(reason) = device.test(512).unwrap_err();
        assert!(reason.starts_with("the self-test failed: "), "{role:?}: {reason}");
        assert!(device.lengths().is_empty());
    }
}

#[test]
fn a_lost_gpu_is_taken_out_of_service_and_callers_notice_nothing() {
    let device = Gpu::new(Faulty::new(Fault::Lost));
    // As if it had been lost after its test.
    device.shared.passed.store(1, Ordering::Release);
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

/// A GPU that stops answering after its self-test, and what it was asked for.
fn hanging() -> (Gpu<Faulty>, Arc<Seen>) {
    let machine = Faulty::new(Fault::Hangs);
    let seen = Arc::clone(&machine.seen);
    let device = Gpu::new(machine);
    device.shared.passed.store(1, Ordering::Release);
    (device, seen)
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
fn a_gpu_that_hangs_in_its_self_test_is_not_used() {
    let device = Gpu::new(Faulty::new(Fault::Hangs));
    let DeviceError(reason) = device.test(512).unwrap_err();
    assert_eq!(reason, "not done within 0.05 s: the GPU is given up");
    assert!(device.lengths().is_empty());
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
    let kernel = Kernel { role: Role::Public, ..Kernel::new(Role::Prepare, 32) };
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

#[test]
fn keys_that_differ_in_their_public_exponents_alone_do_not_share_a_record() {
    let device = gpu(512);
    let rsa = Rsa::generate(1024).unwrap();
    let first = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
    // d = e^-1 mod lcm(p - 1, q - 1) for another e.
    let mut context = BigNumContext::new().unwrap();
    let (p, q) = (rsa.p().unwrap(), rsa.q().unwrap());
    let less_1 = |number: &openssl::bn::BigNumRef| {
        let mut number = number.to_owned().unwrap();
        number.sub_word(1).unwrap();
        number
    };
    let (p_1, q_1) = (less_1(p), less_1(q));
    let mut phi = BigNum::new().unwrap();
    phi.checked_mul(&p_1, &q_1, &mut context).unwrap();
    let [mut d, mut dp, mut dq] = [(); 3].map(|()| BigNum::new().unwrap());
    let e = (65_539..).step_by(2).map(|e| BigNum::from_u32(e).unwrap());
    let e = e.into_iter().find(|e| d.mod_inverse(e, &phi, &mut context).is_ok()).unwrap();
    dp.nnmod(&d, &p_1, &mut context).unwrap();
    dq.nnmod(&d, &q_1, &mut context).unwrap();
    let copy = |number: &openssl::bn::BigNumRef| number.to_owned().unwrap();
    let iqmp = copy(rsa.iqmp().unwrap());
    let other = Rsa::from_private_components(copy(rsa.n()), e, d, copy(p), copy(q), dp, dq, iqmp).unwrap();
    let second = Arc::new(PrivateKey::from_der(&other.private_key_to_der().unwrap()).unwrap());
    operate(&device, &[first, second], 4);
}

/// Whether `work` is true in a child made by `fork`.
pub fn in_child(work: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child runs `work`, which takes no lock that another thread of the tests may hold but memory's, and leaves.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let good = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(false);
        // SAFETY: without the test harness's clean-up.
        unsafe { libc::_exit(i32::from(!good)) };
    }
    let mut status = 1;
    // SAFETY: `child` is ours and `status` has room.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    status == 0
}

#[test]
fn a_child_made_by_fork_leaves_its_parents_gpu_alone() {
    let device = gpu(512);
    let key = key(1024);
    operate(&device, std::slice::from_ref(&key), 1);
    let (base, mut result) = (vec![2; 16], vec![0; 16]);
    assert!(in_child(|| {
        let operated = device.operate(&mut [Private { key: &key, base: &base, result: &mut result }]);
        let taken = device.takes_key(&key) || device.takes_bits(512);
        operated.is_err() && !taken && device.test(512).is_err() && device.test_public(1024).is_err()
    }));
    operate(&device, &[key], 1);
}

#[test]
fn keys_that_take_turns_do_not_get_each_others_results() {
    let device = gpu(512);
    let (first, second) = (key(1024), key(1024));
    for key in [&first, &second, &first] {
        operate(&device, std::slice::from_ref(key), 2);
    }
}

#[test]
fn numbers_modulo_which_r_is_not_one_subtraction_away() {
    let mut context = BigNumContext::new().unwrap();
    for bits in [512_i32, 511, 300] {
        let mut number = BigNum::new().unwrap();
        number.rand(bits, openssl::bn::MsbOption::ONE, true).unwrap();
        let bytes = number.to_vec_padded((bits + 63) / 64 * 8).unwrap();
        let words: Vec<u64> = bytes.rchunks(8).map(|chunk| u64::from_be_bytes(chunk.try_into().unwrap())).collect();
        let mut r = BigNum::new().unwrap();
        r.set_bit(512).unwrap();
        let mut expected = BigNum::new().unwrap();
        expected.nnmod(&r, &number, &mut context).unwrap();
        let remainder = record::remainder_of_r(&words, 16);
        let remainder: Vec<u8> = remainder.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
        assert!(BigNum::from_slice(&remainder).unwrap() == expected, "{bits} bits");
    }
}
