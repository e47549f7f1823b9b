// SPDX-License-Identifier: Apache-2.0
//! What can be told of a program without running it: which operations it executes and how many, and the memory that it reaches.

use crate::program::{Code, Op, Pointer, Program, Row};
use std::ops::Range;

impl Program {
    /// How many multiply-adds it executes.
    pub fn multiply_adds(&self) -> usize {
        count(self.ops(), &|op| matches!(op, Op::MultiplyAddLow { .. } | Op::MultiplyAddHigh { .. }))
    }

    /// Runs `visit` on each operation as often as it is executed, in order, with the rows by which each pointer has moved.
    pub fn walk(&self, mut visit: impl FnMut(&Op, &[isize; Pointer::COUNT])) {
        walk(self.ops(), &mut [0; Pointer::COUNT], &mut visit);
    }

    /// Its operations with loops written out, each row of memory as `place` says of a pointer and a row from where it stood at
    /// first.
    pub(crate) fn placed(&self, place: &dyn Fn(Row) -> Row) -> Code {
        let mut code = Code::new();
        self.walk(|op, moved| {
            let row = |Row { pointer, row }| {
                let row = row.checked_add_signed(moved[pointer.index()]).expect("no row stands before its pointer");
                place(pointer.row(row))
            };
            if !matches!(op, Op::Advance { .. } | Op::Repeat { .. }) {
                code.push(op.with(&|register| register, &|register| register, &row));
            }
        });
        code
    }

    /// How many rows it loads, as operands or otherwise.
    pub fn loads(&self) -> usize {
        count(self.ops(), &|op| op.operands().loads.is_some())
    }

    /// Whether no result in the first four lanes depends on the others.
    pub fn halves_apart(&self) -> bool {
        count(self.ops(), &|op| matches!(op, Op::EvenPairs { .. } | Op::OddPairs { .. } | Op::Choose { .. })) == 0
    }

    /// For each pointer, how many rows from it on the program touches. All that it may read or write.
    ///
    /// # Panics
    /// When the program touches memory before a pointer.
    pub fn reach(&self) -> [usize; Pointer::COUNT] {
        let mut reach = Reach::default();
        reach.follow(self.ops());
        reach.words.map(|words| words.div_ceil(8))
    }
}

fn walk(ops: &[Op], moved: &mut [isize; Pointer::COUNT], visit: &mut dyn FnMut(&Op, &[isize; Pointer::COUNT])) {
    for op in ops {
        visit(op, moved);
        match op {
            Op::Advance { pointer, rows } => moved[pointer.index()] += rows,
            Op::Repeat { count, body } => (0..*count).for_each(|_| walk(body.ops(), moved, visit)),
            _ => {}
        }
    }
}

fn count(ops: &[Op], wanted: &dyn Fn(&Op) -> bool) -> usize {
    ops.iter()
        .map(|op| match op {
            Op::Repeat { count: times, body } => times * count(body.ops(), wanted),
            op => usize::from(wanted(op)),
        })
        .sum()
}

#[derive(Default)]
struct Reach {
    at: [isize; Pointer::COUNT],
    words: [usize; Pointer::COUNT],
}

impl Reach {
    fn touch(&mut self, pointer: Pointer, words: Range<usize>) {
        let at = self.at[pointer.index()];
        let start = at.checked_add_unsigned(words.start).and_then(|start| usize::try_from(start).ok());
        let end = start.expect("memory before a pointer is out of bounds") + words.len();
        let reach = &mut self.words[pointer.index()];
        *reach = end.max(*reach);
    }

    fn touch_row(&mut self, row: Row) {
        self.touch(row.pointer, 8 * row.row..8 * row.row + 8);
    }

    fn follow(&mut self, ops: &[Op]) {
        for op in ops {
            match op {
                Op::Test { b, .. } | Op::Equal { b, .. } => self.touch(b.pointer, b.word..b.word + 1),
                Op::Advance { pointer, rows } => self.at[pointer.index()] += 8 * rows,
                Op::Repeat { count, body } => (0..*count).for_each(|_| self.follow(body.ops())),
                op => {
                    let operands = op.operands();
                    operands.loads.into_iter().chain(operands.stores).for_each(|row| self.touch_row(row));
                }
            }
        }
    }
}
