// SPDX-License-Identifier: Apache-2.0
//! What runs a batch of modular exponentiations.
//!
//! Called by `private_op` and, for raw exponentiations, by the gatherer. A device is trusted with nothing:
//! blinding and the check s^e = m stay on the host, whatever it returns. The exception is another process of this library,
//! which does both itself ([`Level::Checked`]).
//!
//! The processor is the one device of this library. Others are crates of their own, which implement [`DeviceInfo`] (what it
//! is) and [`Device`] (what it does), and [`Kind`], by which they are found; [`slots`] keeps account of the keys they hold.

#![forbid(unsafe_code)]

mod cpu;
mod kind;
pub mod slots;

use crate::arithmetic::Modulus;
pub use crate::arithmetic::Power;
use crate::key::{PrivateKey, PublicKey};
pub use cpu::Cpu;
pub use kind::{Absence, Kind, Opening, present, resolve};

/// What a device accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Shortest modulus of one exponentiation, in bits.
    pub min_bits: usize,
    /// Longest modulus of one exponentiation, in bits.
    pub max_bits: usize,
}

/// A batch failed as a whole; nothing of it may be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DeviceError(pub String);

/// How much of a private operation one command of a device does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// One modular exponentiation; the host splits by the CRT and recombines.
    Exponentiation,
    /// All of m^d mod n. The host blinds and checks.
    Operation,
    /// The same, blinded and checked: by a process that runs this library and that is trusted with the keys.
    Checked,
}

/// `result = base^d mod n`, for one key.
pub struct Private<'a> {
    /// The key.
    pub key: &'a PrivateKey,
    /// The input, below n, as many words as n; blinded, but at [`Level::Checked`].
    pub base: &'a [u64],
    /// The result, as many words; not trusted, but at [`Level::Checked`].
    pub result: &'a mut [u64],
}

/// `result = base^exponent mod modulus` for a modulus that is used once: a candidate of key generation.
pub struct Unprepared<'a> {
    /// Odd, above 1, and its highest word is not zero.
    pub modulus: &'a [u64],
    /// Any value of any length.
    pub base: &'a [u64],
    /// The time is that of its full length in words.
    pub exponent: &'a [u64],
    /// As many words as the modulus.
    pub result: &'a mut [u64],
}

/// What a device is: who it is for people, what it takes, and how it is at its best.
pub trait DeviceInfo: Send + Sync {
    /// A short name for people and statistics: `cpu`, `libcrypto`, `cuda:0`, ...
    fn name(&self) -> &str;

    /// Its make, for people, where that is known.
    fn model(&self) -> Option<String> {
        None
    }

    /// Which of [`Device::exponentiate`] and [`Device::operate`] serves private operations.
    fn level(&self) -> Level {
        Level::Exponentiation
    }

    /// Operand limits; longer or shorter operations go elsewhere.
    fn limits(&self) -> Limits;

    /// Whether private operations of this key may come here.
    fn takes_key(&self, key: &PrivateKey) -> bool {
        self.takes_bits(key.p().bits()) && self.takes_bits(key.q().bits())
    }

    /// Whether exponentiations modulo numbers of so many bits may come here.
    fn takes_bits(&self, bits: usize) -> bool {
        let limits = self.limits();
        (limits.min_bits..=limits.max_bits).contains(&bits)
    }

    /// Whether public operations of this key may come here. Nothing but doing them again could check their results, so
    /// they come to no device that was not told to take them.
    fn takes_public(&self, _: &PublicKey) -> bool {
        false
    }

    /// How many exponentiations it wants in one call to be at its best.
    fn preferred_batch(&self) -> usize;

    /// Whether batches that run here at the same time share what computes, so that each takes as much longer. Then others
    /// that are idle come first.
    fn is_shared(&self) -> bool {
        false
    }

    /// Whether batches compute on the processor of the calling thread, so that two gain nothing by running there at the same
    /// time; else the thread sleeps meanwhile.
    fn is_on_host(&self) -> bool {
        false
    }

    /// Whether it may be away for a time, and takes no keys meanwhile. Then no failure takes it out of service.
    fn may_be_away(&self) -> bool {
        false
    }
}

/// What a device does: batches of exponentiations, or of whole private operations.
pub trait Device: DeviceInfo {
    /// Runs all of `jobs`, secret bases and exponents, mixed sizes allowed.
    ///
    /// # Errors
    /// The batch failed as a whole; results are undefined and must not be used.
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError>;

    /// Runs all of `jobs`, secret bases and exponents, modulo numbers of which nothing is known in advance.
    ///
    /// # Errors
    /// As [`Device::exponentiate`]; also when a modulus is none.
    fn exponentiate_unprepared(&self, jobs: &mut [Unprepared<'_>]) -> Result<(), DeviceError> {
        let moduli = jobs.iter().map(|job| Modulus::new(job.modulus).map_err(|error| DeviceError(error.to_string())));
        let moduli = moduli.collect::<Result<Vec<_>, _>>()?;
        let power = |(job, modulus)| {
            let Unprepared { base, exponent, result, .. }: &mut Unprepared<'_> = job;
            Power { modulus, base, exponent, result }
        };
        self.exponentiate(&mut jobs.iter_mut().zip(&moduli).map(power).collect::<Vec<_>>())
    }

    /// Runs all of `jobs`, public exponents and bases below their moduli, of keys that it takes by
    /// [`DeviceInfo::takes_public`].
    ///
    /// # Errors
    /// As [`Device::exponentiate`].
    fn exponentiate_public(&self, _: &mut [Power<'_>]) -> Result<(), DeviceError> {
        Err(DeviceError("it runs no public operations".to_owned()))
    }

    /// Runs all of `jobs`, any mix of keys that it takes; not called at [`Level::Exponentiation`].
    ///
    /// # Errors
    /// As [`Device::exponentiate`].
    fn operate(&self, _: &mut [Private<'_>]) -> Result<(), DeviceError> {
        Err(DeviceError("it runs exponentiations only".to_owned()))
    }
}
