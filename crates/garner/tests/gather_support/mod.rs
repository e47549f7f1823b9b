// SPDX-License-Identifier: Apache-2.0
//! What the gatherer's tests share: keys with known answers, and devices that misbehave.
#![allow(dead_code, reason = "each test file uses a part")]

use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::{Arithmetic, Modulus};
use garner::device::{Cpu, Device, DeviceError, DeviceInfo, Limits, Power};
use garner::fork::away_from_fork;
use garner::gather::{Config, Gatherer, Operation, Output};
use garner::key::PrivateKey;
use openssl::bn::{BigNum, BigNumContext};
use openssl::rsa::Rsa;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// A key with inputs whose answers libcrypto gave.
pub struct Known {
    pub key: Arc<PrivateKey>,
    pub cases: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Known {
    /// A new key of `bits` bits with 16 cases. Another test may fork meanwhile, and libcrypto's locks, which its randomness
    /// takes, would stay locked in the child for ever.
    pub fn new(bits: u32) -> Known {
        away_from_fork(|| Known::make(bits))
    }

    fn make(bits: u32) -> Known {
        let rsa = Rsa::generate(bits).unwrap();
        let key = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
        let mut context = BigNumContext::new().unwrap();
        let cases = (0..16).map(|_| {
            let mut input = BigNum::new().unwrap();
            rsa.n().rand_range(&mut input).unwrap();
            let mut answer = BigNum::new().unwrap();
            answer.mod_exp(&input, rsa.d(), rsa.n(), &mut context).unwrap();
            let bytes = |number: &BigNum| number.to_vec_padded(rsa.size() as i32).unwrap();
            (bytes(&input), bytes(&answer))
        });
        Known { key, cases: cases.collect() }
    }

    /// The private operation of case `i`, counted round.
    pub fn operation(&self, i: usize) -> Operation {
        Operation::private(&self.key, &self.cases[i % self.cases.len()].0).unwrap()
    }

    /// Its right answer.
    pub fn answer(&self, i: usize) -> &[u8] {
        &self.cases[i % self.cases.len()].1
    }
}

type Hook = Box<dyn Fn(usize, &mut [Power<'_>]) -> Result<(), DeviceError> + Send + Sync>;

/// libcrypto with something done before and after each batch; keeps a list of batch sizes, in exponentiations.
pub struct TestDevice {
    pub limits: Limits,
    batch: usize,
    on_host: bool,
    before: Hook,
    after: Hook,
    calls: AtomicUsize,
    sizes: Mutex<Vec<usize>>,
}

impl TestDevice {
    /// A sound device that wants `batch` exponentiations at once.
    pub fn sound(batch: usize) -> TestDevice {
        TestDevice {
            limits: Limits { min_bits: 2, max_bits: Modulus::MAX_BITS },
            batch,
            on_host: false,
            before: Box::new(|_, _| Ok(())),
            after: Box::new(|_, _| Ok(())),
            calls: AtomicUsize::new(0),
            sizes: Mutex::new(Vec::new()),
        }
    }

    /// Sleeps before each batch.
    pub fn slow(batch: usize, time: Duration) -> TestDevice {
        TestDevice::sound(batch).before(move |_, _| {
            std::thread::sleep(time);
            Ok(())
        })
    }

    /// Flips one bit of one exponentiation in a hundred.
    pub fn lying(batch: usize) -> TestDevice {
        let done = AtomicUsize::new(0);
        TestDevice::sound(batch).after(move |_, jobs| {
            for job in jobs {
                let number = done.fetch_add(1, Ordering::Relaxed);
                if number % 100 == 99 {
                    let bits = job.result.len() * 64;
                    let bit = number / 100 * 37 % bits;
                    job.result[bit / 64] ^= 1 << (bit % 64);
                }
            }
            Ok(())
        })
    }

    /// Works for `batches` batches, then returns errors.
    pub fn failing(batch: usize, batches: usize) -> TestDevice {
        TestDevice::sound(batch)
            .before(move |call, _| if call < batches { Ok(()) } else { Err(DeviceError("it is gone".to_owned())) })
    }

    /// Panics in every batch whose number `when` says.
    pub fn panicking(batch: usize, when: impl Fn(usize) -> bool + Send + Sync + 'static) -> TestDevice {
        TestDevice::sound(batch).before(move |call, _| if when(call) { panic!("the driver broke") } else { Ok(()) })
    }

    /// Holds every batch at `gate`.
    pub fn held(batch: usize, gate: &Arc<Gate>) -> TestDevice {
        let gate = Arc::clone(gate);
        TestDevice::sound(batch).before(move |_, _| {
            gate.hold();
            Ok(())
        })
    }

    /// Said to compute on the processor of the thread that calls it.
    pub fn on_host(mut self) -> TestDevice {
        self.on_host = true;
        self
    }

    /// With `hook` before each batch and whatever else is done there, called with the number of batches before it.
    pub fn before(
        mut self,
        hook: impl Fn(usize, &mut [Power<'_>]) -> Result<(), DeviceError> + Send + Sync + 'static,
    ) -> TestDevice {
        let then = self.before;
        self.before = Box::new(move |call, jobs| {
            hook(call, jobs)?;
            then(call, jobs)
        });
        self
    }

    /// With `hook` after each batch.
    pub fn after(
        mut self,
        hook: impl Fn(usize, &mut [Power<'_>]) -> Result<(), DeviceError> + Send + Sync + 'static,
    ) -> TestDevice {
        self.after = Box::new(hook);
        self
    }

    /// Batches so far, each by its number of exponentiations.
    pub fn sizes(&self) -> Vec<usize> {
        self.sizes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }
}

impl DeviceInfo for TestDevice {
    fn name(&self) -> &str {
        "test"
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn is_on_host(&self) -> bool {
        self.on_host
    }

    fn preferred_batch(&self) -> usize {
        self.batch
    }
}

impl Device for TestDevice {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        self.sizes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(jobs.len());
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        (self.before)(call, jobs)?;
        Libcrypto.power_secret(jobs);
        (self.after)(call, jobs)
    }
}

/// Holds batches until told how many may pass.
#[derive(Default)]
pub struct Gate {
    state: Mutex<(usize, usize)>,
    changed: Condvar,
}

impl Gate {
    pub fn new() -> Arc<Gate> {
        Arc::default()
    }

    /// Waits to be let through; not for ever, so that a test which failed before it opened the gate ends.
    pub fn hold(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.changed.notify_all();
        (state, _) = self.changed.wait_timeout_while(state, 2 * PATIENCE, |state| state.1 == 0).unwrap();
        state.1 = state.1.saturating_sub(1);
    }

    /// Lets `batches` more batches pass.
    pub fn open(&self, batches: usize) {
        self.state.lock().unwrap().1 += batches;
        self.changed.notify_all();
    }

    /// Lets everything pass.
    pub fn open_for_good(&self) {
        self.open(usize::MAX / 2);
    }

    /// Waits until so many batches have come to the gate in all.
    pub fn wait_for_arrivals(&self, batches: usize) {
        let mut state = self.state.lock().unwrap();
        while state.0 < batches {
            let (next, timeout) = self.changed.wait_timeout(state, PATIENCE).unwrap();
            assert!(!timeout.timed_out(), "no batch came to the device");
            state = next;
        }
    }
}

/// When to give up waiting for what must come: long, so that a busy machine never fails a test.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until `condition` holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "never came true: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A gatherer over one device, with `slots` slots.
pub fn gatherer(device: &Arc<TestDevice>, slots: usize) -> Gatherer {
    Gatherer::new(config(&[device], slots))
}

/// libcrypto's arithmetic, these devices, exactly so many slots.
pub fn config(devices: &[&Arc<TestDevice>], slots: usize) -> Config {
    let devices = devices.iter().map(|&device| Arc::clone(device) as Arc<dyn Device>).collect();
    let mut config = Config::with(Arc::new(Libcrypto), devices);
    config.slots = slots;
    config
}

/// The device that libcrypto alone makes, for comparison.
pub fn plain() -> Arc<dyn Device> {
    Arc::new(Cpu::new(Arc::new(Libcrypto)))
}

/// A caller of the operation of case `i`, in a thread of its own.
pub fn spawn_run<'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    gatherer: &'scope Gatherer,
    known: &'scope Known,
    i: usize,
) -> std::thread::ScopedJoinHandle<'scope, garner::error::Result<Output>> {
    scope.spawn(move || gatherer.run(known.operation(i)))
}
