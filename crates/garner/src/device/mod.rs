//! What runs a batch of modular exponentiations.
//!
//! Called by `private_op` and, for raw exponentiations, by the gatherer. A device is trusted with nothing:
//! blinding and the check s^e = m stay on the host, whatever it returns.

mod cpu;

pub use crate::arithmetic::Power;
pub use cpu::Cpu;

/// What a device accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Shortest modulus of one exponentiation, in bits.
    pub min_bits: usize,
    /// Longest modulus of one exponentiation, in bits.
    pub max_bits: usize,
}

/// A batch failed as a whole; nothing of it may be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DeviceError(pub String);

/// A device at offload level `exp`: one command is one modular exponentiation.
pub trait Device: Send + Sync {
    /// A short name for people and statistics: `cpu`, `libcrypto`, `cuda:0`, ...
    fn name(&self) -> &str;

    /// Operand limits; longer or shorter operations go elsewhere.
    fn limits(&self) -> Limits;

    /// How many exponentiations it wants in one call to be at its best.
    fn preferred_batch(&self) -> usize;

    /// Runs all of `jobs`, secret bases and exponents, mixed sizes allowed.
    ///
    /// # Errors
    /// The batch failed as a whole; results are undefined and must not be used.
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError>;
}
