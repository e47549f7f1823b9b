// SPDX-License-Identifier: Apache-2.0
//! The classes, each with its kernels, by their names.

use super::Class;
use super::shape::{
    Blocks, Direct, DirectKernels, Doubles, Folded, FoldedSquare, Loose, OneRowBlocks, Products, Shape, TwoBlocks,
    TwoBlocksReductions, TwoRowsBlocks,
};
use crate::arithmetic::vectors::kernels;
use garner_kernels::doubles::{Area, Numbers};
use garner_kernels::fold::Fold;

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

/// Those of two exponentiations in turn, of numbers that are short enough.
macro_rules! windows_in_turn {
    (10) => {
        Some(two_rows_kernel!("two_rows_windows_in_turn_10"))
    };
    (20) => {
        None
    };
}

macro_rules! direct {
    ($limbs:tt) => {
        Shape::Direct(&Direct {
            limbs: $limbs,
            one_row: direct!(kernel, "", $limbs, None, None),
            two_rows: direct!(
                two_rows_kernel,
                "two_rows_",
                $limbs,
                Some(two_rows_kernel!("two_rows_windows_", $limbs)),
                windows_in_turn!($limbs)
            ),
        })
    };
    ($kernel:ident, $prefix:literal, $limbs:literal, $windows:expr, $windows_in_turn:expr) => {
        DirectKernels {
            square: $kernel!($prefix, "square_", $limbs),
            window: $kernel!($prefix, "window_", $limbs),
            windows: $windows,
            windows_in_turn: $windows_in_turn,
            multiply: $kernel!($prefix, "multiply_", $limbs),
            half_multiply: $kernel!($prefix, "half_multiply_", $limbs),
            half_reduce: $kernel!($prefix, "half_reduce_", $limbs),
        }
    };
}

/// The products of blocks of so many limbs, by the prefix of their names, and those by factors that are prepared.
macro_rules! products {
    ($kernel:ident, $prefix:literal, $limbs:literal) => {
        products!($kernel, $prefix, $limbs, "old_")
    };
    ($kernel:ident, $prefix:literal, $limbs:literal, $given:literal) => {
        Products {
            fresh: $kernel!($prefix, "fresh_", $limbs),
            fresh_top: $kernel!($prefix, "fresh_top_", $limbs),
            old: $kernel!($prefix, "old_", $limbs),
            given: $kernel!($prefix, $given, $limbs),
            carry: $kernel!($prefix, "carry_", $limbs),
            last: $kernel!($prefix, "last_", $limbs),
        }
    };
}

/// The reductions of two blocks of so many limbs, where a row is one kernel.
macro_rules! two_blocks_reductions {
    (15) => {
        Some(TwoBlocksReductions {
            reduce: two_rows_kernel!("two_rows_two_blocks_reduce_15"),
            reduce_scan: two_rows_kernel!("two_rows_two_blocks_reduce_scan_15"),
            reduce_last: two_rows_kernel!("two_rows_two_blocks_reduce_last_15"),
        })
    };
    (20) => {
        None
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
                clear: kernel!("clear_", $limbs),
                differences: kernel!("karatsuba_differences_", $limbs),
                one_row: OneRowBlocks {
                    schoolbook: products!(kernel, "product_", $limbs),
                    karatsuba: products!(kernel, "karatsuba_", $limbs, "given_"),
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
                    two_blocks: TwoBlocks {
                        square: two_rows_kernel!("two_rows_two_blocks_square_", $limbs),
                        reductions: two_blocks_reductions!($limbs),
                    },
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
