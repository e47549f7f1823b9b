// SPDX-License-Identifier: Apache-2.0
//! Against the kernels that mask and add: both compute the same numbers, not only numbers of the same residue.

use super::*;
use crate::program::{Op, Pointer, Source};
use crate::{DIRECT_LIMBS, LIMB_BITS, Lanes, constants, interpreter, scan};

const LIMB: u64 = (1 << LIMB_BITS) - 1;

/// xorshift64*, for test data that is the same in every run.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

fn named(kernels: Vec<Kernel>, name: &str) -> Program {
    kernels.into_iter().find(|kernel| kernel.name == name).expect("a kernel of this name").program
}

/// The inverse of −n modulo 2^52, for odd n.
fn negative_inverse(n: u64) -> u64 {
    // Each step doubles the bits that are right, of three.
    let inverse = (0..5).fold(n, |x, _| x.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(x))));
    inverse.wrapping_neg() & LIMB
}

/// Where things stand in the memory of a test.
struct Memory {
    limbs: usize,
    rows: Vec<Lanes>,
}

impl Memory {
    const NUMBERS: usize = 3;

    fn new(limbs: usize, round: usize, random: &mut Random) -> Memory {
        let table = scan::ENTRIES * 2 * limbs;
        let mut rows = vec![[0; 8]; constants::ROWS + (Memory::NUMBERS + 4) * limbs + table];
        // Rounds differ in which numbers are extreme; lanes are all random, all ones but for one, or small.
        rows[constants::ROWS..].iter_mut().for_each(|row| {
            *row = std::array::from_fn(|lane| match (round + lane) % 4 {
                0 => LIMB,
                1 => random.word() % 2,
                _ => random.word() & LIMB,
            });
        });
        let mut memory = Memory { limbs, rows };
        let modulus = memory.modulus();
        for row in &mut memory.rows[modulus..modulus + 1] {
            row.iter_mut().for_each(|word| *word |= 1);
        }
        // Numbers are below 2^(52 N − 6): products of two, in the kernels' bounds, then are below 2^(52 N) n.
        for number in 0..Memory::NUMBERS + 2 {
            let top = constants::ROWS + (number + 1) * limbs - 1;
            memory.rows[top].iter_mut().for_each(|word| *word &= LIMB >> 7);
        }
        memory.rows[modulus + limbs - 1].iter_mut().for_each(|word| *word |= 1 << 45);
        memory.rows[constants::NEGATIVE_INVERSE] = memory.rows[modulus].map(negative_inverse);
        memory.rows[constants::LIMB_MASK] = [LIMB; 8];
        memory.rows[constants::WANTED] = std::array::from_fn(|_| random.word() % scan::ENTRIES as u64);
        memory.rows[constants::NUMBERS] = std::array::from_fn(|i| i as u64);
        memory.rows[constants::EIGHT] = [8; 8];
        memory.rows[constants::ONE] = [1; 8];
        memory.rows[constants::ONES_51] = [(1 << 51) - 1; 8];
        memory.rows[constants::ONES_53] = [(1 << 53) - 1; 8];
        memory
    }

    fn number(&self, number: usize) -> usize {
        constants::ROWS + number * self.limbs
    }

    fn modulus(&self) -> usize {
        self.number(Memory::NUMBERS)
    }

    fn selection(&self) -> usize {
        self.number(Memory::NUMBERS + 2)
    }

    fn table(&self) -> usize {
        self.number(Memory::NUMBERS + 4)
    }

    /// The same with dirt above bit 52 of everything but the modulus and the constants.
    fn loose(&self, random: &mut Random) -> Vec<Lanes> {
        let (modulus, limbs) = (self.modulus(), self.limbs);
        let rows = self.rows.iter().enumerate().map(|(i, row)| {
            let clean = i < constants::ROWS || (modulus..modulus + limbs).contains(&i);
            row.map(|word| if clean { word } else { word | random.word() << LIMB_BITS })
        });
        rows.collect()
    }
}

#[test]
fn they_compute_what_the_other_kernels_do_whatever_stands_above_the_limbs() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for limbs in DIRECT_LIMBS {
        for round in 0..12 {
            let memory = Memory::new(limbs, round, &mut random);
            let [r, a, b] = [0, 1, 2].map(|number| memory.number(number));
            let (n, c, selection, table) = (memory.modulus(), 0, memory.selection(), memory.table());
            for (name, at) in [
                ("square", [r, a, n, c, 0, 0]),
                ("square", [a, a, n, c, 0, 0]),
                ("multiply", [r, a, n, c, b, 0]),
                ("multiply", [b, a, n, c, b, 0]),
                ("half_multiply", [r, a, n, c, b, r]),
                ("half_multiply", [b, a, n, c, b, a]),
                ("half_reduce", [r, a, n, c, 0, 0]),
                ("half_reduce", [a, a, n, c, 0, 0]),
                ("add", [r, a, b, c, 0, 0]),
                ("subtract_modulus", [r, a, n, c, 0, 0]),
                ("window", [a, selection + limbs, n, c, table, selection]),
            ] {
                let run = |program: &Program, mut rows: Vec<Lanes>| {
                    interpreter::run(program, &mut rows, at);
                    let rows = rows.into_iter().enumerate();
                    let kept = rows.filter(|(row, _)| !(constants::SPILL..constants::ROWS).contains(row));
                    kept.map(|(row, lanes)| if row < constants::ROWS { lanes } else { lanes.map(|word| word & LIMB) })
                        .collect()
                };
                let theirs: Vec<Lanes> = run(&named(crate::all(), &format!("{name}_{limbs}")), memory.rows.clone());
                let ours = named(all(), &format!("two_rows_{name}_{limbs}"));
                let ours: Vec<Lanes> = run(&ours, memory.loose(&mut random));
                assert!(ours == theirs, "{name}_{limbs} at {at:?}, round {round}");
            }
        }
    }
}

/// An upper bound of every word that a program computes, from any words in memory but the constants.
#[test]
fn no_column_overflows_whatever_the_limbs() {
    for Kernel { name, program } in all() {
        let mut vectors = [u128::from(u64::MAX); 32];
        let mut largest = 0;
        program.walk(|op, _| {
            let of = |source: Source, vectors: &[u128; 32]| match source {
                Source::Vector(register) => vectors[register.0 as usize],
                Source::Row(row) if row.pointer == constants::POINTER => match row.row {
                    constants::NEGATIVE_INVERSE | constants::LIMB_MASK => u128::from(LIMB),
                    constants::ONES_51 => (1 << 51) - 1,
                    constants::ONES_53 => (1 << 53) - 1,
                    constants::ONE => 1,
                    _ => u64::MAX.into(),
                },
                Source::Row(_) => u64::MAX.into(),
            };
            let (to, bound) = match *op {
                Op::Zero { to } => (to, 0),
                Op::Copy { to, from } => (to, of(from, &vectors)),
                Op::MultiplyAddLow { sum, .. } | Op::MultiplyAddHigh { sum, .. } => {
                    (sum, vectors[sum.0 as usize] + u128::from(LIMB))
                }
                Op::Add { to, a, b } => (to, vectors[a.0 as usize] + of(b, &vectors)),
                Op::And { to, a, b } => (to, vectors[a.0 as usize].min(of(b, &vectors))),
                Op::ShiftRight { to, a, bits } => (to, vectors[a.0 as usize] >> bits),
                // A carry with its sign: normalise's numbers are tested above.
                Op::Carry { to, .. } | Op::Subtract { to, .. } => (to, 0),
                _ => match op.operands().writes {
                    Some(to) => (to, u64::MAX.into()),
                    None => return,
                },
            };
            // What is loaded has no bound; what is computed must not wrap.
            assert!(bound <= u64::MAX.into(), "{name}: {op:?} may reach {bound:#x}");
            vectors[to.0 as usize] = bound;
            if matches!(op, Op::MultiplyAddLow { .. } | Op::MultiplyAddHigh { .. }) {
                largest = bound.max(largest);
            }
        });
        assert!(largest < 1 << 60, "{name}: columns reach {largest:#x}");
    }
}

#[test]
fn each_limb_of_the_modulus_is_loaded_once_for_two_rows_and_never_an_operand_in_memory() {
    for limbs in DIRECT_LIMBS {
        for (name, rows) in
            [("square", limbs), ("multiply", limbs), ("half_multiply", limbs / 2), ("half_reduce", limbs / 2)]
        {
            let mut loads = 0;
            named(all(), &format!("two_rows_{name}_{limbs}")).walk(|op, _| {
                let multiplies = matches!(op, Op::MultiplyAddLow { .. } | Op::MultiplyAddHigh { .. });
                let row = op.operands().loads;
                assert!(!(multiplies && row.is_some()), "{name}: {op:?}");
                loads += usize::from(row.is_some_and(|row| row.pointer == Pointer::P2));
            });
            // The two lowest limbs come once more, for the second digit; of an odd number of rows one stands alone.
            assert_eq!(loads, rows / 2 * (limbs + 2) + rows % 2 * limbs, "{name}");
        }
    }
}

#[test]
fn a_window_reads_every_entry_of_its_table() {
    for limbs in DIRECT_LIMBS {
        let program = named(all(), &format!("two_rows_window_{limbs}"));
        let mut read = vec![0; scan::ENTRIES * 2 * limbs];
        program.walk(|op, moved| {
            if let Some(row) = op.operands().loads.filter(|row| row.pointer == Pointer::P4) {
                read[row.row.checked_add_signed(moved[Pointer::P4.index()]).expect("after the pointer")] += 1;
            }
        });
        assert!(read.iter().all(|times| *times == 1));
    }
}
