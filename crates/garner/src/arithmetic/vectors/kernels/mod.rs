// SPDX-License-Identifier: Apache-2.0
//! The kernels, and the two ways to run them: as assembly, or interpreted.

mod assembly;
mod choice;
mod interpreted;
mod timing;

use super::class::{Blocks, CLASSES, Class, Composition, Direct, DirectKernels};
pub use assembly::Assembly;
#[cfg(target_arch = "x86_64")]
use assembly::{Entry, P};
pub use choice::{Rows, wanted};
use garner_kernels::fold::Fold;
use garner_kernels::{Lanes, constants, program::Pointer};
pub use interpreted::{Interpreted, InterpretedDoubles, InterpretedTwoRows, InterpretedVex};
use std::time::Duration;
pub use timing::medians;

/// A kernel of `garner-kernels`, where its contract stands.
#[derive(Debug)]
pub struct Kernel {
    /// Its name there.
    pub name: &'static str,
    /// How many multiply-adds it executes.
    pub multiply_adds: usize,
    /// Which list it stands in,
    family: Family,
    /// and where.
    index: usize,
    /// How many rows from each pointer on it may touch.
    reach: [usize; Pointer::COUNT],
    /// What its twin answers to the question of [`garner_kernels::known_answer`]; of kernels in double precision nothing.
    answer: Lanes,
}

impl Kernel {
    /// How many rows from each pointer on it may touch.
    pub fn reach(&self) -> [usize; Pointer::COUNT] {
        self.reach
    }

    /// What identifies its answer to the question of [`garner_kernels::known_answer`].
    pub fn answer(&self) -> &Lanes {
        &self.answer
    }

    /// Rows of memory that it needs with its pointers there.
    fn rows(&self, at: At) -> usize {
        let reached = at.iter().zip(&self.reach).map(|(at, reach)| at.saturating_add(*reach));
        // Behind the constants stand spilled values.
        let constants = at[constants::POINTER.index()].saturating_add(constants::ROWS);
        reached.fold(constants, usize::max)
    }
}

/// The lists of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// [`garner_kernels::all`]
    Programs,
    /// [`garner_kernels::doubles::all`]
    Doubles,
    /// [`garner_kernels::two_rows::all`]
    TwoRows,
}

/// Rows in memory for a kernel's six pointers; zero for one it does not use.
pub type At = [usize; Pointer::COUNT];

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

/// One constant for each kernel, named after it, `ALL` of them, and `kernel`, which finds one by its identifier.
#[allow(missing_docs)]
mod generated {
    use super::*;
    use garner_kernels::{Id, Operation};
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
    #[cfg(target_arch = "x86_64")]
    include!(concat!(env!("OUT_DIR"), "/vex.rs"));
    #[cfg(all(test, target_arch = "x86_64"))]
    include!(concat!(env!("OUT_DIR"), "/vex_tested.rs"));
}
pub use generated::*;

/// The same for the kernels in double precision.
#[allow(missing_docs)]
pub mod doubles {
    use super::*;
    use garner_kernels::{Id, Operation};
    include!(concat!(env!("OUT_DIR"), "/doubles.rs"));
}

/// The same for the kernels by two rows at a time.
#[allow(missing_docs)]
pub mod two_rows {
    use super::*;
    use garner_kernels::{Id, Operation};
    include!(concat!(env!("OUT_DIR"), "/two_rows.rs"));
}
