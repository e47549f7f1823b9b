// SPDX-License-Identifier: Apache-2.0
//! What runs under memcheck: the code that touches secrets, one scenario each, and controls that must be reported.
//!
//! A scenario marks its secrets, runs the library's code as compiled for release, reveals the outputs (which fails
//! unless they depend on the secrets) and compares them with what they should be.

mod controls;
pub mod keygen;
pub mod marking;
pub mod padding;
pub mod private_op;
#[allow(unsafe_code, reason = "a function of libcrypto's, replaced")]
mod random;
pub mod reference;
mod twin;
mod words;

/// What must come of a scenario.
#[derive(Debug, Clone, Copy)]
pub enum Expected {
    /// No report.
    Clean,
    /// A report with these words.
    Report(&'static str),
    /// A panic with these words.
    Panic(&'static str),
}

/// One process under memcheck.
pub struct Scenario {
    /// Its name in the table.
    pub name: &'static str,
    /// What must come of it.
    pub expected: Expected,
    /// What it does.
    pub run: fn(),
}

/// Every scenario.
pub fn all() -> Vec<Scenario> {
    [controls::all(), words::all(), twin::all(), private_op::all(), padding::all(), keygen::all()]
        .into_iter()
        .flatten()
        .collect()
}

fn clean(name: &'static str, run: fn()) -> Scenario {
    Scenario { name, expected: Expected::Clean, run }
}

/// Reproducible words that look random (SplitMix64, Steele, Lea, Flood 2014).
pub struct Words(pub u64);

impl Words {
    /// The next word.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// The next `len` words.
    pub fn take(&mut self, len: usize) -> Vec<u64> {
        (0..len).map(|_| self.next()).collect()
    }

    /// Fills `bytes` with the next words.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }

    /// An odd number of `bits` bits.
    pub fn odd(&mut self, bits: usize) -> Vec<u64> {
        let mut words = self.take(bits.div_ceil(64));
        words[0] |= 1;
        let top = (bits - 1) % 64;
        let last = words.last_mut().expect("not empty");
        *last = *last & (u64::MAX >> (63 - top)) | 1 << top;
        words
    }

    /// A number below `modulus`, as many words.
    pub fn below(&mut self, modulus: &[u64]) -> Vec<u64> {
        let mut words = self.take(modulus.len());
        *words.last_mut().expect("not empty") &= modulus[modulus.len() - 1] >> 1;
        words
    }
}
