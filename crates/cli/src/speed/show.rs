// SPDX-License-Identifier: Apache-2.0
//! Where a report is shown: whole at the end, or the beginning of it after an interruption.

use super::report::Report;
use super::{json, plot, table};
use crate::failure::{Failure, Of};
use crate::files::{Access, Destination};
use crate::output;

impl Report {
    /// Prints the rows, and draws them.
    pub fn show(self) -> Result<(), Failure> {
        let shown = output::write(&self.text());
        self.draw().and(shown)
    }

    /// The same after an interruption; how far it came.
    pub fn show_what_there_is(self) -> Result<String, Failure> {
        let said = format!("{} of {} rows were measured", self.rows.len(), self.all);
        self.show().map(|()| said)
    }

    fn text(&self) -> String {
        let (rows, count) = (&self.rows, self.rows.len());
        let table = || table::text(&self.machine, &self.command, self.energy.as_ref(), rows);
        match (self.json, self.is_complete()) {
            (true, _) => json::text(self),
            (false, true) => table(),
            (false, false) if count == 0 => String::new(),
            (false, false) => format!("{}incomplete: {count} of {} rows\n", table(), self.all),
        }
    }

    fn draw(self) -> Result<(), Failure> {
        // An old picture is worth more than an empty one.
        let Some(path) = self.plot.filter(|_| !self.rows.is_empty()) else { return Ok(()) };
        let picture = plot::draw(&self.rows, &self.machine).of(path.display())?;
        Destination::new(Some(&path), true)?.write(picture.as_bytes(), Access::Everybody, false)
    }
}
