// SPDX-License-Identifier: Apache-2.0
//! Montgomery squaring and multiplication of numbers of two blocks, each in one kernel: the kernels of [`block`] one after another,
//! put into a common [`order`].

use super::block;
use crate::block::{Columns, Finish};
use crate::order::order;
use crate::ports::Processor;
use crate::program::{Code, Pointer, Program, Row};

const R: Pointer = Pointer::P0;
const COLUMNS: Pointer = Pointer::P1;
const N: Pointer = Pointer::P2;

/// The longest numbers whose operations are one kernel each. Longer kernels would leave no room in a processor's instruction cache
/// for what a window needs beside them.
pub const WHOLE_LIMBS: usize = 30;

/// Montgomery squaring in place, eight lanes: `r = r² · 2^(−52·N) mod n`.
///
/// Pointers P0 r, P1 columns, P2 n, P3 constants. With `scanned`: P4 the table, P5 the selection; behind the constants two rows
///          are written.
/// Shapes   n, r: N = 2M limbs, limb-major, radix 2^52, one number per lane; columns: 2N rows for use on the way; M = `block`,
///          15 or 20.
/// Bounds   r² < 2^(52·N) · n, n odd, r loose; then r < 2n, loose. Columns stay below 2^61.
/// Cost     3N² + N multiply-adds, 5N − 3 additions and 2N − 1 shifts.
///
/// With `scanned`, one pass of the table's scan runs among the multiply-adds: M limbs.
pub fn square(block: usize, scanned: bool) -> Program {
    let mut parts = Parts::new(block);
    parts.square_begin(scanned);
    parts.end(1);
    parts.ordered()
}

/// The same but for the last block row of the reduction: [`end`] does that, on the columns M rows further.
pub fn square_begin(block: usize, scanned: bool) -> Program {
    let mut parts = Parts::new(block);
    parts.square_begin(scanned);
    parts.ordered()
}

/// The last block row of a Montgomery reduction, and the carries, eight lanes: `r = columns · 2^(−52·M) mod n`.
///
/// Pointers P0 r, P1 columns, P2 n, P3 constants.
/// Shapes   n, r: 2M limbs, limb-major, radix 2^52, one number per lane; columns: 3M rows; M = `block`.
/// Bounds   n odd, sums below 2^61; then r < columns · 2^(−52·M) + n, loose.
/// Cost     4M² multiply-adds, 4M − 1 additions and 3M − 1 shifts.
pub fn end(block: usize) -> Program {
    let mut parts = Parts::new(block);
    parts.end(0);
    parts.ordered()
}

/// Montgomery multiplication by half in place, eight lanes: `r = a · r · 2^(−52·N) mod n`, given `a' ≡ a · 2^(−26·N) mod n`
/// beside a.
///
/// Pointers P0 r, P1 columns, P2 n, P3 constants, P4 a, P5 a'.
/// Shapes   a, a', n, r: N = 2M limbs, limb-major, radix 2^52, one number per lane; columns: 3M rows for use on the way;
///          M = `block`, 15 or 20.
/// Bounds   n odd, a, a' and r loose; then r < a' + a · r / 2^(52·N) + n, loose. Columns stay below 2^61.
/// Cost     3N² multiply-adds, 2N − 1 additions and 3N/2 − 1 shifts.
pub fn half_multiply(block: usize) -> Program {
    let mut parts = Parts::new(block);
    let [a, shifted] = [Pointer::P4, Pointer::P5];
    for j in 0..2 {
        let begin = if j == 0 { Columns::Fresh } else { Columns::FreshTop };
        parts.add(block::product(block, begin, Finish::Columns), [(COLUMNS, j), (R, 0), (shifted, j), NONE, NONE]);
        parts.add(block::product(block, Columns::Old, Finish::Columns), [(COLUMNS, j), (R, 1), (a, j), NONE, NONE]);
    }
    parts.end(0);
    parts.ordered()
}

/// Where a block kernel's pointer shows to in the kernel of which it becomes a part, and how many blocks after.
type Place = (Pointer, usize);

/// The place of a pointer that a part has no use for.
const NONE: Place = (R, 0);

/// Block kernels one after another.
struct Parts {
    block: usize,
    code: Code,
}

impl Parts {
    fn new(block: usize) -> Parts {
        Parts { block, code: Code::new() }
    }

    /// All of them, in the order that takes least time.
    fn ordered(self) -> Program {
        order(&Program::new(self.code), &Processor::GOLDEN_COVE, None)
    }

    /// Adds a kernel; its pointers but that to the constants show to `places`.
    fn add(&mut self, program: Program, [columns, x, y, table, selection]: [Place; Pointer::COUNT - 1]) {
        let places = [columns, x, y, (crate::constants::POINTER, 0), table, selection];
        let block = self.block;
        let placed = program.placed(&|Row { pointer, row }| {
            let (to, blocks) = places[pointer.index()];
            to.row(blocks * block + row)
        });
        self.code.append(placed);
    }

    /// The square of r, and the first block row of its reduction.
    fn square_begin(&mut self, scanned: bool) {
        let (block, low, high) = (self.block, (R, 0), (R, 1));
        self.add(block::product(block, Columns::Fresh, Finish::Columns), [(COLUMNS, 1), low, high, NONE, NONE]);
        self.add(block::square(block, 1..2), [(COLUMNS, 0), low, NONE, NONE, NONE]);
        self.add(block::square(block, 0..1), [(COLUMNS, 2), high, NONE, NONE, NONE]);
        self.reduce(0, scanned);
        self.add(
            block::product(block, Columns::Old, Finish::Columns),
            [(COLUMNS, 1), (COLUMNS, 0), (N, 1), NONE, NONE],
        );
    }

    /// The reduction's block row `i` on the modulus's first block. Digits take the places of the columns that they make zero.
    fn reduce(&mut self, i: usize, scanned: bool) {
        let columns = (COLUMNS, i);
        let reduce = block::reduce(self.block, scanned);
        self.add(reduce, [columns, columns, (N, 0), (Pointer::P4, 0), (Pointer::P5, 0)]);
    }

    /// The block row `i`, the last, and the carries.
    fn end(&mut self, i: usize) {
        self.reduce(i, false);
        let last = block::product(self.block, Columns::Old, Finish::Last);
        self.add(last, [(COLUMNS, i + 1), (COLUMNS, i), (N, 1), (R, 0), NONE]);
    }
}
