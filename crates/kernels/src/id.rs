// SPDX-License-Identifier: Apache-2.0
//! Which kernel: what it does, and to numbers of which form. Its name follows from that, and its symbol from the name.

use crate::folded::Fold;
use std::fmt;

/// A kernel of one of the lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Id {
    /// What it does.
    pub operation: Operation,
    /// Whether its numbers are folded.
    pub fold: Option<Fold>,
    /// Limbs of its numbers; rows where they are folded; of a block where they are made of blocks; 0 where it serves all.
    pub limbs: usize,
}

impl Id {
    /// Numbers that are not folded.
    pub const fn of(operation: Operation, limbs: usize) -> Id {
        Id { operation, fold: None, limbs }
    }

    /// Folded numbers.
    pub const fn folded(operation: Operation, fold: Fold, limbs: usize) -> Id {
        Id { operation, fold: Some(fold), limbs }
    }
}

/// The name: `square_20`, `pair_multiply_5`, `scan`.
impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(fold) = self.fold {
            write!(formatter, "{}_", fold.name())?;
        }
        match self.limbs {
            0 => formatter.write_str(self.operation.name()),
            limbs => write!(formatter, "{}_{limbs}", self.operation.name()),
        }
    }
}

macro_rules! operations {
    ($($operation:ident $name:literal,)*) => {
        /// What a kernel does; the contract stands above the function that writes it. Not every list has every operation.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the contracts say it")]
        pub enum Operation {
            $($operation,)*
        }

        impl Operation {
            /// In a kernel's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Operation::$operation => $name,)*
                }
            }
        }
    };
}

operations! {
    Add "add",
    Clear "clear",
    Difference "difference",
    Digits "digits",
    Entry "entry",
    HalfMultiply "half_multiply",
    HalfReduce "half_reduce",
    KaratsubaCarry "karatsuba_carry",
    KaratsubaFresh "karatsuba_fresh",
    KaratsubaFreshTop "karatsuba_fresh_top",
    KaratsubaGiven "karatsuba_given",
    KaratsubaGivenScan "karatsuba_given_scan",
    KaratsubaLast "karatsuba_last",
    KaratsubaOld "karatsuba_old",
    KaratsubaPrepare "karatsuba_prepare",
    Multiply "multiply",
    ProductCarry "product_carry",
    ProductFresh "product_fresh",
    ProductFreshTop "product_fresh_top",
    ProductLast "product_last",
    ProductOld "product_old",
    Reduce "reduce",
    ReduceScan "reduce_scan",
    Scan "scan",
    Spread "spread",
    Square "square",
    SquareFinal "square_final",
    SquareFirst "square_first",
    SquareFresh "square_fresh",
    SquareFreshTop "square_fresh_top",
    SquareInner "square_inner",
    SquareMiddle "square_middle",
    SquareScan "square_scan",
    SquareSubtract "square_subtract",
    Squares "squares",
    SubtractModulus "subtract_modulus",
    ToLimbs "to_limbs",
    ToWords "to_words",
    TwoBlocksReduce "two_blocks_reduce",
    TwoBlocksReduceLast "two_blocks_reduce_last",
    TwoBlocksReduceScan "two_blocks_reduce_scan",
    TwoBlocksSquare "two_blocks_square",
    Want "want",
    Window "window",
    WindowMerges "window_merges",
    WindowStores "window_stores",
    Windows "windows",
    WindowsInTurn "windows_in_turn",
    WindowsInTurnMerge "windows_in_turn_merge",
    WindowsMerge "windows_merge",
    WindowsOfWord "windows_of_word",
    WindowsStore "windows_store",
}
