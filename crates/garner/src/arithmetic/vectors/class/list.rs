// SPDX-License-Identifier: Apache-2.0
//! The classes, each with its kernels.

use super::Class;
use super::shape::{
    Blocks, Direct, DirectKernels, Doubles, Folded, FoldedSquare, Loose, OneRowBlocks, Products, Shape, TwoBlocks,
    TwoBlocksReductions, TwoRowsBlocks,
};
use crate::arithmetic::vectors::catalogue;
use garner_kernels::doubles::{Area, Numbers};
use garner_kernels::folded::Fold;
use garner_kernels::{Id, Operation};

/// The kernel that does this to numbers of so many limbs; there is one, or this does not compile.
macro_rules! kernel {
    ($operation:ident, $limbs:expr) => {
        kernel!($operation, None, $limbs)
    };
    ($operation:ident, $fold:expr, $limbs:expr) => {
        const { catalogue::kernel(Id { operation: Operation::$operation, fold: $fold, limbs: $limbs }) }
    };
}

/// The same of those in double precision.
macro_rules! double_kernel {
    ($operation:ident, $fold:expr, $limbs:expr) => {
        const { catalogue::doubles::kernel(Id { operation: Operation::$operation, fold: $fold, limbs: $limbs }) }
    };
}

/// The same of those by two rows at a time.
macro_rules! two_rows_kernel {
    ($operation:ident, $limbs:expr) => {
        const { catalogue::two_rows::kernel(Id::of(Operation::$operation, $limbs)) }
    };
}

/// Those of two exponentiations in turn, of numbers that are short enough.
macro_rules! windows_in_turn {
    ($operation:ident, 10) => {
        Some(two_rows_kernel!($operation, 10))
    };
    ($operation:ident, 20) => {
        None
    };
}

/// Those by two rows whose scan is by stores, of numbers that are long enough.
macro_rules! storing {
    (10) => {
        None
    };
    (20) => {
        Some(direct!(two_rows_kernel, 20, WindowStores, Some(two_rows_kernel!(WindowsStore, 20)), None))
    };
}

macro_rules! direct {
    ($limbs:tt) => {
        Shape::Direct(&Direct {
            limbs: $limbs,
            one_row: direct!(kernel, $limbs, Window, None, None),
            two_rows: direct!(
                two_rows_kernel,
                $limbs,
                Window,
                Some(two_rows_kernel!(Windows, $limbs)),
                windows_in_turn!(WindowsInTurn, $limbs)
            ),
            two_rows_merging: direct!(
                two_rows_kernel,
                $limbs,
                WindowMerges,
                Some(two_rows_kernel!(WindowsMerge, $limbs)),
                windows_in_turn!(WindowsInTurnMerge, $limbs)
            ),
            two_rows_storing: storing!($limbs),
        })
    };
    ($kernel:ident, $limbs:literal, $window:ident, $windows:expr, $windows_in_turn:expr) => {
        DirectKernels {
            square: $kernel!(Square, $limbs),
            window: $kernel!($window, $limbs),
            windows: $windows,
            windows_in_turn: $windows_in_turn,
            multiply: $kernel!(Multiply, $limbs),
            half_multiply: $kernel!(HalfMultiply, $limbs),
            half_reduce: $kernel!(HalfReduce, $limbs),
        }
    };
}

/// The products of blocks of so many limbs: those that begin anew, that begin anew in the upper half, that add to what is there, the
/// same by factors that are prepared, those that carry, and the last.
macro_rules! products {
    ($kernel:ident, $limbs:literal, $fresh:ident, $fresh_top:ident, $old:ident, $given:ident, $given_scan:expr, $carry:ident,
        $last:ident) => {
        Products {
            fresh: $kernel!($fresh, $limbs),
            fresh_top: $kernel!($fresh_top, $limbs),
            old: $kernel!($old, $limbs),
            given: $kernel!($given, $limbs),
            given_scan: $given_scan,
            carry: $kernel!($carry, $limbs),
            last: $kernel!($last, $limbs),
        }
    };
}

/// Those by the schoolbook, in either list.
macro_rules! schoolbook {
    ($kernel:ident, $limbs:literal) => {
        products!(
            $kernel,
            $limbs,
            ProductFresh,
            ProductFreshTop,
            ProductOld,
            ProductOld,
            None,
            ProductCarry,
            ProductLast
        )
    };
}

/// Those after Karatsuba.
macro_rules! karatsuba {
    (15) => {
        karatsuba!(15, Some(kernel!(KaratsubaGivenScan, 15)))
    };
    (20) => {
        karatsuba!(20, None)
    };
    ($limbs:literal, $given_scan:expr) => {
        products!(
            kernel,
            $limbs,
            KaratsubaFresh,
            KaratsubaFreshTop,
            KaratsubaOld,
            KaratsubaGiven,
            $given_scan,
            KaratsubaCarry,
            KaratsubaLast
        )
    };
}

/// The reductions of two blocks of so many limbs, where a row is one kernel.
macro_rules! two_blocks_reductions {
    (15) => {
        Some(TwoBlocksReductions {
            reduce: two_rows_kernel!(TwoBlocksReduce, 15),
            reduce_scan: two_rows_kernel!(TwoBlocksReduceScan, 15),
            reduce_last: two_rows_kernel!(TwoBlocksReduceLast, 15),
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
        blocks!($count, $limbs, Some(kernel!(Spread, $limbs * $count)))
    };
    ($count:literal, $limbs:tt, $spread:expr) => {
        Shape::Blocks {
            blocks: &Blocks {
                limbs: $limbs,
                clear: kernel!(Clear, $limbs),
                prepare: kernel!(KaratsubaPrepare, $limbs),
                one_row: OneRowBlocks {
                    schoolbook: schoolbook!(kernel, $limbs),
                    karatsuba: karatsuba!($limbs),
                    digits: kernel!(Digits, $limbs),
                    reduce: kernel!(Reduce, $limbs),
                    reduce_scan: kernel!(ReduceScan, $limbs),
                    square_fresh: kernel!(SquareFresh, $limbs),
                    square_fresh_top: kernel!(SquareFreshTop, $limbs),
                    square_subtract: kernel!(SquareSubtract, $limbs),
                    square_middle: kernel!(SquareMiddle, $limbs),
                    difference: kernel!(Difference, $limbs),
                },
                two_rows: TwoRowsBlocks {
                    products: schoolbook!(two_rows_kernel, $limbs),
                    reduce: two_rows_kernel!(Reduce, $limbs),
                    reduce_scan: two_rows_kernel!(ReduceScan, $limbs),
                    square_first: two_rows_kernel!(SquareFirst, $limbs),
                    square_inner: two_rows_kernel!(SquareInner, $limbs),
                    square_final: two_rows_kernel!(SquareFinal, $limbs),
                    two_blocks: TwoBlocks {
                        square: two_rows_kernel!(TwoBlocksSquare, $limbs),
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
            add: kernel!(Add, $limbs),
            subtract_modulus: kernel!(SubtractModulus, $limbs),
            loose: Some(Loose {
                add: two_rows_kernel!(Add, $limbs),
                subtract_modulus: two_rows_kernel!(SubtractModulus, $limbs),
            }),
            to_limbs: kernel!(ToLimbs, $limbs),
            to_words: kernel!(ToWords, $limbs),
            entry: kernel!(Entry, $limbs),
        }
    };
}

/// Numbers of so many rows, folded, and their squarings.
macro_rules! folded {
    ($limbs:literal, $fold:ident, $rows:literal, $square:expr) => {
        Class {
            limbs: $limbs,
            shape: Shape::Folded(&Folded {
                fold: Fold::$fold,
                square: $square,
                multiply: kernel!(Multiply, Some(Fold::$fold), $rows),
                half_multiply: kernel!(HalfMultiply, Some(Fold::$fold), $rows),
                half_reduce: kernel!(HalfReduce, Some(Fold::$fold), $rows),
            }),
            add: kernel!(Add, Some(Fold::$fold), $rows),
            subtract_modulus: kernel!(SubtractModulus, Some(Fold::$fold), $rows),
            loose: None,
            to_limbs: kernel!(ToLimbs, $rows),
            to_words: kernel!(ToWords, $rows),
            entry: kernel!(Entry, $rows),
        }
    };
}

macro_rules! pair {
    ($limbs:literal, $rows:literal) => {
        folded!(
            $limbs,
            Pair,
            $rows,
            Some(FoldedSquare {
                plain: kernel!(Square, Some(Fold::Pair), $rows),
                scan: kernel!(SquareScan, Some(Fold::Pair), $rows)
            })
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
pub static QUADS: [Class; 4] =
    [folded!(20, Quad, 5, None), folded!(40, Quad, 10, None), folded!(60, Quad, 15, None), folded!(80, Quad, 20, None)];

/// Of so many limbs, in double precision.
macro_rules! doubles {
    ($limbs:literal) => {
        class!($limbs, Shape::Doubles(doubles!(None, $limbs)))
    };
    ($limbs:literal, $fold:ident, $rows:literal) => {
        Class {
            limbs: $limbs,
            shape: Shape::Doubles(doubles!(Some(Fold::$fold), $rows)),
            add: kernel!(Add, Some(Fold::$fold), $rows),
            subtract_modulus: kernel!(SubtractModulus, Some(Fold::$fold), $rows),
            loose: None,
            to_limbs: kernel!(ToLimbs, $rows),
            to_words: kernel!(ToWords, $rows),
            entry: kernel!(Entry, $rows),
        }
    };
    ($fold:expr, $rows:literal) => {
        &Doubles {
            fold: $fold,
            biases: const {
                const NUMBERS: Numbers = Numbers { rows: $rows, fold: $fold };
                const AREA: Area = Area::of(NUMBERS);
                &Area::bias_values::<{ AREA.rows - AREA.last_biases }>(NUMBERS)
            },
            square: double_kernel!(Square, $fold, $rows),
            squares: double_kernel!(Squares, $fold, $rows),
            multiply: double_kernel!(Multiply, $fold, $rows),
            half_multiply: double_kernel!(HalfMultiply, $fold, $rows),
            half_reduce: double_kernel!(HalfReduce, $fold, $rows),
            scan: double_kernel!(Scan, None, $rows),
            window: double_kernel!(Window, $fold, $rows),
        }
    };
}

/// The classes in double precision, shortest first, of the same lengths.
pub static DOUBLES: [Class; 8] =
    [doubles!(10), doubles!(20), doubles!(30), doubles!(40), doubles!(60), doubles!(80), doubles!(120), doubles!(160)];

/// Those of numbers folded over two lanes, shortest first.
pub static DOUBLE_PAIRS: [Class; 4] =
    [doubles!(10, Pair, 5), doubles!(20, Pair, 10), doubles!(30, Pair, 15), doubles!(40, Pair, 20)];

/// Those of numbers folded over four lanes, shortest first.
pub static DOUBLE_QUADS: [Class; 4] =
    [doubles!(20, Quad, 5), doubles!(40, Quad, 10), doubles!(60, Quad, 15), doubles!(80, Quad, 20)];
