// SPDX-License-Identifier: Apache-2.0
//! Selecting a table entry without an address or a branch that tells which: every entry is read, the wanted one kept.
//!
//! A table holds [`ENTRIES`] entries of any number of limbs: row `16 · l + e` is limb `l` of entry `e`. A limb is chosen
//! by halves: the bits of the wanted entry's number, lane by lane in four masks, decide between neighbours, then between
//! pairs, fours and eights.

use crate::constants;
use crate::program::{Code, Mask, Pointer, Program, Vector};

/// Entries of a table: windows of four bits.
pub const ENTRIES: usize = 1 << BITS;

const BITS: usize = 4;

/// Limbs that a call of [`scan`] selects.
pub const LIMBS_PER_CALL: usize = 10;

/// A scan's registers, and its steps: for use by itself or among other code.
pub(crate) struct Scan {
    /// The candidates left, one for each bit.
    pub candidates: [Vector; BITS],
}

impl Scan {
    pub const TABLE: Pointer = Pointer::P4;
    pub const SELECTION: Pointer = Pointer::P5;
    const MASKS: [Mask; BITS] = [Mask(1), Mask(2), Mask(3), Mask(4)];

    /// Takes the wanted entries' bits into the masks.
    pub fn prepare(&self, code: &mut Code) {
        code.copy(self.candidates[0], constants::wanted());
        for (bit, mask) in Self::MASKS.into_iter().enumerate() {
            code.test(mask, self.candidates[0], constants::number(1 << bit));
        }
    }

    /// Selects the limb `limb` rows of the table and of the selection on.
    pub fn limb(&self, limb: usize, code: &mut Code) {
        self.choose(0, BITS, limb * ENTRIES, code);
        code.store(Self::SELECTION.row(limb), self.candidates[0]);
    }

    /// Leaves in the candidate `to` what the low `bits` bits choose of the rows from `first` on.
    fn choose(&self, to: usize, bits: usize, first: usize, code: &mut Code) {
        let (half, mask) = (first + (1 << (bits - 1)), Self::MASKS[bits - 1]);
        if bits == 1 {
            code.copy(self.candidates[to], Self::TABLE.row(first));
            code.merge(self.candidates[to], mask, Self::TABLE.row(half));
        } else {
            self.choose(to, bits - 1, first, code);
            self.choose(to + 1, bits - 1, half, code);
            code.merge(self.candidates[to], mask, self.candidates[to + 1]);
        }
    }
}

/// The code with a scan of `limbs` limbs spread evenly over all of it.
pub(crate) fn beside(code: Code, limbs: usize, candidates: [Vector; BITS]) -> Code {
    let scan = Scan { candidates };
    let (mut both, mut stream) = (Code::new(), Code::new());
    scan.prepare(&mut both);
    (0..limbs).for_each(|limb| scan.limb(limb, &mut stream));
    both.append(Code::weave(code, stream));
    both
}

/// Selects so many limbs of a table entry: to run beside other code.
///
/// Pointers P3 constants with the wanted entries, P4 the table from a limb on, P5 the selection.
/// Bounds   wanted < 16.
/// Cost     16 rows read for each limb whatever is wanted.
pub(crate) fn limbs(limbs: usize) -> Program {
    Program::new(beside(Code::new(), limbs, [0, 1, 2, 3].map(Vector)))
}

/// Brings the numbers of wanted entries, one for each lane, to the constants: in one piece, as the next kernel loads them, which need
/// not wait then until they have arrived in memory.
///
/// Pointers P0 the numbers, P3 constants.
/// Cost     a load and a store.
pub fn want() -> Program {
    let mut code = Code::new();
    code.copy(Vector(0), Pointer::P0.row(0));
    code.store(constants::wanted(), Vector(0));
    Program::new(code)
}

/// Writes a number to an entry of a table.
///
/// Pointers P0 the number, P4 the table from the entry's first row on.
/// Shapes   the number: so many limbs; table: 16 rows for each.
/// Cost     a load and a store for each limb.
pub fn entry(limbs: usize) -> Program {
    let mut code = Code::new();
    for limb in 0..limbs {
        code.copy(Vector((limb % 8) as u8), Pointer::P0.row(limb));
        code.store(Scan::TABLE.row(limb * ENTRIES), Vector((limb % 8) as u8));
    }
    Program::new(code)
}

/// The windows of a word of each exponent, a row for each, in the order in which they are wanted: the highest first.
///
/// Pointers P0 the words, and 16 rows for the windows from there on, P3 constants.
/// Cost     two operations and a store for each window.
pub fn windows_of_word() -> Program {
    let [words, ones, window] = [0, 1, 2].map(Vector);
    let constant = |row| constants::POINTER.row(row);
    let mut code = Code::new();
    code.copy(words, Pointer::P0.row(0));
    code.copy(ones, constant(constants::EIGHT));
    code.shift_left(ones, ones, 1);
    code.subtract(ones, ones, constant(constants::ONE));
    for (row, last) in (0..64).step_by(BITS).rev().enumerate() {
        code.shift_right(window, words, last);
        code.and(window, window, ones);
        code.store(Pointer::P0.row(row), window);
    }
    Program::new(code)
}

/// Selects 10 limbs of a table entry, eight lanes: each lane its own entry.
///
/// Pointers P3 constants with the wanted entries, P4 the table from a limb on, P5 the selection.
/// Shapes   the table's next 10 limbs, 16 rows each; selection: 10 rows.
/// Bounds   wanted < 16.
/// Cost     no multiply-adds; 10 · 16 rows read whatever is wanted.
pub fn scan() -> Program {
    let scans: [Scan; 2] = [0, 4].map(|first| Scan { candidates: std::array::from_fn(|i| Vector(first + i as u8)) });
    let mut code = Code::new();
    scans[0].prepare(&mut code);
    let mut streams = scans.iter().enumerate().map(|(i, scan)| {
        let mut stream = Code::new();
        scan.limb(i, &mut stream);
        stream
    });
    let mut body = Code::weave(streams.next().unwrap_or_default(), streams.next().unwrap_or_default());
    body.advance(Scan::TABLE, 2 * ENTRIES as isize);
    body.advance(Scan::SELECTION, 2);
    code.repeat(LIMBS_PER_CALL / 2, body);
    Program::new(code)
}
