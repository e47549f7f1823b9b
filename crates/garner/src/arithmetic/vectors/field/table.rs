// SPDX-License-Identifier: Apache-2.0
//! The table of a window's powers, and its scan: every entry is read, whichever is wanted.
//!
//! The scan runs alone ([`Field::scan`]), in a window's kernel, or in [`Passes`] that the kernels of a window's squarings take
//! along.

use super::Field;
use super::numbers::{from_double, to_double};
use crate::arithmetic::vectors::class::{Class, Shape};
use crate::arithmetic::vectors::kernels::{self, At, Kernels};
use crate::arithmetic::vectors::workspace::{Layout, WINDOWS_PER_WORD};
use garner_kernels::doubles::{self, SQUARES};
use garner_kernels::{Lanes, scan};
use std::ops::Range;

impl<K: Kernels> Field<'_, K> {
    /// Writes the number at `from` and, behind it in the entry, the one at `shifted` to the table, prepared.
    pub fn set_entry(&mut self, entry: usize, from: usize, shifted: usize) {
        let rows = self.rows();
        if let Shape::Doubles(_) = self.class.shape {
            for (i, row) in (from..from + rows).chain(shifted..shifted + rows).enumerate() {
                let first = 8 * (self.layout.table + i * doubles::scan::ROWS_PER_LIMB) + 4 * entry;
                let words = self.memory.as_flattened_mut();
                (0..4).for_each(|lane| words[first + lane] = to_double(words[8 * row + lane]));
            }
            return;
        }
        let table = self.layout.table + entry;
        for (half, number) in [(table, from), (table + rows * scan::ENTRIES, shifted)] {
            self.run(self.class.entry, [number, 0, 0, 0, half, 0]);
        }
    }

    /// `to =` the number that the scan selected.
    pub fn copy_selection(&mut self, to: usize) {
        self.copy(to, self.layout.selection);
        if let Shape::Doubles(_) = self.class.shape {
            self.number(to).as_flattened_mut().iter_mut().for_each(|limb| *limb = from_double(*limb));
        }
    }

    /// A word of each job's exponent: its windows are the entries that [`Field::want`] then brings to the scans.
    pub fn exponents(&mut self, words: &[u64; 8]) {
        write_windows(self.kernels, self.class, self.memory, 0, words);
    }

    /// The next scan selects the entries of this window of the exponents.
    pub fn want(&mut self, window: usize) {
        let Layout { wanted, constants: c, .. } = self.layout;
        self.run(&kernels::WANT, [wanted + WINDOWS_PER_WORD - 1 - window, 0, 0, c, 0, 0]);
    }

    /// Brings the wanted entry to the selection, by a scan of the whole table.
    pub fn scan(&mut self) {
        let Layout { constants: c, table, selection, .. } = self.layout;
        if let Shape::Doubles(doubles) = self.class.shape {
            return self.run(doubles.scan, [0, 0, 0, c, table, selection]);
        }
        self.scans().for_each(|at| self.run(&kernels::SCAN, at));
    }

    /// Where the kernel that scans runs, so that it selects a whole entry.
    pub(super) fn scans(&self) -> impl Iterator<Item = At> + use<K> {
        let Layout { constants: c, table, selection, .. } = self.layout;
        let rows = (0..2 * self.class.rows()).step_by(scan::LIMBS_PER_CALL);
        rows.map(move |row| [0, 0, 0, c, table + row * scan::ENTRIES, selection + row])
    }
}

/// Writes the windows of a word of each job's exponent, a row for each, in the order in which they are wanted, the highest first: to
/// their place in a workspace for `class` that begins with the row `first` of `memory`.
pub fn write_windows<K: Kernels>(kernels: &K, class: &Class, memory: &mut [Lanes], first: usize, words: &[u64; 8]) {
    let Layout { wanted, constants, .. } = Layout::of(class);
    // Lanes of a number are a power of two.
    let shift = class.lanes().trailing_zeros();
    memory[first + wanted] = std::array::from_fn(|lane| words[lane >> shift]);
    kernels.run(&kernels::WINDOWS_OF_WORD, memory, [first + wanted, 0, 0, first + constants, 0, 0]);
}

/// Passes of a table scan waiting for kernels to run in.
pub(super) struct Passes {
    numbers: Range<usize>,
    /// Rows that each selects, and those of both forms of an entry.
    rows: usize,
    entry: usize,
    table: usize,
    selection: usize,
}

impl Passes {
    /// Those, of so many rows each, that run in the squaring `quarter` of a window's four.
    pub(super) fn of(class: &Class, layout: &Layout, quarter: usize, rows: usize) -> Passes {
        let (table, selection) = (layout.table, layout.selection);
        Passes { numbers: class.passes(quarter, rows), rows, entry: 2 * class.rows(), table, selection }
    }

    /// The last of them.
    pub(super) fn last(class: &Class, layout: &Layout, rows: usize) -> Passes {
        let all = Passes::of(class, layout, SQUARES - 1, rows);
        Passes { numbers: all.numbers.end - 1..all.numbers.end, ..all }
    }

    pub(super) fn none() -> Passes {
        Passes { numbers: 0..0, rows: 0, entry: 0, table: 0, selection: 0 }
    }

    /// Whether each has found a kernel.
    pub(super) fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The next pass's table and selection.
    pub(super) fn next(&mut self) -> Option<[usize; 2]> {
        let first = (self.numbers.next()? * self.rows).min(self.entry - self.rows);
        Some([self.table + first * scan::ENTRIES, self.selection + first])
    }
}
