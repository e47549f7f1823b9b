// SPDX-License-Identifier: Apache-2.0
//! Limb classes: how long numbers are padded, and which kernels serve each length.

use super::kernels::{self, Kernel};
use garner_kernels::doubles::{self, Area, Numbers};
use garner_kernels::fold::Fold;
use garner_kernels::{LIMB_BITS, folded_square, scan};

/// Bits by which 2^(52·N) must exceed the modulus: a product of numbers below 8n is then below n · R, and
/// reduces to less than 2n, or 3n ([`Class::excess`]).
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
}

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

/// The kernels of a length that needs no composition: two ways to do the same.
#[derive(Debug)]
pub struct Direct {
    /// Limbs, N.
    pub limbs: usize,
    /// Those that work on a row at a time.
    pub one_row: DirectKernels,
    /// Those that work on two: see [`garner_kernels::two_rows`]. Their limbs count modulo 2^52.
    pub two_rows: DirectKernels,
}

/// The kernels of one of those ways.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct DirectKernels {
    pub square: &'static Kernel,
    pub window: &'static Kernel,
    /// All windows of a word of the exponents, where there is such a kernel.
    pub windows: Option<&'static Kernel>,
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
    /// What the rows of the work area from [`Area::last_biases`] on hold.
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
    pub pair: Pair,
}

/// Kernels of several blocks' operations, in place, where a number has two: see [`garner_kernels::two_rows::pair`].
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub enum Pair {
    /// One for an operation.
    Whole { square: &'static Kernel, square_scan: &'static Kernel, half_multiply: &'static Kernel },
    /// Longer ones would not leave each other room in the instruction cache: what operations end with is one of its own.
    Halves { square_begin: &'static Kernel, square_begin_scan: &'static Kernel, end: &'static Kernel },
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
    /// The kernels that a square of two blocks and its reduction run.
    pub fn of_two_blocks(self) -> Vec<&'static Kernel> {
        match self {
            Composition::OneRow(blocks, products) => {
                let square = [blocks.square_fresh, blocks.difference, blocks.square_fresh, blocks.square_middle];
                let reduction = [blocks.digits, products.old, products.old, blocks.reduce, products.last];
                square.into_iter().chain(reduction).collect()
            }
            Composition::TwoRows(TwoRowsBlocks { pair: Pair::Whole { square, .. }, .. }) => vec![square],
            Composition::TwoRows(TwoRowsBlocks { pair: Pair::Halves { square_begin, end, .. }, .. }) => {
                vec![square_begin, end]
            }
        }
    }
}

/// The kernels of a product of blocks.
#[derive(Debug)]
#[allow(missing_docs, reason = "named as the kernels are")]
pub struct Products {
    pub fresh: &'static Kernel,
    pub fresh_top: &'static Kernel,
    pub old: &'static Kernel,
    pub carry: &'static Kernel,
    pub last: &'static Kernel,
}

/// The kernel of that name; there is one, or this does not compile.
macro_rules! kernel {
    ($($name:expr),*) => { const { kernels::named(&kernels::ALL, concat!($($name),*)) } };
}

/// The same of those in double precision.
macro_rules! double_kernel {
    ($($name:expr),*) => { const { kernels::named(&kernels::doubles::ALL, concat!($($name),*)) } };
}

/// The same of those by two rows at a time.
macro_rules! two_rows_kernel {
    ($($name:expr),*) => { const { kernels::named(&kernels::two_rows::ALL, concat!($($name),*)) } };
}

macro_rules! direct {
    ($limbs:literal) => {
        Shape::Direct(&Direct {
            limbs: $limbs,
            one_row: direct!(kernel, "", $limbs, None),
            two_rows: direct!(
                two_rows_kernel,
                "two_rows_",
                $limbs,
                Some(two_rows_kernel!("two_rows_windows_", $limbs))
            ),
        })
    };
    ($kernel:ident, $prefix:literal, $limbs:literal, $windows:expr) => {
        DirectKernels {
            square: $kernel!($prefix, "square_", $limbs),
            window: $kernel!($prefix, "window_", $limbs),
            windows: $windows,
            multiply: $kernel!($prefix, "multiply_", $limbs),
            half_multiply: $kernel!($prefix, "half_multiply_", $limbs),
            half_reduce: $kernel!($prefix, "half_reduce_", $limbs),
        }
    };
}

/// The products of blocks of so many limbs, by the prefix of their names.
macro_rules! products {
    ($kernel:ident, $prefix:literal, $limbs:literal) => {
        Products {
            fresh: $kernel!($prefix, "fresh_", $limbs),
            fresh_top: $kernel!($prefix, "fresh_top_", $limbs),
            old: $kernel!($prefix, "old_", $limbs),
            carry: $kernel!($prefix, "carry_", $limbs),
            last: $kernel!($prefix, "last_", $limbs),
        }
    };
}

/// What is done on two blocks of so many limbs at once.
macro_rules! pair_of_blocks {
    (15) => {
        Pair::Whole {
            square: two_rows_kernel!("two_rows_square_30"),
            square_scan: two_rows_kernel!("two_rows_square_scan_30"),
            half_multiply: two_rows_kernel!("two_rows_half_multiply_30"),
        }
    };
    (20) => {
        Pair::Halves {
            square_begin: two_rows_kernel!("two_rows_square_begin_40"),
            square_begin_scan: two_rows_kernel!("two_rows_square_begin_scan_40"),
            end: two_rows_kernel!("two_rows_end_40"),
        }
    };
}

/// So many blocks of so many limbs.
macro_rules! blocks {
    (2, $limbs:tt) => {
        blocks!(2, $limbs, None)
    };
    ($count:literal, $limbs:tt) => {
        blocks!($count, $limbs, Some(kernel!("spread_", $limbs, "_", $count)))
    };
    ($count:literal, $limbs:tt, $spread:expr) => {
        Shape::Blocks {
            blocks: &Blocks {
                limbs: $limbs,
                one_row: OneRowBlocks {
                    schoolbook: products!(kernel, "product_", $limbs),
                    karatsuba: products!(kernel, "karatsuba_", $limbs),
                    digits: kernel!("digits_", $limbs),
                    reduce: kernel!("reduce_", $limbs),
                    reduce_scan: kernel!("reduce_scan_", $limbs),
                    square_fresh: kernel!("square_fresh_", $limbs),
                    square_fresh_top: kernel!("square_fresh_top_", $limbs),
                    square_subtract: kernel!("square_subtract_", $limbs),
                    square_middle: kernel!("square_middle_", $limbs),
                    difference: kernel!("difference_", $limbs),
                },
                two_rows: TwoRowsBlocks {
                    products: products!(two_rows_kernel, "two_rows_product_", $limbs),
                    reduce: two_rows_kernel!("two_rows_reduce_", $limbs),
                    reduce_scan: two_rows_kernel!("two_rows_reduce_scan_", $limbs),
                    square_first: two_rows_kernel!("two_rows_square_first_", $limbs),
                    square_inner: two_rows_kernel!("two_rows_square_inner_", $limbs),
                    square_final: two_rows_kernel!("two_rows_square_final_", $limbs),
                    pair: pair_of_blocks!($limbs),
                },
            },
            count: $count,
            spread: $spread,
        }
    };
}

macro_rules! class {
    ($limbs:literal, $shape:expr) => {
        Class {
            limbs: $limbs,
            shape: $shape,
            add: kernel!("add_", $limbs),
            subtract_modulus: kernel!("subtract_modulus_", $limbs),
            loose: Some(Loose {
                add: two_rows_kernel!("two_rows_add_", $limbs),
                subtract_modulus: two_rows_kernel!("two_rows_subtract_modulus_", $limbs),
            }),
            to_limbs: kernel!("to_limbs_", $limbs),
            to_words: kernel!("to_words_", $limbs),
        }
    };
}

/// Numbers of so many rows, folded; the prefix of the kernels' names, and their squarings.
macro_rules! folded {
    ($limbs:literal, $fold:ident, $prefix:literal, $rows:literal, $square:expr) => {
        Class {
            limbs: $limbs,
            shape: Shape::Folded(&Folded {
                fold: Fold::$fold,
                square: $square,
                multiply: kernel!($prefix, "multiply_", $rows),
                half_multiply: kernel!($prefix, "half_multiply_", $rows),
                half_reduce: kernel!($prefix, "half_reduce_", $rows),
            }),
            add: kernel!($prefix, "add_", $rows),
            subtract_modulus: kernel!($prefix, "subtract_modulus_", $rows),
            loose: None,
            to_limbs: kernel!("to_limbs_", $rows),
            to_words: kernel!("to_words_", $rows),
        }
    };
}

macro_rules! pair {
    ($limbs:literal, $rows:literal) => {
        folded!(
            $limbs,
            Pair,
            "pair_",
            $rows,
            Some(FoldedSquare { plain: kernel!("pair_square_", $rows), scan: kernel!("pair_square_scan_", $rows) })
        )
    };
}

/// The classes, shortest first.
pub static CLASSES: [Class; 8] = [
    class!(10, direct!(10)),
    class!(20, direct!(20)),
    class!(30, blocks!(2, 15)),
    class!(40, blocks!(2, 20)),
    class!(60, blocks!(4, 15)),
    class!(80, blocks!(4, 20)),
    class!(120, blocks!(6, 20)),
    class!(160, blocks!(8, 20)),
];

/// The classes of numbers folded over two lanes, shortest first.
pub static PAIRS: [Class; 4] = [pair!(10, 5), pair!(20, 10), pair!(30, 15), pair!(40, 20)];

/// The classes of numbers folded over four lanes, shortest first.
pub static QUADS: [Class; 4] = [
    folded!(20, Quad, "quad_", 5, None),
    folded!(40, Quad, "quad_", 10, None),
    folded!(60, Quad, "quad_", 15, None),
    folded!(80, Quad, "quad_", 20, None),
];

/// Of so many limbs, in double precision.
macro_rules! doubles {
    ($limbs:literal) => {
        class!($limbs, Shape::Doubles(doubles!(None, "", $limbs)))
    };
    ($limbs:literal, $fold:ident, $prefix:literal, $rows:literal) => {
        Class {
            limbs: $limbs,
            shape: Shape::Doubles(doubles!(Some(Fold::$fold), $prefix, $rows)),
            add: kernel!($prefix, "add_", $rows),
            subtract_modulus: kernel!($prefix, "subtract_modulus_", $rows),
            loose: None,
            to_limbs: kernel!("to_limbs_", $rows),
            to_words: kernel!("to_words_", $rows),
        }
    };
    ($fold:expr, $prefix:literal, $rows:literal) => {
        &Doubles {
            fold: $fold,
            biases: const {
                const NUMBERS: Numbers = Numbers { rows: $rows, fold: $fold };
                const AREA: Area = Area::of(NUMBERS);
                &Area::bias_values::<{ AREA.rows - AREA.last_biases }>(NUMBERS)
            },
            square: double_kernel!($prefix, "square_", $rows),
            squares: double_kernel!($prefix, "squares_", $rows),
            multiply: double_kernel!($prefix, "multiply_", $rows),
            half_multiply: double_kernel!($prefix, "half_multiply_", $rows),
            half_reduce: double_kernel!($prefix, "half_reduce_", $rows),
            scan: double_kernel!("scan_", $rows),
            window: double_kernel!($prefix, "window_", $rows),
        }
    };
}

/// The classes in double precision, shortest first, of the same lengths.
pub static DOUBLES: [Class; 8] =
    [doubles!(10), doubles!(20), doubles!(30), doubles!(40), doubles!(60), doubles!(80), doubles!(120), doubles!(160)];

/// Those of numbers folded over two lanes, shortest first.
pub static DOUBLE_PAIRS: [Class; 4] = [
    doubles!(10, Pair, "pair_", 5),
    doubles!(20, Pair, "pair_", 10),
    doubles!(30, Pair, "pair_", 15),
    doubles!(40, Pair, "pair_", 20),
];

/// Those of numbers folded over four lanes, shortest first.
pub static DOUBLE_QUADS: [Class; 4] = [
    doubles!(20, Quad, "quad_", 5),
    doubles!(40, Quad, "quad_", 10),
    doubles!(60, Quad, "quad_", 15),
    doubles!(80, Quad, "quad_", 20),
];

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

    /// The class of the same length in which `jobs` products or public powers run: what took least time on Zen 4. For
    /// three a pass of four lanes takes less at 20 limbs and about as much as three folded ones at 80.
    pub fn for_products(&'static self, jobs: usize) -> &'static Class {
        self.folded(match jobs {
            1 => &[Fold::Quad, Fold::Pair],
            2 => &[Fold::Pair, Fold::Quad],
            _ => &[],
        })
    }

    /// The class of the same length in which `jobs` secret powers run.
    pub fn for_powers(&'static self, jobs: usize) -> &'static Class {
        match self.shape {
            Shape::Doubles(_) => self.for_products(jobs),
            // Folded over four lanes there are no squarings.
            _ => self.folded(if jobs <= 2 { &[Fold::Pair] } else { &[] }),
        }
    }

    /// The class of the same length folded in the first of these ways that there is.
    fn folded(&'static self, ways: &[Fold]) -> &'static Class {
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

    /// How a number is folded over lanes.
    fn fold(&self) -> Option<Fold> {
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

    /// Jobs in a pass.
    pub fn jobs(&self) -> usize {
        // Folded, in 256-bit registers, so that a pass takes the time of four lanes.
        self.fold().map_or(8, |fold| 4 / fold.lanes())
    }

    /// Lanes that a number takes.
    pub fn lanes(&self) -> usize {
        self.fold().map_or(1, Fold::lanes)
    }

    /// By how many times the modulus a product may exceed `a · b / R`; those of half multiplications and reductions of
    /// composed numbers do by no more than once.
    pub fn excess(&self) -> usize {
        if let Shape::Doubles(_) | Shape::Blocks { .. } = self.shape { 2 } else { 1 }
    }

    /// Rows that a number takes.
    pub fn rows(&self) -> usize {
        self.limbs / self.lanes()
    }

    /// Rows of the table that one pass of a scan selects.
    pub fn rows_per_pass(&self) -> usize {
        match self.shape {
            Shape::Folded(_) => folded_square::scanned_rows(self.rows()),
            // Theirs run within a window; all of it is one pass.
            Shape::Direct(_) | Shape::Doubles(_) => 2 * self.rows(),
            Shape::Blocks { blocks, .. } => blocks.limbs,
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
        match self.shape {
            Shape::Doubles(_) => doubles::scan::ROWS_PER_LIMB * 2 * self.rows(),
            _ => scan::ENTRIES * 2 * self.rows(),
        }
    }
}
