//! Montgomery squaring with all columns in registers.

use crate::program::{Code, Pointer, Program, Vector};
use crate::reduction::{Output, RowOf, digit};
use crate::registers::{Columns, Rotation};
use crate::scan;

/// Montgomery squaring, eight lanes: `r = a² · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants; r may be a. With a scan: P4 the table, P5 the selection.
/// Shapes   a, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   a² < 2^(52·N) · n, n odd, limbs of a and n below 2^52; then r < 2n and every limb of r is below 2^52.
/// Cost     3N² + N multiply-adds.
/// Source   Koç, Acar, Kaliski 1996 (product scanning, with each reduction row issued as soon as its column is
///          complete); Gueron, Krasnov 2013 for the lazy final subtraction.
///
/// With `scanned` limbs the table scan of [`crate::scan`] runs among the multiply-adds: that many limbs of the
/// selection are chosen from all entries of the table.
pub fn square(limbs: usize, scanned: Option<usize>) -> Program {
    const QUOTIENTS: [Vector; 2] = [Vector(31), Vector(30)];
    let (r, a, n) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let mut code = Code::new();
    let mut squares = Columns::new(0..limbs as u8 + 2);
    // Registers that the columns leave: a long number needs them all.
    let spare = limbs as u8 + 2..22;
    let mut temporaries = Rotation::new([29, 28].into_iter().chain(spare));
    let mut terms = Terms { a, limbs, temporaries: Rotation::new([27, 26]) };

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
        // In the last row the carry holds one of the row's own temporaries, and the product needs none any more.
        let pool = if last { &mut terms.temporaries } else { &mut temporaries };
        let (first, rest) = row.code(pool, Code::new());
        code.append(first);
        squares.close(i);
        let product = if last { Code::new() } else { terms.high_column(limbs + 1 + i, &mut squares) };
        code.append(Code::weave(rest, product));
    }
    Program::new(match scanned {
        Some(limbs) => scan::beside(code, limbs, [25, 24, 23, 22].map(Vector)),
        None => code,
    })
}

/// Limbs of the table that one squaring scans: four squarings scan both forms of an entry, 2N limbs.
pub const fn scanned_limbs(limbs: usize) -> usize {
    limbs / 2
}

/// The terms of a square: products of different limbs once, then doubled, and the squares of the limbs.
struct Terms {
    a: Pointer,
    limbs: usize,
    temporaries: Rotation,
}

impl Terms {
    /// Row `k` of the columns below `limbs`, held in `held`; completes column `k`.
    fn low_row(&mut self, k: usize, held: Vector, columns: &mut Columns, code: &mut Code) {
        let others = 0..k.min(self.limbs - k);
        if !others.is_empty() {
            code.copy(held, self.a.row(k));
        }
        for j in others {
            let other = self.temporaries.load(self.a.row(j), code);
            columns.ensure_started(j + k, None, code);
            code.low(columns.at(j + k), held, other);
            columns.ensure_started(j + k + 1, None, code);
            code.high(columns.at(j + k + 1), held, other);
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
            let x = self.temporaries.load(self.a.row(column - j), &mut code);
            let y = self.temporaries.load(self.a.row(j), &mut code);
            columns.ensure_started(column, None, &mut code);
            code.low(columns.at(column), x, y);
            columns.ensure_started(column + 1, None, &mut code);
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
        columns.ensure_started(column, None, code);
        let limb = self.temporaries.load(self.a.row(column / 2), code);
        if column.is_multiple_of(2) {
            code.low(columns.at(column), limb, limb);
        } else {
            code.high(columns.at(column), limb, limb);
        }
    }
}
