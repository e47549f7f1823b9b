// SPDX-License-Identifier: Apache-2.0
//! Modular arithmetic by AVX-512 IFMA, eight numbers at a time, or four by AVX-IFMA or AVX2 and FMA.
//!
//! Called through [`Arithmetic`]. Sorts the jobs of a batch into passes of up to eight lanes, of few jobs folded over
//! two or four lanes each where that is faster, and runs each pass by kernels of `garner-kernels`. [`Twin`] is the same code over interpreted kernels.

pub mod bits;
#[allow(unsafe_code, reason = "the generated kernels' declarations")]
mod catalogue;
pub mod class;
pub mod field;
#[allow(unsafe_code, reason = "the generated kernels' calls")]
pub mod kernels;
mod known_answers;
mod power;
mod ways;
pub mod workspace;

#[cfg(test)]
mod tests;

use super::libcrypto::Libcrypto;
use super::{Arithmetic, Modulus, Multiply, Power, powers};
use crate::words::bit_length;
use class::{Class, Shape};
use garner_kernels::two_rows::window::TURNS;
use kernels::{Assembly, Interpreted, InterpretedDoubles, InterpretedTwoRows, InterpretedVex, Kernels};
pub use known_answers::Refused;
use known_answers::Tested;
use once_cell::race::{OnceBool, OnceBox};
use std::ptr;
use std::slice::{self, ChunksMut};

/// The arithmetic over a way to run kernels.
#[derive(Debug, Clone, Copy, Default)]
pub struct Vectors<K>(K);

/// Eight numbers at a time by the processor's AVX-512 IFMA instructions, or four by AVX-IFMA or in double precision.
pub type Native = Vectors<Assembly>;

/// The same on any processor, slowly: for tests and constant-time checks.
#[doc(hidden)]
pub type Twin = Vectors<Interpreted>;

/// The same by two rows at a time.
#[doc(hidden)]
pub type TwoRowsTwin = Vectors<InterpretedTwoRows>;

/// What AVX-IFMA runs, on any processor.
#[doc(hidden)]
pub type VexTwin = Vectors<InterpretedVex>;

/// What AVX2 and FMA run, on any processor.
#[doc(hidden)]
pub type DoublesTwin = Vectors<InterpretedDoubles>;

impl<K> Vectors<K> {
    /// The arithmetic over these kernels.
    #[doc(hidden)]
    pub fn over(kernels: K) -> Vectors<K> {
        Vectors(kernels)
    }
}

impl Native {
    /// All that processor and operating system support and whose kernels give right answers, the fastest first.
    pub fn available() -> Vec<Native> {
        tested().ways.iter().copied().map(Vectors).collect()
    }

    /// Kernels that gave wrong answers before their first use here, and do not run. Those in double precision for numbers above 2,048
    /// bits are asked later, and are not among them.
    pub fn refused() -> &'static [Refused] {
        &tested().refused
    }

    /// The first of those, if there is one.
    pub fn fastest() -> Option<Native> {
        Native::available().first().copied()
    }
}

impl<K: Kernels + Send + Sync> Arithmetic for Vectors<K> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn lanes(&self) -> usize {
        self.0.lanes()
    }

    fn multiply(&self, jobs: &mut [Multiply<'_>]) {
        multiply(&self.0, jobs);
    }

    fn power_secret(&self, jobs: &mut [Power<'_>]) {
        power_secret(&self.0, jobs);
    }

    fn power_public(&self, jobs: &mut [Power<'_>]) {
        power_public(&self.0, jobs);
    }
}

/// Every way to run kernels here, asked once in a process.
fn tested() -> &'static Tested<Assembly> {
    // Not a `OnceLock`, which would block the child of a fork for ever that was made while another thread is inside.
    static TESTED: OnceBox<Tested<Assembly>> = OnceBox::new();
    TESTED.get_or_init(|| {
        let avx2 = Assembly::avx2().filter(|avx2| rounds_toward_zero(*avx2));
        Box::new(known_answers::test([Assembly::new(), Assembly::avx_ifma(), avx2].into_iter().flatten()))
    })
}

/// Whether the rounding that the kernels in double precision ask for is what they get: an emulator may know the
/// instructions and not heed it, and then results would be wrong.
fn rounds_toward_zero(avx2: Assembly) -> bool {
    // Not a `OnceLock`, which would block the child of a fork for ever that was made while another thread is inside.
    static FOUND: OnceBool = OnceBool::new();
    FOUND.get_or_init(|| {
        [0x9e37_79b9_7f4a_7c15_u64, 0xd1b5_4a32_d192_ed03, u64::MAX].into_iter().all(|word| {
            let (n, a) = ([word | 1 << 63 | 1; 8], [word >> 1; 8]);
            let Ok(modulus) = Modulus::new(&n) else { return false };
            // One folded, the others not.
            let mut products = [[0; 8]; 5];
            let mut jobs =
                products.each_mut().map(|result| Multiply { modulus: &modulus, a: &a, b: &a, result, c: None });
            Vectors(avx2).multiply(&mut jobs);
            products.iter().all(|product| powers::is_product(&n, &a, &a, product))
        })
    })
}

fn multiply<K: Kernels>(kernels: &K, jobs: &mut [Multiply<'_>]) {
    let key = |job: &Multiply<'_>| class_of(kernels, job.modulus).limbs;
    let mut jobs: Vec<&mut Multiply<'_>> = jobs.iter_mut().collect();
    jobs.sort_by_key(|job| key(job));
    for same in jobs.chunk_by_mut(|a, b| key(a) == key(b)) {
        let class = class_of(kernels, same[0].modulus);
        if kernels.answer(class) {
            for_passes(kernels, |jobs| ways::for_products(kernels, class, jobs), same, power::multiply);
        } else {
            same.iter_mut().for_each(|job| Libcrypto.multiply(slice::from_mut(&mut **job)));
        }
    }
}

fn power_secret<K: Kernels>(kernels: &K, jobs: &mut [Power<'_>]) {
    // Lanes of one pass take the time of the longest exponent and the longest base: keep like with like. One modulus comes to all
    // lanes sooner than several.
    let key = |job: &Power<'_>| {
        (class_of(kernels, job.modulus).limbs, job.exponent.len(), job.base.len(), ptr::from_ref(job.modulus))
    };
    let mut jobs: Vec<&mut Power<'_>> = jobs.iter_mut().collect();
    jobs.sort_by_key(|job| key(job));
    for same in jobs.chunk_by_mut(|a, b| key(a).0 == key(b).0) {
        let class = class_of(kernels, same[0].modulus);
        if kernels.answer(class) {
            let rest = powers_in_turn(kernels, class, same);
            for_passes(kernels, |jobs| ways::for_powers(kernels, class, jobs), rest, power::secret);
        } else {
            same.iter_mut().for_each(|job| Libcrypto.power_secret(slice::from_mut(&mut **job)));
        }
    }
}

/// Runs as many of the jobs as fill two passes at a time, where two take less time in turn; returns the others.
fn powers_in_turn<'j, 'r, 'p, K: Kernels>(
    kernels: &K,
    class: &'static Class,
    jobs: &'j mut [&'r mut Power<'p>],
) -> &'j mut [&'r mut Power<'p>] {
    let both = TURNS * kernels.lanes();
    let Shape::Direct(direct) = class.shape else { return jobs };
    if jobs.len() < both {
        return jobs;
    }
    let Some(in_turn) = kernels.in_turn(direct) else { return jobs };
    let (whole, rest) = jobs.split_at_mut(jobs.len() - jobs.len() % both);
    power::secret_in_turn(kernels, class, in_turn, whole);
    rest
}

fn power_public<K: Kernels>(kernels: &K, jobs: &mut [Power<'_>]) {
    fn key<'p>(job: &Power<'p>) -> (usize, &'p [u64]) {
        (Class::for_bits(job.modulus.bits()).limbs, trimmed(job.exponent))
    }
    let mut jobs: Vec<&mut Power<'_>> = jobs.iter_mut().collect();
    jobs.sort_by(|a, b| key(a).cmp(&key(b)));
    for same in jobs.chunk_by_mut(|a, b| key(a) == key(b)) {
        let (class, exponent) = (class_of(kernels, same[0].modulus), trimmed(same[0].exponent));
        if kernels.answer(class) {
            for_passes(
                kernels,
                |jobs| ways::for_products(kernels, class, jobs),
                same,
                |kernels, class, passes| power::public(kernels, class, exponent, passes),
            );
        } else {
            same.iter_mut().for_each(|job| Libcrypto.power_public(slice::from_mut(&mut **job)));
        }
    }
}

/// Runs the jobs, all of one length, in passes: as many as fill the lanes, and what is left, each in the class for as many jobs. `run`
/// gets passes of equally many.
fn for_passes<K: Kernels, J>(
    kernels: &K,
    class_for: impl Fn(usize) -> &'static Class,
    jobs: &mut [&mut J],
    run: impl Fn(&K, &'static Class, ChunksMut<'_, &mut J>),
) {
    let (whole, rest) = jobs.split_at_mut(jobs.len() - jobs.len() % kernels.lanes());
    // Five or six: four and two, unless eight cost no more than four.
    let first = if matches!(rest.len(), 5 | 6) && kernels.halves_are_faster() { 4 } else { 0 };
    let (four, rest) = rest.split_at_mut(first);
    for jobs in [whole, four, rest] {
        let class = class_for(jobs.len());
        let each = class.jobs(kernels.lanes());
        let left = jobs.len() % each;
        let (full, last) = jobs.split_at_mut(jobs.len() - left);
        for (jobs, each) in [(full, each), (last, left)] {
            if !jobs.is_empty() {
                run(&kernels.for_lanes(each * class.lanes()), class, jobs.chunks_mut(each));
            }
        }
    }
}

fn class_of<K: Kernels>(kernels: &K, modulus: &Modulus) -> &'static Class {
    Class::among(kernels.classes(), modulus.bits())
}

/// A public exponent without leading zero words.
fn trimmed(exponent: &[u64]) -> &[u64] {
    &exponent[..bit_length(exponent).div_ceil(64)]
}
