// SPDX-License-Identifier: Apache-2.0
//! The memory that the kernels are tried in: numbers, a table and the constants, with extreme limbs among random ones.

use super::LIMB;
use crate::{LIMB_BITS, Lanes, constants, reducer, scan};

/// xorshift64*, for test data that is the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// The inverse of −n modulo 2^52, for odd n.
pub fn negative_inverse(n: u64) -> u64 {
    // Each step doubles the bits that are right, of three.
    let inverse = (0..5).fold(n, |x, _| x.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(x))));
    inverse.wrapping_neg() & LIMB
}

/// Where things stand in the memory of a test.
pub struct Memory {
    pub limbs: usize,
    pub rows: Vec<Lanes>,
}

impl Memory {
    pub const NUMBERS: usize = 3;

    pub fn new(limbs: usize, round: usize, random: &mut Random) -> Memory {
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
        for lane in 0..8 {
            let mut limb_reducer = vec![0; limbs];
            let inverse = memory.rows[constants::NEGATIVE_INVERSE][lane];
            reducer::of_limb(&memory.lane(modulus, lane), inverse, &mut limb_reducer);
            memory.rows[modulus + limbs..].iter_mut().zip(limb_reducer).for_each(|(row, limb)| row[lane] = limb);
        }
        memory.rows[constants::LIMB_MASK] = [LIMB; 8];
        memory.rows[constants::WANTED] = std::array::from_fn(|_| random.word() % scan::ENTRIES as u64);
        memory.rows[constants::NUMBERS] = std::array::from_fn(|i| i as u64);
        memory.rows[constants::EIGHT] = [8; 8];
        memory.rows[constants::ONE] = [1; 8];
        memory
    }

    /// The limbs of the number at `place` in a lane.
    pub fn lane(&self, place: usize, lane: usize) -> Vec<u64> {
        self.rows[place..place + self.limbs].iter().map(|row| row[lane]).collect()
    }

    pub fn number(&self, number: usize) -> usize {
        constants::ROWS + number * self.limbs
    }

    /// n, and behind it 2^(−52) mod n.
    pub fn modulus(&self) -> usize {
        self.number(Memory::NUMBERS)
    }

    pub fn selection(&self) -> usize {
        self.number(Memory::NUMBERS + 2)
    }

    pub fn table(&self) -> usize {
        self.number(Memory::NUMBERS + 4)
    }

    /// The same with dirt above bit 52 of everything but n, 2^(−52) mod n and the constants.
    pub fn loose(&self, random: &mut Random) -> Vec<Lanes> {
        let (modulus, limbs) = (self.modulus(), self.limbs);
        let rows = self.rows.iter().enumerate().map(|(i, row)| {
            let clean = i < constants::ROWS || (modulus..modulus + 2 * limbs).contains(&i);
            row.map(|word| if clean { word } else { word | random.word() << LIMB_BITS })
        });
        rows.collect()
    }
}
