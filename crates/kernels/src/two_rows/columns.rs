// SPDX-License-Identifier: Apache-2.0
//! Columns in registers, and two rows of Montgomery reduction at a time, with other work in between.

use crate::constants;
use crate::program::{Code, Pointer, Row, Vector};
use crate::reducer::LAST_ROWS;
use std::collections::HashMap;

const N: Pointer = Pointer::P2;

/// One thing that two rows of a reduction leave time for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Opens a column that starts from zero.
    Open(usize),
    /// Opens a column that starts from its sum in memory, with the rounding constant or without.
    Take { column: usize, rounded: bool },
    /// Adds the low or high half of the product of two limbs of the operand to a column.
    Term { high: bool, column: usize, limbs: [usize; 2] },
    /// Doubles a column, unless it has the square's last limb only, and adds its half of a limb's square.
    Finish { column: usize },
    /// Frees the register of a limb of the operand.
    Drop { limb: usize },
    /// Loads the limbs of so many rows of the factor that goes by rows, from this one on.
    Rows { limb: usize, rows: usize },
    /// Adds the products of these limbs with a limb of the other factor, from this column on.
    Products { y: Row, column: usize },
    /// Part of a table's scan.
    Scan(super::scan::Step),
}

/// What the rows of a reduction leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Results {
    /// Limbs, from the result's first row on.
    Limbs,
    /// Column sums, each in its row of the columns, which are the result's.
    Columns,
}

/// A Montgomery multiplication under way: columns, and registers.
pub(super) struct Columns {
    limbs: usize,
    /// Rows of the reduction: the result stands in the columns from there on.
    rows: usize,
    result: Pointer,
    /// [`Results::Limbs`] at first.
    pub results: Results,
    /// What [`Step::Term`] and [`Step::Rows`] read.
    operand: Pointer,
    pub code: Code,
    free: Vec<Vector>,
    open: HashMap<usize, Vector>,
    /// Limbs of the operand in registers.
    held: HashMap<usize, Vector>,
    /// The limbs of [`Step::Rows`].
    of_rows: Vec<Vector>,
    pub selecting: super::scan::Selecting,
}

impl Columns {
    /// No column open.
    pub fn new(limbs: usize, rows: usize, result: Pointer, operand: Pointer) -> Columns {
        Columns {
            limbs,
            rows,
            result,
            results: Results::Limbs,
            operand,
            code: Code::new(),
            free: (0..32).rev().map(Vector).collect(),
            open: HashMap::new(),
            held: HashMap::new(),
            of_rows: Vec::new(),
            selecting: Default::default(),
        }
    }

    /// Limbs of a number.
    pub fn limbs(&self) -> usize {
        self.limbs
    }

    /// A free register.
    pub fn take(&mut self) -> Vector {
        self.free.pop().expect("a free register")
    }

    /// Gives it back.
    pub fn give(&mut self, register: Vector) {
        debug_assert!(!self.free.contains(&register), "given back twice");
        self.free.push(register);
    }

    /// A register loaded with `from`.
    pub fn load(&mut self, from: Row) -> Vector {
        let register = self.take();
        self.code.copy(register, from);
        register
    }

    /// Opens a column; its sum starts with the rounding constant `from`, or from zero.
    pub fn open(&mut self, column: usize, from: Option<Row>) {
        let register = self.take();
        match from {
            Some(row) => self.code.copy(register, row),
            None => self.code.zero(register),
        }
        assert!(self.open.insert(column, register).is_none(), "column {column} is open already");
    }

    /// The register of an open column.
    pub fn at(&self, column: usize) -> Vector {
        self.open[&column]
    }

    /// Whether a column is open.
    pub fn is_open(&self, column: usize) -> bool {
        self.open.contains_key(&column)
    }

    /// Ends a column.
    pub fn close(&mut self, column: usize) {
        let register = self.open.remove(&column).expect("an open column");
        self.give(register);
    }

    /// Adds the rounding constant to a column.
    pub fn round(&mut self, column: usize) {
        let sum = self.at(column);
        self.code.add(sum, sum, constants::limb_mask());
    }

    /// Adds half of a product to a column.
    pub fn add(&mut self, high: bool, column: usize, x: Vector, y: Vector) {
        let sum = self.at(column);
        if high { self.code.high(sum, x, y) } else { self.code.low(sum, x, y) }
    }

    /// Adds the products of `x` from `column` on and of `y` from the next on with `factor`: halves in columns up to `top` only.
    pub fn add_two(&mut self, [x, y]: [Vector; 2], factor: Vector, column: usize, top: usize) {
        for (high, column, x) in
            [(false, column, x), (true, column + 1, x), (false, column + 1, y), (true, column + 2, y)]
        {
            if column <= top {
                self.add(high, column, x, factor);
            }
        }
    }

    /// The quotient digit of a column that contains the rounding constant, which is −1 modulo 2^52:
    /// `column · k + k` with `k = −n^−1`.
    pub fn digit(&mut self, column: usize) -> Vector {
        let inverse = self.load(constants::negative_inverse());
        let digit = self.take();
        self.code.copy(digit, inverse);
        self.code.low(digit, self.at(column), inverse);
        self.give(inverse);
        digit
    }

    /// Carries a column into the next and ends it.
    pub fn carry(&mut self, column: usize) {
        self.shift(column);
        self.hand_on(column);
    }

    /// Makes a column its carry. With its rounding constant, and without the half of its digit's product that would make it zero
    /// modulo 2^52.
    fn shift(&mut self, column: usize) {
        let carry = self.at(column);
        self.code.shift_right(carry, carry, crate::LIMB_BITS);
    }

    /// Begins to carry a column of the reduction, whose digit is known: the high half of its product with the modulus's first limb
    /// joins the carry, so that it need not wait for the next column, nor that for it.
    fn carry_high(&mut self, column: usize, digit: Vector) {
        self.shift(column);
        let n = self.load(N.row(0));
        self.code.high(self.at(column), digit, n);
        self.give(n);
    }

    /// Adds a column's carry to the next one, and ends it.
    fn hand_on(&mut self, column: usize) {
        let (from, to) = (self.at(column), self.at(column + 1));
        self.code.add(to, to, from);
        self.close(column);
    }

    /// The digit of the column after `column`, given this one's: what it adds there comes first.
    pub fn second_digit(&mut self, column: usize, digit: Vector) -> Vector {
        self.carry_high(column, digit);
        let n = self.load(N.row(1));
        self.add(false, column + 1, digit, n);
        self.give(n);
        self.hand_on(column);
        self.digit(column + 1)
    }

    /// Adds the carry out of a column to the next one. The column stays: its limb is the digit of a row by the [reducer](crate::reducer).
    pub fn pass_on(&mut self, column: usize) {
        let (from, to, carry) = (self.at(column), self.at(column + 1), self.take());
        self.code.shift_right(carry, from, crate::LIMB_BITS);
        self.code.add(to, to, carry);
        self.give(carry);
    }

    /// Completes the digit of the row behind `row`, a row by the reducer, as far as it waits for this one's.
    pub fn begin_reducer_row(&mut self, row: usize) {
        let m = self.load(N.row(self.limbs));
        self.add(false, row + 1, self.at(row), m);
        self.give(m);
        self.pass_on(row);
    }

    /// So many rows of the reduction from `row` on, one or two, by the [reducer](crate::reducer), begun before; and `steps`,
    /// spread evenly. The next two are begun after the limbs `begin`; if those are the last, returns their digits.
    pub fn reducer_rows(&mut self, row: usize, count: usize, steps: &[Step], begin: [usize; 2]) -> Option<[Vector; 2]> {
        let (limbs, next) = (self.limbs, row + count);
        let last = next + LAST_ROWS == self.rows;
        let [mut first, mut second] = [None; 2];
        let digits: Vec<Vector> = (row..next).map(|row| self.at(row)).collect();
        let mut done = 0;
        for j in 0..limbs {
            let m = self.load(N.row(limbs + j));
            for (i, &digit) in digits.iter().enumerate() {
                if (i, j) != (0, 0) {
                    self.add(false, row + i + j + 1, digit, m);
                }
                self.add(true, row + i + j + 2, digit, m);
            }
            self.give(m);
            // What the steps open is there when the last limb's products come to it.
            let due = (steps.len() * (j + 1) / (limbs - 1)).min(steps.len());
            (done..due).for_each(|i| self.step(steps[i]));
            done = due;
            if j == begin[0] {
                if last { first = Some(self.digit(next)) } else { self.begin_reducer_row(next) }
            }
            if j == begin[1] {
                match first {
                    Some(digit) => second = Some(self.second_digit(next, digit)),
                    None => self.pass_on(next + 1),
                }
            }
        }
        (row..next).for_each(|row| self.close(row));
        Some([first?, second?])
    }

    /// Row 0 of the reduction alone, where the rows are an odd number; the rest as in [`Columns::two_rows`].
    pub fn one_row(&mut self, digit: Vector, steps: &[Step], begin: [usize; 2]) -> [Vector; 2] {
        let limbs = self.limbs;
        let mut next = Vec::new();
        let mut done = 0;
        self.carry_high(0, digit);
        for j in 0..limbs {
            if j > 0 {
                let n = self.load(N.row(j));
                self.add(false, j, digit, n);
                self.add(true, j + 1, digit, n);
                self.give(n);
            }
            let due = steps.len() * (j + 1) / limbs;
            (done..due).for_each(|i| self.step(steps[i]));
            done = due;
            if j == begin[0] {
                self.hand_on(0);
                next.push(self.digit(1));
            } else if j == begin[1] {
                next.push(self.second_digit(1, next[0]));
            }
        }
        self.give(digit);
        [next[0], next[1]]
    }

    /// Rows `row` and the next of the reduction, with their digits; and `steps`, spread evenly. Returns the digits of the
    /// next two rows, begun after the limbs `begin`. The last two rows write the result.
    pub fn two_rows(&mut self, row: usize, digits: [Vector; 2], steps: &[Step], begin: [usize; 2]) -> [Vector; 2] {
        let (limbs, last) = (self.limbs, row + 2 == self.rows);
        let [mut first, mut second] = [None; 2];
        let mut done = 0;
        self.carry_high(row + 1, digits[1]);
        for j in 1..limbs {
            let n = self.load(N.row(j));
            if j > 1 {
                self.add(false, row + j, digits[0], n);
            }
            self.add(true, row + j + 1, digits[0], n);
            self.add(false, row + j + 1, digits[1], n);
            self.add(true, row + j + 2, digits[1], n);
            self.give(n);
            let due = steps.len() * (j + 1) / limbs;
            (done..due).for_each(|i| self.step(steps[i]));
            done = due;
            if j == 2 {
                self.hand_on(row + 1);
            }
            if last && j >= 2 {
                self.output(row + j);
            }
            if !last && j == begin[0] {
                first = Some(self.digit(row + 2));
            }
            if let (true, Some(digit)) = (j == begin[1], first) {
                second = Some(self.second_digit(row + 2, digit));
            }
        }
        if last {
            self.output(row + limbs);
            self.output(row + limbs + 1);
        }
        digits.into_iter().for_each(|digit| self.give(digit));
        match (first, second) {
            (Some(first), Some(second)) => [first, second],
            // After the last rows nothing looks at them.
            _ => digits,
        }
    }

    /// Stores a column of the result; of limbs, the one before carried into it.
    fn output(&mut self, column: usize) {
        if self.results == Results::Columns {
            self.code.store(self.result.row(column), self.at(column));
            return self.close(column);
        }
        if column > self.rows {
            self.carry(column - 1);
        }
        self.code.store(self.result.row(column - self.rows), self.at(column));
        if column + 1 == self.rows + self.limbs {
            self.close(column);
        }
    }

    /// The register of a limb of the operand, loaded if it is in none.
    pub fn limb(&mut self, limb: usize) -> Vector {
        match self.held.get(&limb) {
            Some(register) => *register,
            None => {
                let register = self.load(self.operand.row(limb));
                self.held.insert(limb, register);
                register
            }
        }
    }

    /// Frees the register of a limb of the operand.
    pub fn drop_limb(&mut self, limb: usize) {
        if let Some(register) = self.held.remove(&limb) {
            self.give(register);
        }
    }

    /// Doubles a column.
    pub fn double(&mut self, column: usize) {
        let sum = self.at(column);
        self.code.add(sum, sum, sum);
    }

    /// Doubles a column of a square and adds the half of a limb's square that belongs there.
    pub fn finish(&mut self, column: usize) {
        if column > 0 && column + 1 < 2 * self.limbs {
            self.double(column);
        }
        let limb = self.limb(column / 2);
        self.add(column % 2 == 1, column, limb, limb);
    }

    /// Does one step.
    pub fn step(&mut self, step: Step) {
        match step {
            Step::Open(column) => self.open(column, None),
            Step::Take { column, rounded } => {
                self.open(column, Some(self.result.row(column)));
                if rounded {
                    self.round(column);
                }
            }
            Step::Term { high, column, limbs: [a, b] } => {
                let (a, b) = (self.limb(a), self.limb(b));
                self.add(high, column, a, b);
            }
            Step::Finish { column } => self.finish(column),
            Step::Drop { limb } => self.drop_limb(limb),
            Step::Rows { limb, rows } => {
                self.drop_rows();
                self.of_rows = (limb..limb + rows).map(|limb| self.load(self.operand.row(limb))).collect();
            }
            Step::Products { y, column } => {
                let y = self.load(y);
                for (i, x) in self.of_rows.clone().into_iter().enumerate() {
                    self.add(false, column + i, x, y);
                    self.add(true, column + i + 1, x, y);
                }
                self.give(y);
            }
            Step::Scan(step) => self.scan(step),
        }
    }

    /// Frees the registers of [`Step::Rows`].
    pub fn drop_rows(&mut self) {
        std::mem::take(&mut self.of_rows).into_iter().for_each(|register| self.give(register));
    }
}
