//! Quotient digits of a Montgomery reduction, five at a time.

use super::{AREA, BLOCK, Code, SPLITTER, constant, row};
use crate::program::Pointer;
use crate::vex::{Binary, Instruction, Place, Register};
use crate::{LIMB_BITS, constants};

const SUM: Register = Register(9);
const DIGIT: Register = Register(10);
const HIGH: Register = Register(11);
const LOW: Register = Register(12);

/// Where the digits stand, in double precision, for the sweep that adds their products.
pub(super) fn place(i: usize) -> Place {
    row(constants::POINTER, constants::SPILL + i)
}

/// The digits of the five columns from `first` on, each after the one before, and the carry out of the last, which it
/// adds to the sixth.
///
/// Returns five pieces, and the carry's addition. Piece i reads column i; none writes one but the last, the sixth. Of the
/// products, those are formed that end within the five columns: for the others a sweep follows.
pub(super) fn pieces(first: usize, n: Pointer) -> Vec<Code> {
    let mut pieces = Vec::new();
    for i in 0..BLOCK {
        let mut code = Code::default();
        let column = row(AREA, first + i);
        if i == 0 {
            code.load(SUM, column);
        } else {
            code.add(SUM, SUM, column);
            // What the last digit adds is awaited longest: the earlier ones' first.
            for j in 0..i - 1 {
                code.load(LOW, place(j));
                add_high(LOW, row(n, i - 1 - j), &mut code);
                code.high(HIGH, LOW, row(n, i - j));
                code.binary(Binary::SubtractDoubles, LOW, SPLITTER, HIGH);
                code.load(HIGH, place(j));
                code.0.push(Instruction::FusedAdd { sum: LOW, a: HIGH, b: row(n, i - j).into() });
                code.add(SUM, SUM, LOW);
            }
            add_high(DIGIT, row(n, 0), &mut code);
            code.high(HIGH, DIGIT, row(n, 1));
            code.low(LOW, HIGH, DIGIT, row(n, 1));
            code.add(SUM, SUM, LOW);
        }
        digit(&mut code);
        code.store(place(i), DIGIT);
        // The digit makes the column's low bits zero: what they carry is one, unless they were zero before.
        code.add(SUM, SUM, constant(constants::LIMB_MASK));
        code.shift_right(SUM, SUM, LIMB_BITS as u32);
        pieces.push(code);
    }
    let (mut carry, next) = (Code::default(), row(AREA, first + BLOCK));
    carry.add(SUM, SUM, next);
    carry.store(next, SUM);
    pieces.push(carry);
    pieces
}

fn add_high(factor: Register, limb: Place, code: &mut Code) {
    code.high(HIGH, factor, limb);
    code.add(SUM, SUM, HIGH);
}

/// `DIGIT = SUM (-n^-1) mod 2^52`, in double precision. The product is put together from those of words of 32 bits.
fn digit(code: &mut Code) {
    code.shift_right(HIGH, SUM, 32);
    code.binary(Binary::Product, HIGH, HIGH, constant(constants::NEGATIVE_INVERSE));
    code.binary(Binary::Product, LOW, SUM, constant(constants::NEGATIVE_INVERSE_HIGH));
    code.add(HIGH, HIGH, LOW);
    code.0.push(Instruction::ShiftLeft { to: HIGH, a: HIGH, bits: 32 });
    code.binary(Binary::Product, LOW, SUM, constant(constants::NEGATIVE_INVERSE));
    code.add(HIGH, HIGH, LOW);
    code.binary(Binary::And, HIGH, HIGH, constant(constants::LIMB_MASK));
    code.binary(Binary::Or, DIGIT, HIGH, constant(constants::LOW));
    code.binary(Binary::SubtractDoubles, DIGIT, DIGIT, constant(constants::LOW));
}
