// SPDX-License-Identifier: Apache-2.0
//! Generated keys satisfy FIPS 186-5, judged by libcrypto from their PKCS#1 encoding, and spread as random primes do.

mod keygen_judge;

use garner::Error;
use garner::arithmetic;
use garner::keygen::{Generator, Options, Statistics, generate, generate_one};
use keygen_judge::{assert_fips, read};
use openssl::bn::BigNum;
use std::io::Write;
use std::process::{Command, Stdio};

fn below_fips() -> Options {
    Options { below_fips: true, ..Options::default() }
}

#[test]
fn keys_of_2048_bits_satisfy_every_criterion() {
    let arithmetic = arithmetic::best().unwrap();
    let mut calls = 0;
    let mut last = Statistics::default();
    let keys = generate(&*arithmetic, 2048, 150, &Options::default(), |statistics| {
        calls += 1;
        assert_eq!(statistics.keys, calls);
        last = *statistics;
    });
    for key in keys.unwrap() {
        assert_fips(&read(&key), 2048);
    }
    // Expected: 78.1 tests a key with a standard deviation of 55, a survivor in 9.1 candidates; six deviations allowed.
    assert!((last.primality_tests_per_key() - 78.1).abs() < 6.0 * 55.0 / 150_f64.sqrt(), "{last:?}");
    let survivors = last.survivors as f64 / last.candidates as f64;
    assert!((survivors - 0.110).abs() < 0.01, "{last:?}");
    assert!(last.fill() > 0.98, "{last:?}");
    assert!(last.rounds >= last.primality_tests + 150 * 2 * 4, "five rounds for each prime: {last:?}");
    assert_eq!(last.late_failures, 0);
}

#[test]
fn longer_keys_satisfy_every_criterion() {
    let arithmetic = arithmetic::best().unwrap();
    for (bits, count) in [(2176, 2), (3072, 6), (4096, 2)] {
        for key in generate(&*arithmetic, bits, count, &Options::default(), |_| {}).unwrap() {
            assert_fips(&read(&key), bits);
        }
    }
}

#[test]
fn short_keys_for_tests_satisfy_every_criterion_but_length() {
    let arithmetic = arithmetic::best().unwrap();
    for (bits, count) in [(512, 300), (640, 30), (1024, 100), (1536, 20)] {
        for key in generate(&*arithmetic, bits, count, &below_fips(), |_| {}).unwrap() {
            assert_fips(&read(&key), bits);
        }
    }
}

#[test]
fn every_exponent_allowed_is_the_keys_exponent() {
    let arithmetic = arithmetic::best().unwrap();
    let hex = |digits: &str| BigNum::from_hex_str(digits).unwrap().to_vec();
    // The last is divisible by 3, 5, 17 and 257: most primes do not suit it.
    let most = "F".repeat(64);
    for digits in
        ["10001", "10003", "FFFFFFFF", "10000000000000001", "1000000000000000000000000000000000000000000000003", &most]
    {
        let options = Options { exponent: hex(digits), below_fips: true };
        for key in generate(&*arithmetic, 768, 3, &options, |_| {}).unwrap() {
            let rsa = read(&key);
            assert_eq!(rsa.e().to_vec(), hex(digits));
            assert_fips(&rsa, 768);
        }
    }
    for e in [3, 5, 17, 65_535] {
        let options = Options { exponent: BigNum::from_u32(e).unwrap().to_vec(), below_fips: true };
        let rsa = read(&generate_one(&*arithmetic, 1024, &options).unwrap());
        assert_fips(&rsa, 1024);
    }
}

#[test]
fn lengths_and_exponents_outside_the_standard_are_refused() {
    let arithmetic = arithmetic::best().unwrap();
    let error = |bits: usize, e: &[u8], below_fips: bool| {
        let options = Options { exponent: e.to_vec(), below_fips };
        Generator::new(&*arithmetic, bits, 1, &options).err().map(|error| error.to_string())
    };
    let good = [1, 0, 1];
    assert_eq!(error(2048, &good, false), None);
    assert_eq!(error(8192, &good, false), None);
    assert_eq!(error(1024, &good, false).unwrap(), "bits: is 1024, must be from 2048 to 8192");
    assert_eq!(error(1024, &good, true), None);
    assert_eq!(error(384, &good, true).unwrap(), "bits: is 384, must be from 512 to 8192");
    assert_eq!(error(8320, &good, false).unwrap(), "bits: is 8320, must be from 2048 to 8192");
    assert_eq!(error(2056, &good, false).unwrap(), "bits: is 2056, must be a multiple of 128");
    assert_eq!(error(2048, &[3], false).unwrap(), "exponent: must be at least 65537");
    assert_eq!(error(2048, &[0xFF, 0xFF], false).unwrap(), "exponent: must be at least 65537");
    assert_eq!(error(2048, &[0, 0, 3], true), None);
    assert_eq!(error(2048, &[1], true).unwrap(), "exponent: must be at least 3");
    assert_eq!(error(2048, &[], true).unwrap(), "exponent: must be at least 3");
    assert_eq!(error(2048, &[1, 0, 2], false).unwrap(), "exponent: is even");
    assert_eq!(error(2048, &[0xFF; 32], false), None);
    let mut long = [0; 33];
    (long[0], long[32]) = (1, 1);
    assert_eq!(error(2048, &long, false).unwrap(), "exponent: has 257 bits, more than 256");
    // More than a number of libcrypto's may have.
    assert_eq!(error(2048, &vec![1; 65 << 20], false).unwrap(), "exponent: has 545259513 bits, more than 256");
}

#[test]
fn generator_ends_after_the_keys_asked_for_and_none_is_none() {
    let arithmetic = arithmetic::best().unwrap();
    let mut generator = Generator::new(&*arithmetic, 512, 3, &below_fips()).unwrap();
    assert_eq!(generator.by_ref().map(Result::unwrap).count(), 3);
    assert!(generator.next().is_none());
    assert_eq!(generator.statistics().keys, 3);
    assert!(generate(&*arithmetic, 512, 0, &below_fips(), |_| panic!("no key, no progress")).unwrap().is_empty());
}

#[test]
fn primes_spread_evenly_over_residues_and_length_and_no_two_are_the_same() -> Result<(), Error> {
    let arithmetic = arithmetic::best()?;
    let mut primes = Vec::new();
    for key in generate(&*arithmetic, 512, 1_000, &below_fips(), |_| {})? {
        let rsa = read(&key);
        primes.extend([rsa.p().unwrap(), rsa.q().unwrap()].map(|prime| prime.to_owned().unwrap()));
    }
    for modulus in [3_u32, 5, 7, 11, 13] {
        let mut counts = vec![0; modulus as usize];
        primes.iter().for_each(|prime| counts[prime.mod_word(modulus).unwrap() as usize] += 1);
        assert_eq!(counts.remove(0), 0);
        assert!(is_even(&counts), "modulo {modulus}: {counts:?}");
    }
    let sevens = primes.iter().filter(|prime| prime.is_bit_set(2)).count() as u64;
    assert!(is_even(&[sevens, primes.len() as u64 - sevens]), "{sevens} are 7 modulo 8");
    // Eight equal shares of [sqrt(2) 2^255, 2^256); the density of primes varies by 0.2 % over them.
    let mut counts = [0; 8];
    for prime in &primes {
        let top = u64::from_be_bytes(prime.to_vec_padded(32).unwrap()[..8].try_into().unwrap()) as f64 / 2_f64.powi(64);
        counts[((top - 0.5_f64.sqrt()) / (1.0 - 0.5_f64.sqrt()) * 8.0).min(7.0) as usize] += 1;
    }
    assert!(is_even(&counts), "{counts:?}");
    primes.sort();
    primes.dedup();
    assert_eq!(primes.len(), 2_000);
    Ok(())
}

/// Whether Pearson's statistic against equal shares is within six standard deviations, and some for few shares.
fn is_even(counts: &[u64]) -> bool {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let statistic: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    let freedom = counts.len() as f64 - 1.0;
    statistic < freedom + 6.0 * (2.0 * freedom).sqrt() + 20.0
}

#[test]
fn openssl_command_finds_keys_in_order() {
    let arithmetic = arithmetic::best().unwrap();
    for bits in [2048, 3072] {
        let key = generate_one(&*arithmetic, bits, &Options::default()).unwrap();
        for pem in [key.to_pkcs1_pem(), key.to_pkcs8_pem()] {
            let mut openssl = Command::new("openssl")
                .args(["rsa", "-check", "-noout"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("the openssl command");
            openssl.stdin.take().unwrap().write_all(pem.as_bytes()).unwrap();
            let output = openssl.wait_with_output().unwrap();
            assert!(output.status.success() && output.stdout == b"RSA key ok\n", "{output:?}");
        }
    }
}
