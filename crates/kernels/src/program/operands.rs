// SPDX-License-Identifier: Apache-2.0
//! What an operation reads and writes: registers, masks and memory.

use crate::program::{Mask, Op, Row, Source, Vector, Word};

/// What an operation reads and writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Operands {
    /// Vector registers it reads; the one it writes is among them where its old value counts.
    pub reads: Vec<Vector>,
    /// The vector register it writes.
    pub writes: Option<Vector>,
    /// The mask it reads.
    pub reads_mask: Option<Mask>,
    /// The mask it writes.
    pub writes_mask: Option<Mask>,
    /// The row of memory it reads, or of which it reads a word.
    pub loads: Option<Row>,
    /// The row of memory it writes.
    pub stores: Option<Row>,
}

impl Operands {
    fn read(mut self, register: Vector) -> Operands {
        self.reads.push(register);
        self
    }

    fn source(self, source: Source) -> Operands {
        match source {
            Source::Vector(register) => self.read(register),
            Source::Row(row) => Operands { loads: Some(row), ..self },
        }
    }

    fn write(self, register: Vector) -> Operands {
        Operands { writes: Some(register), ..self }
    }
}

impl Op {
    /// What it reads and writes; of [`Op::Advance`] and [`Op::Repeat`] nothing.
    pub fn operands(&self) -> Operands {
        let none = Operands::default();
        match *self {
            Op::Zero { to } => none.write(to),
            Op::Copy { to, from } => none.source(from).write(to),
            Op::Merge { to, mask, from } => Operands { reads_mask: Some(mask), ..none.read(to).source(from).write(to) },
            Op::Store { to, from } => Operands { stores: Some(to), ..none.read(from) },
            Op::MergeStore { to, mask, from } => {
                Operands { stores: Some(to), reads_mask: Some(mask), ..none.read(from) }
            }
            Op::MultiplyAddLow { sum, a, b } | Op::MultiplyAddHigh { sum, a, b } => {
                none.read(sum).read(a).source(b).write(sum)
            }
            Op::Add { to, a, b } | Op::Subtract { to, a, b } | Op::And { to, a, b } | Op::Or { to, a, b } => {
                none.read(a).source(b).write(to)
            }
            Op::ShiftLeft { to, a, .. }
            | Op::ShiftRight { to, a, .. }
            | Op::Down { to, a }
            | Op::Up { to, a }
            | Op::Permute { to, a, .. }
            | Op::Carry { to, a } => none.read(a).write(to),
            Op::EvenWords { to, a, b }
            | Op::OddWords { to, a, b }
            | Op::EvenPairs { to, a, b }
            | Op::OddPairs { to, a, b } => none.read(a).read(b).write(to),
            Op::Choose { to, mask, a, b } => {
                Operands { reads_mask: Some(mask), ..none.read(to).read(a).source(b).write(to) }
            }
            Op::Test { mask, a, b } | Op::Equal { mask, a, b } => {
                let row = b.pointer.row(b.word / 8);
                Operands { writes_mask: Some(mask), loads: Some(row), ..none.read(a) }
            }
            Op::Negative { mask, a } => Operands { writes_mask: Some(mask), ..none.read(a) },
            Op::Advance { .. } | Op::Repeat { .. } => none,
        }
    }

    /// The same with other registers for those it reads and the one it writes, and other rows of memory. A register that changes in
    /// place is one that it writes.
    pub(crate) fn with(
        &self,
        read: &dyn Fn(Vector) -> Vector,
        write: &dyn Fn(Vector) -> Vector,
        row: &dyn Fn(Row) -> Row,
    ) -> Op {
        let source = |source: Source| match source {
            Source::Vector(register) => Source::Vector(read(register)),
            Source::Row(from) => Source::Row(row(from)),
        };
        let word = |Word { pointer, word }: Word| {
            let Row { pointer, row } = row(pointer.row(word / 8));
            pointer.word(8 * row + word % 8)
        };
        match *self {
            Op::Zero { to } => Op::Zero { to: write(to) },
            Op::Copy { to, from } => Op::Copy { to: write(to), from: source(from) },
            Op::Merge { to, mask, from } => Op::Merge { to: write(to), mask, from: source(from) },
            Op::Store { to, from } => Op::Store { to: row(to), from: read(from) },
            Op::MergeStore { to, mask, from } => Op::MergeStore { to: row(to), mask, from: read(from) },
            Op::MultiplyAddLow { sum, a, b } => Op::MultiplyAddLow { sum: write(sum), a: read(a), b: source(b) },
            Op::MultiplyAddHigh { sum, a, b } => Op::MultiplyAddHigh { sum: write(sum), a: read(a), b: source(b) },
            Op::Add { to, a, b } => Op::Add { to: write(to), a: read(a), b: source(b) },
            Op::Subtract { to, a, b } => Op::Subtract { to: write(to), a: read(a), b: source(b) },
            Op::And { to, a, b } => Op::And { to: write(to), a: read(a), b: source(b) },
            Op::Or { to, a, b } => Op::Or { to: write(to), a: read(a), b: source(b) },
            Op::ShiftLeft { to, a, bits } => Op::ShiftLeft { to: write(to), a: read(a), bits },
            Op::ShiftRight { to, a, bits } => Op::ShiftRight { to: write(to), a: read(a), bits },
            Op::Down { to, a } => Op::Down { to: write(to), a: read(a) },
            Op::Up { to, a } => Op::Up { to: write(to), a: read(a) },
            Op::Permute { to, a, order } => Op::Permute { to: write(to), a: read(a), order },
            Op::Carry { to, a } => Op::Carry { to: write(to), a: read(a) },
            Op::EvenWords { to, a, b } => Op::EvenWords { to: write(to), a: read(a), b: read(b) },
            Op::OddWords { to, a, b } => Op::OddWords { to: write(to), a: read(a), b: read(b) },
            Op::EvenPairs { to, a, b } => Op::EvenPairs { to: write(to), a: read(a), b: read(b) },
            Op::OddPairs { to, a, b } => Op::OddPairs { to: write(to), a: read(a), b: read(b) },
            Op::Choose { to, mask, a, b } => Op::Choose { to: write(to), mask, a: read(a), b: source(b) },
            Op::Test { mask, a, b } => Op::Test { mask, a: read(a), b: word(b) },
            Op::Equal { mask, a, b } => Op::Equal { mask, a: read(a), b: word(b) },
            Op::Negative { mask, a } => Op::Negative { mask, a: read(a) },
            Op::Advance { .. } | Op::Repeat { .. } => self.clone(),
        }
    }
}
