// SPDX-License-Identifier: Apache-2.0
//! Numbers of several blocks: products and reductions composed of kernels over one block each.

use super::table::Passes;
use crate::arithmetic::vectors::class::{Blocks, Class, Products, Shape};
use crate::arithmetic::vectors::kernels::{At, Kernel, Kernels, Sequence};
use crate::arithmetic::vectors::workspace::Layout;

/// Writes down which kernels make products and reductions of blocks, on the workspace's columns.
pub(super) struct Composed<'f> {
    /// Where they are written down.
    sequence: &'f mut Sequence,
    layout: &'f Layout,
    blocks: &'static Blocks,
    products: &'static Products,
    /// Blocks of a number.
    count: usize,
    /// The kernel that spreads the sum of their squares, of more than two.
    spread: Option<&'static Kernel>,
}

impl<'f> Composed<'f> {
    pub(super) fn new(
        sequence: &'f mut Sequence,
        layout: &'f Layout,
        class: &Class,
        kernels: &impl Kernels,
    ) -> Composed<'f> {
        let Shape::Blocks { blocks, count, spread } = class.shape else { unreachable!("no other class is composed") };
        Composed { sequence, layout, blocks, products: kernels.products(blocks), count, spread }
    }

    fn push(&mut self, kernel: &'static Kernel, at: At) {
        self.sequence.push(kernel, at);
    }

    /// The place of block `i` of the number or the columns at `place`.
    fn block(&self, place: usize, i: usize) -> usize {
        place + i * self.blocks.limbs
    }

    fn columns(&self, i: usize) -> usize {
        self.block(self.layout.columns, i)
    }

    /// `columns = a²`, see [`garner_kernels::block_square`].
    pub(super) fn square(&mut self, a: usize) {
        let Layout { columns, constants: c, digits: difference, .. } = *self.layout;
        let Some(spread) = self.spread else {
            let (x, y) = (self.block(a, 0), self.block(a, 1));
            self.push(self.blocks.square_fresh, [columns, x, 0, c, 0, 0]);
            self.push(self.blocks.difference, [difference, x, y, c, 0, 0]);
            self.push(self.blocks.square_fresh, [self.columns(2), y, 0, c, 0, 0]);
            return self.push(self.blocks.square_middle, [columns, difference, 0, c, 0, 0]);
        };
        for i in 0..self.count {
            let kernel = if i == 0 { self.blocks.square_fresh } else { self.blocks.square_fresh_top };
            self.push(kernel, [self.columns(i), self.block(a, i), 0, c, 0, 0]);
        }
        self.push(spread, [columns, 0, 0, c, 0, 0]);
        for i in 0..self.count - 1 {
            for j in i + 1..self.count {
                let (x, y) = (self.block(a, i), self.block(a, j));
                self.push(self.blocks.difference, [difference, x, y, c, 0, 0]);
                self.push(self.blocks.square_subtract, [self.columns(i + j), difference, 0, c, 0, 0]);
            }
        }
    }

    /// `columns = a · b`
    pub(super) fn multiply(&mut self, a: usize, b: usize) {
        let (count, c) = (self.count, self.layout.constants);
        for i in 0..count {
            for j in 0..count {
                let kernel = match (i, j) {
                    (0, 0) => self.products.fresh,
                    (i, j) if i == 0 || j == count - 1 => self.products.fresh_top,
                    _ => self.products.old,
                };
                self.push(kernel, [self.columns(i + j), self.block(b, i), self.block(a, j), c, 0, 0]);
            }
        }
    }

    /// `columns = shifted · b_low + a · b_high`
    pub(super) fn half_multiply(&mut self, a: usize, shifted: usize, b: usize) {
        let (count, half, c) = (self.count, self.count / 2, self.layout.constants);
        for i in 0..half {
            for j in 0..count {
                let first = match (i, j) {
                    (0, 0) => self.products.fresh,
                    (i, j) if i == 0 || j == count - 1 => self.products.fresh_top,
                    _ => self.products.old,
                };
                let (columns, low, high) = (self.columns(i + j), self.block(b, i), self.block(b, i + half));
                self.push(first, [columns, low, self.block(shifted, j), c, 0, 0]);
                self.push(self.products.old, [columns, high, self.block(a, j), c, 0, 0]);
            }
        }
    }

    /// `to = columns / R`: half of the reduction folded, half of it Montgomery's, with passes of the scan running along.
    pub(super) fn reduce(&mut self, to: usize, passes: &mut Passes) {
        self.fold();
        self.reduce_from(self.count / 2, to, passes);
    }

    /// `to = columns / 2^(26·N)`.
    pub(super) fn half_reduce(&mut self, to: usize) {
        self.reduce_from(0, to, &mut Passes::none());
    }

    /// Takes the lower quarter of the columns away: `columns = columns / 2^(26·N)`, from the block `count / 2` on. Their limbs
    /// are multiplied by 2^(−26·N) mod n, so that no digit waits for another (Orup 1995); the columns stay one half longer than
    /// the modulus, which is why the other half is Montgomery's.
    fn fold(&mut self) {
        let Layout { inverse, constants: c, digits, .. } = *self.layout;
        let half = self.count / 2;
        for i in 0..half {
            self.push(self.blocks.digits, [self.columns(i), self.block(digits, i), 0, c, 0, 0]);
        }
        for i in 0..half {
            for j in 0..self.count {
                let (columns, limbs) = (self.columns(half + i + j), self.block(digits, i));
                self.push(self.products.old, [columns, limbs, self.block(inverse, j), c, 0, 0]);
            }
        }
    }

    /// `to = columns / 2^(26·N)`, from the block `first` on: half of the block rows of a Montgomery reduction, and the
    /// carries.
    fn reduce_from(&mut self, first: usize, to: usize, passes: &mut Passes) {
        let Layout { modulus: n, constants: c, digits: q, .. } = *self.layout;
        let (count, rows) = (self.count, self.count / 2);
        for i in 0..rows {
            let columns = self.columns(first + i);
            match passes.next() {
                Some((table, selection)) => {
                    self.push(self.blocks.reduce_scan, [columns, q, n, c, table, selection]);
                }
                None => self.push(self.blocks.reduce, [columns, q, n, c, 0, 0]),
            }
            for j in 1..count {
                let (columns, n) = (self.columns(first + i + j), self.block(n, j));
                let kernel = match (i == rows - 1, j == count - 1) {
                    (false, _) => self.products.old,
                    (true, false) => self.products.carry,
                    (true, true) => self.products.last,
                };
                self.push(kernel, [columns, q, n, c, self.block(to, j - 1), 0]);
            }
        }
    }
}
