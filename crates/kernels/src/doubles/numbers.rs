// SPDX-License-Identifier: Apache-2.0
//! How numbers stand in the four lanes: one in each, or folded over several as in [`folded`](crate::folded).

use super::{Code, constant};
use crate::constants;
use crate::folded::Fold;
use crate::vex::{Binary, Instruction as I, Register};

/// Numbers of `rows` rows, folded or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "said above")]
pub struct Numbers {
    pub rows: usize,
    pub fold: Option<Fold>,
}

impl Numbers {
    /// Lanes that a number takes, F.
    pub const fn lanes(self) -> usize {
        match self.fold {
            None => 1,
            Some(fold) => fold.lanes(),
        }
    }

    /// Limbs that a number has, N.
    pub const fn limbs(self) -> usize {
        self.rows * self.lanes()
    }

    /// `register`: in all lanes of a number, what was in its lane `lane`.
    pub(super) fn spread(self, lane: usize, register: Register, code: &mut Code) {
        match (self.fold, lane) {
            (None, _) => {}
            (Some(Fold::Pair), 0) => code.binary(Binary::EvenWords, register, register, register),
            (Some(Fold::Pair), _) => code.binary(Binary::OddWords, register, register, register),
            (Some(Fold::Quad), lane) => code.0.push(I::Permute { to: register, a: register, order: [lane as u8; 4] }),
        }
    }
}

/// `register`: in each lane of a number, what was in its next; zero in the last.
pub(super) fn down(fold: Fold, register: Register, code: &mut Code) {
    match fold {
        Fold::Pair => code.0.push(I::Down { to: register, a: register }),
        Fold::Quad => {
            code.0.push(I::Permute { to: register, a: register, order: [1, 2, 3, 0] });
            code.binary(Binary::And, register, register, constant(constants::NOT_LAST));
        }
    }
}

/// `register`: in each lane of a number, what was in its previous; zero in the first.
pub(super) fn up(fold: Fold, register: Register, code: &mut Code) {
    match fold {
        Fold::Pair => code.0.push(I::Up { to: register, a: register }),
        Fold::Quad => {
            code.0.push(I::Permute { to: register, a: register, order: [3, 0, 1, 2] });
            code.binary(Binary::And, register, register, constant(constants::NOT_FIRST));
        }
    }
}
