//! Private operations to and fro, and signatures through the gatherer; every result is checked.

use crate::energy::Meter;
use crate::report::Row;
use crate::samples::{Samples, Work};
use garner::arithmetic::Arithmetic;
use garner::device::cuda::{Gpu, Machine};
use garner::gather::{Config, Gatherer, Operation};
use garner::key::PrivateKey;
use garner::private_op::{self, PrivateOp};
use openssl::rsa::{Padding, Rsa};
use std::cell::RefCell;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// New keys, made by libcrypto.
pub fn keys(bits: usize, count: usize) -> Result<Vec<Arc<PrivateKey>>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    (0..count)
        .map(|_| {
            let rsa = Rsa::generate(bits as u32).map_err(|error| text(&error))?;
            let der = rsa.private_key_to_der().map_err(|error| text(&error))?;
            PrivateKey::from_der(&der).map(Arc::new).map_err(|error| text(&error))
        })
        .collect()
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
    let outputs = RefCell::new(vec![vec![0; inputs[0].len()]; count]);
    let run = || -> Result<(), String> {
        let mut outputs = outputs.borrow_mut();
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
    let samples = Samples::take(Work { per_batch: count, time, meter }, run)?;
    let (device, one_key) = (gpu.machine().name().to_owned(), keys.len() == 1);
    let results_checked = (count * (samples.count() + 1)) as u64;
    let row = Row { op: "private", bits, device, one_key, callers: 1, batch: count, ..Row::default() };
    Ok(samples.row(Row { checked: true, results_checked, ..row }))
}

/// Signatures through a gatherer that has the GPU first, by as many threads as processors, each with batches.
pub fn gathered<M: Machine>(
    gpu: Arc<Gpu<M>>,
    arithmetic: &Arc<dyn Arithmetic>,
    keys: &[Arc<PrivateKey>],
    batch: usize,
    time: Duration,
) -> Result<Row, String> {
    let bits = keys[0].public().bits();
    let device = gpu.machine().name().to_owned();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let gatherer = Gatherer::new(Config::with(Arc::clone(arithmetic), vec![gpu]));
    let input: Vec<u8> = (0..bits / 8).map(|i| (i * 37 % 128) as u8).collect();
    let round = &|thread: usize, turn: usize| -> Result<usize, String> {
        let operation = |i: usize| {
            let mut input = input.clone();
            input[1..9].copy_from_slice(&((thread << 40) + (turn << 20) + i).to_be_bytes());
            Operation::private(&keys[(thread + i) % keys.len()], &input).map_err(|error| error.to_string())
        };
        let operations = (0..batch).map(operation).collect::<Result<Vec<_>, _>>()?;
        let answers = gatherer.run_batch(operations);
        answers.into_iter().collect::<Result<Vec<_>, _>>().map(|all| all.len()).map_err(|error| error.to_string())
    };
    // The first batches of every path are measurements of their own.
    (0..4).try_for_each(|turn| round(0, turn).map(drop))?;
    let start = Instant::now();
    let done = thread::scope(|scope| -> Result<usize, String> {
        let workers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let mut done = 0;
                    for turn in 4.. {
                        done += round(thread, turn)?;
                        if start.elapsed() >= time {
                            break;
                        }
                    }
                    Ok::<usize, String>(done)
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| "a thread panicked".to_owned())?).sum()
    })?;
    let elapsed = start.elapsed().as_secs_f64();
    let statistics = gatherer.statistics();
    if statistics.faults + statistics.device_failures > 0 {
        return Err(format!(
            "through the gatherer: {} wrong results, {} failed batches",
            statistics.faults, statistics.device_failures
        ));
    }
    let garner_per_s = done as f64 / elapsed;
    let results_checked = done as u64;
    Ok(Row {
        op: "sign",
        bits,
        device,
        callers: threads,
        batch,
        garner_per_s,
        checked: true,
        results_checked,
        ..Row::default()
    })
}

/// Private operations by OpenSSL itself on all processors, blinded and checked as it does: what this host has without a GPU
/// and without Garner.
pub fn by_openssl(bits: usize, time: Duration) -> Result<Row, String> {
    let rsa = Rsa::generate(bits as u32).map_err(|error| error.to_string())?;
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let start = Instant::now();
    let work = || -> Result<usize, String> {
        // Below every modulus: its highest bit is not set.
        let (mut input, mut output) = (vec![0x5A; bits / 8], vec![0; bits / 8]);
        let mut done = 0;
        while start.elapsed() < time {
            rsa.private_encrypt(&input, &mut output, Padding::NONE).map_err(|error| error.to_string())?;
            std::mem::swap(&mut input, &mut output);
            done += 1;
        }
        Ok(done)
    };
    let done = thread::scope(|scope| -> Result<usize, String> {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| "a thread panicked".to_owned())?).sum()
    })?;
    let garner_per_s = done as f64 / start.elapsed().as_secs_f64();
    Ok(Row { op: "sign", bits, device: "openssl".into(), callers: threads, batch: 1, garner_per_s, ..Row::default() })
}
