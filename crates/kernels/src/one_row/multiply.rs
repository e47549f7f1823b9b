// SPDX-License-Identifier: Apache-2.0
//! Montgomery multiplications with all columns in registers: whole, half, and the half reduction.

use crate::parts::reduction::{Output, RowOf, digit};
use crate::parts::registers::Rotation;
use crate::parts::rows::{self, Factor};
use crate::program::{Code, Pointer, Program, Vector};
use std::ops::Range;

const N: Pointer = Pointer::P2;
const Q: Vector = Vector(31);
const NEXT_Q: Vector = Vector(30);

/// Montgomery multiplication, eight lanes: `r = a · b · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants, P4 b; r may be a or b.
/// Shapes   a, b, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, 20 at most.
/// Bounds   a · b < 2^(52·N) · n, n odd, limbs below 2^52; then r < 2n and every limb of r is below 2^52.
/// Cost     4N² multiply-adds.
/// Source   Koç, Acar, Kaliski 1996 (coarsely integrated operand scanning); Gueron, Krasnov 2013 for the lazy final
///          subtraction.
pub fn multiply(limbs: usize) -> Program {
    let (r, a, b) = (Pointer::P0, Pointer::P1, Pointer::P4);
    let part = Part { factor: Factor { x: Vector(29), y: a }, offset: 0 };
    Program::new(rows(limbs, limbs, &[part], [r, b], 22..29))
}

/// Montgomery multiplication by half, eight lanes: `r = a · b · 2^(−52·N) mod n`, given
/// `a' ≡ a · 2^(−26·N) mod n` beside a.
///
/// The low half of b meets a', the high half meets a, and only half the reduction rows are left:
/// `r = (b_low · a' + b_high · a) · 2^(−26·N)`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants, P4 b, P5 a'; r may be any of a, a' and b.
/// Shapes   a, a', b, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   n odd, limbs below 2^52; r < a' + a · b / 2^(52·N) + n and every limb of r is below 2^52.
/// Cost     3N² multiply-adds.
/// Source   the bipartite idea of Kaihara, Takagi 2005, with both parts on the low side.
pub fn half_multiply(limbs: usize) -> Program {
    let [r, a, b, shifted] = [Pointer::P0, Pointer::P1, Pointer::P4, Pointer::P5];
    Program::new(half_multiply_at(limbs, r, [a, shifted], b))
}

/// The same with other pointers: to r, to a and a', and to b.
pub(crate) fn half_multiply_at(limbs: usize, r: Pointer, [a, shifted]: [Pointer; 2], b: Pointer) -> Code {
    let low = Part { factor: Factor { x: Vector(29), y: shifted }, offset: 0 };
    let high = Part { factor: Factor { x: Vector(28), y: a }, offset: limbs / 2 };
    rows(limbs, limbs / 2, &[low, high], [r, b], 22..28)
}

/// Half a Montgomery reduction, eight lanes: `r = a · 2^(−26·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants; r may be a.
/// Shapes   a, n, r: N limbs, limb-major, radix 2^52, one number per lane; N = `limbs`, even, 20 at most.
/// Bounds   n odd, limbs below 2^52; then r <= n + a / 2^(26·N), and twice in a row gives r <= n. Every limb of r is
///          below 2^52.
/// Cost     N² multiply-adds.
pub fn half_reduce(limbs: usize) -> Program {
    let (r, a, rows) = (Pointer::P0, Pointer::P1, limbs / 2);
    let sums: Vec<Vector> = (0..=limbs as u8).map(Vector).collect();
    let mut temporaries = Rotation::new(22..29);
    let mut code = Code::new();
    (0..limbs).for_each(|j| code.copy(sums[j], a.row(j)));
    code.zero(sums[limbs]);
    digit(Q, sums[0], &mut code);

    let mut body = Code::new();
    let (first, rest) =
        RowOf { sums: &sums, q: Q, n: N, next_q: Some(NEXT_Q), output: None }.code(&mut temporaries, Code::new());
    body.append(first);
    body.append(rest);
    (0..limbs).for_each(|j| body.copy(sums[j], sums[j + 1]));
    body.zero(sums[limbs]);
    body.copy(Q, NEXT_Q);
    code.repeat(rows - 1, body);

    let output = Some(Output { to: r, carry: Vector(29) });
    let (first, rest) = RowOf { sums: &sums, q: Q, n: N, next_q: None, output }.code(&mut temporaries, Code::new());
    code.append(first);
    code.append(rest);
    Program::new(code)
}

/// One of the products that a row adds: `factor`, whose x is a limb of b.
struct Part {
    factor: Factor,
    /// The row's limb of b is this many limbs after the row's number.
    offset: usize,
}

/// `rows` rows, in each the product of every part and one row of reduction; r and b may be the same.
///
/// The reduction of a row runs in the same loop turn as the product of the next: the next quotient digit needs one
/// column of each only, and is under way before the rest.
fn rows(limbs: usize, rows: usize, parts: &[Part], [r, b]: [Pointer; 2], temporaries: Range<u8>) -> Code {
    let sums: Vec<Vector> = (0..limbs as u8 + 2).map(Vector).collect();
    let mut temporaries = Rotation::new((sums.len() as u8..22).chain(temporaries));

    let mut code = Code::new();
    let (head, rest) = product_row(&sums[..=limbs], parts, b, 0, &mut temporaries);
    code.append(head);
    digit(Q, sums[0], &mut code);
    code.append(rest);

    let mut body = Code::new();
    let (head, product) = product_row(&sums[1..], parts, b, 1, &mut temporaries);
    let row = RowOf { sums: &sums[..=limbs], q: Q, n: N, next_q: Some(NEXT_Q), output: None };
    let (first, reduction) = row.code(&mut temporaries, head);
    body.append(first);
    body.append(reduction);
    body.append(product);
    (0..=limbs).for_each(|j| body.copy(sums[j], sums[j + 1]));
    body.copy(Q, NEXT_Q);
    body.advance(b, 1);
    code.repeat(rows - 1, body);
    code.advance(b, 1 - rows as isize);

    // No limb of b is needed any more.
    let output = Some(Output { to: r, carry: parts[0].factor.x });
    let row = RowOf { sums: &sums[..=limbs], q: Q, n: N, next_q: None, output };
    let (first, reduction) = row.code(&mut temporaries, Code::new());
    code.append(first);
    code.append(reduction);
    code
}

/// The product of row `row` for every part: the code that completes its first column, and the rest.
/// The last column is fresh, in row 0 all are.
fn product_row(sums: &[Vector], parts: &[Part], b: Pointer, row: usize, temporaries: &mut Rotation) -> (Code, Code) {
    let limbs = sums.len() - 1;
    let (mut head, mut rest) = (Code::new(), Code::new());
    if row == 0 {
        head.zero(sums[0]);
        (1..limbs).for_each(|j| rest.zero(sums[j]));
    }
    rest.zero(sums[limbs]);
    for Part { factor: Factor { x, y }, offset } in parts {
        head.copy(*x, b.row(row + offset));
        head.low(sums[0], *x, y.row(0));
    }
    let factors: Vec<Factor> = parts.iter().map(|part| part.factor).collect();
    rows::add(sums, &factors, false, temporaries, &mut rest, |_| {});
    (head, rest)
}
