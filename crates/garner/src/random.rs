// SPDX-License-Identifier: Apache-2.0
//! Random bytes of libcrypto, and random numbers of them; bytes of the kernel once libcrypto is about to clean up.

use crate::error::{Error, Result};
use crate::fork::{away_from_fork, nobody_is_away};
use crate::words::{WORD_BITS, words_for};
use bytemuck::cast_slice_mut;
use openssl::error::ErrorStack;
use openssl::rand::{rand_bytes, rand_priv_bytes};
use rustix::rand::{GetRandomFlags, getrandom};
use rustix::thread::{Pid, gettid};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Whether libcrypto's generators are left alone.
static LEFT: AtomicBool = AtomicBool::new(false);

/// The thread that left them, which ends the process, and when.
static END: OnceLock<(Pid, Instant)> = OnceLock::new();

/// How long other threads are held back then. Longer than processes take to end, on a busy machine too; not for ever, for one may
/// wait for its threads.
const HOLD: Duration = Duration::from_secs(1);

/// Has all random bytes come from the kernel from now on. To be called before libcrypto cleans up at the end of the process,
/// while threads go on to compute: whoever asks its generators then crashes. Returns when nobody asks them any more.
/// Other threads that want a hash or a random number of libcrypto's are held back until the process has ended, though not for ever.
pub fn leave_libcrypto() {
    let _ = END.set((gettid(), Instant::now()));
    LEFT.store(true, Ordering::SeqCst);
    nobody_is_away();
}

/// Does what takes locks of libcrypto's and needs what it cleans up in the end, see [`leave_libcrypto`].
pub(crate) fn before_end<T>(mut work: impl FnMut() -> T) -> T {
    let done = away_from_fork(|| (!LEFT.load(Ordering::SeqCst)).then(&mut work));
    done.unwrap_or_else(|| {
        if let Some((thread, since)) = END.get()
            && *thread != gettid()
        {
            thread::sleep(HOLD.saturating_sub(since.elapsed()));
        }
        away_from_fork(work)
    })
}

/// Fills `bytes` from the generator for secrets.
pub(crate) fn secret(bytes: &mut [u8]) -> Result<()> {
    fill(bytes, rand_priv_bytes)
}

/// Fills `bytes` from the generator for what others get to see.
pub fn public(bytes: &mut [u8]) -> Result<()> {
    fill(bytes, rand_bytes)
}

fn fill(bytes: &mut [u8], generator: fn(&mut [u8]) -> std::result::Result<(), ErrorStack>) -> Result<()> {
    away_from_fork(|| {
        if LEFT.load(Ordering::SeqCst) {
            return kernels(bytes);
        }
        generator(bytes).map_err(|error| Error::Random(error.to_string()))
    })
}

/// Fills `bytes` with the kernel's, from which libcrypto's generators are seeded.
fn kernels(bytes: &mut [u8]) -> Result<()> {
    let mut filled = 0;
    while filled < bytes.len() {
        match getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Error::Random(error.to_string())),
        }
    }
    Ok(())
}

/// A source of random bytes fit for long-lived secrets.
///
/// FIPS 186-5 asks for a random bit generator of at least the key's security strength (A.1.1).
pub trait Random {
    /// Fills `bytes` with independent, uniformly distributed bytes.
    ///
    /// # Errors
    /// [`Error::Random`]; what `bytes` then holds is not used.
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()>;
}

/// libcrypto's private random generator, `RAND_priv_bytes`: the one it uses for its own keys, never for public values.
#[derive(Debug, Clone, Copy, Default)]
pub struct PrivateRandom;

impl Random for PrivateRandom {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        secret(bytes)
    }
}

/// Any closure is a source.
impl<F: FnMut(&mut [u8]) -> Result<()>> Random for F {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        self(bytes)
    }
}

/// Fills `words` with independent, uniformly distributed words.
pub(crate) fn fill_words(random: &mut dyn Random, words: &mut [u64]) -> Result<()> {
    random.fill(cast_slice_mut(words))
}

/// Draws a number of `bits` bits again and again until `accept` takes it.
///
/// The number of refusals is all that time tells of what was taken.
///
/// # Errors
/// [`Error::Random`], also when [`MOST_REFUSALS`] numbers were refused, which no random source brings about.
pub(crate) fn draw_until(
    random: &mut dyn Random,
    bits: usize,
    accept: impl Fn(&[u64]) -> bool,
) -> Result<Zeroizing<Vec<u64>>> {
    let mut number = Zeroizing::new(vec![0; words_for(bits)]);
    for _ in 0..=MOST_REFUSALS {
        fill_words(random, &mut number)?;
        clear_above(&mut number, bits);
        if accept(&number) {
            return Ok(number);
        }
    }
    Err(stuck())
}

/// Clears what exceeds `bits` bits in the number's last word.
pub(crate) fn clear_above(number: &mut [u64], bits: usize) {
    if let (Some(top), used @ 1..) = (number.last_mut(), bits % WORD_BITS) {
        *top &= (1 << used) - 1;
    }
}

/// Refusals in a row after which the source is taken to be broken. Of numbers less than three of four are refused: so many
/// in a row come about with a probability below 2^-100. Of primes six of seven may be, by an e with as many factors as it
/// has room for: below 2^-50.
pub(crate) const MOST_REFUSALS: usize = 256;

/// A source whose numbers are refused more often than chance allows.
pub(crate) fn stuck() -> Error {
    Error::Random("its numbers are refused again and again; they cannot be random".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_bytes_fill_all_of_a_long_buffer() {
        let mut bytes = [0; 4096];
        kernels(&mut bytes).unwrap();
        assert!(bytes.chunks(16).all(|chunk| chunk.iter().any(|&byte| byte != 0)), "a part was left out");
    }
}
