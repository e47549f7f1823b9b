// SPDX-License-Identifier: Apache-2.0
//! The gatherer of the process, and whether anybody used it: a program that did not need not make one to end it.

use garner::error::Result;
use garner::gather::Gatherer;
use garner::random::leave_libcrypto;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

static USED: AtomicBool = AtomicBool::new(false);

/// The gatherer that every operation of this module goes through.
pub fn gatherer() -> Result<&'static Gatherer> {
    USED.store(true, Ordering::Relaxed);
    garner_devices::gatherer()
}

/// Ends the gatherer's threads before the process ends, whose libraries clean up then: threads of the program's that go on are
/// served without libcrypto.
#[pyfunction]
pub fn retire(py: Python<'_>) {
    py.detach(|| {
        // One that could not be made has no threads.
        if USED.load(Ordering::Relaxed)
            && let Ok(gatherer) = garner_devices::gatherer()
        {
            gatherer.retire();
        }
        leave_libcrypto();
    });
}
