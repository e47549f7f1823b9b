// SPDX-License-Identifier: Apache-2.0
//! A question to a kernel, and what identifies its answer: worked out by the twin when the library is built, put to the
//! processor's own code before its first use.
//!
//! The path of a program does not depend on data, and neither does what it computes on words outside its contract: any
//! words will do.

use crate::program::Pointer;
use crate::{LIMB_BITS, Lanes, Program, constants, interpreter, scan};

/// Rows of memory that a question needs to a kernel that touches so many rows from each pointer on.
pub fn rows(reach: &[usize; Pointer::COUNT]) -> usize {
    lay_out(reach).1
}

/// Where the pointers stand, and how many rows there are: the constants first.
fn lay_out(reach: &[usize; Pointer::COUNT]) -> ([usize; Pointer::COUNT], usize) {
    let mut rows = constants::ROWS.max(reach[constants::POINTER.index()]);
    let mut at = [0; Pointer::COUNT];
    for (i, place) in at.iter_mut().enumerate().filter(|(i, _)| *i != constants::POINTER.index()) {
        *place = rows;
        rows += reach[i];
    }
    (at, rows)
}

/// Writes the question to `memory`; returns where the kernel's pointers stand.
///
/// # Panics
/// When there are fewer rows than [`rows`] says.
pub fn ask(memory: &mut [Lanes], reach: &[usize; Pointer::COUNT]) -> [usize; Pointer::COUNT] {
    let (at, rows) = lay_out(reach);
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    // Every lane of every row differs: a lane mistaken for another does not go unseen.
    for word in memory[..rows].as_flattened_mut() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        *word = state.wrapping_mul(0x2545_f491_4f6c_dd1d);
    }
    memory[constants::LIMB_MASK] = [(1 << LIMB_BITS) - 1; 8];
    memory[constants::WANTED] = memory[constants::WANTED].map(|word| word % scan::ENTRIES as u64);
    memory[constants::NUMBERS] = std::array::from_fn(|i| i as u64);
    memory[constants::EIGHT] = [8; 8];
    memory[constants::ONE] = [1; 8];
    memory[constants::SIGN] = [1 << 63; 8];
    memory[constants::SHIFTED_SIGN] = [1 << (63 - LIMB_BITS); 8];
    at
}

/// What identifies the memory after a kernel has run: a word for each lane, of all rows but those for values that have no
/// register, which differ from one encoding to another.
pub fn digest(memory: &[Lanes]) -> Lanes {
    let (constants, rest) = memory.split_at(constants::SPILL);
    let rows = constants.iter().chain(&rest[constants::SPILL_ROWS..]);
    rows.fold([0; 8], |digest, row| {
        std::array::from_fn(|lane| (digest[lane] ^ row[lane]).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29))
    })
}

/// The answer of a program, by its twin.
pub fn answer(program: &Program) -> Lanes {
    let reach = program.reach();
    let mut memory = vec![[0; 8]; rows(&reach)];
    let at = ask(&mut memory, &reach);
    interpreter::run(program, &mut memory, at);
    digest(&memory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{all, as_written, two_rows, vex};

    #[test]
    fn a_wrong_bit_in_any_lane_changes_that_lanes_answer_alone() {
        let mut memory = vec![[0; 8]; constants::ROWS + 5];
        let right = digest(&memory);
        for lane in 0..8 {
            memory[constants::ROWS + 2][lane] ^= 1 << (8 * lane);
            let wrong = digest(&memory);
            assert!((0..8).all(|other| (wrong[other] != right[other]) == (other == lane)));
            memory[constants::ROWS + 2][lane] = 0;
        }
        memory[constants::SPILL] = [1; 8];
        assert_eq!(digest(&memory), right);
    }

    #[test]
    fn every_kernel_has_an_answer_of_its_own_in_each_lane() {
        for kernel in all().iter().chain(&two_rows::all()).filter(|kernel| kernel.name.ends_with("_10")) {
            let answer = answer(&kernel.program);
            assert!((0..8).all(|i| (0..i).all(|j| answer[i] != answer[j])), "{}", kernel.name);
        }
    }

    #[test]
    fn other_encodings_give_the_same_answers_in_their_lanes() {
        for (kernel, written) in all().iter().zip(&as_written()) {
            let reach = kernel.program.reach();
            let mut memory = vec![[0; 8]; rows(&reach)];
            let at = ask(&mut memory, &reach);
            vex::run(&vex::translate(&written.program), &mut memory, at);
            assert_eq!(digest(&memory)[..4], answer(&kernel.program)[..4], "{}", kernel.name);
        }
    }
}
