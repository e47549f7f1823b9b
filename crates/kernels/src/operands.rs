// SPDX-License-Identifier: Apache-2.0
//! What an operation reads and writes: registers, masks and memory.

use crate::program::{Mask, Op, Row, Source, Vector};

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
}
