// SPDX-License-Identifier: Apache-2.0
//! In which class jobs run that are too few to fill the lanes.
//!
//! One job may have a lane, or be folded over two or four: then it is done sooner, but fewer fit. Four lanes of 256 bits take less
//! time than eight of 512 on some processors, on others as much. Where that decides, it is measured when it is needed first.

use super::class::{Class, Shape};
use super::field::Field;
use super::kernels::{Kernels, Widening, least_times};
use super::workspace::{Layout, Workspace};
use garner_kernels::folded::Fold;
use std::time::Duration;

/// The class of the same length as `class` in which `jobs` secret powers run.
pub fn for_powers<K: Kernels>(kernels: &K, class: &'static Class, jobs: usize) -> &'static Class {
    match (&class.shape, jobs) {
        (Shape::Doubles(_), _) => for_products(kernels, class, jobs),
        (_, 1 | 2) => wider(kernels, class.folded(&[Fold::Pair]), &[Fold::Quad], jobs),
        (_, 3 | 4) => wider(kernels, class, &[Fold::Pair, Fold::Quad], jobs),
        _ => class,
    }
}

/// The class of the same length as `class` in which `jobs` products or public powers run.
pub fn for_products<K: Kernels>(kernels: &K, class: &'static Class, jobs: usize) -> &'static Class {
    match jobs {
        1 => class.folded(&[Fold::Quad, Fold::Pair]),
        2 => wider(kernels, class.folded(&[Fold::Pair, Fold::Quad]), &[Fold::Quad], jobs),
        3 | 4 => wider(kernels, class, &[Fold::Pair, Fold::Quad], jobs),
        _ => class,
    }
}

/// `class`, in which the jobs fit into four lanes, or the same length folded in the first of these ways that there is, in which
/// they need eight: whichever takes less time.
fn wider<K: Kernels>(kernels: &K, class: &'static Class, folds: &[Fold], jobs: usize) -> &'static Class {
    let folded = class.folded(folds);
    let Some(fold) = folded.fold().filter(|_| kernels.lanes() == 8 && !std::ptr::eq(folded, class)) else {
        return class;
    };
    let passes = jobs.div_ceil(folded.jobs(8));
    let widening = Widening { limbs: class.limbs, fold, passes };
    if kernels.widens(widening, || windows(kernels, class, (folded, passes))) { folded } else { class }
}

/// How long a window of a class takes in four lanes, and so many of the other class in eight.
fn windows<K: Kernels>(kernels: &K, class: &'static Class, (folded, passes): (&'static Class, usize)) -> [Duration; 2] {
    let [four, eight] = [4, 8].map(|lanes| kernels.for_lanes(lanes));
    let [mut one, mut other] = [class, folded].map(|class| Workspace::new(Layout::of(class).with_table));
    let mut first = Field::new(&four, class, one.rows());
    let mut second = Field::new(&eight, folded, other.rows());
    let times = least_times(&mut [&mut || first.window(), &mut || (0..passes).for_each(|_| second.window())]);
    [times[0], times[1]]
}
