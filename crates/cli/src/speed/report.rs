// SPDX-License-Identifier: Apache-2.0
//! What was measured so far, and what is to become of it.

use super::energy::Energy;
use super::measure::Row;
use crate::machine::Machine;
use garner_origin::Origin;
use std::path::PathBuf;

/// Rows, and what is to become of them.
pub struct Report {
    /// Of what, and beside what other work.
    pub origin: Origin,
    pub machine: Machine,
    /// What measured it, as it would be typed again.
    pub command: String,
    /// What is known of energy, if it was asked for.
    pub energy: Option<Energy>,
    pub rows: Vec<Row>,
    /// How many rows were asked for.
    pub all: usize,
    /// Whether they are printed as JSON.
    pub json: bool,
    /// The picture's file.
    pub plot: Option<PathBuf>,
}

impl Report {
    /// Whether these are all rows that were asked for.
    pub fn is_complete(&self) -> bool {
        self.rows.len() == self.all
    }
}
