// SPDX-License-Identifier: Apache-2.0
//! Rows of products over a sliding window: what all multiplications, squarings and reductions are made of.
//!
//! A window holds the sum of products at `width` words of a long number, as two accumulators, so that the products of
//! a row fall into two chains of pairs without a carry between neighbours: `mad.lo.cc`, `madc.hi.cc` of one product
//! then fuse to one wide multiply-add, and the two chains run side by side. Each row adds `x * y` (y: `width` words),
//! takes one word in at the top and gives the finished word at the bottom.
//!
//! Source: Emmart, Zheng, Weems 2018 (the two accumulators); the window over memory is ours.

use crate::program::{Builder, Carry, Count, Register, Value};

/// Makes a carry of `carry`, 0 or 1.
pub(crate) fn give_carry(b: &mut Builder, carry: Value) {
    b.add(carry, Value::Word(u32::MAX), GIVES);
}

/// Makes a borrow of `borrow`, 0 or 1.
pub(crate) fn give_borrow(b: &mut Builder, borrow: Value) {
    b.subtract(Value::ZERO, borrow, GIVES);
}

pub(crate) const GIVES: Carry = Carry { takes: false, gives: true };
pub(crate) const BOTH: Carry = Carry { takes: true, gives: true };
pub(crate) const TAKES: Carry = Carry { takes: true, gives: false };

/// A sum at words i to i + width - 1 of a number, and a carry above.
pub struct Window {
    /// Words i to i + width: the last is the carry.
    even: Vec<Value>,
    /// Words i - 1 to i + width - 1: the first is finished and the last is zero.
    odd: Vec<Value>,
    width: usize,
}

impl Window {
    /// The window over `words`.
    pub fn over(words: Vec<Value>) -> Window {
        let width = words.len();
        assert!(width.is_multiple_of(2));
        let mut even = words;
        even.push(Value::ZERO);
        Window { even, odd: vec![Value::ZERO; width + 1], width }
    }

    /// Adds `x * y`, where `x` is made of the lowest word when that is known; takes `above` in at the word above the
    /// window, moves up one word and returns the word that is finished.
    ///
    /// Cost: `width` products and at most five additions.
    pub fn row(
        &mut self,
        b: &mut Builder,
        y: &[Value],
        above: Value,
        x: impl FnOnce(&mut Builder, Value) -> Value,
    ) -> Value {
        let (width, even, odd) = (self.width, &self.even, &self.odd);
        assert_eq!(y.len(), width);
        let mut p = even.clone();
        let mut carry = false;
        if p[0] == Value::ZERO {
            p[0] = odd[1];
        } else if odd[1] != Value::ZERO {
            p[0] = b.add(p[0], odd[1], GIVES);
            carry = true;
        }
        let x = x(b, p[0]);
        // The chain over odd words of y lands one word up; the accumulator that was one word behind moves two.
        let mut q = vec![Value::ZERO; width + 1];
        let overflow = above != Value::ZERO || even[width] != Value::ZERO;
        for j in (1..width).step_by(2) {
            let last = j + 1 == width;
            let addend = (odd[j + 1], if last { above } else { odd[j + 2] });
            let carries = Carry { takes: carry, gives: !last || overflow };
            (q[j - 1], q[j]) = b.product(y[j], x, addend, carries);
            carry = true;
        }
        if overflow {
            q[width] = b.add(Value::ZERO, Value::ZERO, TAKES);
        }
        for j in (0..width).step_by(2) {
            (p[j], p[j + 1]) = b.product(y[j], x, (p[j], p[j + 1]), Carry { takes: j > 0, gives: true });
        }
        q[width - 1] = b.add(q[width - 1], p[width], Carry { takes: true, gives: overflow });
        if overflow {
            q[width] = b.add(q[width], Value::ZERO, TAKES);
        }
        p[width] = Value::ZERO;
        let finished = p[0];
        (self.even, self.odd) = (q, p);
        finished
    }

    /// This window with a carry at the word above, 0 or 1.
    pub fn with_carry(mut self, carry: Value) -> Window {
        self.even[self.width] = carry;
        self
    }

    /// The sum plus `carry`, 0 or 1, at its lowest word; in one piece, and the carry above it.
    pub fn close(self, b: &mut Builder, carry: Value) -> (Vec<Value>, Value) {
        let mut words = self.even;
        let above = words.pop().expect("one more than the width");
        if carry != Value::ZERO {
            give_carry(b, carry);
        }
        for (i, (word, odd)) in words.iter_mut().zip(&self.odd[1..]).enumerate() {
            let takes = i > 0 || carry != Value::ZERO;
            *word = b.add(*word, *odd, Carry { takes, gives: true });
        }
        let above = b.add(above, Value::ZERO, TAKES);
        (words, above)
    }

    /// Runs `body` `count` times on this window, in registers that stay.
    pub fn repeat(self, b: &mut Builder, count: Count, body: impl FnOnce(&mut Builder, &mut Window)) -> Window {
        let width = self.width;
        let even: Vec<Register> = self.even.iter().map(|word| b.copy(*word)).collect();
        let odd: Vec<Register> = self.odd[1..width].iter().map(|word| b.copy(*word)).collect();
        let window = || {
            let mut old = vec![Value::ZERO; width + 1];
            (0..width - 1).for_each(|i| old[i + 1] = odd[i].into());
            Window { even: even.iter().map(|register| Value::from(*register)).collect(), odd: old, width }
        };
        b.repeat(count, |b| {
            let mut inside = window();
            body(b, &mut inside);
            // In one step, for what is new may still be in a register that is set.
            let new: Vec<Register> =
                inside.even.iter().chain(&inside.odd[1..width]).map(|word| b.copy(*word)).collect();
            even.iter().chain(&odd).zip(new).for_each(|(to, from)| b.set(*to, from));
        });
        window()
    }
}

/// The sum of `a[i] a[j] 2^(32 (i + j))` over i < j, twice as many words as `a`. Cost: n (n - 1) / 2 products.
pub fn products_of_different(b: &mut Builder, a: &[Value]) -> Vec<Value> {
    let n = a.len();
    // Of `even`, word k stands at k; of `odd` at k + 1.
    let (mut even, mut odd) = (vec![Value::ZERO; 2 * n], vec![Value::ZERO; 2 * n]);
    for i in 0..n {
        for (accumulator, first, offset) in [(&mut odd, i + 1, 1), (&mut even, i + 2, 0)] {
            let mut carry = false;
            let mut top = 0;
            for j in (first..n).step_by(2) {
                let k = i + j - offset;
                // The first row of each accumulator adds to nothing.
                let gives = i > 0;
                (accumulator[k], accumulator[k + 1]) =
                    b.product(a[i], a[j], (accumulator[k], accumulator[k + 1]), Carry { takes: carry, gives });
                carry = gives;
                top = k + 2;
            }
            if carry && top < 2 * n {
                accumulator[top] = b.add(accumulator[top], Value::ZERO, TAKES);
            }
        }
    }
    let mut carry = Carry { takes: false, gives: true };
    for k in 1..2 * n {
        if !carry.takes && even[k] == Value::ZERO {
            even[k] = odd[k - 1];
            continue;
        }
        carry.gives = k + 1 < 2 * n;
        even[k] = b.add(even[k], odd[k - 1], carry);
        carry.takes = true;
    }
    even
}
