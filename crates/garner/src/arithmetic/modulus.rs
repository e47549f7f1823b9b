//! An odd modulus with everything the kernels want precomputed.

use crate::error::{Error, Result};
use crate::secret::SecretWords;
use crate::words::{bit_length, words_for};
use std::fmt;

/// An odd modulus of 2 to 8,192 bits, and its constants. May be secret (a prime of a private key):
/// it lives in [`SecretWords`].
pub struct Modulus {
    bits: usize,
    words: SecretWords,
}

impl Modulus {
    /// The largest modulus served, in bits.
    pub const MAX_BITS: usize = 8_192;

    /// A modulus from little-endian words; leading zero words are dropped.
    ///
    /// # Errors
    /// [`Error::Argument`] when it is even, below 3 or longer than [`Modulus::MAX_BITS`].
    pub fn new(words: &[u64]) -> Result<Modulus> {
        let bits = bit_length(words);
        if bits < 2 {
            return Err(Error::argument("modulus", "is below 3"));
        }
        if words[0] & 1 == 0 {
            return Err(Error::argument("modulus", "is even"));
        }
        if bits > Self::MAX_BITS {
            return Err(Error::argument("modulus", format!("has {bits} bits, more than {}", Self::MAX_BITS)));
        }
        Ok(Modulus { bits, words: SecretWords::copy_of(&words[..words_for(bits)]) })
    }

    /// Length in bits. Public.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The value, `bits` rounded up to whole words.
    pub fn words(&self) -> &[u64] {
        &self.words
    }
}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modulus({} bits)", self.bits)
    }
}
