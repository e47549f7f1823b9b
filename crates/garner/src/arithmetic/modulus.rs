//! An odd modulus with everything the kernels want precomputed.

use super::ifma::class::Class;
use super::libcrypto::SecretBigNum;
use crate::error::{Error, Result};
use crate::secret::SecretWords;
use crate::words::{bit_length, words_for};
use garner_kernels::LIMB_BITS;
use openssl::bn::{BigNum, BigNumContext};
use std::fmt;

/// An odd modulus of 2 to 8,192 bits, and its constants. May be secret (a prime of a private key):
/// it lives in [`SecretWords`].
pub struct Modulus {
    bits: usize,
    /// The value; then for the vector kernels, where R = 2^(52·N): R, R², R² · 2^(−26·N) mod n, as many words each; then
    /// −n^−1 mod 2^52.
    words: SecretWords,
}

/// What the vector kernels need of a modulus.
pub(super) struct Constants<'a> {
    /// n.
    pub modulus: &'a [u64],
    /// R mod n: one in Montgomery form.
    pub one: &'a [u64],
    /// R² mod n.
    pub to_montgomery: &'a [u64],
    /// R² · 2^(−26·N) mod n.
    pub to_montgomery_shifted: &'a [u64],
    /// −n^−1 mod 2^52.
    pub negative_inverse: u64,
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
        let words = &words[..words_for(bits)];
        let mut all = SecretWords::zeroed(4 * words.len() + 1);
        fill(words, Class::for_bits(bits).limbs, &mut all);
        Ok(Modulus { bits, words: all })
    }

    /// Length in bits. Public.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The value, `bits` rounded up to whole words.
    pub fn words(&self) -> &[u64] {
        &self.words[..words_for(self.bits)]
    }

    pub(super) fn constants(&self) -> Constants<'_> {
        let mut numbers = self.words.chunks(words_for(self.bits));
        let mut next = || numbers.next().expect("as laid out");
        Constants {
            modulus: next(),
            one: next(),
            to_montgomery: next(),
            to_montgomery_shifted: next(),
            negative_inverse: next()[0],
        }
    }
}

fn fill(modulus: &[u64], limbs: usize, all: &mut [u64]) {
    let mut context = BigNumContext::new().expect("memory for a context");
    let n = SecretBigNum::from_words(modulus);
    let mut chunks = all.chunks_mut(modulus.len());
    let mut next = || chunks.next().expect("as laid out");
    next().copy_from_slice(modulus);
    // R, R² and R² · 2^(−26·N) are powers of two.
    for power in [limbs, 2 * limbs, 2 * limbs - limbs / 2] {
        let mut two = BigNum::new().expect("memory for a number");
        two.set_bit((power * LIMB_BITS) as i32).expect("memory for a number");
        let mut residue = SecretBigNum::new();
        residue.nnmod(&two, &n, &mut context).expect("reduction");
        residue.to_words(next());
    }
    next()[0] = negative_inverse(modulus[0]);
}

/// `−n^−1 mod 2^52` for odd n, by Newton's iteration.
fn negative_inverse(n: u64) -> u64 {
    // n is its own inverse mod 8; each step doubles the bits that are right.
    let inverse = (0..5).fold(n, |x, _| x.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(x))));
    inverse.wrapping_neg() & ((1 << LIMB_BITS) - 1)
}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modulus({} bits)", self.bits)
    }
}
