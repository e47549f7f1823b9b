// SPDX-License-Identifier: Apache-2.0
//! A window of an exponentiation, whole, by two rows at a time.

use super::scan::{self, Way};
use super::{multiply, square};
use crate::constants;
use crate::doubles::SQUARES;
use crate::order::order;
use crate::ports::Processor;
use crate::program::{Code, Pointer, Program, Row};

/// Selects an entry e of a table, raises to the power 16 and multiplies, eight lanes: `r = r^16 · e / R^16` modulo n.
///
/// Pointers P0 r, P2 n, P3 constants with the wanted entries, P4 the table, P5 the selection.
/// Shapes   as those of [`crate::one_row::window::window`].
/// Bounds   those of a squaring and of a half multiplication; wanted < 16. Behind the constants two rows are written.
/// Cost     15N² + 4N multiply-adds, and for each limb of the selection 8 permutations, 14 merges and three operations, or 16
///          stores; 16 rows read for each, whatever is wanted.
pub fn window(limbs: usize, way: Way) -> Program {
    Program::new(code(limbs, constants::wanted(), way))
}

/// So many windows, one after another.
///
/// Pointers as those of [`window`], and P1 the wanted entries, a row for each window; those in the constants are not read.
/// Shapes, bounds and cost as those of [`window`].
pub fn windows(limbs: usize, count: usize, way: Way) -> Program {
    let wanted = Pointer::P1;
    let mut body = code(limbs, wanted.row(0), way);
    body.advance(wanted, 1);
    let mut code = Code::new();
    code.repeat(count, body);
    Program::new(code)
}

/// So many windows each of two exponentiations, A and B, their squarings in turn: the carries at the end of one run among the first
/// products of the other.
///
/// Pointers as those of [`windows`], to what belongs to A; B has the same [`APART`] rows behind.
/// Shapes, bounds and cost as those of [`windows`], twice.
///
/// A scan has its masks set twice in a window: A's runs beside the first two squarings of both, B's beside the last two.
pub fn windows_in_turn(limbs: usize, count: usize, way: Way) -> Program {
    let (r, wanted, table, selection) = (Pointer::P0, Pointer::P1, Pointer::P4, Pointer::P5);
    let of = |turn: usize, row: Row| row.pointer.row(row.row + turn * APART);
    let [table_rows, selection_rows] = way.quarter_rows(2 * limbs);
    let square = Program::new(square::code(limbs, r, r, Some(way)));
    let mut body = Code::new();
    for scans in 0..TURNS {
        let mut prepare = Code::new();
        way.prepare(wanted.row(0), &mut prepare);
        body.append(Program::new(prepare).placed(&|row| of(scans, row)));
        let mut squares = Code::new();
        for turn in 0..TURNS {
            squares.append(square.placed(&|row| match row.pointer {
                pointer if pointer == table => of(scans, table.row(row.row + turn * table_rows)),
                pointer if pointer == selection => of(scans, selection.row(row.row + turn * selection_rows)),
                _ if scan::keeps(row) => of(scans, row),
                _ => of(turn, row),
            }));
        }
        let mut squares = ordered(squares, None);
        squares.advance(table, (TURNS * table_rows) as isize);
        squares.advance(selection, (TURNS * selection_rows) as isize);
        body.repeat(SQUARES / TURNS, squares);
        body.advance(table, -((SQUARES * table_rows) as isize));
        body.advance(selection, -((SQUARES * selection_rows) as isize));
    }
    let product = Program::new(multiply::half_multiply_at(limbs, r, [0, limbs].map(|row| selection.row(row)), r));
    let mut products = Code::new();
    (0..TURNS).for_each(|turn| products.append(product.placed(&|row| of(turn, row))));
    body.append(ordered(products, None));
    body.advance(wanted, 1);
    let mut code = Code::new();
    code.repeat(count, body);
    Program::new(code)
}

/// Rows from what one exponentiation works on to what the other does that it takes turns with: of those tried on Zen 5 the one by which
/// both scans were fast.
pub const APART: usize = 656;

/// Exponentiations that take turns.
pub const TURNS: usize = 2;

fn ordered(code: Code, kept: Option<Pointer>) -> Code {
    order(&Program::new(code), &Processor::GOLDEN_COVE, kept).placed(&|row| row)
}

/// A window whose wanted entries stand at `wanted`.
fn code(limbs: usize, wanted: Row, way: Way) -> Code {
    let (r, table, selection) = (Pointer::P0, Pointer::P4, Pointer::P5);
    // Each of four squarings scans as much of an entry, which has two forms.
    let [table_rows, selection_rows] = way.quarter_rows(2 * limbs);
    let mut code = Code::new();
    way.prepare(wanted, &mut code);
    let mut body = square::code(limbs, r, r, Some(way));
    body.advance(table, table_rows as isize);
    body.advance(selection, selection_rows as isize);
    code.repeat(SQUARES, body);
    code.advance(table, -((SQUARES * table_rows) as isize));
    code.advance(selection, -((SQUARES * selection_rows) as isize));
    code.append(multiply::half_multiply_at(limbs, r, [0, limbs].map(|row| selection.row(row)), r));
    if limbs <= ORDERED_LIMBS {
        code = ordered(code, Some(r));
    }
    code
}

/// The longest numbers whose window is put into an order of its own: they wait for their digits, and of longer ones the code would
/// be longer than instruction caches.
pub const ORDERED_LIMBS: usize = 10;
