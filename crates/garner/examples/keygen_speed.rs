//! Key generation beside libcrypto's, alternating in the same run: many keys by one thread, and one key at a time.
//!
//! `cargo run --release --example keygen_speed -- [SECONDS] [alone]`: SECONDS for each column of each length, 10 by
//! default; `alone` leaves libcrypto out. Times are processor time of the one thread, so other work on the machine
//! disturbs little. Each of our keys has passed its own trial signature; `keygen_proof` has an independent judge.

use garner::arithmetic::{self, Arithmetic};
use garner::keygen::{self, Generator, Options};
use openssl::rsa::Rsa;
use std::error::Error;

/// Ramesh 2020, chapter 2: primality tests per RSA-2048 key with mbedTLS, the mean over 1000 keys.
const TESTS_OF_SEED_001: f64 = 115.0;

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds: f64 = arguments.next().map_or(Ok(10.0), |text| text.parse())?;
    let alone = arguments.next().is_some_and(|text| text == "alone");
    let arithmetic = arithmetic::best()?;
    println!("Key generation, one core, {}, {}", arithmetic.name(), openssl::version::version());
    println!("             many keys            one key               libcrypto    tests of  candidates  lanes");
    println!("  bits    ms/key   ratio       ms (min..max)   ratio      ms/key     a key       a key   fill");
    for bits in [2048, 3072, 4096] {
        compare(&*arithmetic, bits, seconds / ROUNDS as f64, alone)?;
    }
    println!(
        "tests of a key: candidates put to Miller-Rabin; {TESTS_OF_SEED_001} at 2048 bits in Ramesh 2020 (mbedTLS)"
    );
    Ok(())
}

fn compare(arithmetic: &dyn Arithmetic, bits: usize, slice: f64, alone: bool) -> Result<(), Box<dyn Error>> {
    let options = Options::default();
    let mut generator = Generator::new(arithmetic, bits, usize::MAX, &options)?;
    let (mut many, mut one, mut theirs) = (Column::default(), Column::default(), Column::default());
    for _ in 0..ROUNDS {
        many.run(slice, || Ok(generator.next().expect("there is no end")?))?;
        one.run(slice, || Ok(keygen::generate_one(arithmetic, bits, &options)?))?;
        if !alone {
            theirs.run(slice, || Ok(Rsa::generate(bits as u32)?))?;
        }
    }
    let statistics = generator.statistics();
    println!(
        "{bits:6} {:9.2} {:7.1} {:9.2} ({:.1}..{:.1}) {:7.1} {:11.1} {:9.1} {:11.0} {:6.3}",
        many.mean(),
        theirs.mean() / many.mean(),
        one.mean(),
        one.min,
        one.max,
        theirs.mean() / one.mean(),
        theirs.mean(),
        statistics.primality_tests_per_key(),
        statistics.candidates as f64 / statistics.keys as f64,
        statistics.fill(),
    );
    Ok(())
}

/// Milliseconds of each call.
struct Column {
    total: f64,
    calls: usize,
    min: f64,
    max: f64,
}

impl Default for Column {
    fn default() -> Column {
        Column { total: 0.0, calls: 0, min: f64::INFINITY, max: 0.0 }
    }
}

impl Column {
    fn run<T>(
        &mut self,
        seconds: f64,
        mut call: impl FnMut() -> Result<T, Box<dyn Error>>,
    ) -> Result<(), Box<dyn Error>> {
        let until = self.total + seconds * 1e3;
        while self.total < until {
            let start = milliseconds();
            call()?;
            let time = milliseconds() - start;
            self.total += time;
            self.calls += 1;
            self.min = self.min.min(time);
            self.max = self.max.max(time);
        }
        Ok(())
    }

    fn mean(&self) -> f64 {
        self.total / self.calls as f64
    }
}

/// Processor time of this thread.
fn milliseconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to `time` and nowhere else.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}
