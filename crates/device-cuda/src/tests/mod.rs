// SPDX-License-Identifier: Apache-2.0
//! The device over the emulator: everything but the driver. Here what these tests share.
//!
//! | file | what it is about |
//! |---|---|
//! | `operations` | results equal libcrypto's |
//! | `records` | keys on the GPU that are not mistaken for one another |
//! | `admission` | what a GPU takes, and what keeps it from passing its self-test |
//! | `outage` | a GPU that is lost or never finishes |
//! | `gathered` | public and private operations through a gatherer |
//! | `keygen` | keys made with a GPU as a filter |
//! | `wiping` | what is left on a GPU of numbers and of keys |
//! | `fork` | children of a process that has a GPU |

mod admission;
#[allow(unsafe_code, reason = "makes children by `fork`")]
pub mod fork;
mod gathered;
mod keygen;
mod operations;
mod outage;
mod records;
mod wiping;

use super::emulated::{Fault, Seen};
use super::*;
use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::{Arithmetic, Modulus};
use garner::gather::{Config, Gatherer, Operation};
use garner::words::less;
use garner_gpu_kernels::LANES;
use openssl::bn::BigNum;
use openssl::rsa::Rsa;
use std::sync::atomic::{AtomicUsize, Ordering};

fn gpu(bits: usize) -> Gpu<Emulator> {
    let gpu = Gpu::new(Emulator::new(Fault::None));
    gpu.test(bits).unwrap();
    gpu
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

/// Private operations of these keys, in turn, `count` of them; libcrypto finds them right.
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
    // s^e = m has one solution below n.
    assert!(results.iter().enumerate().all(|(i, result)| less(result, of(i).public().modulus().words()).into()));
    let back: Vec<Vec<u64>> =
        results.iter().enumerate().map(|(i, result)| public_power(of(i).public(), result)).collect();
    assert!(back == bases);
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

/// A GPU that counts the public operations and candidates it gets.
struct Counted<M: Machine>(Gpu<M>, Arc<AtomicUsize>);

impl<M: Machine> DeviceInfo for Counted<M> {
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

    fn takes_bits(&self, bits: usize) -> bool {
        self.0.takes_bits(bits)
    }
}

impl<M: Machine> Device for Counted<M> {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.0.exponentiate(jobs)
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

/// A GPU that stops answering after its self-test, and what it was asked for.
fn hanging() -> (Gpu<Emulator>, Arc<Seen>) {
    let machine = Emulator::new(Fault::Hangs);
    let seen = Arc::clone(&machine.seen);
    let device = Gpu::new(machine);
    assert!(device.shared.kernels[0].set(Kernels::new(0)).is_ok());
    (device, seen)
}
