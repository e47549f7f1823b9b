// SPDX-License-Identifier: Apache-2.0
//! A window of an exponentiation, whole: one call instead of five.

use crate::doubles::SQUARES;
use crate::one_row::multiply;
use crate::one_row::square;
use crate::program::{Code, Pointer, Program};
use crate::scan::{ENTRIES, Scan};

/// Selects an entry e of a table, raises to the power 16 and multiplies, eight lanes: `r = r^16 · e / R^16` modulo n.
///
/// Pointers P0 r, P1 the second half of the selection, P2 n, P3 constants with the wanted entries, P4 the table, P5 the
///          selection.
/// Shapes   r, n: N limbs, limb-major, radix 2^52, one number per lane; an entry is e and behind it e / 2^(26·N), N limbs
///          each, and so is the selection; N = `limbs`, even, 20 at most.
/// Bounds   those of a squaring and of a half multiplication.
/// Cost     15N² + 4N multiply-adds; 16 rows read for each limb of the selection, whatever is wanted.
pub fn window(limbs: usize) -> Program {
    let (r, selection, second) = (Pointer::P0, Scan::SELECTION, Pointer::P1);
    let scanned = 2 * limbs / SQUARES;
    let mut code = Code::new();
    let mut body = square::in_place_beside_scan(limbs, scanned);
    body.advance(Scan::TABLE, (scanned * ENTRIES) as isize);
    body.advance(selection, scanned as isize);
    code.repeat(SQUARES, body);
    code.advance(selection, -2 * limbs as isize);
    code.append(multiply::half_multiply_at(limbs, r, [selection, second], r));
    Program::new(code)
}
