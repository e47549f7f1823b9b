// SPDX-License-Identifier: Apache-2.0
//! The receipt for an operation submitted without waiting.

use super::answer::{Answer, Reply, Woken};
use super::class::Class;
use super::core::Core;
use super::operation::Output;
use super::sleep::Wakes;
use crate::error::{Error, Result};
use crate::fork;
use std::fmt;
use std::future::Future;
use std::os::fd::BorrowedFd;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

/// The receipt for one submitted operation: a future, a descriptor for `poll(2)`, or something to wait for.
///
/// Dropping it takes the operation out of the queue. One that has begun goes on, and its answer is thrown away. In a child
/// made by `fork` every ticket of the parent gives [`Error::Forked`].
pub struct Ticket {
    answer: Arc<Answer>,
    generation: u64,
    place: Option<Place>,
}

/// Where an operation waits: whose queue, and where in it. The gatherer does not live for its tickets.
struct Place {
    core: Weak<Core>,
    class: Class,
    number: u64,
}

/// The duty to answer a ticket of [`Ticket::elsewhere`]. Dropped, it answers by [`Error::Device`]. A child made by `fork` answers
/// nothing: the ticket is its parent's.
pub struct Promise {
    reply: Reply,
    ticket: Weak<Answer>,
}

impl Promise {
    /// Gives the answer.
    pub fn keep(self, answer: Result<Output>) {
        self.reply.answer(answer, &mut Wakes::default());
    }

    /// Whether there is still a ticket to answer: its holder may have dropped it.
    pub fn is_wanted(&self) -> bool {
        // One is the reply's.
        self.ticket.strong_count() > 1
    }
}

impl fmt::Debug for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Promise")
    }
}

impl Ticket {
    /// For the operation of this number in the queue of `core`.
    pub(super) fn new(answer: Arc<Answer>, core: &Arc<Core>, class: Class, number: u64) -> Ticket {
        let place = Place { core: Arc::downgrade(core), class, number };
        Ticket { answer, generation: fork::generation(), place: Some(place) }
    }

    /// For an operation that no gatherer runs, and the duty to answer it: so that whoever takes tickets may take answers from
    /// elsewhere, too.
    pub fn elsewhere() -> (Ticket, Promise) {
        let answer = Arc::new(Answer::new());
        let promise = Promise { reply: Reply::to(&answer), ticket: Arc::downgrade(&answer) };
        (Ticket { answer, generation: fork::generation(), place: None }, promise)
    }

    fn forked(&self) -> bool {
        self.generation != fork::generation()
    }

    /// Waits for the answer.
    ///
    /// # Errors
    /// The operation's; [`Error::Argument`] when the answer was taken already; [`Error::Forked`].
    pub fn wait(self) -> Result<Output> {
        if self.forked() {
            return Err(Error::Forked);
        }
        match self.answer.wait() {
            Woken::Done(answer) => answer,
            Woken::Lead => unreachable!("only blocked callers are made leaders"),
        }
    }

    /// The answer if it is there; `None` before that and after it was taken. [`Error::Forked`] at once in a child.
    pub fn try_take(&mut self) -> Option<Result<Output>> {
        if self.forked() { Some(Err(Error::Forked)) } else { self.answer.try_take() }
    }

    /// A descriptor that is readable once the answer is there, and stays so. Made on the first call; it lives as long
    /// as the ticket. Nobody needs to read from it.
    ///
    /// # Errors
    /// [`Error::Device`] when the process has no descriptor left; [`Error::Forked`].
    pub fn event_fd(&self) -> Result<BorrowedFd<'_>> {
        if self.forked() {
            return Err(Error::Forked);
        }
        self.answer.event_fd()
    }
}

impl Future for Ticket {
    type Output = Result<Output>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if self.forked() { Poll::Ready(Err(Error::Forked)) } else { self.answer.poll(context.waker()) }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // In a child the answer may be half written, by a thread that does not exist here: it is left alone.
        if self.forked() {
            std::mem::forget(Arc::clone(&self.answer));
        } else if self.answer.is_awaited()
            && let Some(Place { core, class, number }) = &self.place
            && let Some(core) = core.upgrade()
        {
            core.withdraw(*class, *number);
        }
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket")
    }
}
