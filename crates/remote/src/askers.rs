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
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

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
    waiting: VecDeque<Waiting>,
    threads: usize,
    /// Threads that somebody is about to start.
    starting: usize,
    /// Threads that wait for a question.
    idle: usize,
    /// When the last question began that nobody answered in its time, and what became of it: so do those that waited before.
    unanswered: Option<(Instant, garner::Error)>,
}

struct Waiting {
    question: Question,
    promise: Promise,
    since: Instant,
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
        state.waiting.retain(|waiting| waiting.promise.is_wanted());
        if state.waiting.len() >= limit {
            return Err(garner::Error::Full(limit));
        }
    }
    let starts = state.idle <= state.waiting.len() && state.threads + state.starting < ASKERS;
    state.waiting.push_back(Waiting { question, promise, since: Instant::now() });
    state.starting += usize::from(starts);
    drop(state);
    askers.asked.notify_one();
    if starts {
        askers.start()?;
    }
    Ok(ticket)
}

impl Askers {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread. If none can be started and there is none, all that waits is answered by the error.
    fn start(self: &Arc<Self>) -> garner::error::Result<()> {
        // Not under the lock: a thread takes a while to begin.
        let shared = Arc::clone(self);
        let started = thread::spawn(c"garner-asker", move || shared.work());
        let mut state = self.lock();
        state.starting -= 1;
        state.threads += 1;
        let Err(error) = started else { return Ok(()) };
        state.threads -= 1;
        if state.threads + state.starting > 0 {
            return Ok(());
        }
        let error = match error.kind() {
            ErrorKind::OutOfMemory => garner::Error::Memory,
            _ => garner::Error::Device { device: "garner-asker".to_owned(), reason: error.to_string() },
        };
        let forsaken = mem::take(&mut state.waiting);
        drop(state);
        forsaken.into_iter().for_each(|waiting| waiting.promise.keep(Err(error.clone())));
        Err(error)
    }

    fn work(&self) {
        while let Some(Waiting { question, promise, since }) = self.next() {
            if !promise.is_wanted() {
                continue;
            }
            if let Some(error) = self.unanswered(since) {
                promise.keep(Err(error));
                continue;
            }
            let began = Instant::now();
            // After a panic, which has been reported, the promise answers by an error.
            let Ok(answer) = catch_unwind(AssertUnwindSafe(question)) else { continue };
            let is_unanswered = matches!(answer, Err(Error::Unreachable { .. }));
            let answer = answer.map_err(garner::Error::from);
            if let (true, Err(error)) = (is_unanswered, &answer) {
                self.lock().unanswered = Some((began, error.clone()));
            }
            promise.keep(answer);
        }
    }

    /// What becomes of a question that has waited since then: if one that began after that had no answer in all of its time, none
    /// either.
    fn unanswered(&self, since: Instant) -> Option<garner::Error> {
        let state = self.lock();
        let (began, error) = state.unanswered.as_ref()?;
        (since < *began).then(|| error.clone())
    }

    /// The next question; `None` if none came for a while.
    fn next(&self) -> Option<Waiting> {
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
