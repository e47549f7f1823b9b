// SPDX-License-Identifier: Apache-2.0
//! The two ways to run kernels: as assembly, or interpreted.

mod assembly;
mod choice;
mod interpreted;
mod timing;

use super::catalogue::Family;
pub use super::catalogue::*;
use super::class::{Blocks, CLASSES, Class, Composition, Direct, DirectKernels};
pub use assembly::Assembly;
pub use choice::{Rows, wanted};
use garner_kernels::Lanes;
use garner_kernels::folded::Fold;
pub use interpreted::{Interpreted, InterpretedDoubles, InterpretedTwoRows, InterpretedVex};
use std::time::Duration;
pub use timing::least_times;

/// Kernels that run one after another, and where: worked out once, run often.
#[derive(Debug, Default)]
pub struct Sequence {
    steps: Vec<(&'static Kernel, At)>,
    /// Rows of memory that they need.
    rows: usize,
    /// Whether there are any by two rows.
    two_rows: bool,
}

impl Sequence {
    /// These kernels, none of those in double precision.
    fn of(steps: impl IntoIterator<Item = (&'static Kernel, At)>) -> Sequence {
        let mut sequence = Sequence::default();
        steps.into_iter().for_each(|(kernel, at)| sequence.push(kernel, at));
        sequence
    }

    /// Adds a kernel, none of those in double precision.
    pub fn push(&mut self, kernel: &'static Kernel, at: At) {
        assert_ne!(kernel.family, Family::Doubles, "{} runs in no sequence", kernel.name);
        self.two_rows |= kernel.family == Family::TwoRows;
        self.rows = self.rows.max(kernel.rows(at));
        self.steps.push((kernel, at));
    }

    /// Takes all of them away.
    pub fn clear(&mut self) {
        self.steps.clear();
        (self.rows, self.two_rows) = (0, false);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The kernels, in their order.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel> {
        self.steps.iter().map(|(kernel, _)| *kernel)
    }

    /// How many multiply-adds they execute.
    pub fn multiply_adds(&self) -> usize {
        self.steps.iter().map(|(kernel, _)| kernel.multiply_adds).sum()
    }
}

/// A choice between a pass of four lanes and some of eight, of numbers folded one time more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Widening {
    /// The numbers' limbs.
    pub limbs: usize,
    /// How the numbers are folded in eight lanes.
    pub fold: Fold,
    /// How many passes of eight lanes they take, one or two.
    pub passes: usize,
}

/// What two passes run whose windows run in turn.
#[derive(Debug, Clone, Copy)]
pub struct InTurn {
    /// The kernels of each.
    pub direct: &'static DirectKernels,
    /// That of the windows of both.
    pub windows: &'static Kernel,
}

impl InTurn {
    /// By these kernels, if there is one for windows in turn.
    pub fn of(direct: &'static DirectKernels) -> Option<InTurn> {
        direct.windows_in_turn.map(|windows| InTurn { direct, windows })
    }
}

/// A way to run kernels.
pub trait Kernels {
    /// `"ifma"`, `"avx-ifma"`, `"avx2"` or, interpreted, `"twin"`.
    fn name(&self) -> &'static str;

    /// The classes of numbers whose kernels it runs, shortest first.
    fn classes(&self) -> &'static [Class; 8] {
        &CLASSES
    }

    /// Runs `kernel` over `memory`, its pointers set to the rows `at`.
    ///
    /// # Panics
    /// When the kernel would leave `memory`.
    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At);

    /// Runs the kernels of `sequence` over `memory`, one after another.
    ///
    /// # Panics
    /// When one would leave `memory`.
    fn run_all(&self, sequence: &Sequence, memory: &mut [Lanes]) {
        sequence.steps.iter().for_each(|(kernel, at)| self.run(kernel, memory, *at));
    }

    /// The way to run a pass of which only the first `lanes` lanes are in use.
    fn for_lanes(&self, lanes: usize) -> Self
    where
        Self: Sized;

    /// How many lanes there are.
    fn lanes(&self) -> usize;

    /// Whether the kernels of this length answer: those that were not asked before are now. Where they do not, libcrypto does their
    /// work.
    fn answer(&self, _: &'static Class) -> bool {
        true
    }

    /// Whether four lanes take less time than eight; never where there are no more than four.
    fn halves_are_faster(&self) -> bool {
        false
    }

    /// Whether eight lanes of numbers folded one time more take less time than four lanes: found once for each, by the `times` of
    /// both. Never where no time is measured.
    fn widens(&self, _: Widening, _times: impl FnOnce() -> [Duration; 2]) -> bool {
        false
    }

    /// The kernels of this length that take less time here. Those by one row are the choice where no time is measured.
    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        &direct.one_row
    }

    /// The kernels of two passes whose windows run in turn, where that takes less time than one pass after the other.
    fn in_turn(&self, direct: &'static Direct) -> Option<InTurn> {
        InTurn::of(self.direct(direct))
    }

    /// How operations on numbers of these blocks take less time here: Karatsuba's products need more additions and fewer
    /// multiply-adds. By one row and with those they are made where no time is measured; else by the time of these windows, of
    /// numbers of two blocks.
    fn composition(&self, blocks: &'static Blocks, _windows: &dyn Fn(Composition) -> Sequence) -> Composition {
        Composition::OneRow(&blocks.one_row, &blocks.one_row.karatsuba)
    }
}
