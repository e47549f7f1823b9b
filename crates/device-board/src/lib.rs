// SPDX-License-Identifier: Apache-2.0
//! The accelerator as a device of [`garner`], at offload level *operation*: on a PCIe card behind VFIO, or simulated behind
//! vfio-user.
//!
//! ```no_run
//! use garner::gather::{Config, Gatherer};
//!
//! let gatherer = Gatherer::global_with(|| Config::named("0000:03:00.0", &[&garner_device_board::Boards]))?;
//! # Ok::<(), garner::Error>(())
//! ```
//!
//! | file | what it does |
//! |---|---|
//! | `driver` | many threads' jobs under way, interrupts, recovery |
//! | `direct` | the same board for one thread alone, without the gatherer |
//! | `aes` | AES-CBC by the board's two other engines, for one thread alone |
//! | `rings` | RSA's operands and results in memory |
//! | `ring` | descriptors and completions in memory, of any engine |
//! | `format` | descriptors and completions |
//! | `interface` | registers, and where fields lie in them, generated from hw/interface |
//! | `memory` | memory that is shared with the board |
//! | `owned` | what a child made by `fork` must leave alone |
//! | `transport` | the way to a board; `vfio` and `vfio_user` are the two there are, `address` says which |
//!
//! The board computes m^d mod n of blinded numbers and checks itself; blinding and the check that counts stay on the
//! host. Which keys are in its slots, [`garner::device::slots`] keeps. What it cannot take (see [`DeviceInfo::takes_key`]) goes to the
//! next device.

#![deny(unsafe_code)]

mod address;
pub mod aes;
#[cfg(test)]
#[allow(unsafe_code, reason = "makes children by `fork`")]
mod child;
mod direct;
mod driver;
#[cfg(test)]
mod fake;
mod format;
#[cfg(test)]
mod hostile;
mod interface;
#[allow(unsafe_code, reason = "memory that a board reads and writes, too")]
mod memory;
mod owned;
mod ring;
mod rings;
mod transport;
#[allow(unsafe_code, reason = "the kernel's VFIO: mappings for the board, descriptors")]
mod vfio;
mod vfio_user;

pub use direct::{Direct, Ended, Job};
pub use driver::Events;
pub use format::Scheme;
pub use ring::Counters;
pub use rings::Capability;

use driver::Driver;
use garner::device::{Device, DeviceError, DeviceInfo, Kind, Level, Limits, Opening, Power, Private};
use garner::error::{Error, Result};
use garner::key::PrivateKey;
use interface::rsa::{MIN_BITS, STEP_BITS};
use std::sync::Arc;
use std::time::Duration;

/// Boards as a kind of device: each is named by its address, `vfio-user:PATH` or a PCI address as `0000:03:00.0`.
#[derive(Debug, Clone, Copy)]
pub struct Boards;

impl Kind for Boards {
    /// Whatever has a colon may be meant as an address; what is wrong with it, [`Board::open`] says.
    fn resolve(&self, name: &str) -> Option<String> {
        name.contains(':').then(|| name.to_owned())
    }

    fn present(&self) -> Result<Vec<Arc<dyn Device>>> {
        Ok(Vec::new())
    }

    fn open(&self, name: &str, opening: &Opening) -> Result<Arc<dyn Device>> {
        Ok(Arc::new(Board::open(name, Options { patience: opening.patience })?))
    }
}

/// One board.
pub struct Board {
    name: String,
    driver: Driver,
}

/// How a board is used.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Options {
    /// A board on which a job takes so long, not counting its wait for those before it, is reset. The default is 2 s on
    /// a card and two minutes on a simulated board.
    pub patience: Option<Duration>,
}

impl Options {
    /// Sets [`Options::patience`].
    #[must_use]
    pub fn patience(self, patience: Duration) -> Options {
        Options { patience: Some(patience) }
    }
}

impl Board {
    /// Opens the board at `vfio-user:PATH` or at a PCI address as `0000:03:00.0`.
    ///
    /// # Errors
    /// [`Error::Argument`] naming the address: nothing is there, or no accelerator that this driver knows.
    pub fn open(address: &str, options: Options) -> Result<Board> {
        let driver = address::open(address).and_then(|transport| Driver::start(transport, options.patience));
        let driver = driver.map_err(|error| Error::argument("board", format!("{address}: {error}")))?;
        Ok(Board { name: format!("board:{address}"), driver })
    }

    /// What the board can do.
    pub fn capability(&self) -> Capability {
        self.driver.capability()
    }

    /// What the driver has met: interrupts, resets, loaded keys.
    pub fn events(&self) -> &Events {
        self.driver.events()
    }

    /// Counters in device time, since the reset or since they were cleared; `clear` clears them.
    ///
    /// # Errors
    /// [`Error::Device`] when the board does not answer.
    pub fn counters(&self, clear: bool) -> Result<Counters> {
        let failed = |error: std::io::Error| Error::Device { device: self.name.clone(), reason: error.to_string() };
        self.driver.counters(clear).map_err(failed)
    }
}

impl Counters {
    /// Busy core-cycles of all core-cycles.
    pub fn load(&self, cores: usize) -> f64 {
        self.busy_core_cycles as f64 / (cores as f64 * self.cycles.max(1) as f64)
    }
}

impl DeviceInfo for Board {
    fn name(&self) -> &str {
        &self.name
    }

    fn level(&self) -> Level {
        Level::Operation
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: MIN_BITS, max_bits: self.capability().max_bits }
    }

    fn takes_key(&self, key: &PrivateKey) -> bool {
        let (bits, half) = (key.public().bits(), key.public().bits() / 2);
        self.driver.is_ours()
            && (MIN_BITS..=self.capability().max_bits).contains(&bits)
            && bits.is_multiple_of(STEP_BITS)
            && half.is_multiple_of(STEP_BITS) // words of ours are whole words of theirs
            && key.p().bits() == half
            && key.q().bits() == half
            && matches!(key.public().exponent(), [e] if *e <= u64::from(u32::MAX))
    }

    fn takes_bits(&self, _: usize) -> bool {
        false
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn preferred_batch(&self) -> usize {
        // Twice as many operations as cores, so that none waits for the host; an operation is two exponentiations.
        4 * self.capability().cores
    }
}

impl Device for Board {
    fn exponentiate(&self, _: &mut [Power<'_>]) -> std::result::Result<(), DeviceError> {
        Err(DeviceError("the board is used for whole private operations only".to_owned()))
    }

    fn operate(&self, jobs: &mut [Private<'_>]) -> std::result::Result<(), DeviceError> {
        self.driver.private(jobs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_a_fork_takes_no_keys() {
        let (fake, _) = fake::Fake::new();
        let board = Board { name: "fake".to_owned(), driver: Driver::start(fake, None).unwrap() };
        let key = fake::key();
        assert!(child::in_child(|| !board.takes_key(&key)));
        assert!(board.takes_key(&key));
    }
}
