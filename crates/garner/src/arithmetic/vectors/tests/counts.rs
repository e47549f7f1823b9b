// SPDX-License-Identifier: Apache-2.0
//! Multiply-adds, as many as the contracts say.

use super::class::{Blocks, Composition, Direct, DirectKernels, Folded, Shape};
use super::kernels::{At, Kernel, Sequence};
use super::*;
use garner_kernels::{Lanes, one_row::karatsuba, reducer};
use std::cell::Cell;

/// Counts the multiply-adds of what it runs.
struct Counting {
    multiply_adds: Cell<usize>,
    /// Of kernels by two rows.
    two_rows: bool,
}

impl Kernels for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn run(&self, kernel: &Kernel, _: &mut [Lanes], _: At) {
        self.multiply_adds.set(self.multiply_adds.get() + kernel.multiply_adds);
    }

    fn for_lanes(&self, _: usize) -> Counting {
        unreachable!("a count is taken of whole passes")
    }

    fn lanes(&self) -> usize {
        8
    }

    fn halves_are_faster(&self) -> bool {
        unreachable!("a count is taken of whole passes")
    }

    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        if self.two_rows { &direct.two_rows } else { &direct.one_row }
    }

    fn composition(&self, blocks: &'static Blocks, _: &dyn Fn(Composition) -> Sequence) -> Composition {
        let one_row = &blocks.one_row;
        if self.two_rows {
            Composition::TwoRows(&blocks.two_rows)
        } else {
            Composition::OneRow(one_row, &one_row.karatsuba)
        }
    }
}

#[test]
fn no_operation_needs_more_multiply_adds_than_its_contract_says() {
    let classes = classes_of(&Interpreted).into_iter().chain(classes_of(&InterpretedDoubles));
    for class in classes {
        let (n, m) = (class.limbs, class.rows());
        let layout = Layout::of(class);
        let counting = Counting { multiply_adds: Cell::new(0), two_rows: false };
        let mut workspace = Workspace::new(layout.with_table);
        let mut field = Field::new(&counting, class, workspace.rows());
        let [a, b, r] = layout.scratch;
        let shifted = layout.power;
        // Composed of blocks, these many for each product: schoolbook, 2·M² each.
        let saved = |products: usize| match class.shape {
            Shape::Blocks { blocks, .. } => {
                products * (2 * blocks.limbs * blocks.limbs - karatsuba::multiply_adds(blocks.limbs))
            }
            _ => 0,
        };
        let count = if let Shape::Blocks { count, .. } = class.shape { count } else { 0 };
        // Half the blocks of a square or a product are folded, the digits of the others are Montgomery's.
        let (half, folded) = (saved(count / 2 * (count - count.min(1))), saved(count / 2 * count));
        // Composed squares need a block's square for each block and for each pair of blocks.
        let square = match class.shape {
            Shape::Direct(_) => n * n + n,
            Shape::Blocks { blocks, count, .. } => {
                count * (count + 1) / 2 * (blocks.limbs * blocks.limbs + blocks.limbs)
            }
            Shape::Folded(Folded { square: Some(_), .. }) => 2 * (m * m + m),
            Shape::Folded(_) => 2 * n * m,
            Shape::Doubles(_) => class.lanes() * (m * m + m),
        };
        let reduction = |digits: usize| match class.shape {
            Shape::Doubles(_) => 2 * (digits * m + if class.lanes() == 1 { 7 } else { 15 }),
            // Of rows by the modulus no first limb is left out.
            Shape::Folded(_) => 2 * digits * m + reducer::LAST_ROWS,
            _ => 2 * digits * n,
        };
        field.square(r, a);
        let square = square + reduction(n) - folded - half;
        assert_eq!(counting.multiply_adds.take(), square);
        field.multiply(r, a, b);
        assert_eq!(counting.multiply_adds.take(), 2 * n * m + reduction(n) - saved(count * count) - folded - half);
        field.half_multiply(r, a, shifted, b);
        let half_multiply = 2 * n * m + reduction(n / 2) - saved(count * count) - half;
        assert_eq!(counting.multiply_adds.take(), half_multiply);
        field.window();
        assert_eq!(counting.multiply_adds.take(), 4 * square + half_multiply);
        field.half_reduce(r, a);
        assert_eq!(counting.multiply_adds.take(), reduction(n / 2) - half);
    }
}

#[test]
fn by_two_rows_all_products_are_schoolbook_and_each_is_formed_once() {
    for class in &CLASSES {
        let n = class.limbs;
        let layout = Layout::of(class);
        let counting = Counting { multiply_adds: Cell::new(0), two_rows: true };
        let mut workspace = Workspace::new(layout.with_table);
        let mut field = Field::new(&counting, class, workspace.rows());
        let [a, b, r] = layout.scratch;
        let mut count = |work: &dyn Fn(&mut Field<'_, Counting>)| {
            work(&mut field);
            counting.multiply_adds.take()
        };
        let (square, half_multiply) = (3 * n * n + n, 3 * n * n);
        assert_eq!(count(&|field| field.square(r, a)), square, "{n}");
        assert_eq!(count(&|field| field.square_times(a, 3)), 3 * square, "{n}");
        assert_eq!(count(&|field| field.multiply(r, a, b)), 4 * n * n, "{n}");
        assert_eq!(count(&|field| field.half_multiply(r, a, b, r)), half_multiply, "{n}");
        assert_eq!(count(&|field| field.window()), 4 * square + half_multiply, "{n}");
    }
}
