//! Garner's recombination of the two CRT halves.

use super::Step;
use crate::arithmetic::{Arithmetic, Multiply};
use crate::words;
use zeroize::Zeroizing;

/// `y = y_q + q * ((y_p - y_q) * q^-1 mod p)` for every step. Source: RFC 8017, section 5.1.2.
///
/// From halves below p and q, y < n. From whatever else a faulty device returned, y is some number of n's length.
pub fn recombine(arithmetic: &dyn Arithmetic, steps: &mut [Step<'_>]) {
    // h = (y_p - y_q) * q^-1 mod p
    let mut h: Vec<Zeroizing<Vec<u64>>> =
        steps.iter().map(|step| Zeroizing::new(vec![0; step.key.public().modulus().words().len()])).collect();
    let mut jobs = Vec::with_capacity(steps.len());
    for (step, h) in steps.iter_mut().zip(&mut h) {
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
        jobs.push(Multiply { modulus: step.key.p(), a: step.y_p, b: step.key.q_inverse(), result: &mut h[..p.len()] });
    }
    arithmetic.multiply(&mut jobs);

    // y = h * q + y_q: below n, since h <= p - 1 and y_q <= q - 1
    let q: Vec<Zeroizing<Vec<u64>>> = steps
        .iter()
        .zip(&h)
        .map(|(step, h)| {
            let mut q = Zeroizing::new(vec![0; h.len()]);
            q[..step.y_q.len()].copy_from_slice(step.key.q().words());
            q
        })
        .collect();
    let mut jobs: Vec<Multiply<'_>> = steps
        .iter_mut()
        .zip(h.iter().zip(&q))
        .map(|(step, (h, q))| Multiply { modulus: step.key.public().modulus(), a: h, b: q, result: step.y })
        .collect();
    arithmetic.multiply(&mut jobs);
    for step in steps {
        let (low, high) = step.y.split_at_mut(step.y_q.len());
        let mut carry = words::add_assign(low, step.y_q);
        for word in high {
            let (sum, over) = word.overflowing_add(carry);
            *word = sum;
            carry = u64::from(over);
        }
    }
}
