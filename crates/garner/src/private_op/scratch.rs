// SPDX-License-Identifier: Apache-2.0
//! Memory for the intermediate values of a batch, wiped after every batch.

use crate::kept::Block;

/// Scratch words not yet handed out.
pub struct Scratch<'a> {
    rest: &'a mut [u64],
}

impl<'a> Scratch<'a> {
    /// The next `len` words, all zero.
    ///
    /// # Panics
    /// When more is taken than was asked for.
    pub fn take(&mut self, len: usize) -> &'a mut [u64] {
        let (taken, rest) = std::mem::take(&mut self.rest).split_at_mut(len);
        self.rest = rest;
        taken
    }
}

/// Runs `work` with `len` zero words and wipes them afterwards, also when it panics.
pub fn with<T>(len: usize, work: impl FnOnce(Scratch<'_>) -> T) -> T {
    work(Scratch { rest: &mut Block::zeroed(len) })
}
