// SPDX-License-Identifier: Apache-2.0
//! Modular arithmetic on numbers held in memory on the chip, one thread per number, any number of blocks of 16 words.
//!
//! A product of two blocks is 16 rows over a window in registers; loops over blocks do the rest. Per 256 products 48
//! words are moved, the code stays within 6 KB a loop, and registers do not grow with the length.
//!
//! R = 2^(32 n) > N, and every number is below R, not below 2N: moduli of primes fill all their words, so R > 4N would
//! cost a word more, 6 % more products at n = 32. Instead the one carry of each reduction is folded back by subtracting
//! N where it is set: 2 n additions, which do not occupy the multipliers.
//!
//! | file | what it has |
//! |---|---|
//! | `mod` | the numbers, where they come from and go, and whole operations modulo N |
//! | `product` | T = A * y and T = A² |
//! | `reduction` | A = T / R mod N |
//! | `addition` | sums and differences, modulo N or not |
//!
//! Source: Montgomery 1985.

mod addition;
mod product;
mod reduction;

use crate::program::{Builder, Pointer, ROW_WORDS, Value};
use reduction::negative_inverse;

/// Words of a block.
pub const BLOCK: usize = 16;

/// Rows of a block.
const ROWS: usize = BLOCK / ROW_WORDS;

/// A number A of n words and a product T of 2 n words on the chip, and a modulus.
pub struct Streamed {
    blocks: usize,
    a: Pointer,
    t: Pointer,
    modulus: Pointer,
    /// −N^−1 mod 2^32
    inverse: Value,
}

impl Streamed {
    /// Nothing in A and T yet; the modulus of `words` words, odd, is read from `modulus`.
    pub fn new(b: &mut Builder, words: usize, modulus: Pointer) -> Streamed {
        assert!(words.is_multiple_of(BLOCK), "whole blocks");
        let (a, t) = (b.shared(words / ROW_WORDS), b.shared(2 * words / ROW_WORDS));
        let lowest = b.load(modulus, 0, 1)[0];
        Streamed { blocks: words / BLOCK, a, t, modulus, inverse: negative_inverse(b, lowest) }
    }

    /// Runs `body` for each block, with pointers to it that start at those given and move `ROWS` rows each time.
    fn each_block<const N: usize>(
        &self,
        b: &mut Builder,
        pointers: [Pointer; N],
        body: impl FnOnce(&mut Builder, [Pointer; N]),
    ) {
        let pointers = pointers.map(|pointer| b.copy_of(pointer));
        b.times(self.blocks, |b| {
            body(b, pointers);
            pointers.iter().for_each(|pointer| b.advance(*pointer, ROWS as i32));
        });
    }

    /// A = the rows from `from` on.
    pub fn load(&self, b: &mut Builder, from: Pointer) {
        self.each_block(b, [from, self.a], |b, [from, a]| {
            let words = b.load(from, 0, ROWS);
            b.store(a, 0, &words);
        });
    }

    /// Writes A to the rows from `to` on.
    pub fn store(&self, b: &mut Builder, to: Pointer) {
        self.each_block(b, [self.a, to], |b, [a, to]| {
            let words = b.load(a, 0, ROWS);
            b.store(to, 0, &words);
        });
    }

    /// Writes T to the rows from `to` on.
    pub fn store_product(&self, b: &mut Builder, to: Pointer) {
        let (t, to) = (b.copy_of(self.t), b.copy_of(to));
        b.times(2 * self.blocks, |b| {
            let words = b.load(t, 0, ROWS);
            b.store(to, 0, &words);
            b.advance(t, ROWS as i32);
            b.advance(to, ROWS as i32);
        });
    }

    /// A = T = 0. At the end, so that nothing secret is left on the chip.
    pub fn wipe(&self, b: &mut Builder) {
        self.each_block(b, [self.a], |b, [a]| b.store(a, 0, &[Value::ZERO; BLOCK]));
        self.clear_product(b);
    }

    fn clear_product(&self, b: &mut Builder) {
        let t = b.copy_of(self.t);
        b.times(self.blocks, |b| {
            b.store(t, 0, &[Value::ZERO; 2 * BLOCK]);
            b.advance(t, 2 * ROWS as i32);
        });
    }

    /// A = A * y / R mod N
    pub fn multiply_modulo(&self, b: &mut Builder, from: Pointer) {
        self.multiply_by(b, from);
        self.reduce(b);
    }

    /// A = A * x / R mod N, below N, where x is read from `from` and A x < R N.
    pub fn multiply_below_modulus(&self, b: &mut Builder, from: Pointer) {
        self.multiply_by(b, from);
        let carry = self.reduce_below_two(b);
        self.subtract_modulus(b, carry);
    }

    /// A = A² / R mod N
    pub fn square_modulo(&self, b: &mut Builder) {
        self.square(b);
        self.reduce(b);
    }

    /// A = A / R mod N, below N: out of Montgomery form.
    pub fn convert_back(&self, b: &mut Builder) {
        self.clear_product(b);
        self.each_block(b, [self.a, self.t], |b, [a, t]| {
            let words = b.load(a, 0, ROWS);
            b.store(t, 0, &words);
        });
        let carry = self.reduce_below_two(b);
        self.subtract_modulus(b, carry);
    }
}
