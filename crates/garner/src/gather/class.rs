// SPDX-License-Identifier: Apache-2.0
//! Which operations may share a batch without wasting lanes.

use super::operation::{Operation, Work};

/// Operations of one class may share a batch: same role, same size of exponentiation, same paths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    pub kind: Kind,
    /// Length of the modulus of one exponentiation, in steps of [`STEP`] bits.
    pub size: u8,
    /// Length of the exponent in words, where the caller chose it; else 0.
    pub exponent: u8,
    /// Bit i: path i takes the operands. The last resort takes all and has no bit.
    pub paths: u64,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Private,
    Exponentiation,
    Public,
}

/// Moduli that differ by fewer bits than this may cost the same.
const STEP: usize = 256;

/// Steps there are at most, and 0.
pub const SIZES: usize = crate::arithmetic::Modulus::MAX_BITS / STEP + 1;

impl Class {
    /// The class of `operation`, given which paths take its operands.
    pub fn of(operation: &Operation, paths: u64) -> Class {
        let size = |bits: usize| bits.div_ceil(STEP) as u8;
        match &operation.work {
            Work::Private(key) => Class { kind: Kind::Private, size: size(key.p().bits()), exponent: 0, paths },
            Work::Public(key) => {
                let exponent = key.exponent().len() as u8;
                Class { kind: Kind::Public, size: size(key.bits()), exponent, paths }
            }
            Work::Exponentiation { modulus, exponent } => {
                let exponent = exponent.len() as u8;
                Class { kind: Kind::Exponentiation, size: size(modulus.bits()), exponent, paths }
            }
        }
    }

    /// Exponentiations of one operation: a private one has two.
    pub fn lanes(self) -> usize {
        if self.kind == Kind::Private { 2 } else { 1 }
    }

    /// Whether one operation takes less time than waking a caller that waited for company or for a slot: it runs at
    /// once, whoever else is running. Measured: public operations of 2,048 bits gain nothing by gathering blocking
    /// callers, those of 3,072 do (`garner speed --operation public`).
    pub fn brief(self) -> bool {
        self.kind == Kind::Public && usize::from(self.size) * STEP <= 2048
    }

    /// The pool whose slots run it.
    pub fn pool(self) -> Pool {
        if self.kind == Kind::Public { Pool::Short } else { Pool::Long }
    }
}

/// Operations that compete for the same slots.
///
/// Public operations have slots of their own: they take a tenth of a private one, and would wait longer for a slot
/// than they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pool {
    /// Private operations and exponentiations.
    Long,
    /// Public operations.
    Short,
}

impl Pool {
    pub const ALL: [Pool; 2] = [Pool::Long, Pool::Short];

    /// The one whose slots these operations do not compete for.
    pub fn other(self) -> Pool {
        match self {
            Pool::Long => Pool::Short,
            Pool::Short => Pool::Long,
        }
    }
}
