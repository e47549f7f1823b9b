//! Modular arithmetic by AVX-512 IFMA, eight numbers at a time.
//!
//! Called through [`Arithmetic`]. Sorts the jobs of a batch into passes of up to eight lanes and runs each pass by
//! kernels of `garner-kernels`. [`Twin`] is the same code over interpreted kernels.

mod bits;
pub mod class;
pub mod field;
pub mod kernels;
mod power;
pub mod workspace;

#[cfg(test)]
mod tests;

use super::{Arithmetic, Modulus, Multiply, Power};
use crate::words::bit_length;
use class::Class;
use kernels::{Assembly, Interpreted, Kernels};

/// Lanes in a vector.
const LANES: usize = 8;

/// Eight numbers at a time, by the processor's AVX-512 IFMA instructions.
#[derive(Debug, Clone, Copy)]
pub struct Ifma(Assembly);

/// The same on any processor, slowly: for tests and constant-time checks.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Twin(Interpreted);

impl Ifma {
    /// Whether processor and operating system support all instructions used.
    pub fn available() -> bool {
        Assembly::new().is_some()
    }

    /// The arithmetic, where it is [available](Ifma::available).
    pub fn new() -> Option<Ifma> {
        Assembly::new().map(Ifma)
    }
}

impl Arithmetic for Ifma {
    fn name(&self) -> &'static str {
        "ifma"
    }

    fn lanes(&self) -> usize {
        LANES
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

impl Arithmetic for Twin {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn lanes(&self) -> usize {
        LANES
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

fn multiply<K: Kernels>(kernels: &K, jobs: &mut [Multiply<'_>]) {
    for_passes(
        jobs,
        |job| class_of(job.modulus).limbs,
        |pass| {
            power::multiply(&kernels.for_lanes(pass.len()), class_of(pass[0].modulus), pass);
        },
    );
}

fn power_secret<K: Kernels>(kernels: &K, jobs: &mut [Power<'_>]) {
    // Lanes of one pass take the time of the longest exponent and the longest base: keep like with like.
    let key = |job: &Power<'_>| (class_of(job.modulus).limbs, job.exponent.len(), job.base.len());
    let mut jobs: Vec<&mut Power<'_>> = jobs.iter_mut().collect();
    jobs.sort_by_key(|job| key(job));
    for class in jobs.chunk_by_mut(|a, b| key(a).0 == key(b).0) {
        for pass in class.chunks_mut(LANES) {
            power::secret(&kernels.for_lanes(pass.len()), class_of(pass[0].modulus), pass);
        }
    }
}

fn power_public<K: Kernels>(kernels: &K, jobs: &mut [Power<'_>]) {
    for_passes(
        jobs,
        |job| (class_of(job.modulus).limbs, trimmed(job.exponent)),
        |pass| {
            power::public(&kernels.for_lanes(pass.len()), class_of(pass[0].modulus), trimmed(pass[0].exponent), pass);
        },
    );
}

/// Runs the jobs in passes of up to [`LANES`] with the same `key`.
fn for_passes<J, Q: Ord>(jobs: &mut [J], key: impl Fn(&J) -> Q, mut run: impl FnMut(&mut [&mut J])) {
    let mut jobs: Vec<&mut J> = jobs.iter_mut().collect();
    jobs.sort_by_key(|job| key(job));
    for same in jobs.chunk_by_mut(|a, b| key(a) == key(b)) {
        same.chunks_mut(LANES).for_each(&mut run);
    }
}

fn class_of(modulus: &Modulus) -> &'static Class {
    Class::for_bits(modulus.bits())
}

/// A public exponent without leading zero words.
fn trimmed(exponent: &[u64]) -> &[u64] {
    &exponent[..bit_length(exponent).div_ceil(64)]
}
