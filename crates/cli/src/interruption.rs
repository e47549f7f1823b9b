// SPDX-License-Identifier: Apache-2.0
//! SIGINT and SIGTERM, for commands with something to keep or to show when one comes. A second signal kills at once.
//!
//! A thread of its own waits for the signal, puts the work away and ends the process. What the others are waiting for,
//! a line of a pipe or a key that takes minutes, holds nobody up.

use crate::failure::{Failure, Of};
use crate::output;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

/// Work that comes to its end, or that a signal takes away.
pub struct Interruptible<T> {
    /// None once it was completed or taken away.
    work: Arc<Mutex<Option<T>>>,
    interrupted: Arc<AtomicBool>,
}

impl<T: Send + 'static> Interruptible<T> {
    /// From now on a signal has `end` put the work away, never in the middle of [`Interruptible::with`], and ends the
    /// process. What `end` returns is said on standard error.
    pub fn new<E>(work: T, end: E) -> Result<Interruptible<T>, Failure>
    where
        E: FnOnce(T) -> Result<String, Failure> + Send + 'static,
    {
        let interrupted = Arc::new(AtomicBool::new(false));
        let mut signals = Signals::new(SIGNALS).of("signals")?;
        for signal in SIGNALS {
            // In this order: the first signal finds the flag not set.
            flag::register_conditional_default(signal, Arc::clone(&interrupted)).of("signals")?;
            flag::register(signal, Arc::clone(&interrupted)).of("signals")?;
        }
        let work = Arc::new(Mutex::new(Some(work)));
        let taken = Arc::clone(&work);
        let wait = move || {
            let Some(signal) = signals.forever().next() else { return };
            // Complete already: the process is about to end by itself.
            let Some(work) = lock(&taken).take() else { return };
            finish(signal, work, end);
        };
        thread::Builder::new().spawn(wait).of("a thread")?;
        Ok(Interruptible { work, interrupted })
    }

    /// Goes on with the work. Does not return once a signal came, be it that the signal's thread has yet to start: what
    /// the same Ctrl-C made of others, as an input that ends too early, is not taken for real.
    pub fn with<R>(&self, go_on: impl FnOnce(&mut T) -> R) -> R {
        go_on(self.hold().as_mut().expect("there until completed"))
    }

    /// Completes the work; a signal that comes meanwhile is too late. Does not return once one came before.
    pub fn complete<R>(self, complete: impl FnOnce(T) -> R) -> R {
        let mut work = self.hold();
        complete(work.take().expect("there until completed"))
    }

    fn hold(&self) -> MutexGuard<'_, Option<T>> {
        let work = lock(&self.work);
        if work.is_none() || self.interrupted.load(Ordering::SeqCst) {
            drop(work);
            loop {
                thread::park();
            }
        }
        work
    }
}

fn lock<T>(work: &Mutex<T>) -> MutexGuard<'_, T> {
    work.lock().unwrap_or_else(PoisonError::into_inner)
}

fn finish<T>(signal: i32, work: T, end: impl FnOnce(T) -> Result<String, Failure>) -> ! {
    if io::stderr().is_terminal() {
        // After a bar and the terminal's ^C.
        let _ = writeln!(io::stderr());
    }
    let said = output::printable(&end(work).unwrap_or_else(|failure| failure.to_string()));
    let _ = writeln!(io::stderr(), "garner: interrupted ({}); {said}", low_level::signal_name(signal).unwrap_or("?"));
    // At once: other threads are still in libcrypto, which an orderly exit would take down under them.
    low_level::exit(128 + signal)
}
