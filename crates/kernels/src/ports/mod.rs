// SPDX-License-Identifier: Apache-2.0
//! A model of processors' ports: what a kernel costs at least, counted from its program, on any machine.
//!
//! [`Counts`] says what a program executes, [`Processor`] what a processor can do in a cycle. [`Bound`] is what follows from
//! both without regard to order; [`schedule::cycles`] follows the order, too.

mod bound;
mod counts;
mod processor;
pub mod schedule;

pub use bound::Bound;
pub use counts::Counts;
pub use processor::{Processor, Unit, Work};

#[cfg(test)]
mod tests;
