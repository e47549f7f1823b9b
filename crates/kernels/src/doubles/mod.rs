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
//! every l; a column starts from minus as much as it will get ([`biases`]). A product costs five operations: two
//! multiply-adds, a subtraction and two additions. With multiplications of 32 bits it would cost eight: four, of 26 bits by
//! 26, and four additions.
//!
//! Source: N. Emmart, "Faster Modular Exponentiation Using Double Precision Floating Point Arithmetic on the GPU", ARITH
//! 2018. No operand is ever subnormal, infinite or not a number: those are the ones that take processors longer.
//!
//! Numbers stand in memory as they do for the other kernels, and what does not multiply is printed by [`vex`](crate::vex);
//! [`all`] are the kernels that do, and the selection of a table entry.

mod digits;
mod product;
mod reduce;
pub mod scan;
mod square;
mod sweep;

use crate::program::Pointer;
use crate::vex::{Binary, Instruction, Operand, Place, Register};
use crate::{LIMB_COUNTS, constants};
use Instruction as I;

/// A kernel of this family.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The name: `square_20`. The symbol is `garner_` followed by it and `_doubles`.
    pub name: String,
    /// What it does.
    pub code: Vec<Instruction>,
}

/// Every kernel, in a fixed order.
///
/// Those that multiply: pointers P0 the result, P1 the first operand, P2 the work area, P3 constants, P4 the second operand,
/// P5 (half multiplications) the operand shifted. N = `limbs` of one number per lane, limb-major, radix 2^52. In the work
/// area, modulus and biases are as [`Area`] says, and the rest is overwritten.
pub fn all() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for n in LIMB_COUNTS {
        let mut add = |name: &str, code: Code| kernels.push(Kernel { name: format!("{name}_{n}"), code: code.0 });
        add("square", square::square(n));
        add("multiply", product::multiply(n));
        add("half_multiply", product::half_multiply(n));
        add("half_reduce", product::half_reduce(n));
        add("scan", scan::scan(n));
    }
    kernels
}

/// Limbs of a factor, or quotient digits, that are taken together: a divisor of every N / 2.
const BLOCK: usize = 5;

/// Where things stand in the work area, in rows, for numbers of N = `limbs` limbs.
#[derive(Debug, Clone, Copy)]
pub struct Area {
    /// Column sums, 2N.
    pub columns: usize,
    /// An operand in double precision, N.
    pub operand: usize,
    /// The modulus in double precision, N.
    pub modulus: usize,
    /// What the columns start from: of a product and its reduction 2N, of a half multiplication and of a half reduction
    /// 3N / 2 each.
    pub biases: [usize; 3],
    /// Rows in all.
    pub rows: usize,
}

impl Area {
    /// The area for numbers of so many limbs.
    pub const fn of(limbs: usize) -> Area {
        let half = limbs + limbs / 2;
        let biases = [4 * limbs, 6 * limbs, 6 * limbs + half];
        Area { columns: 0, operand: 2 * limbs, modulus: 3 * limbs, biases, rows: 6 * limbs + 2 * half }
    }
}

/// What each of the columns starts from, for products of `rows` limbs by N = `limbs`, `products` of them, and a reduction
/// by as many quotient digits.
pub fn biases(limbs: usize, rows: usize, products: usize) -> impl Iterator<Item = u64> {
    // Products of limbs that end in a column: of as many pairs.
    let pairs = move |column: usize| (column + 1).min(rows).saturating_sub((column + 1).saturating_sub(limbs));
    (0..limbs + rows).map(move |column| {
        // The low half of a digit's product with the lowest limb is never formed.
        let lows = (products + 1) * pairs(column) - usize::from(column < rows);
        let highs = if column > 0 { (products + 1) * pairs(column - 1) } else { 0 };
        let above = (lows as u64).wrapping_mul(constants::TWO_TO_52);
        above.wrapping_add((highs as u64).wrapping_mul(constants::TWO_TO_104)).wrapping_neg()
    })
}

/// How many fused multiply-adds the code executes.
pub fn multiply_adds(code: &[Instruction]) -> usize {
    code.iter()
        .map(|instruction| match instruction {
            I::Repeat { count, body } => count * multiply_adds(body),
            I::FusedAdd { .. } | I::FusedMultiply { .. } => 1,
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
    for Kernel { name, code } in kernels {
        crate::vex::print_with_rounding(&mut text, &symbol(name), code);
    }
    text
}

/// Code with pieces of other code spread evenly over it, in order.
fn weave(code: Code, pieces: Vec<Code>) -> Code {
    let pieces: Vec<Instruction> = pieces.into_iter().flat_map(|piece| piece.0).collect();
    let (length, count) = (code.0.len(), pieces.len());
    let (mut woven, mut rest) = (Code::default(), code.0.into_iter());
    for (i, instruction) in pieces.into_iter().enumerate() {
        let before = (i + 1) * length / count - i * length / count;
        woven.0.extend(rest.by_ref().take(before));
        woven.0.push(instruction);
    }
    woven
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
    fn zero(&mut self, to: Register) {
        self.0.push(I::Zero { to });
    }

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
            1 => self.append(body),
            _ => self.0.push(I::Repeat { count, body: body.0 }),
        }
    }

    fn append(&mut self, mut code: Code) {
        self.0.append(&mut code.0);
    }

    /// Brings the constants to their registers.
    fn begin(&mut self) {
        self.load(TWO_TO_104, row(constants::POINTER, constants::HIGH));
        self.load(SPLITTER, row(constants::POINTER, constants::SPLITTER));
    }

    /// `to = limb` in double precision.
    fn convert(&mut self, to: Register, limb: Place) {
        self.load(to, limb);
        self.binary(Binary::Or, to, to, constant(constants::LOW));
        self.binary(Binary::SubtractDoubles, to, to, constant(constants::LOW));
    }

    /// Leaves the pattern of the product's high half in `high`. One factor is in a register, the other in memory.
    fn high(&mut self, high: Register, factor: Register, other: Place) {
        self.load(high, other);
        self.0.push(I::FusedMultiply { to: high, a: factor, c: TWO_TO_104 });
    }

    /// After [`Code::high`], leaves the pattern of the low half in `low`.
    fn low(&mut self, low: Register, high: Register, factor: Register, other: Place) {
        self.binary(Binary::SubtractDoubles, low, SPLITTER, high);
        self.0.push(I::FusedAdd { sum: low, a: factor, b: other.into() });
    }

    /// Copies `rows` rows, a multiple of [`BLOCK`], as doubles: from `from` to `offset` rows behind `to`. Both pointers are
    /// where they were in the end.
    fn convert_rows(&mut self, to: Pointer, offset: usize, from: Pointer, rows: usize) {
        let mut body = Code::default();
        for i in 0..BLOCK {
            let register = Register(i as u8);
            body.convert(register, row(from, i));
            body.store(row(to, offset + i), register);
        }
        body.advance(to, BLOCK as isize);
        body.advance(from, BLOCK as isize);
        self.repeat(rows / BLOCK, body);
        self.advance(to, -(rows as isize));
        self.advance(from, -(rows as isize));
    }

    /// Copies `rows` rows, a multiple of [`BLOCK`], within the area.
    fn copy_rows(&mut self, to: usize, from: usize, rows: usize) {
        let mut body = Code::default();
        for i in 0..BLOCK {
            body.load(Register(i as u8), row(AREA, from + i));
            body.store(row(AREA, to + i), Register(i as u8));
        }
        body.advance(AREA, BLOCK as isize);
        self.repeat(rows / BLOCK, body);
        self.advance(AREA, -(rows as isize));
    }
}
