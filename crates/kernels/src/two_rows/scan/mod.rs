// SPDX-License-Identifier: Apache-2.0
//! Selecting a table entry beside two rows of a multiplication. The table stands as [`crate::scan`] says, and all of it is read
//! whatever is wanted.

mod merges;
mod permutation;

use super::columns::Columns;
use crate::constants;
use crate::program::{Code, Pointer, Row, Vector};
use crate::scan::ENTRIES;

const TABLE: Pointer = Pointer::P4;
const SELECTION: Pointer = Pointer::P5;

/// Entries by two: the number wanted is, but for its lowest bit, that of a pair.
const PAIRS: usize = ENTRIES / 2;

/// What selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// By `vpermi2q`: fewest operations.
    Permutation,
    /// By merges under masks: operations that any vector port does.
    Merges,
}

/// One step of a scan.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    ByPermutation(permutation::Step),
    ByMerges(merges::Step),
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
        }
    }

    /// The scan of so many limbs.
    pub(super) fn steps(self, limbs: usize) -> Vec<Step> {
        match self {
            Way::Permutation => permutation::steps(limbs).into_iter().map(Step::ByPermutation).collect(),
            Way::Merges => merges::steps(limbs).into_iter().map(Step::ByMerges).collect(),
        }
    }
}

/// Whether [`Way::prepare`] keeps something there for the scan.
pub(super) fn keeps(row: Row) -> bool {
    row.pointer == constants::POINTER && [constants::SPILL, constants::SPILL + 1].contains(&row.row)
}

impl Columns {
    /// Does one step of a scan.
    pub(super) fn scan(&mut self, step: Step) {
        match step {
            Step::ByPermutation(step) => self.scan_by_permutation(step),
            Step::ByMerges(step) => self.scan_by_merges(step),
        }
    }
}
