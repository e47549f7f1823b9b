//! Products of two numbers.

use super::sweep::{Sweep, factor};
use super::{A, AREA, Area, B, BLOCK, Code, SHIFTED, reduce, row};
use crate::program::Pointer;

/// Montgomery multiplication, four lanes: `r = (a b + q n) / R`, R = 2^(52 N), for the q below R that makes it whole.
///
/// Pointers P0 r, P1 a, P2 the area, P3 constants, P4 b; r may be a or b.
/// Bounds   limbs of a and b below 2^52; then those of r, where r < 2^(52 N), are too. r is below a b / R + n.
/// Cost     2 N^2 + N / 2 products.
pub(super) fn multiply(limbs: usize) -> Code {
    let area = Area::of(limbs);
    let mut code = Code::default();
    code.begin();
    code.convert_rows(AREA, area.operand, A, limbs);
    code.copy_rows(area.columns, area.biases[0], 2 * limbs);
    code.point(A, AREA, area.operand);
    add_products(A, limbs, limbs, &mut code);
    reduce::first_digits(limbs, &mut code);
    code.append(reduce::reduce(limbs, limbs));
    code
}

/// Multiplication by a number kept in two forms, four lanes: `r = (shifted b_low + a b_high + q n) / 2^(26 N)`.
///
/// Pointers P0 r, P1 a **in double precision**, P2 the area, P3 constants, P4 b, P5 shifted = a / 2^(26 N), **in double
///          precision**; r may be b.
/// Bounds   limbs of b below 2^52; then those of r, where r < 2^(52 N), are too. r is below shifted + a b / R + n.
/// Cost     3 N^2 / 2 + N / 4 products.
pub(super) fn half_multiply(limbs: usize) -> Code {
    let area = Area::of(limbs);
    let mut code = Code::default();
    code.begin();
    code.copy_rows(area.columns, area.biases[1], limbs + limbs / 2);
    add_products(SHIFTED, limbs, limbs / 2, &mut code);
    add_products(A, limbs, limbs / 2, &mut code);
    reduce::first_digits(limbs, &mut code);
    code.append(reduce::reduce(limbs, limbs / 2));
    code
}

/// Half a reduction, four lanes: `r = (a + q n) / 2^(26 N)`.
///
/// Pointers P0 r, P1 a, P2 the area, P3 constants; r may be a.
/// Bounds   limbs of a below 2^52; then those of r are too. r is at most a / 2^(26 N) + n.
/// Cost     N^2 / 2 + N / 4 products.
pub(super) fn half_reduce(limbs: usize) -> Code {
    let area = Area::of(limbs);
    let mut code = Code::default();
    code.begin();
    code.copy_rows(area.columns, area.biases[2], limbs + limbs / 2);
    let mut body = Code::default();
    for i in 0..BLOCK {
        let sum = factor(i);
        body.load(sum, row(A, i));
        body.add(sum, sum, row(AREA, area.columns + i));
        body.store(row(AREA, area.columns + i), sum);
    }
    body.advance(A, BLOCK as isize);
    body.advance(AREA, BLOCK as isize);
    code.repeat(limbs / BLOCK, body);
    code.advance(AREA, -(limbs as isize));
    reduce::first_digits(limbs, &mut code);
    code.append(reduce::reduce(limbs, limbs / 2));
    code
}

/// Adds to the columns the products of `y`, in double precision, with the next `rows` limbs of b, which it moves past.
fn add_products(y: Pointer, limbs: usize, rows: usize, code: &mut Code) {
    let mut body = Code::default();
    (0..BLOCK).for_each(|k| body.convert(factor(k), row(B, k)));
    let sweep = Sweep { columns: (AREA, 0), limbs: (y, 0), count: limbs, above_diagonal: false, finish: None };
    sweep.open(0, false, &mut body);
    sweep.rest(0, &mut body);
    body.advance(AREA, BLOCK as isize);
    body.advance(B, BLOCK as isize);
    code.repeat(rows / BLOCK, body);
    code.advance(AREA, -(rows as isize));
}
