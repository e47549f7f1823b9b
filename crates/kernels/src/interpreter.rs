// SPDX-License-Identifier: Apache-2.0
//! The twin: runs programs in plain Rust, lane by lane. Its own control flow follows the program only, never the data.

use crate::program::{Op, Pointer, Program, Row, Source, Vector};
use crate::{LIMB_BITS, Lanes};
use std::hint::black_box;

const LIMB: u64 = (1 << LIMB_BITS) - 1;

/// Runs `program` over `memory`, its pointers set to the rows `at`.
///
/// # Panics
/// When the program leaves `memory`.
pub fn run(program: &Program, memory: &mut [Lanes], at: [usize; Pointer::COUNT]) {
    let rows = at.map(|row| row as isize);
    Machine { vectors: [[0; 8]; 32], masks: [[0; 8]; 8], rows, memory }.run(program.ops());
}

struct Machine<'a> {
    vectors: [Lanes; 32],
    /// All ones in the lanes that are set: masks in the form in which they are used.
    masks: [Lanes; 8],
    rows: [isize; Pointer::COUNT],
    memory: &'a mut [Lanes],
}

impl Machine<'_> {
    fn run(&mut self, ops: &[Op]) {
        for op in ops {
            match *op {
                Op::Zero { to } => self.vectors[to.0 as usize] = [0; 8],
                Op::Copy { to, from } => self.vectors[to.0 as usize] = self.read(from),
                Op::Merge { to, mask, from } => {
                    let (from, mask) = (self.read(from), self.masks[mask.0 as usize]);
                    let to = &mut self.vectors[to.0 as usize];
                    *to = std::array::from_fn(|i| (to[i] & !mask[i]) | (from[i] & mask[i]));
                }
                Op::Store { to, from } => {
                    let row = self.row(to);
                    self.memory[row] = self.vectors[from.0 as usize];
                }
                Op::MergeStore { to, mask, from } => {
                    let (row, from, mask) = (self.row(to), self.vectors[from.0 as usize], self.masks[mask.0 as usize]);
                    let to = &mut self.memory[row];
                    *to = std::array::from_fn(|i| (to[i] & !mask[i]) | (from[i] & mask[i]));
                }
                Op::MultiplyAddLow { sum, a, b } => {
                    let (a, b) = (self.vectors[a.0 as usize], self.read(b));
                    let sum = &mut self.vectors[sum.0 as usize];
                    *sum = std::array::from_fn(|i| sum[i].wrapping_add(product(a[i], b[i]) as u64 & LIMB));
                }
                Op::MultiplyAddHigh { sum, a, b } => {
                    let (a, b) = (self.vectors[a.0 as usize], self.read(b));
                    let sum = &mut self.vectors[sum.0 as usize];
                    *sum = std::array::from_fn(|i| sum[i].wrapping_add((product(a[i], b[i]) >> LIMB_BITS) as u64));
                }
                Op::Add { to, a, b } => {
                    let (a, b) = (self.vectors[a.0 as usize], self.read(b));
                    self.vectors[to.0 as usize] = std::array::from_fn(|i| a[i].wrapping_add(b[i]));
                }
                Op::Subtract { to, a, b } => {
                    let (a, b) = (self.vectors[a.0 as usize], self.read(b));
                    self.vectors[to.0 as usize] = std::array::from_fn(|i| a[i].wrapping_sub(b[i]));
                }
                Op::And { to, a, b } => {
                    let (a, b) = (self.vectors[a.0 as usize], self.read(b));
                    self.vectors[to.0 as usize] = std::array::from_fn(|i| a[i] & b[i]);
                }
                Op::Or { to, a, b } => {
                    let (a, b) = (self.vectors[a.0 as usize], self.read(b));
                    self.vectors[to.0 as usize] = std::array::from_fn(|i| a[i] | b[i]);
                }
                Op::ShiftLeft { to, a, bits } => {
                    self.vectors[to.0 as usize] = self.vectors[a.0 as usize].map(|a| a << bits);
                }
                Op::ShiftRight { to, a, bits } => {
                    self.vectors[to.0 as usize] = self.vectors[a.0 as usize].map(|a| a >> bits);
                }
                Op::EvenWords { to, a, b } => self.mix(to, a, b, [0, 8, 2, 10, 4, 12, 6, 14]),
                Op::OddWords { to, a, b } => self.mix(to, a, b, [1, 9, 3, 11, 5, 13, 7, 15]),
                Op::EvenPairs { to, a, b } => self.mix(to, a, b, [0, 1, 4, 5, 8, 9, 12, 13]),
                Op::OddPairs { to, a, b } => self.mix(to, a, b, [2, 3, 6, 7, 10, 11, 14, 15]),
                Op::Down { to, a } => {
                    let a = self.vectors[a.0 as usize];
                    self.vectors[to.0 as usize] = [a[1], 0, a[3], 0, a[5], 0, a[7], 0];
                }
                Op::Up { to, a } => {
                    let a = self.vectors[a.0 as usize];
                    self.vectors[to.0 as usize] = [0, a[0], 0, a[2], 0, a[4], 0, a[6]];
                }
                Op::Permute { to, a, order } => {
                    let a = self.vectors[a.0 as usize];
                    let from = |i: usize| i / 4 * 4 + usize::from(order[i % 4]);
                    self.vectors[to.0 as usize] = std::array::from_fn(|i| a[from(i)]);
                }
                Op::Carry { to, a } => {
                    let a = self.vectors[a.0 as usize];
                    self.vectors[to.0 as usize] = a.map(|word| ((word as i64) >> LIMB_BITS) as u64);
                }
                Op::Test { mask, a, b } => {
                    let row = self.row(b.pointer.row(b.word / 8));
                    let b = self.memory[row][b.word % 8];
                    self.masks[mask.0 as usize] = self.vectors[a.0 as usize].map(|a| nonzero(a & b));
                }
                Op::Equal { mask, a, b } => {
                    let row = self.row(b.pointer.row(b.word / 8));
                    let b = self.memory[row][b.word % 8];
                    self.masks[mask.0 as usize] = self.vectors[a.0 as usize].map(|a| equal(a, b));
                }
                Op::Choose { to, mask, a, b } => {
                    let (a, b) = (self.vectors[a.0 as usize], self.read(b));
                    let (mask, words) = (self.masks[mask.0 as usize], a.into_iter().chain(b));
                    let to = &mut self.vectors[to.0 as usize];
                    // Every word is looked at, so that the twin's addresses tell nothing of the index. Without the black box the
                    // compiler makes a branch of the comparison; `make check-ct` would see it.
                    let chosen = |index: u64| {
                        let words = words.clone().zip(0..);
                        words.fold(0, |chosen, (word, number)| chosen | (word & black_box(equal(index & 15, number))))
                    };
                    *to = std::array::from_fn(|i| (to[i] & !mask[i]) | (chosen(to[i]) & mask[i]));
                }
                Op::Negative { mask, a } => self.masks[mask.0 as usize] = self.vectors[a.0 as usize].map(sign),
                Op::Advance { pointer, rows } => self.rows[pointer.index()] += rows,
                Op::Repeat { count, ref body } => (0..count).for_each(|_| self.run(body.ops())),
            }
        }
    }

    /// Puts the words numbered `order`, of `a` and then `b`, to `to`.
    fn mix(&mut self, to: Vector, a: Vector, b: Vector, order: [usize; 8]) {
        let (a, b) = (self.vectors[a.0 as usize], self.vectors[b.0 as usize]);
        self.vectors[to.0 as usize] = order.map(|i| if i < 8 { a[i] } else { b[i - 8] });
    }

    fn row(&self, Row { pointer, row }: Row) -> usize {
        usize::try_from(self.rows[pointer.index()]).expect("in memory") + row
    }

    fn read(&self, source: Source) -> Lanes {
        match source {
            Source::Vector(register) => self.vectors[register.0 as usize],
            Source::Row(row) => self.memory[self.row(row)],
        }
    }
}

fn product(a: u64, b: u64) -> u128 {
    u128::from(a & LIMB) * u128::from(b & LIMB)
}

/// All ones where there are any.
fn nonzero(word: u64) -> u64 {
    sign(word | word.wrapping_neg())
}

fn equal(a: u64, b: u64) -> u64 {
    !nonzero(a ^ b)
}

fn sign(word: u64) -> u64 {
    ((word as i64) >> 63) as u64
}
