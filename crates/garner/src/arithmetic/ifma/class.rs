//! Limb classes: how long numbers are padded, and which kernels serve each length.

use super::kernels::{self, Kernel};
use garner_kernels::fold::Fold;
use garner_kernels::{LIMB_BITS, block, folded_square, scan, square};

/// Bits by which 2^(52·N) must exceed the modulus: a product of numbers below 8n then reduces to less than 2n.
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
    /// Words to limbs.
    pub to_limbs: &'static Kernel,
    /// Limbs to words.
    pub to_words: &'static Kernel,
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
        /// The kernel that spreads the sum of their squares.
        spread: &'static Kernel,
    },
    /// One kernel does it, and every number takes several lanes.
    Folded(&'static Folded),
}

/// The kernels of a length that needs no composition.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct Direct {
    pub square: &'static Kernel,
    pub square_scan: &'static Kernel,
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

/// Squarings, in place.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct FoldedSquare {
    pub plain: &'static Kernel,
    pub scan: &'static Kernel,
}

/// The kernels of a block size.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct Blocks {
    pub limbs: usize,
    pub product_fresh: &'static Kernel,
    pub product_fresh_top: &'static Kernel,
    pub product_old: &'static Kernel,
    pub product_old_scan: &'static Kernel,
    pub product_carry: &'static Kernel,
    pub product_last: &'static Kernel,
    pub two_products_fresh: &'static Kernel,
    pub two_products_fresh_top: &'static Kernel,
    pub two_products_old: &'static Kernel,
    pub reduce: &'static Kernel,
    pub square_fresh: &'static Kernel,
    pub square_fresh_top: &'static Kernel,
    pub square_subtract: &'static Kernel,
    pub difference: &'static Kernel,
}

static DIRECT_10: Direct = Direct {
    square: &kernels::SQUARE_10,
    square_scan: &kernels::SQUARE_SCAN_10,
    multiply: &kernels::MULTIPLY_10,
    half_multiply: &kernels::HALF_MULTIPLY_10,
    half_reduce: &kernels::HALF_REDUCE_10,
};

static DIRECT_20: Direct = Direct {
    square: &kernels::SQUARE_20,
    square_scan: &kernels::SQUARE_SCAN_20,
    multiply: &kernels::MULTIPLY_20,
    half_multiply: &kernels::HALF_MULTIPLY_20,
    half_reduce: &kernels::HALF_REDUCE_20,
};

static BLOCKS_15: Blocks = Blocks {
    limbs: 15,
    product_fresh: &kernels::PRODUCT_FRESH_15,
    product_fresh_top: &kernels::PRODUCT_FRESH_TOP_15,
    product_old: &kernels::PRODUCT_OLD_15,
    product_old_scan: &kernels::PRODUCT_OLD_SCAN_15,
    product_carry: &kernels::PRODUCT_CARRY_15,
    product_last: &kernels::PRODUCT_LAST_15,
    two_products_fresh: &kernels::TWO_PRODUCTS_FRESH_15,
    two_products_fresh_top: &kernels::TWO_PRODUCTS_FRESH_TOP_15,
    two_products_old: &kernels::TWO_PRODUCTS_OLD_15,
    reduce: &kernels::REDUCE_15,
    square_fresh: &kernels::SQUARE_FRESH_15,
    square_fresh_top: &kernels::SQUARE_FRESH_TOP_15,
    square_subtract: &kernels::SQUARE_SUBTRACT_15,
    difference: &kernels::DIFFERENCE_15,
};

static BLOCKS_20: Blocks = Blocks {
    limbs: 20,
    product_fresh: &kernels::PRODUCT_FRESH_20,
    product_fresh_top: &kernels::PRODUCT_FRESH_TOP_20,
    product_old: &kernels::PRODUCT_OLD_20,
    product_old_scan: &kernels::PRODUCT_OLD_SCAN_20,
    product_carry: &kernels::PRODUCT_CARRY_20,
    product_last: &kernels::PRODUCT_LAST_20,
    two_products_fresh: &kernels::TWO_PRODUCTS_FRESH_20,
    two_products_fresh_top: &kernels::TWO_PRODUCTS_FRESH_TOP_20,
    two_products_old: &kernels::TWO_PRODUCTS_OLD_20,
    reduce: &kernels::REDUCE_20,
    square_fresh: &kernels::SQUARE_FRESH_20,
    square_fresh_top: &kernels::SQUARE_FRESH_TOP_20,
    square_subtract: &kernels::SQUARE_SUBTRACT_20,
    difference: &kernels::DIFFERENCE_20,
};

/// The classes, shortest first.
pub static CLASSES: [Class; 8] = [
    Class {
        limbs: 10,
        shape: Shape::Direct(&DIRECT_10),
        add: &kernels::ADD_10,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_10,
        to_limbs: &kernels::TO_LIMBS_10,
        to_words: &kernels::TO_WORDS_10,
    },
    Class {
        limbs: 20,
        shape: Shape::Direct(&DIRECT_20),
        add: &kernels::ADD_20,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_20,
        to_limbs: &kernels::TO_LIMBS_20,
        to_words: &kernels::TO_WORDS_20,
    },
    Class {
        limbs: 30,
        shape: Shape::Blocks { blocks: &BLOCKS_15, count: 2, spread: &kernels::SPREAD_15_2 },
        add: &kernels::ADD_30,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_30,
        to_limbs: &kernels::TO_LIMBS_30,
        to_words: &kernels::TO_WORDS_30,
    },
    Class {
        limbs: 40,
        shape: Shape::Blocks { blocks: &BLOCKS_20, count: 2, spread: &kernels::SPREAD_20_2 },
        add: &kernels::ADD_40,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_40,
        to_limbs: &kernels::TO_LIMBS_40,
        to_words: &kernels::TO_WORDS_40,
    },
    Class {
        limbs: 60,
        shape: Shape::Blocks { blocks: &BLOCKS_15, count: 4, spread: &kernels::SPREAD_15_4 },
        add: &kernels::ADD_60,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_60,
        to_limbs: &kernels::TO_LIMBS_60,
        to_words: &kernels::TO_WORDS_60,
    },
    Class {
        limbs: 80,
        shape: Shape::Blocks { blocks: &BLOCKS_20, count: 4, spread: &kernels::SPREAD_20_4 },
        add: &kernels::ADD_80,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_80,
        to_limbs: &kernels::TO_LIMBS_80,
        to_words: &kernels::TO_WORDS_80,
    },
    Class {
        limbs: 120,
        shape: Shape::Blocks { blocks: &BLOCKS_20, count: 6, spread: &kernels::SPREAD_20_6 },
        add: &kernels::ADD_120,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_120,
        to_limbs: &kernels::TO_LIMBS_120,
        to_words: &kernels::TO_WORDS_120,
    },
    Class {
        limbs: 160,
        shape: Shape::Blocks { blocks: &BLOCKS_20, count: 8, spread: &kernels::SPREAD_20_8 },
        add: &kernels::ADD_160,
        subtract_modulus: &kernels::SUBTRACT_MODULUS_160,
        to_limbs: &kernels::TO_LIMBS_160,
        to_words: &kernels::TO_WORDS_160,
    },
];

/// A class of folded numbers.
macro_rules! folded {
    ($fold:ident, $square:expr, $limbs:literal, $multiply:ident, $half_multiply:ident, $half_reduce:ident,
     $add:ident, $subtract_modulus:ident, $to_limbs:ident, $to_words:ident) => {
        Class {
            limbs: $limbs,
            shape: Shape::Folded(&Folded {
                fold: Fold::$fold,
                square: $square,
                multiply: &kernels::$multiply,
                half_multiply: &kernels::$half_multiply,
                half_reduce: &kernels::$half_reduce,
            }),
            add: &kernels::$add,
            subtract_modulus: &kernels::$subtract_modulus,
            to_limbs: &kernels::$to_limbs,
            to_words: &kernels::$to_words,
        }
    };
}

macro_rules! pair {
    ($limbs:literal, $square:ident, $square_scan:ident, $($kernels:ident),*) => {
        folded!(
            Pair,
            Some(FoldedSquare { plain: &kernels::$square, scan: &kernels::$square_scan }),
            $limbs,
            $($kernels),*
        )
    };
}

/// The classes of numbers folded over two lanes, shortest first.
#[rustfmt::skip]
pub static PAIRS: [Class; 4] = [
    pair!(10, PAIR_SQUARE_5, PAIR_SQUARE_SCAN_5, PAIR_MULTIPLY_5, PAIR_HALF_MULTIPLY_5, PAIR_HALF_REDUCE_5, PAIR_ADD_5,
        PAIR_SUBTRACT_MODULUS_5, TO_LIMBS_5, TO_WORDS_5),
    pair!(20, PAIR_SQUARE_10, PAIR_SQUARE_SCAN_10, PAIR_MULTIPLY_10, PAIR_HALF_MULTIPLY_10, PAIR_HALF_REDUCE_10,
        PAIR_ADD_10, PAIR_SUBTRACT_MODULUS_10, TO_LIMBS_10, TO_WORDS_10),
    pair!(30, PAIR_SQUARE_15, PAIR_SQUARE_SCAN_15, PAIR_MULTIPLY_15, PAIR_HALF_MULTIPLY_15, PAIR_HALF_REDUCE_15,
        PAIR_ADD_15, PAIR_SUBTRACT_MODULUS_15, TO_LIMBS_15, TO_WORDS_15),
    pair!(40, PAIR_SQUARE_20, PAIR_SQUARE_SCAN_20, PAIR_MULTIPLY_20, PAIR_HALF_MULTIPLY_20, PAIR_HALF_REDUCE_20,
        PAIR_ADD_20, PAIR_SUBTRACT_MODULUS_20, TO_LIMBS_20, TO_WORDS_20),
];

/// The classes of numbers folded over four lanes, shortest first.
#[rustfmt::skip]
pub static QUADS: [Class; 4] = [
    folded!(Quad, None, 20, QUAD_MULTIPLY_5, QUAD_HALF_MULTIPLY_5, QUAD_HALF_REDUCE_5, QUAD_ADD_5,
        QUAD_SUBTRACT_MODULUS_5, TO_LIMBS_5, TO_WORDS_5),
    folded!(Quad, None, 40, QUAD_MULTIPLY_10, QUAD_HALF_MULTIPLY_10, QUAD_HALF_REDUCE_10, QUAD_ADD_10,
        QUAD_SUBTRACT_MODULUS_10, TO_LIMBS_10, TO_WORDS_10),
    folded!(Quad, None, 60, QUAD_MULTIPLY_15, QUAD_HALF_MULTIPLY_15, QUAD_HALF_REDUCE_15, QUAD_ADD_15,
        QUAD_SUBTRACT_MODULUS_15, TO_LIMBS_15, TO_WORDS_15),
    folded!(Quad, None, 80, QUAD_MULTIPLY_20, QUAD_HALF_MULTIPLY_20, QUAD_HALF_REDUCE_20, QUAD_ADD_20,
        QUAD_SUBTRACT_MODULUS_20, TO_LIMBS_20, TO_WORDS_20),
];

impl Class {
    /// The class of moduli of `bits` bits.
    ///
    /// # Panics
    /// Above [`Modulus::MAX_BITS`](crate::arithmetic::Modulus::MAX_BITS).
    pub fn for_bits(bits: usize) -> &'static Class {
        let class = CLASSES.iter().find(|class| class.limbs * LIMB_BITS >= bits + HEADROOM_BITS);
        class.expect("moduli are no longer than the longest class")
    }

    /// The class of the same length in which `jobs` products or public powers run: what took least time on Zen 4. For
    /// three a pass of four lanes takes less at 20 limbs and about as much as three folded ones at 80.
    pub fn for_products(&'static self, jobs: usize) -> &'static Class {
        self.folded(match (jobs, self.limbs) {
            (1, 0..=10) => &PAIRS,
            (1, _) => &QUADS,
            (2, 0..=40) => &PAIRS,
            (2, _) => &QUADS,
            _ => &[],
        })
    }

    /// The class of the same length in which `jobs` secret powers run.
    pub fn for_powers(&'static self, jobs: usize) -> &'static Class {
        self.folded(if jobs <= 2 { &PAIRS } else { &[] })
    }

    fn folded(&'static self, classes: &'static [Class]) -> &'static Class {
        classes.iter().find(|class| class.limbs == self.limbs).unwrap_or(self)
    }

    /// Jobs in a pass.
    pub fn jobs(&self) -> usize {
        match self.shape {
            // In 256-bit registers, so that a pass takes the time of four lanes.
            Shape::Folded(folded) => 4 / folded.fold.lanes(),
            _ => 8,
        }
    }

    /// Lanes that a number takes.
    pub fn lanes(&self) -> usize {
        match self.shape {
            Shape::Folded(folded) => folded.fold.lanes(),
            _ => 1,
        }
    }

    /// Rows that a number takes.
    pub fn rows(&self) -> usize {
        self.limbs / self.lanes()
    }

    /// Rows of the table that one pass of a scan selects.
    pub fn rows_per_pass(&self) -> usize {
        match self.shape {
            Shape::Folded(_) => folded_square::scanned_rows(self.rows()),
            Shape::Direct(_) => square::scanned_limbs(self.limbs),
            Shape::Blocks { blocks, .. } => block::scanned_limbs(blocks.limbs),
        }
    }

    /// Passes of the scan that run in the squaring `quarter` of a window's four: together they select both forms of an
    /// entry.
    pub fn passes(&self, quarter: usize) -> std::ops::Range<usize> {
        let all = 2 * self.rows() / self.rows_per_pass();
        let each = all.div_ceil(4);
        (each * quarter).min(all)..(each * (quarter + 1)).min(all)
    }

    /// Rows of a table: both forms of every entry.
    pub fn table_rows(&self) -> usize {
        scan::ENTRIES * 2 * self.rows()
    }
}
