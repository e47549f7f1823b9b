// SPDX-License-Identifier: Apache-2.0
//! Selecting a table entry by permutation: two entries an operation.
//!
//! A register starts with an index: its lane, and the lowest
//! bit above it. `vpermi2q` takes for each lane the word of two rows that the index there names, and does so
//! under the mask of the lanes that want this pair: there the index becomes the limb, elsewhere it waits for its pair.
//!
//! `vpermi2q` reads both rows whole, from addresses that do not depend on the index. It is one operation of the shuffle
//! unit, as `vpermq` is, and published tables of instructions give it one latency for all indices.

use super::{PAIRS, SELECTION, TABLE};
use crate::constants;
use crate::program::{Code, Mask, Row, Vector};
use crate::scan::ENTRIES;
use crate::two_rows::columns::Columns;

/// Limbs selected at a time, which share a mask that changes.
const GROUP: usize = 2;
/// The mask that serves the last two pairs in turn: there are seven.
const TURNS: Mask = Mask(7);

/// Where the indices and the pairs' numbers wait, behind the constants.
const INDEX: usize = constants::SPILL;
const WANTED_PAIR: usize = constants::SPILL + 1;

/// One step of a scan.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Sets the mask that serves two pairs to this one.
    Mask { pair: usize },
    /// Starts the selection of a limb.
    Begin { limb: usize },
    /// Takes a limb from a pair of entries where it is wanted.
    Choose { limb: usize, pair: usize },
    /// Stores the limb.
    End { limb: usize },
}

/// Sets the masks of all pairs but the last, from the wanted entries' numbers, which stand at `from`.
pub(super) fn prepare(from: Row, code: &mut Code) {
    let [wanted, pair, index] = [0, 1, 2].map(Vector);
    code.copy(wanted, from);
    code.shift_right(pair, wanted, 1);
    code.store(constants::POINTER.row(WANTED_PAIR), pair);
    (0..PAIRS - 2).for_each(|number| code.equal(mask(number), pair, constants::number(number)));
    code.shift_left(index, wanted, 3);
    code.and(index, index, constants::POINTER.row(constants::EIGHT));
    code.or(index, index, constants::POINTER.row(constants::NUMBERS));
    code.store(constants::POINTER.row(INDEX), index);
}

/// The mask of the lanes that want this pair.
fn mask(pair: usize) -> Mask {
    if pair < PAIRS - 2 { Mask(pair as u8 + 1) } else { TURNS }
}

/// The scan of so many limbs.
pub(super) fn steps(limbs: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    if limbs > 0 {
        steps.push(Step::Mask { pair: PAIRS - 2 });
    }
    for (group, first) in (0..limbs).step_by(GROUP).enumerate() {
        let limbs = first..limbs.min(first + GROUP);
        // Of the last two pairs, the one comes first whose mask is set.
        let last = if group % 2 == 0 { [PAIRS - 2, PAIRS - 1] } else { [PAIRS - 1, PAIRS - 2] };
        steps.extend(limbs.clone().map(|limb| Step::Begin { limb }));
        for pair in (0..PAIRS - 2).chain(last) {
            if pair == last[1] {
                steps.push(Step::Mask { pair });
            }
            steps.extend(limbs.clone().map(|limb| Step::Choose { limb, pair }));
        }
        steps.extend(limbs.map(|limb| Step::End { limb }));
    }
    steps
}

impl Columns {
    /// Does one step of a scan.
    pub(super) fn scan_by_permutation(&mut self, step: Step) {
        match step {
            Step::Mask { pair } => {
                let wanted = self.load(constants::POINTER.row(WANTED_PAIR));
                self.code.equal(TURNS, wanted, constants::number(pair));
                self.give(wanted);
            }
            Step::Begin { limb } => self.selecting.0[limb % GROUP] = Some(self.load(constants::POINTER.row(INDEX))),
            Step::Choose { limb, pair } => {
                let to = self.selecting.0[limb % GROUP].expect("the limb has begun");
                let first = self.load(TABLE.row(limb * ENTRIES + 2 * pair));
                self.code.choose(to, mask(pair), first, TABLE.row(limb * ENTRIES + 2 * pair + 1));
                self.give(first);
            }
            Step::End { limb } => {
                let selected = self.selecting.0[limb % GROUP].take().expect("the limb has begun");
                self.code.store(SELECTION.row(limb), selected);
                self.give(selected);
            }
        }
    }
}
