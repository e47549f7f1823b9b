// SPDX-License-Identifier: Apache-2.0
//! Blocks of M limbs, from which products, squares and reductions of longer numbers are composed, for processors whose additions
//! compete with multiply-adds: schoolbook products only, and nothing that is not one of those or carries.
//!
//! Column sums stand in memory, uncarried and never negative: of 64 bits a column of a product and its reduction needs
//! 52 + log2(4N + 2), so that N = 160 leaves room. A block works on the columns from its place on.
//!
//! The square of `Σ a_i·X^i` over B blocks is `2·Σ_{i<j} a_i·a_j·X^(i+j) + Σ a_i²·X^(2i)`: the products come first, and the squares
//! double each column that they take over, with their own sums, so that no addition is for doubling alone.

use super::columns::{Columns, Results, Step};
use super::scan::{self, Way};
use crate::constants;
use crate::one_row::block::{COLUMNS, Columns as Old, Finish, RESULT, X, Y};
use crate::program::{Pointer, Program, weave};
use std::ops::Range;

/// Block product, eight lanes: `columns += x · y`.
///
/// Pointers P0 columns, P1 x, P2 y. With [`Finish::Carry`] and [`Finish::Last`]: P4 the limbs of the result, loose; the former
///          adds its last carry to the next block's first column.
/// Shapes   x, y: M limbs of one number per lane; columns: 2M rows; M = `limbs`, 15 or 20.
/// Bounds   x and y loose, sums below 2^62.
/// Cost     2M² multiply-adds; to carry, a shift and an addition for each limb.
pub fn product(limbs: usize, old: Old, finish: Finish) -> Program {
    let rows = rows_at_a_time(limbs);
    let mut columns = Columns::new(limbs, limbs, RESULT, X);
    let open = |column: usize, columns: &mut Columns| {
        let fresh = old == Old::Fresh || old == Old::FreshTop && column >= limbs;
        columns.open(column, (!fresh).then(|| COLUMNS.row(column)));
    };
    let complete = |column: usize, columns: &mut Columns| {
        let carried = if finish == Finish::Carry { limbs } else { 2 * limbs };
        if finish == Finish::Columns || column >= carried {
            columns.code.store(COLUMNS.row(column), columns.at(column));
            return columns.close(column);
        }
        columns.code.store(RESULT.row(column), columns.at(column));
        if column + 1 < 2 * limbs { columns.carry(column) } else { columns.close(column) }
    };
    (0..limbs).for_each(|column| open(column, &mut columns));
    for first in (0..limbs).step_by(rows) {
        let xs: Vec<_> = (first..first + rows).map(|row| columns.load(X.row(row))).collect();
        for j in 0..limbs {
            let y = columns.load(Y.row(j));
            for (i, &x) in xs.iter().enumerate() {
                let column = first + i + j;
                columns.add(false, column, x, y);
                if !columns.is_open(column + 1) {
                    open(column + 1, &mut columns);
                }
                columns.add(true, column + 1, x, y);
            }
            columns.give(y);
            if j < rows {
                complete(first + j, &mut columns);
            }
        }
        xs.into_iter().for_each(|x| columns.give(x));
    }
    (limbs..2 * limbs).for_each(|column| complete(column, &mut columns));
    Program::new(columns.code)
}

/// Rows of a product that share what they load.
const fn rows_at_a_time(limbs: usize) -> usize {
    if limbs.is_multiple_of(2) { 2 } else { 3 }
}

/// Block square, eight lanes: `columns = 2 · columns + a²`, where the half 0, the lower, or 1, the upper, of the columns
/// counts for zero unless `old` has it.
///
/// Pointers P0 columns, P1 a.
/// Shapes   a: M limbs of one number per lane; columns: 2M rows; M = `limbs`, 15 or 20.
/// Bounds   a loose, sums below 2^62.
/// Cost     M² + M multiply-adds and 2M additions, one less where a half is not old.
pub fn square(limbs: usize, old: Range<usize>) -> Program {
    // Three or four share what they load: of half the columns registers are left.
    let rows = limbs / 5;
    let mut columns = Columns::new(limbs, limbs, RESULT, X);
    for half in 0..2 {
        let range = half * limbs..(half + 1) * limbs;
        let is_old = old.contains(&half);
        range.clone().for_each(|column| columns.open(column, is_old.then(|| COLUMNS.row(column))));
        for first in (0..limbs).step_by(rows) {
            cross_products(first..first + rows, &range, &mut columns);
        }
        for column in range {
            // Column 0 has no cross product, nor has the last.
            if is_old || (1..2 * limbs - 1).contains(&column) {
                columns.double(column);
            }
            let limb = columns.load(X.row(column / 2));
            columns.add(column % 2 == 1, column, limb, limb);
            columns.give(limb);
            columns.code.store(COLUMNS.row(column), columns.at(column));
            columns.close(column);
        }
    }
    Program::new(columns.code)
}

/// The products of the limbs `rows` with all later ones, as far as they belong to columns of `range`.
fn cross_products(rows: Range<usize>, range: &Range<usize>, columns: &mut Columns) {
    let limbs = columns.limbs();
    let meets = |i: usize, j: usize| range.contains(&(i + j)) || range.contains(&(i + j + 1));
    let add = |i: usize, j: usize, [x, y]: [_; 2], columns: &mut Columns| {
        for (high, column) in [(false, i + j), (true, i + j + 1)] {
            if range.contains(&column) {
                columns.add(high, column, x, y);
            }
        }
    };
    if !rows.clone().any(|i| (i + 1..limbs).any(|j| meets(i, j))) {
        return;
    }
    let xs: Vec<_> = rows.clone().map(|row| columns.load(X.row(row))).collect();
    let x = |i: usize| xs[i - rows.start];
    for i in rows.clone() {
        (i + 1..rows.end).for_each(|j| add(i, j, [x(i), x(j)], columns));
    }
    for j in rows.end..limbs {
        if rows.clone().any(|i| meets(i, j)) {
            let y = columns.load(X.row(j));
            rows.clone().for_each(|i| add(i, j, [x(i), y], columns));
            columns.give(y);
        }
    }
    xs.iter().for_each(|x| columns.give(*x));
}

/// Limbs of the table that a reduction of blocks of M limbs scans: two reductions take what one block holds, where that is even.
/// Kernels that are each other's neighbours have to fit into the instruction cache, 32 KiB of it on many processors.
pub const fn scanned_limbs(limbs: usize) -> usize {
    if limbs.is_multiple_of(2) { limbs / 2 } else { limbs }
}

/// Block reduction, eight lanes: quotient digits q with `columns + q · n ≡ 0 mod 2^(52·M)`, the sum's low columns carried away.
///
/// Pointers P0 columns, P1 q, P2 n, P3 constants. To scan: P4 the table, P5 the selection; behind the constants two rows
///          are written.
/// Shapes   n: the modulus's first M limbs; q: M limbs; columns: 2M rows, of which the upper M hold the result and the lower M are
///          left as they were; M = `limbs`, 20 at most.
/// Bounds   n odd, sums below 2^62; q is loose.
/// Cost     2M² multiply-adds, 2M additions and M shifts.
///
/// A pass of the table's scan runs among the multiply-adds: of so many limbs as `scanned` says.
pub fn reduce(limbs: usize, scanned: usize) -> Program {
    let digits_to = Pointer::P1;
    let mut columns = Columns::new(limbs, limbs, COLUMNS, X);
    columns.results = Results::Columns;
    if scanned > 0 {
        Way::Permutation.prepare(constants::wanted(), &mut columns.code);
    }
    let scan: Vec<Step> = scan::by_permutation(scanned).into_iter().map(Step::Scan).collect();
    (0..limbs + 2).for_each(|column| columns.step(Step::Take { column, rounded: column < limbs }));
    let taken = |row: usize, count: usize| -> Vec<Step> {
        let last = row + limbs + 2;
        (last - count..last).map(|column| Step::Take { column, rounded: false }).collect()
    };
    let share = |from: usize, to: usize| scan[scan.len() * from / limbs..scan.len() * to / limbs].to_vec();
    let begin = [limbs * 3 / 20, limbs * 2 / 5];
    let first = columns.digit(0);
    let mut digits = if limbs % 2 == 1 {
        columns.code.store(digits_to.row(0), first);
        let steps = weave(taken(1, 1), share(0, 1));
        columns.one_row(first, &steps, begin)
    } else {
        [first, columns.second_digit(0, first)]
    };
    for row in (limbs % 2..limbs).step_by(2) {
        (0..2).for_each(|i| columns.code.store(digits_to.row(row + i), digits[i]));
        let taken = if row + 2 < limbs { taken(row + 2, 2) } else { Vec::new() };
        digits = columns.two_rows(row, digits, &weave(taken, share(row, row + 2)), begin);
    }
    Program::new(columns.code)
}
