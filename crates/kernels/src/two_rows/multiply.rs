// SPDX-License-Identifier: Apache-2.0
//! Montgomery multiplications by two rows at a time: whole, half, and the half reduction.

use super::columns::{Columns, Step};
use crate::constants;
use crate::program::{Code, Pointer, Program, Row};
use crate::reducer::LAST_ROWS;

/// Montgomery multiplication, eight lanes: `r = a · b · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n and behind it 2^(−52) mod n, P3 constants, P4 b; r may be a or b.
/// Shapes   a, b, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   a · b < 2^(52·N) · n, n odd, a and b loose; then r < a · b / 2^(52·N) + n + n / 2^52, loose. Columns stay below 2^60.
/// Cost     4N² multiply-adds, 2N − 1 shifts and as many carries.
pub fn multiply(limbs: usize) -> Program {
    Program::new(rows(limbs, limbs, Pointer::P0, Pointer::P4, &[(0, Pointer::P1.row(0))]))
}

/// Montgomery multiplication by half, eight lanes: `r = a · b · 2^(−52·N) mod n`, given
/// `a' ≡ a · 2^(−26·N) mod n` beside a, as [`crate::one_row::multiply::half_multiply`] does.
///
/// Pointers P0 r, P1 a, P2 n and behind it 2^(−52) mod n, P3 constants, P4 b, P5 a'; r may be any of a, a' and b.
/// Shapes   a, a', b, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   n odd, a, a' and b loose; r < a' + a · b / 2^(52·N) + n + n / 2^52, loose. Columns stay below 2^60.
/// Cost     3N² multiply-adds, 3N/2 − 1 shifts and as many carries.
pub fn half_multiply(limbs: usize) -> Program {
    let [a, shifted] = [Pointer::P1, Pointer::P5].map(|pointer| pointer.row(0));
    Program::new(half_multiply_at(limbs, Pointer::P0, [a, shifted], Pointer::P4))
}

/// The same in other places: of r, of a and a', and of b.
pub(super) fn half_multiply_at(limbs: usize, r: Pointer, [a, shifted]: [Row; 2], b: Pointer) -> Code {
    rows(limbs, limbs / 2, r, b, &[(0, shifted), (limbs / 2, a)])
}

/// Half a Montgomery reduction, eight lanes: `r = a · 2^(−26·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n and behind it 2^(−52) mod n, P3 constants; r may be a.
/// Shapes   a, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   n odd, a loose; then r <= n + n / 2^52 + a / 2^(26·N), loose; twice in a row gives r < 2n.
/// Cost     N² + N multiply-adds, N of which bring limbs, without what is above them, to the columns.
pub fn half_reduce(limbs: usize) -> Program {
    let (a, rows) = (Pointer::P1, limbs / 2);
    let mut columns = Columns::new(limbs, rows, Pointer::P0, a);
    let one = columns.load(constants::one());
    for column in 0..limbs {
        columns.open(column, rounding(column, rows));
        let limb = columns.limb(column);
        columns.add(false, column, limb, one);
        columns.drop_limb(column);
    }
    columns.give(one);
    [limbs, limbs + 1].into_iter().for_each(|column| columns.open(column, None));
    Program::new(reduce(columns, rows, [limbs * 3 / 10, limbs * 6 / 10], |_, _| Vec::new()))
}

/// The sum over `parts` of a factor, from a row on, times the limbs of `b` from a first one on, as many as there are
/// rows; and as many rows of reduction.
fn rows(limbs: usize, rows: usize, r: Pointer, b: Pointer, parts: &[(usize, Row)]) -> Code {
    let mut columns = Columns::new(limbs, rows, r, b);
    (0..limbs + 2).for_each(|column| columns.open(column, rounding(column, rows)));
    products(limbs, parts, 0, 2 - rows % 2).into_iter().for_each(|step| columns.step(step));
    columns.drop_rows();
    // A digit waits for all products of its column: with two parts, the second's begin in the middle.
    let begin = if parts.len() == 1 { [3, 6] } else { [7, 9] }.map(|tenths| limbs * tenths / 10);
    reduce(columns, rows, begin, |row, count| products(limbs, parts, row, count))
}

/// What a column starts with where the reduction has so many rows: those that the modulus itself makes zero have a rounding constant.
fn rounding(column: usize, rows: usize) -> Option<Row> {
    (rows - LAST_ROWS..rows).contains(&column).then(constants::limb_mask)
}

/// The reduction by `rows` rows, the first of an odd number alone. Beside each one or two of them stand the `products` of the next two,
/// and what opens their columns; those of the first are done.
fn reduce(mut columns: Columns, rows: usize, begin: [usize; 2], products: impl Fn(usize, usize) -> Vec<Step>) -> Code {
    columns.begin_reducer_row(0);
    if rows.is_multiple_of(2) {
        columns.pass_on(1);
    }
    let mut row = 0;
    let digits = loop {
        let count = 2 - (rows - row) % 2;
        row += count;
        let top = row + columns.limbs() + 2;
        let opened = (top - count..top).map(Step::Open);
        let steps: Vec<Step> = opened.chain(products(row, 2)).collect();
        let digits = columns.reducer_rows(row - count, count, &steps, begin);
        columns.drop_rows();
        if let Some(digits) = digits {
            break digits;
        }
    };
    columns.two_rows(row, digits, &[], begin);
    columns.code
}

/// The products of the row `row` and, of two, the next.
fn products(limbs: usize, parts: &[(usize, Row)], row: usize, rows: usize) -> Vec<Step> {
    let part = |(first, y): &(usize, Row)| {
        let (first, y) = (*first, *y);
        let products = move |j| Step::Products { y: y.pointer.row(y.row + j), column: row + j };
        std::iter::once(Step::Rows { limb: row + first, rows }).chain((0..limbs).map(products))
    };
    parts.iter().flat_map(part).collect()
}
