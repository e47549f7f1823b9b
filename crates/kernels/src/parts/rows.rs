// SPDX-License-Identifier: Apache-2.0
//! Rows of products, in an order that keeps the multipliers busy.

use crate::parts::registers::Rotation;
use crate::program::{Code, Pointer, Vector};

/// In a row, the high half of a product is added so many limbs after the low half, and a second product one limb after
/// the first: two sums into one column would otherwise follow each other at once, and the second wait.
pub(crate) const HIGH_LAG: usize = 2;

/// What a row adds: `x` times each limb at `y`.
#[derive(Clone, Copy)]
pub(crate) struct Factor {
    pub x: Vector,
    pub y: Pointer,
}

/// Adds the products of all `factors` to `sums`, one column more than there are limbs. Without `first_low` the low halves
/// of the first limbs' products are left out. Runs `when_complete` once the first column has all its terms.
pub(crate) fn add(
    sums: &[Vector],
    factors: &[Factor],
    first_low: bool,
    temporaries: &mut Rotation,
    code: &mut Code,
    mut when_complete: impl FnMut(&mut Code),
) {
    let limbs = sums.len() - 1;
    let mut loaded = vec![Vec::new(); factors.len()];
    for step in 0..limbs + HIGH_LAG + factors.len() - 1 {
        for (lag, (factor, loaded)) in factors.iter().zip(&mut loaded).enumerate() {
            if let Some(j) = step.checked_sub(lag).filter(|&j| j < limbs) {
                let y = temporaries.load(factor.y.row(j), code);
                loaded.push(y);
                if j > 0 || first_low {
                    code.low(sums[j], factor.x, y);
                }
            }
        }
        for (lag, (factor, loaded)) in factors.iter().zip(&loaded).enumerate() {
            if let Some(j) = step.checked_sub(lag + HIGH_LAG).filter(|&j| j < limbs) {
                code.high(sums[j + 1], factor.x, loaded[j]);
            }
        }
        if step == factors.len() - 1 {
            when_complete(code);
        }
    }
}
