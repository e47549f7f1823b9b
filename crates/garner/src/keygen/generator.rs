// SPDX-License-Identifier: Apache-2.0
//! The pipeline from random bits to keys, many at once.
//!
//! Called by the front ends, one generator per thread; calls everything else in [`super`]. Each pass collects what can
//! be exponentiated now into one batch for the arithmetic: first rounds of new candidates, all further rounds of
//! those that passed their first, and the last steps of keys whose primes are both there. Where very many keys are
//! wanted and there is a device, candidates go through a filter there first.

use super::Options;
use super::candidate::Candidates;
use super::filter::Filter;
use super::parts::{self, Exponent, Untried};
use super::sieve::Sieve;
use super::statistics::Statistics;
use crate::arithmetic::{Arithmetic, Power};
use crate::device::{Device, DeviceError};
use crate::error::{Error, Result};
use crate::fork::generation;
use crate::key::PrivateKey;
use crate::miller_rabin::{Candidate, Round, rounds};
use crate::random::{MOST_REFUSALS, PrivateRandom, Random, stuck};
use crate::secret::SecretWords;
use crate::words::WORD_BITS;
use std::collections::VecDeque;
use std::iter::repeat_n;
use std::mem::take;
use std::sync::Arc;
use zeroize::{Zeroize, Zeroizing};

/// Lanes filled over in one batch when many keys are wanted: enough that a batch's fixed costs do not show, few enough
/// that what is still under way when the last key is done does not either.
const DEEPEST_BATCH: usize = 8;

/// Candidates drawn and sieved at once at most: 128 KiB of them at 2048 bits, half of what a core keeps close.
const LARGEST_BLOCK: usize = 1024;

/// Candidates to draw for each that is to survive the sieve: nearly ten.
const DRAWN_PER_SURVIVOR: usize = 10;

/// Generates keys one after the other: an iterator that ends after the number asked for, or after the first error.
///
/// Memory does not grow with the number of keys. Not shared between threads: each makes its own.
///
/// After `fork`, the child's copy throws everything under way away, so that the two never hand out the same key. (A
/// key that was finished before `fork` but not yet taken is thrown away as well.)
pub struct Generator<'a> {
    arithmetic: &'a dyn Arithmetic,
    random: Box<dyn Random + Send + 'a>,
    /// Of a prime.
    bits: usize,
    exponent: Exponent,
    candidates: Candidates,
    sieve: &'static Sieve,
    filter: Option<Filter>,
    /// Keys to be handed out yet.
    wanted: usize,
    work: Work,
    block: SecretWords,
    statistics: Statistics,
    /// The process this belongs to.
    process: u64,
}

/// What is under way, from the first step to the last.
#[derive(Default)]
struct Work {
    /// Candidates that no small prime divides.
    survivors: VecDeque<Zeroizing<Vec<u64>>>,
    /// Those that the filter let through.
    likely: VecDeque<Zeroizing<Vec<u64>>>,
    /// Candidates that passed their first round.
    promising: Vec<Candidate>,
    /// A prime that waits for the second of its pair.
    prime: Option<Candidate>,
    untried: Vec<Untried>,
    ready: VecDeque<PrivateKey>,
    /// Candidates drawn since one passed its first round.
    fruitless: usize,
    /// Primes put aside since two made a pair.
    unsuitable: usize,
}

impl<'a> Generator<'a> {
    /// A generator of `count` keys of `bits` bits; nothing is done yet. For keys without end, `usize::MAX`.
    ///
    /// # Errors
    /// [`Error::Argument`] when `bits` or the exponent is not among what [`Options`] describes.
    pub fn new(arithmetic: &'a dyn Arithmetic, bits: usize, count: usize, options: &Options) -> Result<Generator<'a>> {
        let exponent = options.checked(bits)?;
        let bits = bits / 2;
        let words = bits / WORD_BITS;
        Ok(Generator {
            arithmetic,
            random: Box::new(PrivateRandom),
            bits,
            exponent,
            candidates: Candidates::of_bits(bits),
            sieve: Sieve::for_words(words),
            filter: None,
            wanted: count,
            work: Work::default(),
            block: SecretWords::zeroed(words * LARGEST_BLOCK),
            statistics: Statistics::default(),
            process: generation(),
        })
    }

    /// The same with another source of randomness, which decides over the security of all keys.
    pub fn with_random(mut self, random: impl Random + Send + 'a) -> Generator<'a> {
        self.random = Box::new(random);
        self
    }

    /// The same with a device for the first round of candidates, where so many keys are wanted that it gains by it. It is
    /// trusted with nothing; a device that fails is not asked again.
    pub fn with_device(mut self, device: Arc<dyn Device>) -> Generator<'a> {
        self.filter = Some(Filter::new(device));
        self
    }

    /// What was done so far.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    fn next_key(&mut self) -> Result<PrivateKey> {
        loop {
            // A signal handler may fork in the middle of a pass, and the child go on with it.
            if self.process != generation() {
                self.work = Work::default();
                self.process = generation();
            }
            if let Some(key) = self.work.ready.pop_front() {
                return Ok(key);
            }
            self.pass()?;
        }
    }

    /// One batch of exponentiations, and what its results lead to.
    fn pass(&mut self) -> Result<()> {
        let rounds = rounds(self.bits);
        let promising = take(&mut self.work.promising);
        let mut untried = take(&mut self.work.untried);
        let due = promising.len() * (rounds - 1) + untried.len() * parts::JOBS;
        let missing = self.primes_missing(promising.len(), untried.len());
        let fresh = self.new_candidates(self.room(due, missing), missing)?;

        let repeated = promising.iter().flat_map(|candidate| repeat_n(candidate, rounds - 1));
        let mut later = Round::with_random_bases(repeated, &mut *self.random)?;
        let mut first = Round::with_random_bases(fresh.iter(), &mut *self.random)?;
        let mut jobs: Vec<Power<'_>> = later.iter_mut().chain(&mut first).map(Round::job).collect();
        jobs.extend(untried.iter_mut().flat_map(Untried::jobs));
        self.arithmetic.power_secret(&mut jobs);
        self.count(jobs.len(), fresh.len(), later.len() + first.len());

        let passed = |round: Round<'_>| round.passed(self.arithmetic);
        let first: Vec<bool> = first.into_iter().map(passed).collect();
        let later: Vec<bool> = later.into_iter().map(passed).collect();
        for key in parts::try_out(self.arithmetic, untried, &self.exponent)? {
            let key = key.ok_or_else(|| Error::key("privateExponent", "the new key failed a trial signature"))?;
            self.work.ready.push_back(key);
        }
        for (candidate, passed) in promising.into_iter().zip(later.chunks(rounds - 1)) {
            if passed.iter().all(|&passed| passed) {
                self.found(candidate)?;
            } else {
                self.statistics.late_failures += 1;
            }
        }
        self.work.promising =
            fresh.into_iter().zip(first).filter_map(|(fresh, passed)| passed.then_some(fresh)).collect();
        if !self.work.promising.is_empty() {
            self.work.fruitless = 0;
        }
        Ok(())
    }

    /// How many primes are needed beside those found, and those that passed their first round, which amounts to the same.
    fn primes_missing(&self, promising: usize, untried: usize) -> usize {
        let found = promising + usize::from(self.work.prime.is_some());
        let pairs = self.wanted.saturating_sub(self.work.ready.len() + untried);
        pairs.saturating_mul(2).saturating_sub(found)
    }

    /// How many new candidates to add to a batch of so many exponentiations: what fills the lanes.
    ///
    /// The more keys are wanted, the deeper the batch; when no more primes are needed, none.
    fn room(&self, due: usize, missing: usize) -> usize {
        if missing == 0 {
            return 0;
        }
        let lanes = self.arithmetic.lanes();
        (lanes * missing.div_ceil(2).min(DEEPEST_BATCH)).max(due + 1).next_multiple_of(lanes) - due
    }

    /// The next candidates for a batch that has room for `room` when so many primes are missing.
    fn new_candidates(&mut self, room: usize, missing: usize) -> Result<Vec<Candidate>> {
        if self.work.likely.is_empty() {
            self.filter(missing)?;
        }
        let next = if self.work.likely.is_empty() {
            self.sieve_until(room, 2 * LARGEST_BLOCK)?;
            self.work.survivors.drain(..room)
        } else {
            // Nearly all of them are prime.
            self.work.likely.drain(..room.min(missing).min(self.work.likely.len()))
        };
        next.map(|words| Candidate::new(&words)).collect()
    }

    /// Has the device, if there is one and it pays, look for candidates that are likely to be among the primes missing.
    fn filter(&mut self, missing: usize) -> Result<()> {
        let Some(mut filter) = self.filter.take() else { return Ok(()) };
        if let Some(batch) = filter.batch(self.bits, missing) {
            // Some of the next block's survivors may be there already.
            self.sieve_until(batch, 2 * LARGEST_BLOCK.max(DRAWN_PER_SURVIVOR * batch))?;
            let mut candidates: VecDeque<_> = self.work.survivors.drain(..batch).collect();
            let words = self.candidates.words();
            if let Err(DeviceError(reason)) = filter.retain(words, &mut candidates, &mut *self.random)? {
                tracing::warn!(device = filter.name(), reason, "no longer used for key generation");
                self.work.survivors.extend(candidates);
                // What it threw out says nothing of the random source.
                self.work.fruitless = 0;
                return Ok(());
            }
            self.statistics.filtered += batch as u64;
            self.work.likely = candidates;
        }
        self.filter = Some(filter);
        Ok(())
    }

    /// Draws and sieves until `count` survivors are there, and at most about `ahead` candidates ahead of what was tested.
    fn sieve_until(&mut self, count: usize, ahead: usize) -> Result<()> {
        while self.work.survivors.len() < count {
            self.sieve_a_block(count - self.work.survivors.len(), ahead)?;
        }
        Ok(())
    }

    /// Draws candidates, as many as are likely to leave `survivors`, and sieves them.
    fn sieve_a_block(&mut self, survivors: usize, ahead: usize) -> Result<()> {
        // Step 4.7 gives up after 5 nlen candidates for p, step 5.8 after 10 nlen for q. What we draw ahead is at most
        // two blocks, or two of the device's batches; with a source that works, the probabilities of coming here are below
        // 2^-41 and 2^-83.
        let most = if self.work.prime.is_none() { 10 } else { 20 } * self.bits;
        if self.work.fruitless > most + ahead {
            return Err(Error::Random("there is no prime among its numbers; they cannot be random".into()));
        }
        let words = self.candidates.words();
        let count = (DRAWN_PER_SURVIVOR * survivors).next_multiple_of(64).min(LARGEST_BLOCK);
        let block = &mut self.block[..count * words];
        let drawn = self.candidates.draw(&mut *self.random, block);
        if let Err(error) = drawn {
            block.zeroize();
            return Err(error);
        }
        let kept = self.sieve.retain(block);
        self.work
            .survivors
            .extend(block[..kept * words].chunks_exact(words).map(|words| Zeroizing::new(words.to_vec())));
        block[..kept * words].zeroize();
        self.work.fruitless += count;
        self.statistics.candidates += count as u64;
        self.statistics.survivors += kept as u64;
        Ok(())
    }

    /// A prime was found: the first of a pair, or the second.
    fn found(&mut self, prime: Candidate) -> Result<()> {
        if !self.exponent.suits(&prime) {
            return self.put_aside(1);
        }
        let Some(first) = self.work.prime.take() else {
            self.work.prime = Some(prime);
            return Ok(());
        };
        match Untried::new(first, prime, &self.exponent, &mut *self.random)? {
            Some(untried) => {
                self.work.untried.push(untried);
                self.work.unsuitable = 0;
                Ok(())
            }
            None => self.put_aside(2),
        }
    }

    fn put_aside(&mut self, primes: usize) -> Result<()> {
        self.statistics.unsuitable += primes as u64;
        self.work.unsuitable += primes;
        if self.work.unsuitable > MOST_REFUSALS { Err(stuck()) } else { Ok(()) }
    }

    fn count(&mut self, exponentiations: usize, candidates: usize, rounds: usize) {
        self.statistics.exponentiations += exponentiations as u64;
        self.statistics.lanes += exponentiations.next_multiple_of(self.arithmetic.lanes()) as u64;
        self.statistics.primality_tests += candidates as u64;
        self.statistics.rounds += rounds as u64;
    }
}

impl Iterator for Generator<'_> {
    type Item = Result<PrivateKey>;

    fn next(&mut self) -> Option<Result<PrivateKey>> {
        if self.wanted == 0 {
            return None;
        }
        let key = self.next_key();
        match &key {
            Ok(_) => {
                self.wanted -= 1;
                self.statistics.keys += 1;
            }
            Err(_) => {
                self.wanted = 0;
                self.work = Work::default();
            }
        }
        Some(key)
    }
}

impl std::iter::FusedIterator for Generator<'_> {}

impl std::fmt::Debug for Generator<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Generator({} bits, {} keys to go, {:?})", 2 * self.bits, self.wanted, self.statistics)
    }
}
