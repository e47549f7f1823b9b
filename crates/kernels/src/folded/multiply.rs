// SPDX-License-Identifier: Apache-2.0
//! Montgomery multiplication of folded numbers (see [`folded`](crate::folded)), sums and differences.

use crate::LIMB_BITS;
use crate::constants;
use crate::folded::Fold;
use crate::parts::registers::Rotation;
use crate::parts::rows::{self, Factor, HIGH_LAG};
use crate::program::{Code, Mask, Pointer, Program, Source, Vector};
use crate::reducer::LAST_ROWS;

const R: Pointer = Pointer::P0;
const A: Pointer = Pointer::P1;
const N: Pointer = Pointer::P2;
const B: Pointer = Pointer::P4;
const A_SHIFTED: Pointer = Pointer::P5;
const Q: Vector = Vector(31);
const NEXT_Q: Vector = Vector(30);
/// A row's digit and the next one's.
const DIGITS: [Vector; 2] = [Q, NEXT_Q];
const TEMPORARIES: std::ops::Range<u8> = 22..28;

/// Montgomery multiplication of folded numbers: `r = a · b · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n and behind it 2^(−52) mod n, P3 constants, P4 b; r may be a or b.
/// Shapes   a, b, n, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   a · b < 2^(52·N) · n, n odd, limbs below 2^52; then r < a · b / 2^(52·N) + n + n / 2^52 and every limb of r is below
///          2^52.
/// Cost     4N·M + 2 multiply-adds.
/// Source   Koç, Acar, Kaliski 1996 (coarsely integrated operand scanning); [`crate::reducer`] for the digits.
pub fn multiply(fold: Fold, rows: usize) -> Program {
    multiplication(fold, rows, fold.lanes(), &[Part { factor: Factor { x: Vector(29), y: A }, lane: 0 }])
}

/// Montgomery multiplication of folded numbers by half: `r = a · b · 2^(−52·N) mod n`, given
/// `a' ≡ a · 2^(−26·N) mod n` beside a. See [`crate::one_row::multiply::half_multiply`].
///
/// Pointers P0 r, P1 a, P2 n and behind it 2^(−52) mod n, P3 constants, P4 b, P5 a'; r may be any of a, a' and b.
/// Shapes   a, a', b, n, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   n odd, limbs below 2^52; r < a' + a · b / 2^(52·N) + n + n / 2^52 and every limb of r is below 2^52.
/// Cost     3N·M + 2 multiply-adds.
pub fn half_multiply(fold: Fold, rows: usize) -> Program {
    let half = fold.lanes() / 2;
    let low = Part { factor: Factor { x: Vector(29), y: A_SHIFTED }, lane: 0 };
    let high = Part { factor: Factor { x: Vector(28), y: A }, lane: half };
    multiplication(fold, rows, half, &[low, high])
}

/// Half a Montgomery reduction of folded numbers: `r = a · 2^(−26·N) mod n`.
///
/// Pointers P0 r, P1 a, P2 n and behind it 2^(−52) mod n, P3 constants; r may be a.
/// Shapes   a, n, r: M rows of numbers of N = F·M limbs, radix 2^52; M = `rows`, 20 at most.
/// Bounds   n odd, limbs below 2^52; then r <= n + n / 2^52 + a / 2^(26·N) and every limb of r is below 2^52; twice in a row
///          gives r < 2n.
/// Cost     N·M + 2 multiply-adds.
pub fn half_reduce(fold: Fold, rows: usize) -> Program {
    let sums: Vec<Vector> = (0..rows as u8 + 2).map(Vector).collect();
    let mut temporaries = Rotation::new(TEMPORARIES);
    let mut code = Code::new();
    (0..rows).for_each(|j| code.copy(sums[j], A.row(j)));
    (rows..rows + 2).for_each(|j| code.zero(sums[j]));
    fold.spread(0, Q, sums[0], &mut code);

    let mut row = |by, next| {
        let mut body =
            Reduction { fold, sums: &sums, by, next, digits: DIGITS, first: None }.code(&mut temporaries, Code::new());
        if next.is_some() {
            body.append(shift(&sums, DIGITS));
            body.zero(sums[rows + 1]);
        }
        body
    };
    code.repeat(fold.lanes() / 2 * rows - LAST_ROWS - 1, row(By::Reducer, Some(By::Reducer)));
    code.append(row(By::Reducer, Some(By::Modulus)));
    code.append(row(By::Modulus, Some(By::Modulus)));
    code.append(row(By::Modulus, None));
    carry_and_store(fold, &sums[1..=rows], [Q, NEXT_Q, Vector(29)], &mut code);
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
/// The reduction of a row runs in the same loop turn as the product of the next: see [`crate::one_row::multiply`].
fn multiplication(fold: Fold, rows: usize, lanes: usize, parts: &[Part]) -> Program {
    let sums: Vec<Vector> = (0..rows as u8 + 2).map(Vector).collect();
    let mut temporaries = Rotation::new((sums.len() as u8..22).chain(TEMPORARIES));
    let mut code = Code::new();
    sums.iter().for_each(|sum| code.zero(*sum));
    let (head, rest) = product(fold, &sums[..=rows], parts, 0, 0, &mut temporaries);
    code.append(head);
    fold.spread(0, Q, sums[0], &mut code);
    code.append(rest);

    let reduction = |by, next| Reduction { fold, sums: &sums, by, next, digits: DIGITS, first: None };
    for lane in 0..lanes {
        let mut turn = |by, next| {
            let (head, product) = product(fold, &sums[1..], parts, lane, 1, &mut temporaries);
            let mut body = reduction(by, Some(next)).code(&mut temporaries, head);
            body.append(product);
            body.append(shift(&sums, DIGITS));
            body.zero(sums[rows + 1]);
            body.advance(B, 1);
            body
        };
        // The first row stands before the loop.
        let turns = if lane == 0 { rows - 1 } else { rows };
        if lane + 1 < lanes {
            code.repeat(turns, turn(By::Reducer, By::Reducer));
        } else {
            code.repeat(turns - LAST_ROWS, turn(By::Reducer, By::Reducer));
            code.append(turn(By::Reducer, By::Modulus));
            code.append(turn(By::Modulus, By::Modulus));
        }
        code.advance(B, -(rows as isize));
    }
    code.append(reduction(By::Modulus, None).code(&mut temporaries, Code::new()));
    carry_and_store(fold, &sums[1..=rows], [Q, NEXT_Q, Vector(29)], &mut code);
    Program::new(code)
}

/// After a row each column is the one before it, and the next row's digit the row's.
pub(crate) fn shift(sums: &[Vector], [q, next_q]: [Vector; 2]) -> Code {
    let mut code = Code::new();
    sums.windows(2).for_each(|pair| code.copy(pair[0], pair[1]));
    code.copy(q, next_q);
    code
}

/// The product of every part with the limb of b in row `row` and, counted from the part's, lane `lane`: the code that
/// completes the first column, and the rest.
fn product(
    fold: Fold,
    sums: &[Vector],
    parts: &[Part],
    lane: usize,
    row: usize,
    temporaries: &mut Rotation,
) -> (Code, Code) {
    let (mut head, mut rest) = (Code::new(), Code::new());
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

/// What a row of a reduction adds a digit's product with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The modulus.
    Modulus,
    /// 2^(−52) mod n, which stands behind it: see [`crate::reducer`].
    Reducer,
}

/// One row of a Montgomery reduction of folded numbers: adds the product of its digit to `sums`, hands the carry of the first
/// lane's lowest column on to the next, and the other lanes' lowest columns to the lanes before them.
pub(crate) struct Reduction<'a> {
    pub fold: Fold,
    /// Column sums, `M + 2` of them, all started: the last is for products by the reducer alone.
    pub sums: &'a [Vector],
    pub by: By,
    /// What the next row is by, if there is one.
    pub next: Option<By>,
    /// The digit, in all lanes, and the register for the next row's, which goes there as soon as its column is complete.
    pub digits: [Vector; 2],
    /// The reducer's first row, where it stands in a register.
    pub first: Option<Vector>,
}

impl Reduction<'_> {
    /// The row's code. `before_next` is code of the caller that completes `sums[1]`, the next row's first column.
    ///
    /// The first lane's carry does not wait for `lo(q·n[0])`, which only makes the column's low 52 bits zero: it is
    /// `(sums[0] + 2^52 − 1) >> 52`. By the reducer the column is the digit and its carry, and
    /// nothing is added.
    pub fn code(self, temporaries: &mut Rotation, before_next: Code) -> Code {
        let Reduction { fold, sums, by, next, digits: [q, next_q], first } = self;
        let rows = sums.len() - 2;
        // Where the factor stands, and the column of its first limb's low products.
        let (factor, start) = match by {
            By::Modulus => (0, 0),
            By::Reducer => (rows, 1),
        };
        let row = |j: usize| match (j, by, first) {
            (0, By::Reducer, Some(first)) => Source::from(first),
            _ => N.row(factor + j).into(),
        };
        // The limb whose low product completes the next row's column.
        let completing = 1 - start;
        let mut code = Code::new();
        let carry = temporaries.take();
        code.and(carry, sums[0], constants::first());
        if by == By::Modulus {
            code.add(carry, carry, constants::first_limb());
        }
        code.shift_right(carry, carry, LIMB_BITS);
        code.low(sums[1], q, row(completing));
        code.append(before_next);
        if by == By::Modulus {
            code.high(carry, q, row(0));
        }
        code.add(sums[1], sums[1], carry);
        match next {
            Some(By::Modulus) => fold.digit(next_q, sums[1], &mut code),
            Some(By::Reducer) => fold.spread(0, next_q, sums[1], &mut code),
            None => {}
        }
        if by == By::Modulus {
            code.low(sums[0], q, row(0));
        }
        let lag = if temporaries.len() > HIGH_LAG + 1 { HIGH_LAG } else { 0 };
        // Of the limbs before that one both products are added by now.
        let mut factors: Vec<Option<Source>> = vec![None; rows];
        factors[completing] = Some(row(completing));
        for j in completing..rows + lag {
            if j > completing && j < rows {
                let factor = temporaries.load(N.row(factor + j), &mut code);
                factors[j] = Some(factor.into());
                code.low(sums[start + j], q, factor);
            }
            if let Some(Some(factor)) = j.checked_sub(lag).map(|j| factors[j]) {
                code.high(sums[start + j - lag + 1], q, factor);
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
