// SPDX-License-Identifier: Apache-2.0
//! Garner's vector kernels: programs over 32 vector registers of eight 64-bit lanes, with back ends.
//!
//! A [`Program`] is straight-line code with loops of fixed count over six base pointers: it has no way to express a
//! branch or an address that depends on data. [`assembly`] prints it for AVX-512 IFMA, [`vex`] for AVX-IFMA and, what does
//! not multiply, for AVX2; what multiplies there stands in [`doubles`].
//! [`interpreter`] runs it in plain Rust, so tests and constant-time checks see the very program the processor runs.
//!
//! Numbers are limb-major rows of [`Lanes`]: row `i` holds limb `i`, radix 2^52, of eight numbers, one in each lane.
//! [`all`] and [`as_written`] list every program; each kernel's contract stands above the function that writes it.

#![forbid(unsafe_code)]

pub mod assembly;
pub mod constants;
pub mod doubles;
pub mod folded;
mod id;
pub mod interpreter;
pub mod known_answer;
pub mod normalise;
pub mod one_row;
pub mod order;
mod parts;
pub mod ports;
pub mod program;
pub mod reducer;
pub mod scan;
pub mod transpose;
pub mod two_rows;
pub mod vex;

use folded::Fold;
pub use id::{Id, Operation};
use normalise::Limbs;
use one_row::{block, block_square, karatsuba, multiply, square, window};
pub use program::Program;
use std::collections::BTreeSet;

/// Bits in a limb.
pub const LIMB_BITS: usize = 52;

/// One 64-bit word of each of eight numbers.
pub type Lanes = [u64; 8];

/// A named program.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Which one of its list.
    pub id: Id,
    /// The name: `square_20`. The symbol is `garner_` followed by it.
    pub name: String,
    /// What it does.
    pub program: Program,
}

/// Limb counts served by one kernel for each operation, all columns in registers.
pub const DIRECT_LIMBS: [usize; 2] = [10, 20];

/// Block sizes from which longer numbers are composed.
pub const BLOCK_LIMBS: [usize; 2] = [15, 20];

/// Limb counts in use: a number is padded to the next. Each is direct, or an even number of equal blocks.
pub const LIMB_COUNTS: [usize; 8] = [10, 20, 30, 40, 60, 80, 120, 160];

/// Block sizes, and how many of them make up a number where that are more than two.
const MANY_BLOCKS: [(usize, usize); 4] = [(15, 4), (20, 4), (20, 6), (20, 8)];

/// Rows of folded numbers: see [`folded`].
pub const FOLDED_ROWS: [usize; 4] = [5, 10, 15, 20];

/// Every kernel, in a fixed order, as AVX-512 runs it: what stands in no loop and is run often is put into the order that a wide
/// processor takes least time for, whose additions wait longest for each other.
pub fn all() -> Vec<Kernel> {
    const PROCESSOR: &ports::Processor = &ports::Processor::ZEN5;
    list(
        |program| order::order_with_fewer_loads(&program, PROCESSOR),
        |program, beside| order::order_beside(&program, &beside, PROCESSOR),
    )
}

/// The same kernels in the same order, but as they were written: where there are sixteen registers, operations far from those
/// before them cost the stores and loads of what waits.
pub fn as_written() -> Vec<Kernel> {
    list(|program| program, |program, beside| beside.then(&program))
}

fn list(ordered: fn(Program) -> Program, beside: fn(Program, Program) -> Program) -> Vec<Kernel> {
    use Operation as O;
    let mut kernels = Vec::new();
    let mut put = |id: Id, program: Program| kernels.push(Kernel { id, name: id.to_string(), program });
    for n in DIRECT_LIMBS {
        put(Id::of(O::Square, n), square::square(n));
        put(Id::of(O::Window, n), window::window(n));
        put(Id::of(O::Multiply, n), multiply::multiply(n));
        put(Id::of(O::HalfMultiply, n), multiply::half_multiply(n));
        put(Id::of(O::HalfReduce, n), multiply::half_reduce(n));
    }
    for m in BLOCK_LIMBS {
        use block::{Columns, Finish};
        use block_square::Goal;
        use karatsuba::Differences;
        let karatsuba = |columns, finish, differences| ordered(karatsuba::product(m, columns, finish, differences));
        let given = karatsuba::product(m, Columns::Old, Finish::Columns, Differences::Given);
        let square = |goal| ordered(block_square::square(m, goal));
        // The kernels of a window stand beside each other: scattered, they would push each other out of the caches of instructions.
        put(Id::of(O::SquareFresh, m), square(Goal::Fresh));
        put(Id::of(O::Difference, m), ordered(block_square::difference(m)));
        put(Id::of(O::SquareMiddle, m), square(Goal::Middle));
        put(Id::of(O::Digits, m), ordered(block::digits(m)));
        if m == karatsuba::SCANNING_BLOCK {
            put(Id::of(O::KaratsubaGivenScan, m), beside(given.clone(), scan::limbs(karatsuba::SCANNED_LIMBS)));
        } else {
            put(Id::of(O::KaratsubaGiven, m), ordered(given.clone()));
            put(Id::of(O::ReduceScan, m), block::reduce(m, true));
        }
        put(Id::of(O::Reduce, m), block::reduce(m, false));
        put(Id::of(O::KaratsubaLast, m), karatsuba(Columns::Old, Finish::Last, Differences::Given));
        put(Id::of(O::Clear, m), block::clear(m));
        put(Id::of(O::KaratsubaOld, m), karatsuba(Columns::Old, Finish::Columns, Differences::Computed));
        // Others.
        if m == karatsuba::SCANNING_BLOCK {
            put(Id::of(O::KaratsubaGiven, m), ordered(given));
            put(Id::of(O::ReduceScan, m), block::reduce(m, true));
        }
        put(Id::of(O::SquareFreshTop, m), square(Goal::FreshTop));
        put(Id::of(O::SquareSubtract, m), square(Goal::Subtract));
        put(Id::of(O::KaratsubaFresh, m), karatsuba(Columns::Fresh, Finish::Columns, Differences::Computed));
        put(Id::of(O::KaratsubaFreshTop, m), karatsuba(Columns::FreshTop, Finish::Columns, Differences::Computed));
        put(Id::of(O::KaratsubaPrepare, m), karatsuba::prepare(m));
        put(Id::of(O::KaratsubaCarry, m), karatsuba(Columns::Old, Finish::Carry, Differences::Given));
        for (operation, columns, finish) in block::PRODUCTS {
            put(Id::of(operation, m), block::product(m, columns, finish));
        }
    }
    for (m, blocks) in MANY_BLOCKS {
        // Of all blocks together: two kinds have blocks of the same length.
        put(Id::of(O::Spread, m * blocks), block_square::spread(m, blocks));
    }
    for m in FOLDED_ROWS {
        put(Id::folded(O::Square, Fold::Pair, m), folded::square::square(m, None));
        let scanned = folded::square::scanned_rows(m);
        put(Id::folded(O::SquareScan, Fold::Pair, m), folded::square::square(m, Some(scanned)));
        for fold in Fold::ALL {
            put(Id::folded(O::Multiply, fold, m), folded::multiply::multiply(fold, m));
            put(Id::folded(O::HalfMultiply, fold, m), folded::multiply::half_multiply(fold, m));
            put(Id::folded(O::HalfReduce, fold, m), folded::multiply::half_reduce(fold, m));
            put(Id::folded(O::Add, fold, m), folded::multiply::add(fold, m));
            put(Id::folded(O::SubtractModulus, fold, m), folded::multiply::subtract_modulus(fold, m));
        }
    }
    put(Id::of(O::Scan, 0), scan::scan());
    put(Id::of(O::Want, 0), scan::want());
    put(Id::of(O::WindowsOfWord, 0), scan::windows_of_word());
    for n in LIMB_COUNTS {
        put(Id::of(O::Add, n), normalise::add(n, Limbs::Whole));
        put(Id::of(O::SubtractModulus, n), normalise::subtract_modulus(n, Limbs::Whole));
    }
    let lengths: BTreeSet<usize> = LIMB_COUNTS.into_iter().chain(FOLDED_ROWS).collect();
    for n in lengths {
        put(Id::of(O::ToLimbs, n), transpose::to_limbs(n));
        put(Id::of(O::ToWords, n), transpose::to_words(n));
        put(Id::of(O::Entry, n), scan::entry(n));
    }
    kernels
}

#[cfg(test)]
mod tests {
    use super::*;
    use assembly::Width;
    use reducer::LAST_ROWS;
    use std::collections::HashSet;

    fn named(name: &str) -> Program {
        all().into_iter().find(|kernel| kernel.name == name).expect("a kernel of this name").program
    }

    #[test]
    fn multiply_adds_are_as_the_contracts_say() {
        for n in DIRECT_LIMBS {
            assert_eq!(named(&format!("square_{n}")).multiply_adds(), 3 * n * n + n);
            assert_eq!(named(&format!("window_{n}")).multiply_adds(), 15 * n * n + 4 * n);
            assert_eq!(named(&format!("multiply_{n}")).multiply_adds(), 4 * n * n);
            assert_eq!(named(&format!("half_multiply_{n}")).multiply_adds(), 3 * n * n);
            assert_eq!(named(&format!("half_reduce_{n}")).multiply_adds(), n * n);
        }
        for m in BLOCK_LIMBS {
            for Kernel { name, program, .. } in all() {
                let madds = program.multiply_adds();
                match name.strip_suffix(&format!("_{m}")) {
                    Some(name) if name.starts_with("product") => assert_eq!(madds, 2 * m * m, "{name}"),
                    Some(name) if name.starts_with("karatsuba") && name != "karatsuba_prepare" => {
                        assert_eq!(madds, karatsuba::multiply_adds(m), "{name}")
                    }
                    Some("reduce" | "reduce_scan") => assert_eq!(madds, 2 * m * m),
                    Some("square_fresh" | "square_fresh_top" | "square_subtract" | "square_middle") => {
                        assert_eq!(madds, m * m + m)
                    }
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn multiply_adds_of_folded_numbers_are_as_the_contracts_say() {
        for m in FOLDED_ROWS {
            for name in ["pair_square", "pair_square_scan"] {
                assert_eq!(named(&format!("{name}_{m}")).multiply_adds(), 2 * (m * m + m) + 4 * m * m + LAST_ROWS);
            }
            for (name, n) in Fold::ALL.map(|fold| (fold.name(), fold.lanes() * m)) {
                assert_eq!(named(&format!("{name}_multiply_{m}")).multiply_adds(), 4 * n * m + LAST_ROWS);
                assert_eq!(named(&format!("{name}_half_multiply_{m}")).multiply_adds(), 3 * n * m + LAST_ROWS);
                assert_eq!(named(&format!("{name}_half_reduce_{m}")).multiply_adds(), n * m + LAST_ROWS);
            }
        }
    }

    #[test]
    fn a_scan_reads_every_entry_of_its_limbs() {
        let loads = |name: &str| named(name).loads();
        let window = 4 * loads("square_20") + loads("half_multiply_20");
        for (name, limbs, plain, scans) in [
            ("scan", scan::LIMBS_PER_CALL, 0, 1),
            ("window_20", 2 * 20, window, 4),
            ("reduce_scan_15", 15, loads("reduce_15"), 1),
            ("karatsuba_given_scan_15", karatsuba::SCANNED_LIMBS, loads("karatsuba_given_15"), 1),
        ] {
            // One load brings the wanted entries' numbers, four their bits.
            assert_eq!(loads(name) - plain, scan::ENTRIES * limbs + 5 * scans, "{name}");
            assert_eq!(named(name).reach()[4], scan::ENTRIES * limbs, "{name}");
        }
    }

    #[test]
    fn names_differ_and_the_assembly_defines_each() {
        let (kernels, mut names) = (all(), HashSet::new());
        let text = assembly::file(&kernels, &[Width::Eight, Width::Four]);
        for kernel in &kernels {
            assert!(names.insert(&kernel.name), "{} twice", kernel.name);
            assert!(text.contains(&format!("\ngarner_{}:\n", kernel.name)));
        }
        assert!(!text.contains("rsp") && !text.contains("rbx"), "kernels use only registers a call may change");
    }

    #[test]
    fn the_assembly_for_avx_ifma_uses_sixteen_registers_and_no_mask() {
        let kernels = all();
        let text = vex::file(&as_written(), vex::Encoding::Vex);
        for kernel in &kernels {
            assert!(text.contains(&format!("\ngarner_{}_vex:\n", kernel.name)));
        }
        for absent in
            ["zmm", "{k", "{1to", "rsp", "rbx"].into_iter().map(String::from).chain((16..32).map(|i| format!("mm{i}")))
        {
            assert!(!text.contains(&absent), "{absent}");
        }
        let unprefixed = text.lines().filter(|line| line.trim_start().starts_with("vpmadd52")).count();
        assert_eq!(unprefixed, 0, "multiply-adds without the prefix are AVX-512's");
    }

    #[test]
    fn the_only_jumps_are_those_of_counted_loops() {
        let text = assembly::file(&all(), &[Width::Eight, Width::Four])
            + &assembly::file(&two_rows::all(), &[Width::Eight])
            + &vex::file(&as_written(), vex::Encoding::Vex);
        for (line, next) in text.lines().zip(text.lines().skip(1)) {
            let jump = next.trim_start().starts_with('j');
            assert!(!jump || line.trim_start().starts_with("dec "), "{next}");
        }
    }
}
