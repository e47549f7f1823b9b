// SPDX-License-Identifier: Apache-2.0
//! Which scenarios are wanted.

/// Those whose name contains a part, or is it.
#[derive(Clone, Copy)]
pub struct Filter<'a> {
    pub part: &'a str,
    /// Nothing but the part.
    pub exact: bool,
}

impl Filter<'_> {
    /// Whether the scenario of this name is wanted.
    pub fn takes(self, name: &str) -> bool {
        if self.exact { name == self.part } else { name.contains(self.part) }
    }
}
