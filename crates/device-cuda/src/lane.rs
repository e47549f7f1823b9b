// SPDX-License-Identifier: Apache-2.0
//! One batch after the other through one queue: lays numbers out, runs the kernels, takes results, wipes.
//!
//! Secrets of a batch are wiped from the GPU and from the way there when it ends, well or not; records of keys stay until
//! their key is dropped (and wiped before the next batch), gives way to another, or the lane ends. It ends with the first
//! error: whatever is there then, nobody finds it.

use super::MOST_KEYS;
use super::layout::{put, put_exponent, take, tile_words, tiles_for};
use super::machine::{Buffer, Queue};
use super::record::{Parts, padded, remainder_of_r, shortened, square_of_r};
use super::watched::Watched;
use garner::device::slots::{Place, Slots};
use garner::device::{DeviceError, Power, Private, Unprepared};
use garner_gpu_kernels::kernels::{ENTRIES, KEY_PARTS, Q_PART, public_steps};
use garner_gpu_kernels::program::{LANES, ROW_WORDS};
use garner_gpu_kernels::tensor::{matrices_words, write_matrices};
use garner_gpu_kernels::{HALF_WORDS, Kernel, Role, Style};
use std::collections::HashMap;
use std::ptr;
use zeroize::Zeroizing;

/// The kernels for one length of moduli.
pub struct Kernels {
    /// Its place in [`HALF_WORDS`].
    length: usize,
    words: usize,
    gather: Kernel,
    prepare: Kernel,
    walk: Kernel,
    walk_alike: Kernel,
    walk_constant: Kernel,
    walk_tensor: Kernel,
    walk_spread: Kernel,
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
            walk: kernel(Role::Walk(Style::usual(words))),
            walk_alike: kernel(Role::WalkAlike(Style::usual(words))),
            walk_constant: kernel(Role::WalkConstant(Style::usual(words))),
            walk_tensor: kernel(Role::WalkTensor),
            walk_spread: kernel(Role::Walk(Style::Spread)),
            finish: kernel(Role::Finish),
            recombine: kernel(Role::Recombine),
        }
    }
}

/// A private operation on a key that is loaded.
pub struct Loaded<'a> {
    /// The slot of its key.
    pub slot: usize,
    /// p and q.
    pub primes: [&'a [u64]; 2],
    /// Below the modulus.
    pub base: &'a [u64],
    /// As many words.
    pub result: &'a mut [u64],
}

/// A queue with the keys in it.
pub struct Lane<Q: Queue> {
    queue: Watched<Q>,
    slots: [Slots; HALF_WORDS.len()],
    choice: Choice,
}

/// Which kernels a lane takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    /// Up to so many tiles at once, numbers are spread over threads.
    pub most_spread: usize,
    /// What batches have that are of one key.
    pub one_key: OneKey,
}

/// How batches of one key run that fill the GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OneKey {
    /// As those of one key for each tile do: by the key's record.
    #[default]
    Record,
    /// With the record in constant memory.
    Constant,
    /// With reductions on tensor cores.
    Tensor,
}

/// How the keys of a batch are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keys {
    /// Of any kind.
    Mixed,
    /// Each tile has one.
    OneForEachTile,
    /// All of it has one.
    One,
}

impl Keys {
    fn of(jobs: &[Loaded<'_>]) -> Keys {
        let is_one = |jobs: &[Loaded<'_>]| jobs.iter().all(|job| job.slot == jobs[0].slot);
        if is_one(jobs) {
            Keys::One
        } else if jobs.chunks(LANES).all(is_one) {
            Keys::OneForEachTile
        } else {
            Keys::Mixed
        }
    }
}

impl<Q: Queue> Lane<Q> {
    /// No keys yet.
    pub fn new(queue: Watched<Q>, choice: Choice) -> Lane<Q> {
        Lane { queue, slots: std::array::from_fn(|_| Slots::new(MOST_KEYS)), choice }
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
            .map(|(job, slot)| {
                let primes = [job.key.p().words(), job.key.q().words()];
                Loaded { slot, primes, base: job.base, result: &mut *job.result }
            })
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
        let keys = Keys::of(jobs);
        let walk = self.walk(kernels, 2 * tiles, keys);
        // Of one key the kernels are given the record, else all.
        let first_slot = if keys == Keys::One { jobs[0].slot } else { 0 };
        let records = (Buffer::records(kernels.length), first_slot * KEY_PARTS * words);
        let matrices = if walk.role == Role::WalkTensor { matrices_words(words) } else { 0 };
        // For p first, then for q.
        let mut buffers = vec![
            (Buffer::INDEX, 2 * tiles * tile_words(ROW_WORDS)),
            (Buffer::MODULUS, 2 * number),
            (Buffer::ONE, 2 * number),
            (Buffer::EXPONENT, 2 * number),
            (Buffer::BASE, 2 * number),
            (Buffer::TABLE, 2 * ENTRIES * number),
            (Buffer::POWER, 2 * number),
            (Buffer::INVERSE, number),
            (Buffer::RESULT, 2 * number),
        ];
        if matrices > 0 {
            buffers.push((Buffer::MATRICES, 2 * matrices));
        }
        self.within(&buffers, |queue| {
            queue.write(Buffer::INDEX, 0, buffers[0].1, &mut |index| {
                let halves = index.chunks_exact_mut(tiles * tile_words(ROW_WORDS));
                for (prime, (half, first_part)) in halves.zip([0, Q_PART]).enumerate() {
                    for (i, lane) in half.chunks_exact_mut(ROW_WORDS).enumerate() {
                        // Lanes without an operation work on zero, with the key of those before them.
                        let slot = jobs[i.min(jobs.len() - 1)].slot;
                        lane[0] = ((slot - first_slot) * KEY_PARTS + first_part) as u32;
                        lane[1] = prime as u32;
                    }
                }
            })?;
            if matrices > 0 {
                queue.write(Buffer::MATRICES, 0, 2 * matrices, &mut |both| {
                    for (to, prime) in both.chunks_exact_mut(matrices).zip(jobs[0].primes) {
                        write_matrices(&padded(prime, words), to);
                    }
                })?;
            }
            queue.write(Buffer::BASE, 0, 2 * number, &mut |bases| {
                jobs.iter().enumerate().for_each(|(i, job)| put(bases, i, 2 * words, job.base));
            })?;
            let halves = [(0, 0), (number, ENTRIES * number)];
            let mut arrays = vec![(Buffer::INDEX, 0), records];
            for (at, _) in halves {
                arrays.extend([(Buffer::MODULUS, at), (Buffer::ONE, at), (Buffer::EXPONENT, at)]);
            }
            arrays.push((Buffer::INVERSE, 0));
            queue.launch(&kernels.gather, &arrays, tiles, 0)?;
            for (at, table) in halves {
                let arrays = [
                    (Buffer::MODULUS, at),
                    (Buffer::ONE, at),
                    (Buffer::BASE, 0),
                    (Buffer::TABLE, table),
                    (Buffer::POWER, at),
                ];
                queue.launch(&kernels.prepare, &arrays, tiles, 0)?;
            }
            queue.launch(walk, &walked(walk, Some(records)), 2 * tiles, (words / ROW_WORDS) as u32)?;
            finish(queue, kernels, 2 * tiles)?;
            let arrays = [
                (Buffer::MODULUS, 0),
                (Buffer::MODULUS, number),
                (Buffer::INVERSE, 0),
                (Buffer::POWER, 0),
                (Buffer::POWER, number),
                (Buffer::RESULT, 0),
            ];
            queue.launch(&kernels.recombine, &arrays, tiles, 0)?;
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
        let walk = self.walk(kernels, tiles, Keys::Mixed);
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
            let arrays = [Buffer::MODULUS, Buffer::ONE, Buffer::BASE, Buffer::TABLE, Buffer::POWER].map(|b| (b, 0));
            queue.launch(&kernels.prepare, &arrays, tiles, 0)?;
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
                queue.launch(walk, &walked(walk, None), tiles, part as u32)?;
            }
            finish(queue, kernels, tiles)?;
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
        let (words, tiles) = (kernel.words, tiles_for(jobs.len()));
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

    /// The kernel by which so many tiles of such keys are done soonest.
    fn walk<'k>(&self, kernels: &'k Kernels, tiles: usize, keys: Keys) -> &'k Kernel {
        match keys {
            _ if tiles <= self.choice.most_spread => &kernels.walk_spread,
            Keys::Mixed => &kernels.walk,
            Keys::OneForEachTile => &kernels.walk_alike,
            Keys::One => match self.choice.one_key {
                OneKey::Constant => &kernels.walk_constant,
                OneKey::Tensor if one_key_by_tensor_cores(kernels.words) => &kernels.walk_tensor,
                OneKey::Record | OneKey::Tensor => &kernels.walk_alike,
            },
        }
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

/// Whether numbers of this length may be reduced on tensor cores. The kernel for the longest keeps some words of them outside
/// of registers, in memory of the thread that nothing wipes.
pub const fn one_key_by_tensor_cores(words: usize) -> bool {
    words <= 48
}

/// The arrays of a walk, whose moduli and exponents are in tiles or in these records.
fn walked(walk: &Kernel, records: Option<(Buffer, usize)>) -> Vec<(Buffer, usize)> {
    let from = match (walk.role, records) {
        (Role::WalkAlike(_) | Role::WalkConstant(_) | Role::WalkTensor, Some(records)) => [(Buffer::INDEX, 0), records],
        _ => [(Buffer::MODULUS, 0), (Buffer::EXPONENT, 0)],
    };
    let mut arrays = vec![from[0], from[1], (Buffer::TABLE, 0), (Buffer::POWER, 0)];
    if walk.role == Role::WalkTensor {
        arrays.push((Buffer::MATRICES, 0));
    }
    arrays
}

fn finish<Q: Queue>(queue: &mut Watched<Q>, kernels: &Kernels, tiles: usize) -> Result<(), DeviceError> {
    queue.launch(&kernels.finish, &[(Buffer::MODULUS, 0), (Buffer::POWER, 0)], tiles, 0)
}

#[cfg(test)]
mod tests {
    use super::super::Emulator;
    use super::*;

    #[test]
    fn tensor_cores_get_no_numbers_of_which_words_would_be_left() {
        let one_key = OneKey::Tensor;
        let queue = Watched::new(&Emulator, &Default::default()).unwrap();
        let lane = Lane::new(queue, Choice { most_spread: 0, one_key });
        for (length, words) in HALF_WORDS.into_iter().enumerate() {
            let kernels = Kernels::new(length);
            let role = lane.walk(&kernels, 4, Keys::One).role;
            let expected = if words < 64 { Role::WalkTensor } else { Role::WalkAlike(Style::usual(words)) };
            assert_eq!(role, expected, "{words} words");
        }
    }
}
