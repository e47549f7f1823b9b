// SPDX-License-Identifier: Apache-2.0
//! What a GPU must get right before anything is given to it: fresh random numbers, compared with libcrypto's answers.

use super::lane::{Kernels, Lane, Loaded};
use super::machine::Queue;
use super::record::Parts;
use garner::arithmetic::libcrypto::{self, Libcrypto, SecretBigNum};
use garner::arithmetic::{Arithmetic, Modulus, Power};
use garner::device::{DeviceError, Unprepared};
use garner::fork::away_from_fork;
use garner::random;
use garner_gpu_kernels::Kernel;
use openssl::bn::BigNum;

/// One more than a tile, so that a second tile and idle lanes take part.
const COUNT: usize = garner_gpu_kernels::LANES + 1;

/// Runs the kernels of one length on known answers.
///
/// # Errors
/// The GPU failed, or one answer is wrong; the reason says which.
pub fn run<Q: Queue>(lane: &mut Lane<Q>, kernels: &Kernels) -> Result<(), DeviceError> {
    exponentiations(lane, kernels, kernels.words / 2)?;
    private_operations(lane, kernels, kernels.words / 2)
}

/// Runs the kernel of public operations of one length on known answers: two usual exponents, and one of two words.
///
/// # Errors
/// As [`run`].
pub fn run_public<Q: Queue>(lane: &mut Lane<Q>, kernel: &Kernel) -> Result<(), DeviceError> {
    let words = kernel.name.words / 2;
    for exponent in [&[3][..], &[65_537], &[0x8000_0000_0000_0101, 1]] {
        let case = |_| -> Result<_, DeviceError> {
            let mut base = random(words)?;
            // Below every modulus that is as long as can be.
            base[words - 1] >>= 1;
            Ok((random_modulus(words)?, base, exponent.to_vec()))
        };
        let cases = (0..COUNT).map(case).collect::<Result<Vec<_>, _>>()?;
        let (mut results, mut expected) = (vec![vec![0; words]; COUNT], vec![vec![0; words]; COUNT]);
        let mut jobs = jobs(&cases, &mut results);
        lane.public(kernel, exponent, &mut jobs.iter_mut().collect::<Vec<_>>())?;
        Libcrypto.power_public(&mut self::jobs(&cases, &mut expected));
        compare("a public operation", words, &results, &expected)?;
    }
    Ok(())
}

fn compare(what: &str, words: usize, results: &[Vec<u64>], expected: &[Vec<u64>]) -> Result<(), DeviceError> {
    match results.iter().zip(expected).position(|(result, expected)| result != expected) {
        Some(number) => Err(wrong(what, words, number)),
        None => Ok(()),
    }
}

fn random(words: usize) -> Result<Vec<u64>, DeviceError> {
    let mut number = vec![0_u64; words];
    random::public(bytemuck::cast_slice_mut(&mut number)).map_err(|error| DeviceError(error.to_string()))?;
    Ok(number)
}

/// Odd, and as long as can be.
fn random_modulus(words: usize) -> Result<Modulus, DeviceError> {
    let mut number = random(words)?;
    number[0] |= 1;
    number[words - 1] |= 1 << 63;
    Modulus::new(&number).map_err(|error| DeviceError(error.to_string()))
}

fn wrong(what: &str, words: usize, number: usize) -> DeviceError {
    DeviceError(format!("the self-test failed: {what} of {} bits, number {number}, is wrong", 64 * words))
}

fn exponentiations<Q: Queue>(lane: &mut Lane<Q>, kernels: &Kernels, words: usize) -> Result<(), DeviceError> {
    let cases = (0..COUNT).map(|_| Ok((random_modulus(words)?, random(words)?, random(words)?)));
    let cases = cases.collect::<Result<Vec<_>, DeviceError>>()?;
    let (mut results, mut expected) = (vec![vec![0; words]; COUNT], vec![vec![0; words]; COUNT]);
    let mut jobs: Vec<Unprepared<'_>> = cases
        .iter()
        .zip(&mut results)
        .map(|((modulus, base, exponent), result)| Unprepared { modulus: modulus.words(), base, exponent, result })
        .collect();
    lane.exponentiate(kernels, &mut jobs.iter_mut().collect::<Vec<_>>())?;
    Libcrypto.power_secret(&mut self::jobs(&cases, &mut expected));
    compare("an exponentiation", words, &results, &expected)
}

fn jobs<'a>(cases: &'a [(Modulus, Vec<u64>, Vec<u64>)], results: &'a mut [Vec<u64>]) -> Vec<Power<'a>> {
    cases
        .iter()
        .zip(results)
        .map(|((modulus, base, exponent), result)| Power { modulus, base, exponent, result })
        .collect()
}

/// Garner's formula needs p and q coprime, not prime.
fn private_operations<Q: Queue>(lane: &mut Lane<Q>, kernels: &Kernels, words: usize) -> Result<(), DeviceError> {
    let memory = "memory for a number";
    let mut context = libcrypto::context();
    let (p, q, q_inverse) = loop {
        let (p, q) = (random_modulus(words)?, random_modulus(words)?);
        let (p_number, q_number) = (SecretBigNum::from_words(p.words()), SecretBigNum::from_words(q.words()));
        let mut inverse = SecretBigNum::new();
        if inverse.mod_inverse(&q_number, &p_number, &mut context).is_ok() {
            let mut q_inverse = vec![0; words];
            inverse.to_words(&mut q_inverse);
            break (p, q, q_inverse);
        }
    };
    let (dp, dq) = (random(words)?, random(words)?);
    let parts = Parts { p: p.words(), q: q.words(), dp: &dp, dq: &dq, q_inverse: &q_inverse };
    let mut n = BigNum::new().expect(memory);
    n.checked_mul(&SecretBigNum::from_words(p.words()), &SecretBigNum::from_words(q.words()), &mut context)
        .expect(memory);
    let mut bases = vec![vec![0; 2 * words]; COUNT];
    for base in &mut bases {
        let mut number = SecretBigNum::new();
        away_from_fork(|| n.rand_range(&mut number))
            .map_err(|error| DeviceError(format!("no random numbers: {error}")))?;
        number.to_words(base);
    }
    let mut results = vec![vec![0; 2 * words]; COUNT];
    lane.load(kernels, 0, &parts)?;
    let mut loaded: Vec<Loaded<'_>> =
        bases.iter().zip(&mut results).map(|(base, result)| Loaded { slot: 0, base, result }).collect();
    lane.run(kernels, &mut loaded)?;

    // Right is what has the right remainders, and is below n.
    for (modulus, exponent) in [(&p, &dp), (&q, &dq)] {
        let mut expected = vec![vec![0; words]; COUNT];
        let mut jobs: Vec<Power<'_>> =
            bases.iter().zip(&mut expected).map(|(base, result)| Power { modulus, base, exponent, result }).collect();
        Libcrypto.power_secret(&mut jobs);
        for (number, (result, expected)) in results.iter().zip(&expected).enumerate() {
            let result = SecretBigNum::from_words(result);
            let mut remainder = SecretBigNum::new();
            remainder.nnmod(&result, &SecretBigNum::from_words(modulus.words()), &mut context).expect(memory);
            if *remainder != *SecretBigNum::from_words(expected) || *result >= n {
                return Err(wrong("a private operation", 2 * words, number));
            }
        }
    }
    Ok(())
}
