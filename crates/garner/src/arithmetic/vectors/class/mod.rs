// SPDX-License-Identifier: Apache-2.0
//! Limb classes: how long numbers are padded, and which kernels serve each length.

mod list;
mod shape;

use super::catalogue::Kernel;
use garner_kernels::doubles::{self, Numbers};
use garner_kernels::folded::Fold;
use garner_kernels::{LIMB_BITS, folded, scan};
pub use list::{CLASSES, DOUBLE_PAIRS, DOUBLE_QUADS, DOUBLES, PAIRS, QUADS};
pub use shape::{
    Blocks, Composition, Direct, DirectKernels, Doubles, Folded, FoldedSquare, Loose, OneRowBlocks, Products, Shape,
    TwoBlocks, TwoBlocksReductions, TwoRowsBlocks,
};

/// Bits by which 2^(52·N) must exceed the modulus: a product of numbers below 8n is then below n · R, and
/// reduces to less than 2n, or 3n ([`Class::excess`]), and 2^(−52)·n more where there is a reducer of limbs.
pub const HEADROOM_BITS: usize = 6;

/// Numbers of one padded length.
#[derive(Debug)]
pub struct Class {
    /// Limbs, N.
    pub limbs: usize,
    /// The kernels.
    pub shape: Shape,
    /// `a + b`.
    pub add: &'static Kernel,
    /// `a` or `a − n`.
    pub subtract_modulus: &'static Kernel,
    /// The same of loose numbers, where kernels by two rows may run.
    pub loose: Option<Loose>,
    /// Words to limbs.
    pub to_limbs: &'static Kernel,
    /// Limbs to words.
    pub to_words: &'static Kernel,
    /// A number to an entry of a table.
    pub entry: &'static Kernel,
}

impl Class {
    /// The class of moduli of `bits` bits.
    ///
    /// # Panics
    /// Above [`Modulus::MAX_BITS`](crate::arithmetic::Modulus::MAX_BITS).
    pub fn for_bits(bits: usize) -> &'static Class {
        Class::among(&CLASSES, bits)
    }

    /// The same among `classes`.
    pub fn among(classes: &'static [Class; 8], bits: usize) -> &'static Class {
        let class = classes.iter().find(|class| class.limbs * LIMB_BITS >= bits + HEADROOM_BITS);
        class.expect("moduli are no longer than the longest class")
    }

    /// The class of the same length folded in the first of these ways that there is.
    pub fn folded(&'static self, ways: &[Fold]) -> &'static Class {
        let doubles = matches!(self.shape, Shape::Doubles(_));
        let classes = |fold: &Fold| match (fold, doubles) {
            (Fold::Pair, false) => &PAIRS,
            (Fold::Quad, false) => &QUADS,
            (Fold::Pair, true) => &DOUBLE_PAIRS,
            (Fold::Quad, true) => &DOUBLE_QUADS,
        };
        ways.iter().flat_map(classes).find(|class| class.limbs == self.limbs).unwrap_or(self)
    }

    /// Whether its operations are composed of blocks.
    pub fn is_composed(&self) -> bool {
        matches!(self.shape, Shape::Blocks { .. })
    }

    /// Whether reductions are by 2^(−52) mod n, too: see [`garner_kernels::reducer`].
    pub fn has_limb_reducer(&self) -> bool {
        matches!(self.shape, Shape::Direct(_) | Shape::Folded(_))
    }

    /// How a number is folded over lanes.
    pub fn fold(&self) -> Option<Fold> {
        match self.shape {
            Shape::Folded(folded) => Some(folded.fold),
            Shape::Doubles(doubles) => doubles.fold,
            Shape::Direct(_) | Shape::Blocks { .. } => None,
        }
    }

    /// How numbers stand, for the kernels in double precision.
    pub fn numbers(&self) -> Numbers {
        Numbers { rows: self.rows(), fold: self.fold() }
    }

    /// Jobs in a pass of so many lanes.
    pub fn jobs(&self, lanes: usize) -> usize {
        lanes / self.lanes()
    }

    /// Lanes that a number takes.
    pub fn lanes(&self) -> usize {
        self.fold().map_or(1, Fold::lanes)
    }

    /// By how many times the modulus a product may exceed `a · b / R`; those of half multiplications and reductions of
    /// composed numbers do by no more than once. Where there is a [reducer of limbs](Class::has_limb_reducer) it is 2^(−52) of
    /// the modulus more, for which there is room below 8n.
    pub fn excess(&self) -> usize {
        if let Shape::Doubles(_) | Shape::Blocks { .. } = self.shape { 2 } else { 1 }
    }

    /// Rows that a number takes.
    pub fn rows(&self) -> usize {
        self.limbs / self.lanes()
    }

    /// Rows of the table that one pass of a scan selects, of numbers that are not composed.
    pub fn rows_per_pass(&self) -> usize {
        match self.shape {
            Shape::Folded(_) => folded::square::scanned_rows(self.rows()),
            // Theirs run within a window; all of it is one pass.
            Shape::Direct(_) | Shape::Doubles(_) => 2 * self.rows(),
            Shape::Blocks { .. } => unreachable!("each composition has passes of its own"),
        }
    }

    /// Passes of the scan, of so many rows each, that run in the squaring `quarter` of a window's four: together they select both
    /// forms of an entry. The last begins before the one before it ends, where there are fewer rows.
    pub fn passes(&self, quarter: usize, rows_per_pass: usize) -> std::ops::Range<usize> {
        let all = (2 * self.rows()).div_ceil(rows_per_pass);
        let each = all.div_ceil(4);
        (each * quarter).min(all)..(each * (quarter + 1)).min(all)
    }

    /// Rows of a table: both forms of every entry.
    pub fn table_rows(&self) -> usize {
        match self.shape {
            Shape::Doubles(_) => doubles::scan::ROWS_PER_LIMB * 2 * self.rows(),
            _ => scan::ENTRIES * 2 * self.rows(),
        }
    }
}
