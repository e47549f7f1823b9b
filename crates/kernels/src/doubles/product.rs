// SPDX-License-Identifier: Apache-2.0
//! Products of two numbers.

use super::numbers::Numbers;
use super::sweep::{Finish, Products, Sweep, factor};
use super::{A, AREA, Area, B, BLOCK, Code, SHIFTED, reduce, row};
use crate::program::Pointer;

/// Montgomery multiplication: `r = a b / R` modulo n, R = 2^(52 N).
///
/// Pointers P0 r, P1 a, P2 the area, P3 constants, P4 b; r may be a or b.
/// Bounds   limbs of a and b below 2^52; then those of r, where r < 2^(52 N), are too. r is below a b / R + 2n.
/// Cost     2 N^2 + 7 products, folded over F lanes (2 N^2 + 15 F) / F.
pub(super) fn multiply(numbers: Numbers) -> Code {
    let area = Area::of(numbers);
    let mut code = Code::default();
    code.begin();
    code.convert_rows(AREA, area.operand, BLOCK, A, numbers.rows);
    code.copy_rows(Area::COLUMNS, area.biases[0], Area::columns(numbers, 1), 0);
    code.point(A, AREA, area.operand);
    (0..numbers.lanes()).for_each(|lane| add_products(A, numbers, lane, numbers.rows, &mut code));
    code.advance(AREA, -(numbers.limbs() as isize));
    reduce::reduce(numbers, numbers.limbs(), &mut code);
    code
}

/// Multiplication by a number kept in two forms: `r = (shifted b_low + a b_high) / 2^(26 N)` modulo n.
///
/// Pointers P0 r, P1 a **in double precision**, P2 the area, P3 constants, P4 b, P5 shifted = a / 2^(26 N), **in double
///          precision**; r may be b.
/// Bounds   limbs of b below 2^52; then those of r, where r < 2^(52 N), are too. r is below shifted + a b / R + 2n.
/// Cost     3 N^2 / 2 + 7 products, folded over F lanes (3 N^2 / 2 + 15 F) / F.
pub(super) fn half_multiply(numbers: Numbers) -> Code {
    let (area, half) = (Area::of(numbers), numbers.limbs() / 2);
    let mut code = Code::default();
    code.begin();
    code.copy_rows(Area::COLUMNS, area.biases[1], Area::columns(numbers, 2), 0);
    let mut lanes = 0..numbers.lanes();
    for factor in [SHIFTED, A] {
        let mut left = half;
        while left > 0 {
            // Unfolded, the only lane has both halves, one after the other.
            let lane = if numbers.fold.is_none() { 0 } else { lanes.next().expect("a lane for every row") };
            let rows = left.min(numbers.rows);
            add_products(factor, numbers, lane, rows, &mut code);
            left -= rows;
        }
        code.advance(AREA, -(half as isize));
    }
    reduce::reduce(numbers, half, &mut code);
    code
}

/// Half a reduction: `r = a / 2^(26 N)` modulo n.
///
/// Pointers P0 r, P1 a, P2 the area, P3 constants; r may be a.
/// Bounds   limbs of a below 2^52; then those of r are too. r is below a / 2^(26 N) + 2n.
/// Cost     N^2 / 2 + 7 products, folded over F lanes (N^2 / 2 + 15 F) / F.
pub(super) fn half_reduce(numbers: Numbers) -> Code {
    let (area, rows) = (Area::of(numbers), numbers.rows);
    let mut code = Code::default();
    code.begin();
    code.copy_rows(Area::COLUMNS, area.biases[2], Area::columns(numbers, 2), 0);
    let mut body = Code::default();
    for i in 0..BLOCK {
        let sum = factor(i);
        body.load(sum, row(A, i));
        body.add(sum, sum, row(AREA, Area::COLUMNS + i));
        body.store(row(AREA, Area::COLUMNS + i), sum);
    }
    body.advance(A, BLOCK as isize);
    body.advance(AREA, BLOCK as isize);
    code.repeat(rows / BLOCK, body);
    code.advance(AREA, -(rows as isize));
    reduce::reduce(numbers, numbers.limbs() / 2, &mut code);
    code
}

/// Adds to the columns the products of `y`, in double precision, with the next `rows` limbs in lane `lane` of b. Moves past
/// them; of a folded b, back to the first.
fn add_products(y: Pointer, numbers: Numbers, lane: usize, rows: usize, code: &mut Code) {
    let mut body = Code::default();
    for k in 0..BLOCK {
        body.load(factor(k), row(B, k));
        numbers.spread(lane, factor(k), &mut body);
        body.convert(factor(k));
    }
    let sweep = Sweep {
        columns: (AREA, Area::COLUMNS),
        limbs: (y, 0),
        count: numbers.rows,
        products: Products::All,
        finish: Finish::Sum,
    };
    sweep.whole(&mut body);
    body.advance(AREA, BLOCK as isize);
    body.advance(B, BLOCK as isize);
    code.repeat(rows / BLOCK, body);
    if numbers.fold.is_some() {
        code.advance(B, -(rows as isize));
    }
}
