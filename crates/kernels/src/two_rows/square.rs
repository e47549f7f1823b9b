// SPDX-License-Identifier: Apache-2.0
//! Montgomery squaring by two rows at a time.

use super::columns::{Columns, Step};
use super::scan::Way;
use crate::program::{Code, Pointer, Program, weave};
use crate::reducer::LAST_ROWS;
use std::collections::HashSet;

/// Montgomery squaring, eight lanes: `r = a² · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n and behind it 2^(−52) mod n, P3 constants; r may be a.
/// Shapes   a, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   a² < 2^(52·N) · n, n odd, a loose; then r < a² / 2^(52·N) + n + n / 2^52, loose. Columns stay below 2^60: 4N products of
///          52 bits.
/// Cost     3N² + N multiply-adds, and as other vector operations 2N − 2 doublings, 2N − 1 shifts and as many carries, and two
///          rounding constants.
pub fn square(limbs: usize) -> Program {
    Program::new(code(limbs, Pointer::P0, Pointer::P1, None))
}

/// The same from `a` to `r`, and beside it a quarter of a table's scan of both forms of an entry, which is prepared.
pub(super) fn code(limbs: usize, r: Pointer, a: Pointer, way: Option<Way>) -> Code {
    let mut columns = Columns::new(limbs, limbs, r, a);
    let scan: Vec<Step> = way.map_or(Vec::new(), |way| way.quarter(2 * limbs)).into_iter().map(Step::Scan).collect();
    let scan_rows = way.map_or(limbs, |way| way.rows(limbs));
    // Of the scan about a seventh stands among the low columns, as much as their loads leave room for.
    let head = scan.len() * 3 / 20;
    let (head, scan) = scan.split_at(head);

    let top = limbs + 1;
    (0..=top).for_each(|column| columns.open(column, None));
    columns.finish(0);
    let rows: Vec<usize> = (0..limbs).step_by(2).filter(|i| 2 * i < top).collect();
    let all: usize = rows.iter().map(|i| (top + 1).saturating_sub(2 * i + 2)).sum();
    let (mut met, mut done) = (0, 0);
    for i in rows {
        let pair = [i, i + 1].map(|limb| columns.limb(limb));
        columns.add(false, 2 * i + 1, pair[0], pair[1]);
        if 2 * i + 2 <= top {
            columns.add(true, 2 * i + 2, pair[0], pair[1]);
        }
        for j in (i + 2..limbs).take_while(|j| i + j <= top) {
            let other = columns.limb(j);
            columns.add_two(pair, other, i + j, top);
            // The next pair's limbs stay.
            if j > i + 3 {
                columns.drop_limb(j);
            }
            met += 1;
            let due = (head.len() * met / all).min(head.len());
            (done..due).for_each(|i| columns.step(head[i]));
            done = due;
        }
        (2 * i + 1..=(2 * i + 4).min(top)).for_each(|column| columns.finish(column));
        [i, i + 1].into_iter().for_each(|limb| columns.drop_limb(limb));
        if i == 0 {
            columns.begin_reducer_row(0);
            columns.pass_on(1);
        }
    }
    (limbs - LAST_ROWS..limbs).for_each(|column| columns.round(column));
    (0..limbs).for_each(|limb| columns.drop_limb(limb));
    head[done..].iter().for_each(|step| columns.step(*step));

    let mut digits = None;
    for row in (0..limbs - LAST_ROWS).step_by(2) {
        let product = two_columns(limbs, row + limbs + 2);
        let [from, to] = [row, row + 2].map(|row| scan.len() * row.min(scan_rows) / scan_rows);
        let steps = weave(product, scan[from..to].to_vec());
        digits = columns.reducer_rows(row, 2, &steps, [3, limbs * 2 / 5]);
    }
    let rest = &scan[scan.len() * (limbs - LAST_ROWS).min(scan_rows) / scan_rows..];
    let digits = digits.expect("the last rows by the reducer give digits");
    columns.two_rows(limbs - LAST_ROWS, digits, rest, [0; 2]);
    columns.code
}

/// The columns `column` and the next of a square, both above its middle.
fn two_columns(limbs: usize, column: usize) -> Vec<Step> {
    let mut steps = vec![Step::Open(column), Step::Open(column + 1)];
    for i in column.saturating_sub(limbs)..=column.div_ceil(2) {
        for (high, to, sum) in [
            (false, column + 1, column + 1),
            (true, column + 1, column),
            (false, column, column),
            (true, column, column - 1),
        ] {
            let j = sum.wrapping_sub(i);
            if i < j && j < limbs {
                steps.push(Step::Term { high, column: to, limbs: [i, j] });
            }
        }
    }
    steps.extend([column, column + 1].map(|column| Step::Finish { column }));
    with_drops(steps)
}

/// The same, with each limb's register freed after its last use.
fn with_drops(steps: Vec<Step>) -> Vec<Step> {
    let (mut used, mut reversed) = (HashSet::new(), Vec::new());
    for step in steps.into_iter().rev() {
        let limbs = match step {
            Step::Term { limbs, .. } => limbs.to_vec(),
            Step::Finish { column } => vec![column / 2],
            _ => Vec::new(),
        };
        reversed.extend(limbs.into_iter().filter(|limb| used.insert(*limb)).map(|limb| Step::Drop { limb }));
        reversed.push(step);
    }
    reversed.reverse();
    reversed
}
