// SPDX-License-Identifier: Apache-2.0
//! GPUs by name, opened at once, and why there is none.

use crate::failure::{Failure, Of};
use garner::device::Device;
use garner::device::cuda::{Driver, Gpu, HALF_WORDS, Machine, PUBLIC_WORDS, Wishes};
use std::sync::Arc;

/// The GPU called `cuda:N`, opened, its kernels compiled and tested.
pub fn open(wish: &str) -> Result<Arc<dyn Device>, Failure> {
    let failed = |reason: String| Failure::Environment(format!("device {wish}: {reason}"));
    let ordinal = wish.strip_prefix("cuda:").unwrap_or(wish);
    let ordinal =
        ordinal.parse::<usize>().map_err(|_| Failure::Usage(format!("device {wish}: \"{ordinal}\" is no number")))?;
    let driver = Driver::open(ordinal).map_err(|error| failed(error.to_string()))?;
    let wishes = Wishes::read().of("devices")?;
    let gpu = Gpu::choosing(Arc::new(driver), wishes.one_key);
    for words in HALF_WORDS {
        gpu.test(32 * words).map_err(|error| failed(error.to_string()))?;
    }
    if wishes.public {
        for words in PUBLIC_WORDS {
            gpu.test_public(32 * words).map_err(|error| failed(error.to_string()))?;
        }
    }
    Ok(Arc::new(gpu))
}

/// The model of the GPU called `cuda:N`.
pub fn model(name: &str) -> Option<String> {
    let ordinal = name.strip_prefix("cuda:")?.parse::<usize>().ok()?;
    Driver::open(ordinal).ok().map(|driver| Arc::new(driver).model().to_owned())
}

/// Why no GPU is used.
pub fn why_absent() -> String {
    if Wishes::read().is_ok_and(|wishes| wishes.off) {
        return "turned off: GARNER_GPU is off".into();
    }
    match Driver::open(0) {
        Err(error) => error.to_string(),
        Ok(_) => "NVIDIA's driver finds one, but there is no device file /dev/nvidia0".into(),
    }
}
