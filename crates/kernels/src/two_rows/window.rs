// SPDX-License-Identifier: Apache-2.0
//! A window of an exponentiation, whole, by two rows at a time.

use super::{multiply, scan, square};
use crate::constants;
use crate::doubles::SQUARES;
use crate::order::order;
use crate::ports::Processor;
use crate::program::{Code, Pointer, Program, Row};
use crate::scan::ENTRIES;

/// Selects an entry e of a table, raises to the power 16 and multiplies, eight lanes: `r = r^16 · e / R^16` modulo n.
///
/// Pointers P0 r, P2 n, P3 constants with the wanted entries, P4 the table, P5 the selection.
/// Shapes   as those of [`crate::window::window`].
/// Bounds   those of a squaring and of a half multiplication; wanted < 16. Behind the constants two rows are written.
/// Cost     15N² + 4N multiply-adds, and 8 permutations for each limb of the selection; 16 rows read for each, whatever
///          is wanted.
pub fn window(limbs: usize) -> Program {
    Program::new(code(limbs, constants::wanted()))
}

/// So many windows, one after another.
///
/// Pointers as those of [`window`], and P1 the wanted entries, a row for each window; those in the constants are not read.
/// Shapes, bounds and cost as those of [`window`].
pub fn windows(limbs: usize, count: usize) -> Program {
    let wanted = Pointer::P1;
    let mut body = code(limbs, wanted.row(0));
    body.advance(wanted, 1);
    let mut code = Code::new();
    code.repeat(count, body);
    Program::new(code)
}

/// A window whose wanted entries stand at `wanted`.
fn code(limbs: usize, wanted: Row) -> Code {
    let (r, table, selection) = (Pointer::P0, Pointer::P4, Pointer::P5);
    let scanned = 2 * limbs / SQUARES;
    let mut code = Code::new();
    scan::prepare(wanted, &mut code);
    let mut body = square::code(limbs, r, r, scanned);
    body.advance(table, (scanned * ENTRIES) as isize);
    body.advance(selection, scanned as isize);
    code.repeat(SQUARES, body);
    code.advance(table, -2 * (limbs * ENTRIES) as isize);
    code.advance(selection, -2 * limbs as isize);
    code.append(multiply::half_multiply_at(limbs, r, [0, limbs].map(|row| selection.row(row)), r));
    if limbs <= ORDERED_LIMBS {
        code = order(&Program::new(code), &Processor::GOLDEN_COVE, Some(r)).placed(&|row| row);
    }
    code
}

/// The longest numbers whose window is put into an order of its own: they wait for their digits, and of longer ones the code would
/// be longer than instruction caches.
const ORDERED_LIMBS: usize = 10;
