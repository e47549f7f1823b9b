// SPDX-License-Identifier: Apache-2.0
//! Instructions in plain Rust, lane by lane. Its own control flow follows the code only, never the data.

use super::Instruction as I;
use super::{Binary, Instruction, LANES, Operand, Place, REGISTERS, Register, double};
use crate::program::Pointer;
use crate::{LIMB_BITS, Lanes};

/// Interprets `code` over `memory`, its pointers set to the rows `at`.
///
/// # Panics
/// When the code leaves `memory`.
pub fn run(code: &[Instruction], memory: &mut [Lanes], at: [usize; Pointer::COUNT]) {
    let words = at.map(|row| 8 * row as isize);
    Machine { registers: [[0; LANES]; REGISTERS], words, memory: memory.as_flattened_mut() }.run(code, 0);
}

struct Machine<'a> {
    registers: [[u64; LANES]; REGISTERS],
    words: [isize; Pointer::COUNT],
    memory: &'a mut [u64],
}

impl Machine<'_> {
    /// `turns`: those left of the loop around the code, this one counted.
    fn run(&mut self, code: &[Instruction], turns: usize) {
        const LIMB: u64 = (1 << LIMB_BITS) - 1;
        for instruction in code {
            let get = |register: Register| self.registers[register.0 as usize];
            let read = |b: Operand| match b {
                Operand::Register(register) => get(register),
                Operand::Memory(place) => self.read(place),
            };
            let result = match *instruction {
                I::Zero { .. } => [0; LANES],
                I::Load { from, .. } => self.read(from),
                I::Broadcast { from, .. } => [self.memory[self.at(from)]; LANES],
                I::Copy { from, .. } => get(from),
                I::Store { to, from } => {
                    let (at, value) = (self.at(to), get(from));
                    self.memory[at..at + LANES].copy_from_slice(&value);
                    continue;
                }
                I::MultiplyAdd { high, sum, a, b } => {
                    let (sum, a, b) = (get(sum), get(a), read(b));
                    std::array::from_fn(|i| {
                        let product = u128::from(a[i] & LIMB) * u128::from(b[i] & LIMB);
                        sum[i].wrapping_add(if high { (product >> LIMB_BITS) as u64 } else { product as u64 & LIMB })
                    })
                }
                I::Binary { operation, a, b, .. } => {
                    let (a, b) = (get(a), read(b));
                    match operation {
                        Binary::Add => std::array::from_fn(|i| a[i].wrapping_add(b[i])),
                        Binary::Subtract => std::array::from_fn(|i| a[i].wrapping_sub(b[i])),
                        Binary::And => std::array::from_fn(|i| a[i] & b[i]),
                        Binary::Or => std::array::from_fn(|i| a[i] | b[i]),
                        Binary::EvenWords => [a[0], b[0], a[2], b[2]],
                        Binary::OddWords => [a[1], b[1], a[3], b[3]],
                        Binary::LowHalves => [a[0], a[1], b[0], b[1]],
                        Binary::HighHalves => [a[2], a[3], b[2], b[3]],
                        Binary::SubtractDoubles => std::array::from_fn(|i| double::subtract(a[i], b[i])),
                    }
                }
                I::FusedAdd { sum, a, b } => {
                    let (sum, a, b) = (get(sum), get(a), read(b));
                    std::array::from_fn(|i| double::fused(a[i], b[i], sum[i]))
                }
                I::ShiftLeft { a, bits, .. } => get(a).map(|a| a << bits),
                I::ShiftRight { a, bits, .. } => get(a).map(|a| a >> bits),
                I::Down { a, .. } => [get(a)[1], 0, get(a)[3], 0],
                I::Up { a, .. } => [0, get(a)[0], 0, get(a)[2]],
                I::Permute { a, order, .. } => order.map(|lane| get(a)[lane as usize]),
                I::Blend { a, b, mask, .. } => {
                    let (a, b, mask) = (get(a), read(b), get(mask).map(|mask| ((mask as i64) >> 63) as u64));
                    std::array::from_fn(|i| (a[i] & !mask[i]) | (b[i] & mask[i]))
                }
                I::Advance { pointer, rows } => {
                    self.words[pointer.index()] += 8 * rows;
                    continue;
                }
                I::Point { to, from, rows } => {
                    self.words[to.index()] = self.words[from.index()] + 8 * rows as isize;
                    continue;
                }
                I::Repeat { count, ref body } => {
                    (1..=count).rev().for_each(|turns| self.run(body, turns));
                    continue;
                }
                I::RepeatTurnsLeft { ref body } => {
                    (1..=turns).rev().for_each(|turns| self.run(body, turns));
                    continue;
                }
            };
            let to = instruction.writes().expect("a result");
            self.registers[to.0 as usize] = result;
        }
    }

    fn at(&self, Place { pointer, word }: Place) -> usize {
        usize::try_from(self.words[pointer.index()]).expect("in memory") + word
    }

    fn read(&self, place: Place) -> [u64; LANES] {
        let at = self.at(place);
        std::array::from_fn(|i| self.memory[at + i])
    }
}
