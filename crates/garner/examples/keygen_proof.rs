// SPDX-License-Identifier: Apache-2.0
//! The long proof: 10,000 keys, each judged by libcrypto against FIPS 186-5.
//!
//! `make check-keys`, or `cargo run --release --example keygen_proof -- [KEYS] [BITS]`. Prints what was done and the memory it took.

#[path = "../tests/keygen_judge/mod.rs"]
mod keygen_judge;

use garner::arithmetic;
use garner::keygen::{Generator, Options, Statistics};
use std::error::Error;
use std::thread;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let count: usize = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let bits: usize = arguments.next().map_or(Ok(2048), |text| text.parse())?;
    let threads = thread::available_parallelism()?.get().min(count.max(1));
    let start = Instant::now();
    let mut total = Statistics::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|i| scope.spawn(move || judged(bits, count / threads + usize::from(i < count % threads), i == 0)))
            .collect();
        for worker in workers {
            total += worker.join().expect("every key is good");
        }
    });
    println!(
        "{} keys of {bits} bits satisfy FIPS 186-5, in {:.0} s with {threads} threads",
        total.keys,
        start.elapsed().as_secs_f64()
    );
    println!(
        "a key: {:.1} candidates, {:.1} survivors of the sieve, {:.1} primality tests, {:.1} exponentiations",
        per_key(total.candidates, &total),
        per_key(total.survivors, &total),
        total.primality_tests_per_key(),
        per_key(total.exponentiations, &total)
    );
    println!(
        "lanes filled: {:.3}; failed after the first round: {}; primes put aside: {}",
        total.fill(),
        total.late_failures,
        total.unsuitable
    );
    println!("largest memory: {}", peak_memory()?);
    Ok(())
}

fn judged(bits: usize, count: usize, report: bool) -> Statistics {
    let arithmetic = arithmetic::best().expect("an arithmetic");
    let mut generator = Generator::new(&*arithmetic, bits, count, &Options::default()).expect("an allowed length");
    while let Some(key) = generator.next() {
        keygen_judge::assert_fips(&keygen_judge::read(&key.expect("a key")), bits);
        let keys = generator.statistics().keys;
        if report && keys % 500 == 0 {
            eprintln!("{keys} of {count} by the first thread; memory {}", peak_memory().unwrap_or_default());
        }
    }
    *generator.statistics()
}

fn per_key(number: u64, total: &Statistics) -> f64 {
    number as f64 / total.keys.max(1) as f64
}

fn peak_memory() -> Result<String, std::io::Error> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(line.unwrap_or("unknown").trim().to_string())
}
