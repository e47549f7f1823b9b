// SPDX-License-Identifier: Apache-2.0
//! How far from its pointers a function goes.

use super::Instruction as I;
use super::{Instruction, LANES, Operand, Place};
use crate::program::Pointer;

/// For each pointer, how many rows from it on the code touches: all that it may read or write.
///
/// # Panics
/// When the code touches memory before a pointer.
pub fn reach(code: &[Instruction]) -> [usize; Pointer::COUNT] {
    let mut reach = Reach { at: std::array::from_fn(|argument| (argument, 0)), words: Default::default() };
    reach.follow(code, 0);
    reach.words.map(|words| words.div_ceil(8))
}

struct Reach {
    /// Where each pointer is: so many words from an argument.
    at: [(usize, isize); Pointer::COUNT],
    words: [usize; Pointer::COUNT],
}

impl Reach {
    fn touch(&mut self, Place { pointer, word }: Place, words: usize) {
        let (argument, offset) = self.at[pointer.index()];
        let start = usize::try_from(offset).expect("memory before a pointer is out of bounds") + word;
        let reach = &mut self.words[argument];
        *reach = (start + words).max(*reach);
    }

    /// `turns`: those left of the loop around the code, this one counted.
    fn follow(&mut self, code: &[Instruction], turns: usize) {
        for instruction in code {
            match *instruction {
                I::Load { from: place, .. }
                | I::Store { to: place, .. }
                | I::MultiplyAdd { b: Operand::Memory(place), .. }
                | I::FusedAdd { b: Operand::Memory(place), .. }
                | I::Binary { b: Operand::Memory(place), .. }
                | I::Blend { b: Operand::Memory(place), .. } => self.touch(place, LANES),
                I::Broadcast { from, .. } => self.touch(from, 1),
                I::Advance { pointer, rows } => self.at[pointer.index()].1 += 8 * rows,
                I::Point { to, from, rows } => {
                    let (argument, offset) = self.at[from.index()];
                    self.at[to.index()] = (argument, offset + 8 * rows as isize);
                }
                I::Repeat { count, ref body } => (1..=count).rev().for_each(|turns| self.follow(body, turns)),
                I::RepeatTurnsLeft { ref body } => (1..=turns).rev().for_each(|turns| self.follow(body, turns)),
                _ => {}
            }
        }
    }
}
