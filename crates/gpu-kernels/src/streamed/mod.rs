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
//! Source: Montgomery 1985.

use crate::program::{Builder, Carry, Count, Pointer, ROW_WORDS, Register, Value};
use crate::window::{BOTH, GIVES, TAKES, Window, give_borrow, give_carry, products_of_different};

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

    /// T = A * y, where `y` gives one block of y after the other. Cost: n² products.
    pub fn multiply(&self, b: &mut Builder, y: impl FnOnce(&mut Builder) -> Vec<Value>) {
        self.clear_product(b);
        let t = b.copy_of(self.t);
        let (a, at) = (b.copy_of(self.a), b.copy_of(self.t));
        b.times(self.blocks, |b| {
            let y = y(b);
            b.repoint(a, self.a);
            b.repoint(at, t);
            let window = Window::over(b.load(t, 0, ROWS));
            self.rows(b, window, Count::Constant(self.blocks as u32), &y, (a, at), Value::ZERO);
            b.advance(t, ROWS as i32);
        });
    }

    /// T = A * the number in the rows from `from` on.
    pub fn multiply_by(&self, b: &mut Builder, from: Pointer) {
        let from = b.copy_of(from);
        self.multiply(b, |b| {
            let y = b.load(from, 0, ROWS);
            b.advance(from, ROWS as i32);
            y
        });
    }

    /// Adds `x * y` to T from the block that `t` points to on, for `count` blocks of x, and `carry` above; `window` holds
    /// the lowest block of that sum. Returns what is carried out.
    fn rows(
        &self,
        b: &mut Builder,
        window: Window,
        count: Count,
        y: &[Value],
        (x, t): (Pointer, Pointer),
        carry: Value,
    ) -> Value {
        let window = window.repeat(b, count, |b, window| {
            let (words, above) = (b.load(x, 0, ROWS), b.load(t, ROWS, ROWS));
            let finished: Vec<Value> =
                words.iter().zip(above).map(|(x, above)| window.row(b, y, above, |_, _| *x)).collect();
            b.store(t, 0, &finished);
            b.advance(x, ROWS as i32);
            b.advance(t, ROWS as i32);
        });
        let (words, above) = window.close(b, carry);
        b.store(t, 0, &words);
        if carry == Value::ZERO {
            b.zero(above);
        }
        above
    }

    /// T = A². Cost: n (n + 1) / 2 products.
    pub fn square(&self, b: &mut Builder) {
        self.clear_product(b);
        self.add_products_of_different(b);
        self.double_and_add_squares(b);
    }

    fn add_products_of_different(&self, b: &mut Builder) {
        let left = b.copy(Value::Word(self.blocks as u32 - 1));
        let (a, t) = (b.copy_of(self.a), b.copy_of(self.t));
        let (x, at) = (b.copy_of(self.a), b.copy_of(self.t));
        b.times(self.blocks, |b| {
            let y = b.load(a, 0, ROWS);
            let products = products_of_different(b, &y);
            let old = b.load(t, 0, 2 * ROWS);
            let mut sum: Vec<Value> = products
                .iter()
                .zip(old)
                .enumerate()
                .map(|(i, (a, c))| b.add(*a, c, if i == 0 { GIVES } else { BOTH }))
                .collect();
            let carry = b.add(Value::ZERO, Value::ZERO, TAKES);
            let high = sum.split_off(BLOCK);
            b.store(t, 0, &sum);
            b.repoint(x, a);
            b.advance(x, ROWS as i32);
            b.repoint(at, t);
            b.advance(at, ROWS as i32);
            let window = Window::over(high).with_carry(carry);
            self.rows(b, window, Count::Register(left), &y, (x, at), Value::ZERO);
            b.advance(a, ROWS as i32);
            b.advance(t, 2 * ROWS as i32);
            let less = b.subtract(left.into(), Value::Word(1), Carry::default());
            b.set(left, less);
        });
    }

    fn double_and_add_squares(&self, b: &mut Builder) {
        let (below, carry) = (b.copy(Value::ZERO), b.copy(Value::ZERO));
        let (a, t) = (b.copy_of(self.a), b.copy_of(self.t));
        b.times(self.blocks, |b| {
            let (words, old) = (b.load(a, 0, ROWS), b.load(t, 0, 2 * ROWS));
            let doubled: Vec<Value> = (0..2 * BLOCK)
                .map(|i| b.shift_left(old[i], if i == 0 { below.into() } else { old[i - 1] }, 1))
                .collect();
            give_carry(b, carry.into());
            let mut sum = Vec::with_capacity(2 * BLOCK);
            for (i, word) in words.iter().enumerate() {
                let (low, high) = b.product(*word, *word, (doubled[2 * i], doubled[2 * i + 1]), BOTH);
                sum.extend([low, high]);
            }
            let out = b.add(Value::ZERO, Value::ZERO, TAKES);
            b.set(carry, out);
            b.set(below, old[2 * BLOCK - 1]);
            b.store(t, 0, &sum);
            b.advance(a, ROWS as i32);
            b.advance(t, 2 * ROWS as i32);
        });
        b.zero(carry.into());
    }

    /// A = T / R mod N, below R. Cost: n² products.
    pub fn reduce(&self, b: &mut Builder) {
        let carry = self.reduce_upper_half(b);
        let upper = self.upper_half(b);
        self.fold_carry(b, upper, carry);
    }

    /// A + carry R = T / R mod N, below N + T / R: below 2N where T < R N. Returns the carry. Cost: n² products.
    fn reduce_below_two(&self, b: &mut Builder) -> Value {
        let carry = self.reduce_upper_half(b);
        let upper = self.upper_half(b);
        self.load(b, upper);
        carry
    }

    /// The upper half of T.
    fn upper_half(&self, b: &mut Builder) -> Pointer {
        let upper = b.copy_of(self.t);
        b.advance(upper, (self.blocks * ROWS) as i32);
        upper
    }

    /// The same in the upper half of T.
    fn reduce_upper_half(&self, b: &mut Builder) -> Value {
        let carry = b.copy(Value::ZERO);
        let t = b.copy_of(self.t);
        let (modulus, at) = (b.copy_of(self.modulus), b.copy_of(self.t));
        b.times(self.blocks, |b| {
            let (lowest, above) = (b.load(self.modulus, 0, ROWS), b.load(t, ROWS, ROWS));
            let mut window = Window::over(b.load(t, 0, ROWS));
            let mut quotient = Vec::with_capacity(BLOCK);
            for above in above {
                let zero = window.row(b, &lowest, above, |b, lowest| {
                    let digit = b.multiply(lowest, self.inverse);
                    quotient.push(digit);
                    digit
                });
                b.zero(zero);
            }
            b.repoint(modulus, self.modulus);
            b.advance(modulus, ROWS as i32);
            b.repoint(at, t);
            b.advance(at, ROWS as i32);
            let count = Count::Constant(self.blocks as u32 - 1);
            let above = if self.blocks > 1 {
                self.rows(b, window, count, &quotient, (modulus, at), carry.into())
            } else {
                let (words, above) = window.close(b, carry.into());
                b.store(at, 0, &words);
                above
            };
            b.set(carry, above);
            b.advance(t, ROWS as i32);
        });
        carry.into()
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

    /// `to = first + second`, or `first - second` where `negative`; with `factor`, 0 or 1, times `second`. Returns the carry.
    fn add_blocks(
        &self,
        b: &mut Builder,
        to: Pointer,
        first: Pointer,
        second: Pointer,
        factor: Option<Value>,
        negative: bool,
    ) -> Value {
        let mask = factor.map(|factor| b.subtract(Value::ZERO, factor, Carry::default()));
        let carry = b.copy(Value::ZERO);
        self.each_block(b, [to, first, second], |b, [to, first, second]| {
            let (first, mut second) = (b.load(first, 0, ROWS), b.load(second, 0, ROWS));
            if let Some(mask) = mask {
                second.iter_mut().for_each(|word| *word = b.and(*word, mask));
            }
            let pairs = first.into_iter().zip(second);
            let (sum, out): (Vec<Value>, _) = if negative {
                give_borrow(b, carry.into());
                let difference = pairs.map(|(x, y)| b.subtract(x, y, BOTH)).collect();
                let mask = b.subtract(Value::ZERO, Value::ZERO, TAKES);
                (difference, b.and(mask, Value::Word(1)))
            } else {
                give_carry(b, carry.into());
                (pairs.map(|(x, y)| b.add(x, y, BOTH)).collect(), b.add(Value::ZERO, Value::ZERO, TAKES))
            };
            b.set(carry, out);
            b.store(to, 0, &sum);
        });
        carry.into()
    }

    /// A = x + `carry` R, less N where the carry is set: below R, if it was less than R + N. Returns the carry left. x is read
    /// from `from`.
    fn fold_carry(&self, b: &mut Builder, from: Pointer, carry: Value) -> Value {
        let borrow = self.add_blocks(b, self.a, from, self.modulus, Some(carry), true);
        b.subtract(carry, borrow, Carry::default())
    }

    /// A + `carry` R, below 2N, becomes A, below N.
    fn subtract_modulus(&self, b: &mut Builder, carry: Value) {
        let borrow = self.add_blocks(b, self.a, self.a, self.modulus, None, true);
        // 1 where N was too much.
        let back = b.subtract(borrow, carry, Carry::default());
        self.add_modulus(b, back);
    }

    /// Adds N where `bit` is 1, modulo R.
    fn add_modulus(&self, b: &mut Builder, bit: Value) {
        self.add_blocks(b, self.a, self.a, self.modulus, Some(bit), false);
    }

    /// A = 2A mod N, where A < N.
    pub fn double_modulo(&self, b: &mut Builder) {
        let carry = self.add_blocks(b, self.a, self.a, self.a, None, false);
        self.subtract_modulus(b, carry);
    }

    /// A = A + x mod N, below R, where x < R is read from `from` and A is below R and, where N < R / 4, below 3N.
    pub fn add_modulo(&self, b: &mut Builder, from: Pointer) {
        /// The sum is below 2R, and 2R − 4N below R; or it is below R + 3N.
        const FOLDS: usize = 4;
        let carry = self.add_blocks(b, self.a, self.a, from, None, false);
        let left = b.copy(carry);
        b.times(FOLDS, |b| {
            let carry = self.fold_carry(b, self.a, left.into());
            b.set(left, carry);
        });
        b.zero(left.into());
    }

    /// A = A − x mod N, where both are below N and x is read from `from`.
    pub fn subtract_modulo(&self, b: &mut Builder, from: Pointer) {
        let borrow = self.add_blocks(b, self.a, self.a, from, None, true);
        self.add_modulus(b, borrow);
    }

    /// T = T + x, where x of n words is read from `from`, and the sum is below R².
    pub fn add_to_product(&self, b: &mut Builder, from: Pointer) {
        let carry = self.add_blocks(b, self.t, self.t, from, None, false);
        let (carry, upper) = (b.copy(carry), self.upper_half(b));
        self.each_block(b, [upper], |b, [upper]| {
            let words = b.load(upper, 0, ROWS);
            give_carry(b, carry.into());
            let sum: Vec<Value> = words.into_iter().map(|word| b.add(word, Value::ZERO, BOTH)).collect();
            let out = b.add(Value::ZERO, Value::ZERO, TAKES);
            b.set(carry, out);
            b.store(upper, 0, &sum);
        });
        b.zero(carry.into());
    }
}

/// `−n^−1 mod 2^32` for odd n, by Newton's iteration.
fn negative_inverse(b: &mut Builder, n: Value) -> Value {
    // n is its own inverse mod 8; each step doubles the bits that are right.
    let mut x = n;
    for _ in 0..4 {
        let product = b.multiply(n, x);
        let factor = b.subtract(Value::Word(2), product, Carry::default());
        x = b.multiply(x, factor);
    }
    b.subtract(Value::ZERO, x, Carry::default())
}

/// Reads all of a table of 16 entries, each `entry_rows` rows long, and keeps `rows` rows of entry `index`.
pub fn scan(b: &mut Builder, table: Pointer, index: Value, entry_rows: usize, rows: usize) -> Vec<Register> {
    /// Entries whose loads are under way at once.
    const TOGETHER: usize = 2;
    let found = b.registers(rows * ROW_WORDS);
    found.iter().for_each(|register| b.set(*register, Value::ZERO));
    let entry = b.copy(Value::ZERO);
    let table = b.copy_of(table);
    b.times(16 / TOGETHER, |b| {
        let entries: Vec<Vec<Value>> = (0..TOGETHER).map(|i| b.load(table, i * entry_rows, rows)).collect();
        for words in entries {
            let mask = b.equal(index, entry.into());
            for (found, word) in found.iter().zip(words) {
                let masked = b.and(word, mask);
                let merged = b.or((*found).into(), masked);
                b.set(*found, merged);
            }
            let next = b.add(entry.into(), Value::Word(1), Carry::default());
            b.set(entry, next);
        }
        b.advance(table, (TOGETHER * entry_rows) as i32);
    });
    found
}
