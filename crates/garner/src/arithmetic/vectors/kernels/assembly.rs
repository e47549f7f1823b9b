// SPDX-License-Identifier: Apache-2.0
//! The kernels as assembly: of AVX-512 IFMA, AVX-IFMA, or AVX2 and FMA.

use super::{
    At, Family, InTurn, Kernel, Kernels, MULTIPLY_10, Rows, Sequence, Widening, choice, doubles, least_times, two_rows,
};
#[cfg(all(test, target_arch = "x86_64"))]
use crate::arithmetic::vectors::catalogue::VEX_TESTED_ENTRIES;
#[cfg(target_arch = "x86_64")]
use crate::arithmetic::vectors::catalogue::{ENTRIES, Entry, NARROW_ENTRIES, P, VEX_ENTRIES};
use crate::arithmetic::vectors::class::{Blocks, CLASSES, Class, Composition, DOUBLES, Direct, DirectKernels};
use crate::arithmetic::vectors::known_answers;
use crate::arithmetic::vectors::workspace::{Layout, Workspace};
use garner_kernels::folded::Fold;
use garner_kernels::two_rows::{self as two_rows_kernels, window};
use garner_kernels::{BLOCK_LIMBS, DIRECT_LIMBS, Lanes};
use once_cell::race::{OnceBool, OnceNonZeroUsize};
use std::cell::RefCell;
use std::iter;
use std::num::NonZeroUsize;
use std::time::Duration;

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/kernels.s")), options(raw));
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/vex.s")), options(raw));
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/doubles.s")), options(raw));
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/two_rows.s")), options(raw));
#[cfg(all(test, target_arch = "x86_64"))]
std::arch::global_asm!(include_str!(concat!(env!("OUT_DIR"), "/vex_tested.s")), options(raw));

/// Runs the kernels as assembly. Exists only where the processor can.
#[derive(Debug, Clone, Copy)]
pub struct Assembly {
    instructions: Instructions,
    /// Only the first four lanes are in use.
    narrow: bool,
    /// Which kernels run, where that is not found by measurement.
    rows: Option<Rows>,
}

/// The instructions that the processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instructions {
    Avx512,
    /// Of 256 bits: AVX2 and AVX-IFMA.
    AvxIfma,
    /// Of 256 bits: AVX2 and FMA. Products are of double precision.
    Avx2,
    /// AVX-IFMA's functions with multiply-adds in AVX-512's encoding, where only that can be had.
    #[cfg(test)]
    Avx512ForAvxIfma,
}

/// Where the windows of a word of the exponents run, in a workspace that begins with the row `first`: their time depends on where
/// their rows lie.
fn rows_of_windows(direct: &Direct, first: usize) -> At {
    let class = CLASSES.iter().find(|class| class.limbs == direct.limbs).expect("a length with kernels");
    let Layout { accumulator, wanted, modulus, constants, table, selection, .. } = Layout::of(class);
    [accumulator, wanted, modulus, constants, table, selection].map(|row| first + row)
}

/// Those windows.
fn windows(direct: &Direct, kernels: &DirectKernels, first: usize) -> Vec<(&'static Kernel, At)> {
    let at = rows_of_windows(direct, first);
    match kernels.windows {
        Some(windows) => vec![(windows, at)],
        None => {
            let [accumulator, _, modulus, constants, table, selection] = at;
            let at = [accumulator, selection + direct.limbs, modulus, constants, table, selection];
            vec![(kernels.window, at); two_rows_kernels::WINDOWS]
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl Assembly {
    /// The functions of `family`.
    fn entries(&self, family: Family) -> &'static [Entry] {
        match (family, self.instructions) {
            (Family::Doubles, _) => &doubles::ENTRIES,
            (Family::TwoRows, _) => &two_rows::ENTRIES,
            (_, Instructions::Avx512) if self.narrow => &NARROW_ENTRIES,
            (_, Instructions::Avx512) => &ENTRIES,
            (_, Instructions::AvxIfma | Instructions::Avx2) => &VEX_ENTRIES,
            #[cfg(test)]
            (_, Instructions::Avx512ForAvxIfma) => &VEX_TESTED_ENTRIES,
        }
    }

    /// The first of `memory`, of which kernels need so many rows.
    fn base(rows: usize, memory: &mut [Lanes]) -> P {
        assert!(rows <= memory.len(), "a kernel would leave its memory");
        let base = memory.as_mut_ptr();
        assert!(base.addr().is_multiple_of(64), "rows are aligned");
        base
    }
}

/// Which of these ways takes least time; of those that differ by no more than a hundredth the last, of which each gives the vector ports
/// less to do than those before it. While another thread takes part of the core, ways may take as long as each other that do not
/// otherwise.
fn fastest(times: &[Duration]) -> usize {
    let least = *times.iter().min().expect("some way");
    times.iter().rposition(|time| 100 * *time <= 101 * least).expect("the least is as good as itself")
}

/// Calls a kernel's function.
///
/// # Safety
/// The processor has the function's instructions. From each row of `at` on, memory at `base` is the caller's as far as the
/// kernel reaches, and that of the constants whole; `base` is aligned as the kernel's moves require.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn call(entry: Entry, base: P, at: At) {
    // Word by word, which volatile loads are: a wider load of words that have been stored one by one waits until they are in memory,
    // and they get there after all that went before, the last kernel too.
    // SAFETY: each is read from a reference to it.
    let p = at.each_ref().map(|row| base.wrapping_add(unsafe { std::ptr::read_volatile(row) }));
    // SAFETY: the caller's promise.
    unsafe { entry(p[0], p[1], p[2], p[3], p[4], p[5]) }
}

impl Assembly {
    /// The assembly for AVX-512 IFMA, if processor and operating system support all instructions it uses.
    pub fn new() -> Option<Assembly> {
        #[cfg(target_arch = "x86_64")]
        {
            let supported = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512ifma");
            supported.then_some(Assembly { instructions: Instructions::Avx512, narrow: false, rows: None })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The same, by these kernels whatever takes less time.
    #[doc(hidden)]
    pub fn by(self, rows: Rows) -> Assembly {
        Assembly { rows: Some(rows), ..self }
    }

    /// The assembly for processors with AVX-IFMA.
    pub fn avx_ifma() -> Option<Assembly> {
        #[cfg(target_arch = "x86_64")]
        {
            let supported = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("avxifma");
            supported.then_some(Assembly { instructions: Instructions::AvxIfma, narrow: true, rows: None })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The assembly for processors with AVX2 and FMA, whatever their rounding: [`Native::available`] tries it.
    ///
    /// [`Native::available`]: crate::arithmetic::vectors::Native::available
    pub fn avx2() -> Option<Assembly> {
        #[cfg(target_arch = "x86_64")]
        {
            let supported = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            supported.then_some(Assembly { instructions: Instructions::Avx2, narrow: true, rows: None })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }

    /// The times of ways to do the same, in one memory: measuring is to need no more of it than operations do.
    fn times(ways: &[(Assembly, Sequence)]) -> Vec<Duration> {
        let rows = ways.iter().map(|(_, kernels)| kernels.rows).max().unwrap_or(0);
        let workspace = &RefCell::new(Workspace::new(rows));
        let run =
            |(assembly, kernels): &'_ (Assembly, Sequence)| assembly.run_all(kernels, workspace.borrow_mut().rows());
        let mut runs: Vec<_> = ways.iter().map(|way| move || run(way)).collect();
        least_times(&mut runs.iter_mut().map(|run| run as &mut dyn FnMut()).collect::<Vec<_>>())
    }

    /// Which of so many ways runs, the first by one row and the others by two: as was asked for, or by the times that they take, which
    /// are not measured where there is no choice.
    fn way(&self, ways: usize, measured: &OnceNonZeroUsize, times: impl FnOnce() -> Vec<Duration>) -> usize {
        // There are kernels by two rows for all eight lanes only.
        if self.instructions != Instructions::Avx512 || self.narrow {
            return 0;
        }
        let of = |wanted: Rows| if wanted == Rows::One { 0..1 } else { 1..ways };
        if let Some(wanted) = self.rows {
            return of(wanted).end - 1;
        }
        let find = || {
            // What is not known was refused where the arithmetic was chosen.
            let ways = choice::wanted().ok().flatten().map_or(0..ways, of);
            if ways.len() == 1 { ways.start } else { ways.start + fastest(&times()[ways]) }
        };
        let chosen = measured.get_or_init(|| NonZeroUsize::MIN.saturating_add(find()));
        chosen.get() - 1
    }

    /// Whether the processor has the kernel's instructions: those that do not multiply are the same for all.
    fn has(&self, kernel: &Kernel) -> bool {
        match self.instructions {
            Instructions::Avx2 => {
                kernel.family == Family::Doubles || kernel.family == Family::Programs && kernel.multiply_adds == 0
            }
            Instructions::Avx512 => kernel.family != Family::Doubles,
            _ => kernel.family == Family::Programs,
        }
    }

    /// What [`Assembly::avx_ifma`] runs, on a processor with AVX-512 IFMA.
    #[cfg(test)]
    pub fn avx_ifma_on_avx512() -> Option<Assembly> {
        Assembly::new().map(|_| Assembly { instructions: Instructions::Avx512ForAvxIfma, narrow: true, rows: None })
    }
}

impl Kernels for Assembly {
    fn name(&self) -> &'static str {
        match self.instructions {
            Instructions::Avx512 => "ifma",
            Instructions::Avx2 => "avx2",
            _ => "avx-ifma",
        }
    }

    fn classes(&self) -> &'static [Class; 8] {
        if self.instructions == Instructions::Avx2 { &DOUBLES } else { &CLASSES }
    }

    fn answer(&self, class: &'static Class) -> bool {
        // Not a `OnceLock`, which would block the child of a fork for ever that was made while another thread is inside.
        static ANSWERS: [OnceBool; DOUBLES.len()] = [const { OnceBool::new() }; DOUBLES.len()];
        if self.instructions != Instructions::Avx2 || class.limbs <= known_answers::ASKED_AT_ONCE {
            return true;
        }
        let length = DOUBLES.iter().position(|other| other.limbs == class.limbs).expect("the length of a class");
        ANSWERS[length].get_or_init(|| {
            let wrong = known_answers::wrong_operation(self, class);
            if let Some(kernel) = wrong {
                tracing::warn!(way = self.name(), limbs = class.limbs, kernel, "wrong answers: libcrypto instead");
            }
            wrong.is_none()
        })
    }

    fn for_lanes(&self, lanes: usize) -> Assembly {
        Assembly { narrow: lanes <= 4, ..*self }
    }

    fn lanes(&self) -> usize {
        if self.instructions == Instructions::Avx512 { 8 } else { 4 }
    }

    fn halves_are_faster(&self) -> bool {
        if self.lanes() == 4 {
            return false;
        }
        // Not a `OnceLock`, which would block the child of a fork for ever that was made while another thread is inside.
        static MEASURED: OnceBool = OnceBool::new();
        MEASURED.get_or_init(|| {
            // Processors with two 512-bit multipliers and others cannot be told apart by their feature bits.
            let way = |lanes| (self.for_lanes(lanes), Sequence::of([(&MULTIPLY_10, [0, 10, 20, 30, 41, 0])]));
            let times = Assembly::times(&[way(4), way(8)]);
            4 * times[0] < 3 * times[1]
        })
    }

    fn widens(&self, widening: Widening, times: impl FnOnce() -> [Duration; 2]) -> bool {
        static MEASURED: [[[OnceBool; CLASSES.len()]; 2]; Fold::ALL.len()] =
            [const { [const { [const { OnceBool::new() }; CLASSES.len()] }; 2] }; Fold::ALL.len()];
        let Widening { limbs, fold, passes } = widening;
        let length = CLASSES.iter().position(|class| class.limbs == limbs).expect("the length of a class");
        MEASURED[fold as usize][passes - 1][length].get_or_init(|| {
            // By a margin: some processors run 512-bit code by a lower clock, which in turn rules both.
            let [four, eight] = times();
            10 * eight < 9 * four
        })
    }

    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        static MEASURED: [OnceNonZeroUsize; DIRECT_LIMBS.len()] =
            [const { OnceNonZeroUsize::new() }; DIRECT_LIMBS.len()];
        let size = DIRECT_LIMBS.iter().position(|limbs| *limbs == direct.limbs).expect("a length with kernels");
        let mut ways = iter::once(&direct.one_row).chain(direct.by_two_rows());
        let chosen = self.way(ways.clone().count(), &MEASURED[size], || {
            let windows = |kernels| (*self, Sequence::of(windows(direct, kernels, 0)));
            Assembly::times(&ways.clone().map(windows).collect::<Vec<_>>())
        });
        ways.nth(chosen).expect("one of the ways")
    }

    fn in_turn(&self, direct: &'static Direct) -> Option<InTurn> {
        // Only the shortest numbers have such kernels: 1 for none of them, 2 or 3 for one.
        static MEASURED: OnceNonZeroUsize = OnceNonZeroUsize::new();
        if self.instructions != Instructions::Avx512 || self.narrow {
            return None;
        }
        let [by_merges, by_permutation] = [&direct.two_rows_merging, &direct.two_rows].map(InTurn::of);
        let ways = [by_merges?, by_permutation?];
        if let Some(rows) = self.rows {
            return Some(ways[1]).filter(|_| rows == Rows::Two);
        }
        let find = || {
            // There are such kernels by two rows only: where those by one row run, they may run for two passes all the same.
            if choice::wanted() == Ok(Some(Rows::One)) {
                return 0;
            }
            let kernels = self.direct(direct);
            let each = [0, window::APART].map(|first| windows(direct, kernels, first));
            let [first, second] =
                ways.map(|in_turn| (*self, Sequence::of([(in_turn.windows, rows_of_windows(direct, 0))])));
            fastest(&Assembly::times(&[(*self, Sequence::of(each.concat())), first, second]))
        };
        let chosen = MEASURED.get_or_init(|| NonZeroUsize::MIN.saturating_add(find()));
        chosen.get().checked_sub(2).map(|way| ways[way])
    }

    fn composition(&self, blocks: &'static Blocks, windows: &dyn Fn(Composition) -> Sequence) -> Composition {
        // Some processors run additions beside multiply-adds, in others both wait for the same ports, perhaps at one width only.
        static KARATSUBA: [[OnceBool; 3]; BLOCK_LIMBS.len()] =
            [const { [const { OnceBool::new() }; 3] }; BLOCK_LIMBS.len()];
        static ROWS: [OnceNonZeroUsize; BLOCK_LIMBS.len()] = [const { OnceNonZeroUsize::new() }; BLOCK_LIMBS.len()];
        let way = match self.instructions {
            Instructions::Avx512 => usize::from(self.narrow),
            _ => 2,
        };
        let size = BLOCK_LIMBS.iter().position(|limbs| *limbs == blocks.limbs).expect("a size of blocks");
        // All of a window: kernels that are fast alone may not leave each other room in the instruction cache.
        let times = |ways: [Composition; 2]| Assembly::times(&ways.map(|way| (*self, windows(way))));
        let [karatsuba, schoolbook] = [&blocks.one_row.karatsuba, &blocks.one_row.schoolbook]
            .map(|products| Composition::OneRow(&blocks.one_row, products));
        let by_one_row = || {
            let karatsuba_is_faster = KARATSUBA[size][way].get_or_init(|| {
                let times = times([karatsuba, schoolbook]);
                times[0] < times[1]
            });
            if karatsuba_is_faster { karatsuba } else { schoolbook }
        };
        let two_rows = Composition::TwoRows(&blocks.two_rows);
        let chosen = self.way(2, &ROWS[size], || times([by_one_row(), two_rows]));
        if chosen == 0 { by_one_row() } else { two_rows }
    }

    #[cfg(target_arch = "x86_64")]
    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        assert!(self.has(kernel), "{} is not for this processor", kernel.name);
        let entry = self.entries(kernel.family)[kernel.index];
        // SAFETY: that the processor has the instructions was found out when this value was made; the kernel touches only
        // the rows that it needs, all of them in `memory`, which is aligned and borrowed for the call.
        unsafe { call(entry, Assembly::base(kernel.rows(at), memory), at) }
    }

    /// All is checked before the first: checks before each showed in the time of kernels of a few hundred cycles.
    #[cfg(target_arch = "x86_64")]
    fn run_all(&self, sequence: &Sequence, memory: &mut [Lanes]) {
        let suits = match self.instructions {
            Instructions::Avx512 => true,
            Instructions::Avx2 => false,
            _ => !sequence.two_rows,
        };
        assert!(suits, "this sequence is not for this processor");
        let base = Assembly::base(sequence.rows, memory);
        for (kernel, at) in &sequence.steps {
            // SAFETY: as in `run`. Sequences need the rows that any of their kernels needs, and have none in double precision.
            unsafe { call(self.entries(kernel.family)[kernel.index], base, *at) }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn run(&self, _: &Kernel, _: &mut [Lanes], _: At) {
        unreachable!("no value of this type exists on this processor")
    }
}
