// SPDX-License-Identifier: Apache-2.0
//! Garner's GPU kernels: modular exponentiation for the two halves of a private operation, recombination, and public
//! operations. One thread computes one number.
//!
//! Each kernel is a [`Program`] over 32-bit words, written once: [`ptx`] prints it for the driver, [`interpreter`] runs
//! it in plain Rust, so tests and machines without a GPU see the very program that a GPU gets. A program cannot express
//! a branch or an address that depends on a secret, see [`program`].
//!
//! | file | what it has |
//! |---|---|
//! | `program` | the operations, and a builder that appends them |
//! | `window` | rows of products over two accumulators: the inner loop of everything |
//! | `streamed` | arithmetic on numbers of any length, which lie in memory on the chip |
//! | `scan` | the scan of a table, which reads every entry |
//! | `kernels` | the kernels, each with its contract |
//!
//! # An exponentiation
//!
//! `prepare` brings the base into Montgomery form and makes a table of 16 powers, `walk` goes through the exponent in windows
//! of four bits, `finish` leaves Montgomery form. Nearly all of the time is spent in `walk`. For a private operation `gather`
//! first lays out the parts of each operation's key, and `recombine` ends it.

#![forbid(unsafe_code)]

pub mod interpreter;
pub mod kernels;
pub mod program;
pub mod ptx;
pub mod scan;
pub mod streamed;
pub mod window;

pub use program::{LANES, Program};

use std::fmt;

/// Words of the moduli that private exponentiations are made for: 512, 1024, 1536 and 2048 bits.
pub const HALF_WORDS: [usize; 4] = [16, 32, 48, 64];

/// Words of the moduli that public operations are made for: 1024, 2048, 3072 and 4096 bits.
pub const PUBLIC_WORDS: [usize; 4] = [32, 64, 96, 128];

/// What a kernel does: see the functions of the same names in [`kernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// [`kernels::gather`]
    Gather,
    /// [`kernels::prepare`]
    Prepare,
    /// [`kernels::walk`]
    Walk,
    /// [`kernels::finish`]
    Finish,
    /// [`kernels::recombine`]
    Recombine,
    /// [`kernels::public`]
    Public,
}

/// Which kernel it is. Its symbol is `garner_`, the role and the bits of the modulus: `garner_walk_1024`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    /// What it does.
    pub role: Role,
    /// Words of the modulus.
    pub words: usize,
}

/// The symbol.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            Role::Gather => "gather",
            Role::Prepare => "prepare",
            Role::Walk => "walk",
            Role::Finish => "finish",
            Role::Recombine => "recombine",
            Role::Public => "public",
        };
        write!(f, "garner_{role}_{}", 32 * self.words)
    }
}

/// A named program.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Which it is.
    pub name: Name,
    /// How it does it.
    pub program: Program,
}

impl Kernel {
    /// The kernel of this role for moduli of `words` words.
    ///
    /// # Panics
    /// When `words` is not a multiple of 16.
    pub fn new(role: Role, words: usize) -> Kernel {
        let make = match role {
            Role::Gather => kernels::gather,
            Role::Prepare => kernels::prepare,
            Role::Walk => kernels::walk,
            Role::Finish => kernels::finish,
            Role::Recombine => kernels::recombine,
            Role::Public => kernels::public,
        };
        Kernel { name: Name { role, words }, program: make(words) }
    }
}

/// Every kernel, in a fixed order.
pub fn all() -> Vec<Kernel> {
    let of_half = [Role::Gather, Role::Prepare, Role::Walk, Role::Finish, Role::Recombine];
    let halves = HALF_WORDS.into_iter().flat_map(|words| of_half.map(|role| Kernel::new(role, words)));
    halves.chain(PUBLIC_WORDS.map(|words| Kernel::new(Role::Public, words))).collect()
}
