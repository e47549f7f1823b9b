// SPDX-License-Identifier: Apache-2.0
//! Runs a program in plain Rust, 32 lanes in step, so that tests see the very program that a GPU gets.
//!
//! Stricter than a GPU: memory out of bounds panics, a carry taken that nothing gave panics, loop counts must be equal in
//! all lanes, what a program claims to be zero must be, and what one lane writes on the chip and another reads or writes has a
//! synchronisation between.

use crate::program::{Carry, Count, LANES, Layout, Op, Pointer, Program, ROW_WORDS, Register, SPREAD, Space, Value};

type Lanes = [u32; LANES];

/// Where an array starts: word `offset` of buffer `buffer`. It ends where the buffer does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Array {
    /// Which buffer.
    pub buffer: usize,
    /// In words.
    pub offset: usize,
}

/// What warps did to the memory on the chip.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Chip {
    /// Rows read and written.
    pub rows: u64,
    /// Cycles of the memory that took: four for a row, for each eight threads one; and more where threads want different
    /// rows of the same banks.
    pub cycles: u64,
}

/// Runs `program` on tiles `0..tiles` of `arrays`, which lie in `buffers`, with `number` for its parameter.
///
/// # Panics
/// When the program breaks one of its promises.
pub fn run(program: &Program, buffers: &mut [&mut [u32]], arrays: &[Array], tiles: usize, number: u32) -> Chip {
    let mut chip = Chip::default();
    assert_eq!(arrays.len(), usize::from(program.parameters), "arrays");
    for warp in 0..tiles * program.spread {
        let mut warp = Warp {
            number_of_warp: warp,
            spread: program.spread,
            number,
            registers: vec![[0; LANES]; program.registers as usize],
            pointers: vec![[0; LANES]; program.pointers.len()],
            carry: None,
            // What another kernel left there.
            shared: vec![0xA5A5_A5A5; program.shared_bytes() / 4],
            touched: vec![Touched::default(); program.shared_bytes() / 4],
            turn: 1,
            chip: Chip::default(),
            constant: program.constant,
            buffers,
            arrays,
        };
        warp.run(&program.ops);
        chip.rows += warp.chip.rows;
        chip.cycles += warp.chip.cycles;
    }
    chip
}

/// Who used a word on the chip in which turn, one bit for each lane.
#[derive(Clone, Copy, Default)]
struct Touched {
    turn: u32,
    readers: u32,
    writers: u32,
}

impl Touched {
    fn by(&mut self, lane: usize, turn: u32, writes: bool) {
        if self.turn != turn {
            *self = Touched { turn, ..Touched::default() };
        }
        let others = !(1 << lane);
        let before = if writes { self.readers | self.writers } else { self.writers };
        assert_eq!(before & others, 0, "a word that another lane uses, without a synchronisation");
        *(if writes { &mut self.writers } else { &mut self.readers }) |= 1 << lane;
    }
}

struct Warp<'a, 'b> {
    number_of_warp: usize,
    /// Threads for each number.
    spread: usize,
    number: u32,
    registers: Vec<Lanes>,
    /// In words from the start of the array.
    pointers: Vec<[usize; LANES]>,
    carry: Option<(Lanes, bool)>,
    shared: Vec<u32>,
    /// By whom, each word on the chip.
    touched: Vec<Touched>,
    /// Counts synchronisations.
    turn: u32,
    chip: Chip,
    /// See [`Program::constant`].
    constant: Option<(u8, usize)>,
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

    /// `count` words that a lane reads or writes.
    fn memory(&mut self, space: Space, at: usize, count: usize, lane: usize, writes: bool) -> &mut [u32] {
        match space {
            Space::Global(parameter) | Space::Constant(parameter) => {
                if let (Space::Constant(_), Some((_, words))) = (space, self.constant) {
                    assert!(!writes && at + count <= words, "a constant is read, within its array");
                }
                let Array { buffer, offset } = self.arrays[usize::from(parameter)];
                &mut self.buffers[buffer][offset..][at..at + count]
            }
            Space::Shared => {
                self.touched[at..at + count].iter_mut().for_each(|word| word.by(lane, self.turn, writes));
                &mut self.shared[at..at + count]
            }
        }
    }

    fn address(&self, pointer: Pointer, row: u32, lane: usize) -> usize {
        self.pointers[pointer.index as usize][lane] + row as usize * pointer.row_words
    }

    /// Counts a row that all lanes read or write.
    fn count(&mut self, pointer: Pointer, row: u32) {
        if pointer.space == Space::Shared {
            let slot = |lane| self.address(pointer, row, lane) / ROW_WORDS;
            let cycles = (0..LANES).step_by(8).map(|first| {
                let mut slots: Vec<usize> = (first..first + 8).map(slot).collect();
                slots.sort_unstable();
                slots.dedup();
                (0..8).map(|bank| slots.iter().filter(|slot| *slot % 8 == bank).count() as u64).max().unwrap_or(0)
            });
            self.chip.cycles += cycles.sum::<u64>();
            self.chip.rows += 1;
        }
    }

    fn run(&mut self, ops: &[Op]) {
        for op in ops {
            self.step(op);
        }
    }

    #[allow(clippy::needless_range_loop, reason = "lanes are numbers of threads, and index several arrays at once")]
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
                self.count(*pointer, *row);
                let mut loaded = [[0; LANES]; ROW_WORDS];
                for lane in 0..LANES {
                    let at = self.address(*pointer, *row, lane);
                    let memory = self.memory(pointer.space, at, ROW_WORDS, lane, false);
                    (0..ROW_WORDS).for_each(|i| loaded[i][lane] = memory[i]);
                }
                to.iter().zip(loaded).for_each(|(to, lanes)| self.set(*to, lanes));
            }
            Op::Store { from, pointer, row } => {
                self.count(*pointer, *row);
                let from = from.map(|value| self.get(value));
                for lane in 0..LANES {
                    let at = self.address(*pointer, *row, lane);
                    let memory = self.memory(pointer.space, at, ROW_WORDS, lane, true);
                    (0..ROW_WORDS).for_each(|i| memory[i] = from[i][lane]);
                }
            }
            Op::PointAtShare { pointer, of, share_rows } => {
                let (from, share) = (self.pointers[of.index as usize], *share_rows as usize * of.row_words);
                let in_row = if of.layout == Layout::Tile { ROW_WORDS } else { 0 };
                self.pointers[pointer.index as usize] =
                    std::array::from_fn(|lane| from[lane] - (lane - lane / SPREAD) * in_row + lane % SPREAD * share);
            }
            Op::Synchronise => self.turn += 1,
            Op::MultiplyMatrices { sum, a, b } => {
                let (a, b) = (a.map(|value| self.get(value)), self.get(*b));
                let added = multiply_matrices(&a, &b);
                for (sum, added) in sum.iter().zip(added) {
                    let before = self.get((*sum).into());
                    let after = |i: usize| before[i].checked_add(added[i]).filter(|sum| *sum <= i32::MAX as u32);
                    self.set(*sum, std::array::from_fn(|i| after(i).expect("a sum that fits")));
                }
            }
            Op::PointAtTile { pointer, rows, share_rows } => {
                let (warp, spread, row) = (self.number_of_warp, self.spread, pointer.row_words);
                let start = warp / spread * *rows as usize * row;
                let first = warp % spread * (LANES / spread);
                self.pointers[pointer.index as usize] = std::array::from_fn(|lane| {
                    start + (first + lane / spread) * ROW_WORDS + lane % spread * *share_rows as usize * row
                });
            }
            Op::Share { to } => self.set(*to, std::array::from_fn(|lane| (lane % SPREAD) as u32)),
            Op::Shuffle { to, from, share } => {
                let (from, share) = (self.get((*from).into()), self.get(*share));
                let of = |lane: usize| lane - lane % SPREAD + share[lane] as usize % SPREAD;
                self.set(*to, std::array::from_fn(|lane| from[of(lane)]));
            }
            Op::PointAtRecord { pointer, index, rows } => {
                let index = self.get((*index).into());
                let record = *rows as usize * pointer.row_words;
                let in_row = if pointer.layout == Layout::Tile { ROW_WORDS } else { 0 };
                self.pointers[pointer.index as usize] =
                    std::array::from_fn(|lane| index[lane] as usize * record + lane * in_row);
            }
            Op::Advance { pointer, rows } => {
                let words = *rows as isize * pointer.move_words() as isize;
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

/// The product of two matrices of bytes, spread over the lanes as [`Op::MultiplyMatrices`] says.
fn multiply_matrices(a: &[Lanes; 2], b: &Lanes) -> [Lanes; 4] {
    let bytes = |lanes: &Lanes, g: usize| -> [u32; 16] {
        std::array::from_fn(|k| u32::from(lanes[4 * g + k / 4].to_le_bytes()[k % 4]))
    };
    let a: [[u32; 16]; 16] = std::array::from_fn(|row| bytes(&a[row / 8], row % 8));
    let b: [[u32; 16]; 8] = std::array::from_fn(|column| bytes(b, column));
    std::array::from_fn(|i| {
        std::array::from_fn(|lane| {
            let (row, column) = (lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2);
            a[row].iter().zip(&b[column]).map(|(a, b)| a * b).sum()
        })
    })
}
