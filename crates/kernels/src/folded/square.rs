// SPDX-License-Identifier: Apache-2.0
//! Montgomery squaring of numbers folded over two lanes: see [`folded`](crate::folded).

use crate::folded::Fold;
use crate::folded::multiply::{self, By, Reduction, carry_and_store};
use crate::parts::registers::{Columns, Rotation};
use crate::program::{Code, Pointer, Program, Vector};
use crate::reducer::LAST_ROWS;
use crate::scan;

const FOLD: Fold = Fold::Pair;
const A: Pointer = Pointer::P0;
const COLUMNS: Pointer = Pointer::P1;
const N: Pointer = Pointer::P2;
const DIGITS: [Vector; 2] = [Vector(31), Vector(30)];
const X: Vector = Vector(29);
const FIRST: Vector = Vector(28);

/// Montgomery squaring in place, of numbers folded over two lanes: `a = a² · 2^(−52·N) mod n`.
///
/// Pointers P0 a, P1 scratch of 3M rows, P2 n and behind it 2^(−52) mod n, P3 constants. With a scan: P4 the table, P5 the selection.
/// Shapes   a, n: M rows of numbers of N = 2M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   a² < 2^(52·N) · n, n odd, limbs below 2^52; then the result is below a² / 2^(52·N) + n + n / 2^52 and every limb below 2^52.
/// Cost     2(M² + M) + 4M² + 2 multiply-adds.
/// Source   the triangle of a square, folded: with a = a₀ + a₁·X, lane l adds, for i < j, `a₀[i]·aₗ[j]` and `a₁[i]·aₗ[j]`,
///          doubles, and adds the terms i = j. Both lanes of a·a together have every product twice but those.
///
/// With `scanned` rows the table scan of [`crate::scan`] runs among the multiply-adds.
pub fn square(rows: usize, scanned: Option<usize>) -> Program {
    if rows <= 10 { woven(rows, scanned) } else { staged(rows, scanned) }
}

/// Rows of the table that one squaring with a scan scans, so that at most four of them scan both forms of an entry.
pub const fn scanned_rows(rows: usize) -> usize {
    (2 * rows).div_ceil(4).next_multiple_of(5)
}

/// All columns in registers, the product's upper rows among the reduction's.
///
/// The scan runs in the second half, where columns leave it registers.
fn woven(rows: usize, scanned: Option<usize>) -> Program {
    let mut columns = Columns::new(0..21);
    let mut product = Product { rows, temporaries: Rotation::new([26, 27]) };
    let mut temporaries = Rotation::new(21..26);
    let mut code = Code::new();
    code.copy(FIRST, N.row(rows));
    (0..=rows).for_each(|i| product.row(i, &mut columns, &mut code));
    FOLD.spread(0, DIGITS[0], columns.at(0), &mut code);
    let last = 2 * rows - LAST_ROWS;
    let by = |row: usize| if row < last { By::Reducer } else { By::Modulus };
    let mut reduced = 0;
    let mut reduce_until = |end: usize, columns: &mut Columns| {
        let mut code = Code::new();
        for row in reduced..end {
            let mut sums: Vec<Vector> = (row..=row + rows).map(|column| columns.at(column)).collect();
            // In rows by the modulus nothing goes there.
            sums.push(if row < last { columns.at(row + rows + 1) } else { sums[rows] });
            let digits = [row, row + 1].map(|row| DIGITS[row % 2]);
            let next = (row + 1 < 2 * rows).then(|| by(row + 1));
            let reduction = Reduction { fold: FOLD, sums: &sums, by: by(row), next, digits, first: Some(FIRST) };
            code.append(reduction.code(&mut temporaries, Code::new()));
            columns.close(row);
        }
        reduced = end;
        code
    };
    code.append(reduce_until(1, &mut columns));
    let mut two_rows = |i: usize, columns: &mut Columns, code: &mut Code| {
        // Two rows of reduction for one of the product: the second needs the column that this row begins with.
        product.begin(i, columns, code);
        let mut rest = Code::new();
        product.finish(i, columns, &mut rest);
        code.append(Code::weave(reduce_until(2 * (i - rows), columns), rest));
        if i == 2 * rows - 1 {
            code.append(reduce_until(2 * rows, columns));
        }
    };
    let half = rows + rows / 2 + 1;
    (rows + 1..half).for_each(|i| two_rows(i, &mut columns, &mut code));
    let mut late = Code::new();
    let candidates = std::array::from_fn(|_| columns.take());
    (half..2 * rows).for_each(|i| two_rows(i, &mut columns, &mut late));
    let sums: Vec<Vector> = (2 * rows..3 * rows).map(|column| columns.at(column)).collect();
    carry_and_store(FOLD, &sums, [DIGITS[0], DIGITS[1], X], &mut late);
    if let Some(limbs) = scanned {
        late = scan::beside(late, limbs, candidates);
    }
    code.append(late);
    Program::new(code)
}

/// The product first, its columns to memory; then the reduction, row by row.
fn staged(rows: usize, scanned: Option<usize>) -> Program {
    let mut columns = Columns::new(0..21);
    let mut product = Product { rows, temporaries: Rotation::new([21, 22, 23]) };
    let (mut code, mut stage) = (Code::new(), Code::new());
    let mut stored = 0;
    for i in 0..2 * rows {
        product.row(i, &mut columns, &mut stage);
        let complete = product.complete_after(i);
        for column in stored..complete {
            let register = columns.close(column);
            stage.store(COLUMNS.row(column), register);
        }
        stored = complete.max(stored);
    }
    if let Some(limbs) = scanned {
        stage = scan::beside(stage, limbs, [24, 25, 26, 27].map(Vector));
    }
    code.append(stage);

    let sums: Vec<Vector> = (0..rows as u8 + 2).map(Vector).collect();
    let mut temporaries = Rotation::new(rows as u8 + 2..28);
    code.copy(FIRST, N.row(rows));
    sums.iter().enumerate().for_each(|(j, &sum)| code.copy(sum, COLUMNS.row(j)));
    FOLD.spread(0, DIGITS[0], sums[0], &mut code);
    let mut row = |by, next: Option<By>| {
        let reduction = Reduction { fold: FOLD, sums: &sums, by, next, digits: DIGITS, first: Some(FIRST) };
        let mut body = reduction.code(&mut temporaries, Code::new());
        if next.is_some() {
            body.append(multiply::shift(&sums, DIGITS));
        }
        if by == By::Reducer {
            body.copy(sums[rows + 1], COLUMNS.row(rows + 2));
            body.advance(COLUMNS, 1);
        }
        body
    };
    code.repeat(2 * rows - LAST_ROWS - 1, row(By::Reducer, Some(By::Reducer)));
    code.append(row(By::Reducer, Some(By::Modulus)));
    code.append(row(By::Modulus, Some(By::Modulus)));
    code.append(row(By::Modulus, None));
    carry_and_store(FOLD, &sums[1..=rows], [DIGITS[0], DIGITS[1], X], &mut code);
    Program::new(code)
}

/// The product's triangle, row by row: rows below M multiply a₀[i], the others a₁[i − M].
struct Product {
    rows: usize,
    temporaries: Rotation,
}

impl Product {
    fn row(&mut self, i: usize, columns: &mut Columns, code: &mut Code) {
        self.begin(i, columns, code);
        self.finish(i, columns, code);
    }

    /// Columns below this one are complete after row `i`.
    fn complete_after(&self, i: usize) -> usize {
        let next = i + i % self.rows + 2;
        // What the rows of the upper half add to starts with the column M.
        if i < self.rows { next.min(self.rows) } else { next }
    }

    /// Takes the row's limb to X and completes its even column.
    fn begin(&mut self, i: usize, columns: &mut Columns, code: &mut Code) {
        let limb = self.temporaries.load(A.row(i % self.rows), code);
        FOLD.spread(i / self.rows, X, limb, code);
        self.complete(i, i + i % self.rows, columns, code);
    }

    /// Adds the row's terms, and completes its odd column.
    fn finish(&mut self, i: usize, columns: &mut Columns, code: &mut Code) {
        for j in i % self.rows + 1..self.rows {
            let limb = self.temporaries.load(A.row(j), code);
            start(columns, i + j, code);
            code.low(columns.at(i + j), X, limb);
            start(columns, i + j + 1, code);
            code.high(columns.at(i + j + 1), X, limb);
        }
        self.complete(i, i + i % self.rows + 1, columns, code);
    }

    /// Doubles a column that has all its terms of different limbs, and adds those of equal ones; the last is row `i`'s.
    fn complete(&mut self, i: usize, column: usize, columns: &mut Columns, code: &mut Code) {
        let rows = self.rows;
        if i < rows && column > rows {
            // The upper half's rows will add to it, and complete it.
            return;
        }
        start(columns, column, code);
        let sum = columns.at(column);
        if i < rows || column > rows {
            code.add(sum, sum, sum);
        }
        if i >= rows && column > rows && column / 2 < rows {
            let (lower, limb) = (self.temporaries.take(), self.temporaries.take());
            code.copy(limb, A.row(column / 2));
            FOLD.spread(0, lower, limb, code);
            match column.is_multiple_of(2) {
                true => code.low(sum, lower, limb),
                false => code.high(sum, lower, limb),
            }
        }
        let own = A.row(i % rows);
        match column == i + i % rows {
            true => code.low(sum, X, own),
            false => code.high(sum, X, own),
        }
    }
}

fn start(columns: &mut Columns, column: usize, code: &mut Code) {
    if !columns.has_started(column) {
        columns.open(column);
        columns.start(column, code);
    }
}
