// SPDX-License-Identifier: Apache-2.0
//! Montgomery reduction of a product on the chip.

use super::{BLOCK, ROWS, Streamed};
use crate::program::{Builder, Carry, Count, Pointer, Value};
use crate::window::Window;

impl Streamed {
    /// A = T / R mod N, below R. Cost: n² products.
    pub fn reduce(&self, b: &mut Builder) {
        let carry = self.reduce_upper_half(b);
        let upper = self.upper_half(b);
        self.fold_carry(b, upper, carry);
    }

    /// A + carry R = T / R mod N, below N + T / R: below 2N where T < R N. Returns the carry. Cost: n² products.
    pub(super) fn reduce_below_two(&self, b: &mut Builder) -> Value {
        let carry = self.reduce_upper_half(b);
        let upper = self.upper_half(b);
        self.load(b, upper);
        carry
    }

    /// The upper half of T.
    pub(super) fn upper_half(&self, b: &mut Builder) -> Pointer {
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
}

/// `−n^−1 mod 2^32` for odd n, by Newton's iteration.
pub(super) fn negative_inverse(b: &mut Builder, n: Value) -> Value {
    // n is its own inverse mod 8; each step doubles the bits that are right.
    let mut x = n;
    for _ in 0..4 {
        let product = b.multiply(n, x);
        let factor = b.subtract(Value::Word(2), product, Carry::default());
        x = b.multiply(x, factor);
    }
    b.subtract(Value::ZERO, x, Carry::default())
}
