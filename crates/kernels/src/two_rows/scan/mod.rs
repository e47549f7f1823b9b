// SPDX-License-Identifier: Apache-2.0
//! Selecting a table entry beside two rows of a multiplication. The table stands as [`crate::scan`] says, and all of it is read
//! whatever is wanted.

mod merges;
mod permutation;
mod stores;

use super::columns::Columns;
use crate::constants;
use crate::doubles::SQUARES;
use crate::program::{Code, Pointer, Row, Vector};
use crate::scan::ENTRIES;

const TABLE: Pointer = Pointer::P4;
const SELECTION: Pointer = Pointer::P5;

/// Entries by two: the number wanted is, but for its lowest bit, that of a pair.
const PAIRS: usize = ENTRIES / 2;

/// What selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By `vpermi2q`: of the vector ports' work least but for the next.
    Permutation,
    /// By merges under masks: operations that any vector port does.
    Merges,
    /// By stores under masks: next to no work for the vector ports, and a store for each row of the table.
    Stores,
}

/// One step of a scan.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Permute(permutation::Step),
    Merge(merges::Step),
    Store(stores::Step),
}

/// Registers of limbs that are being selected.
#[derive(Default)]
pub(super) struct Selecting([Option<Vector>; 2]);

impl Way {
    /// What the scan needs of the wanted entries' numbers, which stand at `from`, in masks and behind the constants.
    pub(super) fn prepare(self, from: Row, code: &mut Code) {
        match self {
            Way::Permutation => permutation::prepare(from, code),
            Way::Merges => merges::prepare(from, code),
            Way::Stores => stores::prepare(from, code),
        }
    }

    /// The part of a scan of so many limbs that each squaring of a window does, its pointers moved on by [`Way::quarter_rows`] after
    /// the one before.
    pub(super) fn quarter(self, limbs: usize) -> Vec<Step> {
        match self {
            Way::Permutation => by_permutation(limbs / SQUARES),
            Way::Merges => merges::steps(limbs / SQUARES).into_iter().map(Step::Merge).collect(),
            Way::Stores => stores::group(limbs).map(Step::Store).collect(),
        }
    }

    /// Rows from what a quarter reads of the table to what the next does, and the same of what they write of the selection.
    pub(super) fn quarter_rows(self, limbs: usize) -> [usize; 2] {
        match self {
            Way::Permutation | Way::Merges => [limbs / SQUARES * ENTRIES, limbs / SQUARES],
            Way::Stores => [stores::GROUP, 0],
        }
    }

    /// Of so many rows of a window's squaring those beside which a quarter stands: after stores some are left, so that what was
    /// stored has arrived when the product loads it.
    pub(super) fn rows(self, rows: usize) -> usize {
        match self {
            Way::Permutation | Way::Merges => rows,
            Way::Stores => rows * 6 / 10 / 2 * 2,
        }
    }
}

/// The scan of so many limbs by permutation.
pub(super) fn by_permutation(limbs: usize) -> Vec<Step> {
    permutation::steps(limbs).into_iter().map(Step::Permute).collect()
}

/// Whether [`Way::prepare`] keeps something there for the scan.
pub(super) fn keeps(row: Row) -> bool {
    row.pointer == constants::POINTER && [constants::SPILL, constants::SPILL + 1].contains(&row.row)
}

impl Columns {
    /// Does one step of a scan.
    pub(super) fn scan(&mut self, step: Step) {
        match step {
            Step::Permute(step) => self.scan_by_permutation(step),
            Step::Merge(step) => self.scan_by_merges(step),
            Step::Store(step) => self.scan_by_stores(step),
        }
    }
}
