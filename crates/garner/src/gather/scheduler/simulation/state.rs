// SPDX-License-Identifier: Apache-2.0
//! What a simulated thread is doing.

use super::super::{Actions, Batch, Candidate, Item};
use crate::gather::class::{Class, Pool};
use std::collections::VecDeque;
use std::fmt;

/// What a waiting operation is here: its place in [`World::operations`](super::world::World::operations).
pub struct Job(pub usize);

impl Item for Job {
    type Caller = usize;

    fn caller(&self) -> usize {
        self.0
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Caller,
    Executor,
    Retires,
    Closes,
}

/// Who a thread is while it takes batches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// A caller with its own operation: class, number, place.
    Caller(Class, u64, usize),
    Executor(Pool),
    /// The caller of a whole batch, of these operations.
    Lender(Vec<usize>),
}

pub enum State {
    /// At the beginning, or between two calls.
    Next,
    /// A caller arrives, also after it waited for room.
    Arrives(Class, usize),
    /// The caller of a whole batch has yet to queue these.
    Queues(Vec<usize>, usize),
    Yields(Who, Candidate),
    Runs(Who, Batch<Job>),
    /// A leader ran a batch of older operations, and follows.
    Follows(Who),
    Sleeps(Class, u64, usize),
    /// An executor is through with a batch.
    Idle(Pool),
    /// The caller of a whole batch ran one, and is assigned again or not.
    Lends(Vec<usize>, Option<Pool>),
    /// It waits for the answers of tickets or a whole batch.
    Awaits(Vec<usize>),
    /// It is about to drop a ticket.
    Drops(Class, u64, usize),
    /// Waits on the runtime's condition for executors, for room, and for shut-down.
    NoWork,
    NoRoom(Box<State>),
    Unquiet,
    /// Is woken up by nothing any more.
    Leaves,
    Ended,
}

/// What a thread does, without the lock, before it goes on.
pub enum Todo {
    Answer(usize),
    Wake(Actions<usize>),
    Answered,
}

pub struct Thread {
    pub kind: Kind,
    pub processor: usize,
    pub state: State,
    pub todo: VecDeque<Todo>,
    /// Its condition was notified.
    pub notified: bool,
    /// Calls it has yet to make.
    pub calls: usize,
}

impl Thread {
    pub fn new(kind: Kind, calls: usize) -> Thread {
        Thread { kind, processor: 0, state: State::Next, todo: VecDeque::new(), notified: false, calls }
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended)
    }
}

impl fmt::Display for Thread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &self.state {
            State::Next => "next".to_owned(),
            State::Arrives(_, operation) => format!("arrives with {operation}"),
            State::Queues(operations, at) => format!("queues {operations:?} from {at}"),
            State::Yields(who, _) => format!("yields, {who:?}"),
            State::Runs(who, batch) => {
                let operations: Vec<usize> = batch.entries.iter().map(|entry| entry.item.0).collect();
                format!("runs {operations:?}, {who:?}")
            }
            State::Follows(who) => format!("follows, {who:?}"),
            State::Sleeps(_, _, operation) => format!("sleeps for {operation}"),
            State::Idle(pool) => format!("idle after {pool:?}"),
            State::Lends(_, pool) => format!("lends, {pool:?}"),
            State::Awaits(operations) => format!("awaits {operations:?}"),
            State::Drops(_, _, operation) => format!("drops {operation}"),
            State::NoWork => "no work".to_owned(),
            State::NoRoom(_) => "no room".to_owned(),
            State::Unquiet => "waits for quiet".to_owned(),
            State::Leaves => "leaves".to_owned(),
            State::Ended => "ended".to_owned(),
        };
        write!(f, "{:?} on {} {state}, {} to do", self.kind, self.processor, self.todo.len())
    }
}
