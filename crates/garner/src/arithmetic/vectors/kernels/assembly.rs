// SPDX-License-Identifier: Apache-2.0
//! The kernels as assembly: of AVX-512 IFMA, AVX-IFMA, or AVX2 and FMA.

#[cfg(all(test, target_arch = "x86_64"))]
use super::generated::VEX_TESTED_ENTRIES;
#[cfg(target_arch = "x86_64")]
use super::generated::{ENTRIES, NARROW_ENTRIES, VEX_ENTRIES};
use super::{At, Family, Kernel, Kernels, MULTIPLY_10, Rows, Sequence, choice, doubles, two_rows};
use crate::arithmetic::vectors::class::{Blocks, CLASSES, Class, DOUBLES, Direct, DirectKernels, Products};
use crate::arithmetic::vectors::workspace::Workspace;
use garner_kernels::{BLOCK_LIMBS, DIRECT_LIMBS, Lanes, constants, scan};
use once_cell::race::OnceBool;
use std::time::{Duration, Instant};

#[cfg(target_arch = "x86_64")]
pub(super) type P = *mut Lanes;
#[cfg(target_arch = "x86_64")]
pub(super) type Entry = unsafe extern "sysv64" fn(P, P, P, P, P, P);

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

/// Rows in which kernels are measured: as many as a window of the longest numbers in one kernel needs.
const MEASURED_ROWS: usize = constants::ROWS + (4 + 2 * scan::ENTRIES) * DIRECT_LIMBS[DIRECT_LIMBS.len() - 1];

/// For so long kernels run before they are measured.
const WARM_UP: Duration = Duration::from_micros(50);

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

/// Calls a kernel's function.
///
/// # Safety
/// The processor has the function's instructions. From each row of `at` on, memory at `base` is the caller's as far as the
/// kernel reaches, and that of the constants whole; `base` is aligned as the kernel's moves require.
#[cfg(target_arch = "x86_64")]
#[inline]
unsafe fn call(entry: Entry, base: P, at: At) {
    let p = at.map(|row| base.wrapping_add(row));
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

    /// The shortest of some runs of microseconds. Nothing but the time of operations may depend on it.
    ///
    /// It warms up first: after other code processors run 512-bit registers slowly for a while.
    fn time_of(&self, kernel: &Kernel, at: At) -> Duration {
        let mut workspace = Workspace::new(MEASURED_ROWS);
        let mut once = || {
            let start = Instant::now();
            (0..8).for_each(|_| self.run(kernel, workspace.rows(), at));
            start.elapsed()
        };
        let start = Instant::now();
        while start.elapsed() < WARM_UP {
            once();
        }
        (0..16).map(|_| once()).min().unwrap_or_default()
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
            let time = |lanes| self.for_lanes(lanes).time_of(&MULTIPLY_10, [0, 10, 20, 30, 41, 0]);
            4 * time(4) < 3 * time(8)
        })
    }

    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        static MEASURED: [OnceBool; DIRECT_LIMBS.len()] = [const { OnceBool::new() }; DIRECT_LIMBS.len()];
        // By two rows there are kernels for all eight lanes only.
        if self.instructions != Instructions::Avx512 || self.narrow {
            return &direct.one_row;
        }
        let size = DIRECT_LIMBS.iter().position(|limbs| *limbs == direct.limbs).expect("a length with kernels");
        let two_rows_are_faster = || {
            MEASURED[size].get_or_init(|| match choice::wanted() {
                Ok(Some(wanted)) => wanted == Rows::Two,
                // What is not known was refused where the arithmetic was chosen.
                Ok(None) | Err(_) => {
                    let (n, selection) = (constants::ROWS + direct.limbs, constants::ROWS + 2 * direct.limbs);
                    let table = selection + 2 * direct.limbs;
                    let at = [constants::ROWS, selection + direct.limbs, n, 0, table, selection];
                    let time = |kernels: &DirectKernels| self.time_of(kernels.window, at);
                    time(&direct.two_rows) < time(&direct.one_row)
                }
            })
        };
        let two_rows = self.rows.map_or_else(two_rows_are_faster, |rows| rows == Rows::Two);
        if two_rows { &direct.two_rows } else { &direct.one_row }
    }

    fn products(&self, blocks: &'static Blocks) -> &'static Products {
        // Some processors run additions beside multiply-adds, in others both wait for the same ports, perhaps at one width only.
        static MEASURED: [[OnceBool; 3]; BLOCK_LIMBS.len()] =
            [const { [const { OnceBool::new() }; 3] }; BLOCK_LIMBS.len()];
        let way = match self.instructions {
            Instructions::Avx512 => usize::from(self.narrow),
            _ => 2,
        };
        let size = BLOCK_LIMBS.iter().position(|limbs| *limbs == blocks.limbs).expect("a size of blocks");
        let karatsuba_is_faster = MEASURED[size][way].get_or_init(|| {
            let time = |products: &Products| self.time_of(products.old, [80, 0, 20, 120, 0, 0]);
            time(&blocks.karatsuba) < time(&blocks.schoolbook)
        });
        if karatsuba_is_faster { &blocks.karatsuba } else { &blocks.schoolbook }
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
        assert!(self.instructions != Instructions::Avx2, "no sequence is for this processor");
        let (entries, base) = (self.entries(Family::Programs), Assembly::base(sequence.rows, memory));
        for (kernel, at) in &sequence.steps {
            // SAFETY: as in `run`. Sequences need the rows that any of their kernels needs, and have none of another family.
            unsafe { call(entries[kernel.index], base, *at) }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn run(&self, _: &Kernel, _: &mut [Lanes], _: At) {
        unreachable!("no value of this type exists on this processor")
    }
}
