// SPDX-License-Identifier: Apache-2.0
//! The private operation against libcrypto, over every arithmetic and against devices that lie or fail.

mod relations;

use super::{PrivateOp, RunError, run};
use crate::arithmetic::libcrypto::Libcrypto;
use crate::arithmetic::vectors::{Native, Twin};
use crate::arithmetic::{Arithmetic, Power};
use crate::device::{Cpu, Device, DeviceError, DeviceInfo, Limits};
use crate::key::{PrivateKey, Unused};
use crate::words;
use openssl::rsa::{Padding, Rsa};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn key(bits: u32) -> (Rsa<openssl::pkey::Private>, PrivateKey) {
    let rsa = Rsa::generate(bits).unwrap();
    let key = PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap();
    (rsa, key)
}

/// A message below n, its signature by libcrypto, both as words.
fn sample(rsa: &Rsa<openssl::pkey::Private>, seed: u8) -> (Vec<u64>, Vec<u64>) {
    let size = rsa.size() as usize;
    let message: Vec<u8> = (0..size).map(|i| if i == 0 { 0 } else { (i as u8).wrapping_mul(seed) ^ seed }).collect();
    let mut signature = vec![0; size];
    rsa.private_encrypt(&message, &mut signature, Padding::NONE).unwrap();
    let to_words = |bytes: &[u8]| {
        let mut number = vec![0; words::words_for(8 * size)];
        words::from_be_bytes(bytes, &mut number).unwrap();
        number
    };
    (to_words(&message), to_words(&signature))
}

fn arithmetics() -> Vec<Arc<dyn Arithmetic>> {
    let mut all: Vec<Arc<dyn Arithmetic>> = vec![Arc::new(Libcrypto), Arc::new(Twin::default())];
    let available = Native::available();
    if available.is_empty() {
        println!("not run over kernels: there are none for this processor");
    }
    all.extend(available.into_iter().map(|native| Arc::new(native) as Arc<dyn Arithmetic>));
    all
}

fn run_all(
    arithmetic: &dyn Arithmetic,
    device: &dyn Device,
    jobs: &[(&PrivateKey, Vec<u64>)],
) -> (Result<Vec<bool>, RunError>, Vec<Vec<u64>>) {
    let mut outputs: Vec<Vec<u64>> = jobs.iter().map(|(_, input)| vec![u64::MAX; input.len()]).collect();
    let mut operations: Vec<PrivateOp<'_>> =
        jobs.iter().zip(&mut outputs).map(|((key, input), output)| PrivateOp { key, input, output }).collect();
    let outcome = run(arithmetic, device, &mut operations);
    (outcome, outputs)
}

#[test]
fn mixed_keys_and_sizes_agree_with_libcrypto() {
    let keys = [key(512), key(768), key(1024), key(1030)];
    for arithmetic in arithmetics() {
        let device = Cpu::new(arithmetic.clone());
        // More operations than a blinding pair has uses, so that pairs are squared, worn out and made again.
        let rounds = if arithmetic.name() == "twin" { 1 } else { 40 };
        for round in 0..rounds {
            let samples: Vec<_> = (0..11u8)
                .map(|i| {
                    let (rsa, key) = &keys[usize::from(i) % keys.len()];
                    (key, sample(rsa, i.wrapping_add(round)))
                })
                .collect();
            let jobs: Vec<_> = samples.iter().map(|(key, (message, _))| (*key, message.clone())).collect();
            let (outcome, outputs) = run_all(&*arithmetic, &device, &jobs);
            assert_eq!(outcome.unwrap(), vec![false; 11], "{}", arithmetic.name());
            for ((_, (_, signature)), output) in samples.iter().zip(&outputs) {
                assert_eq!(output, signature, "{}", arithmetic.name());
            }
        }
    }
}

#[test]
fn extreme_inputs_agree_with_libcrypto() {
    let (rsa, key) = key(1024);
    let n = key.public().modulus().words().to_vec();
    let mut below = n.clone();
    below[0] -= 1;
    let zero = vec![0; n.len()];
    let mut one = zero.clone();
    one[0] = 1;
    // A multiple of p has no inverse modulo n, and is signed all the same.
    let mut p = zero.clone();
    p[..key.p().words().len()].copy_from_slice(key.p().words());
    for input in [zero, one, below, p] {
        let mut bytes = vec![0; 128];
        words::to_be_bytes(&input, &mut bytes);
        let mut expected = vec![0; 128];
        rsa.private_encrypt(&bytes, &mut expected, Padding::NONE).unwrap();
        for arithmetic in arithmetics() {
            let (outcome, outputs) = run_all(&*arithmetic, &Cpu::new(arithmetic.clone()), &[(&key, input.clone())]);
            assert_eq!(outcome.unwrap(), [false]);
            let mut signature = vec![0; 128];
            words::to_be_bytes(&outputs[0], &mut signature);
            assert_eq!(signature, expected, "{}", arithmetic.name());
        }
    }
}

/// Damages one half of one operation in every batch, in a different way each time.
struct Lying {
    device: Cpu,
    batches: AtomicUsize,
}

impl DeviceInfo for Lying {
    fn name(&self) -> &str {
        "lying"
    }

    fn limits(&self) -> Limits {
        self.device.limits()
    }

    fn preferred_batch(&self) -> usize {
        self.device.preferred_batch()
    }
}

impl Device for Lying {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.device.exponentiate(jobs)?;
        let batch = self.batches.fetch_add(1, Ordering::Relaxed);
        let job = &mut jobs[batch % 6];
        match batch % 5 {
            0 => job.result[0] ^= 1,
            1 => job.result.fill(u64::MAX),
            2 => job.result.fill(0),
            3 => *job.result.last_mut().unwrap() ^= 1 << 63,
            _ => job.result.copy_from_slice(job.modulus.words()),
        }
        Ok(())
    }
}

#[test]
fn a_damaged_half_is_found_and_nothing_of_it_is_released() {
    let (rsa, key) = key(512);
    for arithmetic in arithmetics() {
        let device = Lying { device: Cpu::new(arithmetic.clone()), batches: AtomicUsize::new(0) };
        let batches = if arithmetic.name() == "twin" { 5 } else { 60 };
        for batch in 0..batches {
            let samples: Vec<_> = (0..3u8).map(|i| sample(&rsa, i + 1)).collect();
            let jobs: Vec<_> = samples.iter().map(|(message, _)| (&key, message.clone())).collect();
            let (outcome, outputs) = run_all(&*arithmetic, &device, &jobs);
            let faults = outcome.unwrap();
            for (i, output) in outputs.iter().enumerate() {
                assert_eq!(faults[i], i == batch % 6 / 2, "batch {batch} over {}", arithmetic.name());
                match faults[i] {
                    true => assert!(output.iter().all(|&word| word == 0)),
                    false => assert_eq!(*output, samples[i].1),
                }
            }
        }
    }
}

#[test]
fn pairs_that_a_faulty_arithmetic_left_are_not_libcryptos() {
    let (rsa, key) = key(512);
    let (message, signature) = sample(&rsa, 7);
    // All of its members are zero.
    key.blinding().put(Unused::all(key.blinding().new_set("faulty", 3, message.len())));
    let arithmetic: Arc<dyn Arithmetic> = Arc::new(Libcrypto);
    let (outcome, outputs) = run_all(&*arithmetic, &Cpu::new(Arc::clone(&arithmetic)), &[(&key, message)]);
    assert_eq!((outcome.unwrap(), &outputs[0]), (vec![false], &signature));
}

/// Refuses every batch.
struct Dead;

impl DeviceInfo for Dead {
    fn name(&self) -> &str {
        "dead"
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: 2, max_bits: 8192 }
    }

    fn preferred_batch(&self) -> usize {
        1
    }
}

impl Device for Dead {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        for job in jobs {
            job.result.fill(7);
        }
        Err(DeviceError("dead".into()))
    }
}

#[test]
fn a_dead_device_leaves_no_output() {
    let (rsa, key) = key(512);
    let (message, _) = sample(&rsa, 3);
    let (outcome, outputs) = run_all(&Libcrypto, &Dead, &[(&key, message)]);
    assert_eq!(outcome, Err(RunError::Device(DeviceError("dead".into()))));
    assert!(outputs[0].iter().all(|&word| word == 0));
}

/// Keeps the bases it was given, each for p and for q.
struct Watching(Cpu, std::sync::Mutex<Vec<Vec<u64>>>);

impl DeviceInfo for Watching {
    fn name(&self) -> &str {
        "watching"
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn preferred_batch(&self) -> usize {
        1
    }
}

impl Device for Watching {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.1.lock().unwrap().extend(jobs.iter().step_by(2).map(|job| job.base.to_vec()));
        self.0.exponentiate(jobs)
    }
}

#[test]
fn a_device_never_sees_an_input_nor_the_same_base_twice() {
    let (rsa, key) = key(512);
    let (message, _) = sample(&rsa, 5);
    for arithmetic in arithmetics() {
        let device = Watching(Cpu::new(arithmetic.clone()), Default::default());
        for batch in [1, 2, 8, 30, 100].repeat(5) {
            let jobs = vec![(&key, message.clone()); batch];
            assert!(!run_all(&*arithmetic, &device, &jobs).0.unwrap().contains(&true));
        }
        let mut seen = device.1.into_inner().unwrap();
        assert!(!seen.contains(&message));
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 5 * 141, "{}", arithmetic.name());
    }
}
