// SPDX-License-Identifier: Apache-2.0
//! In which class jobs run that are too few to fill the lanes.
//!
//! One job may have a lane, or be folded over two or four: then it is done sooner, but fewer fit. Four lanes of 256 bits take less
//! time than eight of 512 on some processors, on others as much. Where that decides, it is measured when it is needed first.

use super::class::{Class, Shape};
use super::field::Field;
use super::kernels::{Kernels, medians};
use super::workspace::{Layout, Workspace};
use garner_kernels::fold::Fold;
use std::time::Duration;

/// A choice between four lanes and eight lanes of numbers folded one time more, of so many limbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widening {
    /// The numbers' limbs.
    pub limbs: usize,
    /// How the numbers are folded in eight lanes.
    pub fold: Fold,
}

/// The class of the same length as `class` in which `jobs` secret powers run.
pub fn for_powers<K: Kernels>(kernels: &K, class: &'static Class, jobs: usize) -> &'static Class {
    match (&class.shape, jobs) {
        (Shape::Doubles(_), _) => for_products(kernels, class, jobs),
        (_, 1 | 2) => wider(kernels, class.folded(&[Fold::Pair]), Fold::Quad),
        (_, 3 | 4) => wider(kernels, class, Fold::Pair),
        _ => class,
    }
}

/// The class of the same length as `class` in which `jobs` products or public powers run.
pub fn for_products<K: Kernels>(kernels: &K, class: &'static Class, jobs: usize) -> &'static Class {
    match jobs {
        1 => class.folded(&[Fold::Quad, Fold::Pair]),
        2 => wider(kernels, class.folded(&[Fold::Pair, Fold::Quad]), Fold::Quad),
        3 | 4 => wider(kernels, class, Fold::Pair),
        _ => class,
    }
}

/// `class`, whose jobs fit into four lanes, or the same length folded so, which they need eight for: whichever takes less time.
fn wider<K: Kernels>(kernels: &K, class: &'static Class, fold: Fold) -> &'static Class {
    let folded = class.folded(&[fold]);
    if kernels.lanes() < 8 || std::ptr::eq(folded, class) || matches!(class.shape, Shape::Doubles(_)) {
        return class;
    }
    let widening = Widening { limbs: class.limbs, fold };
    if kernels.widens(widening, || windows(kernels, [(class, 4), (folded, 8)])) { folded } else { class }
}

/// How long windows of these classes take, in so many lanes.
fn windows<K: Kernels>(kernels: &K, ways: [(&'static Class, usize); 2]) -> [Duration; 2] {
    let [first, second] = ways.map(|(class, lanes)| (kernels.for_lanes(lanes), class));
    let [mut one, mut other] = [first.1, second.1].map(|class| Workspace::new(Layout::of(class).with_table));
    let mut first = Field::new(&first.0, first.1, one.rows());
    let mut second = Field::new(&second.0, second.1, other.rows());
    medians([&mut || first.window(), &mut || second.window()])
}
