// SPDX-License-Identifier: Apache-2.0
//! Numbers folded over lanes: fewer numbers at a time, each of them sooner.
//!
//! A number of N limbs, folded over F lanes, takes M = N/F rows: lane l of its F lanes holds the limbs from l·M on. So a
//! vector of four lanes holds two numbers folded over two, p and q of one operation, and no lane stays idle.
//!
//! A product of one limb with the whole number is M multiply-adds, low and high, instead of N. Column sums fold the same
//! way: while row i of a multiplication or a reduction runs, row j of the sums holds column i + j in the first lane and
//! column i + j + l·M in lane l. A column that leaves lane l at the bottom is complete as far as that lane goes, and
//! enters lane l − 1 at the top; nothing waits for that, as the top is M rows from being needed. What a row waits for is
//! its quotient digit, spread from the first lane over the others. All rows but the last two are
//! [by 2^(−52) mod n](crate::reducer), so that the digit is what stands in that lane.
//!
//! **The bound.** For each number and F = 2, in 256-bit multiply-adds, of which Zen 4 and every later core with two such
//! multipliers do two a cycle: a row of reduction takes 2M, and one more in the last two; a squaring 2(M² + M) + 4M² + 2, a half
//! multiplication 6M² + 2. A quotient digit follows the last after 6 cycles: 1 to spread it, 4 for the next column's
//! multiply-add, 1 for the carry; by the modulus itself after 10. Carrying the result takes some 4M cycles in which the multipliers
//! idle. Predicted for a pair of 1,024-bit primes, M = 10: squaring 311 + 40 cycles, half multiplication 301 + 40, so 1,024
//! squarings and 256 multiplications some 447,000 cycles. Limbs laid out across the vector instead, as in the
//! horizontal kernels of OpenSSL (`rsaz_amm52x20_x2`), need 400 cycles for either, shifts aside, and gain nothing from
//! squaring.

pub mod multiply;
pub mod square;

use crate::constants;
use crate::program::{Code, Vector};

/// Over how many lanes a number is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Two: two numbers in four lanes, or four in eight.
    Pair,
    /// Four: one number in four lanes, or two in eight.
    Quad,
}

impl Fold {
    /// Both.
    pub const ALL: [Fold; 2] = [Fold::Pair, Fold::Quad];

    /// In a kernel's name.
    pub fn name(self) -> &'static str {
        match self {
            Fold::Pair => "pair",
            Fold::Quad => "quad",
        }
    }

    /// Lanes of a number.
    pub const fn lanes(self) -> usize {
        match self {
            Fold::Pair => 2,
            Fold::Quad => 4,
        }
    }

    /// `to`: in all lanes of a number, `from` in its lane `lane`.
    pub(crate) fn spread(self, lane: usize, to: Vector, from: Vector, code: &mut Code) {
        match (self, lane) {
            (Fold::Pair, 0) => code.even_words(to, from, from),
            (Fold::Pair, _) => code.odd_words(to, from, from),
            (Fold::Quad, lane) => code.permute(to, from, [lane as u8; 4]),
        }
    }

    /// `to`: in each lane of a number, `from` in its next; zero in the last.
    pub(crate) fn down(self, to: Vector, from: Vector, code: &mut Code) {
        match self {
            Fold::Pair => code.down(to, from),
            Fold::Quad => {
                code.permute(to, from, [1, 2, 3, 0]);
                code.and(to, to, constants::not_last());
            }
        }
    }

    /// `to`: in each lane of a number, `from` in its previous; zero in the first.
    pub(crate) fn up(self, to: Vector, from: Vector, code: &mut Code) {
        match self {
            Fold::Pair => code.up(to, from),
            Fold::Quad => {
                code.permute(to, from, [3, 0, 1, 2]);
                code.and(to, to, constants::not_first());
            }
        }
    }

    /// The quotient digit of the column `sum`, in all lanes of a number: `digit = sum · (−n^−1) mod 2^52`, the column
    /// being that of the first lane.
    pub(crate) fn digit(self, digit: Vector, sum: Vector, code: &mut Code) {
        crate::parts::reduction::digit(digit, sum, code);
        self.spread(0, digit, digit, code);
    }
}
