//! Memory for the intermediate values of a batch: kept per thread, wiped after every batch.

use crate::secret::SecretWords;
use std::cell::Cell;
use zeroize::Zeroize;

thread_local! {
    static KEPT: Cell<Option<SecretWords>> = const { Cell::new(None) };
}

/// Scratch words not yet handed out.
pub struct Scratch<'a> {
    rest: &'a mut [u64],
}

impl<'a> Scratch<'a> {
    /// The next `len` words, all zero.
    ///
    /// # Panics
    /// When more is taken than was asked for.
    pub fn take(&mut self, len: usize) -> &'a mut [u64] {
        let (taken, rest) = std::mem::take(&mut self.rest).split_at_mut(len);
        self.rest = rest;
        taken
    }
}

/// Runs `work` with `len` zero words and wipes them afterwards, also when it panics.
pub fn with<T>(len: usize, work: impl FnOnce(Scratch<'_>) -> T) -> T {
    struct Wiped {
        words: Option<SecretWords>,
        used: usize,
    }
    impl Drop for Wiped {
        fn drop(&mut self) {
            if let Some(mut words) = self.words.take() {
                words[..self.used].zeroize();
                KEPT.set(Some(words));
            }
        }
    }
    let kept = KEPT.take().filter(|kept| kept.len() >= len).unwrap_or_else(|| SecretWords::zeroed(len));
    let mut wiped = Wiped { words: Some(kept), used: len };
    let words = wiped.words.as_mut().expect("just put there");
    work(Scratch { rest: &mut words[..len] })
}
