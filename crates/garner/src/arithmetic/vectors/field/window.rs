// SPDX-License-Identifier: Apache-2.0
//! A window of the exponents: four squarings, and a multiplication by the entry that the scan selects.

use super::Field;
use super::table::Passes;
use crate::arithmetic::vectors::class::{Folded, Shape};
use crate::arithmetic::vectors::kernels::{self, Kernels, Sequence};
use crate::arithmetic::vectors::workspace::{Layout, WINDOWS_PER_WORD};
use garner_kernels::doubles::SQUARES;

impl<K: Kernels> Field<'_, K> {
    /// Four squarings of the accumulator, and its multiplication by the wanted entry of the table.
    pub fn window(&mut self) {
        let Layout { accumulator, modulus: n, area, constants: c, table, selection, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(_) => {
                self.run(self.direct().window, [accumulator, selection + self.rows(), n, c, table, selection]);
            }
            Shape::Doubles(doubles) => self.run(doubles.window, [accumulator, 0, area, c, table, selection]),
            Shape::Folded(folded) => self.run_window(|field| field.folded_window(folded)),
            Shape::Blocks { .. } => self.run_window(Field::composed_window),
        }
    }

    /// Whether all windows of a word are one kernel: another window takes less time then than to begin with a scan, and to call for
    /// each by itself.
    pub fn has_words(&self) -> bool {
        self.direct.is_some_and(|direct| direct.windows.is_some())
    }

    /// All windows of a word of the [exponents](Field::exponents).
    pub fn windows(&mut self) {
        let Layout { accumulator, wanted, modulus: n, constants: c, table, selection, .. } = self.layout;
        if let Some(windows) = self.direct.and_then(|direct| direct.windows) {
            return self.run(windows, [accumulator, wanted, n, c, table, selection]);
        }
        for window in (0..WINDOWS_PER_WORD).rev() {
            self.want(window);
            self.window();
        }
    }

    fn run_window(&mut self, kernels: impl FnOnce(&mut Self) -> Sequence) {
        if self.window.is_empty() {
            self.window = kernels(self);
        }
        // Where it stands: moved out and back, it would have to arrive in memory before the next window begins.
        self.kernels.run_all(&self.window, self.memory);
    }

    fn folded_window(&self, folded: &Folded) -> Sequence {
        let Layout { accumulator: a, columns, modulus: n, constants: c, selection, .. } = self.layout;
        let mut window = Sequence::default();
        if folded.square.is_none() {
            self.scans().for_each(|at| window.push(&kernels::SCAN, at));
        }
        for quarter in 0..SQUARES {
            let mut passes = Passes::of(self.class, &self.layout, quarter, self.class.rows_per_pass());
            match (&folded.square, passes.next()) {
                (None, _) => window.push(folded.multiply, [a, a, n, c, a, 0]),
                (Some(square), None) => window.push(square.plain, [a, columns, n, c, 0, 0]),
                (Some(square), Some([table, selection])) => {
                    window.push(square.scan, [a, columns, n, c, table, selection])
                }
            }
        }
        window.push(folded.half_multiply, [a, selection, n, c, a, selection + self.rows()]);
        window
    }

    fn composed_window(&mut self) -> Sequence {
        let class = self.class;
        self.composed().window(class);
        std::mem::take(&mut self.sequence)
    }
}
