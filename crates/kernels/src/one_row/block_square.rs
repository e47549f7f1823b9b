// SPDX-License-Identifier: Apache-2.0
//! Squares of longer numbers from squares of blocks alone.
//!
//! With `2·x·y = x² + y² − (x − y)²` the square of `Σ a_i·X^i` over B blocks is
//! `(Σ a_i²·X^i) · (1 + X + … + X^(B−1)) − Σ_{i<j} (a_i − a_j)²·X^(i+j)`: half the multiply-adds of a product for each
//! pair of blocks. For B = 2 this is Karatsuba's squaring. Sums may be negative on the way.

use crate::parts::reduction::finish_limb;
use crate::parts::registers::{Columns, Rotation};
use crate::parts::rows::HIGH_LAG;
use crate::program::{Code, Pointer, Program, Vector};

const COLUMNS: Pointer = Pointer::P0;
const A: Pointer = Pointer::P1;

/// What becomes of a block's square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Goal {
    /// It replaces the columns.
    Fresh,
    /// It is added to the lower half of the columns and replaces the upper.
    FreshTop,
    /// It is subtracted from the columns; `a` is a [`difference`], its sign behind it.
    Subtract,
    /// It makes the square of two blocks, x and y, of x² and y², which stand in the lower and the upper half of its columns;
    /// `a` is their [`difference`], its sign behind it.
    Middle,
}

/// Block square, eight lanes: `columns = a²`, `columns + a²` or `columns − a²`, or by these the square of two blocks.
///
/// Pointers P0 columns, P1 a.
/// Shapes   a: M limbs of one number per lane, of a difference its sign; columns: 2M rows, to subtract one more, of two
///          blocks 4M; M = `limbs`, 20 at most.
/// Bounds   limbs of a below 2^52, sums within ±2^62.
/// Cost     M² + M multiply-adds.
///
/// Where the difference d is negative its limbs hold d + X with X = 2^(52·M), and
/// `−d² = −(d + X)² + 2·X·(d + X) − X²`.
pub fn square(limbs: usize, goal: Goal) -> Program {
    let (held, sign) = (Vector(28), Vector(29));
    // Where the square's first column stands.
    let first = if goal == Goal::Middle { limbs } else { 0 };
    let mut temporaries = Rotation::new(24..28);
    let mut columns = Columns::new(0..limbs as u8 + 1);
    let mut code = Code::new();
    let negative = matches!(goal, Goal::Subtract | Goal::Middle);
    if negative {
        code.copy(sign, A.row(limbs));
    }
    let row = |j: usize,
               others: std::ops::Range<usize>,
               columns: &mut Columns,
               temporaries: &mut Rotation,
               code: &mut Code| {
        if !others.is_empty() {
            code.copy(held, A.row(j));
        }
        let mut loaded = Vec::new();
        for k in others.start..others.end + HIGH_LAG {
            if others.contains(&k) {
                let other = temporaries.load(A.row(k), code);
                loaded.push(other);
                columns.ensure_started(j + k, code);
                code.low(columns.at(j + k), held, other);
            }
            if let Some(&other) = k.checked_sub(HIGH_LAG + others.start).and_then(|i| loaded.get(i)) {
                let column = j + k - HIGH_LAG + 1;
                columns.ensure_started(column, code);
                code.high(columns.at(column), held, other);
            }
        }
    };
    let finish = |column: usize, columns: &mut Columns, temporaries: &mut Rotation, code: &mut Code| {
        if columns.has_started(column) {
            code.add(columns.at(column), columns.at(column), columns.at(column));
        }
        columns.ensure_started(column, code);
        let sum = columns.at(column);
        let limb = temporaries.load(A.row(column / 2), code);
        if column.is_multiple_of(2) {
            code.low(sum, limb, limb);
        } else {
            code.high(sum, limb, limb);
        }
        match goal {
            Goal::FreshTop if column < limbs => code.add(sum, sum, COLUMNS.row(column)),
            Goal::Fresh | Goal::FreshTop => {}
            Goal::Subtract => {
                let old = temporaries.load(COLUMNS.row(column), code);
                code.subtract(sum, old, sum);
            }
            Goal::Middle => {
                // The upper half of x² and the lower of y² belong to both of the columns that are a block apart.
                let both = COLUMNS.row(2 * limbs + column % limbs);
                let old = if column < limbs {
                    let old = temporaries.load(COLUMNS.row(limbs + column), code);
                    code.add(old, old, both);
                    code.store(both, old);
                    code.add(old, old, COLUMNS.row(column));
                    old
                } else {
                    let old = temporaries.load(both, code);
                    code.add(old, old, COLUMNS.row(2 * limbs + column));
                    old
                };
                code.subtract(sum, old, sum);
            }
        }
        if negative && column >= limbs {
            let wrapped = temporaries.take();
            code.and(wrapped, sign, A.row(column - limbs));
            code.add(wrapped, wrapped, wrapped);
            code.add(sum, sum, wrapped);
        }
        code.store(COLUMNS.row(first + column), sum);
        columns.close(column);
    };

    (0..=limbs).for_each(|column| columns.open(column));
    for k in 0..limbs {
        row(k, 0..k.min(limbs - k), &mut columns, &mut temporaries, &mut code);
        finish(k, &mut columns, &mut temporaries, &mut code);
    }
    (limbs + 1..2 * limbs).for_each(|column| columns.open(column));
    for j in 1..limbs - 1 {
        row(j, (j + 1).max(limbs - j)..limbs, &mut columns, &mut temporaries, &mut code);
    }
    for column in limbs..2 * limbs {
        finish(column, &mut columns, &mut temporaries, &mut code);
    }
    if negative {
        // The sign is 0 or −1.
        code.add(sign, sign, COLUMNS.row(first + 2 * limbs));
        code.store(COLUMNS.row(first + 2 * limbs), sign);
    }
    Program::new(code)
}

/// Difference, eight lanes: `d = x − y mod 2^(52·M)`, and its sign.
///
/// Pointers P0 d, P1 x, P2 y, P3 constants.
/// Shapes   x, y: M limbs of one number per lane; d: M limbs, and a row that is 0, or −1 where x < y; M = `limbs`.
/// Bounds   limbs of x and y below 2^52; then limbs of d are.
/// Cost     no multiply-adds.
pub fn difference(limbs: usize) -> Program {
    let (d, x, y) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let borrow = Vector(31);
    let mut temporaries = Rotation::new(0..16);
    let mut code = Code::new();
    for j in 0..limbs {
        let limb = temporaries.load(x.row(j), &mut code);
        code.subtract(limb, limb, y.row(j));
        finish_limb(limb, borrow, j > 0, true, &mut code);
        code.store(d.row(j), limb);
    }
    code.store(d.row(limbs), borrow);
    Program::new(code)
}

/// Multiplication by `1 + X + … + X^(B−1)`, eight lanes, where X = 2^(52·M).
///
/// Pointers P0 columns.
/// Shapes   columns: (B + 1)·M rows in, 2B·M rows out; B = `blocks`, 28 at most; M = `limbs`.
/// Bounds   sums below 2^62 / B.
/// Cost     no multiply-adds.
pub fn spread(limbs: usize, blocks: usize) -> Program {
    let (sum, parts): (Vector, Vec<Vector>) = (Vector(31), (0..=blocks as u8).map(Vector).collect());
    let mut body = Code::new();
    for (i, &part) in parts.iter().enumerate() {
        body.copy(part, COLUMNS.row(i * limbs));
    }
    body.copy(sum, parts[0]);
    for i in 1..2 * blocks {
        if i <= blocks {
            body.add(sum, sum, parts[i]);
        }
        if i >= blocks {
            body.subtract(sum, sum, parts[i - blocks]);
        }
        body.store(COLUMNS.row(i * limbs), sum);
    }
    body.advance(COLUMNS, 1);
    let mut code = Code::new();
    code.repeat(limbs, body);
    Program::new(code)
}
