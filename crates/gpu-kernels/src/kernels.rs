// SPDX-License-Identifier: Apache-2.0
//! The kernels, made of [`streamed`](crate::streamed) arithmetic.
//!
//! Numbers lie in tiles of 32 (see [`Space::Tiles`](crate::program::Space::Tiles)); n is the number of words of a modulus,
//! R = 2^(32 n).

use crate::program::{Builder, Count, Pointer, Program, ROW_WORDS, Value};
use crate::scan::scan;
use crate::streamed::Streamed;

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
    Program::new(5, |b| {
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
    })
}

/// `power = power^(2^(128 k)) x^e mod N` in Montgomery form, for k rows of the exponent, given as the parameter.
///
/// Arrays  modulus (n words), exponent (n: most significant word first, k rows are read), table (16 n: of [`prepare`]),
///         power (n: below R; R mod N at the start).
/// Cost    per bit of e a squaring, per four bits a multiplication and a scan of the whole table.
pub fn walk(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    Program::new(4, |b| {
        let modulus = b.tile(0, rows);
        let exponent = b.tile(1, rows);
        let table = b.tile(2, ENTRIES * rows);
        let power = b.tile(3, rows);
        let field = Streamed::new(b, words, modulus);
        field.load(b, power);
        let part = b.copy_of(table);
        each_window(b, exponent, |b, index| {
            b.times(WINDOW as usize, |b| field.square_modulo(b));
            b.repoint(part, table);
            field.multiply(b, |b| {
                let found = scan(b, part, index, rows, 4);
                b.advance(part, 4);
                found.into_iter().map(Value::from).collect()
            });
            field.reduce(b);
        });
        field.store(b, power);
        field.wipe(b);
    })
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
    Program::new(2, |b| {
        let modulus = b.tile(0, rows);
        let power = b.tile(1, rows);
        let field = Streamed::new(b, words, modulus);
        field.load(b, power);
        field.convert_back(b);
        field.store(b, power);
        field.wipe(b);
    })
}

/// `y = y_q + q ((y_p − y_q) q^−1 mod p)`.
///
/// Arrays  p (n words, odd), q (n), q^−1 R mod p (n), y_p (n: below p; overwritten), y_q (n: below q), y (2 n).
/// Cost    3 multiplications without the last reduction.
/// Source  Garner 1959.
pub fn recombine(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    Program::new(6, |b| {
        let p = b.tile(0, rows);
        let q = b.tile(1, rows);
        let inverse = b.tile(2, rows);
        let y_p = b.tile(3, rows);
        let y_q = b.tile(4, rows);
        let y = b.tile(5, 2 * rows);
        let field = Streamed::new(b, words, p);
        // Each by itself modulo p: y_q may be above p, and products are below 2p.
        field.load(b, y_q);
        field.multiply_below_modulus(b, inverse);
        field.store(b, y);
        field.load(b, y_p);
        field.multiply_below_modulus(b, inverse);
        field.subtract_modulo(b, y);
        field.multiply_by(b, q);
        field.add_to_product(b, y_q);
        field.store_product(b, y);
        field.wipe(b);
    })
}

/// `result = power^(2^k) factor / R mod N`, below N, for k squarings, given as the parameter: what a public operation is
/// made of, see [`public_steps`].
///
/// Arrays  modulus N (n words, odd), power (n: below R), factor (n: below N), result (n; may be power).
/// Cost    k squarings and a multiplication.
pub fn public(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    Program::new(4, |b| {
        let modulus = b.tile(0, rows);
        let power = b.tile(1, rows);
        let factor = b.tile(2, rows);
        let result = b.tile(3, rows);
        let field = Streamed::new(b, words, modulus);
        field.load(b, power);
        let count = b.parameter();
        b.repeat(Count::Register(count), |b| field.square_modulo(b));
        field.multiply_below_modulus(b, factor);
        field.store(b, result);
        field.wipe(b);
    })
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

/// Copies the parts of each lane's key out of the records of all keys.
///
/// Arrays  index (one row per lane, of which the first word is the number of the record's first part among those of all
///         records), records, then one array for each part in the order of the record.
pub fn gather(words: usize) -> Program {
    let rows = words / ROW_WORDS;
    Program::new(2 + KEY_PARTS as u8, |b| {
        let index = b.tile(0, 1);
        let first = b.load(index, 0, 1)[0];
        let first = b.copy(first);
        let record = b.record(1, first, rows);
        for part in 0..KEY_PARTS as u8 {
            let to = b.tile(2 + part, rows);
            b.times(rows / 4, |b| {
                let words = b.load(record, 0, 4);
                b.store(to, 0, &words);
                b.advance(record, 4);
                b.advance(to, 4);
            });
        }
    })
}
