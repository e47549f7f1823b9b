// SPDX-License-Identifier: Apache-2.0
//! Between numbers as their owners keep them, 64-bit words one after the other, and limbs across the lanes.
//!
//! Staged numbers stand lane after lane, each in [`staged_rows`] rows of eight words.

use crate::LIMB_BITS;
use crate::constants;
use crate::program::{Code, Pointer, Program, Vector};

const WORD_BITS: usize = 64;
/// After so many limbs, and so many words, limbs and words begin together again.
const PERIOD: (usize, usize) = (16, 13);

/// Rows that a lane's staged number takes, when it has N = `limbs` limbs.
pub const fn staged_rows(limbs: usize) -> usize {
    (limbs * LIMB_BITS).div_ceil(8 * WORD_BITS)
}

/// Words to limbs, eight lanes.
///
/// Pointers P0 limbs, P1 staged words, P2 scratch of the staged words' size, P3 constants.
/// Shapes   limbs: N rows, limb-major, radix 2^52; N = `limbs`. Bits beyond 52·N are dropped.
/// Cost     no multiply-adds.
pub fn to_limbs(limbs: usize) -> Program {
    let (to, staged, words) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let rows = staged_rows(limbs);
    let mut code = Code::new();
    transpose(words, 8, (staged, 1), rows, |lane| (words.row(lane), staged.row(lane * rows)), &mut code);
    let mask = Vector(31);
    code.copy(mask, constants::limb_mask());
    let limb = |i: usize, code: &mut Code| {
        let (word, shift) = (i * LIMB_BITS / WORD_BITS, i * LIMB_BITS % WORD_BITS);
        let (low, high) = (Vector(i as u8 % 8), Vector(8 + i as u8 % 8));
        code.copy(low, words.row(word));
        if shift > 0 {
            code.shift_right(low, low, shift);
        }
        if shift + LIMB_BITS > WORD_BITS {
            code.copy(high, words.row(word + 1));
            code.shift_left(high, high, WORD_BITS - shift);
            code.or(low, low, high);
        }
        code.and(low, low, mask);
        code.store(to.row(i), low);
    };
    let mut period = Code::new();
    (0..PERIOD.0).for_each(|i| limb(i, &mut period));
    period.advance(words, PERIOD.1 as isize);
    period.advance(to, PERIOD.0 as isize);
    code.repeat(limbs / PERIOD.0, period);
    (0..limbs % PERIOD.0).for_each(|i| limb(i, &mut code));
    Program::new(code)
}

/// Limbs to words, eight lanes.
///
/// Pointers P0 staged words, P1 limbs, P2 scratch of the staged words' size.
/// Shapes   limbs: N rows, limb-major, radix 2^52, each below 2^52; N = `limbs`.
/// Cost     no multiply-adds.
pub fn to_words(limbs: usize) -> Program {
    let (staged, from, words) = (Pointer::P0, Pointer::P1, Pointer::P2);
    let rows = staged_rows(limbs);
    let mut code = Code::new();
    // The word `i` of a period, of which `limbs` limbs are left.
    let word = |i: usize, limbs: usize, code: &mut Code| {
        let (first, shift) = (i * WORD_BITS / LIMB_BITS, i * WORD_BITS % LIMB_BITS);
        let (sum, term) = (Vector(i as u8 % 8), Vector(8 + i as u8 % 8));
        match first < limbs {
            true => code.copy(sum, from.row(first)),
            false => code.zero(sum),
        }
        if shift > 0 {
            code.shift_right(sum, sum, shift);
        }
        for (limb, bits) in [(first + 1, LIMB_BITS - shift), (first + 2, 2 * LIMB_BITS - shift)] {
            if limb < limbs && bits < WORD_BITS {
                code.copy(term, from.row(limb));
                code.shift_left(term, term, bits);
                code.or(sum, sum, term);
            }
        }
        code.store(words.row(i), sum);
    };
    let periods = limbs / PERIOD.0;
    let mut period = Code::new();
    (0..PERIOD.1).for_each(|i| word(i, PERIOD.0, &mut period));
    period.advance(words, PERIOD.1 as isize);
    period.advance(from, PERIOD.0 as isize);
    code.repeat(periods, period);
    (0..8 * rows - periods * PERIOD.1).for_each(|i| word(i, limbs % PERIOD.0, &mut code));
    code.advance(words, -((periods * PERIOD.1) as isize));
    transpose(staged, 1, (words, 8), rows, |lane| (staged.row(lane * rows), words.row(lane)), &mut code);
    Program::new(code)
}

/// Transposes `count` squares of 8 by 8 words. `places` tells the rows that each square's lane goes to and comes from;
/// after a square the pointer `to` moves on by `to_step` rows, and the other likewise. `to` is back in the end.
fn transpose(
    to: Pointer,
    to_step: isize,
    (from, from_step): (Pointer, isize),
    count: usize,
    places: impl Fn(usize) -> (crate::program::Row, crate::program::Row),
    code: &mut Code,
) {
    let (a, b) = (|i: usize| Vector(i as u8), |i: usize| Vector(8 + i as u8));
    let mut square = Code::new();
    (0..8).for_each(|i| square.copy(a(i), places(i).1));
    for i in (0..8).step_by(2) {
        square.even_words(b(i), a(i), a(i + 1));
        square.odd_words(b(i + 1), a(i), a(i + 1));
    }
    // Pairs of words are now in place: b(0), b(2), b(4), b(6) hold the even columns, the others the odd ones.
    for parity in 0..2 {
        for half in [0, 4] {
            square.even_pairs(a(half + parity), b(half + parity), b(half + parity + 2));
            square.odd_pairs(a(half + parity + 2), b(half + parity), b(half + parity + 2));
        }
        square.even_pairs(b(parity), a(parity), a(4 + parity));
        square.odd_pairs(b(parity + 4), a(parity), a(4 + parity));
        square.even_pairs(b(parity + 2), a(parity + 2), a(6 + parity));
        square.odd_pairs(b(parity + 6), a(parity + 2), a(6 + parity));
    }
    (0..8).for_each(|i| square.store(places(i).0, b(i)));
    square.advance(to, to_step);
    square.advance(from, from_step);
    code.repeat(count, square);
    code.advance(to, -(to_step * count as isize));
}
