//! A sweep: adds the products of five limbs in registers with those of a number in memory to the column sums.
//!
//! Column by column, so that two are open at a time: the low halves go to the column itself, the high halves to the next.

use super::{BLOCK, Code, row};
use crate::constants;
use crate::program::Pointer;
use crate::vex::{Binary, Instruction, Place, Register};
use std::iter;
use std::ops::Range;

/// The factors' registers.
pub(super) fn factor(i: usize) -> Register {
    Register(i as u8)
}

/// The high halves that go to a column, even and odd ones: added up apart, for two short chains of additions take less time
/// than a long one.
const HIGHS: [Register; 2] = [Register(6), Register(13)];
const SUM: Register = Register(5);
const HIGH: Register = Register(7);
const LOW: Register = Register(8);

/// Columns among which other code is woven, at most.
const WOVEN: usize = 4 * BLOCK;

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

    /// The columns in which all factors meet a limb.
    fn full(self) -> Range<usize> {
        let first = if self.above_diagonal { 2 * BLOCK } else { BLOCK };
        first..self.count.max(first)
    }

    /// One past the last column that gets something.
    fn end(self) -> usize {
        self.count + BLOCK
    }

    /// Opens `column`: where `before`, with the high halves of the products that end in the column before.
    pub(super) fn open(self, column: usize, before: bool, code: &mut Code) {
        let highs = HIGHS[column % 2];
        let mut terms = self.terms(column.wrapping_sub(1)).filter(|_| before);
        match terms.next() {
            None => code.zero(highs),
            Some((k, limb)) => code.high(highs, factor(k), self.limb(limb)),
        }
        for (k, limb) in terms {
            code.high(HIGH, factor(k), self.limb(limb));
            code.add(highs, highs, HIGH);
        }
    }

    fn limb(self, limb: usize) -> Place {
        row(self.limbs.0, self.limbs.1 + limb)
    }

    /// A column that is open; opens the next one.
    fn column(self, column: usize, code: &mut Code) {
        let place = row(self.columns.0, self.columns.1 + column);
        let (highs, next) = (HIGHS[column % 2], HIGHS[(column + 1) % 2]);
        let last = column + 1 == self.end();
        let mut terms = self.terms(column);
        match terms.next() {
            None => {
                code.load(SUM, place);
                if !last {
                    code.zero(next);
                }
            }
            Some((k, limb)) => {
                code.high(next, factor(k), self.limb(limb));
                code.low(SUM, next, factor(k), self.limb(limb));
                code.add(SUM, SUM, place);
            }
        }
        for (k, limb) in terms {
            code.high(HIGH, factor(k), self.limb(limb));
            code.low(LOW, HIGH, factor(k), self.limb(limb));
            code.add(next, next, HIGH);
            code.add(SUM, SUM, LOW);
        }
        code.add(SUM, SUM, highs);
        let to = match self.finish {
            None => place,
            Some(to) => {
                if !last {
                    code.shift_right(HIGH, SUM, crate::LIMB_BITS as u32);
                    code.add(next, next, HIGH);
                }
                code.binary(Binary::And, SUM, SUM, super::constant(constants::LIMB_MASK));
                row(to, column - BLOCK)
            }
        };
        code.store(to, SUM);
    }

    /// The columns of a range, one after the other.
    pub(super) fn straight(self, columns: Range<usize>, code: &mut Code) {
        columns.for_each(|column| self.column(column, code));
    }

    /// [`Sweep::rest`], with `pieces` spread over its first columns, each after as many columns as are said with it.
    pub(super) fn woven(self, first: usize, pieces: Vec<(usize, Code)>, code: &mut Code) {
        let end = (first + WOVEN).min(self.end());
        let (mut columns, mut ends) = (Vec::new(), vec![0]);
        for column in first..end {
            let mut code = Code::default();
            self.column(column, &mut code);
            columns.extend(code.0);
            ends.push(columns.len());
        }
        let length: usize = pieces.iter().map(|(_, piece)| piece.0.len()).sum();
        let start = ends[pieces[0].0];
        let (mut done, mut columns) = (0, columns.into_iter().enumerate().peekable());
        for (ready, piece) in pieces {
            for instruction in piece.0 {
                let after = (start + done * (ends[ends.len() - 1] - start) / length).max(ends[ready]);
                code.0.extend(iter::from_fn(|| columns.next_if(|&(i, _)| i < after)).map(|(_, column)| column));
                code.0.push(instruction);
                done += 1;
            }
        }
        code.0.extend(columns.map(|(_, column)| column));
        if end < self.end() {
            self.rest(end, code);
        }
    }

    /// The columns from `first` on, to the end; `first` is open. Loops where it can.
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
        // An odd number of columns: what is open is in the other register.
        let (from, to) = (HIGHS[(start + BLOCK) % 2], HIGHS[start % 2]);
        body.0.push(Instruction::Copy { to, from });
        let mut moved = vec![self.columns.0];
        moved.extend([Some(self.limbs.0), self.finish].into_iter().flatten().filter(|&other| other != self.columns.0));
        moved.iter().for_each(|&pointer| body.advance(pointer, BLOCK as isize));
        code.repeat(turns, body);
        let end = start + turns * BLOCK;
        moved.iter().for_each(|&pointer| code.advance(pointer, -((turns * BLOCK) as isize)));
        if end % 2 != start % 2 {
            code.0.push(Instruction::Copy { to: HIGHS[end % 2], from: HIGHS[start % 2] });
        }
        self.straight(end..self.end(), code);
    }
}
