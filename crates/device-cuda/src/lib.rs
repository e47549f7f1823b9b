// SPDX-License-Identifier: Apache-2.0
//! NVIDIA GPUs as devices of [`garner`], at offload level *operation*.
//!
//! ```
//! use garner::gather::{Config, Gatherer};
//!
//! let gatherer = Gatherer::global_with(|| Config::new(&[&garner_device_cuda::Cuda]))?;
//! # Ok::<(), garner::Error>(())
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `machine` | what a GPU must be able to do |
//! | `driver` | the GPU behind NVIDIA's driver, which is loaded at run time if it is there |
//! | `emulated` | a GPU that is not there, with a fault if wanted: the kernels, interpreted |
//! | `watched` | waiting for a GPU, but not for ever |
//! | `lane` | one batch after the other through one queue |
//! | `record` | how keys lie on the GPU; which do, `garner::device::slots` keeps |
//! | `layout` | how numbers lie in tiles |
//! | `self_test` | what must come out right before a GPU is used |
//! | `standby` | opens a GPU when there is work for it |
//! | `kind` | finds the GPUs of a machine, by `standby`, and opens one by its name |
//!
//! The kernels are programs of `garner-gpu-kernels`; the driver compiles them for the GPU at hand. A GPU takes operations of
//! a length only after the kernels for it passed their self-test, which runs in the background. Batches of several
//! threads run at the same time, each in a lane of its own: copies of one overlap with the work of another.
//!
//! What takes memory is the tables of powers: 64 KB for 32 numbers of 1024 bits.

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "functions of NVIDIA's driver")]
mod driver;
mod emulated;
mod kind;
mod lane;
mod layout;
mod machine;
mod record;
mod self_test;
mod standby;
#[cfg(test)]
mod tests;
mod watched;

pub use driver::Driver;
pub use emulated::{Emulator, Fault};
pub use garner_gpu_kernels::{HALF_WORDS, PUBLIC_WORDS};
use garner_gpu_kernels::{Kernel, Role};
pub use kind::Cuda;
pub use lane::Kernels;
pub use machine::{Buffer, Machine, Queue};
pub use standby::{Standby, Wishes};
pub use watched::Watched;

use garner::device::{Device, DeviceError, DeviceInfo, Level, Limits, Power, Private, Unprepared};
use garner::fork::generation;
use garner::key::{PrivateKey, PublicKey};
use garner::sync::{lock, wait};
use garner::words::bit_length;
use lane::Lane;
use layout::{length_for, public_length_for};
use std::collections::{BTreeMap, VecDeque};
use std::mem::ManuallyDrop;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// Batches that run at the same time at most; more would only split the GPU's time.
const MOST_LANES: usize = 4;

/// Keys of one length in a lane at most: no batch has more operations.
const MOST_KEYS: usize = 16_384;

/// Moduli shorter than this have no kernel that fits them well.
const MIN_BITS: usize = 257;

/// Shorter moduli of public keys would waste more than half of the shortest kernel.
const MIN_PUBLIC_BITS: usize = 513;

/// One GPU.
pub struct Gpu<M: Machine> {
    shared: Arc<Shared<M>>,
    /// The process that made it: no other may use it.
    process: u64,
}

struct Shared<M: Machine> {
    machine: M,
    /// The kernels of each length that passed its self-test.
    kernels: [OnceLock<Kernels>; HALF_WORDS.len()],
    /// The same for public operations.
    public: [OnceLock<Kernel>; PUBLIC_WORDS.len()],
    lanes: Mutex<Lanes<M::Queue>>,
    returned: Condvar,
    /// Whether it stopped answering.
    given_up: Arc<AtomicBool>,
}

struct Lanes<Q: Queue> {
    /// They take turns, so that each comes by soon to wipe keys that were dropped.
    idle: VecDeque<Lane<Q>>,
    busy: usize,
}

impl<M: Machine> Gpu<M> {
    /// A GPU that takes nothing before [`Gpu::test`] and [`Gpu::test_public`], or [`Gpu::test_in_background`].
    pub fn new(machine: M) -> Gpu<M> {
        let shared = Shared {
            machine,
            kernels: Default::default(),
            public: Default::default(),
            lanes: Mutex::new(Lanes { idle: VecDeque::new(), busy: 0 }),
            returned: Condvar::new(),
            given_up: Arc::default(),
        };
        Gpu { shared: Arc::new(shared), process: generation() }
    }

    /// The machine.
    pub fn machine(&self) -> &M {
        &self.shared.machine
    }

    /// Has the self-tests run, the most usual lengths first; each length is taken from then on. Those of public operations
    /// come last, if they are wanted at all.
    pub fn test_in_background(&self, public: bool) {
        let shared = Arc::clone(&self.shared);
        let tests = move || {
            let of_public = PUBLIC_WORDS.into_iter().filter(|_| public).map(|words| (words, true));
            for (words, public) in [32, 48, 64, 16].map(|words| (words, false)).into_iter().chain(of_public) {
                // Without users left there is no use in going on.
                if Arc::strong_count(&shared) == 1 {
                    return;
                }
                let tested = if public { shared.test_public(words) } else { shared.test(words) };
                if let Err(DeviceError(reason)) = tested {
                    let (device, bits) = (shared.machine.name(), 32 * words);
                    tracing::warn!(device, reason, bits, public, "not used for moduli of this length");
                }
            }
        };
        if let Err(error) = garner::thread::spawn(c"garner-gpu-test", tests) {
            tracing::warn!(%error, "no thread for a GPU's self-test; it is not used");
        }
    }

    /// Runs the self-test for moduli of up to `bits` bits now, and takes them if it is passed.
    ///
    /// # Errors
    /// What went wrong; the length is not taken.
    pub fn test(&self, bits: usize) -> Result<(), DeviceError> {
        let (words, _) = length_for(bits).ok_or_else(|| DeviceError(format!("no kernel for {bits} bits")))?;
        self.owned()?;
        self.shared.test(words)
    }

    /// Runs the self-test for public operations modulo numbers of up to `bits` bits now, and takes them if it is passed.
    /// Nothing checks their results: see [`DeviceInfo::takes_public`].
    ///
    /// # Errors
    /// What went wrong; the length is not taken.
    pub fn test_public(&self, bits: usize) -> Result<(), DeviceError> {
        let (words, _) = public_length_for(bits).ok_or_else(|| DeviceError(format!("no kernel for {bits} bits")))?;
        self.owned()?;
        self.shared.test_public(words)
    }

    /// Whether the GPU was given up, because it did not answer in time.
    pub fn given_up(&self) -> &Arc<AtomicBool> {
        &self.shared.given_up
    }

    /// The lengths of primes that passed, in bits.
    #[cfg(test)]
    fn lengths(&self) -> Vec<usize> {
        (0..HALF_WORDS.len()).filter(|i| self.shared.kernels[*i].get().is_some()).map(|i| 32 * HALF_WORDS[i]).collect()
    }

    /// The place in [`HALF_WORDS`] of the kernels for moduli of this many bits, and these, if they are used.
    fn kernels(&self, bits: usize) -> Option<(usize, &Kernels)> {
        let (_, length) = length_for(bits).filter(|_| bits >= MIN_BITS && self.process == generation())?;
        Some((length, self.shared.kernels[length].get()?))
    }

    /// The kernel for public operations, if it is used, and its place in [`PUBLIC_WORDS`].
    fn public_kernel(&self, bits: usize) -> Option<(usize, &Kernel)> {
        let (_, length) =
            public_length_for(bits).filter(|_| bits >= MIN_PUBLIC_BITS && self.process == generation())?;
        Some((length, self.shared.public[length].get()?))
    }

    fn owned(&self) -> Result<(), DeviceError> {
        let ours = self.process == generation();
        ours.then_some(()).ok_or_else(|| DeviceError("the GPU belongs to the process that forked this one".into()))
    }

    /// Runs `jobs` by the kind of each and its kernels, in batches that a lane takes; none if one cannot be run here.
    fn by_kind<J, K: Ord, V: Copy>(
        &self,
        jobs: &mut [J],
        kind_of: impl Fn(&J) -> Option<(K, V)>,
        run: impl Fn(&mut Lane<M::Queue>, V, &K, &mut [&mut J]) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.owned()?;
        let mut kinds: BTreeMap<K, (V, Vec<&mut J>)> = BTreeMap::new();
        for job in jobs {
            let known = kind_of(job).ok_or_else(|| DeviceError("a modulus of a length that is not taken".into()))?;
            kinds.entry(known.0).or_insert_with(|| (known.1, Vec::new())).1.push(job);
        }
        for (kind, (kernels, mut jobs)) in kinds {
            // Of one size: a short last one would take as long as a full one.
            let most = jobs.len().div_ceil(jobs.len().div_ceil(self.most()));
            for batch in jobs.chunks_mut(most) {
                self.shared.with_lane(|lane| run(lane, kernels, &kind, batch))?;
            }
        }
        Ok(())
    }

    /// Jobs in one launch at most: exponentiations that fill the GPU twice, or operations, which are two each, that do so four
    /// times; but of a lane's keys no more than it has. On an H100 these are 16,384 operations, half of what fills it: two
    /// lanes do.
    fn most(&self) -> usize {
        (2 * self.shared.machine.width()).min(MOST_KEYS)
    }
}

impl<M: Machine> Shared<M> {
    fn lane(&self) -> Result<Lane<M::Queue>, DeviceError> {
        Ok(Lane::new(Watched::new(&self.machine, &self.given_up)?))
    }

    fn test(&self, words: usize) -> Result<(), DeviceError> {
        let length = HALF_WORDS.iter().position(|of| *of == words).expect("one of the lengths");
        let kernels = Kernels::new(length);
        // A lane of its own: what it loads is no key.
        self_test::run(&mut self.lane()?, &kernels)?;
        // Perhaps it passed before.
        let _ = self.kernels[length].set(kernels);
        Ok(())
    }

    fn test_public(&self, words: usize) -> Result<(), DeviceError> {
        let length = PUBLIC_WORDS.iter().position(|of| *of == words).expect("one of the lengths");
        let kernel = Kernel::new(Role::Public, words);
        self_test::run_public(&mut self.lane()?, &kernel)?;
        let _ = self.public[length].set(kernel);
        Ok(())
    }

    fn with_lane(&self, run: impl FnOnce(&mut Lane<M::Queue>) -> Result<(), DeviceError>) -> Result<(), DeviceError> {
        let lane = {
            let mut lanes = lock(&self.lanes);
            while lanes.idle.is_empty() && lanes.busy >= MOST_LANES {
                lanes = wait(&self.returned, lanes);
            }
            lanes.busy += 1;
            lanes.idle.pop_front()
        };
        // Counted down also after a panic.
        let mut back = Back { shared: self, lane: None };
        let mut lane = match lane {
            Some(lane) => lane,
            None => self.lane()?,
        };
        let result = lane.sweep().and_then(|()| run(&mut lane));
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
        let mut lanes = lock(&self.shared.lanes);
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

impl<M: Machine> DeviceInfo for Gpu<M> {
    fn name(&self) -> &str {
        self.shared.machine.name()
    }

    fn model(&self) -> Option<String> {
        Some(self.shared.machine.model().to_owned())
    }

    fn level(&self) -> Level {
        Level::Operation
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: MIN_BITS, max_bits: 32 * HALF_WORDS[HALF_WORDS.len() - 1] }
    }

    fn takes_key(&self, key: &PrivateKey) -> bool {
        self.kernels(key.p().bits().max(key.q().bits())).is_some()
    }

    fn takes_bits(&self, bits: usize) -> bool {
        self.kernels(bits).is_some()
    }

    fn takes_public(&self, key: &PublicKey) -> bool {
        self.public_kernel(key.bits()).is_some()
    }

    fn preferred_batch(&self) -> usize {
        // Several batches run at once: half of what fills the GPU keeps it full with two of them.
        (self.shared.machine.width() / 2).min(2 * MOST_KEYS)
    }
}

impl<M: Machine> Device for Gpu<M> {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        let unprepared = |job| {
            let Power { modulus, base, exponent, result }: &mut Power<'_> = job;
            Unprepared { modulus: modulus.words(), base, exponent, result }
        };
        self.exponentiate_unprepared(&mut jobs.iter_mut().map(unprepared).collect::<Vec<_>>())
    }

    fn exponentiate_unprepared(&self, jobs: &mut [Unprepared<'_>]) -> Result<(), DeviceError> {
        self.by_kind(
            jobs,
            |job| self.kernels(bit_length(job.modulus)),
            |lane, kernels, _, jobs| lane.exponentiate(kernels, jobs),
        )
    }

    fn exponentiate_public(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.by_kind(
            jobs,
            |job| self.public_kernel(job.modulus.bits()).map(|(length, kernel)| ((length, job.exponent), kernel)),
            |lane, kernel, (_, exponent), jobs| lane.public(kernel, exponent, jobs),
        )
    }

    fn operate(&self, jobs: &mut [Private<'_>]) -> Result<(), DeviceError> {
        self.by_kind(
            jobs,
            |job| self.kernels(job.key.p().bits().max(job.key.q().bits())),
            |lane, kernels, _, jobs| lane.operate(kernels, jobs),
        )
    }
}
