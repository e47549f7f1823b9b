// SPDX-License-Identifier: Apache-2.0
//! Modular arithmetic on numbers held in registers, one thread per number: for up to 1024 bits.
//!
//! R = 2^(32 n) > N, and every number is below R, not below 2N: moduli of primes fill all their words, so R > 4N would
//! cost a word more, 6 % more products at n = 32. Instead the one carry of each reduction is folded back by subtracting
//! N where it is set: 2 n additions, which do not occupy the multipliers.

use crate::program::{Builder, Carry, Value};
use crate::window::{self, GIVES, Window};

/// `a * b`, low and high half. Cost: n² products.
pub fn multiply(b: &mut Builder, x: &[Value], y: &[Value]) -> (Vec<Value>, Vec<Value>) {
    let mut window = Window::over(vec![Value::ZERO; y.len()]);
    let low = x.iter().map(|x| window.row(b, y, Value::ZERO, |_, _| *x)).collect();
    let (high, carry) = window.close(b, Value::ZERO);
    b.zero(carry);
    (low, high)
}

/// `a²`, low and high half. Cost: n (n + 1) / 2 products.
pub fn square(b: &mut Builder, a: &[Value]) -> (Vec<Value>, Vec<Value>) {
    let mut low = window::square(b, a);
    let high = low.split_off(a.len());
    (low, high)
}

/// `(low + high R) / R mod N`, below R, where `inverse` is −N^−1 mod 2^32. Cost: n² products.
///
/// Source: Montgomery 1985.
pub fn reduce(b: &mut Builder, (low, high): (Vec<Value>, Vec<Value>), modulus: &[Value], inverse: Value) -> Vec<Value> {
    let n = modulus.len();
    let mut window = Window::over(low);
    for _ in 0..n {
        let zero = window.row(b, modulus, Value::ZERO, |b, lowest| b.multiply(lowest, inverse));
        b.zero(zero);
    }
    // (low + q N) / R is below R, for both low and q are.
    let (sum, carry) = window.close(b, Value::ZERO);
    b.zero(carry);
    let mut total: Vec<Value> = (0..n).map(|i| b.add(sum[i], high[i], Carry { takes: i > 0, gives: true })).collect();
    let carry = b.add(Value::ZERO, Value::ZERO, Carry { takes: true, gives: false });
    let mask = b.subtract(Value::ZERO, carry, Carry::default());
    let masked: Vec<Value> = modulus.iter().map(|word| b.and(*word, mask)).collect();
    for i in 0..n {
        let carry = if i == 0 { GIVES } else { Carry { takes: true, gives: i + 1 < n } };
        total[i] = b.subtract(total[i], masked[i], carry);
    }
    total
}
