// SPDX-License-Identifier: Apache-2.0
//! One RSA private operation, in batches: blind, split by the CRT, exponentiate on a device, recombine, check.
//!
//! Called by the gatherer; calls the device for the exponentiations and the host's arithmetic for all the rest.
//! Blinding and the check are done here, on the host, whatever the device is: a device sees blinded bases only and is
//! trusted with nothing. Where the device is another process of this library, both are done there.
//!
//! For an input m < n and a random r (all on numbers below their modulus):
//!
//! | step | file | computes |
//! |---|---|---|
//! | blind | `blinding` | x = m * r^e mod n |
//! | exponentiate | the device | y_p = x^dp mod p, y_q = x^dq mod q |
//! | recombine | `recombine` | y = y_q + q * ((y_p - y_q) * q^-1 mod p), Garner's formula; at level *operation* both steps are the device's |
//! | unblind | `blinding` | s = y * r^-1 mod n |
//! | check | `check` | s^e mod n = m, else s is not released |

#![forbid(unsafe_code)]

mod blinding;
mod check;
mod recombine;
mod scratch;
#[cfg(test)]
mod tests;

use crate::arithmetic::{Arithmetic, Power};
use crate::device::{Device, DeviceError, Level, Private};
use crate::key::PrivateKey;
use scratch::Scratch;

/// `output = input^d mod n`, for one key.
pub struct PrivateOp<'a> {
    /// The key.
    pub key: &'a PrivateKey,
    /// The input m < n, as many words as the modulus. Secret: the plaintext of a signature, or a ciphertext.
    pub input: &'a [u64],
    /// The result, as many words as the modulus; zero unless it passed its check.
    pub output: &'a mut [u64],
}

/// A batch failed as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// There was no randomness for blinding.
    #[error("the random source failed: {0}")]
    Random(String),
    /// libcrypto had no memory to make blinding of.
    #[error("there is no memory")]
    Memory,
}

/// Runs `operations` as one batch, any mix of keys and sizes.
///
/// Returns for each operation whether its result failed the check s^e = m; its output is then all zero.
///
/// # Errors
/// [`RunError`] when the batch failed as a whole; all outputs are zero.
pub fn run(
    arithmetic: &dyn Arithmetic,
    device: &dyn Device,
    operations: &mut [PrivateOp<'_>],
) -> Result<Vec<bool>, RunError> {
    for operation in operations.iter_mut() {
        operation.output.fill(0);
    }
    let lengths = |operation: &PrivateOp<'_>| {
        let key = operation.key;
        (key.public().modulus().words().len(), key.p().words().len(), key.q().words().len())
    };
    // Per operation: x and y (also s), of the modulus's length; y_p and y_q.
    let need = operations.iter().map(|operation| {
        let (n, p, q) = lengths(operation);
        2 * n + p + q
    });
    scratch::with(need.sum(), |mut scratch: Scratch<'_>| {
        let mut steps: Vec<Step<'_>> = operations
            .iter()
            .map(|operation| {
                let (n, p, q) = lengths(operation);
                Step {
                    key: operation.key,
                    x: scratch.take(n),
                    y: scratch.take(n),
                    y_p: scratch.take(p),
                    y_q: scratch.take(q),
                }
            })
            .collect();

        if device.level() == Level::Checked {
            whole(device, operations, &mut steps)?;
            return Ok(vec![false; operations.len()]);
        }
        let pairs = blinding::pairs(arithmetic, operations.iter().map(|operation| operation.key))?;
        blinding::blind(arithmetic, operations, &mut steps, &pairs);

        match device.level() {
            Level::Exponentiation => {
                let mut jobs: Vec<Power<'_>> = Vec::with_capacity(2 * steps.len());
                for step in &mut steps {
                    let (key, base) = (step.key, &*step.x);
                    jobs.push(Power { modulus: key.p(), base, exponent: key.dp(), result: step.y_p });
                    jobs.push(Power { modulus: key.q(), base, exponent: key.dq(), result: step.y_q });
                }
                device.exponentiate(&mut jobs)?;
                recombine::recombine(arithmetic, &mut steps);
            }
            Level::Operation => operate(device, steps.iter_mut().map(|step| (step.key, &*step.x, &mut *step.y)))?,
            Level::Checked => unreachable!("done above"),
        }
        blinding::unblind(arithmetic, &mut steps, &pairs);
        let good = check::check(arithmetic, operations, &mut steps);
        blinding::drop_suspects(&steps, &good);

        for ((operation, step), &good) in operations.iter_mut().zip(&steps).zip(&good) {
            if good {
                operation.output.copy_from_slice(step.y);
            }
        }
        Ok(good.into_iter().map(|good| !good).collect())
    })
}

/// Operations by a device that blinds and checks them itself.
fn whole(device: &dyn Device, operations: &mut [PrivateOp<'_>], steps: &mut [Step<'_>]) -> Result<(), DeviceError> {
    let jobs = operations.iter().zip(&mut *steps);
    operate(device, jobs.map(|(operation, step)| (operation.key, operation.input, &mut *step.y)))?;
    for (operation, step) in operations.iter_mut().zip(steps) {
        operation.output.copy_from_slice(step.y);
    }
    Ok(())
}

/// The results base^d mod n of keys and bases, by the device.
fn operate<'a>(
    device: &dyn Device,
    jobs: impl Iterator<Item = (&'a PrivateKey, &'a [u64], &'a mut [u64])>,
) -> Result<(), DeviceError> {
    let mut jobs: Vec<_> = jobs.map(|(key, base, result)| Private { key, base, result }).collect();
    device.operate(&mut jobs)
}

/// The intermediate values of one operation, in scratch memory that is wiped after the batch.
struct Step<'a> {
    key: &'a PrivateKey,
    /// The blinded input; then scratch.
    x: &'a mut [u64],
    /// The recombined result, then the unblinded one.
    y: &'a mut [u64],
    y_p: &'a mut [u64],
    y_q: &'a mut [u64],
}
