//! Blocks of M limbs, from which products and reductions of longer numbers are composed; squares stand in
//! [`block_square`](crate::block_square).
//!
//! Column sums stand in memory, uncarried: 64 bits each, of which a column of a product and its reduction needs
//! 52 + log2(4N), so that N = 160 leaves room. A block works on the columns from its place on.

use crate::constants;
use crate::program::{Code, Pointer, Program, Vector};
use crate::reduction::{RowOf, digit, finish_limb};
use crate::registers::Rotation;
use crate::rows::{self, Factor};
use crate::scan::{ENTRIES, Scan};

const COLUMNS: Pointer = Pointer::P0;
const X: Pointer = Pointer::P1;
const Y: Pointer = Pointer::P2;

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
    /// In a kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            Columns::Fresh => "fresh",
            Columns::FreshTop => "fresh_top",
            Columns::Old => "old",
        }
    }

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

/// Block product, eight lanes: `columns += x · y`.
///
/// Pointers P0 columns, P1 x, P2 y, P3 constants. With [`Finish::Carry`] and
///          [`Finish::Last`]: P4 the limbs of the result, and the constants' carry is taken in (and, by the former,
///          handed on). With `scanned`: P4 the table, P5 the selection.
/// Shapes   x, y: M limbs of one number per lane; columns: 2M rows; M = `limbs`, 15 or 20.
/// Bounds   limbs of x and y below 2^52, sums below 2^63.
/// Cost     2M² multiply-adds.
///
/// With `scanned`, one pass of the table scan runs among the multiply-adds: see [`scanned_limbs`].
pub fn product(limbs: usize, columns: Columns, finish: Finish, scanned: bool) -> Program {
    let unrolled = unrolled_rows(limbs);
    let sums: Vec<Vector> = (0..(limbs + unrolled) as u8).map(Vector).collect();
    let (x, carry, result) = ([Vector(31), Vector(30)], Vector(29), Pointer::P4);
    let mut free = sums.len() as u8..29;
    let mut code = Code::new();
    let scan = scanned.then(|| {
        let mut take = || Vector(free.next().expect("a register"));
        Scan { candidates: [take(), take(), take(), take()] }
    });
    let mut temporaries = Rotation::new(free.take(6));
    load_columns(&sums[..=limbs], columns, &mut code);
    let carries = finish != Finish::Columns;
    if carries {
        code.copy(carry, constants::carry());
    }
    if let Some(scan) = &scan {
        scan.prepare(&mut code);
    }

    let (mut body, mut chosen) = (Code::new(), Code::new());
    for row in 0..unrolled {
        let (x, sums) = (x[row % 2], &sums[row..]);
        body.copy(x, X.row(row));
        if row > 0 {
            next_column(sums, columns, limbs, row, &mut body);
        }
        rows::add(&sums[..=limbs], &[Factor { x, y: Y }], true, &mut temporaries, &mut body, |body| {
            if carries {
                finish_limb(sums[0], carry, true, true, body);
                body.store(result.row(row), sums[0]);
            } else {
                body.store(COLUMNS.row(row), sums[0]);
            }
        });
        if let Some(scan) = &scan {
            scan.limb(row, &mut chosen);
        }
    }
    body = Code::weave(body, chosen);
    (0..limbs).for_each(|j| body.copy(sums[j], sums[j + unrolled]));
    next_column(&sums, columns, limbs, unrolled, &mut body);
    let rows = unrolled as isize;
    body.advance(X, rows);
    body.advance(COLUMNS, rows);
    if carries {
        body.advance(result, rows);
    }
    if scanned {
        body.advance(Scan::TABLE, rows * ENTRIES as isize);
        body.advance(Scan::SELECTION, rows);
    }
    code.repeat(limbs / unrolled, body);

    for (j, &sum) in sums[..limbs].iter().enumerate() {
        if finish == Finish::Last {
            finish_limb(sum, carry, true, j < limbs - 1, &mut code);
            code.store(result.row(j), sum);
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

/// Limbs of the table that one block product scans: one beside each row.
pub const fn scanned_limbs(limbs: usize) -> usize {
    limbs
}

/// Two block products at once, eight lanes: `columns += x · y + x' · y'`.
///
/// Pointers P0 columns, P1 x, P2 y, P4 x', P5 y'.
/// Shapes   x, y, x', y': M limbs of one number per lane; columns: 2M rows; M = `limbs`, 20 at most.
/// Bounds   limbs below 2^52, sums below 2^63.
/// Cost     4M² multiply-adds.
pub fn two_products(limbs: usize, columns: Columns) -> Program {
    let (second_x, second_y) = (Pointer::P4, Pointer::P5);
    let sums: Vec<Vector> = (0..=limbs as u8).map(Vector).collect();
    let (x, xx) = (Vector(31), Vector(30));
    let mut temporaries = Rotation::new(limbs as u8 + 1..30);
    let mut code = Code::new();
    load_columns(&sums, columns, &mut code);
    let mut body = Code::new();
    body.copy(x, X.row(0));
    body.copy(xx, second_x.row(0));
    let factors = [Factor { x, y: Y }, Factor { x: xx, y: second_y }];
    rows::add(&sums, &factors, true, &mut temporaries, &mut body, |body| body.store(COLUMNS.row(0), sums[0]));
    (0..limbs).for_each(|j| body.copy(sums[j], sums[j + 1]));
    next_column(&sums, columns, limbs, 1, &mut body);
    [X, second_x, COLUMNS].into_iter().for_each(|pointer| body.advance(pointer, 1));
    code.repeat(limbs, body);
    for (j, &sum) in sums[..limbs].iter().enumerate() {
        code.store(COLUMNS.row(j), sum);
    }
    Program::new(code)
}

/// Block reduction, eight lanes: quotient digits q with `columns + q · n ≡ 0 mod 2^(52·M)`, the sum's low columns
/// carried away.
///
/// Pointers P0 columns, P1 q, P2 n, P3 constants.
/// Shapes   n: the modulus's first M limbs; q: M limbs; columns: 2M rows, of which the upper M hold the result and
///          the lower M are left as they were, or partly; M = `limbs`, 20 at most.
/// Bounds   n odd, sums below 2^63.
/// Cost     2M² multiply-adds.
pub fn reduce(limbs: usize) -> Program {
    let (digits, n) = (Pointer::P1, Pointer::P2);
    let sums: Vec<Vector> = (0..=limbs as u8).map(Vector).collect();
    let (q, next_q) = (Vector(31), Vector(30));
    let mut temporaries = Rotation::new((limbs as u8 + 1..29).take(6));
    let mut code = Code::new();
    (0..=limbs).for_each(|j| code.copy(sums[j], COLUMNS.row(j)));
    digit(q, sums[0], &mut code);

    let row = |next_q: Option<Vector>, temporaries: &mut Rotation, code: &mut Code| {
        code.store(digits.row(0), q);
        let (first, rest) = RowOf { sums: &sums, q, n, next_q, output: None }.code(temporaries, Code::new());
        code.append(first);
        code.append(rest);
    };
    let mut body = Code::new();
    row(Some(next_q), &mut temporaries, &mut body);
    (0..limbs).for_each(|j| body.copy(sums[j], sums[j + 1]));
    body.copy(sums[limbs], COLUMNS.row(limbs + 1));
    body.copy(q, next_q);
    body.advance(COLUMNS, 1);
    body.advance(digits, 1);
    code.repeat(limbs - 1, body);
    row(None, &mut temporaries, &mut code);
    (1..=limbs).for_each(|j| code.store(COLUMNS.row(j), sums[j]));
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
