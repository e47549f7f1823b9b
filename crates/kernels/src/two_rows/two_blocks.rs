// SPDX-License-Identifier: Apache-2.0
//! Parts of operations on numbers of two blocks: several kernels of [`block`] one after another, put into a common [`order`], so
//! that the end of one runs among the beginning of the next.
//!
//! No more of them than are run again and again within a window: what a window runs should fit into the instruction cache, 32 KiB
//! of it on many processors. Of 30 limbs it does, of 40 limbs all but 6 KiB; with whole operations as one kernel each it was 51 and
//! 67 KiB.

use super::block;
use crate::one_row::block::{Columns, Finish};
use crate::order::order;
use crate::ports::Processor;
use crate::program::{Code, Pointer, Program, Row};

const R: Pointer = Pointer::P0;
const COLUMNS: Pointer = Pointer::P1;
const N: Pointer = Pointer::P2;

/// Blocks so short that rows of their reductions are one kernel each.
pub const SHORT_BLOCK: usize = 15;

/// The square of a number of two blocks, eight lanes: `columns = r²`.
///
/// Pointers P0 r, P1 columns.
/// Shapes   r: N = 2M limbs, limb-major, radix 2^52, one number per lane; columns: 2N rows; M = `block`.
/// Bounds   r loose; columns stay below 2^60.
/// Cost     N² + N multiply-adds and 2N − 2 additions.
pub fn square(block: usize) -> Program {
    let mut parts = Parts::new(block);
    let (low, high) = ((R, 0), (R, 1));
    parts.add(block::product(block, Columns::Fresh, Finish::Columns), [(COLUMNS, 1), low, high, NONE, NONE]);
    parts.add(block::square(block, 1..2), [(COLUMNS, 0), low, NONE, NONE, NONE]);
    parts.add(block::square(block, 0..1), [(COLUMNS, 2), high, NONE, NONE, NONE]);
    parts.ordered()
}

/// A block row of a Montgomery reduction, not the last, eight lanes: quotient digits q with `columns + q · n ≡ 0 mod 2^(52·M)`,
/// the sum's low columns carried away. The digits take their places.
///
/// Pointers P1 columns, P2 n, P3 constants. To scan: P4 the table, P5 the selection; behind the constants two rows are written.
/// Shapes   n: 2M limbs; columns: 3M rows, of which the upper 2M hold the result; M = `block`.
/// Bounds   n odd, sums below 2^61.
/// Cost     4M² multiply-adds, 2M additions and M shifts.
///
/// A pass of the table's scan runs among the multiply-adds: of so many limbs as `scanned` says.
pub fn reduce(block: usize, scanned: usize) -> Program {
    let mut parts = Parts::new(block);
    parts.reduce(scanned);
    parts.add(block::product(block, Columns::Old, Finish::Columns), [(COLUMNS, 1), (COLUMNS, 0), (N, 1), NONE, NONE]);
    parts.ordered()
}

/// The last block row, and the carries, eight lanes: `r = columns · 2^(−52·M) mod n`.
///
/// Pointers P0 r, P1 columns, P2 n, P3 constants.
/// Shapes   n, r: 2M limbs, limb-major, radix 2^52, one number per lane; columns: 3M rows; M = `block`.
/// Bounds   n odd, sums below 2^61; then r < columns · 2^(−52·M) + n, loose.
/// Cost     4M² multiply-adds, 4M − 1 additions and 3M − 1 shifts.
pub fn reduce_last(block: usize) -> Program {
    let mut parts = Parts::new(block);
    parts.reduce(0);
    parts.add(block::product(block, Columns::Old, Finish::Last), [(COLUMNS, 1), (COLUMNS, 0), (N, 1), (R, 0), NONE]);
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

    /// The first block of the modulus, which the columns' digits come from.
    fn reduce(&mut self, scanned: usize) {
        let columns = (COLUMNS, 0);
        let reduce = block::reduce(self.block, scanned);
        self.add(reduce, [columns, columns, (N, 0), (Pointer::P4, 0), (Pointer::P5, 0)]);
    }
}
