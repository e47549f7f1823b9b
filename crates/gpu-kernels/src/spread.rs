// SPDX-License-Identifier: Apache-2.0
//! Modular arithmetic on numbers that lie in the registers of four threads, a quarter each: for batches that leave a GPU's
//! multipliers idle.
//!
//! Each thread has a window over its quarter of the sum. A row adds a word of x times y and the word's multiple of N that
//! makes the lowest word of all zero, then moves up by one word, and each thread's lowest word goes to the thread below.
//! Carries stay at the top of each quarter until the end. What thread 0 hands down is zero, so it may go round to thread 3.
//!
//! As in [`resident`](crate::resident), R = 2^(32 n) > N and numbers are below R. Squares are products: the products
//! that a square saves are not evenly spread over the threads.
//!
//! Source: Montgomery 1985; word by word as in Koç, Acar, Kaliski 1996 (CIOS); over threads as in Emmart, Zheng, Weems 2018.

use crate::program::{Builder, Carry, Count, SPREAD, Value};
use crate::streamed::negative_inverse;
use crate::window::{BOTH, GIVES, TAKES, Window, give_carry};

/// A modulus, a quarter in each thread.
pub struct Spread {
    modulus: Vec<Value>,
    /// −N^−1 mod 2^32
    inverse: Value,
    /// The thread with the next higher quarter, round to the lowest.
    next: Value,
    quarters: Quarters,
}

/// Which quarter of its numbers a thread has.
pub(crate) struct Quarters {
    /// The thread with the next lower quarter, round to the highest.
    previous: Value,
    /// All ones in thread 0.
    lowest: Value,
    /// All ones in the others.
    others: Value,
}

impl Spread {
    /// Of this thread's quarter of the modulus, which is odd.
    pub fn new(b: &mut Builder, modulus: Vec<Value>) -> Spread {
        let share = b.share();
        let next = b.add(share, Value::Word(1), Carry::default());
        let quarters = Quarters::new(b, share);
        let word = b.shuffle(modulus[0], Value::ZERO);
        let inverse = negative_inverse(b, word);
        Spread { modulus, inverse, next, quarters }
    }

    /// `x y / R mod N`, below R. Cost: n / 2 words of two rows each, n² / 2 products a thread.
    pub fn multiply(&self, b: &mut Builder, x: &[Value], y: &[Value]) -> Vec<Value> {
        let source = b.copy(Value::ZERO);
        let window = Window::over(vec![Value::ZERO; y.len()]);
        let window = window.repeat(b, Count::Constant(SPREAD as u32), |b, window| {
            for x in x {
                let x = b.shuffle(*x, source.into());
                let above = window.add(b, y, x);
                let finished = window.row(b, &self.modulus, above, |b, word| {
                    let digit = b.multiply(word, self.inverse);
                    b.shuffle(digit, Value::ZERO)
                });
                let word = b.shuffle(finished, self.next);
                window.take_in(word);
            }
            window.settle(b);
            let next = b.add(source.into(), Value::Word(1), Carry::default());
            b.set(source, next);
        });
        let (mut words, above) = window.close(b, Value::ZERO);
        self.quarters.fold(b, &mut words, above, &self.modulus);
        words
    }
}

impl Quarters {
    /// For the thread with share `share`.
    pub(crate) fn new(b: &mut Builder, share: Value) -> Quarters {
        let previous = b.add(share, Value::Word(SPREAD as u32 - 1), Carry::default());
        let lowest = b.equal(share, Value::ZERO);
        let others = b.subtract(Value::Word(u32::MAX), lowest, Carry::default());
        Quarters { previous, lowest, others }
    }

    /// A number below R + N, with what is above each quarter, becomes one below R: N is subtracted where it was not.
    pub(crate) fn fold(&self, b: &mut Builder, words: &mut [Value], above: Value, modulus: &[Value]) {
        let top = self.carry_up(b, words, above);
        let carry = b.shuffle(top, Value::Word(SPREAD as u32 - 1));
        let mask = b.subtract(Value::ZERO, carry, Carry::default());
        // By adding its complement and 1.
        let complement: Vec<Value> = modulus
            .iter()
            .map(|word| {
                let complement = b.subtract(Value::Word(u32::MAX), *word, Carry::default());
                b.and(complement, mask)
            })
            .collect();
        let one = self.in_lowest(b, carry);
        give_carry(b, one);
        for (word, complement) in words.iter_mut().zip(complement) {
            *word = b.add(*word, complement, BOTH);
        }
        let above = b.add(Value::ZERO, Value::ZERO, TAKES);
        self.carry_up(b, words, above);
    }

    /// `value` in thread 0, zero in the others.
    pub(crate) fn in_lowest(&self, b: &mut Builder, value: Value) -> Value {
        b.and(value, self.lowest)
    }

    /// Adds what each thread has above its quarter to the next quarter. Returns what thread 3 has then above all.
    pub(crate) fn carry_up(&self, b: &mut Builder, words: &mut [Value], above: Value) -> Value {
        let (mut carry, mut total) = (above, above);
        for _ in 1..SPREAD {
            let below = b.shuffle(carry, self.previous);
            let below = b.and(below, self.others);
            words[0] = b.add(words[0], below, GIVES);
            words[1..].iter_mut().for_each(|word| *word = b.add(*word, Value::ZERO, BOTH));
            carry = b.add(Value::ZERO, Value::ZERO, TAKES);
            total = b.add(total, carry, Carry::default());
        }
        total
    }
}
