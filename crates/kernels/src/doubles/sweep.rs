// SPDX-License-Identifier: Apache-2.0
//! A sweep: adds the products of five limbs in registers, the factors, with those of a number in memory to the column sums.
//!
//! Limb by limb. Five columns are open, in registers: the limb's product with the first factor completes the lowest, whose
//! register the product with the last factor then opens again for the next.

use super::{BLOCK, Code, row};
use crate::constants;
use crate::program::Pointer;
use crate::vex::{Binary, Place, Register};
use std::ops::Range;

/// The factors' registers.
pub(super) fn factor(i: usize) -> Register {
    Register(i as u8)
}

/// The register of a column that is open.
pub(super) fn column(column: usize) -> Register {
    Register((BLOCK + column % BLOCK) as u8)
}

/// The limb whose products are added; free when a column is complete, as are the next two.
pub(super) const LIMB: Register = Register(10);
const LOW: Register = Register(11);
/// What leaves a column that is carried.
pub(super) const CARRY: Register = LOW;
pub(super) const FREE: Register = Register(12);
const HIGH: Register = Register(13);

/// Which products a sweep adds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Products {
    /// All.
    All,
    /// Of a square: those of a factor with limbs after it.
    AboveDiagonal,
    /// Those that end in the first five columns.
    LowColumns,
    /// Those that end in the fifth column or higher ones.
    FromFifthColumn,
}

/// What becomes of columns that are complete.
#[derive(Clone, Copy)]
pub(super) enum Finish {
    /// They stay sums.
    Sum,
    /// They are carried, and become the limbs of a number: the sixth is the first limb.
    Limbs(Pointer),
}

/// What a sweep works on. Columns and limbs count from the first factor's product with the limb that `limbs` points to.
#[derive(Clone, Copy)]
pub(super) struct Sweep {
    /// The columns, from a row on.
    pub columns: (Pointer, usize),
    /// The number in memory, from a row on.
    pub limbs: (Pointer, usize),
    /// How many limbs it has.
    pub count: usize,
    pub products: Products,
    pub finish: Finish,
}

impl Sweep {
    /// Whether the product of a factor with a limb is added: its low half, its high half.
    fn adds(self, k: usize, limb: usize) -> (bool, bool) {
        let column = k + limb;
        match self.products {
            Products::All => (true, true),
            Products::AboveDiagonal => (limb > k, limb > k),
            Products::LowColumns => (column < BLOCK, column + 1 < BLOCK),
            Products::FromFifthColumn => (column + 1 >= BLOCK, column + 2 >= BLOCK),
        }
    }

    /// Where a column stands.
    pub(super) fn place(self, column: usize) -> Place {
        row(self.columns.0, self.columns.1 + column)
    }

    /// All of it.
    pub(super) fn whole(self, code: &mut Code) {
        let first = usize::from(self.products == Products::AboveDiagonal);
        self.open(first, code);
        self.rest(first, code);
    }

    /// Opens the five columns from `first` on.
    pub(super) fn open(self, first: usize, code: &mut Code) {
        (first..first + BLOCK).for_each(|i| code.load(column(i), self.place(i)));
    }

    /// The products with one limb. `complete` is what becomes of the column that is complete then.
    pub(super) fn limb(self, limb: usize, code: &mut Code, complete: impl FnOnce(&mut Code)) {
        code.load(LIMB, row(self.limbs.0, self.limbs.1 + limb));
        let mut complete = Some(complete);
        for k in 0..BLOCK {
            let (adds_low, adds_high) = self.adds(k, limb);
            if adds_low || adds_high {
                code.high(HIGH, factor(k), LIMB);
            }
            if adds_low {
                code.low(LOW, HIGH, factor(k), LIMB);
                code.add(column(limb + k), column(limb + k), LOW);
            }
            let next = limb + k + 1;
            if k == BLOCK - 1 {
                complete.take().expect("once")(code);
                if adds_high {
                    code.add(column(next), HIGH, self.place(next));
                } else if self.products != Products::LowColumns {
                    code.load(column(next), self.place(next));
                }
            } else if adds_high {
                code.add(column(next), column(next), HIGH);
            }
        }
    }

    /// Does with a complete column what [`Sweep::finish`] says. What the last carries stays in [`CARRY`].
    pub(super) fn complete(self, i: usize, code: &mut Code) {
        match self.finish {
            Finish::Sum => code.store(self.place(i), column(i)),
            Finish::Limbs(to) => {
                code.shift_right(CARRY, column(i), crate::LIMB_BITS as u32);
                if i + 1 < self.count + BLOCK {
                    code.add(column(i + 1), column(i + 1), CARRY);
                }
                code.binary(Binary::And, column(i), column(i), super::constant(constants::LIMB_MASK));
                code.store(row(to, i - BLOCK), column(i));
            }
        }
    }

    pub(super) fn straight(self, limbs: Range<usize>, code: &mut Code) {
        limbs.for_each(|limb| self.limb(limb, code, |code| self.complete(limb, code)));
    }

    /// The products with the limbs from `first` on, whose five columns are open. Loops where it can.
    pub(super) fn rest(self, first: usize, code: &mut Code) {
        let start = first.next_multiple_of(BLOCK);
        let turns = (self.count - start) / BLOCK;
        self.straight(first..start, code);
        let mut body = Code::default();
        self.straight(start..start + BLOCK, &mut body);
        let mut moved = vec![self.columns.0];
        let to = if let Finish::Limbs(to) = self.finish { Some(to) } else { None };
        moved.extend([Some(self.limbs.0), to].into_iter().flatten().filter(|&other| other != self.columns.0));
        if turns > 1 {
            moved.iter().for_each(|&pointer| body.advance(pointer, BLOCK as isize));
        }
        code.repeat(turns, body);
        if turns > 1 {
            moved.iter().for_each(|&pointer| code.advance(pointer, -((turns * BLOCK) as isize)));
        }
        for i in self.count..self.count + BLOCK {
            self.complete(i, code);
        }
    }
}
