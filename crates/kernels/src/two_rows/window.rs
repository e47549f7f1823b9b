// SPDX-License-Identifier: Apache-2.0
//! A window of an exponentiation, whole, by two rows at a time.

use super::{multiply, scan, square};
use crate::doubles::SQUARES;
use crate::program::{Code, Pointer, Program};
use crate::scan::ENTRIES;

/// Selects an entry e of a table, raises to the power 16 and multiplies, eight lanes: `r = r^16 · e / R^16` modulo n.
///
/// Pointers P0 r, P1 the second half of the selection, P2 n, P3 constants with the wanted entries, P4 the table, P5 the
///          selection.
/// Shapes   as those of [`crate::window::window`].
/// Bounds   those of a squaring and of a half multiplication; wanted < 16. Behind the constants two rows are written.
/// Cost     15N² + 4N multiply-adds, and 8 permutations for each limb of the selection; 16 rows read for each, whatever
///          is wanted.
pub fn window(limbs: usize) -> Program {
    let (r, selection, second) = (Pointer::P0, Pointer::P5, Pointer::P1);
    let scanned = 2 * limbs / SQUARES;
    let mut code = Code::new();
    scan::prepare(&mut code);
    let mut body = square::code(limbs, r, r, scanned);
    body.advance(Pointer::P4, (scanned * ENTRIES) as isize);
    body.advance(selection, scanned as isize);
    code.repeat(SQUARES, body);
    code.advance(selection, -2 * limbs as isize);
    code.append(multiply::half_multiply_at(limbs, r, [selection, second], r));
    Program::new(code)
}
