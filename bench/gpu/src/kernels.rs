// SPDX-License-Identifier: Apache-2.0
//! Kernels alone: nothing is copied while time runs, numbers are random, and so are keys. Who waits for them does not sleep:
//! sleeps would make steps of some per cent in their times.

use crate::energy::Meter;
use crate::report::Row;
use crate::samples::{Samples, Work};
use garner::device::DeviceError;
use garner_device_cuda::{Buffer, Machine, Queue, Watched};
use garner_gpu_kernels::kernels::{ENTRIES, KEY_PARTS, Q_PART};
use garner_gpu_kernels::program::ROW_WORDS;
use garner_gpu_kernels::tensor::{matrices_words, write_matrices};
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

/// Writes random numbers of `words` words in tiles: odd ones of full length where `moduli`.
fn fill_tiles(tiles: &mut [u32], words: usize, moduli: bool) {
    fill_random(tiles);
    if moduli {
        let row = LANES * ROW_WORDS;
        for tile in tiles.chunks_exact_mut(words * LANES) {
            tile[..row].iter_mut().step_by(ROW_WORDS).for_each(|lowest| *lowest |= 1);
            let last = tile.len() - row;
            tile[last + ROW_WORDS - 1..].iter_mut().step_by(ROW_WORDS).for_each(|highest| *highest |= 1 << 31);
        }
    }
}

/// A batch of private operations on the GPU: random keys, random numbers.
struct Batch<Q: Queue> {
    queue: Watched<Q>,
    words: usize,
    tiles: usize,
    gather: Kernel,
    prepare: Kernel,
    finish: Kernel,
    recombine: Kernel,
}

impl<Q: Queue> Batch<Q> {
    /// `count` operations with halves of `words` words, of one key or of [`KEYS`].
    fn new<M: Machine<Queue = Q>>(
        machine: &M,
        given_up: &Arc<AtomicBool>,
        words: usize,
        count: usize,
        one_key: bool,
    ) -> Result<Batch<Q>, DeviceError> {
        let length = HALF_WORDS.iter().position(|of| *of == words).expect("a length there is");
        let tiles = count.div_ceil(LANES);
        let number = tiles * words * LANES;
        let mut queue = Watched::new(machine, given_up)?;
        let index = tiles * LANES * ROW_WORDS;
        let records = KEYS * KEY_PARTS * words;
        for (buffer, words) in [
            (Buffer::INDEX, 2 * index),
            (Buffer::MODULUS, 2 * number),
            (Buffer::ONE, 2 * number),
            (Buffer::EXPONENT, 2 * number),
            (Buffer::BASE, 2 * number),
            (Buffer::TABLE, 2 * ENTRIES * number),
            (Buffer::POWER, 2 * number),
            (Buffer::INVERSE, number),
            (Buffer::RESULT, 2 * number),
            (Buffer::records(length), records),
            (Buffer::MATRICES, 2 * matrices_words(words)),
        ] {
            queue.reserve(buffer, words)?;
        }
        queue.write(Buffer::INDEX, 0, 2 * index, &mut |rows| {
            for (prime, (half, first_part)) in rows.chunks_exact_mut(index).zip([0, Q_PART]).enumerate() {
                for (i, row) in half.chunks_exact_mut(ROW_WORDS).enumerate() {
                    let key = if one_key { 0 } else { i % KEYS };
                    (row[0], row[1]) = ((key * KEY_PARTS + first_part) as u32, prime as u32);
                }
            }
        })?;
        queue.write(Buffer::BASE, 0, 2 * number, &mut |bases| fill_tiles(bases, 2 * words, false))?;
        let mut primes = [Vec::new(), Vec::new()];
        queue.write(Buffer::records(length), 0, records, &mut |all| {
            fill_random(all);
            for record in all.chunks_exact_mut(KEY_PARTS * words) {
                for modulus in [0, Q_PART] {
                    record[modulus * words] |= 1;
                    record[(modulus + 1) * words - 1] |= 1 << 31;
                    // R - N
                    let (n, one) = record[modulus * words..].split_at_mut(words);
                    one.iter_mut().zip(n).for_each(|(one, n)| *one = !*n);
                    one[0] |= 1;
                }
                // Below p.
                record[7 * words - 1] >>= 1;
            }
            primes = [0, Q_PART].map(|modulus| all[modulus * words..][..words].to_vec());
        })?;
        queue.write(Buffer::MATRICES, 0, 2 * matrices_words(words), &mut |both| {
            both.chunks_exact_mut(matrices_words(words)).zip(&primes).for_each(|(to, prime)| write_matrices(prime, to));
        })?;
        let kernel = |role| Kernel::new(role, words);
        Ok(Batch {
            queue,
            words,
            tiles,
            gather: kernel(Role::Gather),
            prepare: kernel(Role::Prepare),
            finish: kernel(Role::Finish),
            recombine: kernel(Role::Recombine),
        })
    }

    /// Runs it, the powers by the kernel `walk`.
    fn run(&mut self, walk: &Kernel) -> Result<(), DeviceError> {
        let Batch { queue, words, tiles, gather, prepare, finish, recombine } = self;
        let (words, tiles) = (*words, *tiles);
        let length = HALF_WORDS.iter().position(|of| *of == words).expect("a length there is");
        let number = tiles * words * LANES;
        let halves = [(0, 0), (number, ENTRIES * number)];
        let mut parts = vec![(Buffer::INDEX, 0), (Buffer::records(length), 0)];
        for (at, _) in halves {
            parts.extend([(Buffer::MODULUS, at), (Buffer::ONE, at), (Buffer::EXPONENT, at)]);
        }
        parts.push((Buffer::INVERSE, 0));
        queue.launch(gather, &parts, tiles, 0)?;
        for (at, table) in halves {
            let arrays = [
                (Buffer::MODULUS, at),
                (Buffer::ONE, at),
                (Buffer::BASE, 0),
                (Buffer::TABLE, table),
                (Buffer::POWER, at),
            ];
            queue.launch(prepare, &arrays, tiles, 0)?;
        }
        let from = match walk.role {
            Role::Walk(_) => [Buffer::MODULUS, Buffer::EXPONENT],
            _ => [Buffer::INDEX, Buffer::records(length)],
        };
        let mut walked = [from[0], from[1], Buffer::TABLE, Buffer::POWER].map(|buffer| (buffer, 0)).to_vec();
        if walk.role == Role::WalkTensor {
            walked.push((Buffer::MATRICES, 0));
        }
        queue.launch(walk, &walked, 2 * tiles, (words / ROW_WORDS) as u32)?;
        queue.launch(finish, &[(Buffer::MODULUS, 0), (Buffer::POWER, 0)], 2 * tiles, 0)?;
        let arrays = [
            (Buffer::MODULUS, 0),
            (Buffer::MODULUS, number),
            (Buffer::INVERSE, 0),
            (Buffer::POWER, 0),
            (Buffer::POWER, number),
            (Buffer::RESULT, 0),
        ];
        queue.launch(recombine, &arrays, tiles, 0)?;
        queue.spin()
    }

    /// The results of the last run.
    fn results(&mut self) -> Result<Vec<u32>, DeviceError> {
        let number = 2 * self.tiles * self.words * LANES;
        let mut results = Vec::new();
        self.queue.read(Buffer::RESULT, number, &mut |words| results.extend_from_slice(words))?;
        Ok(results)
    }
}

/// Whether the kernel `walk` gives the same results as `known`, which has passed the self-test.
pub fn agree<M: Machine>(
    machine: &M,
    given_up: &Arc<AtomicBool>,
    words: usize,
    known: Role,
    walk: Role,
) -> Result<bool, DeviceError> {
    let mut batch = Batch::new(machine, given_up, words, LANES + 1, false)?;
    let [known, walked] = [known, walk].map(|role| {
        batch.run(&Kernel::new(role, words))?;
        batch.results()
    });
    Ok(known? == walked?)
}

/// Private operations of `2 * 32 * words` bits in batches of `count` by each of the kernels `walks` in turns, without copies,
/// blinding and check; of one key or of many, which only [`Role::Walk`] takes.
pub fn private<M: Machine>(
    bench: &Bench<'_, M>,
    words: usize,
    walks: &[Role],
    one_key: bool,
    count: usize,
) -> Result<Vec<Row>, DeviceError> {
    let Bench { machine, given_up, meter, time } = *bench;
    let mut batch = Batch::new(machine, given_up, words, count, one_key)?;
    let kernels: Vec<Kernel> = walks.iter().map(|walk| Kernel::new(*walk, words)).collect();
    let work = Work { per_batch: count, time, meter };
    let samples = Samples::in_turns(&work, walks.len(), |i| batch.run(&kernels[i]))?;
    let row = |(walk, samples): (&Role, Samples)| {
        let how = match walk {
            Role::Walk(style) => format!("{style:?}"),
            Role::WalkAlike(_) => "Record".to_owned(),
            Role::WalkConstant(_) => "Constant".to_owned(),
            _ => "Tensor".to_owned(),
        };
        let device = format!("{} {how}", machine.name());
        let row = Row { op: "kernel", bits: 64 * words, device, one_key, callers: 1, batch: count, ..Row::default() };
        samples.row(row)
    };
    Ok(walks.iter().zip(samples).map(row).collect())
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
        queue.write(buffer, 0, number, &mut |tiles| {
            fill_tiles(tiles, words, buffer == Buffer::MODULUS);
            if buffer != Buffer::MODULUS {
                // Below every modulus: the highest word's highest bit is not set.
                let (tile, row) = (words * LANES, LANES * ROW_WORDS);
                for tile in tiles.chunks_exact_mut(tile) {
                    let last = tile.len() - row;
                    tile[last + ROW_WORDS - 1..].iter_mut().step_by(ROW_WORDS).for_each(|highest| *highest >>= 1);
                }
            }
        })?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use garner_device_cuda::{Emulator, Style};

    #[test]
    fn kernels_that_do_the_same_agree() {
        let agree = |walk| agree(&Emulator, &Default::default(), 16, Role::Walk(Style::Resident), walk).unwrap();
        assert!(agree(Role::Walk(Style::Spread)));
        // It reduces by the first number's key; the others have keys of their own.
        assert!(!agree(Role::WalkTensor));
    }
}
