// SPDX-License-Identifier: Apache-2.0
//! Montgomery squaring with all columns in registers.

use crate::parts::reduction::{Output, RowOf, digit};
use crate::parts::registers::{Columns, Rotation};
use crate::program::{Code, Pointer, Program, Vector};
use crate::scan;

/// Montgomery squaring, eight lanes: `r = a² · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants; r may be a.
/// Shapes   a, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   a² < 2^(52·N) · n, n odd, limbs of a and n below 2^52; then r < 2n and every limb of r is below 2^52.
/// Cost     3N² + N multiply-adds.
/// Source   Koç, Acar, Kaliski 1996 (product scanning, with each reduction row issued as soon as its column is
///          complete); Gueron, Krasnov 2013 for the lazy final subtraction.
pub fn square(limbs: usize) -> Program {
    Program::new(code(limbs, Pointer::P0, Pointer::P1))
}

/// The same in place, at P0, and beside it a part of the scan of a table at P4 into the selection at P5: so many limbs.
pub(crate) fn in_place_beside_scan(limbs: usize, scanned: usize) -> Code {
    scan::beside(code(limbs, Pointer::P0, Pointer::P0), scanned, [25, 24, 23, 22].map(Vector))
}

fn code(limbs: usize, r: Pointer, a: Pointer) -> Code {
    const QUOTIENTS: [Vector; 2] = [Vector(31), Vector(30)];
    let n = Pointer::P2;
    let mut code = Code::new();
    let mut squares = Columns::new(0..limbs as u8 + 2);
    // Registers that the columns leave: those of a short number have room for its limbs, a long one needs them all.
    let spare = limbs as u8 + 2..22;
    let held: Vec<Vector> = if spare.len() < limbs { Vec::new() } else { spare.clone().map(Vector).collect() };
    held.iter().enumerate().for_each(|(j, &limb)| code.copy(limb, a.row(j)));
    let (mut temporaries, of_terms) = if held.is_empty() {
        (Rotation::new([29, 28].into_iter().chain(spare)), Rotation::new([27, 26]))
    } else {
        (Rotation::new([29, 28, 27, 26]), Rotation::new(spare))
    };
    let mut terms = Terms { a, limbs, held, temporaries: of_terms };

    // The low columns, row by row: the row's limb stays in the register of a quotient digit not needed yet.
    (0..=limbs).for_each(|column| squares.open(column));
    for k in 0..limbs {
        terms.low_row(k, QUOTIENTS[1], &mut squares, &mut code);
        if k == 0 {
            digit(QUOTIENTS[0], squares.at(0), &mut code);
        }
    }
    code.append(terms.high_column(limbs, &mut squares));
    for i in 0..limbs {
        let last = i == limbs - 1;
        let (q, next_q) = (QUOTIENTS[i % 2], QUOTIENTS[(i + 1) % 2]);
        let sums: Vec<Vector> = (i..=i + limbs).map(|column| squares.at(column)).collect();
        let output = last.then(|| Output { to: r, carry: temporaries.take() });
        let row = RowOf { sums: &sums, q, n, next_q: (!last).then_some(next_q), output };
        // In the last row the carry holds one of the row's own temporaries, and the terms need none any more.
        let pool = if last { &mut terms.temporaries } else { &mut temporaries };
        let (first, rest) = row.code(pool, Code::new());
        code.append(first);
        squares.close(i);
        let product = if last { Code::new() } else { terms.high_column(limbs + 1 + i, &mut squares) };
        code.append(Code::weave(rest, product));
    }
    code
}

/// The terms of a square: products of different limbs once, then doubled, and the squares of the limbs.
struct Terms {
    a: Pointer,
    limbs: usize,
    /// The limbs, where they stay in registers.
    held: Vec<Vector>,
    /// Registers for limbs that do not.
    temporaries: Rotation,
}

impl Terms {
    /// A register that holds the limb `j`.
    fn limb(&mut self, j: usize, code: &mut Code) -> Vector {
        match self.held.get(j) {
            Some(&limb) => limb,
            None => self.temporaries.load(self.a.row(j), code),
        }
    }

    /// Row `k` of the columns below `limbs`, its limb in the register `limb` if not in its own; completes column `k`.
    fn low_row(&mut self, k: usize, limb: Vector, columns: &mut Columns, code: &mut Code) {
        let others = 0..k.min(self.limbs - k);
        let limb = match self.held.get(k) {
            Some(&limb) => limb,
            None if others.is_empty() => limb,
            None => {
                code.copy(limb, self.a.row(k));
                limb
            }
        };
        for j in others {
            let other = self.limb(j, code);
            columns.ensure_started(j + k, code);
            code.low(columns.at(j + k), limb, other);
            columns.ensure_started(j + k + 1, code);
            code.high(columns.at(j + k + 1), limb, other);
        }
        self.double_and_add_square(k, columns, code);
    }

    /// The column `limbs` or a higher one, complete; opens the next.
    fn high_column(&mut self, column: usize, columns: &mut Columns) -> Code {
        let mut code = Code::new();
        if column + 1 < 2 * self.limbs {
            columns.open(column + 1);
        }
        for j in column + 1 - self.limbs..column.div_ceil(2) {
            let x = self.limb(column - j, &mut code);
            let y = self.limb(j, &mut code);
            columns.ensure_started(column, &mut code);
            code.low(columns.at(column), x, y);
            columns.ensure_started(column + 1, &mut code);
            code.high(columns.at(column + 1), x, y);
        }
        self.double_and_add_square(column, columns, &mut code);
        code
    }

    fn double_and_add_square(&mut self, column: usize, columns: &mut Columns, code: &mut Code) {
        if columns.has_started(column) {
            let sum = columns.at(column);
            code.add(sum, sum, sum);
        }
        columns.ensure_started(column, code);
        let limb = self.limb(column / 2, code);
        if column.is_multiple_of(2) {
            code.low(columns.at(column), limb, limb);
        } else {
            code.high(columns.at(column), limb, limb);
        }
    }
}
