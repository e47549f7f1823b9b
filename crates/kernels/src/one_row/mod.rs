// SPDX-License-Identifier: Apache-2.0
//! Multiplications that take a row at a time, a row being one limb of a factor with the whole other one: for processors on
//! which additions and masks run beside multiply-adds. [`two_rows`](crate::two_rows) is for those on which they do not.
//!
//! Numbers of 10 and 20 limbs have all their columns in registers ([`multiply`], [`square`](mod@square), [`window`](mod@window)).
//! Longer ones are composed of blocks ([`block`], [`block_square`], [`karatsuba`]).

pub mod block;
pub mod block_square;
pub mod karatsuba;
pub mod multiply;
pub mod square;
pub mod window;
