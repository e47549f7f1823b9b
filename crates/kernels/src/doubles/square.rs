// SPDX-License-Identifier: Apache-2.0
//! Squares.

use super::numbers::Numbers;
use super::sweep::{Finish, Products, Sweep, factor};
use super::{A, AREA, Area, B, BLOCK, Code, TO, reduce, row};
use crate::vex::{Operand, Register};

/// Squarings between two multiplications of an exponentiation with a window of four bits.
pub const SQUARES: usize = 4;

/// Montgomery squaring: `r = a^2 / R` modulo n, R = 2^(52 N).
///
/// Pointers P0 r, P1 a, P2 the area, P3 constants; P4 is used, too. r may be a.
/// Bounds   limbs of a below 2^52; then those of r, where r < 2^(52 N), are too. r is below a^2 / R + 2n.
/// Cost     (3 N^2 + N) / 2 + 7 products, folded over F lanes, in M = N / F rows, F (M^2 + M) / 2 + N M + 15.
pub(super) fn square(numbers: Numbers) -> Code {
    let mut code = Code::default();
    code.begin();
    add_square(numbers, &mut code);
    code
}

/// [`SQUARES`] Montgomery squarings, each of the last one's result: `r = r^16 / R^15` modulo n. Setting the rounding mode
/// takes as long as a part of a short squaring does.
///
/// Pointers P0 r, P2 the area, P3 constants; P1 and P4 are used, too.
/// Bounds   as for [`square`].
/// Cost     as many times that of [`square`].
pub(super) fn squares(numbers: Numbers) -> Code {
    let (mut code, mut body) = (Code::default(), Code::default());
    code.begin();
    body.point(A, TO, 0);
    add_square(numbers, &mut body);
    code.repeat(SQUARES, body);
    code
}

/// From the columns of a block's products to those of the next one's, in rows.
const STEP: usize = 2 * BLOCK;

fn add_square(numbers: Numbers, code: &mut Code) {
    let (area, rows) = (Area::of(numbers), numbers.rows);
    code.convert_rows(AREA, area.operand, area.apart, A, rows);
    // Half, for they are doubled with the products.
    code.copy_rows(Area::COLUMNS, area.biases[0], Area::columns(numbers, 1), 1);
    (0..numbers.lanes()).for_each(|lane| add_products(numbers, lane, code));
    code.point(B, AREA, area.operand);
    for lane in 0..numbers.lanes() {
        if lane == 1 {
            // Those above: AREA is behind the first lane's columns but one number.
            double(rows, numbers.limbs() - rows, code);
        }
        let mut body = Code::default();
        add_squares(numbers, lane, &mut body);
        body.advance(AREA, STEP as isize);
        body.advance(B, area.apart as isize);
        code.repeat(rows / BLOCK, body);
        code.advance(B, -((rows / BLOCK * area.apart) as isize));
        // The next lane's columns start so many after this one's.
        code.advance(AREA, -(rows as isize));
    }
    code.advance(AREA, -(numbers.limbs() as isize));
    reduce::reduce(numbers, numbers.limbs(), code);
}

/// Adds to the columns the products of the limbs in lane `lane` with those after them in every lane.
///
/// Five at a time; the blocks after them are as many as turns are left.
fn add_products(numbers: Numbers, lane: usize, code: &mut Code) {
    let (area, blocks) = (Area::of(numbers), numbers.rows / BLOCK);
    let add_block = |block: usize, others: bool, code: &mut Code| {
        code.point(A, AREA, Area::COLUMNS + lane * numbers.rows);
        code.point(B, AREA, area.operand + block * area.apart - block * STEP);
        for k in 0..BLOCK {
            code.load(factor(k), row(B, k));
            numbers.spread(lane, factor(k), code);
        }
        let among = Sweep {
            columns: (A, 0),
            limbs: (B, 0),
            count: BLOCK,
            products: Products::AboveDiagonal,
            finish: Finish::Sum,
        };
        among.open(1, code);
        among.straight(1..BLOCK, code);
        code.advance(A, BLOCK as isize);
        if others {
            let mut body = Code::default();
            body.advance(B, area.apart as isize);
            Sweep { products: Products::All, ..among }.straight(0..BLOCK, &mut body);
            body.advance(A, BLOCK as isize);
            code.repeat_turns_left(body);
        }
        (0..BLOCK).for_each(|i| among.complete(i, code));
        code.advance(AREA, STEP as isize);
    };
    let mut body = Code::default();
    add_block(0, true, &mut body);
    code.repeat(blocks - 1, body);
    add_block(blocks - 1, false, code);
    code.advance(AREA, -((blocks * STEP) as isize));
}

/// Adds to the columns the products of the limbs in lane `lane`, five of them, to which P4 points, with those of the same
/// row in every lane. For the first lane it doubles the columns before.
fn add_squares(numbers: Numbers, lane: usize, code: &mut Code) {
    for i in 0..BLOCK {
        let [limb, high, low] = [0, 1, 2].map(|register| Register(3 * (i % 4) as u8 + register));
        code.load(limb, row(B, i));
        let other = if numbers.fold.is_some() { row(B, i).into() } else { Operand::Register(limb) };
        numbers.spread(lane, limb, code);
        code.high(high, limb, other);
        code.low(low, high, limb, other);
        for (column, half) in [(2 * i, low), (2 * i + 1, high)] {
            let (place, sum) = (row(AREA, Area::COLUMNS + column), limb);
            code.load(sum, place);
            if lane == 0 {
                code.add(sum, sum, sum);
            }
            code.add(sum, sum, half);
            code.store(place, sum);
        }
    }
}

/// Doubles `rows` columns from `first` on.
fn double(first: usize, rows: usize, code: &mut Code) {
    let mut body = Code::default();
    for i in 0..BLOCK {
        let (place, sum) = (row(AREA, Area::COLUMNS + first + i), Register(i as u8));
        body.load(sum, place);
        body.add(sum, sum, sum);
        body.store(place, sum);
    }
    body.advance(AREA, BLOCK as isize);
    code.repeat(rows / BLOCK, body);
    code.advance(AREA, -(rows as isize));
}
