// SPDX-License-Identifier: Apache-2.0
//! What a gatherer works with.

use crate::arithmetic::{self, Arithmetic};
use crate::device::{self, Cpu, Device, Kind};
use crate::error::Result;
use std::fmt;
use std::sync::Arc;
use std::thread;

/// What a [`Gatherer`](super::Gatherer) works with; [`Config::new`] reads what is present.
#[derive(Clone)]
#[non_exhaustive]
pub struct Config {
    /// The host's arithmetic: blinding, recombination, the check, and public operations but for those that a device was
    /// told to take.
    pub arithmetic: Arc<dyn Arithmetic>,
    /// Devices in order of preference; which of them a batch takes is decided by measured cost. At most
    /// [`Config::MOST_DEVICES`] together with `fallback`; libcrypto always follows as the last resort.
    pub devices: Vec<Arc<dyn Device>>,
    /// Devices for what none of `devices` takes, and when those are out of service; never because they are cheaper.
    pub fallback: Vec<Arc<dyn Device>>,
    /// How many batches run at the same time; at least 1. The default is the number of processors this process may use.
    pub slots: usize,
    /// How many operations may wait; at least 1. The default is [`Config::QUEUE_LIMIT`].
    pub queue_limit: usize,
    /// After this many failed batches in a row (an error or a panic) a device is taken out of service. The default is 3.
    pub failures_allowed: u32,
    /// After this many wrong results, proven wrong by another path's right one, a device is taken out of service.
    /// They need not be in a row: sound hardware has none. The default is 8.
    pub faults_allowed: u32,
}

impl Config {
    /// The default of `queue_limit`, in operations.
    pub const QUEUE_LIMIT: usize = 65_536;

    /// Devices a gatherer uses at most.
    pub const MOST_DEVICES: usize = 63;

    /// What this machine has: the processor, and the devices of these kinds, which may be none.
    ///
    /// # Errors
    /// Those of [`arithmetic::best`] and of [`Kind::present`].
    pub fn new(kinds: &[&dyn Kind]) -> Result<Config> {
        let arithmetic = arithmetic::best()?;
        let mut config = Config::with(Arc::clone(&arithmetic), Vec::new());
        let others = device::present(kinds)?;
        // Beside another device also libcrypto, or small batches had nowhere else to go.
        if arithmetic.lanes() > 1 || !others.is_empty() {
            config.devices.push(Arc::new(Cpu::new(arithmetic)));
        }
        // After the CPU: what is measured decides, and a GPU takes nothing before it has passed its self-test.
        config.devices.extend(others);
        Ok(config)
    }

    /// This arithmetic, these devices, everything else at its default.
    pub fn with(arithmetic: Arc<dyn Arithmetic>, devices: Vec<Arc<dyn Device>>) -> Config {
        Config {
            arithmetic,
            devices,
            fallback: Vec::new(),
            slots: thread::available_parallelism().map_or(1, usize::from),
            queue_limit: Config::QUEUE_LIMIT,
            failures_allowed: 3,
            faults_allowed: 8,
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |devices: &[Arc<dyn Device>]| -> Vec<String> {
            devices.iter().map(|device| device.name().to_owned()).collect()
        };
        f.debug_struct("Config")
            .field("arithmetic", &self.arithmetic.name())
            .field("devices", &names(&self.devices))
            .field("fallback", &names(&self.fallback))
            .field("slots", &self.slots)
            .field("queue_limit", &self.queue_limit)
            .field("failures_allowed", &self.failures_allowed)
            .field("faults_allowed", &self.faults_allowed)
            .finish()
    }
}
