// SPDX-License-Identifier: Apache-2.0
//! Kinds of devices beside the processor: how they are found, named and opened.
//!
//! This library has none. Crates of their own do, `garner-device-cuda` and `garner-device-board`; whoever wants one hands it
//! to [`Config::new`](crate::gather::Config::new) or [`Config::named`](crate::gather::Config::named).

use super::Device;
use crate::error::Result;
use std::sync::Arc;
use std::time::Duration;

/// How a device is opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Opening {
    /// Ready when it is returned, as measurements want it. The default is when there is work for it, where that takes long.
    pub at_once: bool,
    /// After so long for one job a device is taken to hang. The default is the device's own.
    pub patience: Option<Duration>,
}

/// Why there is no device of a kind on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absence {
    /// What stands for the kind where devices are listed.
    pub name: &'static str,
    /// What is missing.
    pub reason: String,
}

/// A kind of device.
pub trait Kind: Send + Sync {
    /// The whole name of the device that is meant by `name`, if it is one of this kind, whether it is there or not.
    fn resolve(&self, name: &str) -> Option<String>;

    /// The devices of this kind that are used without being named, in order. Each is opened when there is work for it.
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument): the user's wishes, an environment variable for one, mean nothing.
    fn present(&self) -> Result<Vec<Arc<dyn Device>>>;

    /// The device of this name, one from [`Kind::resolve`].
    ///
    /// # Errors
    /// [`Error::Argument`](crate::Error::Argument), its reason beginning with the name: it is not there or cannot be used.
    fn open(&self, name: &str, opening: &Opening) -> Result<Arc<dyn Device>>;

    /// Why [`Kind::present`] finds none; nothing for a kind whose devices are always named.
    fn absence(&self) -> Option<Absence> {
        None
    }
}

/// The devices of these kinds that are used without being named, in order.
///
/// # Errors
/// Those of [`Kind::present`].
pub fn present(kinds: &[&dyn Kind]) -> Result<Vec<Arc<dyn Device>>> {
    let present = kinds.iter().map(|kind| kind.present()).collect::<Result<Vec<_>>>()?;
    Ok(present.concat())
}

/// The kind of the device that is meant by `name`, and the device's whole name.
pub fn resolve<'a>(kinds: &[&'a dyn Kind], name: &str) -> Option<(&'a dyn Kind, String)> {
    kinds.iter().find_map(|kind| Some((*kind, kind.resolve(name)?)))
}

impl Opening {
    /// Sets [`Opening::at_once`].
    #[must_use]
    pub fn at_once(self) -> Opening {
        Opening { at_once: true, ..self }
    }

    /// Sets [`Opening::patience`].
    #[must_use]
    pub fn patience(self, patience: Option<Duration>) -> Opening {
        Opening { patience, ..self }
    }
}
