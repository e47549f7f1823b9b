// SPDX-License-Identifier: Apache-2.0
//! Kernels alone: nothing is copied while time runs, numbers are random, and so are keys. Who waits for them does not sleep:
//! sleeps would make steps of some per cent in their times.

use crate::energy::Meter;
use crate::report::Row;
use crate::samples::{Samples, Work};
use garner::device::DeviceError;
use garner_device_cuda::{Buffer, Kernels, Machine, Watched};
use garner_gpu_kernels::kernels::KEY_PARTS;
use garner_gpu_kernels::program::ROW_WORDS;
use garner_gpu_kernels::{HALF_WORDS, Kernel, LANES, Role};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Different keys in a batch.
const KEYS: usize = 64;

/// A GPU, and how long it is measured.
pub struct Bench<'a, M: Machine> {
    /// The GPU.
    pub machine: &'a M,
    /// Whether it was given up.
    pub given_up: &'a Arc<AtomicBool>,
    /// Its meter.
    pub meter: Option<&'a Meter>,
    /// For each measurement.
    pub time: Duration,
}

/// Products of two words in one private operation with halves of `words` words: what the pipe must do at least.
pub fn products(words: usize) -> f64 {
    let n = words as f64;
    let (square, multiply, reduce) = (n * (n + 1.0) / 2.0, n * n, n * n);
    let windows = 8.0 * n;
    2.0 * windows * (4.0 * (square + reduce) + multiply + reduce)
}

fn fill_random(words: &mut [u32]) {
    let mut bytes = vec![0; 4 * words.len()];
    openssl::rand::rand_bytes(&mut bytes).expect("random numbers");
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes(chunk.try_into().expect("four bytes"));
    }
}

/// Writes random odd numbers of `words` words in tiles: of full length where `moduli`, else below all of those.
fn fill_tiles(tiles: &mut [u32], words: usize, moduli: bool) {
    fill_random(tiles);
    for tile in tiles.chunks_exact_mut(words * LANES) {
        let (first, last) = (LANES * ROW_WORDS, (words - ROW_WORDS) * LANES);
        tile[..first].iter_mut().step_by(ROW_WORDS).for_each(|lowest| *lowest |= 1);
        for highest in tile[last + ROW_WORDS - 1..].iter_mut().step_by(ROW_WORDS) {
            *highest = *highest >> 1 | u32::from(moduli) << 31;
        }
    }
}

/// Writes a record of random numbers where the primes would be: see [`KEY_PARTS`].
fn fill_record(record: &mut [u32], words: usize) {
    fill_random(record);
    // A modulus, R modulo it and an exponent, twice; then a number below p.
    let (halves, below_p) = record.split_at_mut(6 * words);
    for half in halves.chunks_exact_mut(3 * words) {
        let (modulus, one) = half.split_at_mut(words);
        modulus[0] |= 1;
        modulus[words - 1] |= 1 << 31;
        // R - N
        one.iter_mut().zip(&*modulus).for_each(|(one, word)| *one = !word);
        one[0] |= 1;
    }
    below_p[words - 1] >>= 1;
}

/// Private operations in batches of `count` with mixed keys, of primes whose length is `length` in [`HALF_WORDS`], without
/// copies, blinding and check.
pub fn private<M: Machine>(bench: &Bench<'_, M>, length: usize, count: usize) -> Result<Row, DeviceError> {
    let Bench { machine, given_up, meter, time } = *bench;
    let (kernels, words, tiles) = (Kernels::new(length), HALF_WORDS[length], count.div_ceil(LANES));
    let (bases, records) = (2 * tiles * words * LANES, KEYS * KEY_PARTS * words);
    let mut queue = Watched::new(machine, given_up)?;
    for (buffer, words) in kernels.private_buffers(tiles).into_iter().chain([(Buffer::records(length), records)]) {
        queue.reserve(buffer, words)?;
    }
    kernels.write_index(&mut queue, tiles, |i| i % KEYS)?;
    queue.write(Buffer::BASE, 0, bases, &mut |bases| fill_tiles(bases, 2 * words, false))?;
    queue.write(Buffer::records(length), 0, records, &mut |records| {
        records.chunks_exact_mut(KEY_PARTS * words).for_each(|record| fill_record(record, words));
    })?;
    let samples = Samples::take(&Work { per_batch: count, time, meter }, || {
        kernels.start_private(&mut queue, tiles)?;
        queue.spin()
    })?;
    let device = machine.name().to_owned();
    Ok(samples.row(Row { op: "kernel", bits: 64 * words, device, callers: 1, batch: count, ..Row::default() }))
}

/// Public operations with e = 65537 of `32 * words` bits in batches of `count`, without copies.
pub fn public<M: Machine>(bench: &Bench<'_, M>, words: usize, count: usize) -> Result<Row, DeviceError> {
    let Bench { machine, given_up, meter, time } = *bench;
    let tiles = count.div_ceil(LANES);
    let number = tiles * words * LANES;
    let mut queue = Watched::new(machine, given_up)?;
    for buffer in [Buffer::MODULUS, Buffer::SQUARE, Buffer::BASE, Buffer::POWER, Buffer::RESULT] {
        queue.reserve(buffer, number)?;
    }
    for buffer in [Buffer::MODULUS, Buffer::SQUARE, Buffer::BASE] {
        queue.write(buffer, 0, number, &mut |tiles| fill_tiles(tiles, words, buffer == Buffer::MODULUS))?;
    }
    let kernel = Kernel::new(Role::Public, words);
    let steps = [(Buffer::BASE, Buffer::SQUARE, Buffer::POWER, 0), (Buffer::POWER, Buffer::BASE, Buffer::RESULT, 16)];
    let run = || -> Result<(), DeviceError> {
        for (power, factor, result, squarings) in steps {
            let arrays = [Buffer::MODULUS, power, factor, result].map(|buffer| (buffer, 0));
            queue.launch(&kernel, &arrays, tiles, squarings)?;
        }
        queue.spin()
    };
    let samples = Samples::take(&Work { per_batch: count, time, meter }, run)?;
    let device = machine.name().to_owned();
    Ok(samples.row(Row { op: "public", bits: 32 * words, device, callers: 1, batch: count, ..Row::default() }))
}
