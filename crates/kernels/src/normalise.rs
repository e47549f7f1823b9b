// SPDX-License-Identifier: Apache-2.0
//! Sums and differences with their carries: what stands between the multiplications.

use crate::constants;
use crate::program::{Code, Mask, Pointer, Program, Row, Vector};

/// What the numbers' limbs are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limbs {
    /// Below 2^52.
    Whole,
    /// They count modulo 2^52: see [`two_rows`](crate::two_rows).
    Loose,
}

impl Limbs {
    /// Brings a limb of 52 bits to a register.
    fn load(self, to: Vector, from: Row, mask: Vector, code: &mut Code) {
        match self {
            Limbs::Whole => code.copy(to, from),
            Limbs::Loose => code.and(to, mask, from),
        }
    }
}

/// Sum, eight lanes: `r = a + b`.
///
/// Pointers P0 r, P1 a, P2 b, P3 constants; r may be a or b.
/// Shapes   a, b, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`.
/// Bounds   a + b < 2^(52·N), limbs below 2^52 or loose, as `form` says; then every limb of r is below 2^52.
/// Cost     no multiply-adds.
pub fn add(limbs: usize, form: Limbs) -> Program {
    let (r, a, b) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let (sum, carry, mask, other) = (Vector(0), Vector(1), Vector(2), Vector(3));
    let mut code = Code::new();
    code.zero(carry);
    code.copy(mask, constants::limb_mask());
    let mut body = Code::new();
    form.load(sum, a.row(0), mask, &mut body);
    match form {
        Limbs::Whole => body.add(sum, sum, b.row(0)),
        Limbs::Loose => {
            form.load(other, b.row(0), mask, &mut body);
            body.add(sum, sum, other);
        }
    }
    body.add(sum, sum, carry);
    body.carry(carry, sum);
    body.and(sum, sum, mask);
    body.store(r.row(0), sum);
    [r, a, b].into_iter().for_each(|pointer| body.advance(pointer, 1));
    code.repeat(limbs, body);
    Program::new(code)
}

/// Conditional subtraction, eight lanes: `r = a − n` where `a >= n`, else `r = a`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants; r must not overlap a.
/// Shapes   a, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`.
/// Bounds   limbs below 2^52, or those of a loose, as `form` says; then r < max(n, a − n + 1) and every limb of r is below 2^52.
/// Cost     no multiply-adds; the difference is formed and a read again in every lane.
pub fn subtract_modulus(limbs: usize, form: Limbs) -> Program {
    let (r, a, n) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let (difference, borrow, limb_mask, limb, negative) = (Vector(0), Vector(1), Vector(2), Vector(3), Mask(1));
    let back = -(limbs as isize);
    let mut code = Code::new();
    code.zero(borrow);
    code.copy(limb_mask, constants::limb_mask());
    let mut body = Code::new();
    form.load(difference, a.row(0), limb_mask, &mut body);
    body.subtract(difference, difference, n.row(0));
    body.add(difference, difference, borrow);
    body.carry(borrow, difference);
    body.and(difference, difference, limb_mask);
    body.store(r.row(0), difference);
    [r, a, n].into_iter().for_each(|pointer| body.advance(pointer, 1));
    code.repeat(limbs, body);
    [r, a].into_iter().for_each(|pointer| code.advance(pointer, back));

    code.negative(negative, borrow);
    let mut body = Code::new();
    body.copy(difference, r.row(0));
    match form {
        Limbs::Whole => body.merge(difference, negative, a.row(0)),
        Limbs::Loose => {
            form.load(limb, a.row(0), limb_mask, &mut body);
            body.merge(difference, negative, limb);
        }
    }
    body.store(r.row(0), difference);
    [r, a].into_iter().for_each(|pointer| body.advance(pointer, 1));
    code.repeat(limbs, body);
    Program::new(code)
}
