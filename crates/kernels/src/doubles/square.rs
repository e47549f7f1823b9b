//! Squares.

use super::sweep::{Sweep, factor};
use super::{A, AREA, Area, BLOCK, Code, reduce, row};
use crate::vex::Register;

/// Montgomery squaring, four lanes: `r = (a^2 + q n) / R`, R = 2^(52 N), for the q below R that makes it whole.
///
/// Pointers P0 r, P1 a, P2 the area, P3 constants; r may be a.
/// Bounds   limbs of a below 2^52; then those of r, where r < 2^(52 N), are too. r is below a^2 / R + n.
/// Cost     (3 N^2 + N) / 2 products.
pub(super) fn square(limbs: usize) -> Code {
    let area = Area::of(limbs);
    let mut code = Code::default();
    code.begin();
    code.convert_rows(AREA, area.operand, A, limbs);
    clear(area.columns, 2 * limbs, &mut code);
    for first in (0..limbs).step_by(BLOCK) {
        (0..BLOCK).for_each(|k| code.load(factor(k), row(AREA, area.operand + first + k)));
        let sweep = Sweep {
            columns: (AREA, area.columns + 2 * first),
            limbs: (AREA, area.operand + first),
            count: limbs - first,
            above_diagonal: true,
            finish: None,
        };
        sweep.open(1, false, &mut code);
        sweep.rest(1, &mut code);
    }
    double_and_add_squares(limbs, &mut code);
    code.append(reduce::reduce(limbs, limbs));
    code
}

fn clear(first: usize, rows: usize, code: &mut Code) {
    let zero = Register(0);
    code.0.push(crate::vex::Instruction::Zero { to: zero });
    let mut body = Code::default();
    (0..BLOCK).for_each(|i| body.store(row(AREA, first + i), zero));
    body.advance(AREA, BLOCK as isize);
    code.repeat(rows / BLOCK, body);
    code.advance(AREA, -(rows as isize));
}

/// `columns = 2 columns + biases + the squares of the limbs`
fn double_and_add_squares(limbs: usize, code: &mut Code) {
    let area = Area::of(limbs);
    code.point(A, AREA, area.operand);
    let mut body = Code::default();
    for i in 0..BLOCK {
        let [limb, high, low] = [0, 1, 2].map(|register| Register(3 * (i % 4) as u8 + register));
        body.load(limb, row(A, i));
        body.high(high, limb, row(A, i));
        body.low(low, high, limb, row(A, i));
        for (column, half) in [(2 * i, low), (2 * i + 1, high)] {
            let sum = limb;
            body.load(sum, row(AREA, area.columns + column));
            body.add(sum, sum, sum);
            body.add(half, half, row(AREA, area.biases[0] + column));
            body.add(sum, sum, half);
            body.store(row(AREA, area.columns + column), sum);
        }
    }
    body.advance(A, BLOCK as isize);
    body.advance(AREA, 2 * BLOCK as isize);
    code.repeat(limbs / BLOCK, body);
    code.advance(AREA, -(2 * limbs as isize));
}
