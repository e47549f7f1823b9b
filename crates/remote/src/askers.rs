// SPDX-License-Identifier: Apache-2.0
//! Many questions to the daemon at once: threads that each ask one and wait for its answer, which comes through a ticket as the
//! gatherer's answers do. So many together fill the daemon's batches.
//!
//! The threads are the process's, start as there are questions for them, and end when there was none for a while. A child made
//! by `fork` starts its own.

use crate::client::Client;
use crate::error::Error;
use crate::message::{Fingerprint, Refusal};
use garner::fork::ForkLocal;
use garner::gather::{Output, Promise, Ticket};
use garner::thread::{self, Thread};
use std::collections::{HashMap, VecDeque};
use std::ffi::CStr;
use std::io;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const NAME: &CStr = c"garner-asker";

/// Questions under way at once: four full batches of the widest kernels.
pub const ASKERS: usize = 32;

/// Questions that may wait for a thread.
const LIMIT: usize = 65_536;

/// How long a thread waits for a question before it ends.
const IDLE: Duration = Duration::from_secs(10);

/// What is asked of the daemon.
pub struct Question {
    /// The key that is to answer it.
    key: Fingerprint,
    ask: Box<dyn FnMut() -> Result<Output, Error> + Send>,
}

impl Question {
    /// One to this key. `ask` asks the daemon, and gives its answer.
    pub fn new(key: Fingerprint, ask: impl FnMut() -> Result<Output, Error> + Send + 'static) -> Question {
        Question { key, ask: Box::new(ask) }
    }

    /// Asks the daemon.
    ///
    /// # Errors
    /// The answer's.
    pub fn ask(&mut self) -> Result<Output, Error> {
        (self.ask)()
    }
}

/// Those of the process.
static PROCESS: ForkLocal<Arc<Askers>> = ForkLocal::new();

/// Starts a thread.
type Spawn = fn(Box<dyn FnOnce() + Send>) -> io::Result<Thread>;

struct Askers {
    state: Mutex<State>,
    asked: Condvar,
    spawn: Spawn,
}

impl Default for Askers {
    fn default() -> Askers {
        Askers::new(|body| thread::spawn(NAME, body))
    }
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    threads: usize,
    /// Threads that somebody is about to start.
    starting: usize,
    /// Threads that wait for a question.
    idle: usize,
    /// When each key's last answer came that was no error.
    answered: HashMap<Fingerprint, Instant>,
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
    PROCESS.get().queue(question, LIMIT)
}

/// As [`submit`], however many wait: for who waits for all of its answers.
///
/// # Errors
/// As [`submit`], but for [`Full`](garner::Error::Full).
pub(crate) fn submit_one_of_many(question: Question) -> garner::error::Result<Ticket> {
    PROCESS.get().queue(question, usize::MAX)
}

impl Askers {
    fn new(spawn: Spawn) -> Askers {
        Askers { state: Mutex::default(), asked: Condvar::new(), spawn }
    }

    fn queue(self: &Arc<Self>, question: Question, limit: usize) -> garner::error::Result<Ticket> {
        let (ticket, promise) = Ticket::elsewhere();
        let mut state = self.lock();
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
        self.asked.notify_one();
        if starts {
            self.start()?;
        }
        Ok(ticket)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a thread. If none can be started and there is none, all that waits is answered by the error.
    fn start(self: &Arc<Self>) -> garner::error::Result<()> {
        // Not under the lock: a thread takes a while to begin.
        let shared = Arc::clone(self);
        let started = (self.spawn)(Box::new(move || shared.work()));
        let mut state = self.lock();
        state.starting -= 1;
        state.threads += usize::from(started.is_ok());
        let error = match started {
            Err(error) if state.threads + state.starting == 0 => garner::Error::thread(NAME, &error),
            _ => return Ok(()),
        };
        let forsaken = mem::take(&mut state.waiting);
        drop(state);
        forsaken.into_iter().for_each(|waiting| waiting.promise.keep(Err(error.clone())));
        Err(error)
    }

    fn work(&self) {
        while let Some(Waiting { mut question, promise, since }) = self.next() {
            if !promise.is_wanted() {
                continue;
            }
            if let Some(error) = self.unanswered(since) {
                promise.keep(Err(error));
                continue;
            }
            // After a panic, which has been reported, the promise answers by an error.
            let asked = catch_unwind(AssertUnwindSafe(|| self.ask(&mut question, &promise)));
            let Ok((began, answer)) = asked else { continue };
            if answer.is_ok() {
                self.lock().answered.insert(question.key, Instant::now());
            }
            let is_unanswered = matches!(answer, Err(Error::Unreachable { .. }));
            let answer = answer.map_err(garner::Error::from);
            if let (true, Err(error)) = (is_unanswered, &answer) {
                self.lock().unanswered = Some((began, error.clone()));
            }
            promise.keep(answer);
        }
        // Those of a burst of questions, after which maybe nobody calls any more.
        Client::of_process().end_unused();
    }

    /// When it was asked last, and the answer.
    fn ask(&self, question: &mut Question, promise: &Promise) -> (Instant, Result<Output, Error>) {
        loop {
            let began = Instant::now();
            let answer = question.ask();
            // The client may do so many in a second with this key, and chance gave them to others: that is no reason to give up a
            // list.
            let is_unlucky =
                matches!(answer, Err(Error::Refused(Refusal::TooMany))) && self.answers_since(&question.key, began);
            if !is_unlucky || !promise.is_wanted() {
                return (began, answer);
            }
        }
    }

    /// Whether an answer of this key's came after that.
    fn answers_since(&self, key: &Fingerprint, then: Instant) -> bool {
        self.lock().answered.get(key).is_some_and(|answered| *answered > then)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    /// Longer than anything here takes.
    const LONG: Duration = Duration::from_secs(60);

    const KEY: Fingerprint = [1; 32];

    fn question(ask: impl FnMut() -> Result<Output, Error> + Send + 'static) -> Question {
        Question::new(KEY, ask)
    }

    fn answer(text: &'static str) -> Question {
        question(move || Ok(Output::from(text.as_bytes().to_vec())))
    }

    #[test]
    fn each_question_has_its_own_answer_however_many_there_are() {
        let tickets: Vec<_> = (0..500_u32)
            .map(|i| submit_one_of_many(question(move || Ok(Output::from(i.to_be_bytes().to_vec())))).unwrap())
            .collect();
        for (i, ticket) in tickets.into_iter().enumerate() {
            assert_eq!(ticket.wait().unwrap()[..], (i as u32).to_be_bytes());
        }
    }

    #[test]
    fn a_panic_is_an_error_of_its_own_question() {
        let askers = Arc::new(Askers::default());
        let broken = askers.queue(question(|| panic!("as the test wants it")), LIMIT).unwrap();
        assert!(matches!(broken.wait(), Err(garner::Error::Device { .. })));
        assert_eq!(askers.queue(answer("next"), LIMIT).unwrap().wait().unwrap()[..], *b"next");
    }

    #[test]
    fn nobody_waits_for_threads_that_cannot_be_started() {
        static BOTH: Barrier = Barrier::new(2);
        let refuse: Spawn = |_| {
            // Neither knows of the other's failure when it fails.
            BOTH.wait();
            Err(io::ErrorKind::WouldBlock.into())
        };
        let askers = Arc::new(Askers::new(refuse));
        let (sender, receiver) = mpsc::channel();
        for _ in 0..2 {
            let (askers, sender) = (Arc::clone(&askers), sender.clone());
            // Not scoped: one that waits on is to fail the test.
            std::thread::spawn(move || sender.send(askers.queue(answer("never"), LIMIT).and_then(Ticket::wait)));
        }
        for _ in 0..2 {
            let ended = receiver.recv_timeout(LONG).expect("it does not wait for ever");
            assert!(matches!(ended, Err(garner::Error::Device { .. })), "{ended:?}");
        }
    }

    #[test]
    fn who_was_refused_while_others_were_answered_asks_again() {
        let askers = Arc::new(Askers::default());
        let (begun, began) = mpsc::channel();
        let (refuse, refused) = mpsc::channel();
        let mut times = 0;
        let unlucky = askers.queue(
            question(move || {
                times += 1;
                begun.send(()).unwrap();
                refused.recv_timeout(LONG).unwrap();
                if times < 3 { Err(Error::Refused(Refusal::TooMany)) } else { answer("at last").ask() }
            }),
            LIMIT,
        );
        for _ in 0..2 {
            began.recv_timeout(LONG).unwrap();
            askers.queue(answer("another"), LIMIT).unwrap().wait().unwrap();
            refuse.send(()).unwrap();
        }
        refuse.send(()).unwrap();
        assert_eq!(unlucky.unwrap().wait().unwrap()[..], *b"at last");
        // Nobody was answered since.
        let last = askers.queue(question(|| Err(Error::Refused(Refusal::TooMany))), LIMIT).unwrap();
        assert!(matches!(last.wait(), Err(garner::Error::Device { .. })));
    }

    #[test]
    fn what_other_keys_answer_is_no_hope_for_who_was_refused() {
        let askers = Arc::new(Askers::default());
        let other = Arc::clone(&askers);
        let refused = askers.queue(
            question(move || {
                let answered = Question::new([2; 32], || Ok(Output::default()));
                other.queue(answered, LIMIT).unwrap().wait().unwrap();
                Err(Error::Refused(Refusal::TooMany))
            }),
            LIMIT,
        );
        assert!(matches!(refused.unwrap().wait(), Err(garner::Error::Device { .. })));
    }

    #[test]
    fn what_waited_longer_than_one_without_an_answer_is_not_asked() {
        let askers = Arc::new(Askers::default());
        let asked = Arc::new(AtomicUsize::new(0));
        // The threads are busy until all wait that are to wait.
        let all = Arc::new(Barrier::new(ASKERS + 1));
        let busy = |_| {
            let all = Arc::clone(&all);
            let ask = move || {
                all.wait();
                Ok(Output::default())
            };
            askers.queue(question(ask), LIMIT).unwrap()
        };
        let busy: Vec<_> = (0..ASKERS).map(busy).collect();
        let unanswered = |_| {
            let asked = Arc::clone(&asked);
            let ask = move || {
                asked.fetch_add(1, Ordering::SeqCst);
                Err(Error::Unreachable { path: "socket".into(), reason: "nobody".to_owned() })
            };
            askers.queue(question(ask), LIMIT).unwrap()
        };
        let tickets: Vec<_> = (0..40 * ASKERS).map(unanswered).collect();
        all.wait();
        busy.into_iter().for_each(|ticket| drop(ticket.wait().unwrap()));
        for ticket in tickets {
            assert!(matches!(ticket.wait(), Err(garner::Error::Device { .. })));
        }
        assert!(asked.load(Ordering::SeqCst) <= ASKERS, "{asked:?} were asked");
    }

    #[test]
    fn dropped_tickets_leave_room_and_are_not_asked_for() {
        let refuse: Spawn = |_| Err(io::ErrorKind::WouldBlock.into());
        let askers = Arc::new(Askers::new(refuse));
        // As if a thread were there, which is busy.
        askers.lock().threads = 1;
        let mut kept = askers.queue(answer("kept"), 8).unwrap();
        for _ in 0..100 {
            drop(askers.queue(answer("dropped"), 8).unwrap());
        }
        let full: Vec<_> = (0..7).map(|_| askers.queue(answer("more"), 8).unwrap()).collect();
        assert_eq!(askers.queue(answer("too many"), 8).err(), Some(garner::Error::Full(8)));
        drop(full);
        assert!(kept.try_take().is_none());
    }
}
