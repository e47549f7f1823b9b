// SPDX-License-Identifier: Apache-2.0
//! Selecting a table entry by merges under masks: more operations than by permutation, for processors where those of the shuffle
//! unit take time from multiply-adds, and merges none.
//!
//! Two registers collect a limb, one from the even entries, one from the odd ones: they start with the last pair, and each of the
//! other seven pairs has a mask, under which its entries take their places. Of the two the lowest bit of the number wanted
//! selects, as a word of zeros or ones: `even + (odd − even & word)`.

use super::{PAIRS, SELECTION, TABLE};
use crate::constants;
use crate::program::{Code, Mask, Row, Vector};
use crate::scan::ENTRIES;
use crate::two_rows::columns::Columns;

/// Where the word of the lowest bit waits, behind the constants.
const ODD: usize = constants::SPILL;

/// One step of a scan.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Starts the selection of a limb with the last pair of entries.
    Begin { limb: usize },
    /// Takes a limb from an entry where its pair is wanted.
    Merge { limb: usize, entry: usize },
    /// Stores the limb.
    End { limb: usize },
}

/// Sets the masks of all pairs but the last, from the wanted entries' numbers, which stand at `from`.
pub(super) fn prepare(from: Row, code: &mut Code) {
    let [wanted, pair, odd] = [0, 1, 2].map(Vector);
    code.copy(wanted, from);
    code.shift_right(pair, wanted, 1);
    (0..PAIRS - 1).for_each(|number| code.equal(mask(number), pair, constants::number(number)));
    code.and(odd, wanted, constants::POINTER.row(constants::ONE));
    code.zero(wanted);
    code.subtract(odd, wanted, odd);
    code.store(constants::POINTER.row(ODD), odd);
}

/// The mask of the lanes that want this pair.
fn mask(pair: usize) -> Mask {
    Mask(pair as u8 + 1)
}

/// The scan of so many limbs.
pub(super) fn steps(limbs: usize) -> Vec<Step> {
    let of = |limb: usize| {
        let merges = (0..ENTRIES - 2).map(move |entry| Step::Merge { limb, entry });
        [Step::Begin { limb }].into_iter().chain(merges).chain([Step::End { limb }])
    };
    (0..limbs).flat_map(of).collect()
}

impl Columns {
    /// Does one step of a scan.
    pub(super) fn scan_by_merges(&mut self, step: Step) {
        let row = |limb: usize, entry: usize| TABLE.row(limb * ENTRIES + entry);
        match step {
            Step::Begin { limb } => {
                self.selecting.0 = [0, 1].map(|bit| Some(self.load(row(limb, ENTRIES - 2 + bit))));
            }
            Step::Merge { limb, entry } => {
                let to = self.selecting.0[entry % 2].expect("the limb has begun");
                self.code.merge(to, mask(entry / 2), row(limb, entry));
            }
            Step::End { limb } => {
                let [even, odd] = self.selecting.0.map(|selected| selected.expect("the limb has begun"));
                self.code.subtract(odd, odd, even);
                self.code.and(odd, odd, constants::POINTER.row(ODD));
                self.code.add(even, even, odd);
                self.code.store(SELECTION.row(limb), even);
                [even, odd].into_iter().for_each(|register| self.give(register));
                self.selecting.0 = [None; 2];
            }
        }
    }
}
