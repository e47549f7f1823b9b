// SPDX-License-Identifier: Apache-2.0
//! Runs a program in plain Rust, 32 lanes in step, so that tests see the very program that a GPU gets.
//!
//! It is stricter than a GPU. It panics on memory out of bounds, on a carry that is taken and was not given, on a loop count
//! that differs between lanes, and on a word that the program claims to be zero and is not.

use crate::program::{Carry, Count, LANES, Op, Pointer, Program, ROW_WORDS, Register, Space, Value};

type Lanes = [u32; LANES];

/// Where an array starts: word `offset` of buffer `buffer`. It ends where the buffer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Which buffer.
    pub buffer: usize,
    /// In words.
    pub offset: usize,
}

/// Runs `program` on tiles `0..tiles` of `arrays`, which lie in `buffers`, with `number` for its parameter.
///
/// # Panics
/// When the program breaks one of its promises.
pub fn run(program: &Program, buffers: &mut [&mut [u32]], arrays: &[Array], tiles: usize, number: u32) {
    assert_eq!(arrays.len(), usize::from(program.parameters), "arrays");
    for tile in 0..tiles {
        let mut warp = Warp {
            tile,
            number,
            registers: vec![[0; LANES]; program.registers as usize],
            pointers: vec![[0; LANES]; program.pointers.len()],
            carry: None,
            // What another kernel left there.
            shared: vec![0xA5A5_A5A5; program.shared_bytes() / 4],
            buffers,
            arrays,
        };
        warp.run(&program.ops);
    }
}

struct Warp<'a, 'b> {
    tile: usize,
    number: u32,
    registers: Vec<Lanes>,
    /// In words from the start of the array.
    pointers: Vec<[usize; LANES]>,
    carry: Option<(Lanes, bool)>,
    shared: Vec<u32>,
    buffers: &'a mut [&'b mut [u32]],
    arrays: &'a [Array],
}

impl Warp<'_, '_> {
    fn get(&self, value: Value) -> Lanes {
        match value {
            Value::Register(register) => self.registers[register.0 as usize],
            Value::Word(word) => [word; LANES],
        }
    }

    fn set(&mut self, to: Register, lanes: Lanes) {
        self.registers[to.0 as usize] = lanes;
    }

    fn map(&mut self, to: Register, a: Value, b: Value, f: impl Fn(u32, u32) -> u32) {
        let (a, b) = (self.get(a), self.get(b));
        self.set(to, std::array::from_fn(|i| f(a[i], b[i])));
    }

    /// `to = a + b`, where `a` and `b` are given, with carries.
    fn sum(&mut self, to: Register, a: &Lanes, b: &Lanes, carry: Carry, negative: bool) {
        let carry_in = match self.carry {
            // A GPU keeps a borrow as its inverse: additions and subtractions cannot take each other's.
            Some((given, by_subtraction)) if carry.takes => {
                assert_eq!(by_subtraction, negative, "a carry goes from addition to addition, a borrow likewise");
                given
            }
            None if carry.takes => panic!("a carry was given before"),
            _ => [0; LANES],
        };
        let mut result = [0; LANES];
        let mut carry_out = [0; LANES];
        for i in 0..LANES {
            let (a, b, c) = (u64::from(a[i]), u64::from(b[i]), u64::from(carry_in[i]));
            let sum = if negative { a.wrapping_sub(b).wrapping_sub(c) } else { a + b + c };
            result[i] = sum as u32;
            carry_out[i] = (sum >> 32) as u32 & 1;
        }
        // A carry that is not handed on is gone: who takes it later has a mistake.
        self.carry = carry.gives.then_some((carry_out, negative));
        self.set(to, result);
    }

    /// The row that a lane reads or writes.
    fn memory(&mut self, pointer: Pointer, row: u32, lane: usize) -> &mut [u32] {
        let at = self.pointers[pointer.index as usize][lane] + row as usize * pointer.row_words();
        match pointer.space {
            Space::Tiles(parameter) | Space::Records(parameter) => {
                let Array { buffer, offset } = self.arrays[usize::from(parameter)];
                &mut self.buffers[buffer][offset..][at..at + ROW_WORDS]
            }
            Space::Shared => &mut self.shared[at..at + ROW_WORDS],
        }
    }

    fn run(&mut self, ops: &[Op]) {
        for op in ops {
            self.step(op);
        }
    }

    fn step(&mut self, op: &Op) {
        match op {
            Op::Copy { to, from } => self.set(*to, self.get(*from)),
            Op::MultiplyAdd { high, to, a, b, c, carry } => {
                let (a, b, c) = (self.get(*a), self.get(*b), self.get(*c));
                let shift = if *high { 32 } else { 0 };
                let half = std::array::from_fn(|i| ((u64::from(a[i]) * u64::from(b[i])) >> shift) as u32);
                self.sum(*to, &half, &c, *carry, false);
            }
            Op::Multiply { to, a, b } => self.map(*to, *a, *b, u32::wrapping_mul),
            Op::Add { to, a, b, carry } => self.sum(*to, &self.get(*a), &self.get(*b), *carry, false),
            Op::Subtract { to, a, b, carry } => self.sum(*to, &self.get(*a), &self.get(*b), *carry, true),
            Op::And { to, a, b } => self.map(*to, *a, *b, |a, b| a & b),
            Op::Or { to, a, b } => self.map(*to, *a, *b, |a, b| a | b),
            Op::ShiftRight { to, a, bits } => self.map(*to, *a, Value::ZERO, |a, _| a >> bits),
            Op::ShiftLeft { to, high, low, bits } => {
                self.map(*to, *high, *low, |high, low| high << bits | low >> (32 - bits));
            }
            Op::Equal { to, a, b } => self.map(*to, *a, *b, |a, b| if a == b { u32::MAX } else { 0 }),
            Op::Load { to, pointer, row } => {
                for lane in 0..LANES {
                    let words: [u32; ROW_WORDS] = self.memory(*pointer, *row, lane).try_into().expect("a row");
                    to.iter().zip(words).for_each(|(to, word)| self.registers[to.0 as usize][lane] = word);
                }
            }
            Op::Store { from, pointer, row } => {
                let from = from.map(|value| self.get(value));
                for lane in 0..LANES {
                    self.memory(*pointer, *row, lane).copy_from_slice(&from.map(|lanes| lanes[lane]));
                }
            }
            Op::PointAtTile { pointer, rows } => {
                // On the chip, a warp has a part of its own.
                let start = self.tile * *rows as usize * pointer.row_words();
                self.pointers[pointer.index as usize] = std::array::from_fn(|lane| start + lane * ROW_WORDS);
            }
            Op::PointAtRecord { pointer, index, rows } => {
                let record = *rows as usize * pointer.row_words();
                self.pointers[pointer.index as usize] = self.get((*index).into()).map(|index| index as usize * record);
            }
            Op::Advance { pointer, rows } => {
                let words = *rows as isize * pointer.row_words() as isize;
                for at in &mut self.pointers[pointer.index as usize] {
                    *at = at.checked_add_signed(words).expect("within the array");
                }
            }
            Op::CopyPointer { to, from } => {
                self.pointers[to.index as usize] = self.pointers[from.index as usize];
            }
            Op::Parameter { to } => self.set(*to, [self.number; LANES]),
            Op::Repeat { count, body } => {
                let count = match count {
                    Count::Constant(count) => *count,
                    Count::Register(register) => {
                        let lanes = self.get((*register).into());
                        assert!(lanes.iter().all(|lane| *lane == lanes[0]), "a loop count differs between lanes");
                        lanes[0]
                    }
                };
                (0..count).for_each(|_| self.run(body));
            }
            Op::Zero { value } => assert_eq!(self.get(*value), [0; LANES], "claimed to be zero"),
        }
    }
}
