// SPDX-License-Identifier: Apache-2.0
//! What a program executes.

use super::processor::Work;
use crate::Program;
use crate::program::{Op, Source};

/// How many operations of each kind a program executes. An operation with a row for its operand counts as a load, too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Multiply-adds.
    pub multiply_adds: usize,
    /// Additions, subtractions, ands and ors.
    pub additions: usize,
    /// Shifts of each word by a number of bits.
    pub shifts: usize,
    /// Words moved between lanes.
    pub shuffles: usize,
    /// Masked moves from a register.
    pub merges: usize,
    /// Masked moves from memory. They are loads, too.
    pub masked_loads: usize,
    /// Comparisons into a mask.
    pub tests: usize,
    /// Rows or words read from memory.
    pub loads: usize,
    /// Rows written.
    pub stores: usize,
    /// Registers copied.
    pub copies: usize,
    /// Registers set to zero.
    pub zeros: usize,
    /// Instructions, all of them; counting a loop and jumping are one.
    pub instructions: usize,
}

impl Counts {
    /// Of all that `program` executes.
    pub fn of(program: &Program) -> Counts {
        let mut counts = Counts::default();
        program.walk(|op, _| counts.add(op));
        counts
    }

    fn add(&mut self, op: &Op) {
        self.instructions += match op {
            Op::Repeat { count, .. } => 1 + count,
            _ => 1,
        };
        match op {
            Op::Zero { .. } => self.zeros += 1,
            Op::Copy { from: Source::Vector(_), .. } => self.copies += 1,
            _ => {}
        }
        let operands = op.operands();
        self.loads += usize::from(operands.loads.is_some());
        self.stores += usize::from(operands.stores.is_some());
        match Work::of(op) {
            None => {}
            Some(Work::MultiplyAdd) => self.multiply_adds += 1,
            Some(Work::Addition) => self.additions += 1,
            Some(Work::Shift) => self.shifts += 1,
            Some(Work::Shuffle) => self.shuffles += 1,
            Some(Work::Merge) if operands.loads.is_some() => self.masked_loads += 1,
            Some(Work::Merge) => self.merges += 1,
            Some(Work::Test) => self.tests += 1,
        }
    }

    /// How many of a kind of work.
    pub fn of_work(&self, work: Work) -> usize {
        match work {
            Work::MultiplyAdd => self.multiply_adds,
            Work::Addition => self.additions,
            Work::Shift => self.shifts,
            Work::Shuffle => self.shuffles,
            Work::Merge => self.merges + self.masked_loads,
            Work::Test => self.tests,
        }
    }

    /// Operations that a vector port executes.
    pub fn vector_operations(&self) -> usize {
        Work::ALL.into_iter().map(|work| self.of_work(work)).sum()
    }
}
