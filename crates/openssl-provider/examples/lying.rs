// SPDX-License-Identifier: Apache-2.0
//! The provider over a device that lies: a test's module, in place of the real one.
//!
//! `device = lying` in its configuration damages one exponentiation in ten of those the CPU would have done.

use garner::arithmetic::Arithmetic;
use garner::device::{Cpu, Device, DeviceError, DeviceInfo, Limits, Power};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub use garner_provider::OSSL_provider_init;

struct Lying {
    cpu: Cpu,
    done: AtomicUsize,
}

impl DeviceInfo for Lying {
    fn name(&self) -> &str {
        "lying"
    }

    fn limits(&self) -> Limits {
        self.cpu.limits()
    }

    fn preferred_batch(&self) -> usize {
        self.cpu.preferred_batch()
    }

    fn is_on_host(&self) -> bool {
        true
    }
}

impl Device for Lying {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.cpu.exponentiate(jobs)?;
        for job in jobs {
            if self.done.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
                job.result[0] ^= 4;
            }
        }
        Ok(())
    }
}

fn lying(arithmetic: Arc<dyn Arithmetic>) -> Arc<dyn Device> {
    Arc::new(Lying { cpu: Cpu::new(arithmetic), done: AtomicUsize::new(0) })
}

extern "C" fn add() {
    garner_provider::add_device("lying", lying);
}

/// Run by the dynamic linker before OpenSSL calls the module.
#[used]
#[unsafe(link_section = ".init_array")]
static ADD: extern "C" fn() = add;
