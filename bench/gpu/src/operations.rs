// SPDX-License-Identifier: Apache-2.0
//! Private operations to and fro, and signatures through the gatherer; every result is checked.

use crate::energy::Meter;
use crate::report::Row;
use crate::samples::{Samples, Work};
use garner::arithmetic::Arithmetic;
use garner::gather::{Config, Gatherer, Operation};
use garner::key::PrivateKey;
use garner::private_op::{self, PrivateOp};
use garner_device_cuda::{Gpu, Machine};
use openssl::rsa::{Padding, Rsa};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Keys of one length.
pub struct Keys {
    /// All of them.
    pub all: Vec<Arc<PrivateKey>>,
    /// The first, for OpenSSL.
    der: Vec<u8>,
}

impl Keys {
    /// New ones, made by libcrypto, each in a thread of its own.
    pub fn new(bits: usize, count: usize) -> Result<Keys, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let make = || -> Result<_, String> {
            let rsa = Rsa::generate(bits as u32).map_err(|error| text(&error))?;
            let der = rsa.private_key_to_der().map_err(|error| text(&error))?;
            Ok((PrivateKey::from_der(&der).map(Arc::new).map_err(|error| text(&error))?, der))
        };
        let made = thread::scope(|scope| {
            let makers: Vec<_> = (0..count).map(|_| scope.spawn(make)).collect();
            makers.into_iter().map(joined).collect::<Result<Vec<_>, _>>()
        })?;
        let (all, mut ders): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        Ok(Keys { all, der: ders.swap_remove(0) })
    }
}

/// What a thread came to.
fn joined<T>(worker: thread::ScopedJoinHandle<'_, Result<T, String>>) -> Result<T, String> {
    worker.join().map_err(|_| "a thread panicked".to_owned())?
}

/// Random numbers below every modulus of this many bits.
fn inputs(bits: usize, count: usize) -> Vec<Vec<u64>> {
    let mut bytes = vec![0; bits / 8 * count];
    openssl::rand::rand_bytes(&mut bytes).expect("random numbers");
    let number = |bytes: &[u8]| -> Vec<u64> {
        let mut words: Vec<u64> =
            bytes.chunks_exact(8).map(|chunk| u64::from_le_bytes(chunk.try_into().expect("eight bytes"))).collect();
        // A modulus has its highest bit set.
        *words.last_mut().expect("a modulus has words") >>= 1;
        words
    };
    bytes.chunks_exact(bits / 8).map(number).collect()
}

/// Batches of `count` whole private operations by one thread: blinded, split, recombined, checked.
pub fn private<M: Machine>(
    gpu: &Gpu<M>,
    arithmetic: &dyn Arithmetic,
    meter: Option<&Meter>,
    keys: &[Arc<PrivateKey>],
    count: usize,
    time: Duration,
) -> Result<Row, String> {
    let bits = keys[0].public().bits();
    let inputs = inputs(bits, count);
    let mut outputs = vec![vec![0; inputs[0].len()]; count];
    let run = || -> Result<(), String> {
        let mut operations: Vec<PrivateOp<'_>> = inputs
            .iter()
            .zip(outputs.iter_mut())
            .enumerate()
            .map(|(i, (input, output))| PrivateOp { key: &keys[i % keys.len()], input, output })
            .collect();
        let wrong = private_op::run(arithmetic, gpu, &mut operations).map_err(|error| error.to_string())?;
        match wrong.iter().filter(|wrong| **wrong).count() {
            0 => Ok(()),
            wrong => Err(format!("WRONG RESULT: {wrong} of {count} private operations of {bits} bits")),
        }
    };
    let samples = Samples::take(&Work { per_batch: count, time, meter }, run)?;
    let (device, results_checked) = (gpu.machine().name().to_owned(), (count * (samples.count() + 1)) as u64);
    let row = Row { op: "private", bits, device, callers: 1, batch: count, ..Row::default() };
    Ok(samples.row(Row { checked: true, results_checked, ..row }))
}

/// What threads did.
#[derive(Default)]
struct Done {
    /// What ended while all of them were at it, and how long that was.
    counted: usize,
    seconds: f64,
    /// All.
    all: usize,
}

impl Done {
    fn add(&mut self, other: &Done) {
        self.counted += other.counted;
        self.seconds += other.seconds;
        self.all += other.all;
    }

    fn row(&self, row: Row) -> Row {
        Row { op: "sign", garner_per_s: self.counted as f64 / self.seconds, ..row }
    }
}

/// Whether something is counted that ends so late in a window of `time`: in the last three quarters of it, neither while threads
/// are getting going nor while they come to an end, fewer and fewer.
fn counts(elapsed: Duration, time: Duration) -> bool {
    elapsed > time / 4 && elapsed <= time
}

/// Has so many threads call `work` again and again for a while, of which a part [counts].
fn together(
    threads: usize,
    time: Duration,
    work: impl Fn(usize) -> Result<usize, String> + Sync,
) -> Result<Done, String> {
    let (start, work) = (Instant::now(), &work);
    let one = move |thread: usize| -> Result<(usize, usize), String> {
        let (mut counted, mut all) = (0, 0);
        loop {
            let done = work(thread)?;
            let elapsed = start.elapsed();
            all += done;
            if counts(elapsed, time) {
                counted += done;
            }
            if elapsed >= time {
                return Ok((counted, all));
            }
        }
    };
    let each = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|thread| scope.spawn(move || one(thread))).collect();
        workers.into_iter().map(joined).collect::<Result<Vec<_>, _>>()
    })?;
    let sum = |of: fn(&(usize, usize)) -> usize| each.iter().map(of).sum::<usize>();
    let (counted, all) = (sum(|each| each.0), sum(|each| each.1));
    Ok(match counted {
        // Each took longer than the time there was.
        0 => Done { counted: all, seconds: start.elapsed().as_secs_f64(), all },
        _ => Done { counted, seconds: time.as_secs_f64() * 0.75, all },
    })
}

/// Signatures through a gatherer that has the GPU first, by as many threads as processors, each with batches; and private
/// operations by OpenSSL itself by as many, blinded and checked as it does: what this host has without a GPU and without
/// Garner. In turns, two each.
pub fn gathered_and_by_openssl<M: Machine>(
    gpu: Arc<Gpu<M>>,
    arithmetic: &Arc<dyn Arithmetic>,
    keys: &Keys,
    batch: usize,
    time: Duration,
) -> Result<[Row; 2], String> {
    let bits = keys.all[0].public().bits();
    let device = gpu.machine().name().to_owned();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let gatherer = Gatherer::new(Config::with(Arc::clone(arithmetic), vec![gpu]));
    let input: Vec<u8> = (0..bits / 8).map(|i| (i * 37 % 128) as u8).collect();
    let turn = AtomicUsize::new(0);
    let gathered = |thread: usize| -> Result<usize, String> {
        let turn = turn.fetch_add(1, Ordering::Relaxed);
        let operation = |i: usize| {
            let mut input = input.clone();
            input[1..9].copy_from_slice(&((turn << 20) + i).to_be_bytes());
            let key = &keys.all[(thread + i) % keys.all.len()];
            Operation::private(key, &input).map_err(|error| error.to_string())
        };
        let operations = (0..batch).map(operation).collect::<Result<Vec<_>, _>>()?;
        let answers = gatherer.run_batch(operations);
        answers.into_iter().collect::<Result<Vec<_>, _>>().map(|all| all.len()).map_err(|error| error.to_string())
    };
    // One for each thread: they would wait for each other's blinding.
    let own = (0..threads).map(|_| Rsa::private_key_from_der(&keys.der)).collect::<Result<Vec<_>, _>>();
    let own = own.map_err(|error| error.to_string())?;
    let by_openssl = |thread: usize| -> Result<usize, String> {
        // Below every modulus: its highest bit is not set.
        let (input, mut output) = (vec![0x5A; bits / 8], vec![0; bits / 8]);
        let done = own[thread].private_encrypt(&input, &mut output, Padding::NONE);
        done.map(|_| 1).map_err(|error| error.to_string())
    };
    // The first batches of every path are measurements of their own.
    (0..4).try_for_each(|_| gathered(0).map(drop))?;
    let (mut ours, mut without) = (Done::default(), Done::default());
    for turn in 0..2 {
        let us = |done: &mut Done| together(threads, time, gathered).map(|new| done.add(&new));
        let openssl = |done: &mut Done| together(threads, time, by_openssl).map(|new| done.add(&new));
        if turn == 0 {
            us(&mut ours)?;
            openssl(&mut without)?;
        } else {
            openssl(&mut without)?;
            us(&mut ours)?;
        }
    }
    let statistics = gatherer.statistics();
    if statistics.faults + statistics.device_failures > 0 {
        return Err(format!(
            "through the gatherer: {} wrong results, {} failed batches",
            statistics.faults, statistics.device_failures
        ));
    }
    let row = Row { bits, callers: threads, rounds: 2, ..Row::default() };
    let (results_checked, openssl) = (ours.all as u64, "openssl".to_owned());
    Ok([
        ours.row(Row { device, batch, checked: true, results_checked, ..row.clone() }),
        without.row(Row { device: openssl, batch: 1, ..row }),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_threads_did_is_counted_while_all_are_at_it() {
        let time = Duration::from_millis(400);
        assert_eq!(
            [100, 101, 400, 401].map(|end| counts(Duration::from_millis(end), time)),
            [false, true, true, false]
        );
        // Longer than the time there is: all counts.
        let slow = together(2, Duration::ZERO, |_| Ok(5)).unwrap();
        assert_eq!((slow.counted, slow.all), (10, 10));
        assert!(together(2, time, |_| Err("no".to_owned())).is_err());
    }
}
