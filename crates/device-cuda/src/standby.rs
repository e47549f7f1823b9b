// SPDX-License-Identifier: Apache-2.0
//! A GPU that is opened when there is work for it.
//!
//! Opening a GPU takes time and some hundred megabytes of its memory, which a process that signs ten times should not pay. So
//! nothing is opened before [`ASKED`] operations came by; then a thread opens it and runs the self-tests while the CPU goes
//! on. A child made by `fork` starts anew, for it cannot use its parent's; it does without if its parent had loaded the driver.

use super::driver::Driver;
use super::{Gpu, MIN_BITS, Machine};
use garner::device::{Device, DeviceError, DeviceInfo, Level, Limits, Power, Private, Unprepared};
use garner::environment;
use garner::error::{Error, Result};
use garner::fork::ForkLocal;
use garner::key::{PrivateKey, PublicKey};
use garner_gpu_kernels::HALF_WORDS;
use std::fs;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Operations after which the GPU is opened.
const ASKED: u32 = 1024;

/// Exponentiations wanted at once. Half of what fills an H100; several batches run at the same time.
const BATCH: usize = 32_768;

/// A GPU of this machine, not opened yet.
pub struct Standby {
    name: String,
    ordinal: usize,
    wishes: Wishes,
    state: ForkLocal<State>,
}

/// What the environment variable `GARNER_GPU` says, words with commas between.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wishes {
    /// `off`: GPUs are not used.
    pub off: bool,
    /// `public`: GPUs do public operations too, whose results nothing checks.
    pub public: bool,
}

impl Wishes {
    /// Reads the variable.
    ///
    /// # Errors
    /// [`Error::Argument`]: it has words that mean nothing. Whoever misspells `off` would have a GPU used.
    pub fn read() -> Result<Wishes> {
        Wishes::of(&environment::variable("GARNER_GPU").unwrap_or_default().to_string_lossy())
    }

    fn of(said: &str) -> Result<Wishes> {
        let mut wishes = Wishes::default();
        for word in said.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            match word {
                "off" => wishes.off = true,
                "public" => wishes.public = true,
                _ => {
                    let reason = format!("is {word:?}, must be \"off\" or \"public\"");
                    return Err(Error::argument("GARNER_GPU", reason));
                }
            }
        }
        Ok(wishes)
    }
}

/// Whether a device file of this name is a GPU's. Their numbers tell nothing but how many there are: the driver counts those
/// that a process may use from 0, while a container has files with the host's numbers.
fn is_of_gpu(name: &str) -> bool {
    let number = name.strip_prefix("nvidia").unwrap_or_default();
    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
}

#[derive(Default)]
struct State {
    asked: AtomicU32,
    /// Shared with the thread that opens it.
    gpu: Arc<OnceLock<Gpu<Arc<Driver>>>>,
}

impl Standby {
    /// One for each GPU of this machine, as the kernel's device files tell; none where they are wished [off](Wishes::off), or
    /// where [`Driver`] refuses, as this program has more rights than its user.
    ///
    /// # Errors
    /// Those of [`Wishes::read`].
    pub fn all() -> Result<Vec<Standby>> {
        let wishes = Wishes::read()?;
        if wishes.off || environment::is_ignored() {
            return Ok(Vec::new());
        }
        let files = fs::read_dir("/dev").into_iter().flatten().flatten();
        let count = files.filter(|file| file.file_name().to_str().is_some_and(is_of_gpu)).count();
        Ok((0..count).map(|ordinal| Standby::new(ordinal, wishes)).collect())
    }

    fn new(ordinal: usize, wishes: Wishes) -> Standby {
        Standby { name: format!("cuda:{ordinal}"), ordinal, wishes, state: ForkLocal::new() }
    }

    /// The GPU, if it is open. Counts; who asks often enough has it opened.
    fn gpu(&self) -> Option<&Gpu<Arc<Driver>>> {
        let state = self.state.get();
        if let Some(gpu) = state.gpu.get() {
            return Some(gpu);
        }
        // Once only: the count goes on.
        if state.asked.fetch_add(1, Ordering::Relaxed) == ASKED {
            self.open(&state.gpu);
        }
        None
    }

    fn open(&self, place: &Arc<OnceLock<Gpu<Arc<Driver>>>>) {
        let (ordinal, wishes, place) = (self.ordinal, self.wishes, Arc::clone(place));
        let open = move || match Driver::open(ordinal) {
            Ok(driver) => {
                let gpu = Gpu::new(Arc::new(driver));
                gpu.test_in_background(wishes.public);
                let _ = place.set(gpu);
            }
            Err(error) => tracing::warn!(ordinal, %error, "a GPU cannot be used"),
        };
        if let Err(error) = garner::thread::spawn(c"garner-gpu", open) {
            tracing::warn!(%error, "no thread to open a GPU; it is not used");
        }
    }
}

impl DeviceInfo for Standby {
    fn name(&self) -> &str {
        &self.name
    }

    /// Asks the driver, which opens the GPU for that.
    fn model(&self) -> Option<String> {
        Driver::open(self.ordinal).ok().map(|driver| Arc::new(driver).model().to_owned())
    }

    fn level(&self) -> Level {
        Level::Operation
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: MIN_BITS, max_bits: 32 * HALF_WORDS[HALF_WORDS.len() - 1] }
    }

    fn takes_key(&self, key: &PrivateKey) -> bool {
        self.gpu().is_some_and(|gpu| gpu.takes_key(key))
    }

    fn takes_bits(&self, bits: usize) -> bool {
        self.gpu().is_some_and(|gpu| gpu.takes_bits(bits))
    }

    fn takes_public(&self, key: &PublicKey) -> bool {
        self.wishes.public && self.gpu().is_some_and(|gpu| gpu.takes_public(key))
    }

    fn preferred_batch(&self) -> usize {
        BATCH
    }
}

impl Device for Standby {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.opened()?.exponentiate(jobs)
    }

    fn exponentiate_unprepared(&self, jobs: &mut [Unprepared<'_>]) -> Result<(), DeviceError> {
        self.opened()?.exponentiate_unprepared(jobs)
    }

    fn exponentiate_public(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.opened()?.exponentiate_public(jobs)
    }

    fn operate(&self, jobs: &mut [Private<'_>]) -> Result<(), DeviceError> {
        self.opened()?.operate(jobs)
    }
}

impl Standby {
    fn opened(&self) -> Result<&Gpu<Arc<Driver>>, DeviceError> {
        self.state.get().gpu.get().ok_or_else(|| DeviceError("it is not open".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::rsa::Rsa;

    #[test]
    fn a_container_may_have_the_files_of_any_gpus() {
        let names = ["nvidia3", "nvidia12", "nvidia", "nvidiactl", "nvidia-uvm", "nvme0"];
        assert_eq!(names.into_iter().filter(|name| is_of_gpu(name)).count(), 2);
    }

    #[test]
    fn a_misspelt_wish_is_refused() {
        assert!(["", "off", "public, off"].into_iter().all(|said| Wishes::of(said).is_ok()));
        let error = Wishes::of("public,Off").unwrap_err().to_string();
        assert!(error.starts_with("GARNER_GPU: is \"Off\", must be \"off\""), "{error}");
    }

    #[test]
    fn a_gpu_that_cannot_be_opened_is_never_used_and_stops_nobody() {
        // No machine has so many.
        let standby = Standby::new(9_999, Wishes::of("public").unwrap());
        let der = Rsa::generate(1024).unwrap().private_key_to_der().unwrap();
        let key = PrivateKey::from_der(&der).unwrap();
        assert!((0..2 * ASKED).all(|_| !standby.takes_key(&key) && !standby.takes_public(key.public())));
        assert!(standby.operate(&mut []).is_err());
    }
}
