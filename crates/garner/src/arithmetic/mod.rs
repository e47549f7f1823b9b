// SPDX-License-Identifier: Apache-2.0
//! Batched modular arithmetic on the host: the one interface to every kernel on the CPU.
//!
//! Called by `private_op` (blinding, recombination, the check) and by the `cpu` device (exponentiation).
//! Knows nothing of RSA. Two implementations: [`vectors`] (kernels, up to eight numbers at a time) and [`libcrypto`].
//!
//! Numbers are little-endian slices of 64-bit words, see [`crate::words`]. A batch may mix moduli of any sizes;
//! results are canonical (below the modulus).

#[allow(unsafe_code, reason = "functions for processors that have certain instructions")]
mod divisors;
pub mod libcrypto;
mod modulus;
mod powers;
pub mod vectors;

pub use divisors::Divisors;
pub use modulus::Modulus;

use crate::environment;
use crate::error::{Error, Result};
use std::sync::Arc;

/// `result = a * b mod modulus`, or `a * (b * c) mod modulus`.
pub struct Multiply<'a> {
    /// The modulus; its length in words is that of every operand.
    pub modulus: &'a Modulus,
    /// First factor: any value of as many bits as the modulus, as an untrusted device may return. With bits above the result
    /// is some number.
    pub a: &'a [u64],
    /// Second factor, below the modulus.
    pub b: &'a [u64],
    /// A third factor, below the modulus, where there is one: less than another job. It is multiplied with the second
    /// first, so that neither meets a first factor that somebody else chose.
    pub c: Option<&'a [u64]>,
    /// The product, below the modulus.
    pub result: &'a mut [u64],
}

/// `result = base^exponent mod modulus`.
pub struct Power<'a> {
    /// The modulus; its length in words is that of `result`.
    pub modulus: &'a Modulus,
    /// The base, any value of any length: it is reduced first.
    pub base: &'a [u64],
    /// The exponent. Secret exponents take the time of their full length in words, whatever their value.
    pub exponent: &'a [u64],
    /// The power, below the modulus.
    pub result: &'a mut [u64],
}

/// Batched modular arithmetic. Secret operands: no branch and no address depends on a value,
/// except where a method says otherwise.
pub trait Arithmetic: Send + Sync {
    /// `"ifma"`, `"avx-ifma"`, `"avx2"` or `"libcrypto"`.
    fn name(&self) -> &'static str;

    /// How many numbers cost the time of one: 8 lanes, 4, or 1.
    fn lanes(&self) -> usize;

    /// Multiplies. Operands are secret.
    fn multiply(&self, jobs: &mut [Multiply<'_>]);

    /// Raises to secret powers. Base, exponent and modulus are secret; lengths are not.
    fn power_secret(&self, jobs: &mut [Power<'_>]);

    /// Raises secret bases to public powers: time depends on the exponents.
    fn power_public(&self, jobs: &mut [Power<'_>]);
}

/// The fastest arithmetic here: [`vectors`] by AVX-512 IFMA where the processor has it, else by AVX-IFMA, else by AVX2 and
/// FMA, else [`libcrypto::Libcrypto`]. The environment variable `GARNER_CPU`, one of their names, decides instead where it
/// is [set](environment).
///
/// # Errors
/// [`Error::Argument`] when `GARNER_CPU` asks for something unknown or unavailable, or `GARNER_KERNELS`, which
/// [chooses](vectors::kernels::wanted) among kernels, for something unknown.
pub fn best() -> Result<Arc<dyn Arithmetic>> {
    vectors::kernels::wanted().map_err(|reason| Error::argument("GARNER_KERNELS", reason))?;
    let wish = environment::variable("GARNER_CPU");
    chosen(wish.as_ref().map(|wish| wish.to_string_lossy()).as_deref(), &vectors::Native::available())
}

fn chosen(wish: Option<&str>, available: &[vectors::Native]) -> Result<Arc<dyn Arithmetic>> {
    let refused = |reason| Err(Error::argument("GARNER_CPU", reason));
    let vectors = match wish {
        Some("libcrypto") => None,
        None => available.first(),
        Some(wish @ ("ifma" | "avx-ifma" | "avx2")) => match available.iter().find(|native| native.name() == wish) {
            None => return refused(format!("is {wish:?}, which this processor does not have")),
            some => some,
        },
        Some(wish) => {
            return refused(format!("is {wish:?}, must be \"ifma\", \"avx-ifma\", \"avx2\" or \"libcrypto\""));
        }
    };
    Ok(match vectors {
        Some(native) => Arc::new(*native),
        None => Arc::new(libcrypto::Libcrypto),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_decides_and_an_unknown_or_missing_arithmetic_is_refused() {
        let available = vectors::Native::available();
        assert_eq!(chosen(Some("libcrypto"), &available).unwrap().name(), "libcrypto");
        assert_eq!(chosen(None, &[]).unwrap().name(), "libcrypto");
        let error = |wish| chosen(Some(wish), &[]).err().unwrap().to_string();
        assert_eq!(error("ifma"), "GARNER_CPU: is \"ifma\", which this processor does not have");
        let names = r#""ifma", "avx-ifma", "avx2" or "libcrypto""#;
        assert_eq!(error("gpu"), format!("GARNER_CPU: is \"gpu\", must be {names}"));
        for native in &available {
            assert_eq!(chosen(None, &available).unwrap().name(), available[0].name(), "the first is the fastest");
            assert_eq!(chosen(Some(native.name()), &available).unwrap().name(), native.name());
        }
        for missing in ["ifma", "avx-ifma", "avx2"] {
            assert_eq!(error(missing), format!("GARNER_CPU: is \"{missing}\", which this processor does not have"));
        }
    }
}
