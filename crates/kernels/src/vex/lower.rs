// SPDX-License-Identifier: Apache-2.0
//! The operations of a program in instructions: four lanes, no masks, no operands broadcast.

use super::Instruction as I;
use super::{Binary, Instruction, LANES, Operand, Place, Register};
use crate::LIMB_BITS;
use crate::constants;
use crate::program::{Op, Row, Source, Vector, Word};

/// The operations in instructions, over any number of registers: a vector is two, as is a mask, and some more.
pub(super) fn lower(ops: &[Op], halves: usize) -> Vec<Instruction> {
    const MASKS: u8 = 64;
    const SPARE: u8 = 96;
    let mut code = Vec::new();
    for op in ops {
        match *op {
            Op::Advance { pointer, rows } => {
                assert_ne!(pointer, constants::POINTER, "spilled values stand behind the constants");
                code.push(I::Advance { pointer, rows });
                continue;
            }
            Op::Repeat { count, ref body } => {
                code.push(I::Repeat { count, body: lower(body.ops(), halves) });
                continue;
            }
            Op::EvenPairs { to, a, b } | Op::OddPairs { to, a, b } => {
                assert!(to != a && to != b, "the result would overwrite an operand's other half");
                let even = matches!(op, Op::EvenPairs { .. });
                let operation = if even { Binary::LowHalves } else { Binary::HighHalves };
                for (half, from) in [a, b].into_iter().enumerate() {
                    let [to, low, high] = [(to, half), (from, 0), (from, 1)].map(|(v, half)| register(v, half));
                    code.push(I::Binary { operation, to, a: low, b: Operand::Register(high) });
                }
                continue;
            }
            _ => {}
        }
        for half in 0..halves {
            let v = |vector: Vector| register(vector, half);
            let row = |row: Row| Place { pointer: row.pointer, word: 8 * row.row + LANES * half };
            let word = |word: Word| Place { pointer: word.pointer, word: word.word };
            let mask = |mask: crate::program::Mask| Register(MASKS + 2 * mask.0 + half as u8);
            let source = |source: Source| match source {
                Source::Vector(vector) => Operand::Register(v(vector)),
                Source::Row(from) => Operand::Memory(row(from)),
            };
            let constant = |at: usize| Operand::Memory(row(constants::POINTER.row(at)));
            let binary = |operation, to, a, b| I::Binary { operation, to: v(to), a: v(a), b };
            match *op {
                Op::Zero { to } => code.push(I::Zero { to: v(to) }),
                Op::Copy { to, from: Source::Vector(from) } => code.push(I::Copy { to: v(to), from: v(from) }),
                Op::Copy { to, from: Source::Row(from) } => code.push(I::Load { to: v(to), from: row(from) }),
                Op::Merge { to, mask: m, from } => {
                    code.push(I::Blend { to: v(to), a: v(to), b: source(from), mask: mask(m) });
                }
                Op::Store { to, from } => code.push(I::Store { to: row(to), from: v(from) }),
                Op::MultiplyAddLow { sum, a, b } => {
                    code.push(I::MultiplyAdd { high: false, sum: v(sum), a: v(a), b: source(b) });
                }
                Op::MultiplyAddHigh { sum, a, b } => {
                    code.push(I::MultiplyAdd { high: true, sum: v(sum), a: v(a), b: source(b) });
                }
                Op::Add { to, a, b } => code.push(binary(Binary::Add, to, a, source(b))),
                Op::Subtract { to, a, b } => code.push(binary(Binary::Subtract, to, a, source(b))),
                Op::And { to, a, b } => code.push(binary(Binary::And, to, a, source(b))),
                Op::Or { to, a, b } => code.push(binary(Binary::Or, to, a, source(b))),
                Op::EvenWords { to, a, b } => code.push(binary(Binary::EvenWords, to, a, source(b.into()))),
                Op::OddWords { to, a, b } => code.push(binary(Binary::OddWords, to, a, source(b.into()))),
                Op::ShiftLeft { to, a, bits } => code.push(I::ShiftLeft { to: v(to), a: v(a), bits }),
                Op::ShiftRight { to, a, bits } => code.push(I::ShiftRight { to: v(to), a: v(a), bits }),
                Op::Down { to, a } => code.push(I::Down { to: v(to), a: v(a) }),
                Op::Up { to, a } => code.push(I::Up { to: v(to), a: v(a) }),
                Op::Permute { to, a, order } => code.push(I::Permute { to: v(to), a: v(a), order }),
                Op::Carry { to, a } => {
                    // With 2^63 added the number is not negative; so much less is then the shifted one.
                    code.push(binary(Binary::Add, to, a, constant(constants::SIGN)));
                    code.push(I::ShiftRight { to: v(to), a: v(to), bits: LIMB_BITS as u32 });
                    code.push(binary(Binary::Subtract, to, to, constant(constants::SHIFTED_SIGN)));
                }
                Op::Test { mask: m, a, b } => {
                    // Negative where the common bits or their negative are: where there are any.
                    let (m, spare) = (mask(m), Register(SPARE + half as u8));
                    code.push(I::Broadcast { to: m, from: word(b) });
                    code.push(I::Binary { operation: Binary::And, to: m, a: m, b: Operand::Register(v(a)) });
                    code.push(I::Zero { to: spare });
                    let (a, b) = (spare, Operand::Register(m));
                    code.push(I::Binary { operation: Binary::Subtract, to: spare, a, b });
                    code.push(I::Binary { operation: Binary::Or, to: m, a: m, b: Operand::Register(spare) });
                }
                Op::Negative { mask: m, a } => code.push(I::Copy { to: mask(m), from: v(a) }),
                Op::EvenPairs { .. } | Op::OddPairs { .. } | Op::Advance { .. } | Op::Repeat { .. } => {
                    unreachable!("done above")
                }
                Op::Equal { .. } | Op::Choose { .. } | Op::MergeStore { .. } => {
                    unreachable!("only in kernels for AVX-512")
                }
            }
        }
    }
    code
}

fn register(Vector(vector): Vector, half: usize) -> Register {
    Register(2 * vector + half as u8)
}
