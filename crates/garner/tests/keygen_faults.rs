// SPDX-License-Identifier: Apache-2.0
//! What key generation does when its randomness or its arithmetic fails, and after `fork`.

use garner::Error;
use garner::arithmetic::{self, Arithmetic, Multiply, Power, libcrypto::Libcrypto};
use garner::keygen::{Generator, Options, PrivateRandom, Random};
use std::collections::HashSet;
use std::io::{Read, Write};
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};

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

#[test]
fn child_after_fork_makes_other_keys_than_its_parent() {
    let arithmetic = arithmetic::best().unwrap();
    let mut generator = Generator::new(&*arithmetic, 512, 1_000, &below_fips()).unwrap();
    // Well under way: some keys are ready, candidates and primes wait.
    generator.next().unwrap().unwrap();
    let mut ends = [0; 2];
    // SAFETY: `ends` has room for two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    // SAFETY: both were just opened and belong to nobody else.
    let (reader, writer) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: the child touches nothing that another thread of the test may hold, but memory and libcrypto, whose
    // locks survive fork.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    let moduli: Vec<Vec<u64>> =
        generator.by_ref().take(20).map(|key| key.unwrap().public().modulus().words().to_vec()).collect();
    if child == 0 {
        let bytes: Vec<u8> = moduli.concat().iter().flat_map(|word| word.to_le_bytes()).collect();
        let written = std::fs::File::from(writer).write_all(&bytes);
        // SAFETY: leaves at once, without the test harness's clean-up.
        unsafe { libc::_exit(i32::from(written.is_err())) };
    }
    drop(writer);
    let mut bytes = Vec::new();
    std::fs::File::from(reader).read_to_end(&mut bytes).unwrap();
    let mut status = 0;
    // SAFETY: `child` is ours and `status` has room.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0);
    assert_eq!(bytes.len(), 20 * 64);
    let theirs: HashSet<Vec<u64>> = bytes
        .chunks_exact(64)
        .map(|key| key.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect())
        .collect();
    assert!(moduli.iter().all(|modulus| !theirs.contains(modulus)));
    // Nor do they share a prime: no two moduli have a common factor.
    let mut context = openssl::bn::BigNumContext::new().unwrap();
    let number = |words: &[u64]| {
        let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
        openssl::bn::BigNum::from_slice(&bytes).unwrap()
    };
    for ours in &moduli {
        for theirs in &theirs {
            let mut divisor = openssl::bn::BigNum::new().unwrap();
            divisor.gcd(&number(ours), &number(theirs), &mut context).unwrap();
            assert_eq!(divisor.num_bits(), 1);
        }
    }
}
