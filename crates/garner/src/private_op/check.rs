// SPDX-License-Identifier: Apache-2.0
//! The check before release: s^e mod n = m, as Boneh, DeMillo and Lipton 1997 ask of every CRT implementation.

use super::{PrivateOp, Step};
use crate::arithmetic::{Arithmetic, Power};
use crate::secret::released;
use crate::words;

/// Whether each step's `y` is the result of its operation: below n, and y^e mod n is the input. Overwrites `x`.
///
/// One bit per operation leaves this function; which word differed does not.
pub fn check(arithmetic: &dyn Arithmetic, operations: &[PrivateOp<'_>], steps: &mut [Step<'_>]) -> Vec<bool> {
    let mut jobs: Vec<Power<'_>> = steps
        .iter_mut()
        .map(|step| {
            let public = step.key.public();
            Power { modulus: public.modulus(), base: step.y, exponent: public.exponent(), result: step.x }
        })
        .collect();
    arithmetic.power_public(&mut jobs);
    operations
        .iter()
        .zip(steps)
        .map(|(operation, step)| {
            let below = words::less(step.y, step.key.public().modulus().words());
            released(below & words::equal(step.x, operation.input))
        })
        .collect()
}
