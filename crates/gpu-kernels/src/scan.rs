// SPDX-License-Identifier: Apache-2.0
//! The scan of a table of powers: every entry is read, whichever is wanted.

use crate::program::{Builder, Carry, Pointer, ROW_WORDS, Register, Value};

/// Reads all of a table of 16 entries, each `entry_rows` rows long, and keeps `rows` rows of entry `index`.
pub fn scan(b: &mut Builder, table: Pointer, index: Value, entry_rows: usize, rows: usize) -> Vec<Register> {
    /// Entries whose loads are under way at once.
    const TOGETHER: usize = 2;
    let found = b.registers(rows * ROW_WORDS);
    found.iter().for_each(|register| b.set(*register, Value::ZERO));
    let entry = b.copy(Value::ZERO);
    let table = b.copy_of(table);
    b.times(16 / TOGETHER, |b| {
        let entries: Vec<Vec<Value>> = (0..TOGETHER).map(|i| b.load(table, i * entry_rows, rows)).collect();
        for words in entries {
            let mask = b.equal(index, entry.into());
            for (found, word) in found.iter().zip(words) {
                let masked = b.and(word, mask);
                let merged = b.or((*found).into(), masked);
                b.set(*found, merged);
            }
            let next = b.add(entry.into(), Value::Word(1), Carry::default());
            b.set(entry, next);
        }
        b.advance(table, (TOGETHER * entry_rows) as i32);
    });
    found
}
