// SPDX-License-Identifier: Apache-2.0
//! One row of a Montgomery reduction: the step that every multiplication, squaring and half reduction repeats.

use crate::constants;
use crate::parts::registers::Rotation;
use crate::parts::rows::HIGH_LAG;
use crate::program::{Code, Pointer, Source, Vector};

/// The quotient digit of the column `sum`: `digit = sum · (−n^−1) mod 2^52`.
pub(crate) fn digit(digit: Vector, sum: Vector, code: &mut Code) {
    code.zero(digit);
    code.low(digit, sum, constants::negative_inverse());
}

/// Where a row's results go when it is the last: limbs fully carried, below 2^52.
pub(crate) struct Output {
    /// The limbs' place.
    pub to: Pointer,
    /// A register for the carry, used by nothing else in the row.
    pub carry: Vector,
}

/// A row: adds `q · n` to the columns `sums[0..=limbs]`, after which the column `sums[0]` is a multiple of 2^52
/// and its carry has gone into `sums[1]`.
pub(crate) struct RowOf<'a> {
    /// Column sums, `limbs + 1` of them.
    pub sums: &'a [Vector],
    /// The quotient digit, computed before.
    pub q: Vector,
    /// The modulus.
    pub n: Pointer,
    /// The register for the next row's quotient digit, computed as soon as its column is complete.
    pub next_q: Option<Vector>,
    /// Where the results go, in the last row.
    pub output: Option<Output>,
}

impl RowOf<'_> {
    /// The row's code in two parts: up to its last use of `sums[0]`, and the rest. `before_next` is code of
    /// the caller that completes `sums[1]`, the next row's first column.
    ///
    /// `lo(q·n[0])` is never formed: it only makes the column's low 52 bits zero, and the carry that results is
    /// `(sums[0] + 2^52 − 1) >> 52`.
    pub fn code(self, temporaries: &mut Rotation, before_next: Code) -> (Code, Code) {
        let RowOf { sums, q, n, next_q, output } = self;
        let (mut first, mut code) = (Code::new(), Code::new());
        let limbs = sums.len() - 1;
        let carry = temporaries.take();
        first.add(carry, sums[0], constants::limb_mask());
        code.carry(carry, carry);
        code.low(sums[1], q, n.row(1));
        code.append(before_next);
        code.high(carry, q, n.row(0));
        code.add(sums[1], sums[1], carry);
        if let Some(next_q) = next_q {
            digit(next_q, sums[1], &mut code);
        }
        let finish = |j: usize, code: &mut Code| {
            if let Some(Output { to, carry }) = &output {
                finish_limb(sums[j], *carry, j > 1, j < limbs, code);
                code.store(to.row(j - 1), sums[j]);
            }
        };
        // A register must keep its limb until the high half is added.
        let lag = if temporaries.len() > HIGH_LAG + 1 { HIGH_LAG } else { 0 };
        let mut factors = vec![None; limbs];
        factors[1] = Some(Source::from(n.row(1)));
        for j in 1..limbs + lag {
            if (2..limbs).contains(&j) {
                let factor = temporaries.load(n.row(j), &mut code);
                factors[j] = Some(factor.into());
                code.low(sums[j], q, factor);
            }
            if lag == 0 {
                finish(j, &mut code);
            }
            if let Some(Some(factor)) = j.checked_sub(lag).map(|j| factors[j]) {
                code.high(sums[j - lag + 1], q, factor);
            }
            if lag > 0 && j >= lag {
                finish(j - lag + 1, &mut code);
            }
        }
        if lag == 0 {
            finish(limbs, &mut code);
        }
        (first, code)
    }
}

/// Turns a complete column into a limb: adds the carry if there is `carry_in`, and keeps the new carry apart if there
/// is `carry_out`.
pub(crate) fn finish_limb(sum: Vector, carry: Vector, carry_in: bool, carry_out: bool, code: &mut Code) {
    if carry_in {
        code.add(sum, sum, carry);
    }
    if carry_out {
        code.carry(carry, sum);
        code.and(sum, sum, constants::limb_mask());
    }
}
