// SPDX-License-Identifier: Apache-2.0
//! Kernels for processors with AVX2 and FMA, but neither form of IFMA: four lanes, products of limbs in double precision.
//!
//! A double holds whole numbers of up to 53 bits, so two of them hold a limb each, and two fused multiply-adds, rounded
//! toward zero, split their product into halves of 52 bits:
//!
//! ```text
//! h = a b + 2^104                the low 52 bits of h's pattern are the product's high half: 2^52 is its last place
//! l = a b + (2^104 + 2^52 - h)   and those of l's its low half: the difference is exact, and 1 is the last place
//! ```
//!
//! The patterns are added as integers to the column sums. What stands above their low 52 bits is the same for every h and
//! every l; a column starts from minus as much as it will get ([`Area::bias_values`]). A product costs five operations: two
//! multiply-adds, a subtraction and two additions. With multiplications of 32 bits it would cost eight: four, of 26 bits by
//! 26, and four additions.
//!
//! Source: N. Emmart, "Faster Modular Exponentiation Using Double Precision Floating Point Arithmetic on the GPU", ARITH
//! 2018. No operand is ever subnormal, infinite or not a number: those are the ones that take processors longer.
//!
//! Numbers stand in memory as they do for the other kernels, and what does not multiply is printed by [`vex`];
//! [`all`] are the kernels that do, and the selection of a table entry.

mod numbers;
mod product;
mod reduce;
pub mod scan;
mod square;
mod sweep;
mod window;

use crate::folded::Fold;
use crate::program::Pointer;
use crate::vex::{self, Binary, Encoding, Instruction, Operand, Place, Register};
use crate::{FOLDED_ROWS, Id, LIMB_COUNTS, Operation, constants};
use Instruction as I;
pub use numbers::Numbers;
pub use square::SQUARES;
use std::collections::BTreeSet;

/// A kernel of this family.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Which one of its list.
    pub id: Id,
    /// The name: `square_20`. The symbol is `garner_` followed by it and `_doubles`.
    pub name: String,
    /// What it does.
    pub code: Vec<Instruction>,
}

/// Every kernel, in a fixed order.
///
/// Those that multiply: pointers P0 the result, P1 the first operand, P2 the work area, P3 constants, P4 the second operand,
/// P5 (half multiplications) the operand shifted. N limbs of every number, radix 2^52, one in each lane or folded. In the
/// work area, all that [`Area`] shows stands where it says, and the rest is overwritten.
pub fn all() -> Vec<Kernel> {
    let folded = Fold::ALL.into_iter().flat_map(|fold| FOLDED_ROWS.map(|rows| Numbers { rows, fold: Some(fold) }));
    use Operation as O;
    let mut kernels = Vec::new();
    let mut put = |id: Id, code: Code| kernels.push(Kernel { id, name: id.to_string(), code: code.0 });
    for numbers in LIMB_COUNTS.map(|rows| Numbers { rows, fold: None }).into_iter().chain(folded) {
        let id = |operation| Id { operation, fold: numbers.fold, limbs: numbers.rows };
        put(id(O::Square), square::square(numbers));
        put(id(O::Squares), square::squares(numbers));
        put(id(O::Multiply), product::multiply(numbers));
        put(id(O::HalfMultiply), product::half_multiply(numbers));
        put(id(O::HalfReduce), product::half_reduce(numbers));
        put(id(O::Window), window::window(numbers));
    }
    for rows in LIMB_COUNTS.into_iter().chain(FOLDED_ROWS).collect::<BTreeSet<usize>>() {
        put(Id::of(O::Scan, rows), scan::scan(rows));
    }
    kernels
}

/// Limbs of a factor, or of a sum that is reduced, that are taken together: a divisor of every N / 2.
pub const BLOCK: usize = 5;

/// Where things stand in the work area, in rows.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    /// An operand in double precision.
    operand: usize,
    /// From a block of a square's operand to the next: as far as from the columns of its products to those of the next
    /// one's, so that one loop is all of them, or close together where there are two at most.
    apart: usize,
    /// 2^-260 mod n, in double precision.
    pub reducer: usize,
    /// The modulus, in double precision.
    pub modulus: usize,
    /// -n^-1 mod 2^260, in double precision: five limbs, in all lanes of a number.
    pub inverse: usize,
    /// What the low columns of a reduction's last step start from.
    pub last_biases: usize,
    /// What the columns start from: of a product and its reduction, of a half multiplication and of a half reduction.
    pub biases: [usize; 3],
    /// Rows in all.
    pub rows: usize,
}

impl Area {
    /// Column sums.
    const COLUMNS: usize = 0;

    /// The area for such numbers.
    pub const fn of(numbers: Numbers) -> Area {
        let (operand, rows, half) = (Area::columns(numbers, 1), numbers.rows, Area::columns(numbers, 2));
        let apart = if rows > 2 * BLOCK { 2 * BLOCK } else { BLOCK };
        let reducer = operand + rows / BLOCK * apart;
        let [modulus, inverse] = [reducer + rows, reducer + 2 * rows];
        let (last_biases, first) = (inverse + BLOCK, inverse + 2 * BLOCK);
        let biases = [first, first + operand, first + operand + half];
        Area { operand, apart, reducer, modulus, inverse, last_biases, biases, rows: first + operand + 2 * half }
    }

    /// Columns of the products of a number with all limbs of another, or with one in `part` of them.
    const fn columns(numbers: Numbers, part: usize) -> usize {
        numbers.limbs() / part + numbers.rows
    }

    /// What the rows hold from [`Area::last_biases`] to the end, COUNT of them, in every lane.
    pub const fn bias_values<const COUNT: usize>(numbers: Numbers) -> [u64; COUNT] {
        let (mut values, mut count) = ([0; COUNT], 0);
        while count < BLOCK {
            values[count] = bias(count + 1, count);
            count += 1;
        }
        let products = [(1, 1), (2, 2), (2, 0)];
        let mut kind = 0;
        while kind < products.len() {
            let ((part, products), mut column) = (products[kind], 0);
            while column < Area::columns(numbers, part) {
                values[count] = numbers.bias(column, numbers.limbs() / part, products);
                (column, count) = (column + 1, count + 1);
            }
            kind += 1;
        }
        assert!(count == COUNT, "as many as there are rows");
        values
    }
}

/// What a column starts from that gets so many low halves, and so many high ones.
const fn bias(lows: usize, highs: usize) -> u64 {
    let lows = constants::TWO_TO_52.wrapping_mul(lows as u64);
    constants::TWO_TO_104.wrapping_mul(highs as u64).wrapping_add(lows).wrapping_neg()
}

impl Numbers {
    /// What a column starts from, for products with `factors` limbs, `products` of them, and their reduction by as many
    /// limbs.
    const fn bias(self, column: usize, factors: usize, products: usize) -> u64 {
        // The last step adds products to the low columns, too, but not while they are sums.
        let last = column >= factors;
        let highs = if column == 0 { 0 } else { self.lows(column - 1, factors, products, last) };
        bias(self.lows(column, factors, products, last), highs)
    }

    /// How many products have their low halves in a column. Each step of a reduction takes five limbs, and adds products to
    /// the columns above them; the `last`, to those five and the ones above.
    const fn lows(self, column: usize, factors: usize, products: usize, last: bool) -> usize {
        let above = factors - BLOCK;
        let mut lows = products * self.pairs(column, factors);
        if column >= BLOCK {
            lows += self.pairs(column - BLOCK, above);
        }
        if last {
            lows += self.pairs(column - above, BLOCK);
        }
        lows
    }

    /// Of how many pairs of a limb and one of so many factors the product has its low half in a column.
    const fn pairs(self, column: usize, factors: usize) -> usize {
        let highest = if column < factors { column + 1 } else { factors };
        highest.saturating_sub((column + 1).saturating_sub(self.rows))
    }
}

/// How many fused multiply-adds the code executes.
pub fn multiply_adds(code: &[Instruction]) -> usize {
    multiply_adds_of(code, 0)
}

/// `turns`: those left of the loop around the code, this one counted.
fn multiply_adds_of(code: &[Instruction], turns: usize) -> usize {
    let of_turns = |count, body| (1..=count).map(|turns| multiply_adds_of(body, turns)).sum();
    code.iter()
        .map(|instruction| match instruction {
            I::Repeat { count, body } => of_turns(*count, body),
            I::RepeatTurnsLeft { body } => of_turns(turns, body),
            I::FusedAdd { .. } => 1,
            _ => 0,
        })
        .sum()
}

/// The symbol of the kernel `name`.
pub fn symbol(name: &str) -> String {
    format!("garner_{name}_doubles")
}

/// A source file with all `kernels`.
pub fn file(kernels: &[Kernel]) -> String {
    let mut text = String::from(".text\n");
    for Kernel { name, code, .. } in kernels {
        let (symbol, multiplies) = (symbol(name), multiply_adds(code) > 0);
        if multiplies {
            vex::print_with_rounding(&mut text, &symbol, code);
        } else {
            vex::print(&mut text, &symbol, code, Encoding::Vex);
        }
    }
    text
}

const TO: Pointer = Pointer::P0;
const A: Pointer = Pointer::P1;
const AREA: Pointer = Pointer::P2;
const B: Pointer = Pointer::P4;
const SHIFTED: Pointer = Pointer::P5;

/// Registers that hold the same in every kernel.
const TWO_TO_104: Register = Register(15);
const SPLITTER: Register = Register(14);

/// Instructions in order, with a method to append each.
#[derive(Debug, Clone, Default)]
struct Code(Vec<Instruction>);

fn row(pointer: Pointer, row: usize) -> Place {
    Place { pointer, word: 8 * row }
}

fn constant(at: usize) -> Operand {
    Operand::Memory(row(constants::POINTER, at))
}

impl From<Register> for Operand {
    fn from(register: Register) -> Operand {
        Operand::Register(register)
    }
}

impl From<Place> for Operand {
    fn from(place: Place) -> Operand {
        Operand::Memory(place)
    }
}

impl Code {
    fn load(&mut self, to: Register, from: Place) {
        self.0.push(I::Load { to, from });
    }

    fn store(&mut self, to: Place, from: Register) {
        self.0.push(I::Store { to, from });
    }

    fn binary(&mut self, operation: Binary, to: Register, a: Register, b: impl Into<Operand>) {
        self.0.push(I::Binary { operation, to, a, b: b.into() });
    }

    fn add(&mut self, to: Register, a: Register, b: impl Into<Operand>) {
        self.binary(Binary::Add, to, a, b);
    }

    fn shift_right(&mut self, to: Register, a: Register, bits: u32) {
        self.0.push(I::ShiftRight { to, a, bits });
    }

    fn advance(&mut self, pointer: Pointer, rows: isize) {
        self.0.push(I::Advance { pointer, rows });
    }

    fn point(&mut self, to: Pointer, from: Pointer, rows: usize) {
        self.0.push(I::Point { to, from, rows });
    }

    fn repeat(&mut self, count: usize, body: Code) {
        match count {
            0 => {}
            1 => body.0.into_iter().for_each(|instruction| match instruction {
                I::RepeatTurnsLeft { body } => self.repeat(1, Code(body)), // the one turn
                other => self.0.push(other),
            }),
            _ => self.0.push(I::Repeat { count, body: body.0 }),
        }
    }

    fn repeat_turns_left(&mut self, body: Code) {
        self.0.push(I::RepeatTurnsLeft { body: body.0 });
    }

    fn append(&mut self, mut code: Code) {
        self.0.append(&mut code.0);
    }

    /// Brings the constants to their registers.
    fn begin(&mut self) {
        self.load(TWO_TO_104, row(constants::POINTER, constants::HIGH));
        self.load(SPLITTER, row(constants::POINTER, constants::SPLITTER));
    }

    /// Brings a limb to double precision.
    fn convert(&mut self, limb: Register) {
        self.convert_by(constant(constants::LOW), limb);
    }

    /// The same, with [`constants::LOW`] from `low`.
    fn convert_by(&mut self, low: impl Into<Operand>, limb: Register) {
        let low = low.into();
        self.binary(Binary::Or, limb, limb, low);
        self.binary(Binary::SubtractDoubles, limb, limb, low);
    }

    fn copy(&mut self, to: Register, from: Register) {
        self.0.push(I::Copy { to, from });
    }

    /// Leaves the pattern of the product's high half in `high`.
    fn high(&mut self, high: Register, factor: Register, other: impl Into<Operand>) {
        self.copy(high, TWO_TO_104);
        self.0.push(I::FusedAdd { sum: high, a: factor, b: other.into() });
    }

    /// After [`Code::high`], leaves the pattern of the low half in `low`.
    fn low(&mut self, low: Register, high: Register, factor: Register, other: impl Into<Operand>) {
        self.binary(Binary::SubtractDoubles, low, SPLITTER, high);
        self.0.push(I::FusedAdd { sum: low, a: factor, b: other.into() });
    }

    /// Copies `rows` rows, a multiple of [`BLOCK`], as doubles: from `from` to `offset` rows behind `to`, where a block begins
    /// `apart` rows after the one before it. Both pointers are where they were in the end.
    fn convert_rows(&mut self, to: Pointer, offset: usize, apart: usize, from: Pointer, rows: usize) {
        let (mut body, low) = (Code::default(), Register(BLOCK as u8));
        self.load(low, row(constants::POINTER, constants::LOW));
        for i in 0..BLOCK {
            let register = Register(i as u8);
            body.load(register, row(from, i));
            body.convert_by(low, register);
            body.store(row(to, offset + i), register);
        }
        body.advance(to, apart as isize);
        body.advance(from, BLOCK as isize);
        self.repeat(rows / BLOCK, body);
        self.advance(to, -((rows / BLOCK * apart) as isize));
        self.advance(from, -(rows as isize));
    }

    /// Copies `rows` rows, a multiple of [`BLOCK`], within the area, shifted right.
    fn copy_rows(&mut self, to: usize, from: usize, rows: usize, bits: u32) {
        let mut body = Code::default();
        for i in 0..BLOCK {
            let register = Register(i as u8);
            body.load(register, row(AREA, from + i));
            if bits > 0 {
                body.shift_right(register, register, bits);
            }
            body.store(row(AREA, to + i), register);
        }
        body.advance(AREA, BLOCK as isize);
        self.repeat(rows / BLOCK, body);
        self.advance(AREA, -(rows as isize));
    }
}
