// SPDX-License-Identifier: Apache-2.0
//! Selecting a table entry by stores under masks: each entry is loaded and stored to the selection in the lanes that want it.
//!
//! Nothing of this is work for the vector ports but the masks, of which there are four at a time: a scan goes by quarters of
//! the entries. Every store goes to an address that is known before, whatever its mask.
//!
//! A load of a row that such stores have not yet left waits for them, and whether a processor hands it a store's lanes may depend on
//! the mask. So kernels end a scan well before the next one begins, which loads the selection.

use super::{SELECTION, TABLE};
use crate::constants;
use crate::program::{Code, Mask, Row, Vector};
use crate::scan::ENTRIES;
use crate::two_rows::columns::Columns;

/// Entries that have masks at the same time.
pub(super) const GROUP: usize = ENTRIES / 4;

/// Where the wanted entries' numbers, counted from the next group on, and the size of a group wait, behind the constants.
const WANTED: usize = constants::SPILL;
const GROUP_SIZE: usize = constants::SPILL + 1;

/// One step of a scan.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Sets the masks of the next group.
    Masks,
    /// Takes a limb from an entry where that is wanted.
    Take { limb: usize, entry: usize },
}

/// Puts the wanted entries' numbers, which stand at `from`, where the groups find them.
pub(super) fn prepare(from: Row, code: &mut Code) {
    let [wanted, size] = [0, 1].map(Vector);
    code.copy(wanted, from);
    code.store(constants::POINTER.row(WANTED), wanted);
    code.copy(size, constants::POINTER.row(constants::EIGHT));
    code.shift_right(size, size, 1);
    code.store(constants::POINTER.row(GROUP_SIZE), size);
}

/// The mask of the lanes that want this entry of a group.
fn mask(entry: usize) -> Mask {
    Mask(entry as u8 + 1)
}

/// The scan of so many limbs in one group of the entries.
pub(super) fn group(limbs: usize) -> impl Iterator<Item = Step> {
    let take = |limb| (0..GROUP).map(move |entry| Step::Take { limb, entry });
    std::iter::once(Step::Masks).chain((0..limbs).flat_map(take))
}

impl Columns {
    /// Does one step of a scan.
    pub(super) fn scan_by_stores(&mut self, step: Step) {
        match step {
            Step::Masks => {
                let wanted = self.load(constants::POINTER.row(WANTED));
                (0..GROUP).for_each(|entry| self.code.equal(mask(entry), wanted, constants::number(entry)));
                let size = self.load(constants::POINTER.row(GROUP_SIZE));
                self.code.subtract(wanted, wanted, size);
                self.code.store(constants::POINTER.row(WANTED), wanted);
                self.give(wanted);
                self.give(size);
            }
            Step::Take { limb, entry } => {
                let from = self.load(TABLE.row(limb * ENTRIES + entry));
                self.code.merge_store(SELECTION.row(limb), mask(entry), from);
                self.give(from);
            }
        }
    }
}
