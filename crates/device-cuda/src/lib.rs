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
//! | `emulated` | a GPU that is not there: the kernels, interpreted |
//! | `faulty` | one with a fault, for tests, those of `bench/gpu` too |
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

mod driver;
mod emulated;
mod faulty;
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
pub use emulated::Emulator;
pub use faulty::{Fault, Faulty};
pub use garner_gpu_kernels::{HALF_WORDS, PUBLIC_WORDS, Style};
use garner_gpu_kernels::{Kernel, LANES, Role};
pub use kind::Cuda;
pub use machine::{Buffer, Machine, Queue};
pub use standby::{Standby, Wishes};
pub use watched::Watched;

use garner::device::{Device, DeviceError, Level, Limits, Power, Private, Unprepared};
use garner::fork::generation;
use garner::key::{PrivateKey, PublicKey};
use garner::sync::{lock, wait};
use garner::words::bit_length;
use lane::{Choice, Kernels, Lane};
pub use lane::{OneKey, one_key_by_tensor_cores};
use layout::{length_for, public_length_for};
use std::collections::{BTreeMap, VecDeque};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// Batches that run at the same time at most; more would only split the GPU's time.
const MOST_LANES: usize = 4;

/// Batches that fill less of the GPU than this part, one divided by it, are spread over more threads. Derived: see
/// `docs/gpu.md`.
const LEAST_PART_SPREAD: usize = 8;

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
    kernels: [OnceLock<Kernels>; HALF_WORDS.len()],
    public: [OnceLock<Kernel>; PUBLIC_WORDS.len()],
    /// Bit i: length i passed its self-test.
    passed: AtomicU8,
    /// The same for public operations.
    public_passed: AtomicU8,
    lanes: Mutex<Lanes<M::Queue>>,
    returned: Condvar,
    /// Whether it stopped answering.
    given_up: Arc<AtomicBool>,
    /// What batches of one key have.
    one_key: OneKey,
}

struct Lanes<Q: Queue> {
    /// They take turns, so that each comes by soon to wipe keys that were dropped.
    idle: VecDeque<Lane<Q>>,
    busy: usize,
}

impl<M: Machine> Gpu<M> {
    /// A GPU that takes nothing before [`Gpu::test`] and [`Gpu::test_public`], or [`Gpu::test_in_background`].
    pub fn new(machine: M) -> Gpu<M> {
        Gpu::choosing(machine, OneKey::default())
    }

    /// The same with a choice of how batches of one key run; without tensor cores they do not run on these.
    pub fn choosing(machine: M, one_key: OneKey) -> Gpu<M> {
        let is_there = one_key != OneKey::Tensor || machine.has_tensor_cores();
        if !is_there {
            tracing::warn!(device = machine.name(), "no tensor cores that multiply bytes; done without");
        }
        let one_key = if is_there { one_key } else { OneKey::default() };
        let shared = Shared {
            machine,
            kernels: Default::default(),
            public: Default::default(),
            passed: AtomicU8::new(0),
            public_passed: AtomicU8::new(0),
            lanes: Mutex::new(Lanes { idle: VecDeque::new(), busy: 0 }),
            returned: Condvar::new(),
            given_up: Arc::default(),
            one_key,
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
    /// Nothing checks their results: see [`Device::takes_public`].
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
        (0..HALF_WORDS.len()).filter(|i| has_passed(&self.shared.passed, *i)).map(|i| 32 * HALF_WORDS[i]).collect()
    }

    /// The place in [`HALF_WORDS`] of the kernels for moduli of this many bits, if they are used.
    fn length(&self, bits: usize) -> Option<usize> {
        let (_, length) = length_for(bits).filter(|_| bits >= MIN_BITS && self.process == generation())?;
        has_passed(&self.shared.passed, length).then_some(length)
    }

    /// The same in [`PUBLIC_WORDS`].
    fn public_length(&self, bits: usize) -> Option<usize> {
        let (_, length) =
            public_length_for(bits).filter(|_| bits >= MIN_PUBLIC_BITS && self.process == generation())?;
        has_passed(&self.shared.public_passed, length).then_some(length)
    }

    fn owned(&self) -> Result<(), DeviceError> {
        let ours = self.process == generation();
        ours.then_some(()).ok_or_else(|| DeviceError("the GPU belongs to the process that forked this one".into()))
    }

    /// Runs `jobs` by what `kind_of` says of each, in batches that a lane takes; none if one cannot be run here.
    fn by_kind<J, K: Ord + Copy>(
        &self,
        jobs: &mut [J],
        kind_of: impl Fn(&J) -> Option<K>,
        run: impl Fn(&mut Lane<M::Queue>, K, &mut [&mut J]) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        self.owned()?;
        let mut kinds: BTreeMap<K, Vec<&mut J>> = BTreeMap::new();
        for job in jobs {
            let kind = kind_of(job).ok_or_else(|| DeviceError("a modulus of a length that is not taken".into()))?;
            kinds.entry(kind).or_default().push(job);
        }
        for (kind, mut jobs) in kinds {
            // Of one size: a short last one would take as long as a full one, or the kernel for small batches.
            let most = jobs.len().div_ceil(jobs.len().div_ceil(self.most()));
            for batch in jobs.chunks_mut(most) {
                self.shared.with_lane(|lane| run(lane, kind, batch))?;
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
    fn lane(&self, choice: Choice) -> Result<Lane<M::Queue>, DeviceError> {
        Ok(Lane::new(Watched::new(&self.machine, &self.given_up)?, choice))
    }

    fn kernels(&self, length: usize) -> &Kernels {
        self.kernels[length].get_or_init(|| Kernels::new(length))
    }

    fn test(&self, words: usize) -> Result<(), DeviceError> {
        let length = HALF_WORDS.iter().position(|of| *of == words).expect("one of the lengths");
        // Lanes of their own: what they load is no key. All numbers in one thread each, then all spread.
        // One more where batches of one key have a kernel of their own.
        let [alone, spread] = [0, usize::MAX].map(|most_spread| Choice { most_spread, one_key: OneKey::default() });
        let more = Some(Choice { one_key: self.one_key, ..alone }).filter(|more| *more != alone);
        for choice in [alone, spread].into_iter().chain(more) {
            let mut lane = self.lane(choice)?;
            self_test::run(&mut lane, self.kernels(length), length)?;
        }
        self.passed.fetch_or(1 << length, Ordering::Release);
        Ok(())
    }

    fn public_kernel(&self, length: usize) -> &Kernel {
        self.public[length].get_or_init(|| Kernel::new(Role::Public, PUBLIC_WORDS[length]))
    }

    fn test_public(&self, words: usize) -> Result<(), DeviceError> {
        let length = PUBLIC_WORDS.iter().position(|of| *of == words).expect("one of the lengths");
        let mut lane = self.lane(Choice { most_spread: 0, one_key: OneKey::default() })?;
        self_test::run_public(&mut lane, self.public_kernel(length))?;
        self.public_passed.fetch_or(1 << length, Ordering::Release);
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
            None => {
                let most_spread = self.machine.width() / (LEAST_PART_SPREAD * LANES);
                self.lane(Choice { most_spread, one_key: self.one_key })?
            }
        };
        let result = lane.sweep().and_then(|()| run(&mut lane));
        // A lane in which something failed is not used again.
        back.lane = result.is_ok().then_some(lane);
        result
    }
}

/// Bit `length` of these.
fn has_passed(passed: &AtomicU8, length: usize) -> bool {
    passed.load(Ordering::Acquire) >> length & 1 == 1
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

impl<M: Machine> Device for Gpu<M> {
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
        self.length(key.p().bits().max(key.q().bits())).is_some()
    }

    fn takes_bits(&self, bits: usize) -> bool {
        self.length(bits).is_some()
    }

    fn takes_public(&self, key: &PublicKey) -> bool {
        self.public_length(key.bits()).is_some()
    }

    fn preferred_batch(&self) -> usize {
        // Several batches run at once: half of what fills the GPU keeps it full with two of them.
        (self.shared.machine.width() / 2).min(2 * MOST_KEYS)
    }

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
            |job| self.length(bit_length(job.modulus)),
            |lane, length, jobs| lane.exponentiate(self.shared.kernels(length), jobs),
        )
    }

    fn exponentiate_public(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.by_kind(
            jobs,
            |job| Some((self.public_length(job.modulus.bits())?, job.exponent)),
            |lane, (length, exponent), jobs| lane.public(self.shared.public_kernel(length), exponent, jobs),
        )
    }

    fn operate(&self, jobs: &mut [Private<'_>]) -> Result<(), DeviceError> {
        self.by_kind(
            jobs,
            |job| self.length(job.key.p().bits().max(job.key.q().bits())),
            |lane, length, jobs| lane.operate(self.shared.kernels(length), jobs),
        )
    }
}
