// SPDX-License-Identifier: Apache-2.0
//! How numbers come to the workspace and leave it: from words to limbs, and back.

use super::Field;
use crate::arithmetic::vectors::bits;
use crate::arithmetic::vectors::class::Shape;
use crate::arithmetic::vectors::kernels::Kernels;
use crate::arithmetic::vectors::workspace::Layout;
use crate::words::shift_right;
use garner_kernels::doubles::{self, Area};
use garner_kernels::{LIMB_BITS, constants, transpose};
use std::iter::repeat;

impl<K: Kernels> Field<'_, K> {
    /// Brings the bits from `first` on of each job's words to the numbers at `to`: 52·N bits, or zeros.
    pub fn load<'w>(&mut self, to: usize, first: usize, words: impl Fn(usize) -> &'w [u64]) {
        let Layout { columns: staging, constants: c, .. } = self.layout;
        let (rows, folded, bits) = (transpose::staged_rows(self.rows()), self.class.lanes(), self.lane_bits());
        for (lane, staged) in self.memory[staging..staging + 8 * rows].chunks_exact_mut(rows).enumerate() {
            shift_right(words(lane / folded), first + lane % folded * bits, staged.as_flattened_mut());
        }
        self.run(self.class.to_limbs, [to, staging, staging + 8 * rows, c, 0, 0]);
    }

    /// Brings the numbers at `from` to words; [`Field::words`] shows them.
    pub fn unload(&mut self, from: usize) {
        let Layout { columns: staging, constants: c, .. } = self.layout;
        let (rows, folded, bits) = (transpose::staged_rows(self.rows()), self.class.lanes(), self.lane_bits());
        self.run(self.class.to_words, [staging, from, staging + 8 * rows, c, 0, 0]);
        if folded > 1 {
            let (lanes, joined) = self.memory[staging..staging + 16 * rows].split_at_mut(8 * rows);
            joined.fill([0; 8]);
            for (lane, words) in lanes.chunks_exact(rows).take(self.kernels.lanes()).enumerate() {
                let job = &mut joined[lane / folded * folded * rows..];
                bits::or_shifted_left(words.as_flattened(), lane % folded * bits, job.as_flattened_mut());
            }
        }
    }

    /// A job's words, after [`Field::unload`].
    pub fn words(&self, job: usize) -> &[u64] {
        let (rows, folded) = (transpose::staged_rows(self.rows()), self.class.lanes());
        let first = if folded > 1 { 8 * rows } else { 0 };
        self.memory[self.layout.columns + first + job * folded * rows..][..folded * rows].as_flattened()
    }

    /// Brings each job's limbs to the numbers at `to`, zeros where it has none, in the lanes there are.
    pub fn load_limbs<'l>(&mut self, to: usize, limbs: impl Fn(usize) -> &'l [u64]) {
        let (rows, folded) = (self.rows(), self.class.lanes());
        let number = &mut self.memory[to..to + rows];
        let mut parts: [&[u64]; 8] = [&[]; 8];
        let lanes = &mut parts[..self.kernels.lanes()];
        for (lane, part) in lanes.iter_mut().enumerate() {
            let limbs = limbs(lane / folded);
            let first = limbs.len().min(lane % folded * rows);
            *part = &limbs[first..limbs.len().min(first + rows)];
        }
        if lanes.iter().all(|limbs| std::ptr::eq(*limbs, lanes[0])) {
            // Most often all jobs are of one key.
            let limbs = lanes[0].iter().chain(repeat(&0));
            return number.iter_mut().zip(limbs).for_each(|(row, limb)| *row = [*limb; 8]);
        }
        for (lane, limbs) in lanes.iter().enumerate() {
            let (some, none) = number.split_at_mut(limbs.len());
            some.iter_mut().zip(*limbs).for_each(|(row, limb)| row[lane] = *limb);
            none.iter_mut().for_each(|row| row[lane] = 0);
        }
    }

    /// Brings the moduli, 2^(−52), 2^(−26·N) and 2^(−260) mod n and −n^−1 mod 2^260 of each job, in limbs, to their places.
    pub fn load_moduli<'l>(
        &mut self,
        moduli: impl Fn(usize) -> &'l [u64],
        limb_reducers: impl Fn(usize) -> &'l [u64],
        inverses: impl Fn(usize) -> &'l [u64],
        reducers: impl Fn(usize) -> &'l [u64],
        negative_inverses: impl Fn(usize) -> &'l [u64],
    ) {
        let folded = self.class.lanes();
        let inverse = |lane: usize, i: usize| negative_inverses(lane / folded).get(i).copied().unwrap_or(0);
        self.memory[self.layout.constants + constants::NEGATIVE_INVERSE] = std::array::from_fn(|lane| inverse(lane, 0));
        self.load_limbs(self.layout.modulus, moduli);
        if self.class.has_limb_reducer() {
            self.load_limbs(self.layout.limb_reducer, limb_reducers);
        }
        if let Shape::Blocks { .. } = self.class.shape {
            self.load_limbs(self.layout.inverse, inverses);
            self.composed().prepare();
            self.run_composed();
        }
        if let Shape::Doubles(_) = self.class.shape {
            let area = Area::of(self.class.numbers());
            let [modulus, reducer] = [area.modulus, area.reducer].map(|row| self.layout.area + row);
            self.copy(modulus, self.layout.modulus);
            self.load_limbs(reducer, reducers);
            [modulus, reducer].into_iter().for_each(|place| self.prepare(place));
            for (i, row) in self.memory[self.layout.area + area.inverse..][..doubles::BLOCK].iter_mut().enumerate() {
                *row = std::array::from_fn(|lane| to_double(inverse(lane, i)));
            }
        }
    }

    /// Makes the number at `place` a factor for [`Field::half_multiply`], and for nothing else.
    pub fn prepare(&mut self, place: usize) {
        if let Shape::Doubles(_) = self.class.shape {
            self.number(place).as_flattened_mut().iter_mut().for_each(|limb| *limb = to_double(*limb));
        }
    }

    /// Bits of a number that stand in one lane.
    fn lane_bits(&self) -> usize {
        self.rows() * LIMB_BITS
    }
}

/// A limb in double precision.
pub(super) fn to_double(limb: u64) -> u64 {
    (f64::from_bits(limb | constants::TWO_TO_52) - f64::from_bits(constants::TWO_TO_52)).to_bits()
}

/// A limb out of double precision.
pub(super) fn from_double(bits: u64) -> u64 {
    (f64::from_bits(bits) + f64::from_bits(constants::TWO_TO_52)).to_bits() & ((1 << LIMB_BITS) - 1)
}
