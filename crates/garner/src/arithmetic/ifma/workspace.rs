//! The memory in which a pass works: one page-aligned block, for operands scattered over the cache cost 9 %.

use super::class::{Class, Shape};
use crate::secret::SecretWords;
use garner_kernels::{Lanes, constants, transpose};
use std::cell::Cell;

/// Where everything stands, in rows. What a squaring touches stands together.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Layout {
    pub constants: usize,
    pub modulus: usize,
    pub accumulator: usize,
    /// Column sums of composed products; numbers on their way in and out, too.
    pub columns: usize,
    pub digits: usize,
    /// Three numbers for any use.
    pub scratch: [usize; 3],
    /// `R^2 mod n`, and `R^2 · 2^(−26·N) mod n`.
    pub to_montgomery: [usize; 2],
    /// Rows without a table; what follows goes with one.
    pub without_table: usize,
    /// A fourth number for any use.
    pub power: usize,
    pub one: usize,
    pub selection: usize,
    pub table: usize,
    /// Rows with a table.
    pub with_table: usize,
}

impl Layout {
    /// The layout for numbers of `class`.
    pub fn of(class: &Class) -> Layout {
        let limbs = class.limbs;
        let mut next = 0;
        let mut take = |rows: usize| {
            let place = next;
            next += rows;
            place
        };
        // A block reads, and ignores, one row after its columns.
        let (columns, digits) = match class.shape {
            Shape::Direct(_) => (0, 0),
            Shape::Blocks { .. } => (2 * limbs + 1, limbs),
        };
        let staging = 2 * 8 * transpose::staged_rows(limbs);
        Layout {
            constants: take(constants::ROWS),
            modulus: take(limbs),
            accumulator: take(limbs),
            columns: take(columns.max(staging)),
            digits: take(digits),
            scratch: [take(limbs), take(limbs), take(limbs)],
            to_montgomery: [take(limbs), take(limbs)],
            without_table: take(0),
            power: take(limbs),
            one: take(limbs),
            selection: take(2 * limbs),
            table: take(class.table_rows()),
            with_table: take(0),
        }
    }
}

thread_local! {
    static KEPT: Cell<Option<SecretWords>> = const { Cell::new(None) };
}

/// Rows of zeros, which are zeros again when it is dropped. Each thread keeps one block and uses it again.
pub struct Workspace {
    words: Option<SecretWords>,
    rows: usize,
}

impl Workspace {
    /// `rows` rows, all zero.
    pub fn new(rows: usize) -> Workspace {
        // While the thread ends there is nothing kept any more, and nothing will be.
        let kept = KEPT.try_with(Cell::take).ok().flatten().filter(|words| words.len() >= 8 * rows);
        let words = kept.unwrap_or_else(|| SecretWords::zeroed(8 * rows));
        Workspace { words: Some(words), rows }
    }

    /// The rows.
    pub fn rows(&mut self) -> &mut [Lanes] {
        let words = self.words.as_mut().expect("there until dropped");
        &mut words.as_chunks_mut().0[..self.rows]
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        // The memory lives on in the thread, so these stores cannot be left out as dead.
        self.rows().as_flattened_mut().fill(0);
        let words = self.words.take();
        let _ = KEPT.try_with(|kept| kept.set(words));
    }
}
