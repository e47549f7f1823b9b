// SPDX-License-Identifier: Apache-2.0
//! Montgomery reduction of the column sums, five limbs at a time.
//!
//! With m = 2^-260 mod n, the low five limbs of a sum go by their products with m: `T = T_high 2^260 + T_low` is
//! `(T_high + T_low m) 2^260` modulo n. So the quotient digits are the limbs themselves, and none waits for more than a
//! carry. But every such step adds up to 2^260 n. The last one is Montgomery's own, with the digits
//! `Q = T_low (-n^-1) mod 2^260`: `(T + Q n) / 2^260` is below `T / 2^260 + n`.
//!
//! Source: H. Orup, "Simplifying Quotient Determination in High-Radix Modular Multiplication", ARITH 1995: m is
//! `(n' + 1) / 2^260` for the multiple n' of n that is -1 modulo 2^260.

use super::numbers::{self, Numbers};
use super::sweep::{CARRY, FREE, Finish, LIMB, Products, Sweep, column, factor};
use super::{A, AREA, Area, BLOCK, Code, TO, constant, row};
use crate::folded::Fold;
use crate::program::Pointer;
use crate::vex::{Binary, Place, Register};
use crate::{LIMB_BITS, constants};

/// Where the numbers of the reduction are found.
const N: Pointer = A;

/// `to = columns / 2^(52 digits)` modulo n, carried. `digits` is a multiple of five. P1 is lost.
///
/// Bounds   r is below `columns / 2^(52 digits) + 2n`; with five digits, plus n only.
/// Cost     digits N + 7 products, folded over F lanes (digits N + 15) / F.
pub(super) fn reduce(numbers: Numbers, digits: usize, code: &mut Code) {
    let area = Area::of(numbers);
    let reduction = Reduction { numbers, area };
    code.point(N, AREA, area.reducer);
    let steps = digits / BLOCK - 1;
    reduction.first_limbs(if steps == 0 { Taken::LAST } else { Taken::BEFORE }, code);
    // One loop of all steps before Montgomery's is less code, which is faster. Of five rows there is little anyway.
    let loops = if steps > 1 && numbers.rows > BLOCK {
        [(steps, Taken::ANY), (0, Taken::LAST)]
    } else {
        [(steps.saturating_sub(1), Taken::BEFORE), (steps.min(1), Taken::LAST)]
    };
    for (count, taken) in loops {
        let mut body = Code::default();
        reduction.step(taken, &mut body);
        code.repeat(count, body);
    }
    reduction.last_step(code);
    code.advance(AREA, -((steps * BLOCK) as isize));
}

/// Where five limbs go that are taken, besides the factors' place.
#[derive(Clone, Copy)]
struct Taken {
    /// Those of other lanes enter the lanes before them at the top.
    handed_down: bool,
    /// They stay in their columns, for Montgomery's step.
    stay: bool,
}

impl Taken {
    /// By a step that another one follows before Montgomery's.
    const BEFORE: Taken = Taken { handed_down: true, stay: false };
    /// Right before Montgomery's step, which itself hands down those of other lanes: they stay, too.
    const LAST: Taken = Taken { handed_down: false, stay: true };
    /// By any step before Montgomery's, so that one loop is all of them; those of other lanes do not stay.
    const ANY: Taken = Taken { handed_down: true, stay: true };
}

struct Reduction {
    numbers: Numbers,
    area: Area,
}

impl Reduction {
    /// Takes the low five limbs from the columns in memory.
    fn first_limbs(&self, taken: Taken, code: &mut Code) {
        let columns = row(AREA, Area::COLUMNS);
        (0..BLOCK).for_each(|i| code.load(column(i), below(columns, i)));
        for i in 0..BLOCK {
            if i + 1 == BLOCK {
                code.load(column(BLOCK), below(columns, BLOCK));
            }
            self.take(i, columns, taken, code);
        }
        code.store(below(columns, BLOCK), column(BLOCK));
    }

    /// Adds the products of the five limbs taken with m, takes the next five, and moves on by five columns.
    ///
    /// The next limbs are complete when a few columns are, and get ready while the others are added up.
    fn step(&self, taken: Taken, code: &mut Code) {
        let sweep = Sweep {
            columns: (AREA, Area::COLUMNS + BLOCK),
            limbs: (N, 0),
            count: self.numbers.rows,
            products: Products::All,
            finish: Finish::Sum,
        };
        load_limbs(code);
        sweep.open(0, code);
        for i in 0..BLOCK {
            sweep.limb(i, code, |code| self.take(i, sweep.place(0), taken, code));
        }
        sweep.rest(BLOCK, code);
        code.advance(AREA, BLOCK as isize);
    }

    /// Montgomery's step.
    fn last_step(&self, code: &mut Code) {
        let Area { reducer, modulus, inverse, last_biases, .. } = self.area;
        load_limbs(code);
        let quotient = Sweep {
            columns: (N, last_biases - reducer),
            limbs: (N, inverse - reducer),
            count: BLOCK,
            products: Products::LowColumns,
            finish: Finish::Sum,
        };
        quotient.open(0, code);
        for i in 0..BLOCK {
            quotient.limb(i, code, |code| {
                carry(i, code);
                convert_and_store(i, code);
            });
        }
        load_limbs(code);
        let mut sweep = Sweep {
            columns: (AREA, Area::COLUMNS),
            limbs: (N, modulus - reducer),
            count: self.numbers.rows,
            products: Products::All,
            finish: Finish::Limbs(TO),
        };
        if self.numbers.fold.is_none() {
            // The low five limbs become zero.
            sweep.products = Products::FromFifthColumn;
        }
        sweep.open(0, code);
        for i in 0..BLOCK {
            sweep.limb(i, code, |code| {
                if let Some(fold) = self.numbers.fold {
                    carry(i, code);
                    self.hand_down(fold, i, sweep.place(0), code);
                } else if i + 1 == BLOCK {
                    // A multiple of 2^52 but for what the columns below would have carried to it, which is far less.
                    code.binary(Binary::Add, CARRY, column(i), constant(constants::LIMB_MASK));
                    code.shift_right(CARRY, CARRY, LIMB_BITS as u32);
                    code.add(column(BLOCK), column(BLOCK), CARRY);
                }
            });
        }
        sweep.rest(BLOCK, code);
        if let Some(fold) = self.numbers.fold {
            self.carry_over(fold, code);
        }
    }

    /// Takes the limb of the column `i`, which is complete, of the five from `columns` on: in double precision, and in all
    /// lanes of its number.
    fn take(&self, i: usize, columns: Place, taken: Taken, code: &mut Code) {
        carry(i, code);
        // Unfolded, all that stays of them is one column.
        if taken.stay && (self.numbers.fold.is_some() || i + 1 == BLOCK) {
            let bias = row(N, self.area.last_biases - self.area.reducer + i);
            if self.numbers.fold.is_some() && taken.handed_down {
                code.binary(Binary::And, FREE, LIMB, constant(constants::FIRST));
                code.add(FREE, FREE, bias);
            } else {
                code.add(FREE, LIMB, bias);
            }
            code.store(below(columns, i), FREE);
        }
        if let Some(fold) = self.numbers.fold.filter(|_| taken.handed_down) {
            self.hand_down(fold, i, columns, code);
        }
        self.numbers.spread(0, LIMB, code);
        convert_and_store(i, code);
    }

    /// Adds [`LIMB`], in each lane, to the column of the lane before that is the same.
    fn hand_down(&self, fold: Fold, i: usize, columns: Place, code: &mut Code) {
        let top = below(columns, self.numbers.rows + i);
        code.copy(FREE, LIMB);
        numbers::down(fold, FREE, code);
        code.add(FREE, FREE, top);
        code.store(top, FREE);
    }

    /// Carries what left each lane, in [`CARRY`], through the next.
    fn carry_over(&self, fold: Fold, code: &mut Code) {
        let rows = self.numbers.rows;
        let [entering, ones, limb] = [0, 1, 2].map(Register);
        if fold.lanes() > 2 {
            // One in lanes whose limbs but the lowest are all ones: they hand on what leaves the lowest.
            code.load(ones, row(TO, 1));
            (2..rows).for_each(|i| code.binary(Binary::And, ones, ones, row(TO, i)));
            code.add(ones, ones, constant(constants::ONE));
            code.shift_right(ones, ones, LIMB_BITS as u32);
        }
        code.copy(entering, CARRY);
        numbers::up(fold, entering, code);
        for _ in 2..fold.lanes() {
            code.add(entering, entering, row(TO, 0));
            code.shift_right(entering, entering, LIMB_BITS as u32);
            code.binary(Binary::And, entering, entering, ones);
            code.add(entering, entering, CARRY);
            numbers::up(fold, entering, code);
        }
        for i in 0..rows {
            code.add(limb, entering, row(TO, i));
            code.shift_right(entering, limb, LIMB_BITS as u32);
            code.binary(Binary::And, limb, limb, constant(constants::LIMB_MASK));
            code.store(row(TO, i), limb);
        }
    }
}

fn below(Place { pointer, word }: Place, rows: usize) -> Place {
    Place { pointer, word: word + 8 * rows }
}

/// Where the limbs taken stand.
fn place(i: usize) -> Place {
    row(constants::POINTER, constants::SPILL + i)
}

fn load_limbs(code: &mut Code) {
    (0..BLOCK).for_each(|k| code.load(factor(k), place(k)));
}

/// Splits the column `i`, which is complete, in [`LIMB`] and what it adds to the next.
fn carry(i: usize, code: &mut Code) {
    code.shift_right(CARRY, column(i), LIMB_BITS as u32);
    code.add(column(i + 1), column(i + 1), CARRY);
    code.binary(Binary::And, LIMB, column(i), constant(constants::LIMB_MASK));
}

fn convert_and_store(i: usize, code: &mut Code) {
    code.convert(LIMB);
    code.store(place(i), LIMB);
}
