// SPDX-License-Identifier: Apache-2.0
//! One batch after the other through one queue: lays numbers out, runs the kernels, takes results, wipes.
//!
//! Secrets of a batch are wiped from the GPU and from the way there when it ends, well or not; records of keys stay until
//! their key is dropped (and wiped before the next batch), gives way to another, or the lane ends. It ends with the first
//! error: whatever is there then, nobody finds it.

use super::MOST_KEYS;
use super::layout::{put, put_exponent, take, tile_words, tiles_for};
use super::machine::{Buffer, Queue};
use super::record::{Parts, remainder_of_r, shortened, square_of_r};
use super::watched::Watched;
use garner::device::slots::{Place, Slots};
use garner::device::{DeviceError, Power, Private, Unprepared};
use garner_gpu_kernels::kernels::{ENTRIES, KEY_PARTS, public_steps};
use garner_gpu_kernels::program::{LANES, ROW_WORDS};
use garner_gpu_kernels::{HALF_WORDS, Kernel, Role};
use std::collections::HashMap;
use std::ptr;
use zeroize::Zeroizing;

/// The kernels for one length of moduli.
pub struct Kernels {
    /// Its place in [`HALF_WORDS`].
    length: usize,
    pub(crate) words: usize,
    gather: Kernel,
    prepare: Kernel,
    walk: Kernel,
    finish: Kernel,
    recombine: Kernel,
}

impl Kernels {
    /// Those for the length at this place in [`HALF_WORDS`].
    pub fn new(length: usize) -> Kernels {
        let words = HALF_WORDS[length];
        let kernel = |role| Kernel::new(role, words);
        Kernels {
            length,
            words,
            gather: kernel(Role::Gather),
            prepare: kernel(Role::Prepare),
            walk: kernel(Role::Walk),
            finish: kernel(Role::Finish),
            recombine: kernel(Role::Recombine),
        }
    }

    /// The buffers of a batch of private operations and their words, but for the records of keys. Numbers modulo p come first,
    /// then those modulo q.
    pub fn private_buffers(&self, tiles: usize) -> [(Buffer, usize); 9] {
        let number = tiles * tile_words(self.words);
        [
            (Buffer::INDEX, tiles * tile_words(ROW_WORDS)),
            (Buffer::MODULUS, 2 * number),
            (Buffer::ONE, 2 * number),
            (Buffer::EXPONENT, 2 * number),
            (Buffer::BASE, 2 * number),
            (Buffer::TABLE, 2 * ENTRIES * number),
            (Buffer::POWER, 2 * number),
            (Buffer::INVERSE, number),
            (Buffer::RESULT, 2 * number),
        ]
    }

    /// Writes the index of a batch: for each number the slot of its key.
    ///
    /// # Errors
    /// Those of [`Watched::write`].
    pub fn write_index<Q: Queue>(
        &self,
        queue: &mut Watched<Q>,
        tiles: usize,
        slot: impl Fn(usize) -> usize,
    ) -> Result<(), DeviceError> {
        queue.write(Buffer::INDEX, 0, tiles * tile_words(ROW_WORDS), &mut |index| {
            let rows = index.chunks_exact_mut(ROW_WORDS).enumerate();
            rows.for_each(|(i, row)| row[0] = (slot(i) * KEY_PARTS) as u32);
        })
    }

    /// Starts private operations of the bases, by the index and the records.
    ///
    /// # Errors
    /// Those of [`Watched::launch`].
    pub fn start_private<Q: Queue>(&self, queue: &mut Watched<Q>, tiles: usize) -> Result<(), DeviceError> {
        let number = tiles * tile_words(self.words);
        let mut arrays = vec![(Buffer::INDEX, 0), (Buffer::records(self.length), 0)];
        for half in [0, number] {
            arrays.extend([Buffer::MODULUS, Buffer::ONE, Buffer::EXPONENT].map(|buffer| (buffer, half)));
        }
        arrays.push((Buffer::INVERSE, 0));
        queue.launch(&self.gather, &arrays, tiles, 0)?;
        for half in [0, number] {
            self.prepare(queue, tiles, half)?;
        }
        self.walk(queue, 2 * tiles, self.words / ROW_WORDS)?;
        self.finish(queue, 2 * tiles)?;
        let arrays = [
            (Buffer::MODULUS, 0),
            (Buffer::MODULUS, number),
            (Buffer::INVERSE, 0),
            (Buffer::POWER, 0),
            (Buffer::POWER, number),
            (Buffer::RESULT, 0),
        ];
        queue.launch(&self.recombine, &arrays, tiles, 0)
    }

    /// Makes the tables of numbers whose moduli start at word `half`.
    fn prepare<Q: Queue>(&self, queue: &mut Watched<Q>, tiles: usize, half: usize) -> Result<(), DeviceError> {
        let arrays = [
            (Buffer::MODULUS, half),
            (Buffer::ONE, half),
            (Buffer::BASE, 0),
            (Buffer::TABLE, ENTRIES * half),
            (Buffer::POWER, half),
        ];
        queue.launch(&self.prepare, &arrays, tiles, 0)
    }

    /// Goes through `rows` rows of the exponents.
    fn walk<Q: Queue>(&self, queue: &mut Watched<Q>, tiles: usize, rows: usize) -> Result<(), DeviceError> {
        let arrays = [Buffer::MODULUS, Buffer::EXPONENT, Buffer::TABLE, Buffer::POWER].map(|buffer| (buffer, 0));
        queue.launch(&self.walk, &arrays, tiles, rows as u32)
    }

    fn finish<Q: Queue>(&self, queue: &mut Watched<Q>, tiles: usize) -> Result<(), DeviceError> {
        queue.launch(&self.finish, &[(Buffer::MODULUS, 0), (Buffer::POWER, 0)], tiles, 0)
    }
}

/// A private operation on a key that is loaded.
pub struct Loaded<'a> {
    /// The slot of its key.
    pub slot: usize,
    /// Below the modulus.
    pub base: &'a [u64],
    /// As many words.
    pub result: &'a mut [u64],
}

/// A queue with the keys in it.
pub struct Lane<Q: Queue> {
    queue: Watched<Q>,
    slots: [Slots; HALF_WORDS.len()],
}

impl<Q: Queue> Lane<Q> {
    /// No keys yet.
    pub fn new(queue: Watched<Q>) -> Lane<Q> {
        Lane { queue, slots: std::array::from_fn(|_| Slots::new(MOST_KEYS)) }
    }

    /// What it goes through.
    #[cfg(test)]
    pub fn queue(&self) -> &Q {
        self.queue.queue()
    }

    /// Wipes the records of keys that were dropped.
    pub fn sweep(&mut self) -> Result<(), DeviceError> {
        for (length, words) in HALF_WORDS.into_iter().enumerate() {
            let words = KEY_PARTS * words;
            for slot in self.slots[length].sweep(MOST_KEYS) {
                self.queue.write(Buffer::records(length), slot * words, words, &mut |_| ())?;
            }
        }
        Ok(())
    }

    /// Runs private operations of keys whose primes have the length of `kernels`; at most [`MOST_KEYS`].
    pub fn operate(&mut self, kernels: &Kernels, jobs: &mut [&mut Private<'_>]) -> Result<(), DeviceError> {
        let mut slots = Vec::with_capacity(jobs.len());
        for i in 0..jobs.len() {
            let key = jobs[i].key;
            // One key's operations often follow each other.
            if i > 0 && ptr::eq(jobs[i - 1].key, key) {
                slots.push(slots[i - 1]);
                continue;
            }
            let place = self.slots[kernels.length].place(key);
            if let Place::Load(slot) = place {
                self.load(kernels, slot, &Parts::of(key))?;
            }
            let (Place::Load(slot) | Place::Loaded(slot)) = place;
            slots.push(slot);
        }
        let mut loaded: Vec<Loaded<'_>> = jobs
            .iter_mut()
            .zip(slots)
            .map(|(job, slot)| Loaded { slot, base: job.base, result: &mut *job.result })
            .collect();
        self.run(kernels, &mut loaded)
    }

    /// Loads a key into a slot.
    pub fn load(&mut self, kernels: &Kernels, slot: usize, parts: &Parts<'_>) -> Result<(), DeviceError> {
        let (buffer, words) = (Buffer::records(kernels.length), KEY_PARTS * kernels.words);
        self.queue.reserve(buffer, MOST_KEYS * words)?;
        self.queue.write(buffer, slot * words, words, &mut |record| parts.write(kernels.words, record))
    }

    /// Runs private operations of loaded keys.
    pub fn run(&mut self, kernels: &Kernels, jobs: &mut [Loaded<'_>]) -> Result<(), DeviceError> {
        let (words, tiles) = (kernels.words, tiles_for(jobs.len()));
        let number = tiles * tile_words(words);
        self.within(&kernels.private_buffers(tiles), |queue| {
            // Lanes without an operation work on zero, with the key of those before them.
            kernels.write_index(queue, tiles, |i| jobs[i.min(jobs.len() - 1)].slot)?;
            queue.write(Buffer::BASE, 0, 2 * number, &mut |bases| {
                jobs.iter().enumerate().for_each(|(i, job)| put(bases, i, 2 * words, job.base));
            })?;
            kernels.start_private(queue, tiles)?;
            queue.read(Buffer::RESULT, 2 * number, &mut |results| {
                jobs.iter_mut().enumerate().for_each(|(i, job)| take(results, i, 2 * words, job.result));
            })
        })
    }

    /// Runs exponentiations modulo numbers of the length of `kernels`.
    pub fn exponentiate(&mut self, kernels: &Kernels, jobs: &mut [&mut Unprepared<'_>]) -> Result<(), DeviceError> {
        let (words, tiles) = (kernels.words, tiles_for(jobs.len()));
        let (number, all) = (tiles * tile_words(words), tiles * LANES);
        let buffers = [
            (Buffer::MODULUS, number),
            (Buffer::ONE, number),
            (Buffer::EXPONENT, number),
            (Buffer::BASE, 2 * number),
            (Buffer::TABLE, ENTRIES * number),
            (Buffer::POWER, number),
        ];
        let rows = jobs.iter().map(|job| (2 * job.exponent.len()).div_ceil(ROW_WORDS)).max().unwrap_or(0);
        self.within(&buffers, |queue| {
            queue.write(Buffer::MODULUS, 0, number, &mut |moduli| {
                // Lanes without an exponentiation raise zero, modulo the first number.
                (0..all).for_each(|i| put(moduli, i, words, jobs.get(i).unwrap_or(&jobs[0]).modulus));
            })?;
            queue.write(Buffer::ONE, 0, number, &mut |ones| {
                let first = remainder_of_r(jobs[0].modulus, words);
                for i in 0..all {
                    match jobs.get(i) {
                        Some(job) => put(ones, i, words, &remainder_of_r(job.modulus, words)),
                        None => put(ones, i, words, &first),
                    }
                }
            })?;
            queue.write(Buffer::BASE, 0, 2 * number, &mut |bases| {
                for (i, job) in jobs.iter().enumerate() {
                    let reduced = shortened(job.base, job.modulus, words);
                    put(bases, i, 2 * words, reduced.as_ref().map_or(job.base, |reduced| reduced));
                }
            })?;
            kernels.prepare(queue, tiles, 0)?;
            // Exponents longer than a modulus go through in parts, the highest first.
            let most = words / ROW_WORDS;
            let mut left = rows;
            while left > 0 {
                let part = if left.is_multiple_of(most) { most } else { left % most };
                left -= part;
                queue.write(Buffer::EXPONENT, 0, number, &mut |exponents| {
                    for (i, job) in jobs.iter().enumerate() {
                        let mut digits = Zeroizing::new([0_u32; 64]);
                        let digits = &mut digits[..part * ROW_WORDS];
                        for (j, digit) in digits.iter_mut().enumerate() {
                            let at = left * ROW_WORDS + j;
                            *digit = job.exponent.get(at / 2).map_or(0, |word| (word >> (32 * (at % 2))) as u32);
                        }
                        put_exponent(exponents, i, words, digits);
                    }
                })?;
                kernels.walk(queue, tiles, part)?;
            }
            kernels.finish(queue, tiles)?;
            queue.read(Buffer::POWER, number, &mut |powers| {
                jobs.iter_mut().enumerate().for_each(|(i, job)| take(powers, i, words, job.result));
            })
        })
    }

    /// Runs public operations of the length of `kernel`, all with this exponent, bases below their moduli.
    pub fn public(
        &mut self,
        kernel: &Kernel,
        exponent: &[u64],
        jobs: &mut [&mut Power<'_>],
    ) -> Result<(), DeviceError> {
        let (words, tiles) = (kernel.name.words, tiles_for(jobs.len()));
        let number = tiles * tile_words(words);
        let digits: Vec<u32> = exponent.iter().flat_map(|word| [*word as u32, (*word >> 32) as u32]).collect();
        let steps = public_steps(&digits);
        let buffers = [Buffer::MODULUS, Buffer::SQUARE, Buffer::BASE, Buffer::POWER, Buffer::RESULT];
        self.within(&buffers.map(|buffer| (buffer, number)), |queue| {
            queue.write(Buffer::MODULUS, 0, number, &mut |moduli| {
                // Lanes without an operation raise zero, modulo the first number.
                let modulus = |i| jobs.get(i).unwrap_or(&jobs[0]).modulus.words();
                (0..tiles * LANES).for_each(|i| put(moduli, i, words, modulus(i)));
            })?;
            queue.write(Buffer::SQUARE, 0, number, &mut |squares| {
                // Operations with one key share what takes a division.
                let mut of_moduli = HashMap::new();
                for (i, job) in jobs.iter().enumerate() {
                    let square = || square_of_r(job.modulus.words(), words);
                    put(squares, i, words, of_moduli.entry(ptr::from_ref(job.modulus)).or_insert_with(square));
                }
            })?;
            queue.write(Buffer::BASE, 0, number, &mut |bases| {
                jobs.iter().enumerate().for_each(|(i, job)| put(bases, i, words, job.base));
            })?;
            let mut step = |power, factor, result, squarings| {
                let arrays = [Buffer::MODULUS, power, factor, result].map(|buffer| (buffer, 0));
                queue.launch(kernel, &arrays, tiles, squarings)
            };
            step(Buffer::BASE, Buffer::SQUARE, Buffer::POWER, 0)?;
            let mut power = Buffer::POWER;
            for (i, squarings) in steps.iter().enumerate() {
                let factor = if i + 1 < steps.len() { Buffer::POWER } else { Buffer::BASE };
                step(power, factor, Buffer::RESULT, *squarings)?;
                power = Buffer::RESULT;
            }
            queue.read(Buffer::RESULT, number, &mut |results| {
                jobs.iter_mut().enumerate().for_each(|(i, job)| take(results, i, words, job.result));
            })
        })
    }

    /// Reserves buffers, runs `work` and wipes them, whatever comes of it.
    fn within(
        &mut self,
        buffers: &[(Buffer, usize)],
        work: impl FnOnce(&mut Watched<Q>) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        for (buffer, words) in buffers {
            self.queue.reserve(*buffer, *words)?;
        }
        let result = work(&mut self.queue);
        let wiped = self.queue.wipe(buffers);
        result.and(wiped)
    }
}
