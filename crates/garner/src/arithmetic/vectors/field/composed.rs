// SPDX-License-Identifier: Apache-2.0
//! Numbers of several blocks: products and reductions composed of kernels over one block each.

use super::table::Passes;
use crate::arithmetic::vectors::class::{
    Blocks, Class, Composition, OneRowBlocks, Products, Shape, TwoBlocks, TwoRowsBlocks,
};
use crate::arithmetic::vectors::kernels::{At, Kernel, Sequence};
use crate::arithmetic::vectors::workspace::Layout;
use garner_kernels::doubles::SQUARES;
use garner_kernels::one_row::karatsuba;

/// Writes down which kernels make products and reductions of blocks, on the workspace's columns.
pub(super) struct Composed<'f> {
    /// Where they are written down.
    sequence: &'f mut Sequence,
    layout: &'f Layout,
    blocks: &'static Blocks,
    composition: Composition,
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
        composition: Composition,
    ) -> Composed<'f> {
        let Shape::Blocks { blocks, count, spread } = class.shape else { unreachable!("no other class is composed") };
        Composed { sequence, layout, blocks, composition, count, spread }
    }

    /// A window of the exponents of numbers of `class`.
    pub(super) fn window(&mut self, class: &Class) {
        let (layout, rows) = (self.layout, self.rows_per_pass());
        let Layout { accumulator, selection, .. } = *layout;
        for quarter in 0..SQUARES {
            let mut passes = Passes::of(class, layout, quarter, rows);
            self.square_and_reduce(accumulator, accumulator, &mut passes);
            debug_assert!(passes.is_empty(), "every pass found a kernel");
        }
        let mut again = if self.scans_always() { Passes::last(class, layout, rows) } else { Passes::none() };
        let entry = [selection, selection + class.rows()];
        self.half_multiply_and_reduce(accumulator, entry, accumulator, &mut again);
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

    /// The place of block `i` of the prepared number at `place`.
    fn prepared(&self, place: usize, i: usize) -> usize {
        place + i * karatsuba::prepared_rows(self.blocks.limbs)
    }

    /// Prepares the modulus and the constant of folding.
    pub(super) fn prepare(&mut self) {
        if let Composition::TwoRows(_) = self.composition {
            return;
        }
        let Layout { modulus, prepared_modulus, inverse, prepared_inverse, constants: c, .. } = *self.layout;
        for (number, place) in [(modulus, prepared_modulus), (inverse, prepared_inverse)] {
            for i in 0..self.count {
                let (to, block) = (self.prepared(place, i), self.block(number, i));
                self.push(self.blocks.prepare, [to, 0, block, c, 0, 0]);
            }
        }
    }

    /// The kernels by two rows over two blocks at once, of numbers that have two.
    fn two_blocks(&self) -> Option<&'static TwoBlocks> {
        match self.composition {
            Composition::TwoRows(blocks) if self.count == 2 => Some(&blocks.two_blocks),
            _ => None,
        }
    }

    /// Rows of the table that one pass of the scan selects.
    fn rows_per_pass(&self) -> usize {
        self.composition.scanned_limbs(self.blocks.limbs)
    }

    /// Whether a window's last reduction is to scan, too: as another kernel it would have no room beside the others in the
    /// instruction cache.
    fn scans_always(&self) -> bool {
        self.two_blocks().is_some_and(|kernels| kernels.reductions.is_none())
    }

    /// `to = a² / R`, with passes of the scan running along.
    pub(super) fn square_and_reduce(&mut self, to: usize, a: usize, passes: &mut Passes) {
        self.square(a);
        self.reduce(to, passes);
    }

    /// `to = a · b / R`, given `shifted`, with passes of the scan running along.
    pub(super) fn half_multiply_and_reduce(
        &mut self,
        to: usize,
        [a, shifted]: [usize; 2],
        b: usize,
        passes: &mut Passes,
    ) {
        self.half_multiply(a, shifted, b);
        self.reduce_from(0, self.count / 2, to, passes);
    }

    fn products(&self) -> &'static Products {
        match self.composition {
            Composition::OneRow(_, products) => products,
            Composition::TwoRows(blocks) => &blocks.products,
        }
    }

    /// `columns = a²`
    fn square(&mut self, a: usize) {
        match self.composition {
            Composition::OneRow(blocks, _) => self.square_by_one_row(blocks, a),
            Composition::TwoRows(blocks) => self.square_by_two_rows(blocks, a),
        }
    }

    /// See [`garner_kernels::one_row::block_square`].
    fn square_by_one_row(&mut self, blocks: &'static OneRowBlocks, a: usize) {
        let Layout { columns, constants: c, digits: difference, .. } = *self.layout;
        let Some(spread) = self.spread else {
            let (x, y) = (self.block(a, 0), self.block(a, 1));
            self.push(blocks.square_fresh, [columns, x, 0, c, 0, 0]);
            self.push(blocks.difference, [difference, x, y, c, 0, 0]);
            self.push(blocks.square_fresh, [self.columns(2), y, 0, c, 0, 0]);
            return self.push(blocks.square_middle, [columns, difference, 0, c, 0, 0]);
        };
        for i in 0..self.count {
            let kernel = if i == 0 { blocks.square_fresh } else { blocks.square_fresh_top };
            self.push(kernel, [self.columns(i), self.block(a, i), 0, c, 0, 0]);
        }
        self.push(spread, [columns, 0, 0, c, 0, 0]);
        for i in 0..self.count - 1 {
            for j in i + 1..self.count {
                let (x, y) = (self.block(a, i), self.block(a, j));
                self.push(blocks.difference, [difference, x, y, c, 0, 0]);
                self.push(blocks.square_subtract, [self.columns(i + j), difference, 0, c, 0, 0]);
            }
        }
    }

    /// See [`garner_kernels::two_rows::block`].
    fn square_by_two_rows(&mut self, blocks: &'static TwoRowsBlocks, a: usize) {
        let (count, c) = (self.count, self.layout.constants);
        if let Some(kernels) = self.two_blocks() {
            return self.push(kernels.square, [a, self.layout.columns, 0, c, 0, 0]);
        }
        for i in 0..count - 1 {
            for j in i + 1..count {
                // The first row of products begins the columns, and so does the last column of each row.
                let kernel = match (i, j) {
                    (0, 1) => blocks.products.fresh,
                    (i, j) if i == 0 || j == count - 1 => blocks.products.fresh_top,
                    _ => blocks.products.old,
                };
                self.push(kernel, [self.columns(i + j), self.block(a, i), self.block(a, j), c, 0, 0]);
            }
        }
        for i in 0..count {
            let kernel = match i {
                0 => blocks.square_first,
                i if i == count - 1 => blocks.square_final,
                _ => blocks.square_inner,
            };
            self.push(kernel, [self.columns(2 * i), self.block(a, i), 0, c, 0, 0]);
        }
    }

    /// `columns = a · b`
    pub(super) fn multiply(&mut self, a: usize, b: usize) {
        let (count, c, products) = (self.count, self.layout.constants, self.products());
        for i in 0..count {
            for j in 0..count {
                let kernel = match (i, j) {
                    (0, 0) => products.fresh,
                    (i, j) if i == 0 || j == count - 1 => products.fresh_top,
                    _ => products.old,
                };
                self.push(kernel, [self.columns(i + j), self.block(b, i), self.block(a, j), c, 0, 0]);
            }
        }
    }

    /// `columns = shifted · b_low + a · b_high`
    fn half_multiply(&mut self, a: usize, shifted: usize, b: usize) {
        let (count, half, c, products) = (self.count, self.count / 2, self.layout.constants, self.products());
        let cleared = count == 2;
        if cleared {
            self.push(self.blocks.clear, [self.layout.columns, 0, 0, c, 0, 0]);
        }
        for i in 0..half {
            for j in 0..count {
                let first = match (i, j) {
                    // Kernels that others run, too: what a window runs has to fit into the caches of instructions.
                    _ if cleared => products.old,
                    (0, 0) => products.fresh,
                    (i, j) if i == 0 || j == count - 1 => products.fresh_top,
                    _ => products.old,
                };
                let (columns, low, high) = (self.columns(i + j), self.block(b, i), self.block(b, i + half));
                self.push(first, [columns, low, self.block(shifted, j), c, 0, 0]);
                self.push(products.old, [columns, high, self.block(a, j), c, 0, 0]);
            }
        }
    }

    /// `to = columns / R`, with passes of the scan running along.
    pub(super) fn reduce(&mut self, to: usize, passes: &mut Passes) {
        match self.composition {
            Composition::OneRow(blocks, products) => {
                self.fold(blocks, products, passes);
                // A reduction selects more rows at a time.
                assert!(products.given_scan.is_none() || passes.is_empty(), "each pass found a product");
                self.reduce_from(self.count / 2, self.count / 2, to, passes);
            }
            Composition::TwoRows(_) => self.reduce_from(0, self.count, to, passes),
        }
    }

    /// `to = columns / 2^(26·N)`.
    pub(super) fn half_reduce(&mut self, to: usize) {
        self.reduce_from(0, self.count / 2, to, &mut Passes::none());
    }

    /// Takes the lower quarter of the columns away: `columns = columns / 2^(26·N)`, from the block `count / 2` on. Their limbs
    /// are multiplied by 2^(−26·N) mod n, so that no digit waits for another (Orup 1995); the columns stay one half longer than
    /// the modulus, which is why the other half is Montgomery's.
    fn fold(&mut self, blocks: &'static OneRowBlocks, products: &'static Products, passes: &mut Passes) {
        let Layout { prepared_inverse, constants: c, digits, .. } = *self.layout;
        let half = self.count / 2;
        for i in 0..half {
            self.push(blocks.digits, [self.columns(i), self.block(digits, i), 0, c, 0, 0]);
        }
        for i in 0..half {
            for j in 0..self.count {
                let (columns, limbs) = (self.columns(half + i + j), self.block(digits, i));
                let inverse = self.prepared(prepared_inverse, j);
                match products.given_scan.and_then(|kernel| Some((kernel, passes.next()?))) {
                    Some((kernel, [table, selection])) => {
                        self.push(kernel, [columns, limbs, inverse, c, table, selection]);
                    }
                    None => self.push(products.given, [columns, limbs, inverse, c, 0, 0]),
                }
            }
        }
    }

    /// `rows` block rows of a Montgomery reduction of the columns from the block `first` on, and the carries.
    fn reduce_from(&mut self, first: usize, rows: usize, to: usize, passes: &mut Passes) {
        let Layout { modulus: n, prepared_modulus, constants: c, digits: q, .. } = *self.layout;
        if let Some(kernels) = self.two_blocks().and_then(|kernels| kernels.reductions.as_ref()) {
            for i in 0..rows - 1 {
                let columns = self.columns(first + i);
                match passes.next() {
                    Some([table, selection]) => self.push(kernels.reduce_scan, [0, columns, n, c, table, selection]),
                    None => self.push(kernels.reduce, [0, columns, n, c, 0, 0]),
                }
            }
            return self.push(kernels.reduce_last, [to, self.columns(first + rows - 1), n, c, 0, 0]);
        }
        let (count, products) = (self.count, self.products());
        let (reduce, reduce_scan) = match self.composition {
            Composition::OneRow(blocks, _) => (blocks.reduce, blocks.reduce_scan),
            Composition::TwoRows(blocks) => (blocks.reduce, blocks.reduce_scan),
        };
        for i in 0..rows {
            let columns = self.columns(first + i);
            match passes.next() {
                Some([table, selection]) => self.push(reduce_scan, [columns, q, n, c, table, selection]),
                None => self.push(reduce, [columns, q, n, c, 0, 0]),
            }
            for j in 1..count {
                let columns = self.columns(first + i + j);
                // Those by two rows take the modulus as it is.
                let n = match self.composition {
                    Composition::OneRow(..) => self.prepared(prepared_modulus, j),
                    Composition::TwoRows(_) => self.block(n, j),
                };
                let kernel = match (i == rows - 1, j == count - 1) {
                    (false, _) => products.given,
                    (true, false) => products.carry,
                    (true, true) => products.last,
                };
                self.push(kernel, [columns, q, n, c, self.block(to, j - 1), 0]);
            }
        }
    }
}
