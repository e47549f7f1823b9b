// SPDX-License-Identifier: Apache-2.0
//! A kind that this build was made without: it has no device, and says so where one is named.

use garner::device::{Absence, Device, Kind, Opening};
use garner::error::{Error, Result};
use std::sync::Arc;

/// What such a kind would have been.
pub struct LeftOut {
    /// [`Kind::resolve`].
    pub resolve: fn(&str) -> Option<String>,
    /// The argument that errors blame.
    pub argument: &'static str,
    /// What stands for the kind where devices are listed, if anything does.
    pub listed: Option<&'static str>,
    /// Why there is none.
    pub reason: &'static str,
}

impl Kind for LeftOut {
    fn resolve(&self, name: &str) -> Option<String> {
        (self.resolve)(name)
    }

    fn present(&self) -> Result<Vec<Arc<dyn Device>>> {
        Ok(Vec::new())
    }

    fn open(&self, name: &str, _: &Opening) -> Result<Arc<dyn Device>> {
        Err(Error::argument(self.argument, format!("{name}: {}", self.reason)))
    }

    fn absence(&self) -> Option<Absence> {
        self.listed.map(|name| Absence { name, reason: self.reason.to_owned() })
    }
}
