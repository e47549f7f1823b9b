// SPDX-License-Identifier: Apache-2.0
//! An odd modulus with everything the kernels want precomputed.

use super::powers;
use super::vectors::bits;
use super::vectors::class::Class;
use crate::error::{Error, Result};
use crate::secret::{SecretWords, released, released_number};
use crate::words::{WORD_BITS, bit_length, words_for};
use garner_kernels::doubles::BLOCK;
use garner_kernels::{LIMB_BITS, reducer};
use std::{fmt, iter};
use subtle::Choice;
use zeroize::Zeroizing;

/// An odd modulus of 2 to 8,192 bits, and its constants. May be secret (a prime of a private key):
/// it lives in [`SecretWords`].
pub struct Modulus {
    bits: usize,
    /// The value; then for the vector kernels, where R = 2^(52·N), in limbs: n, R, R², R² · 2^(−26·N), 2^(−26·N),
    /// 2^(−260) and 2^(−52) mod n, N limbs each; then −n^−1 mod 2^260.
    words: SecretWords,
}

/// What the vector kernels need of a modulus, in limbs.
pub(super) struct Constants<'a> {
    /// n.
    pub modulus: &'a [u64],
    /// R mod n: one in Montgomery form.
    pub one: &'a [u64],
    /// R² mod n.
    pub to_montgomery: &'a [u64],
    /// R² · 2^(−26·N) mod n.
    pub to_montgomery_shifted: &'a [u64],
    /// 2^(−26·N) mod n, or of short numbers nothing.
    pub half_inverse: &'a [u64],
    /// 2^(−260) mod n.
    pub reducer: &'a [u64],
    /// 2^(−52) mod n.
    pub limb_reducer: &'a [u64],
    /// −n^−1 mod 2^260.
    pub negative_inverse: &'a [u64],
}

/// Words whose bits can be counted, leading zero words among them.
const MOST_WORDS: usize = u32::MAX as usize / WORD_BITS;

/// Numbers of N limbs.
const NUMBERS: usize = 7;
/// Those of them that are computed in words.
const IN_WORDS: usize = 5;

impl Modulus {
    /// The largest modulus served, in bits.
    pub const MAX_BITS: usize = 8_192;

    /// A modulus from little-endian words; leading zero words are dropped.
    ///
    /// Time depends on its length and on whether it is refused.
    ///
    /// # Errors
    /// [`Error::Argument`] when it is even, below 3 or longer than [`Modulus::MAX_BITS`], or `words`, with its leading zeros, has
    /// 2^26 words.
    pub fn new(words: &[u64]) -> Result<Modulus> {
        if words.len() > MOST_WORDS {
            return Err(Error::argument("modulus", format!("has {} words, more than {MOST_WORDS}", words.len())));
        }
        let bits = released_number(bit_length(words) as u32) as usize;
        if bits < 2 {
            return Err(Error::argument("modulus", "is below 3"));
        }
        if !released(Choice::from((words[0] & 1) as u8)) {
            return Err(Error::argument("modulus", "is even"));
        }
        if bits > Self::MAX_BITS {
            return Err(Error::argument("modulus", format!("has {bits} bits, more than {}", Self::MAX_BITS)));
        }
        let words = &words[..words_for(bits)];
        let limbs = Class::for_bits(bits).limbs;
        let mut numbers = SecretWords::zeroed(IN_WORDS * words.len());
        let mut inverse = Zeroizing::new([0; powers::INVERSE_WORDS]);
        let (powers, inverses) = numbers.split_at_mut((IN_WORDS - 2) * words.len());
        let (half_inverse, reducer) = inverses.split_at_mut(words.len());
        let inverse_of_word = powers::of_radix(words, bits, limbs * LIMB_BITS, powers);
        if Class::for_bits(bits).is_composed() {
            powers::negative(words, bits, limbs * LIMB_BITS / 2, half_inverse);
        }
        powers::of_block(words, inverse_of_word, reducer, &mut inverse);

        let mut all = SecretWords::zeroed(words.len() + NUMBERS * limbs + BLOCK);
        let (value, constants) = all.split_at_mut(words.len());
        let (in_limbs, inverse_in_limbs) = constants.split_at_mut(NUMBERS * limbs);
        value.copy_from_slice(words);
        for (number, to) in iter::once(words).chain(numbers.chunks(words.len())).zip(in_limbs.chunks_mut(limbs)) {
            bits::to_limbs(number, to);
        }
        bits::to_limbs(&*inverse, inverse_in_limbs);
        let (in_words, limb_reducer) = in_limbs.split_at_mut((NUMBERS - 1) * limbs);
        reducer::of_limb(&in_words[..limbs], inverse_in_limbs[0], limb_reducer);
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

    /// All that is computed of the value, which is at the beginning: for whoever has to know where secrets lie.
    pub fn memory(&self) -> &[u64] {
        &self.words
    }

    pub(super) fn constants(&self) -> Constants<'_> {
        let limbs = Class::for_bits(self.bits).limbs;
        let (numbers, negative_inverse) = self.words[words_for(self.bits)..].split_at(NUMBERS * limbs);
        let mut numbers = numbers.chunks(limbs);
        let mut next = || numbers.next().expect("as laid out");
        Constants {
            modulus: next(),
            one: next(),
            to_montgomery: next(),
            to_montgomery_shifted: next(),
            half_inverse: next(),
            reducer: next(),
            limb_reducer: next(),
            negative_inverse,
        }
    }
}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Modulus({} bits)", self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bits_than_can_be_counted_are_refused() {
        // 2^32 + 3 bits, of memory that nobody touches.
        let mut words = vec![0; MOST_WORDS + 2];
        (words[0], words[MOST_WORDS + 1]) = (7, 4);
        assert!(Modulus::new(&words).is_err());
    }
}
