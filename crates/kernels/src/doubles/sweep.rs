//! A sweep: adds the products of five limbs in registers with those of a number in memory to the column sums.
//!
//! Column by column, so that two sums are open at a time: the low halves go to the column's own, the high halves to the
//! next one's.

use super::{BLOCK, Code, row};
use crate::constants;
use crate::program::Pointer;
use crate::vex::{Binary, Instruction, Register};
use std::ops::Range;

/// The factors' registers.
pub(super) fn factor(i: usize) -> Register {
    Register(i as u8)
}

const SUMS: [Register; 2] = [Register(5), Register(6)];
const HIGH: Register = Register(7);
const LOW: Register = Register(8);

/// What a sweep works on. Columns and limbs count from the first factor's product with the limb that `limbs` points to.
#[derive(Clone, Copy)]
pub(super) struct Sweep {
    /// The columns, from a row on.
    pub columns: (Pointer, usize),
    /// The number in memory, from a row on.
    pub limbs: (Pointer, usize),
    /// How many limbs it has.
    pub count: usize,
    /// Of a square: only products of a factor with limbs after it.
    pub above_diagonal: bool,
    /// Where the columns go from the sixth on, carried; else they stay column sums.
    pub finish: Option<Pointer>,
}

impl Sweep {
    /// The limbs that meet a factor in a column, with the factor.
    fn terms(self, column: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..BLOCK).filter_map(move |k| {
            let limb = column.checked_sub(k)?;
            (limb < self.count && (!self.above_diagonal || limb > k)).then_some((k, limb))
        })
    }

    /// The columns in which all factors meet a limb, and do so in the next one.
    fn full(self) -> Range<usize> {
        let first = if self.above_diagonal { 2 * BLOCK } else { BLOCK };
        first..self.count.max(first)
    }

    /// One past the last column that gets something.
    fn end(self) -> usize {
        self.count + BLOCK
    }

    /// Opens the sums of `column` and the next one. Of the products that end in the column before, the high halves are
    /// added where `before`.
    pub(super) fn open(self, column: usize, before: bool, code: &mut Code) {
        let (pointer, first) = self.columns;
        code.load(SUMS[column % 2], row(pointer, first + column));
        for (k, limb) in self.terms(column.wrapping_sub(1)).filter(|_| before) {
            code.high(HIGH, factor(k), row(self.limbs.0, self.limbs.1 + limb));
            code.add(SUMS[column % 2], SUMS[column % 2], HIGH);
        }
    }

    /// One column, whose sum is open; opens the next one's.
    fn column(self, column: usize, code: &mut Code) {
        let (pointer, first) = self.columns;
        let (sum, next) = (SUMS[column % 2], SUMS[(column + 1) % 2]);
        let last = column + 1 == self.end();
        if !last {
            code.load(next, row(pointer, first + column + 1));
        }
        for (k, limb) in self.terms(column) {
            let limb = row(self.limbs.0, self.limbs.1 + limb);
            code.high(HIGH, factor(k), limb);
            code.low(LOW, HIGH, factor(k), limb);
            code.add(sum, sum, LOW);
            code.add(next, next, HIGH);
        }
        let to = match self.finish {
            None => row(pointer, first + column),
            Some(to) => {
                if !last {
                    code.shift_right(HIGH, sum, crate::LIMB_BITS as u32);
                    code.add(next, next, HIGH);
                }
                code.binary(Binary::And, sum, sum, super::constant(constants::LIMB_MASK));
                row(to, column - BLOCK)
            }
        };
        code.store(to, sum);
    }

    /// The columns of a range, one after the other.
    pub(super) fn straight(self, columns: Range<usize>, code: &mut Code) {
        columns.for_each(|column| self.column(column, code));
    }

    /// The columns from `first` on, to the end; `first`'s sum is open. Loops where it can.
    pub(super) fn rest(self, first: usize, code: &mut Code) {
        let full = self.full();
        let start = first.next_multiple_of(BLOCK).max(full.start);
        let turns = full.end.saturating_sub(start) / BLOCK;
        if turns < 2 {
            return self.straight(first..self.end(), code);
        }
        self.straight(first..start, code);
        let mut body = Code::default();
        self.straight(start..start + BLOCK, &mut body);
        // An odd number of columns: the open sum is in the other register.
        let (from, to) = (SUMS[(start + BLOCK) % 2], SUMS[start % 2]);
        body.0.push(Instruction::Copy { to, from });
        let mut moved = vec![self.columns.0];
        moved.extend([Some(self.limbs.0), self.finish].into_iter().flatten().filter(|&other| other != self.columns.0));
        moved.iter().for_each(|&pointer| body.advance(pointer, BLOCK as isize));
        code.repeat(turns, body);
        let end = start + turns * BLOCK;
        moved.iter().for_each(|&pointer| code.advance(pointer, -((turns * BLOCK) as isize)));
        if end % 2 != start % 2 {
            code.0.push(Instruction::Copy { to: SUMS[end % 2], from: SUMS[start % 2] });
        }
        self.straight(end..self.end(), code);
    }
}
