// SPDX-License-Identifier: Apache-2.0
//! Which kernels there are: of each its name, its costs and where its code is. `class` lists those of a length; `kernels` runs them.

use garner_kernels::program::Pointer;
use garner_kernels::{Lanes, constants};

#[cfg(target_arch = "x86_64")]
pub(super) type P = *mut Lanes;
#[cfg(target_arch = "x86_64")]
pub(super) type Entry = unsafe extern "sysv64" fn(P, P, P, P, P, P);

/// A kernel of `garner-kernels`, where its contract stands.
#[derive(Debug)]
pub struct Kernel {
    /// Its name there.
    pub name: &'static str,
    /// How many multiply-adds it executes.
    pub multiply_adds: usize,
    /// Which list it stands in,
    pub(super) family: Family,
    /// and where.
    pub(super) index: usize,
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
    pub(super) fn rows(&self, at: At) -> usize {
        let reached = at.iter().zip(&self.reach).map(|(at, reach)| at.saturating_add(*reach));
        // Behind the constants stand spilled values.
        let constants = at[constants::POINTER.index()].saturating_add(constants::ROWS);
        reached.fold(constants, usize::max)
    }
}

/// The lists of kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// [`garner_kernels::all`]
    Programs,
    /// [`garner_kernels::doubles::all`]
    Doubles,
    /// [`garner_kernels::two_rows::all`]
    TwoRows,
}

/// Rows in memory for a kernel's six pointers; zero for one it does not use.
pub type At = [usize; Pointer::COUNT];

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
#[cfg(all(test, target_arch = "x86_64"))]
pub(super) use generated::VEX_TESTED_ENTRIES;
pub use generated::*;
#[cfg(target_arch = "x86_64")]
pub(super) use generated::{ENTRIES, NARROW_ENTRIES, VEX_ENTRIES};

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
