//! NVIDIA GPUs as devices, at offload level *operation*.
//!
//! | file | what it does |
//! |---|---|
//! | `machine` | what a GPU must be able to do |
//! | `driver` | the GPU behind NVIDIA's driver, which is loaded at run time if it is there |
//! | `emulated` | a GPU that is not there: the kernels, interpreted |
//! | `lane` | one batch after the other through one queue |
//! | `slots`, `record` | which keys are on the GPU, and how |
//! | `layout` | how numbers lie in tiles |
//! | `self_test` | what must come out right before a GPU is used |
//! | `standby` | opens a GPU when there is work for it |
//!
//! The kernels are programs of `garner-gpu-kernels`; the driver compiles them for the GPU at hand. A GPU takes operations of
//! a length only after the kernels for it passed their self-test, which runs in the background. Batches of several
//! threads run at the same time, each in a lane of its own: copies of one overlap with the work of another.
//!
//! What takes memory is the tables of powers: 64 KB for 32 numbers of 1024 bits.

mod driver;
mod emulated;
mod lane;
mod layout;
mod machine;
mod record;
mod self_test;
mod slots;
mod standby;
#[cfg(test)]
mod tests;

pub use driver::Driver;
pub use emulated::Emulator;
pub use garner_gpu_kernels::{HALF_WORDS, Style};
pub use machine::{Buffer, Machine, Queue};
pub use standby::Standby;

use super::{Device, DeviceError, Level, Limits, Power, Private};
use crate::arithmetic::Modulus;
use crate::fork::generation;
use crate::key::PrivateKey;
use lane::{Kernels, Lane};
use layout::length_for;
use record::length_of;
use slots::Slots;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread;

/// Batches that run at the same time at most; more would only split the GPU's time.
const MOST_LANES: usize = 4;

/// Moduli shorter than this have no kernel that fits them well.
const MIN_BITS: usize = 257;

/// One GPU.
pub struct Gpu<M: Machine> {
    shared: Arc<Shared<M>>,
    /// The process that made it: no other may use it.
    process: u64,
}

struct Shared<M: Machine> {
    machine: M,
    kernels: [OnceLock<Kernels>; HALF_WORDS.len()],
    /// Bit i: length i passed its self-test.
    passed: AtomicU8,
    lanes: Mutex<Lanes<M::Queue>>,
    returned: Condvar,
}

struct Lanes<Q> {
    idle: Vec<Lane<Q>>,
    busy: usize,
}

impl<M: Machine> Gpu<M> {
    /// A GPU that takes nothing before [`Gpu::test`] or [`Gpu::test_in_background`].
    pub fn new(machine: M) -> Gpu<M> {
        let shared = Shared {
            machine,
            kernels: Default::default(),
            passed: AtomicU8::new(0),
            lanes: Mutex::new(Lanes { idle: Vec::new(), busy: 0 }),
            returned: Condvar::new(),
        };
        Gpu { shared: Arc::new(shared), process: generation() }
    }

    /// The machine.
    pub fn machine(&self) -> &M {
        &self.shared.machine
    }

    /// Has the self-tests run, the most usual lengths first; each length is taken from then on.
    pub fn test_in_background(&self) {
        let shared = Arc::clone(&self.shared);
        let tests = move || {
            for words in [32, 48, 64, 16] {
                // Without users left there is no use in going on.
                if Arc::strong_count(&shared) == 1 {
                    return;
                }
                if let Err(DeviceError(reason)) = shared.test(words) {
                    tracing::warn!(
                        device = shared.machine.name(),
                        reason,
                        bits = 32 * words,
                        "not used for primes of this length"
                    );
                }
            }
        };
        if let Err(error) = thread::Builder::new().name("garner-gpu-test".into()).spawn(tests) {
            tracing::warn!(%error, "no thread for a GPU's self-test; it is not used");
        }
    }

    /// Runs the self-test for moduli of up to `bits` bits now, and takes them if it is passed.
    ///
    /// # Errors
    /// What went wrong; the length is not taken.
    pub fn test(&self, bits: usize) -> Result<(), DeviceError> {
        let (words, _) = length_for(bits).ok_or_else(|| DeviceError(format!("no kernel for {bits} bits")))?;
        self.shared.test(words)
    }

    /// The lengths of primes that passed, in bits.
    pub fn lengths(&self) -> Vec<usize> {
        let passed = self.shared.passed.load(Ordering::Acquire);
        HALF_WORDS.into_iter().enumerate().filter(|(i, _)| passed >> i & 1 == 1).map(|(_, words)| 32 * words).collect()
    }

    fn has_passed(&self, length: usize) -> bool {
        self.process == generation() && self.shared.passed.load(Ordering::Acquire) >> length & 1 == 1
    }

    /// Runs `jobs` by their lengths, in batches that a lane takes.
    fn by_length<J>(
        &self,
        jobs: &mut [J],
        length_of: impl Fn(&J) -> Option<(usize, usize)>,
        run: impl Fn(&mut Lane<M::Queue>, &Kernels, &mut [&mut J]) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        if self.process != generation() {
            return Err(DeviceError("the GPU belongs to the process that forked this one".into()));
        }
        for length in 0..HALF_WORDS.len() {
            let mut of_length: Vec<&mut J> =
                jobs.iter_mut().filter(|job| length_of(job).is_some_and(|(_, i)| i == length)).collect();
            for batch in of_length.chunks_mut(self.most()) {
                self.shared.with_lane(|lane| run(lane, self.shared.kernels(length), batch))?;
            }
        }
        Ok(())
    }

    /// Jobs in one launch at most: what fills the GPU twice, and no more than its keys.
    fn most(&self) -> usize {
        (2 * self.shared.machine.width()).min(Slots::MOST)
    }
}

impl<M: Machine> Shared<M> {
    fn kernels(&self, length: usize) -> &Kernels {
        self.kernels[length].get_or_init(|| Kernels::new(length, Style::usual(HALF_WORDS[length])))
    }

    fn test(&self, words: usize) -> Result<(), DeviceError> {
        let length = HALF_WORDS.iter().position(|of| *of == words).expect("one of the lengths");
        // A lane of its own: what it loads is no key.
        let mut lane = Lane::new(self.machine.queue()?);
        self_test::run(&mut lane, self.kernels(length), length)?;
        self.passed.fetch_or(1 << length, Ordering::Release);
        Ok(())
    }

    fn with_lane(&self, run: impl FnOnce(&mut Lane<M::Queue>) -> Result<(), DeviceError>) -> Result<(), DeviceError> {
        let lane = {
            let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
            while lanes.idle.is_empty() && lanes.busy >= MOST_LANES {
                lanes = self.returned.wait(lanes).unwrap_or_else(PoisonError::into_inner);
            }
            lanes.busy += 1;
            lanes.idle.pop()
        };
        // Counted down also after a panic.
        let mut back = Back { shared: self, lane: None };
        let mut lane = match lane {
            Some(lane) => lane,
            None => Lane::new(self.machine.queue()?),
        };
        let result = run(&mut lane);
        // A lane in which something failed is not used again.
        back.lane = result.is_ok().then_some(lane);
        result
    }
}

struct Back<'a, M: Machine> {
    shared: &'a Shared<M>,
    lane: Option<Lane<M::Queue>>,
}

impl<M: Machine> Drop for Back<'_, M> {
    fn drop(&mut self) {
        let mut lanes = self.shared.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        lanes.busy -= 1;
        lanes.idle.extend(self.lane.take());
        self.shared.returned.notify_one();
    }
}

impl<M: Machine> Drop for Gpu<M> {
    fn drop(&mut self) {
        if self.process != generation() {
            // Neither the driver nor its locks are usable in a child.
            let _ = ManuallyDrop::new(Arc::clone(&self.shared));
        }
    }
}

impl<M: Machine> Device for Gpu<M> {
    fn name(&self) -> &str {
        self.shared.machine.name()
    }

    fn level(&self) -> Level {
        Level::Operation
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: MIN_BITS, max_bits: 32 * HALF_WORDS[HALF_WORDS.len() - 1] }
    }

    fn takes_key(&self, key: &PrivateKey) -> bool {
        let bits = key.p().bits().max(key.q().bits());
        bits >= MIN_BITS && length_for(bits).is_some_and(|(_, length)| self.has_passed(length))
    }

    fn takes_modulus(&self, modulus: &Modulus) -> bool {
        let bits = modulus.bits();
        bits >= MIN_BITS && length_for(bits).is_some_and(|(_, length)| self.has_passed(length))
    }

    fn preferred_batch(&self) -> usize {
        // Several batches run at once: half of what fills the GPU keeps it full with two of them.
        (self.shared.machine.width() / 2).min(2 * Slots::MOST)
    }

    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.by_length(
            jobs,
            |job| length_of(job.modulus.words()),
            |lane, kernels, jobs| lane.exponentiate(kernels, jobs),
        )
    }

    fn operate(&self, jobs: &mut [Private<'_>]) -> Result<(), DeviceError> {
        self.by_length(
            jobs,
            |job| length_for(job.key.p().bits().max(job.key.q().bits())),
            |lane, kernels, jobs| lane.operate(kernels, jobs),
        )
    }
}
