// SPDX-License-Identifier: Apache-2.0
//! The memory in which a pass works: one page-aligned block, for operands scattered over the cache cost 9 %.

use super::class::{Class, Shape};
use crate::kept::Block;
use garner_kernels::doubles::{Area, SQUARES};
use garner_kernels::{Lanes, constants, one_row::karatsuba, transpose};

/// Bits of a secret exponent handled at once: 2^4 entries in the table.
pub const WINDOW_BITS: usize = SQUARES;
/// Windows in a word of an exponent.
pub const WINDOWS_PER_WORD: usize = 64 / WINDOW_BITS;

/// Where everything stands, in rows. What a squaring touches stands together.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Layout {
    pub constants: usize,
    pub modulus: usize,
    /// 2^(−52) mod n, right behind it: see [`garner_kernels::reducer`].
    pub limb_reducer: usize,
    pub accumulator: usize,
    /// Column sums of composed products; numbers on their way in and out, too.
    pub columns: usize,
    pub digits: usize,
    /// 2^(−26·N) mod n, of composed numbers.
    pub inverse: usize,
    /// The blocks of the modulus and of that, prepared: see [`garner_kernels::one_row::karatsuba::prepare`].
    pub prepared_modulus: usize,
    pub prepared_inverse: usize,
    /// What kernels in double precision work in.
    pub area: usize,
    /// Three numbers for any use.
    pub scratch: [usize; 3],
    /// `R^2 mod n`, and `R^2 · 2^(−26·N) mod n`.
    pub to_montgomery: [usize; 2],
    /// Rows without a table; what follows goes with one.
    pub without_table: usize,
    /// A fourth number for any use.
    pub power: usize,
    pub one: usize,
    /// The entries that the windows of a word of the exponents want, a row for each.
    pub wanted: usize,
    pub selection: usize,
    pub table: usize,
    /// Rows with a table.
    pub with_table: usize,
}

impl Layout {
    /// The layout for numbers of `class`.
    pub fn of(class: &Class) -> Layout {
        let rows = class.rows();
        let mut next = 0;
        let mut take = |rows: usize| {
            let place = next;
            next += rows;
            place
        };
        // A block reads, and ignores, one row after its columns.
        let limb_reducer = if class.has_limb_reducer() { rows } else { 0 };
        let (columns, digits, inverse, prepared) = match class.shape {
            Shape::Direct(_) | Shape::Doubles(_) => (0, 0, 0, 0),
            Shape::Folded(_) => (3 * rows, 0, 0, 0),
            Shape::Blocks { blocks, count, .. } => {
                (2 * rows + 1, rows, rows, count * karatsuba::prepared_rows(blocks.limbs))
            }
        };
        let area = if let Shape::Doubles(_) = class.shape { Area::of(class.numbers()).rows } else { 0 };
        let staging = 2 * 8 * transpose::staged_rows(rows);
        Layout {
            constants: take(constants::ROWS),
            modulus: take(rows),
            limb_reducer: take(limb_reducer),
            accumulator: take(rows),
            columns: take(columns.max(staging)),
            digits: take(digits),
            inverse: take(inverse),
            prepared_modulus: take(prepared),
            prepared_inverse: take(prepared),
            area: take(area),
            scratch: [take(rows), take(rows), take(rows)],
            to_montgomery: [take(rows), take(rows)],
            without_table: take(0),
            power: take(rows),
            one: take(rows),
            wanted: take(WINDOWS_PER_WORD),
            selection: take(2 * rows),
            table: take(class.table_rows()),
            with_table: take(0),
        }
    }
}

/// Rows of zeros, wiped when dropped.
pub struct Workspace(Block);

impl Workspace {
    /// `rows` rows, all zero.
    pub fn new(rows: usize) -> Workspace {
        Workspace(Block::zeroed(8 * rows))
    }

    /// The rows.
    pub fn rows(&mut self) -> &mut [Lanes] {
        self.0.as_chunks_mut().0
    }
}
