//! Squares.

use super::reduce::N;
use super::sweep::{Sweep, factor};
use super::{A, AREA, Area, B, BLOCK, Code, digits, reduce, row, weave};
use crate::vex::Register;

/// Montgomery squaring, four lanes: `r = (a^2 + q n) / R`, R = 2^(52 N), for the q below R that makes it whole.
///
/// Pointers P0 r, P1 a, P2 the area, P3 constants; P4 is used, too. r may be a.
/// Bounds   limbs of a below 2^52; then those of r, where r < 2^(52 N), are too. r is below a^2 / R + n.
/// Cost     (3 N^2 + 2 N) / 2 products.
pub(super) fn square(limbs: usize) -> Code {
    let area = Area::of(limbs);
    let mut code = Code::default();
    code.begin();
    code.convert_rows(AREA, area.operand, A, limbs);
    clear(area.columns, 2 * limbs, &mut code);
    // The first block of rows completes the first columns but for the squares; while the last ones, whose code has no
    // loops, add theirs, the first digits are found.
    let straight = limbs - BLOCK * (limbs / BLOCK - 1).min(3);
    (0..straight).step_by(BLOCK).for_each(|first| add_products(first, limbs, &mut code));
    code.point(B, AREA, area.operand);
    squares_of_block(area, &mut code);
    code.point(N, AREA, area.modulus);
    let mut last = Code::default();
    (straight..limbs).step_by(BLOCK).for_each(|first| add_products(first, limbs, &mut last));
    code.append(weave(last, digits::pieces(0, N)));
    let mut body = Code::default();
    body.advance(AREA, 2 * BLOCK as isize);
    body.advance(B, BLOCK as isize);
    squares_of_block(area, &mut body);
    code.repeat(limbs / BLOCK - 1, body);
    code.advance(AREA, -(2 * (limbs - BLOCK) as isize));
    code.append(reduce::reduce(limbs, limbs));
    code
}

fn clear(first: usize, rows: usize, code: &mut Code) {
    let zero = Register(0);
    code.zero(zero);
    let mut body = Code::default();
    (0..BLOCK).for_each(|i| body.store(row(AREA, first + i), zero));
    body.advance(AREA, BLOCK as isize);
    code.repeat(rows / BLOCK, body);
    code.advance(AREA, -(rows as isize));
}

/// Adds to the columns the products of the limbs from `first` on, five of them, with those after them.
fn add_products(first: usize, limbs: usize, code: &mut Code) {
    let area = Area::of(limbs);
    (0..BLOCK).for_each(|k| code.load(factor(k), row(AREA, area.operand + first + k)));
    let sweep = Sweep {
        columns: (AREA, area.columns + 2 * first),
        limbs: (AREA, area.operand + first),
        count: limbs - first,
        above_diagonal: true,
        finish: None,
    };
    sweep.open(1, false, code);
    sweep.rest(1, code);
}

/// `columns = 2 columns + biases + the squares of five limbs`, to which P4 points.
fn squares_of_block(area: Area, code: &mut Code) {
    for i in 0..BLOCK {
        let [limb, high, low] = [0, 1, 2].map(|register| Register(3 * (i % 4) as u8 + register));
        code.load(limb, row(B, i));
        code.high(high, limb, row(B, i));
        code.low(low, high, limb, row(B, i));
        for (column, half) in [(2 * i, low), (2 * i + 1, high)] {
            let sum = limb;
            code.load(sum, row(AREA, area.columns + column));
            code.add(sum, sum, sum);
            code.add(half, half, row(AREA, area.biases[0] + column));
            code.add(sum, sum, half);
            code.store(row(AREA, area.columns + column), sum);
        }
    }
}
