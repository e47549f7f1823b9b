// SPDX-License-Identifier: Apache-2.0
//! The table of a window's powers, and its scan: every entry is read, whichever is wanted.
//!
//! The scan runs alone ([`Field::scan`]), in a window's kernel, or in [`Passes`] that the kernels of a window's squarings take
//! along.

use super::Field;
use super::numbers::{from_double, to_double};
use crate::arithmetic::vectors::class::{Class, Shape};
use crate::arithmetic::vectors::kernels::{self, At, Kernels};
use crate::arithmetic::vectors::workspace::{Layout, WINDOW_BITS, WINDOWS_PER_WORD};
use garner_kernels::doubles::{self, SQUARES};
use garner_kernels::{Lanes, scan};
use std::ops::Range;

impl<K: Kernels> Field<'_, K> {
    /// Writes the number at `from` and, behind it in the entry, the one at `shifted` to the table, prepared.
    pub fn set_entry(&mut self, entry: usize, from: usize, shifted: usize) {
        let (rows, memory) = (self.rows(), &mut *self.memory);
        if let Shape::Doubles(_) = self.class.shape {
            for (i, row) in (from..from + rows).chain(shifted..shifted + rows).enumerate() {
                let first = 8 * (self.layout.table + i * doubles::scan::ROWS_PER_LIMB) + 4 * entry;
                let words = memory.as_flattened_mut();
                (0..4).for_each(|lane| words[first + lane] = to_double(words[8 * row + lane]));
            }
            return;
        }
        // Without a check for each row: there are sixteen entries to every pass.
        let (numbers, table) = memory.split_at_mut(self.layout.table);
        let (first, second) = table[..2 * rows * scan::ENTRIES].split_at_mut(rows * scan::ENTRIES);
        for (half, number) in [(first, from), (second, shifted)] {
            let limbs = half.chunks_exact_mut(scan::ENTRIES).zip(&numbers[number..number + rows]);
            limbs.for_each(|(entries, limb)| entries[entry] = *limb);
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
        write_windows(&mut self.memory[self.layout.wanted..], self.class, words);
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

/// Writes the windows of a word of each job's exponent, a row for each, in the order in which they are wanted, the highest first.
pub fn write_windows(rows: &mut [Lanes], class: &Class, words: &[u64; 8]) {
    // Lanes of a number are a power of two.
    let shift = class.lanes().trailing_zeros();
    let of_lanes: Lanes = std::array::from_fn(|lane| words[lane >> shift]);
    for (window, row) in rows[..WINDOWS_PER_WORD].iter_mut().rev().enumerate() {
        for (wanted, word) in row.iter_mut().zip(&of_lanes) {
            *wanted = word >> (WINDOW_BITS * window) & ((1 << WINDOW_BITS) - 1);
        }
    }
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
