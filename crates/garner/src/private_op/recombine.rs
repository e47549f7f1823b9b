// SPDX-License-Identifier: Apache-2.0
//! Garner's recombination of the two CRT halves.

use super::Step;
use crate::arithmetic::{Arithmetic, Multiply};
use crate::words;

/// `y = y_q + q * ((y_p - y_q) * q^-1 mod p)` for every step. Source: RFC 8017, section 5.1.2.
///
/// From halves below p and q, y < n. From whatever else a faulty device returned, y is some number of n's length.
/// Overwrites `x`.
pub fn recombine(arithmetic: &dyn Arithmetic, steps: &mut [Step<'_>]) {
    // h = (y_p - y_q) * q^-1 mod p, in place of the blinded input, which has served
    let mut jobs = Vec::with_capacity(steps.len());
    for step in steps.iter_mut() {
        // q < p, so y_q < p and one addition of p makes a negative difference canonical.
        let p = step.key.p().words();
        let (low, high) = step.y_p.split_at_mut(step.y_q.len());
        let mut borrow = words::sub_assign(low, step.y_q);
        for word in high {
            let (difference, under) = word.overflowing_sub(borrow);
            *word = difference;
            borrow = u64::from(under);
        }
        words::add_masked(step.y_p, p, borrow.wrapping_neg());
        let h = &mut step.x[..p.len()];
        jobs.push(Multiply { modulus: step.key.p(), a: step.y_p, b: step.key.q_inverse(), result: h, c: None });
    }
    arithmetic.multiply(&mut jobs);

    // y = h * q + y_q: below n, since h <= p - 1 and y_q <= q - 1
    for step in steps {
        let h = &step.x[..step.key.p().words().len()];
        step.y.fill(0);
        step.y[..step.y_q.len()].copy_from_slice(step.y_q);
        words::multiply_add(step.y, h, step.key.q().words());
    }
}
