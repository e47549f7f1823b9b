// SPDX-License-Identifier: Apache-2.0
//! Montgomery multiplication of folded numbers (see [`fold`](crate::fold)), sums and differences.

use crate::LIMB_BITS;
use crate::constants;
use crate::fold::Fold;
use crate::program::{Code, Mask, Pointer, Program, Source, Vector};
use crate::registers::Rotation;
use crate::rows::{self, Factor, HIGH_LAG};

const R: Pointer = Pointer::P0;
const A: Pointer = Pointer::P1;
const N: Pointer = Pointer::P2;
const B: Pointer = Pointer::P4;
const A_SHIFTED: Pointer = Pointer::P5;
const Q: Vector = Vector(31);
const NEXT_Q: Vector = Vector(30);
const TEMPORARIES: std::ops::Range<u8> = 22..28;

/// Montgomery multiplication of folded numbers: `r = a · b · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants, P4 b; r may be a or b.
/// Shapes   a, b, n, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   a · b < 2^(52·N) · n, n odd, limbs below 2^52; then r < 2n and every limb of r is below 2^52.
/// Cost     N · (4M + 1) multiply-adds.
/// Source   Koç, Acar, Kaliski 1996 (coarsely integrated operand scanning).
pub fn multiply(fold: Fold, rows: usize) -> Program {
    multiplication(fold, rows, fold.lanes(), &[Part { factor: Factor { x: Vector(29), y: A }, lane: 0 }])
}

/// Montgomery multiplication of folded numbers by half: `r = a · b · 2^(−52·N) mod n`, given
/// `a' ≡ a · 2^(−26·N) mod n` beside a. See [`crate::multiply::half_multiply`].
///
/// Pointers P0 r, P1 a, P2 n, P3 constants, P4 b, P5 a'; r may be any of a, a' and b.
/// Shapes   a, a', b, n, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   n odd, limbs below 2^52; r < a' + a · b / 2^(52·N) + n and every limb of r is below 2^52.
/// Cost     N/2 · (6M + 1) multiply-adds.
pub fn half_multiply(fold: Fold, rows: usize) -> Program {
    let half = fold.lanes() / 2;
    let low = Part { factor: Factor { x: Vector(29), y: A_SHIFTED }, lane: 0 };
    let high = Part { factor: Factor { x: Vector(28), y: A }, lane: half };
    multiplication(fold, rows, half, &[low, high])
}

/// Half a Montgomery reduction of folded numbers: `r = a · 2^(−26·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants; r may be a.
/// Shapes   a, n, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   n odd, limbs below 2^52; then r <= n + a / 2^(26·N), and twice in a row gives r <= n. Every limb of r is
///          below 2^52.
/// Cost     N/2 · (2M + 1) multiply-adds.
pub fn half_reduce(fold: Fold, rows: usize) -> Program {
    let sums: Vec<Vector> = (0..=rows as u8).map(Vector).collect();
    let mut temporaries = Rotation::new(TEMPORARIES);
    let mut code = Code::new();
    (0..rows).for_each(|j| code.copy(sums[j], A.row(j)));
    code.zero(sums[rows]);
    fold.digit(Q, sums[0], &mut code);

    let row = |next_q| Reduction { fold, sums: &sums, q: Q, n: N, n_first: N.row(0).into(), next_q };
    let mut body = row(Some(NEXT_Q)).code(&mut temporaries, Code::new());
    (0..rows).for_each(|j| body.copy(sums[j], sums[j + 1]));
    body.zero(sums[rows]);
    body.copy(Q, NEXT_Q);
    code.repeat(fold.lanes() / 2 * rows - 1, body);
    code.append(row(None).code(&mut temporaries, Code::new()));
    carry_and_store(fold, &sums[1..], [Q, NEXT_Q, Vector(29)], &mut code);
    Program::new(code)
}

/// Sum of folded numbers: `r = a + b`.
///
/// Pointers P0 r, P1 a, P2 b, P3 constants; r may be a or b.
/// Shapes   a, b, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   a + b < 2^(52·N), limbs below 2^52; then every limb of r is below 2^52.
/// Cost     no multiply-adds.
pub fn add(fold: Fold, rows: usize) -> Program {
    let (a, b) = (Pointer::P1, Pointer::P2);
    let sums: Vec<Vector> = (0..rows as u8).map(Vector).collect();
    let mut code = Code::new();
    for (j, &sum) in sums.iter().enumerate() {
        code.copy(sum, a.row(j));
        code.add(sum, sum, b.row(j));
    }
    carry_and_store(fold, &sums, [Q, NEXT_Q, Vector(29)], &mut code);
    Program::new(code)
}

/// Conditional subtraction of folded numbers: `r = a − n` where `a >= n`, else `r = a`.
///
/// Pointers P0 r, P1 a, P2 n, P3 constants; r may be a.
/// Shapes   a, n, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   limbs below 2^52; then r < max(n, a − n + 1) and every limb of r is below 2^52.
/// Cost     no multiply-adds; the difference is formed and a read again in every lane.
pub fn subtract_modulus(fold: Fold, rows: usize) -> Program {
    let differences: Vec<Vector> = (0..rows as u8).map(Vector).collect();
    let (borrow, borrows, negative) = (Vector(30), Vector(31), Mask(1));
    let mut code = Code::new();
    code.zero(borrow);
    code.zero(borrows);
    // In the first pass the differences and the borrows within each lane; a lane's borrow then enters the next lane.
    for pass in 0..fold.lanes() {
        for (j, &difference) in differences.iter().enumerate() {
            if pass == 0 {
                code.copy(difference, A.row(j));
                code.subtract(difference, difference, N.row(j));
            }
            code.add(difference, difference, borrow);
            code.carry(borrow, difference);
            code.and(difference, difference, constants::limb_mask());
        }
        // No lane borrows twice: what was negative in one pass is not small in the next.
        code.or(borrows, borrows, borrow);
        fold.up(borrow, borrow, &mut code);
    }
    fold.spread(fold.lanes() - 1, borrows, borrows, &mut code);
    code.negative(negative, borrows);
    for (j, &difference) in differences.iter().enumerate() {
        code.merge(difference, negative, A.row(j));
        code.store(R.row(j), difference);
    }
    Program::new(code)
}

/// One of the products that a row adds.
struct Part {
    /// Its x is a limb of b.
    factor: Factor,
    /// The limbs of b start in this lane.
    lane: usize,
}

/// In each of as many rows as `lanes` lanes have limbs, the product of every part and one row of reduction; then the
/// carries.
///
/// The reduction of a row runs in the same loop turn as the product of the next: see [`crate::multiply`].
fn multiplication(fold: Fold, rows: usize, lanes: usize, parts: &[Part]) -> Program {
    let sums: Vec<Vector> = (0..rows as u8 + 2).map(Vector).collect();
    let mut temporaries = Rotation::new((sums.len() as u8..22).chain(TEMPORARIES));
    let mut code = Code::new();
    let (head, rest) = product(fold, &sums[..=rows], parts, 0, 0, &mut temporaries);
    code.append(head);
    fold.digit(Q, sums[0], &mut code);
    code.append(rest);

    let reduction = |next_q| Reduction { fold, sums: &sums[..=rows], q: Q, n: N, n_first: N.row(0).into(), next_q };
    for lane in 0..lanes {
        let (head, product) = product(fold, &sums[1..], parts, lane, 1, &mut temporaries);
        let mut body = reduction(Some(NEXT_Q)).code(&mut temporaries, head);
        body.append(product);
        (0..=rows).for_each(|j| body.copy(sums[j], sums[j + 1]));
        body.copy(Q, NEXT_Q);
        body.advance(B, 1);
        // The first row stands before the loop.
        code.repeat(if lane == 0 { rows - 1 } else { rows }, body);
        code.advance(B, -(rows as isize));
    }
    code.append(reduction(None).code(&mut temporaries, Code::new()));
    carry_and_store(fold, &sums[1..=rows], [Q, NEXT_Q, Vector(29)], &mut code);
    Program::new(code)
}

/// The product of every part with the limb of b in row `row` and, counted from the part's, lane `lane`: the code that
/// completes the first column, and the rest. The last column is fresh, in the first row of all they all are.
fn product(
    fold: Fold,
    sums: &[Vector],
    parts: &[Part],
    lane: usize,
    row: usize,
    temporaries: &mut Rotation,
) -> (Code, Code) {
    let rows = sums.len() - 1;
    let (mut head, mut rest) = (Code::new(), Code::new());
    if row == 0 {
        head.zero(sums[0]);
        (1..rows).for_each(|j| rest.zero(sums[j]));
    }
    rest.zero(sums[rows]);
    for part in parts {
        let Factor { x, y } = part.factor;
        head.copy(x, B.row(row));
        fold.spread(part.lane + lane, x, x, &mut head);
        head.low(sums[0], x, y.row(0));
    }
    let factors: Vec<Factor> = parts.iter().map(|part| part.factor).collect();
    rows::add(sums, &factors, false, temporaries, &mut rest, |_| {});
    (head, rest)
}

/// One row of a Montgomery reduction of folded numbers: adds `q · n` to `sums[0..=M]`, hands the carry of the first
/// lane's lowest column on to the next, and the other lanes' lowest columns to the lanes before them.
pub(crate) struct Reduction<'a> {
    pub fold: Fold,
    /// Column sums, `M + 1` of them, all started.
    pub sums: &'a [Vector],
    /// The quotient digit, in all lanes.
    pub q: Vector,
    /// The modulus.
    pub n: Pointer,
    /// Its first row, perhaps in a register.
    pub n_first: Source,
    /// The register for the next row's quotient digit, computed as soon as its column is complete.
    pub next_q: Option<Vector>,
}

impl Reduction<'_> {
    /// The row's code. `before_next` is code of the caller that completes `sums[1]`, the next row's first column.
    ///
    /// The first lane's carry does not wait for `lo(q·n[0])`, which only makes the column's low 52 bits zero: it is
    /// `(sums[0] + 2^52 − 1) >> 52`.
    pub fn code(self, temporaries: &mut Rotation, before_next: Code) -> Code {
        let Reduction { fold, sums, q, n, n_first, next_q } = self;
        let mut code = Code::new();
        let rows = sums.len() - 1;
        let carry = temporaries.take();
        code.and(carry, sums[0], constants::first());
        code.add(carry, carry, constants::first_limb());
        code.shift_right(carry, carry, LIMB_BITS);
        code.low(sums[1], q, n.row(1));
        code.append(before_next);
        code.high(carry, q, n_first);
        code.add(sums[1], sums[1], carry);
        if let Some(next_q) = next_q {
            fold.digit(next_q, sums[1], &mut code);
        }
        code.low(sums[0], q, n_first);
        let lag = if temporaries.len() > HIGH_LAG + 1 { HIGH_LAG } else { 0 };
        let mut factors: Vec<Option<Source>> = vec![None; rows];
        for j in 1..rows + lag {
            if j == 1 {
                factors[1] = Some(n.row(1).into());
            } else if j < rows {
                let factor = temporaries.load(n.row(j), &mut code);
                factors[j] = Some(factor.into());
                code.low(sums[j], q, factor);
            }
            if let Some(Some(factor)) = j.checked_sub(lag).map(|j| factors[j]) {
                code.high(sums[j - lag + 1], q, factor);
            }
        }
        fold.down(sums[0], sums[0], &mut code);
        code.add(sums[rows], sums[rows], sums[0]);
        code
    }
}

/// Turns complete columns into limbs and stores them at P0. `free` are registers for its use.
///
/// Carries run through each lane, then what left a lane runs through the next. In that second run all but a lane's
/// lowest limb meet at most a one, and hand it on if they are all ones: one `and` a row, for what is all ones is known
/// before.
pub(crate) fn carry_and_store(fold: Fold, sums: &[Vector], free: [Vector; 3], code: &mut Code) {
    let [carry, ones, entering] = free;
    let last = sums.len() - 1;
    // `ones`: 1 if the limb `sum` is all ones, else 0.
    let is_ones = |ones: Vector, sum: Vector, code: &mut Code| {
        code.add(ones, sum, constants::one());
        code.shift_right(ones, ones, LIMB_BITS);
    };
    for (j, &sum) in sums.iter().enumerate() {
        if j > 0 {
            code.add(sum, sum, carry);
        }
        code.shift_right(carry, sum, LIMB_BITS);
        code.and(sum, sum, constants::limb_mask());
        // Over more than two lanes: whether all limbs of the lane but the lowest are ones.
        if fold.lanes() > 2 && j > 0 {
            let one = if j == 1 { ones } else { entering };
            is_ones(one, sum, code);
            if j > 1 {
                code.and(ones, ones, one);
            }
        }
    }
    fold.up(entering, carry, code);
    for _ in 2..fold.lanes() {
        // What leaves a lane, now that something enters it.
        code.add(entering, entering, sums[0]);
        code.shift_right(entering, entering, LIMB_BITS);
        code.and(entering, entering, ones);
        code.add(entering, entering, carry);
        fold.up(entering, entering, code);
    }
    for (j, &sum) in sums.iter().enumerate() {
        if 0 < j && j < last {
            is_ones(ones, sum, code);
        }
        code.add(sum, sum, entering);
        if j == 0 {
            code.shift_right(entering, sum, LIMB_BITS);
        }
        code.and(sum, sum, constants::limb_mask());
        code.store(R.row(j), sum);
        if 0 < j && j < last {
            code.and(entering, entering, ones);
        }
    }
}
