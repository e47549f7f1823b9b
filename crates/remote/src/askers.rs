// SPDX-License-Identifier: Apache-2.0
//! Many questions to the daemon at once: threads that each ask one and wait for its answer, which comes through a ticket as the
//! gatherer's answers do. So many together fill the daemon's batches.
//!
//! The threads are the process's, start as there are questions for them, and end when there was none for a while. A child made
//! by `fork` starts its own.

use crate::error::Error;
use garner::fork::ForkLocal;
use garner::gather::{Output, Promise, Ticket};
use garner::thread;
use std::collections::VecDeque;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Questions under way at once: four full batches of the widest kernels.
pub const ASKERS: usize = 32;

/// Questions that may wait for a thread.
const LIMIT: usize = 65_536;

/// How long a thread waits for a question before it ends.
const IDLE: Duration = Duration::from_secs(10);

/// What asks the daemon, and gives its answer.
pub type Question = Box<dyn FnOnce() -> Result<Output, Error> + Send>;

/// Those of the process.
static PROCESS: ForkLocal<Arc<Askers>> = ForkLocal::new();

#[derive(Default)]
struct Askers {
    state: Mutex<State>,
    asked: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Question, Promise)>,
    threads: usize,
    /// Threads that wait for a question.
    idle: usize,
}

/// Has one of the threads ask this question. A ticket that is dropped before one of them came to it is not asked for.
///
/// # Errors
/// [`Full`](garner::Error::Full) of the library's when too many wait; [`Memory`](garner::Error::Memory) or
/// [`Device`](garner::Error::Device) when there is no thread and none can be started.
pub fn submit(question: Question) -> garner::error::Result<Ticket> {
    queue(question, LIMIT)
}

/// As [`submit`], however many wait: for who waits for all of its answers.
///
/// # Errors
/// As [`submit`], but for [`Full`](garner::Error::Full).
pub(crate) fn submit_one_of_many(question: Question) -> garner::error::Result<Ticket> {
    queue(question, usize::MAX)
}

fn queue(question: Question, limit: usize) -> garner::error::Result<Ticket> {
    let askers = PROCESS.get();
    let (ticket, promise) = Ticket::elsewhere();
    let mut state = askers.lock();
    if state.waiting.len() >= limit {
        return Err(garner::Error::Full(limit));
    }
    if state.idle <= state.waiting.len() && state.threads < ASKERS {
        // Not under the lock: a thread takes a while to begin.
        state.threads += 1;
        drop(state);
        let shared = Arc::clone(askers);
        let started = thread::spawn(c"garner-asker", move || shared.work());
        state = askers.lock();
        if let Err(error) = started {
            state.threads -= 1;
            if state.threads == 0 {
                return Err(match error.kind() {
                    ErrorKind::OutOfMemory => garner::Error::Memory,
                    _ => garner::Error::Device { device: "garner-asker".to_owned(), reason: error.to_string() },
                });
            }
        }
    }
    state.waiting.push_back((question, promise));
    drop(state);
    askers.asked.notify_one();
    Ok(ticket)
}

impl Askers {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self) {
        while let Some((question, promise)) = self.next() {
            // After a panic, which has been reported, the promise answers by an error.
            if promise.is_wanted()
                && let Ok(answer) = catch_unwind(AssertUnwindSafe(question))
            {
                promise.keep(answer.map_err(garner::Error::from));
            }
        }
    }

    /// The next question; `None` if none came for a while.
    fn next(&self) -> Option<(Question, Promise)> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.waiting.pop_front() {
                return Some(next);
            }
            state.idle += 1;
            let (woken, waited) = self.asked.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
            state = woken;
            state.idle -= 1;
            if waited.timed_out() && state.waiting.is_empty() {
                state.threads -= 1;
                return None;
            }
        }
    }
}
