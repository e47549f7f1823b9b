// SPDX-License-Identifier: Apache-2.0
//! Where an answer is left for whoever waits for it: a blocked caller, a task, or a descriptor.

use super::operation::Output;
use super::sleep::{Spot, Wakes};
use super::threads::{Condvar, Mutex, lock, wait};
use crate::error::{Error, Result};
use crate::fork::generation;
use rustix::event::{EventfdFlags, eventfd};
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};

/// One operation's answer, shared by the one who waits for it and the one who gives it.
pub struct Answer {
    state: Mutex<State>,
    /// Where its thread sleeps, if one waits.
    spot: Spot,
    event: OnceLock<OwnedFd>,
}

enum State {
    Waiting(Waiter),
    /// The waiting caller is called to lead a batch.
    Lead,
    Done(Result<Output>),
    Taken,
}

/// Who is to be woken.
enum Waiter {
    Nobody,
    Thread,
    Task(Waker),
}

/// What a blocked caller is woken for.
pub enum Woken {
    /// To lead a batch, with its own operation in it if that still waits.
    Lead,
    /// Somebody ran its operation.
    Done(Result<Output>),
}

impl Answer {
    pub fn new() -> Answer {
        Answer { state: Mutex::new(State::Waiting(Waiter::Nobody)), spot: Spot::next(), event: OnceLock::new() }
    }

    /// Blocks until there is something to take.
    pub fn wait(&self) -> Woken {
        loop {
            let watched = self.spot.watch();
            let mut state = lock(&self.state);
            match mem::replace(&mut *state, State::Taken) {
                State::Lead => {
                    *state = State::Waiting(Waiter::Nobody);
                    return Woken::Lead;
                }
                State::Done(answer) => return Woken::Done(answer),
                State::Taken => return Woken::Done(Err(taken())),
                State::Waiting(_) => *state = State::Waiting(Waiter::Thread),
            }
            drop(state);
            self.spot.sleep(watched);
        }
    }

    /// Whether the answer is still to come.
    pub fn is_awaited(&self) -> bool {
        matches!(*lock(&self.state), State::Waiting(_) | State::Lead)
    }

    /// The answer, if it is there and was not taken.
    pub fn try_take(&self) -> Option<Result<Output>> {
        let mut state = lock(&self.state);
        match mem::replace(&mut *state, State::Taken) {
            State::Done(answer) => Some(answer),
            other => {
                *state = other;
                None
            }
        }
    }

    /// The answer, or a promise to wake `waker` when it is there.
    pub fn poll(&self, waker: &Waker) -> Poll<Result<Output>> {
        // A waker is others' code: it is cloned before the lock is taken, and the one before it dropped after.
        let waiting = State::Waiting(Waiter::Task(waker.clone()));
        let mut state = lock(&self.state);
        let next = if matches!(*state, State::Done(_) | State::Taken) { State::Taken } else { waiting };
        let before = mem::replace(&mut *state, next);
        drop(state);
        match before {
            State::Done(answer) => Poll::Ready(answer),
            State::Taken => Poll::Ready(Err(taken())),
            // A ticket is never made a leader.
            State::Waiting(_) | State::Lead => Poll::Pending,
        }
    }

    /// A descriptor that is readable from the moment the answer is there.
    pub fn event_fd(&self) -> Result<BorrowedFd<'_>> {
        // Under the lock, so that the answer comes either before, and is counted here, or after, and signals.
        let state = lock(&self.state);
        if self.event.get().is_none() {
            let there = u32::from(matches!(*state, State::Done(_) | State::Taken));
            let event = eventfd(there, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
                .map_err(|error| Error::Device { device: "eventfd".to_owned(), reason: error.to_string() })?;
            let _ = self.event.set(event);
        }
        drop(state);
        Ok(self.event.get().expect("set above").as_fd())
    }

    /// Calls the blocked caller, if it has no answer yet, to lead a batch; woken by `wakes`.
    pub fn lead(&self, wakes: &mut Wakes) {
        let mut state = lock(&self.state);
        let State::Waiting(waiter) = &*state else { return };
        if let Waiter::Thread = waiter {
            wakes.thread(self.spot);
        }
        *state = State::Lead;
    }

    fn done(&self, answer: Result<Output>, wakes: &mut Wakes) {
        let before = mem::replace(&mut *lock(&self.state), State::Done(answer));
        if let Some(event) = self.event.get() {
            // It can fail only when the counter is full, and then it is readable.
            let _ = rustix::io::write(event, &1u64.to_ne_bytes());
        }
        match before {
            State::Waiting(Waiter::Thread) => wakes.thread(self.spot),
            State::Waiting(Waiter::Task(waker)) => wakes.task(waker),
            _ => {}
        }
    }
}

/// What a second request for an answer gets.
pub fn taken() -> Error {
    Error::argument("ticket", "its answer was taken already")
}

/// The answers to a whole batch, for the one caller that waits for them and is woken once for many.
pub struct Answers {
    collected: Mutex<Collected>,
    enough: Condvar,
}

struct Collected {
    answers: Vec<Option<Result<Output>>>,
    done: usize,
    /// The caller waits for so many; 0 when it does not wait.
    wanted: usize,
}

impl Answers {
    /// Room for `count` answers.
    pub fn new(count: usize) -> Answers {
        let collected = Collected { answers: (0..count).map(|_| None).collect(), done: 0, wanted: 0 };
        Answers { collected: Mutex::new(collected), enough: Condvar::new() }
    }

    /// How many are there.
    pub fn done(&self) -> usize {
        lock(&self.collected).done
    }

    /// Blocks until `wanted` of them are there.
    pub fn wait_for(&self, wanted: usize) {
        let mut collected = lock(&self.collected);
        collected.wanted = wanted;
        while collected.done < wanted {
            collected = wait(&self.enough, collected);
        }
        collected.wanted = 0;
    }

    /// All of them, in order, once all are there.
    pub fn take(&self) -> Vec<Result<Output>> {
        let answers = mem::take(&mut lock(&self.collected).answers);
        answers.into_iter().map(|answer| answer.unwrap_or_else(|| Err(taken()))).collect()
    }

    fn set(&self, index: usize, answer: Result<Output>) {
        let mut collected = lock(&self.collected);
        collected.answers[index] = Some(answer);
        collected.done += 1;
        let enough = collected.done == collected.wanted;
        drop(collected);
        if enough {
            self.enough.notify_one();
        }
    }
}

/// The duty to answer, carried by a queued operation: whoever drops it unanswered answers with an error. It is the duty of the
/// process that took it: a child made by `fork` leaves the parent's answers alone, and their descriptors, which both have.
pub struct Reply {
    to: Option<To>,
    generation: u64,
}

enum To {
    One(Arc<Answer>),
    OneOf(Arc<Answers>, usize),
}

impl Reply {
    /// To a single waiter.
    pub fn to(answer: &Arc<Answer>) -> Reply {
        Reply::new(To::One(Arc::clone(answer)))
    }

    /// To the caller of a whole batch, for its operation `index`.
    pub fn one_of(answers: &Arc<Answers>, index: usize) -> Reply {
        Reply::new(To::OneOf(Arc::clone(answers), index))
    }

    fn new(to: To) -> Reply {
        Reply { to: Some(to), generation: generation() }
    }

    /// Gives the answer; who waits for it is woken by `wakes`.
    pub fn answer(mut self, answer: Result<Output>, wakes: &mut Wakes) {
        self.give(answer, wakes);
    }

    /// Ends the duty: nobody wants the answer any more, and nobody is woken.
    pub fn withdraw(mut self) {
        self.to = None;
    }

    /// The single waiter, if it is one.
    pub fn waiter(&self) -> Option<Arc<Answer>> {
        match &self.to {
            Some(To::One(to)) => Some(Arc::clone(to)),
            _ => None,
        }
    }

    fn give(&mut self, answer: Result<Output>, wakes: &mut Wakes) {
        match self.to.take() {
            // It may be half written, by a thread that does not exist here.
            to if self.generation != generation() => mem::forget(to),
            Some(To::One(to)) => to.done(answer, wakes),
            Some(To::OneOf(to, index)) => to.set(index, answer),
            None => {}
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if self.to.is_some() {
            let reason = "the batch was abandoned".to_owned();
            self.give(Err(Error::Device { device: "gatherer".to_owned(), reason }), &mut Wakes::default());
        }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};
    use std::task::Wake;
    use std::thread;
    use std::time::Duration;

    /// Waits for the thread that sleeps on another answer, and says whether it came.
    struct Waiting(Mutex<Receiver<()>>, Mutex<Option<bool>>);

    impl Wake for Waiting {
        fn wake(self: Arc<Self>) {
            *lock(&self.1) = Some(lock(&self.0).recv_timeout(Duration::from_secs(20)).is_ok());
            panic!("a waker's panic stays with it");
        }
    }

    #[test]
    fn a_waker_may_wait_for_a_caller_of_its_own_batch_and_panic() {
        let [thread, task] = [Arc::new(Answer::new()), Arc::new(Answer::new())];
        let (sender, receiver) = channel();
        let sleeper = Arc::clone(&thread);
        let sleeper = thread::spawn(move || {
            let _ = sleeper.wait();
            let _ = sender.send(());
        });
        while !matches!(*lock(&thread.state), State::Waiting(Waiter::Thread)) {
            thread::yield_now();
        }
        let waker = Arc::new(Waiting(Mutex::new(receiver), Mutex::new(None)));
        assert!(task.poll(&Waker::from(Arc::clone(&waker))).is_pending());
        let mut wakes = Wakes::default();
        for answer in [&thread, &task] {
            Reply::to(answer).answer(Err(Error::ShutDown), &mut wakes);
        }
        drop(wakes);
        sleeper.join().unwrap();
        assert_eq!(*lock(&waker.1), Some(true), "the thread was woken before the task");
    }
}
