// SPDX-License-Identifier: Apache-2.0
//! Garner's GPU kernels: modular exponentiation for the two halves of a private operation, recombination, and public
//! operations, one thread per number; and one form for small batches with four.
//!
//! Each kernel is a [`Program`] over 32-bit words, written once: [`ptx`] prints it for the driver, [`interpreter`] runs
//! it in plain Rust, so tests and machines without a GPU see the very program that a GPU gets. A program has no way to
//! express a branch or an address that depends on a secret, see [`program`].
//!
//! | file | what it has |
//! |---|---|
//! | `program` | the operations, and a builder that appends them |
//! | `window` | rows of products over two accumulators: the inner loop of everything |
//! | `resident` | numbers in registers |
//! | `streamed` | numbers in memory on the chip, of any length |
//! | `tensor` | reduction on tensor cores, for numbers of one modulus |
//! | `spread` | numbers in the registers of four threads, for small batches |
//! | `kernels` | the kernels, each with its contract |
//!
//! # An exponentiation
//!
//! `prepare` brings the base into Montgomery form and makes a table of 16 powers, `walk` goes through the exponent in windows
//! of four bits, `finish` comes back. Only `walk` counts for speed. For a private operation `gather` first lays out the
//! parts of each operation's key, and `recombine` ends it.

#![forbid(unsafe_code)]

pub mod interpreter;
pub mod kernels;
pub mod program;
pub mod ptx;
pub mod resident;
pub mod spread;
pub mod streamed;
pub mod tensor;
pub mod window;

pub use program::{LANES, Program};

/// Words of the moduli that private exponentiations are made for: 512, 1024, 1536 and 2048 bits.
pub const HALF_WORDS: [usize; 4] = [16, 32, 48, 64];

/// Words of the moduli that public operations are made for: 1024, 2048, 3072 and 4096 bits.
pub const PUBLIC_WORDS: [usize; 4] = [32, 64, 96, 128];

/// Where numbers are while they are worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Style {
    /// In registers: all code unrolled.
    Resident,
    /// In memory on the chip, block by block.
    Streamed,
    /// In the registers of four threads: for batches that are too small to fill the GPU otherwise.
    Spread,
}

impl Style {
    /// The style in which `walk` runs unless told otherwise.
    ///
    /// Registers could hold 1024 bits too, but then a multiprocessor has room for 9 warps, not 16. Which is faster no GPU has
    /// said yet.
    pub const fn usual(words: usize) -> Style {
        if words <= 16 { Style::Resident } else { Style::Streamed }
    }

    const fn name(self) -> &'static str {
        match self {
            Style::Resident => "resident",
            Style::Streamed => "streamed",
            Style::Spread => "spread",
        }
    }
}

/// What a kernel does: see the functions of the same names in [`kernels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// [`kernels::gather`]
    Gather,
    /// [`kernels::prepare`]
    Prepare,
    /// [`kernels::walk`]
    Walk(Style),
    /// [`kernels::walk_alike`]
    WalkAlike(Style),
    /// [`kernels::walk_constant`]
    WalkConstant(Style),
    /// [`kernels::walk_tensor`]
    WalkTensor,
    /// [`kernels::finish`]
    Finish,
    /// [`kernels::recombine`]
    Recombine,
    /// [`kernels::public`]
    Public,
}

/// A named program.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// The name, which is also its symbol: `garner_walk_resident_1024`.
    pub name: String,
    /// What it does.
    pub role: Role,
    /// Words of the modulus.
    pub words: usize,
    /// How it does it.
    pub program: Program,
}

impl Kernel {
    /// The kernel of this role for moduli of `words` words.
    ///
    /// # Panics
    /// When `words` is not a multiple of 16.
    pub fn new(role: Role, words: usize) -> Kernel {
        let (name, program) = match role {
            Role::Gather => ("gather".to_owned(), kernels::gather(words)),
            Role::Prepare => ("prepare".to_owned(), kernels::prepare(words)),
            Role::Walk(style) => (format!("walk_{}", style.name()), kernels::walk(words, style)),
            Role::WalkAlike(style) => (format!("walk_alike_{}", style.name()), kernels::walk_alike(words, style)),
            Role::WalkConstant(style) => {
                (format!("walk_constant_{}", style.name()), kernels::walk_constant(words, style))
            }
            Role::WalkTensor => ("walk_tensor".to_owned(), kernels::walk_tensor(words)),
            Role::Finish => ("finish".to_owned(), kernels::finish(words)),
            Role::Recombine => ("recombine".to_owned(), kernels::recombine(words)),
            Role::Public => ("public".to_owned(), kernels::public(words)),
        };
        Kernel { name: format!("garner_{name}_{}", 32 * words), role, words, program }
    }

    /// Registers a thread may use. Left to itself the compiler spills some to fit five blocks where memory on the chip
    /// has room for four.
    pub fn most_registers(&self) -> usize {
        match self.role {
            Role::Walk(Style::Resident) | Role::WalkAlike(Style::Resident) if self.words > 16 => 255,
            // Long ones have so much on the chip that few blocks fit anyway.
            Role::WalkTensor if self.words > 48 => 224,
            Role::WalkTensor if self.words > 32 => 200,
            Role::WalkTensor => 152,
            _ => 128,
        }
    }

    /// Those that private operations with halves of `words` words take.
    pub fn of_half(words: usize) -> Vec<Kernel> {
        let usual = Style::usual(words);
        let walks = [
            Role::Walk(usual),
            Role::WalkAlike(usual),
            Role::WalkConstant(usual),
            Role::WalkTensor,
            Role::Walk(Style::Spread),
        ];
        let [before, after] = [[Role::Gather, Role::Prepare], [Role::Finish, Role::Recombine]];
        before.into_iter().chain(walks).chain(after).map(|role| Kernel::new(role, words)).collect()
    }
}

/// Every kernel, in a fixed order.
pub fn all() -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = HALF_WORDS.iter().flat_map(|words| Kernel::of_half(*words)).collect();
    kernels.push(Kernel::new(Role::Walk(Style::Resident), 32));
    kernels.extend(PUBLIC_WORDS.iter().map(|words| Kernel::new(Role::Public, *words)));
    kernels
}
