// SPDX-License-Identifier: Apache-2.0
//! A window of an exponentiation, whole.

use super::numbers::Numbers;
use super::{A, B, Code, SHIFTED, TO, product, scan, square};

/// Selects an entry e of a table, raises to the power 16 and multiplies: `r = r^16 e / R^16` modulo n. One call, and one
/// change of the rounding mode, instead of three.
///
/// Pointers P0 r, P2 the area, P3 constants with the wanted entries, P4 the table, P5 the selection; P1 is used, too.
/// Shapes   table and selection as for [`scan`](scan::scan); an entry is e and behind it e / 2^(26 N), **in double
///          precision**.
/// Bounds   limbs of r below 2^52; then those of the result, if it is below 2^(52 N), are too. It is below
///          e / 2^(26 N) + r^16 e / R^16 + 2n.
/// Cost     [`SQUARES`](square::SQUARES) times that of a squaring, and that of a half multiplication.
pub(super) fn window(numbers: Numbers) -> Code {
    let rows = numbers.rows as isize;
    let mut code = scan::scan(numbers.rows);
    // It leaves P5 behind the selection.
    code.advance(SHIFTED, -rows);
    code.append(square::squares(numbers));
    code.point(A, SHIFTED, 0);
    code.advance(A, -rows);
    code.point(B, TO, 0);
    code.append(product::half_multiply(numbers));
    code
}
