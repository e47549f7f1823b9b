// SPDX-License-Identifier: Apache-2.0
//! Montgomery reduction on tensor cores, for warps whose 32 numbers have one modulus.
//!
//! For a modulus that all numbers share, both products of a reduction are products with a matrix: m = T (−N^−1) mod R, then
//! m N. In the matrix of a number c, row k and column j hold byte j − k of c (it is a Toeplitz matrix), so that a column of the
//! product is a column of digits of the product of two numbers, a sum of up to 2^24.
//!
//! 16 numbers at a time, four threads have one, a quarter each. The order of a matrix's rows and columns is free: here
//! each thread multiplies the words of its own quarter, and gets the columns of its own quarter. So numbers stay where
//! they are, only carries change threads, and of the matrix a thread needs two words for each distance of a word of the
//! product from a word of the number.
//!
//! Of m N the upper half is wanted, and what the lower half carries into it. T + m N is a multiple of R, so its lower half is
//! q R, and q is known from its topmost parts: the highest word of T and the four highest columns.
//!
//! Source: Montgomery 1985. The carry out of the lower half is ours.

use crate::program::{Builder, Carry, LANES, Pointer, ROW_WORDS, Register, SPREAD, Value};
use crate::spread::Quarters;
use crate::streamed::Streamed;
use crate::window::{BOTH, GIVES, TAKES, give_carry};
use zeroize::Zeroizing;

/// Numbers in a product of matrices.
const NUMBERS: usize = 16;

/// Each thread has a quarter of two of them, eight apart.
const PAIR: usize = 2;

/// Products of matrices that give a word of each number: two bytes each.
const HALVES: usize = 2;

/// Words of each thread's quarter of a number of `words` words.
const fn quarter(words: usize) -> usize {
    words / SPREAD
}

/// Rows of the matrix of a number of `words` words: two distances in each, from −quarter to quarter − 1.
const fn matrix_rows(words: usize) -> usize {
    quarter(words)
}

/// Rows of the matrices of a modulus: the third is only half there, the distances from 0 on.
pub const fn rows(words: usize) -> usize {
    2 * matrix_rows(words) + matrix_rows(words) / 2
}

/// Words of the matrices of a modulus, see [`write_matrices`].
pub const fn matrices_words(words: usize) -> usize {
    rows(words) * ROW_WORDS * LANES
}

/// Writes the matrices of a modulus N, odd, its least significant word first, as a tile: that of −N^−1 mod R, for the lower half
/// of products; that of N for the upper half; that of N for the highest columns of the lower half.
///
/// # Panics
/// When `to` is not as long as [`matrices_words`] says.
pub fn write_matrices(modulus: &[u32], to: &mut [u32]) {
    let words = modulus.len();
    assert_eq!(to.len(), matrices_words(words), "three matrices");
    let inverse = negative_inverse(modulus);
    let (whole, quarter) = (matrix_rows(words) * ROW_WORDS * LANES, quarter(words) as isize);
    let (first, rest) = to.split_at_mut(whole);
    let (second, third) = rest.split_at_mut(whole);
    // Of how many bytes the first column is above the first of the lower half, and the first distance.
    for (matrix, number, above, from) in
        [(first, &inverse[..], 0, -quarter), (second, modulus, 4 * words as isize, -quarter), (third, modulus, 0, 0)]
    {
        let byte = |at: isize| {
            let word = usize::try_from(at).ok().and_then(|at| number.get(at / 4)).copied().unwrap_or(0);
            word >> (8 * at.rem_euclid(4)) & 0xFF
        };
        for (i, word) in matrix.iter_mut().enumerate() {
            let (row, lane, place) = (i / (ROW_WORDS * LANES), i / ROW_WORDS % LANES, i % ROW_WORDS);
            let distance = from + (row * ROW_WORDS + place) as isize / HALVES as isize;
            // Column 2 l + e is byte e of the product's half word in quarter l, row 4 k + i byte i of the word in quarter k.
            let (column, k) = (lane / 4, lane % 4);
            let quarters = (column / 2) as isize - k as isize;
            let column = above + 4 * (quarter * quarters + distance) + (place % HALVES * 2 + column % 2) as isize;
            *word = (0..4).map(|i| byte(column - i) << (8 * i)).sum();
        }
    }
}

/// −N^−1 mod R: the multiple of N that makes the words of 1 zero, one after the other.
fn negative_inverse(modulus: &[u32]) -> Zeroizing<Vec<u32>> {
    // Newton's iteration: n is its own inverse mod 8, and each step doubles the bits that are right.
    let step = |x: u32, _| x.wrapping_mul(2_u32.wrapping_sub(modulus[0].wrapping_mul(x)));
    let digit = (0..4).fold(modulus[0], step).wrapping_neg();
    let mut sum = Zeroizing::new(vec![0_u32; modulus.len()]);
    sum[0] = 1;
    let mut inverse = Zeroizing::new(Vec::with_capacity(modulus.len()));
    for i in 0..modulus.len() {
        let word = sum[i].wrapping_mul(digit);
        inverse.push(word);
        let mut carry = 0;
        for (sum, n) in sum[i..].iter_mut().zip(modulus) {
            let total = u64::from(*sum) + u64::from(word) * u64::from(*n) + carry;
            (*sum, carry) = (total as u32, total >> 32);
        }
    }
    inverse
}

/// Threads' words to leave free after each row on the chip, so that the four quarters of a number, rows apart, lie in
/// different banks; of 64 words the third and the fourth lie in those of the first and second.
pub const fn space(words: usize) -> usize {
    // Of the eight 16-byte banks these times the 1 to 4 rows of a quarter skip 2, 2, 6 or 4.
    if (words / 16).is_multiple_of(2) { 1 } else { 2 }
}

/// A modulus and its matrices.
pub struct Tensor {
    /// Words of a quarter.
    quarter: usize,
    modulus: Pointer,
    matrices: Pointer,
}

/// This thread's quarter of two numbers.
type Pair = [Vec<Value>; PAIR];

impl Tensor {
    /// Of `words` words, in the record at `modulus`; its matrices, see [`write_matrices`], in the rows from `matrices` on.
    pub fn new(words: usize, modulus: Pointer, matrices: Pointer) -> Tensor {
        let quarter = quarter(words);
        assert!(quarter.is_multiple_of(ROW_WORDS), "whole rows");
        Tensor { quarter, modulus, matrices }
    }

    /// A = T / R mod N, below R. Cost: n² / 4 + n / 2 products of matrices for 16 numbers of n words.
    pub fn reduce(&self, b: &mut Builder, field: &Streamed) {
        let rows = self.quarter / ROW_WORDS;
        b.synchronise();
        // Made here and not kept: elsewhere registers are scarce.
        let share = b.share();
        let quarters = Quarters::new(b, share);
        let modulus = b.share_of(self.modulus, rows);
        let upper = field.upper_half(b);
        let [low, high, to] = [field.t, upper, field.a].map(|tile| {
            let first = b.share_of(tile, rows);
            let second = b.copy_of(first);
            b.advance(second, 1);
            [first, second]
        });
        b.times(LANES / NUMBERS, |b| {
            let t: Pair = low.map(|number| b.load(number, 0, rows));
            let mut m = self.multiply(b, &t, Kind::Inverse, None);
            let m = m.each_mut().map(|(words, above)| {
                // Modulo R: what is above the highest quarter is gone.
                quarters.carry_up(b, words, *above);
                std::mem::take(words)
            });
            let carried = self.carried_from_lower(b, &quarters, &t, &m);
            let sums = self.multiply(b, &m, Kind::Upper, Some((high, carried)));
            let modulus = b.load(modulus, 0, rows);
            for (to, (mut words, above)) in to.into_iter().zip(sums) {
                quarters.fold(b, &mut words, above, &modulus);
                b.store(to, 0, &words);
            }
            [low, high, to].as_flattened().iter().for_each(|number| b.advance(*number, PAIR as i32));
        });
        b.synchronise();
    }

    /// Of which nothing was read yet.
    fn matrix(&self, kind: Kind) -> Matrix {
        let rows = matrix_rows(SPREAD * self.quarter);
        let (first_row, first_distance) = match kind {
            Kind::Inverse => (0, -(self.quarter as isize)),
            Kind::Upper => (rows, -(self.quarter as isize)),
            Kind::Lower => (2 * rows, 0),
        };
        Matrix { pointer: self.matrices, first_row, first_distance, rows: Vec::new() }
    }

    /// The products of `x` and a matrix, plus the numbers from a pointer on and what is carried into their lowest words,
    /// below 2^16. What is above each quarter has not gone up yet.
    fn multiply(
        &self,
        b: &mut Builder,
        x: &Pair,
        kind: Kind,
        plus: Option<([Pointer; PAIR], [Value; PAIR])>,
    ) -> [(Vec<Value>, Value); PAIR] {
        let matrix = &mut self.matrix(kind);
        let zero = || Above { sum: Value::ZERO, carry: Value::ZERO, carry_of_plus: Value::ZERO };
        let mut above = [zero(), zero()];
        if let Some((_, carried)) = plus {
            for (above, carried) in above.iter_mut().zip(carried) {
                above.sum = b.shift_left(carried, Value::ZERO, 16);
            }
        }
        let mut results = [Vec::new(), Vec::new()];
        for row in 0..self.quarter / ROW_WORDS {
            let mut sums_of = [Vec::new(), Vec::new()];
            for word in ROW_WORDS * row..ROW_WORDS * (row + 1) {
                let columns = columns(b, x, matrix, word);
                for (number, sums_of) in sums_of.iter_mut().enumerate() {
                    sums_of.push(sums(b, &columns, number));
                }
            }
            for (number, (above, result)) in above.iter_mut().zip(&mut results).enumerate() {
                let plus = plus.map(|(from, _)| b.load(from[number], row, 1));
                result.extend(above.add_up(b, &sums_of[number], plus.as_deref()));
            }
        }
        let [first, second] = results;
        let [first_above, second_above] = above.map(|above| above.total(b));
        [(first, first_above), (second, second_above)]
    }

    /// What the lower half of T + m N carries out, in the thread of the lowest quarter: below 2^16.
    fn carried_from_lower(&self, b: &mut Builder, quarters: &Quarters, t: &Pair, m: &Pair) -> [Value; PAIR] {
        let highest = self.quarter - 1;
        let columns = columns(b, m, &mut self.matrix(Kind::Lower), highest);
        [0, 1].map(|number| {
            // In the highest quarter: the highest word, and what is above. Columns left out are less than 2^24, the words
            // of T less than 1 of that word's units, so that the whole is just below a multiple of 2^32.
            let [low, high] = sums(b, &columns, number);
            let shifted = b.shift_left(high, Value::ZERO, 16);
            let above = b.shift_right(high, 16);
            let word = b.add(low, shifted, GIVES);
            let above = b.add(above, Value::ZERO, TAKES);
            let word = b.add(word, t[number][highest], GIVES);
            let above = b.add(above, Value::ZERO, TAKES);
            b.add(word, Value::Word(1 << 31), GIVES);
            let above = b.add(above, Value::ZERO, TAKES);
            let carried = b.shuffle(above, Value::Word(SPREAD as u32 - 1));
            quarters.in_lowest(b, carried)
        })
    }
}

/// Which of a modulus's matrices.
enum Kind {
    Inverse,
    Upper,
    Lower,
}

/// Rows of a matrix, each read once.
struct Matrix {
    pointer: Pointer,
    first_row: usize,
    /// The distance with which it begins.
    first_distance: isize,
    rows: Vec<Option<Vec<Value>>>,
}

impl Matrix {
    /// The word for a distance and a half of the product's word.
    fn word(&mut self, b: &mut Builder, distance: isize, half: usize) -> Value {
        let word = usize::try_from(distance - self.first_distance).expect("a distance it has") * HALVES + half;
        let row = word / ROW_WORDS;
        if self.rows.len() <= row {
            self.rows.resize(row + 1, None);
        }
        self.rows[row].get_or_insert_with(|| b.load(self.pointer, self.first_row + row, 1))[word % ROW_WORDS]
    }
}

/// The columns of word `word` of this thread's quarter of a product: for each half two columns of each number.
fn columns(b: &mut Builder, x: &Pair, matrix: &mut Matrix, word: usize) -> [[Register; 4]; HALVES] {
    [0, 1].map(|half| {
        let columns = [0; 4].map(|_| b.copy(Value::ZERO));
        for (i, (first, second)) in x[0].iter().zip(&x[1]).enumerate() {
            let digits = matrix.word(b, word as isize - i as isize, half);
            b.multiply_matrices(columns, [*first, *second], digits);
        }
        columns
    })
}

/// The two columns of each half for one of the two numbers, the higher times 2^8: below 2^32.
fn sums(b: &mut Builder, columns: &[[Register; 4]; HALVES], number: usize) -> [Value; HALVES] {
    columns.map(|columns| {
        let [low, high] = [columns[2 * number], columns[2 * number + 1]];
        let high = b.shift_left(high.into(), Value::ZERO, 8);
        b.add(low.into(), high, Carry::default())
    })
}

/// What is added to the next word.
struct Above {
    /// The upper half of it.
    sum: Value,
    carry: Value,
    /// Of what is added besides.
    carry_of_plus: Value,
}

impl Above {
    /// Words of sums, of which the second half counts 2^16, and `plus`.
    fn add_up(&mut self, b: &mut Builder, sums: &[[Value; HALVES]], plus: Option<&[Value]>) -> Vec<Value> {
        let mut below = self.sum;
        let shifted: Vec<Value> =
            sums.iter().map(|[_, high]| b.shift_left(*high, std::mem::replace(&mut below, *high), 16)).collect();
        self.sum = below;
        let low: Vec<Value> = sums.iter().map(|[low, _]| *low).collect();
        let words = add_with_carry(b, &low, &shifted, &mut self.carry);
        match plus {
            Some(plus) => add_with_carry(b, &words, plus, &mut self.carry_of_plus),
            None => words,
        }
    }

    /// All of it.
    fn total(&self, b: &mut Builder) -> Value {
        let total = b.shift_right(self.sum, 16);
        let total = b.add(total, self.carry, Carry::default());
        if self.carry_of_plus == Value::ZERO { total } else { b.add(total, self.carry_of_plus, Carry::default()) }
    }
}

/// `x + y + carry`, and the carry out of it.
fn add_with_carry(b: &mut Builder, x: &[Value], y: &[Value], carry: &mut Value) -> Vec<Value> {
    let first = *carry == Value::ZERO;
    if !first {
        give_carry(b, *carry);
    }
    let add = |(i, (x, y)): (usize, (&Value, &Value))| b.add(*x, *y, if first && i == 0 { GIVES } else { BOTH });
    let sum = x.iter().zip(y).enumerate().map(add).collect();
    *carry = b.add(Value::ZERO, Value::ZERO, TAKES);
    sum
}
