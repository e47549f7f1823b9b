// SPDX-License-Identifier: Apache-2.0
//! The CPU as a device: the host's arithmetic behind the device trait.

use super::{Device, DeviceError, DeviceInfo, Limits, Power};
use crate::arithmetic::{Arithmetic, Modulus};
use std::sync::Arc;

/// Runs exponentiations on the calling thread, by the kernels there are for the processor, or by libcrypto.
pub struct Cpu {
    name: &'static str,
    arithmetic: Arc<dyn Arithmetic>,
}

impl Cpu {
    /// The device over `arithmetic`: named `cpu` with vector kernels, `libcrypto` without.
    pub fn new(arithmetic: Arc<dyn Arithmetic>) -> Cpu {
        let name = if arithmetic.lanes() > 1 { "cpu" } else { "libcrypto" };
        Cpu { name, arithmetic }
    }
}

impl DeviceInfo for Cpu {
    fn name(&self) -> &str {
        self.name
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: 2, max_bits: Modulus::MAX_BITS }
    }

    fn is_on_host(&self) -> bool {
        true
    }

    fn preferred_batch(&self) -> usize {
        // Two passes of full lanes: one RSA operation is two exponentiations but one blinding and one check,
        // and those fill eight lanes only with eight operations.
        2 * self.arithmetic.lanes()
    }
}

impl Device for Cpu {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.arithmetic.power_secret(jobs);
        Ok(())
    }
}
