// SPDX-License-Identifier: Apache-2.0
//! A round of Miller-Rabin on a device, for as many candidates as it likes to have at once: most composites end here.
//!
//! Called by the generator with what the sieve left; calls the device. It is trusted with nothing: like the sieve it only
//! throws candidates away, and what it lets through has all its rounds before it, on the host.

use crate::device::{Device, DeviceError, Unprepared};
use crate::error::Result;
use crate::random::{Random, fill_words};
use crate::secret::{SecretWords, released};
use crate::words::{WORD_BITS, equal, shift_right};
use std::collections::VecDeque;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Fewer candidates than this part of a preferred batch, one divided by it, are not worth the device's latency: the time
/// of one exponentiation there, in which a core does some hundreds.
const LEAST_PART: usize = 16;

/// A device that takes part in key generation.
pub struct Filter {
    device: Arc<dyn Device>,
    /// Candidates since one was let through.
    in_vain: usize,
}

impl Filter {
    /// A filter by this device.
    pub fn new(device: Arc<dyn Device>) -> Filter {
        Filter { device, in_vain: 0 }
    }

    /// How many candidates of `bits` bits to give it when so many primes are missing, if any.
    pub fn batch(&self, bits: usize, primes: usize) -> Option<usize> {
        // One in so many of those that the sieve leaves is prime, and fewer (see the cost model of `keygen`).
        let candidates = primes.saturating_mul(bits / 32);
        let most = self.device.preferred_batch();
        (candidates >= most.div_ceil(LEAST_PART) && self.device.takes_bits(bits)).then(|| candidates.min(most))
    }

    /// Runs one round on `candidates`, 3 modulo 4 and of `words` words that they fill, and keeps those that passed it.
    /// When the device fails it keeps all of them; also when none passed of as many as they have bits, which chance brings
    /// about with a probability of 2^-36 at most.
    ///
    /// # Errors
    /// [`crate::Error::Random`].
    pub fn retain(
        &mut self,
        words: usize,
        candidates: &mut VecDeque<Zeroizing<Vec<u64>>>,
        random: &mut dyn Random,
    ) -> Result<std::result::Result<(), DeviceError>> {
        // Below the candidate or not: the device reduces them, and a round may take any base.
        let mut bases = SecretWords::zeroed(words * candidates.len());
        fill_words(random, &mut bases)?;
        let mut halves = SecretWords::zeroed(words * candidates.len());
        for (half, candidate) in halves.chunks_exact_mut(words).zip(&*candidates) {
            // (w - 1) / 2, which is odd.
            shift_right(candidate, 1, half);
        }
        let mut powers = SecretWords::zeroed(words * candidates.len());
        let mut jobs: Vec<Unprepared<'_>> = candidates
            .iter()
            .zip(bases.chunks_exact(words).zip(halves.chunks_exact(words)))
            .zip(powers.chunks_exact_mut(words))
            .map(|((modulus, (base, exponent)), result)| Unprepared { modulus, base, exponent, result })
            .collect();
        if let Err(error) = self.device.exponentiate_unprepared(&mut jobs) {
            return Ok(Err(error));
        }
        let passed: Vec<bool> = candidates
            .iter()
            .zip(powers.chunks_exact(words))
            .map(|(candidate, power)| passed(candidate, power))
            .collect();
        self.in_vain = if passed.contains(&true) { 0 } else { self.in_vain + passed.len() };
        if self.in_vain >= words * WORD_BITS {
            return Ok(Err(DeviceError(format!("calls each of {} candidates composite", self.in_vain))));
        }
        let mut passed = passed.into_iter();
        candidates.retain(|_| passed.next().expect("one for each candidate"));
        Ok(Ok(()))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.device.name()
    }
}

/// Whether z is 1 or w - 1.
fn passed(w: &[u64], z: &[u64]) -> bool {
    let mut less_1 = Zeroizing::new(w.to_vec());
    less_1[0] &= !1;
    let mut one = vec![0; w.len()];
    one[0] = 1;
    released(equal(z, &one) | equal(z, &less_1))
}
