// SPDX-License-Identifier: Apache-2.0
//! Blocks of M limbs, from which products and reductions of longer numbers are composed; squares stand in
//! [`block_square`](crate::one_row::block_square), products with fewer multiply-adds in [`karatsuba`](crate::one_row::karatsuba).
//!
//! Column sums stand in memory, uncarried, with a sign: of 64 bits a column of a product and its reduction needs one for that
//! and 52 + log2(5.8N), so that N = 160 leaves room. A block works on the columns from its place on.

use crate::Operation;
use crate::constants;
use crate::parts::reduction::{RowOf, digit, finish_limb};
use crate::parts::registers::Rotation;
use crate::parts::rows::{self, Factor};
use crate::program::{Code, Pointer, Program, Vector};
use crate::scan::{ENTRIES, Scan};

pub(crate) const COLUMNS: Pointer = Pointer::P0;
pub(crate) const X: Pointer = Pointer::P1;
pub(crate) const Y: Pointer = Pointer::P2;
pub(crate) const RESULT: Pointer = Pointer::P4;

/// What the column sums hold when a block begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// Nothing: all start from zero.
    Fresh,
    /// Sums in the lower half; the upper half starts from zero.
    FreshTop,
    /// Sums everywhere.
    Old,
}

impl Columns {
    fn top_is_fresh(self) -> bool {
        self != Columns::Old
    }
}

/// What a product does with its columns at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// Stores the sums.
    Columns,
    /// Carries the lower half into limbs of the result, stores the upper half's sums and hands on the carry.
    Carry,
    /// Carries both halves into limbs of the result.
    Last,
}

/// The products by the schoolbook, by one row and by two.
pub(crate) const PRODUCTS: [(Operation, Columns, Finish); 5] = [
    (Operation::ProductFresh, Columns::Fresh, Finish::Columns),
    (Operation::ProductFreshTop, Columns::FreshTop, Finish::Columns),
    (Operation::ProductOld, Columns::Old, Finish::Columns),
    (Operation::ProductCarry, Columns::Old, Finish::Carry),
    (Operation::ProductLast, Columns::Old, Finish::Last),
];

/// Block product, eight lanes: `columns += x · y`.
///
/// Pointers P0 columns, P1 x, P2 y, P3 constants. With [`Finish::Carry`] and
///          [`Finish::Last`]: P4 the limbs of the result, and the constants' carry is taken in (and, by the former,
///          handed on).
/// Shapes   x, y: M limbs of one number per lane; columns: 2M rows; M = `limbs`, 15 or 20.
/// Bounds   limbs of x and y below 2^52, sums within ±2^62.
/// Cost     2M² multiply-adds.
pub fn product(limbs: usize, columns: Columns, finish: Finish) -> Program {
    let unrolled = unrolled_rows(limbs);
    let sums: Vec<Vector> = (0..(limbs + unrolled) as u8).map(Vector).collect();
    let (x, carry) = ([Vector(31), Vector(30)], Vector(29));
    let mut code = Code::new();
    let mut temporaries = Rotation::new((sums.len() as u8..29).take(6));
    load_columns(&sums[..=limbs], columns, &mut code);
    let carries = finish != Finish::Columns;
    if carries {
        code.copy(carry, constants::carry());
    }

    let mut body = Code::new();
    for row in 0..unrolled {
        let (x, sums) = (x[row % 2], &sums[row..]);
        body.copy(x, X.row(row));
        if row > 0 {
            next_column(sums, columns, limbs, row, &mut body);
        }
        rows::add(&sums[..=limbs], &[Factor { x, y: Y }], true, &mut temporaries, &mut body, |body| {
            if carries {
                finish_limb(sums[0], carry, true, true, body);
                body.store(RESULT.row(row), sums[0]);
            } else {
                body.store(COLUMNS.row(row), sums[0]);
            }
        });
    }
    (0..limbs).for_each(|j| body.copy(sums[j], sums[j + unrolled]));
    next_column(&sums, columns, limbs, unrolled, &mut body);
    let rows = unrolled as isize;
    body.advance(X, rows);
    body.advance(COLUMNS, rows);
    if carries {
        body.advance(RESULT, rows);
    }
    code.repeat(limbs / unrolled, body);

    for (j, &sum) in sums[..limbs].iter().enumerate() {
        if finish == Finish::Last {
            finish_limb(sum, carry, true, j < limbs - 1, &mut code);
            code.store(RESULT.row(j), sum);
        } else {
            code.store(COLUMNS.row(j), sum);
        }
    }
    if finish == Finish::Carry {
        code.store(constants::carry(), carry);
    }
    Program::new(code)
}

/// Rows of a product in a turn of its loop: fewer moves from register to register than with one.
const fn unrolled_rows(limbs: usize) -> usize {
    if limbs.is_multiple_of(2) { 2 } else { 3 }
}

/// Columns that begin with zero: those of the product of half a number of two blocks with a whole one.
///
/// Pointers P0 columns.
/// Shapes   columns: 3M rows; M = `limbs`.
pub fn clear(limbs: usize) -> Program {
    let (mut code, zero) = (Code::new(), Vector(0));
    code.zero(zero);
    (0..3 * limbs).for_each(|column| code.store(COLUMNS.row(column), zero));
    Program::new(code)
}

/// Digits of a block, eight lanes: `q = columns mod 2^(52·M)`, and what is above goes into the next column.
///
/// Pointers P0 columns, P1 q, P3 constants.
/// Shapes   q: M limbs; columns: M + 1 rows, of which the last changes; M = `limbs`.
/// Bounds   sums within ±2^62; then limbs of q are below 2^52.
/// Cost     no multiply-adds.
pub fn digits(limbs: usize) -> Program {
    let (q, carry) = (Pointer::P1, Vector(31));
    let mut temporaries = Rotation::new(0..16);
    let mut code = Code::new();
    for j in 0..limbs {
        let sum = temporaries.load(COLUMNS.row(j), &mut code);
        finish_limb(sum, carry, j > 0, true, &mut code);
        code.store(q.row(j), sum);
    }
    code.add(carry, carry, COLUMNS.row(limbs));
    code.store(COLUMNS.row(limbs), carry);
    Program::new(code)
}

/// Block reduction, eight lanes: quotient digits q with `columns + q · n ≡ 0 mod 2^(52·M)`, the sum's low columns
/// carried away.
///
/// Pointers P0 columns, P1 q, P2 n, P3 constants. With `scanned`: P4 the table, P5 the selection.
/// Shapes   n: the modulus's first M limbs; q: M limbs; columns: 2M rows, of which the upper M hold the result and
///          the lower M are left as they were, or partly; M = `limbs`, 20 at most. The constants' carry becomes 0.
/// Bounds   n odd, sums within ±2^62.
/// Cost     2M² multiply-adds.
///
/// With `scanned`, one pass of the table scan runs among the multiply-adds: M limbs, one beside each row.
pub fn reduce(limbs: usize, scanned: bool) -> Program {
    let (digits, n) = (Pointer::P1, Pointer::P2);
    let sums: Vec<Vector> = (0..=limbs as u8).map(Vector).collect();
    let (q, next_q) = (Vector(31), Vector(30));
    let scan = Scan { candidates: [29, 28, 27, 26].map(Vector) };
    let mut temporaries = Rotation::new((limbs as u8 + 1..if scanned { 26 } else { 29 }).take(6));
    let mut code = Code::new();
    if scanned {
        scan.prepare(&mut code);
    }
    (0..=limbs).for_each(|j| code.copy(sums[j], COLUMNS.row(j)));
    digit(q, sums[0], &mut code);

    let row = |next_q: Option<Vector>, temporaries: &mut Rotation, code: &mut Code| {
        code.store(digits.row(0), q);
        let (mut reduction, rest) = RowOf { sums: &sums, q, n, next_q, output: None }.code(temporaries, Code::new());
        reduction.append(rest);
        let mut chosen = Code::new();
        if scanned {
            scan.limb(0, &mut chosen);
        }
        code.append(Code::weave(reduction, chosen));
    };
    let mut body = Code::new();
    row(Some(next_q), &mut temporaries, &mut body);
    (0..limbs).for_each(|j| body.copy(sums[j], sums[j + 1]));
    body.copy(sums[limbs], COLUMNS.row(limbs + 1));
    body.copy(q, next_q);
    body.advance(COLUMNS, 1);
    body.advance(digits, 1);
    if scanned {
        body.advance(Scan::TABLE, ENTRIES as isize);
        body.advance(Scan::SELECTION, 1);
    }
    code.repeat(limbs - 1, body);
    row(None, &mut temporaries, &mut code);
    (1..=limbs).for_each(|j| code.store(COLUMNS.row(j), sums[j]));
    code.zero(q);
    code.store(constants::carry(), q);
    Program::new(code)
}

fn load_columns(sums: &[Vector], columns: Columns, code: &mut Code) {
    let limbs = sums.len() - 1;
    for (j, &sum) in sums.iter().enumerate() {
        if columns == Columns::Fresh || (columns == Columns::FreshTop && j == limbs) {
            code.zero(sum);
        } else {
            code.copy(sum, COLUMNS.row(j));
        }
    }
}

/// Takes in the column that the row `row` adds to first.
fn next_column(sums: &[Vector], columns: Columns, limbs: usize, row: usize, code: &mut Code) {
    if columns.top_is_fresh() {
        code.zero(sums[limbs]);
    } else {
        code.copy(sums[limbs], COLUMNS.row(limbs + row));
    }
}
