// SPDX-License-Identifier: Apache-2.0
//! Block products with a quarter to a third fewer multiply-adds, for processors on which additions run beside those.
//!
//! With `x_i·y_j + x_j·y_i = x_i·y_i + x_j·y_j + (x_i − x_j)·(y_j − y_i)` the product of `Σ x_i·X^i` and `Σ y_i·X^i` over
//! B parts is `(Σ x_i·y_i·X^i) · (1 + X + … + X^(B−1)) + Σ_{i<j} (x_i − x_j)·(y_j − y_i)·X^(i+j)`: one product for each pair
//! of parts instead of two.

use crate::constants;
use crate::one_row::block::{COLUMNS, Columns, Finish, RESULT, X, Y};
use crate::parts::reduction::finish_limb;
use crate::parts::registers::Rotation;
use crate::parts::rows::HIGH_LAG;
use crate::program::{Code, Mask, Pointer, Program, Row, Source, Vector};

/// Limbs of the blocks whose products leave registers for a pass of the table's scan.
pub const SCANNING_BLOCK: usize = 15;
/// Limbs that such a pass selects: a squaring of two blocks has two of these products, a window four squarings, an entry two forms.
///
/// A scan is made of loads, sixteen for a limb, and of merges, which take any port. Of all blocks these products have most time for
/// both.
pub const SCANNED_LIMBS: usize = SCANNING_BLOCK.div_ceil(2);

/// Where the differences of y's parts come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Differences {
    /// From y, on the way.
    Computed,
    /// From behind y, as [`prepare`] left them: of factors that many products share.
    Given,
}

/// Block product, eight lanes: `columns += x · y`, as [`block::product`](crate::one_row::block::product) forms it, whose pointers,
/// shapes and bounds these are. Single sums may be negative, on the way and after it; rows of columns that are not results are
/// lost.
///
/// Shapes   y where its differences are given: as [`prepare`] leaves it.
/// Cost     M limbs in B parts of b limbs, 15 in three, 20 in two: B (B + 1) b² multiply-adds; more additions than
///          [`block::product`](crate::one_row::block::product), in parts of 5 limbs about as many as multiply-adds.
/// Source   Karatsuba, Ofman 1962; for more than two parts Weimerskirch, Paar 2006, "Generalizations of the Karatsuba
///          algorithm for efficient implementations", §3.
pub fn product(limbs: usize, columns: Columns, finish: Finish, differences: Differences) -> Program {
    let parts = Parts::of(limbs);
    let b = parts.limbs;
    let mut code = Code::new();
    let sums: Vec<Vector> = (0..((parts.count + 1) * b) as u8).map(Vector).collect();
    let mut rest: Vec<Vector> = (sums.len() as u8..32).map(Vector).collect();
    parts.diagonal(&sums, &rest, &mut code);

    let (temporary, out) = (rest[0], Out { columns, finish, limbs, carry: rest[1] });
    out.begin(&mut code);
    for (column, &sum) in sums[..b].iter().enumerate() {
        out.add_old(column, sum, temporary, &mut code);
        out.complete(column, temporary, &mut code);
    }
    // The last part's columns are complete but for carries and a sign: they wait where they belong.
    let top = 2 * limbs - b;
    for column in top..2 * limbs {
        out.add_old(column, sums[parts.count * b + column - top], temporary, &mut code);
        code.store(COLUMNS.row(column), temporary);
    }
    let (inner, freed) = parts.spread(&sums, &mut code);
    for (i, &sum) in inner.iter().enumerate() {
        out.add_old(b + i, sum, sum, &mut code);
    }

    rest.extend(freed);
    rest.retain(|register| *register != out.carry);
    let mut pairs = Pairs::new(parts, top, inner, rest, differences);
    for (number, pair) in parts.pairs().enumerate() {
        pairs.add(number, pair, &mut code, |column, sum, code| out.complete(column, sum, code));
    }
    for column in top - b..top {
        out.complete(column, pairs.inner[column - b], &mut code);
    }
    if finish == Finish::Last {
        for column in top..2 * limbs {
            code.copy(temporary, COLUMNS.row(column));
            out.complete(column, temporary, &mut code);
        }
    }
    out.end(&mut code);
    Program::new(code)
}

/// A factor, prepared, eight lanes, for products by it: its limbs, and behind them the differences of its parts, of each pair
/// `(y_j − y_i) mod 2^(52·b)` and its sign.
///
/// Pointers P0 the prepared factor, P2 y.
/// Shapes   y: M limbs of one number per lane; prepared: [`prepared_rows`]; M = `limbs` in parts of b limbs. A sign is 0, or −1
///          where `y_j < y_i`.
/// Bounds   limbs of y below 2^52; then limbs of differences are.
/// Cost     no multiply-adds.
pub fn prepare(limbs: usize) -> Program {
    let parts = Parts::of(limbs);
    let borrow = Vector(31);
    let mut temporaries = Rotation::new(0..16);
    let mut code = Code::new();
    for row in 0..limbs {
        let limb = temporaries.load(Y.row(row), &mut code);
        code.store(Pointer::P0.row(row), limb);
    }
    for (number, pair) in parts.pairs().enumerate() {
        let rows = parts.difference(number, Pointer::P0);
        for l in 0..parts.limbs {
            let limb = temporaries.take();
            part_difference(limb, borrow, pair, (l, parts.limbs), &mut code);
            code.store(rows(l), limb);
        }
        code.store(rows(parts.limbs), borrow);
    }
    Program::new(code)
}

/// How many rows a prepared factor of so many limbs takes.
pub const fn prepared_rows(limbs: usize) -> usize {
    let Parts { count, limbs: b } = Parts::of(limbs);
    limbs + count * (count - 1) / 2 * (b + 1)
}

/// `to`: limb `l` of `b` of `y_j − y_i`.
fn part_difference(to: Vector, borrow: Vector, (i, j): (usize, usize), (l, b): (usize, usize), code: &mut Code) {
    code.copy(to, Y.row(j * b + l));
    code.subtract(to, to, Y.row(i * b + l));
    finish_limb(to, borrow, l > 0, true, code);
}

/// How many multiply-adds the product of two blocks of so many limbs takes.
pub const fn multiply_adds(limbs: usize) -> usize {
    let Parts { count, limbs } = Parts::of(limbs);
    count * (count + 1) * limbs * limbs
}

/// A block's parts.
#[derive(Clone, Copy)]
struct Parts {
    count: usize,
    limbs: usize,
}

impl Parts {
    const fn of(limbs: usize) -> Parts {
        match limbs {
            15 => Parts { count: 3, limbs: 5 },
            20 => Parts { count: 2, limbs: 10 },
            _ => panic!("no parts for so many limbs"),
        }
    }

    /// Where the limbs of a pair's difference stand in the prepared factor at `pointer`, its sign behind them.
    fn difference(self, number: usize, pointer: Pointer) -> impl Fn(usize) -> Row {
        let first = self.count * self.limbs + number * (self.limbs + 1);
        move |l| pointer.row(first + l)
    }

    /// All pairs of parts, so that each adds to later columns than the one before.
    fn pairs(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.count).flat_map(move |i| (i + 1..self.count).map(move |j| (i, j)))
    }

    /// `sums = Σ x_i·y_i·X^i`
    fn diagonal(self, sums: &[Vector], rest: &[Vector], code: &mut Code) {
        let (b, x) = (self.limbs, rest[0]);
        sums[..b].iter().for_each(|&sum| code.zero(sum));
        for part in 0..self.count {
            let (columns, later) = sums[part * b..].split_at(2 * b);
            columns[b..].iter().for_each(|&sum| code.zero(sum));
            // Registers of columns to come are free until then; few limbs stay in registers of their own.
            let few = b < MANY;
            let pool = rest[1..].iter().chain(if few { &[] } else { later });
            let mut temporaries = Rotation::new(pool.map(|register| register.0));
            let mut y = |l: usize| -> Source {
                let row = Y.row(part * b + l);
                if few { temporaries.load(row, code).into() } else { row.into() }
            };
            let ys: Vec<Source> = (0..b).map(&mut y).collect();
            for row in 0..b {
                code.copy(x, X.row(part * b + row));
                add_row(&columns[row..=row + b], x, &ys, &mut temporaries, code);
            }
        }
    }

    /// Multiplies by `1 + X + … + X^(B−1)`: the sums of all columns but those of the first and the last part, and
    /// registers that are free then.
    fn spread(self, sums: &[Vector], code: &mut Code) -> (Vec<Vector>, Vec<Vector>) {
        let parts: Vec<&[Vector]> = sums.chunks(self.limbs).collect();
        let mut add = |to: usize, from: usize| {
            parts[to].iter().zip(parts[from]).for_each(|(&to, &from)| code.add(to, to, from));
        };
        match self.count {
            2 => {
                add(0, 1);
                add(2, 1);
                ([parts[0], parts[2]].concat(), parts[1].to_vec())
            }
            3 => {
                add(0, 1);
                add(3, 2);
                add(1, 3);
                add(2, 0);
                ([parts[0], parts[2], parts[1], parts[3]].concat(), Vec::new())
            }
            _ => unreachable!("two or three parts"),
        }
    }
}

/// From so many limbs on, factors stay in memory.
const MANY: usize = 10;

/// The products of differences, added to all columns but those of the first and the last part.
struct Pairs {
    parts: Parts,
    /// The columns' sums, from column b on.
    inner: Vec<Vector>,
    x: Vector,
    borrow: Vector,
    temporary: Vector,
    /// Where the limbs of `y_j − y_i` stand: in registers or, if they are many, where they are given, or in the rows of the last
    /// inner part's columns, whose old sums have been taken in by then, and which are not stored to before the end.
    y: Vec<Source>,
    differences: Differences,
    temporaries: Rotation,
}

impl Pairs {
    fn new(parts: Parts, top: usize, inner: Vec<Vector>, registers: Vec<Vector>, differences: Differences) -> Pairs {
        let limbs = parts.limbs;
        let mut registers = registers.into_iter();
        let mut take = || registers.next().expect("a register");
        let (x, borrow, temporary) = (take(), take(), take());
        let y = (0..limbs)
            .map(|l| if limbs < MANY { take().into() } else { COLUMNS.row(top - limbs + l).into() })
            .collect();
        let temporaries = Rotation::new(registers.map(|register| register.0));
        Pairs { parts, inner, x, borrow, temporary, y, differences, temporaries }
    }

    /// Adds `(x_i − x_j)·(y_j − y_i)·X^(i+j)`, and hands over each column as soon as it is complete, if no later pair adds to
    /// it.
    ///
    /// For negative differences d and e multiply-adds see d + X and e + X: with 1 for s where one is negative and 0 elsewhere,
    /// `d·e = (d + s_d·X)·(e + s_e·X) − X·s_e·d − X·s_d·(e + s_e·X)`. The d in the middle is taken limb by limb, before
    /// borrows.
    fn add(
        &mut self,
        number: usize,
        (i, j): (usize, usize),
        code: &mut Code,
        mut complete: impl FnMut(usize, Vector, &mut Code),
    ) {
        let Pairs { parts, x, borrow, temporary, .. } = *self;
        let b = parts.limbs;
        let base = (i + j) * b;
        let given = parts.difference(number, Y);
        for l in 0..b {
            match (self.differences, self.y[l]) {
                (Differences::Computed, Source::Vector(y)) => part_difference(y, borrow, (i, j), (l, b), code),
                (Differences::Computed, Source::Row(row)) => {
                    part_difference(x, borrow, (i, j), (l, b), code);
                    code.store(row, x);
                }
                (Differences::Given, Source::Vector(y)) => code.copy(y, given(l)),
                (Differences::Given, Source::Row(_)) => self.y[l] = given(l).into(),
            }
        }
        let negative = Mask(1);
        if self.differences == Differences::Computed {
            code.negative(negative, borrow);
        }
        for row in 0..b {
            // Multiply-adds take the low 52 bits of x: what is above need not go.
            code.copy(temporary, X.row(i * b + row));
            code.subtract(temporary, temporary, X.row(j * b + row));
            code.copy(x, temporary);
            if row > 0 {
                code.add(x, x, borrow);
            }
            code.carry(borrow, x);
            let columns = &self.inner[base + row - b..][..=b];
            add_row(columns, x, &self.y, &mut self.temporaries, code);
            match self.differences {
                Differences::Computed => {
                    code.zero(x);
                    code.merge(x, negative, temporary);
                }
                Differences::Given => code.and(x, temporary, given(b)),
            }
            code.subtract(columns[b], columns[b], x);
            complete(base + row, columns[0], code);
        }
        for (&y, &sum) in self.y.iter().zip(&self.inner[base..]) {
            code.and(temporary, borrow, y);
            code.subtract(sum, sum, temporary);
        }
    }
}

/// Adds `x` times each of `ys` to `sums`, one column more than there are limbs.
fn add_row(sums: &[Vector], x: Vector, ys: &[Source], temporaries: &mut Rotation, code: &mut Code) {
    let held = ys.iter().all(|y| matches!(y, Source::Vector(_)));
    // A register must keep its limb until the high half is added.
    let lag = match temporaries.len() {
        _ if held => ys.len() - 1,
        0..=HIGH_LAG => 0,
        _ => HIGH_LAG,
    };
    let mut loaded = Vec::new();
    for step in 0..ys.len() + lag {
        if let Some(&y) = ys.get(step) {
            let y = if let Source::Vector(register) = y { register } else { temporaries.load(y, code) };
            loaded.push(y);
            code.low(sums[step], x, y);
        }
        if let Some(j) = step.checked_sub(lag) {
            code.high(sums[j + 1], x, loaded[j]);
        }
    }
}

/// What becomes of columns.
struct Out {
    columns: Columns,
    finish: Finish,
    limbs: usize,
    carry: Vector,
}

impl Out {
    fn begin(&self, code: &mut Code) {
        if self.finish != Finish::Columns {
            code.copy(self.carry, constants::carry());
        }
    }

    fn end(&self, code: &mut Code) {
        if self.finish == Finish::Carry {
            code.store(constants::carry(), self.carry);
        }
    }

    /// `to = sum`, and what the column held before.
    fn add_old(&self, column: usize, sum: Vector, to: Vector, code: &mut Code) {
        let fresh = match self.columns {
            Columns::Fresh => true,
            Columns::FreshTop => column >= self.limbs,
            Columns::Old => false,
        };
        match fresh {
            true if to == sum => {}
            true => code.copy(to, sum),
            false => code.add(to, sum, COLUMNS.row(column)),
        }
    }

    /// Stores a complete column: one after the other.
    fn complete(&self, column: usize, sum: Vector, code: &mut Code) {
        if self.finish == Finish::Last || self.finish == Finish::Carry && column < self.limbs {
            finish_limb(sum, self.carry, true, column < 2 * self.limbs - 1, code);
            code.store(RESULT.row(column), sum);
        } else {
            code.store(COLUMNS.row(column), sum);
        }
    }
}
