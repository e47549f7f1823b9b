// SPDX-License-Identifier: Apache-2.0
//! What classes are made of: the kernels of each way to compute with numbers of a length.

use crate::arithmetic::vectors::catalogue::Kernel;
use garner_kernels::folded::Fold;
use garner_kernels::{one_row::karatsuba, two_rows};

/// What adds and compares numbers whose limbs count modulo 2^52: see [`garner_kernels::two_rows`].
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct Loose {
    pub add: &'static Kernel,
    pub subtract_modulus: &'static Kernel,
}

/// How an operation is made of kernels.
#[derive(Debug)]
pub enum Shape {
    /// One kernel does it.
    Direct(&'static Direct),
    /// It is composed of blocks.
    Blocks {
        /// The kernels of a block.
        blocks: &'static Blocks,
        /// How many blocks, an even number.
        count: usize,
        /// The kernel that spreads the sum of their squares, of more than two.
        spread: Option<&'static Kernel>,
    },
    /// One kernel does it, and every number takes several lanes.
    Folded(&'static Folded),
    /// One kernel does it, by products of double precision. A number takes one lane or several.
    Doubles(&'static Doubles),
}

/// The kernels of a length that needs no composition: up to four ways to do the same.
#[derive(Debug)]
pub struct Direct {
    /// Limbs, N.
    pub limbs: usize,
    /// Those that work on a row at a time.
    pub one_row: DirectKernels,
    /// Those that work on two: see [`garner_kernels::two_rows`]. Their limbs count modulo 2^52.
    pub two_rows: DirectKernels,
    /// The same, with windows whose scan is by merges: see [`garner_kernels::two_rows::scan`].
    pub two_rows_merging: DirectKernels,
    /// The same by stores, of numbers that are long enough.
    pub two_rows_storing: Option<DirectKernels>,
}

impl Direct {
    /// The ways that work on two rows at a time, each with less work for the vector ports than the one before.
    pub fn by_two_rows(&'static self) -> impl Iterator<Item = &'static DirectKernels> + Clone {
        [&self.two_rows_merging, &self.two_rows].into_iter().chain(&self.two_rows_storing)
    }

    /// Whether limbs count modulo 2^52 only, by these of its kernels.
    pub fn is_loose(&self, kernels: &DirectKernels) -> bool {
        !std::ptr::eq(kernels, &raw const self.one_row)
    }
}

/// The kernels of one of those ways.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct DirectKernels {
    pub square: &'static Kernel,
    pub window: &'static Kernel,
    /// All windows of a word of the exponents, where there is such a kernel.
    pub windows: Option<&'static Kernel>,
    /// The same of two passes, in turn: see [`garner_kernels::two_rows::window::windows_in_turn`].
    pub windows_in_turn: Option<&'static Kernel>,
    pub multiply: &'static Kernel,
    pub half_multiply: &'static Kernel,
    pub half_reduce: &'static Kernel,
}

/// The kernels of a length folded over lanes.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct Folded {
    pub fold: Fold,
    /// Without, a number is multiplied by itself.
    pub square: Option<FoldedSquare>,
    pub multiply: &'static Kernel,
    pub half_multiply: &'static Kernel,
    pub half_reduce: &'static Kernel,
}

/// The kernels of a length in double precision.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct Doubles {
    pub fold: Option<Fold>,
    /// What the rows of the work area from [`garner_kernels::doubles::Area::last_biases`] on hold.
    pub biases: &'static [u64],
    pub square: &'static Kernel,
    pub squares: &'static Kernel,
    pub multiply: &'static Kernel,
    pub half_multiply: &'static Kernel,
    pub half_reduce: &'static Kernel,
    pub scan: &'static Kernel,
    pub window: &'static Kernel,
}

/// Squarings, in place.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct FoldedSquare {
    pub plain: &'static Kernel,
    pub scan: &'static Kernel,
}

/// The kernels of a block size: two ways to do the same.
#[derive(Debug)]
pub struct Blocks {
    /// Limbs of a block, M.
    pub limbs: usize,
    /// Columns of a product of half a number of two blocks with a whole one, to begin with zero.
    pub clear: &'static Kernel,
    /// What prepares a factor that many products share: see [`garner_kernels::one_row::karatsuba::prepare`].
    pub prepare: &'static Kernel,
    /// Those that work on a row at a time.
    pub one_row: OneRowBlocks,
    /// Those that work on two: see [`garner_kernels::two_rows::block`]. Limbs count modulo 2^52.
    pub two_rows: TwoRowsBlocks,
}

/// The kernels of one of those ways, of which products have two.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct OneRowBlocks {
    pub schoolbook: Products,
    pub karatsuba: Products,
    pub digits: &'static Kernel,
    pub reduce: &'static Kernel,
    pub reduce_scan: &'static Kernel,
    pub square_fresh: &'static Kernel,
    pub square_fresh_top: &'static Kernel,
    pub square_subtract: &'static Kernel,
    pub square_middle: &'static Kernel,
    pub difference: &'static Kernel,
}

/// The kernels of the other way.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct TwoRowsBlocks {
    pub products: Products,
    pub reduce: &'static Kernel,
    pub reduce_scan: &'static Kernel,
    pub square_first: &'static Kernel,
    pub square_inner: &'static Kernel,
    pub square_final: &'static Kernel,
    /// Of numbers of two blocks.
    pub two_blocks: TwoBlocks,
}

/// Kernels over two blocks at once: see [`garner_kernels::two_rows::two_blocks`].
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct TwoBlocks {
    pub square: &'static Kernel,
    /// Of short blocks.
    pub reductions: Option<TwoBlocksReductions>,
}

/// Kernels of a block row of a reduction.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct TwoBlocksReductions {
    pub reduce: &'static Kernel,
    pub reduce_scan: &'static Kernel,
    pub reduce_last: &'static Kernel,
}

/// How operations on numbers of several blocks are made.
#[derive(Debug, Clone, Copy)]
pub enum Composition {
    /// Of kernels by one row: squares of blocks alone, half of a reduction folded, and these products.
    OneRow(&'static OneRowBlocks, &'static Products),
    /// Of kernels by two rows.
    TwoRows(&'static TwoRowsBlocks),
}

impl Composition {
    /// Limbs of the table that one pass of the scan selects, in blocks of so many limbs.
    pub fn scanned_limbs(self, block: usize) -> usize {
        match self {
            Composition::OneRow(_, Products { given_scan: Some(_), .. }) => karatsuba::SCANNED_LIMBS,
            Composition::OneRow(..) => block,
            Composition::TwoRows(_) => two_rows::block::scanned_limbs(block),
        }
    }
}

/// The kernels of a product of blocks.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct Products {
    pub fresh: &'static Kernel,
    pub fresh_top: &'static Kernel,
    pub old: &'static Kernel,
    /// By a prepared factor, as those of the two behind are.
    pub given: &'static Kernel,
    /// The same with a pass of the table's scan, if there is time for one.
    pub given_scan: Option<&'static Kernel>,
    pub carry: &'static Kernel,
    pub last: &'static Kernel,
}
