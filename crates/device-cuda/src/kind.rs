// SPDX-License-Identifier: Apache-2.0
//! The GPUs of a machine: found, and opened by name.

use super::{Driver, Gpu, HALF_WORDS, PUBLIC_WORDS, Standby, Wishes};
use garner::device::{Absence, Device, DeviceError, Kind, Opening};
use garner::error::{Error, Result};
use std::sync::Arc;

/// NVIDIA's GPUs as a kind of device: `cuda:N`, or `cuda` for the first.
#[derive(Debug, Clone, Copy)]
pub struct Cuda;

impl Kind for Cuda {
    fn resolve(&self, name: &str) -> Option<String> {
        let name = if name == "cuda" { "cuda:0" } else { name };
        name.starts_with("cuda:").then(|| name.to_owned())
    }

    fn present(&self) -> Result<Vec<Arc<dyn Device>>> {
        Ok(Standby::all()?.into_iter().map(|gpu| Arc::new(gpu) as Arc<dyn Device>).collect())
    }

    /// One of [`Cuda::present`]; or, at once, any that the driver knows, with all its self-tests done, even where the user wishes
    /// that GPUs are not used of themselves.
    fn open(&self, name: &str, opening: &Opening) -> Result<Arc<dyn Device>> {
        let refused = |reason: String| Error::argument("device", format!("{name}: {reason}"));
        if opening.at_once {
            let ordinal = name.strip_prefix("cuda:").unwrap_or(name);
            let ordinal = ordinal.parse().map_err(|_| refused(format!("{ordinal:?} is no number")))?;
            return Ok(Arc::new(tested(ordinal, Wishes::read()?).map_err(|error| refused(error.to_string()))?));
        }
        let present = self.present()?;
        let names: Vec<&str> = present.iter().map(|gpu| gpu.name()).collect();
        match names.iter().position(|known| *known == name) {
            Some(place) => Ok(Arc::clone(&present[place])),
            None if names.is_empty() => Err(refused("not here; there is no GPU, or GARNER_GPU is off".to_owned())),
            None => Err(refused(format!("not here; there are {}", names.join(", ")))),
        }
    }

    fn absence(&self) -> Option<Absence> {
        let reason = if Wishes::read().is_ok_and(|wishes| wishes.off) {
            "turned off: GARNER_GPU is off".to_owned()
        } else {
            match Driver::open(0) {
                Err(error) => error.to_string(),
                Ok(_) => "NVIDIA's driver finds one, but there is no device file /dev/nvidia0".to_owned(),
            }
        };
        Some(Absence { name: "cuda", reason })
    }
}

/// The GPU of this number, its kernels compiled and tested.
fn tested(ordinal: usize, wishes: Wishes) -> Result<Gpu<Arc<Driver>>, DeviceError> {
    let gpu = Gpu::new(Arc::new(Driver::open(ordinal)?));
    for words in HALF_WORDS {
        gpu.test(32 * words)?;
    }
    for words in PUBLIC_WORDS.into_iter().filter(|_| wishes.public) {
        gpu.test_public(32 * words)?;
    }
    Ok(gpu)
}
