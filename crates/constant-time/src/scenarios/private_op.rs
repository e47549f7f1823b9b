// SPDX-License-Identifier: Apache-2.0
//! The private operation whole: blinding, the CRT, recombination, unblinding, the check, the renewal of the pairs.

use super::marking::Marking;
use super::random::drawn;
use super::reference::low;
use super::{Scenario, Words, clean};
use crate::valgrind::{released_bits, reveal, secret};
use garner::arithmetic::vectors::Twin;
use garner::arithmetic::{Arithmetic, Power};
use garner::device::{Cpu, Device, DeviceError, DeviceInfo, Limits};
use garner::gather::{Config, Gatherer, Operation};
use garner::key::PrivateKey;
use garner::private_op::{PrivateOp, run};
use openssl::rsa::Rsa;
use std::iter::repeat_n;
use std::sync::Arc;

pub fn all() -> Vec<Scenario> {
    vec![
        clean("private operation: run, pairs made anew", || once(1, 1, 1)),
        clean("private operation: run, pairs from the pool", || once(1, 1, 2)),
        clean("private operation: run, two keys in a batch", || once(2, 1, 1)),
        clean("private operation: run, three operations of a key", || once(1, 3, 1)),
        clean("private operation: run, nine operations of a key", || once(1, 9, 1)),
        clean("private operation: run, nine operations of each of two keys, from the pool", || once(2, 9, 2)),
        clean("private operation: run, more operations than a set has pairs", || once(1, 1, 3)),
        clean("private operation: a wrong result is refused", refused),
        clean("gatherer: an operation from bytes to bytes", gatherer),
    ]
}

/// A key of `bits` bits made by libcrypto, and its modulus and public exponent.
pub fn key(bits: u32) -> (PrivateKey, Rsa<openssl::pkey::Private>) {
    let rsa = Rsa::generate(bits).expect("a key");
    let key = PrivateKey::from_der(&rsa.private_key_to_der().expect("encoding")).expect("a valid key");
    (key, rsa)
}

/// Inputs below their moduli, and the right outputs.
fn inputs(keys: &[&(PrivateKey, Rsa<openssl::pkey::Private>)]) -> (Vec<Vec<u64>>, Vec<Vec<u64>>) {
    let mut random = Words(9);
    keys.iter()
        .map(|(key, rsa)| {
            let input = random.below(key.public().modulus().words());
            let d = low(rsa.d(), input.len());
            let expected = super::reference::power(&input, &d, key.public().modulus().words());
            (input, expected)
        })
        .unzip()
}

/// Runs a batch of `each` operations for each of `count` keys, `rounds` times; the last round counts.
fn once(count: usize, each: usize, rounds: usize) {
    let made: Vec<_> = (0..count).map(|_| key(512)).collect();
    let keys: Vec<_> = made.iter().flat_map(|key| repeat_n(key, each)).collect();
    let (mut inputs, expected) = inputs(&keys);
    let arithmetic = Arc::new(Marking::new(Twin::default()));
    let device = Cpu::new(arithmetic.clone());
    let mut outputs: Vec<Vec<u64>> = inputs.iter().map(|input| vec![0; input.len()]).collect();
    inputs.iter_mut().for_each(|input| secret(input));
    for _ in 0..rounds {
        let (before, drawn_before) = (released_bits(), drawn());
        let mut operations: Vec<PrivateOp<'_>> = keys
            .iter()
            .zip(&inputs)
            .zip(&mut outputs)
            .map(|(((key, _), input), output)| PrivateOp { key, input, output })
            .collect();
        let wrong = run(arithmetic.as_ref(), &device, &mut operations).expect("the batch runs");
        assert!(wrong.iter().all(|wrong| !wrong));
        // One bit for each result, and one for each random number tried while pairs were made.
        assert!(released_bits() - before >= keys.len() + (drawn() - drawn_before));
    }
    assert!(arithmetic.marked() > 0);
    for (mut output, expected) in outputs.into_iter().zip(expected) {
        reveal(&mut output);
        assert_eq!(output, expected);
    }
}

/// Computes as the twin does, but changes one bit of every power, so that no check passes.
struct Lying(Arc<Marking<Twin>>);

impl DeviceInfo for Lying {
    fn name(&self) -> &str {
        "lying"
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: 2, max_bits: 8192 }
    }

    fn preferred_batch(&self) -> usize {
        1
    }
}

impl Device for Lying {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.0.power_secret(jobs);
        jobs.iter_mut().for_each(|job| job.result[0] ^= 1);
        Ok(())
    }
}

/// What a wrong result was is not seen from outside either: one bit, that it was wrong.
fn refused() {
    let key = key(512);
    let (mut inputs, _) = inputs(&[&key]);
    let arithmetic = Arc::new(Marking::new(Twin::default()));
    secret(&mut inputs[0]);
    let mut output = vec![1; inputs[0].len()];
    let before = released_bits();
    let mut operations = [PrivateOp { key: &key.0, input: &inputs[0], output: &mut output }];
    let wrong = run(arithmetic.as_ref(), &Lying(arithmetic.clone()), &mut operations).expect("the batch runs");
    assert_eq!(wrong, [true]);
    assert!(released_bits() > before);
    assert!(output.iter().all(|&word| word == 0), "nothing of a wrong result leaves");
}

/// Through the gatherer, as front ends do.
fn gatherer() {
    let (key, rsa) = key(512);
    let key = Arc::new(key);
    // Longer than the modulus, but for its value.
    let mut input = vec![0; 67];
    input[4..].fill(0x5a);
    let expected = {
        let padded = &input[3..];
        let mut output = vec![0; 64];
        rsa.private_encrypt(padded, &mut output, openssl::rsa::Padding::NONE).expect("a signature");
        output
    };
    secret(&mut input);
    let arithmetic = Arc::new(Marking::new(Twin::default()));
    let device = Cpu::new(arithmetic.clone());
    let gatherer = Gatherer::new(Config::with(arithmetic, vec![Arc::new(device)]));
    let operation = Operation::private(&key, &input).expect("below the modulus");
    let mut output = gatherer.run(operation).expect("the operation runs");
    reveal(&mut output);
    assert_eq!(*output, expected);
}
