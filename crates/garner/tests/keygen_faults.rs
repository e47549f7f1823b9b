// SPDX-License-Identifier: Apache-2.0
//! What key generation does when its randomness or its arithmetic fails, and after `fork`.

use garner::Error;
use garner::arithmetic::{self, Arithmetic, Multiply, Power, libcrypto::Libcrypto};
use garner::keygen::{Generator, Options, PrivateRandom, Random};
use openssl::bn::{BigNum, BigNumContext};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

fn below_fips() -> Options {
    Options { below_fips: true, ..Options::default() }
}

#[test]
fn failing_random_source_is_an_error_wherever_it_fails() {
    let arithmetic = arithmetic::best().unwrap();
    let mut complete = 0;
    for failing in 0.. {
        let mut calls = 0;
        let source = |bytes: &mut [u8]| {
            calls += 1;
            if calls > failing { Err(Error::Random("unplugged".into())) } else { PrivateRandom.fill(bytes) }
        };
        let mut generator = Generator::new(&*arithmetic, 512, 1, &below_fips()).unwrap().with_random(source);
        match generator.next().unwrap() {
            Ok(_) => complete += 1,
            Err(error) => {
                assert_eq!(error, Error::Random("unplugged".into()));
                assert!(generator.next().is_none(), "the first error ends it");
                assert_eq!(generator.statistics().keys, 0);
            }
        }
        if complete == 3 {
            break;
        }
    }
}

#[test]
fn broken_random_sources_are_errors_and_no_endless_loops() {
    let arithmetic = arithmetic::best().unwrap();
    for value in [0x00, 0x01, 0x7F, 0xB6, 0xFF] {
        let source = move |bytes: &mut [u8]| {
            bytes.fill(value);
            Ok(())
        };
        let mut generator = Generator::new(&*arithmetic, 512, 1, &below_fips()).unwrap().with_random(source);
        let error = generator.next().unwrap().unwrap_err();
        assert!(matches!(error, Error::Random(_)), "{value:x}: {error}");
    }
}

/// A source that repeats its sequence for each seed (xorshift; for tests only).
fn repeatable(mut state: u64) -> impl Random + Send {
    move |bytes: &mut [u8]| {
        for byte in bytes {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *byte = (state >> 32) as u8;
        }
        Ok(())
    }
}

#[test]
fn keys_are_a_function_of_the_randomness_alone() {
    let arithmetic = arithmetic::best().unwrap();
    let keys = |seed: u64| -> Vec<Vec<u64>> {
        let generator = Generator::new(&*arithmetic, 512, 5, &below_fips()).unwrap().with_random(repeatable(seed));
        generator.map(|key| key.unwrap().public().modulus().words().to_vec()).collect()
    };
    assert_eq!(keys(0x9E37_79B9_7F4A_7C15), keys(0x9E37_79B9_7F4A_7C15));
    assert_ne!(keys(0x9E37_79B9_7F4A_7C15), keys(0x7F4A_7C15_9E37_79B9));
}

/// libcrypto's arithmetic with one wrong result: of the `wrong`-th job whose base has (or has not) the modulus's length.
struct Lying {
    long_base: bool,
    left: AtomicUsize,
}

impl Arithmetic for Lying {
    fn name(&self) -> &'static str {
        "lying"
    }
    fn lanes(&self) -> usize {
        8
    }
    fn multiply(&self, jobs: &mut [Multiply<'_>]) {
        Libcrypto.multiply(jobs);
    }
    fn power_secret(&self, jobs: &mut [Power<'_>]) {
        Libcrypto.power_secret(jobs);
        for job in jobs {
            let long_base = job.base.len() > job.modulus.words().len();
            if long_base == self.long_base && self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
                job.result[0] ^= 1;
            }
        }
    }
    fn power_public(&self, jobs: &mut [Power<'_>]) {
        Libcrypto.power_public(jobs);
    }
}

#[test]
fn wrong_trial_signature_releases_no_key() {
    // The jobs with long bases are the halves of the trial signature, two to a key.
    for wrong in 1..=4 {
        let lying = Lying { long_base: true, left: AtomicUsize::new(wrong) };
        let keys: Vec<_> = Generator::new(&lying, 512, 8, &below_fips()).unwrap().collect();
        let (bad, good): (Vec<_>, Vec<_>) = keys.into_iter().partition(Result::is_err);
        assert_eq!(bad.len(), 1);
        assert!(good.len() < 8);
        assert!(matches!(bad[0], Err(Error::Key { field: "privateExponent", .. })), "{:?}", bad[0]);
    }
}

/// Calls every number a prime.
struct Credulous;

impl Arithmetic for Credulous {
    fn name(&self) -> &'static str {
        "credulous"
    }
    fn lanes(&self) -> usize {
        8
    }
    fn multiply(&self, jobs: &mut [Multiply<'_>]) {
        Libcrypto.multiply(jobs);
    }
    fn power_secret(&self, jobs: &mut [Power<'_>]) {
        Libcrypto.power_secret(jobs);
        for job in
            jobs.iter_mut().filter(|job| job.exponent[0] == job.modulus.words()[0] >> 1 | job.modulus.words()[1] << 63)
        {
            job.result.fill(0);
            job.result[0] = 1;
        }
    }
    fn power_public(&self, jobs: &mut [Power<'_>]) {
        Libcrypto.power_public(jobs);
    }
}

#[test]
fn composite_taken_for_a_prime_releases_no_key() {
    for _ in 0..5 {
        let first = Generator::new(&Credulous, 512, 1, &below_fips()).unwrap().next().unwrap();
        assert!(matches!(first, Err(Error::Key { .. })), "{first:?}");
    }
}

/// Both ends of a new pipe: to read, and to write.
fn pipe() -> (File, File) {
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    // SAFETY: both were just opened and belong to nobody else.
    unsafe { (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1])) }
}

/// The moduli of so many keys of 512 bits, big-endian.
fn moduli(generator: &mut Generator<'_>, count: usize) -> Vec<Vec<u8>> {
    let modulus = |words: &[u64]| words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    generator.take(count).map(|key| modulus(key.unwrap().public().modulus().words())).collect()
}

/// A forked child hands its moduli over, and ends.
fn hand_over(moduli: &[Vec<u8>], mut writer: File) -> ! {
    let written = writer.write_all(&moduli.concat());
    // SAFETY: leaves at once, without the test harness's clean-up.
    unsafe { libc::_exit(i32::from(written.is_err())) }
}

/// The child handed over as many moduli as are ours, and no two have a common factor.
fn assert_unrelated(ours: &[Vec<u8>], child: libc::pid_t, mut reader: File) {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).unwrap();
    let mut status = 0;
    // SAFETY: `child` is ours and `status` has room.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    assert_eq!(bytes.len(), ours.concat().len());
    let mut context = BigNumContext::new().unwrap();
    for ours in ours {
        for theirs in bytes.chunks_exact(ours.len()) {
            let [ours, theirs] = [&ours[..], theirs].map(|bytes| BigNum::from_slice(bytes).unwrap());
            let mut divisor = BigNum::new().unwrap();
            divisor.gcd(&ours, &theirs, &mut context).unwrap();
            assert_eq!(divisor.num_bits(), 1);
        }
    }
}

#[test]
fn child_after_fork_makes_other_keys_than_its_parent() {
    let arithmetic = arithmetic::best().unwrap();
    let mut generator = Generator::new(&*arithmetic, 512, 1_000, &below_fips()).unwrap();
    // Well under way: some keys are ready, candidates and primes wait.
    generator.next().unwrap().unwrap();
    let (reader, writer) = pipe();
    // SAFETY: the child touches nothing that another thread of the test may hold, but memory and libcrypto, whose
    // locks survive fork.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    let moduli = moduli(&mut generator, 20);
    if child == 0 {
        hand_over(&moduli, writer);
    }
    drop(writer);
    assert_unrelated(&moduli, child, reader);
}

#[test]
fn child_made_in_the_middle_of_a_pass_makes_another_key_than_its_parent() {
    let arithmetic = arithmetic::best().unwrap();
    for forking in 1.. {
        let (reader, writer) = pipe();
        let (calls, child) = (AtomicUsize::new(0), AtomicI32::new(-1));
        let source = |bytes: &mut [u8]| {
            if calls.fetch_add(1, Ordering::Relaxed) + 1 == forking {
                // SAFETY: as above.
                let forked = unsafe { libc::fork() };
                if forked == 0 {
                    // A child that hangs is killed, and the parent sees that.
                    // SAFETY: a plain system call.
                    unsafe { libc::alarm(100) };
                }
                child.store(forked, Ordering::Relaxed);
            }
            PrivateRandom.fill(bytes)
        };
        let mut generator = Generator::new(&*arithmetic, 512, 1, &below_fips()).unwrap().with_random(source);
        let moduli = moduli(&mut generator, 1);
        match child.load(Ordering::Relaxed) {
            // The key was there before so many calls.
            -1 => break,
            0 => hand_over(&moduli, writer),
            child => {
                drop(writer);
                assert_unrelated(&moduli, child, reader);
            }
        }
    }
}
