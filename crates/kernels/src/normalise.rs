// SPDX-License-Identifier: Apache-2.0
//! Sums and differences with their carries: what stands between the multiplications.

use crate::constants;
use crate::program::{Code, Mask, Pointer, Program, Vector};

/// Sum, eight lanes: `r = a + b`.
///
/// Pointers P0 r, P1 a, P2 b, P3 constants; r may be a or b.
/// Shapes   a, b, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`.
/// Bounds   a + b < 2^(52·N), limbs below 2^52; then every limb of r is below 2^52.
/// Cost     no multiply-adds.
pub fn add(limbs: usize) -> Program {
    let (r, a, b) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let (sum, carry, mask) = (Vector(0), Vector(1), Vector(2));
    let mut code = Code::new();
    code.zero(carry);
    code.copy(mask, constants::limb_mask());
    let mut body = Code::new();
    body.copy(sum, a.row(0));
    body.add(sum, sum, b.row(0));
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
/// Bounds   limbs below 2^52; then r < max(n, a − n + 1) and every limb of r is below 2^52.
/// Cost     no multiply-adds; the difference is formed and a read again in every lane.
pub fn subtract_modulus(limbs: usize) -> Program {
    let (r, a, n) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let (difference, borrow, limb_mask, negative) = (Vector(0), Vector(1), Vector(2), Mask(1));
    let back = -(limbs as isize);
    let mut code = Code::new();
    code.zero(borrow);
    code.copy(limb_mask, constants::limb_mask());
    let mut body = Code::new();
    body.copy(difference, a.row(0));
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
    body.merge(difference, negative, a.row(0));
    body.store(r.row(0), difference);
    [r, a].into_iter().for_each(|pointer| body.advance(pointer, 1));
    code.repeat(limbs, body);
    Program::new(code)
}
