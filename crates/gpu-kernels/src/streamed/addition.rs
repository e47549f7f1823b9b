// SPDX-License-Identifier: Apache-2.0
//! Sums and differences of numbers on the chip, modulo N or not.

use super::{ROWS, Streamed};
use crate::program::{Builder, Carry, Pointer, Value};
use crate::window::{BOTH, TAKES, give_borrow, give_carry};

impl Streamed {
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
    pub(super) fn fold_carry(&self, b: &mut Builder, from: Pointer, carry: Value) -> Value {
        let borrow = self.add_blocks(b, self.a, from, self.modulus, Some(carry), true);
        b.subtract(carry, borrow, Carry::default())
    }

    /// A + `carry` R, below 2N, becomes A, below N.
    pub(super) fn subtract_modulus(&self, b: &mut Builder, carry: Value) {
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
