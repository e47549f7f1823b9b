// SPDX-License-Identifier: Apache-2.0
//! The second assembly back end: processors with 256-bit registers only, AVX-IFMA or AVX2 and FMA. Four lanes.
//!
//! What AVX-512 has and AVX2 has not: 32 registers (here 16, so values are spilled), masks (here vectors whose sign bits
//! count), operands broadcast from memory, the arithmetic shift of 64-bit words. [`translate`] turns a [`Program`] into
//! one of [`Instruction`]s that AVX2 and AVX-IFMA have; [`file()`] prints it, and [`run`] interprets it, registers, spilled
//! values, masks and all, so that tests see what the processor will run.
//!
//! Programs whose halves do not mix work on the first four lanes. Of the others, which bring words to limbs and back,
//! each register becomes two.

mod allocate;
mod double;
mod interpret;
mod lower;
mod print;
mod reach;

pub use interpret::run;
pub use print::{Encoding, file};
pub(crate) use print::{print, print_with_rounding};
pub use reach::reach;

use crate::program::{Pointer, Program};
use std::collections::{BTreeMap, BTreeSet};

/// One of 16 registers of four lanes; before they are allocated, of any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register(pub u8);

const REGISTERS: usize = 16;
pub(crate) const LANES: usize = 4;

/// Four words in memory, or the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "a pointer, and words after it")]
pub struct Place {
    pub pointer: Pointer,
    pub word: usize,
}

/// A second operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Operand {
    Register(Register),
    Memory(Place),
}

/// An operation on two registers, lane by lane but for the last four.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "named as the operations of programs")]
pub enum Binary {
    Add,
    Subtract,
    And,
    Or,
    EvenWords,
    OddWords,
    /// `(a0, a1, b0, b1)`
    LowHalves,
    /// `(a2, a3, b2, b3)`
    HighHalves,
    /// Of double precision.
    SubtractDoubles,
}

/// An instruction of AVX2, AVX-IFMA or FMA, or a step of the program around them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operands' names say what they are")]
pub enum Instruction {
    Zero {
        to: Register,
    },
    Load {
        to: Register,
        from: Place,
    },
    Broadcast {
        to: Register,
        from: Place,
    },
    Copy {
        to: Register,
        from: Register,
    },
    Store {
        to: Place,
        from: Register,
    },
    MultiplyAdd {
        high: bool,
        sum: Register,
        a: Register,
        b: Operand,
    },
    /// `sum = a * b + sum`, of double precision, rounded toward zero
    FusedAdd {
        sum: Register,
        a: Register,
        b: Operand,
    },
    Binary {
        operation: Binary,
        to: Register,
        a: Register,
        b: Operand,
    },
    ShiftLeft {
        to: Register,
        a: Register,
        bits: u32,
    },
    ShiftRight {
        to: Register,
        a: Register,
        bits: u32,
    },
    Down {
        to: Register,
        a: Register,
    },
    Up {
        to: Register,
        a: Register,
    },
    Permute {
        to: Register,
        a: Register,
        order: [u8; 4],
    },
    /// `b` in the lanes in which `mask` is negative, else `a`
    Blend {
        to: Register,
        a: Register,
        b: Operand,
        mask: Register,
    },
    Advance {
        pointer: Pointer,
        rows: isize,
    },
    /// Sets a pointer to `rows` rows after another.
    Point {
        to: Pointer,
        from: Pointer,
        rows: usize,
    },
    Repeat {
        count: usize,
        body: Vec<Instruction>,
    },
    /// Repeats as often as turns of the loop around it are left, this one counted. It stands in a loop.
    RepeatTurnsLeft {
        body: Vec<Instruction>,
    },
}

use Instruction as I;

impl Instruction {
    /// Registers read, with the place of each among the operands.
    fn reads(&self) -> Vec<Register> {
        let mut reads = match *self {
            I::Copy { from, .. } | I::Store { from, .. } => vec![from],
            I::MultiplyAdd { sum, a, .. } | I::FusedAdd { sum, a, .. } => vec![sum, a],
            I::Blend { a, mask, .. } => vec![a, mask],
            I::Binary { a, .. }
            | I::ShiftLeft { a, .. }
            | I::ShiftRight { a, .. }
            | I::Down { a, .. }
            | I::Up { a, .. }
            | I::Permute { a, .. } => vec![a],
            _ => vec![],
        };
        reads.extend(self.second());
        reads
    }

    /// The second operand, if it is a register.
    fn second(&self) -> Option<Register> {
        match *self {
            I::MultiplyAdd { b: Operand::Register(b), .. }
            | I::FusedAdd { b: Operand::Register(b), .. }
            | I::Binary { b: Operand::Register(b), .. }
            | I::Blend { b: Operand::Register(b), .. } => Some(b),
            _ => None,
        }
    }

    /// The register written.
    fn writes(&self) -> Option<Register> {
        match *self {
            I::Zero { to }
            | I::Load { to, .. }
            | I::Broadcast { to, .. }
            | I::Copy { to, .. }
            | I::MultiplyAdd { sum: to, .. }
            | I::FusedAdd { sum: to, .. }
            | I::Binary { to, .. }
            | I::ShiftLeft { to, .. }
            | I::ShiftRight { to, .. }
            | I::Down { to, .. }
            | I::Up { to, .. }
            | I::Permute { to, .. }
            | I::Blend { to, .. } => Some(to),
            I::Store { .. } | I::Advance { .. } | I::Point { .. } => None,
            I::Repeat { .. } | I::RepeatTurnsLeft { .. } => None,
        }
    }

    /// The same with other registers: `read` names those read, `second` the second operand, `write` the one written.
    fn with(
        &self,
        read: impl Fn(Register) -> Register,
        second: impl Fn(Register) -> Operand,
        write: impl Fn(Register) -> Register,
    ) -> Instruction {
        let operand = |b: Operand| match b {
            Operand::Register(b) => second(b),
            memory => memory,
        };
        match *self {
            I::Zero { to } => I::Zero { to: write(to) },
            I::Load { to, from } => I::Load { to: write(to), from },
            I::Broadcast { to, from } => I::Broadcast { to: write(to), from },
            I::Copy { to, from } => I::Copy { to: write(to), from: read(from) },
            I::Store { to, from } => I::Store { to, from: read(from) },
            I::MultiplyAdd { high, sum, a, b } => I::MultiplyAdd { high, sum: write(sum), a: read(a), b: operand(b) },
            I::Binary { operation, to, a, b } => I::Binary { operation, to: write(to), a: read(a), b: operand(b) },
            I::ShiftLeft { to, a, bits } => I::ShiftLeft { to: write(to), a: read(a), bits },
            I::ShiftRight { to, a, bits } => I::ShiftRight { to: write(to), a: read(a), bits },
            I::Down { to, a } => I::Down { to: write(to), a: read(a) },
            I::Up { to, a } => I::Up { to: write(to), a: read(a) },
            I::Permute { to, a, order } => I::Permute { to: write(to), a: read(a), order },
            I::Blend { to, a, b, mask } => I::Blend { to: write(to), a: read(a), b: operand(b), mask: read(mask) },
            I::FusedAdd { .. } | I::Point { .. } | I::RepeatTurnsLeft { .. } => unreachable!("in no program"),
            I::Advance { .. } | I::Repeat { .. } => unreachable!("no registers"),
        }
    }
}

/// The program for 16 registers and without masks.
pub fn translate(program: &Program) -> Vec<Instruction> {
    let halves = if program.halves_apart() { 1 } else { 2 };
    let code = lower::lower(program.ops(), halves);
    let mut registers = BTreeSet::new();
    registers_of(&code, &mut registers);
    if registers.len() <= REGISTERS {
        let number: BTreeMap<Register, Register> =
            registers.into_iter().enumerate().map(|(i, register)| (register, Register(i as u8))).collect();
        return renamed(&code, &number);
    }
    allocate::allocate(&code)
}

fn registers_of(code: &[Instruction], registers: &mut BTreeSet<Register>) {
    for instruction in code {
        if let I::Repeat { body, .. } = instruction {
            registers_of(body, registers);
        }
        registers.extend(instruction.reads());
        registers.extend(instruction.writes());
    }
}

fn renamed(code: &[Instruction], number: &BTreeMap<Register, Register>) -> Vec<Instruction> {
    code.iter()
        .map(|instruction| match instruction {
            I::Repeat { count, body } => I::Repeat { count: *count, body: renamed(body, number) },
            I::Advance { .. } => instruction.clone(),
            other => other.with(|r| number[&r], |r| Operand::Register(number[&r]), |r| number[&r]),
        })
        .collect()
}
