// SPDX-License-Identifier: Apache-2.0
//! The kernels, made of [`streamed`](crate::streamed) and [`resident`] arithmetic.
//!
//! Numbers lie in tiles of 32 (see [`Layout`](crate::program::Layout)); n is the number of words of a modulus, R = 2^(32 n).

use crate::program::{Builder, Count, Pointer, Program, ROW_WORDS, Register, SPREAD, Value};
use crate::spread::Spread;
use crate::streamed::{Streamed, negative_inverse, scan};
use crate::tensor::Tensor;
use crate::{Style, resident, tensor};

/// Powers in a table: windows of four bits.
pub const ENTRIES: usize = 16;

/// Bits of a window.
const WINDOW: u32 = ENTRIES.ilog2();

/// `table[i] = x^i R mod N` for i from 0 to 15, and `power = R mod N`.
///
/// Arrays  modulus N (n words, odd), one (n: R mod N), base x (2 n, any value below R²), table (16 n), power (n).
/// Results below R, of `table[0]` and `power` below N.
/// Cost    18 multiplications and about log2 (32 n) squarings.
pub fn prepare(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    let b = &mut Builder::new(5);
    let modulus = b.tile(0, rows);
    let one = b.tile(1, rows);
    let base = b.tile(2, 2 * rows);
    let table = b.tile(3, ENTRIES * rows);
    let power = b.tile(4, rows);
    let entry = |b: &mut Builder, i: usize| {
        let entry = b.copy_of(table);
        b.advance(entry, (i * rows) as i32);
        entry
    };
    let field = Streamed::new(b, words, modulus);
    field.load(b, one);
    field.store(b, table);
    field.store(b, power);

    // R² = 2^(32 n) R: each squaring of 2^k R doubles k.
    let bits = 32 * words;
    let squarings = bits.trailing_zeros() as usize;
    b.times(bits >> squarings, |b| field.double_modulo(b));
    b.times(squarings, |b| field.square_modulo(b));
    // The last entry is the last to be written: until then it may hold R².
    let (first, last) = (entry(b, 1), entry(b, ENTRIES - 1));
    field.store(b, last);

    // x R = (x1 R + x0) R, where x = x1 R + x0. Where N < R / 4, R² is below 2N here, a square of less than 2N with N added
    // to it; so x1 R is below 3N before x0 comes to it.
    let high = b.copy_of(base);
    b.advance(high, rows as i32);
    field.load(b, high);
    field.multiply_modulo(b, last);
    field.add_modulo(b, base);
    field.multiply_modulo(b, last);
    field.store(b, first);

    let next = entry(b, 2);
    b.times(ENTRIES - 2, |b| {
        field.multiply_modulo(b, first);
        field.store(b, next);
        b.advance(next, rows as i32);
    });
    field.wipe(b);
    std::mem::take(b).finish()
}

/// `power = power^(2^(128 k)) x^e mod N` in Montgomery form, for k rows of the exponent, given as the parameter.
///
/// Arrays  modulus (n words), exponent (n: most significant word first, k rows are read), table (16 n: of [`prepare`]),
///         power (n: below R; R mod N at the start).
/// Cost    per bit of e a squaring, per four bits a multiplication and a scan of the whole table.
pub fn walk(words: usize, style: Style) -> Program {
    let rows = words / ROW_WORDS;
    let mut b = if style == Style::Spread { Builder::spread(4) } else { Builder::new(4) };
    let modulus = b.share_of_tile(0, rows, share_rows(rows, style));
    let exponent = b.tile(1, rows);
    walk_modulo(b, words, style, modulus, exponent)
}

/// [`walk`] for tiles of which each has one key: modulus and exponent are read where they lie in the key's record, at one
/// address for all 32 numbers. A tile of several keys comes out right too, and takes longer.
///
/// Arrays  index (one row per lane, of which the first word is the number of a part among those of all records: that of p
///         or of q), records, table and power as for [`walk`].
/// Cost    as [`walk`].
///
/// # Panics
/// For [`Style::Spread`], which keeps its modulus in registers and so has nothing to gain.
pub fn walk_alike(words: usize, style: Style) -> Program {
    let mut b = Builder::new(4);
    let (modulus, _) = part_of_record(&mut b, words / ROW_WORDS);
    walk_record(b, words, style, modulus)
}

/// [`walk_alike`] for one key, whose record is in constant memory.
///
/// Arrays  as [`walk_alike`], but of records one: that of the key, whose parts are counted from 0 on.
/// Cost    as [`walk`].
///
/// # Panics
/// As [`walk_alike`].
pub fn walk_constant(words: usize, style: Style) -> Program {
    let mut b = Builder::new(4);
    let [part, _] = index_row(&mut b);
    let modulus = b.constant_record(1, part, words / ROW_WORDS, KEY_PARTS * words);
    walk_record(b, words, style, modulus)
}

/// A walk modulo what `modulus` points at, in a record.
fn walk_record(mut b: Builder, words: usize, style: Style, modulus: Pointer) -> Program {
    assert_ne!(style, Style::Spread, "no form for one key");
    let rows = words / ROW_WORDS;
    let exponent = b.copy_of(modulus);
    b.advance(exponent, (EXPONENT_PART * rows) as i32);
    walk_modulo(b, words, style, modulus, exponent)
}

/// [`walk_alike`] for tiles of which each has one key and nothing else, reduced on tensor cores.
///
/// Arrays  index (one row per lane, the same for a whole tile: the number of a part among those of all records, then the
///         number of the modulus among those of `matrices`), records, table and power as for [`walk_alike`], matrices (of
///         [`write_matrices`](crate::tensor::write_matrices) for each modulus).
/// Cost    as [`walk`], but for reductions: see [`Tensor::reduce`].
pub fn walk_tensor(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    let b = &mut Builder::spaced(5, tensor::space(words));
    let (modulus, index) = part_of_record(b, rows);
    let exponent = b.copy_of(modulus);
    b.advance(exponent, (EXPONENT_PART * rows) as i32);
    let table = b.tile(2, ENTRIES * rows);
    let power = b.tile(3, rows);
    let matrices = b.chosen_tile(4, index, tensor::rows(words));
    let field = Streamed::new(b, words, modulus);
    let tensor = Tensor::new(words, modulus, matrices);
    walk_streamed(b, &field, [exponent, table, power], rows, |b| tensor.reduce(b, &field));
    std::mem::take(b).finish()
}

/// Rows of each thread's share of a number of `rows` rows.
fn share_rows(rows: usize, style: Style) -> usize {
    if style == Style::Spread { rows / SPREAD } else { 0 }
}

/// The rest of a walk, given where modulus and exponent are.
fn walk_modulo(mut b: Builder, words: usize, style: Style, modulus: Pointer, exponent: Pointer) -> Program {
    let (b, rows) = (&mut b, words / ROW_WORDS);
    let share = share_rows(rows, style);
    let table = b.share_of_tile(2, ENTRIES * rows, share);
    let power = b.share_of_tile(3, rows, share);
    match style {
        Style::Spread => {
            let own = b.load(modulus, 0, share);
            let field = Spread::new(b, own);
            let a: Vec<_> = b.load(power, 0, share).into_iter().map(|word| b.copy(word)).collect();
            let get = || -> Vec<Value> { a.iter().map(|register| Value::from(*register)).collect() };
            let set =
                |b: &mut Builder, result: Vec<Value>| a.iter().zip(result).for_each(|(to, from)| b.set(*to, from));
            each_window(b, exponent, |b, index| {
                b.times(WINDOW as usize, |b| {
                    let square = field.multiply(b, &get(), &get());
                    set(b, square);
                });
                let found: Vec<Value> = scan(b, table, index, rows, share).into_iter().map(Value::from).collect();
                let product = field.multiply(b, &found, &get());
                set(b, product);
            });
            b.store(power, 0, &get());
        }
        Style::Resident => {
            let lowest = b.load(modulus, 0, 1)[0];
            let inverse = negative_inverse(b, lowest);
            let a: Vec<_> = b.load(power, 0, rows).into_iter().map(|word| b.copy(word)).collect();
            let get = || -> Vec<Value> { a.iter().map(|register| Value::from(*register)).collect() };
            each_window(b, exponent, |b, index| {
                b.times(WINDOW as usize, |b| {
                    let product = resident::square(b, &get());
                    let modulus = b.load(modulus, 0, rows);
                    let result = resident::reduce(b, product, &modulus, inverse);
                    a.iter().zip(result).for_each(|(to, from)| b.set(*to, from));
                });
                let found: Vec<Value> = scan(b, table, index, rows, rows).into_iter().map(Value::from).collect();
                let product = resident::multiply(b, &found, &get());
                let modulus = b.load(modulus, 0, rows);
                let result = resident::reduce(b, product, &modulus, inverse);
                a.iter().zip(result).for_each(|(to, from)| b.set(*to, from));
            });
            b.store(power, 0, &get());
        }
        Style::Streamed => {
            let field = Streamed::new(b, words, modulus);
            walk_streamed(b, &field, [exponent, table, power], rows, |b| field.reduce(b));
        }
    }
    std::mem::take(b).finish()
}

/// A walk of numbers on the chip, whose products `reduce` reduces.
fn walk_streamed(
    b: &mut Builder,
    field: &Streamed,
    [exponent, table, power]: [Pointer; 3],
    rows: usize,
    reduce: impl Fn(&mut Builder),
) {
    field.load(b, power);
    let part = b.copy_of(table);
    each_window(b, exponent, |b, index| {
        b.times(WINDOW as usize, |b| {
            field.square(b);
            reduce(b);
        });
        b.repoint(part, table);
        field.multiply(b, |b| {
            let found = scan(b, part, index, rows, 4);
            b.advance(part, 4);
            found.into_iter().map(Value::from).collect()
        });
        reduce(b);
    });
    field.store(b, power);
    field.wipe(b);
}

/// Runs `body` for each window of the exponent, from the highest on.
fn each_window(b: &mut Builder, exponent: Pointer, body: impl FnOnce(&mut Builder, Value)) {
    let count = b.parameter();
    let exponent = b.copy_of(exponent);
    b.repeat(Count::Register(count), |b| {
        let row: Vec<_> = b.load(exponent, 0, 1).into_iter().map(|word| b.copy(word)).collect();
        b.times((32 * ROW_WORDS) / WINDOW as usize, |b| {
            let index = b.shift_right(row[0].into(), 32 - WINDOW);
            for i in 0..ROW_WORDS {
                let below = row.get(i + 1).map_or(Value::ZERO, |below| (*below).into());
                let shifted = b.shift_left(row[i].into(), below, WINDOW);
                b.set(row[i], shifted);
            }
            body(b, index);
        });
        b.advance(exponent, 1);
    });
}

/// `power = power / R mod N`, below N.
///
/// Arrays  modulus (n words), power (n: below R).
pub fn finish(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    let b = &mut Builder::new(2);
    let modulus = b.tile(0, rows);
    let power = b.tile(1, rows);
    let field = Streamed::new(b, words, modulus);
    field.load(b, power);
    field.convert_back(b);
    field.store(b, power);
    field.wipe(b);
    std::mem::take(b).finish()
}

/// `y = y_q + q ((y_p − y_q) q^−1 mod p)`.
///
/// Arrays  p (n words, odd), q (n), q^−1 R mod p (n), y_p (n: below p; overwritten), y_q (n: below q), y (2 n).
/// Cost    3 multiplications without the last reduction.
/// Source  Garner 1959.
pub fn recombine(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    let b = &mut Builder::new(6);
    let p = b.tile(0, rows);
    let q = b.tile(1, rows);
    let inverse = b.tile(2, rows);
    let y_p = b.tile(3, rows);
    let y_q = b.tile(4, rows);
    let y = b.tile(5, 2 * rows);
    let field = Streamed::new(b, words, p);
    // Each by itself modulo p: y_q may be above p, and products are below 2p.
    field.load(b, y_q);
    field.multiply_by(b, inverse);
    let carry = field.reduce_below_two(b);
    field.subtract_modulus(b, carry);
    field.store(b, y);
    field.load(b, y_p);
    field.multiply_by(b, inverse);
    let carry = field.reduce_below_two(b);
    field.subtract_modulus(b, carry);
    field.subtract_modulo(b, y);
    field.multiply_by(b, q);
    field.add_to_product(b, y_q);
    field.store_product(b, y);
    field.wipe(b);
    std::mem::take(b).finish()
}

/// `result = power^(2^k) factor / R mod N`, below N, for k squarings, given as the parameter: what a public operation is
/// made of, see [`public_steps`].
///
/// Arrays  modulus N (n words, odd), power (n: below R), factor (n: below N), result (n; may be power).
/// Cost    k squarings and a multiplication.
pub fn public(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    let b = &mut Builder::new(4);
    let modulus = b.tile(0, rows);
    let power = b.tile(1, rows);
    let factor = b.tile(2, rows);
    let result = b.tile(3, rows);
    let field = Streamed::new(b, words, modulus);
    field.load(b, power);
    let count = b.parameter();
    b.repeat(Count::Register(count), |b| field.square_modulo(b));
    field.multiply_by(b, factor);
    let carry = field.reduce_below_two(b);
    field.subtract_modulus(b, carry);
    field.store(b, result);
    field.wipe(b);
    std::mem::take(b).finish()
}

/// The public exponent, 32-bit words with the least significant first, as numbers of squarings for [`public`].
///
/// First x, with no squaring and R² mod N for its factor, becomes x R. Then comes a launch for each number: its factor is
/// x R, and x for the last, which so leaves Montgomery form at no cost. 65,537 is one launch of 16 squarings, and any 1
/// among an exponent's digits one more. It is public, and so is the time it takes.
///
/// # Panics
/// When the exponent is even or 1.
pub fn public_steps(exponent: &[u32]) -> Vec<u32> {
    let is_set = |bit: &u32| exponent[*bit as usize / 32] >> (bit % 32) & 1 == 1;
    let ones: Vec<u32> = (0..32 * exponent.len() as u32).rev().filter(is_set).collect();
    assert!(ones.len() > 1 && ones[ones.len() - 1] == 0, "odd and above 1");
    ones.windows(2).map(|pair| pair[0] - pair[1]).collect()
}

/// Parts of a private key's record, n words each: for p, then for q, the modulus, R modulo it and the exponent, most
/// significant word first; q^−1 R mod p.
pub const KEY_PARTS: usize = 7;

/// Where q's modulus is among them; p's is the first.
pub const Q_PART: usize = 3;

/// How many parts after its modulus the exponent is.
const EXPONENT_PART: usize = 2;

/// Copies the parts of each lane's key out of the records of all keys.
///
/// Arrays  index (one row per lane, of which the first word is the number of the record's first part among those of all
///         records), records, then one array for each part in the order of the record.
pub fn gather(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    let b = &mut Builder::new(2 + KEY_PARTS as u8);
    let (record, _) = part_of_record(b, rows);
    for part in 0..KEY_PARTS as u8 {
        let to = b.tile(2 + part, rows);
        b.times(rows / 4, |b| {
            let words = b.load(record, 0, 4);
            b.store(to, 0, &words);
            b.advance(record, 4);
            b.advance(to, 4);
        });
    }
    std::mem::take(b).finish()
}

/// A pointer to the part of a record, in array 1, that this thread's row in array 0 says; and the second word of that row.
fn part_of_record(b: &mut Builder, rows: usize) -> (Pointer, Register) {
    let [part, second] = index_row(b);
    (b.record(1, part, rows), second)
}

/// The first two words of this thread's row in array 0.
fn index_row(b: &mut Builder) -> [Register; 2] {
    let index = b.tile(0, 1);
    let row = b.load(index, 0, 1);
    [0, 1].map(|i| b.copy(row[i]))
}
