// SPDX-License-Identifier: Apache-2.0
//! Products of numbers on the chip: T = A * y, and T = A².

use super::{BLOCK, ROWS, Streamed};
use crate::program::{Builder, Carry, Count, Pointer, Value};
use crate::window::{BOTH, GIVES, TAKES, Window, give_carry, products_of_different};

impl Streamed {
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
    pub(super) fn rows(
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
}
