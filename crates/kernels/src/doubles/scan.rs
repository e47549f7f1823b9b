// SPDX-License-Identifier: Apache-2.0
//! Selecting a table entry without an address or a branch that tells which, as [`scan`](crate::scan) does, of a table that
//! holds nothing but the four lanes in use: half as large, it stays in the nearest cache.

use super::{B, BLOCK, Code, SHIFTED, row};
use crate::constants;
use crate::program::Pointer;
use crate::scan::ENTRIES;
use crate::vex::{Instruction, LANES, Place, Register};

const TABLE: Pointer = B;
const SELECTION: Pointer = SHIFTED;
const BITS: usize = ENTRIES.ilog2() as usize;

/// Rows of the table for each limb.
pub const ROWS_PER_LIMB: usize = ENTRIES * LANES / 8;

/// Selects an entry, of numbers in two forms, four lanes: each lane its own entry.
///
/// Pointers P3 constants with the wanted entries, P4 the table, P5 the selection.
/// Shapes   table: for each of 2N limbs 16 entries of four words; selection: 2N rows.
/// Bounds   wanted < 16.
/// Cost     no products; all of the table is read whatever is wanted.
pub(super) fn scan(limbs: usize) -> Code {
    let mut code = Code::default();
    for bit in 0..BITS {
        code.load(mask(bit), row(constants::POINTER, constants::WANTED));
        code.0.push(Instruction::ShiftLeft { to: mask(bit), a: mask(bit), bits: 63 - bit as u32 });
    }
    let mut body = Code::default();
    for limb in 0..BLOCK {
        choose(0, BITS, limb * ENTRIES, &mut body);
        body.store(row(SELECTION, limb), Register(0));
    }
    body.advance(TABLE, (BLOCK * ROWS_PER_LIMB) as isize);
    body.advance(SELECTION, BLOCK as isize);
    code.repeat(2 * limbs / BLOCK, body);
    code
}

/// Negative in the lanes whose wanted entry has the bit set.
fn mask(bit: usize) -> Register {
    Register((12 + bit) as u8)
}

/// Leaves in the register `to` what the low `bits` bits choose of the entries from `first` on.
fn choose(to: usize, bits: usize, first: usize, code: &mut Code) {
    let entry = |entry: usize| Place { pointer: TABLE, word: LANES * entry };
    let (half, mask, register) = (first + (1 << (bits - 1)), mask(bits - 1), Register(to as u8));
    let other = if bits == 1 {
        code.load(register, entry(first));
        entry(half).into()
    } else {
        choose(to, bits - 1, first, code);
        choose(to + 1, bits - 1, half, code);
        Register(to as u8 + 1).into()
    };
    code.0.push(Instruction::Blend { to: register, a: register, b: other, mask });
}
