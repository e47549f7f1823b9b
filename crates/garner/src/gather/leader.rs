// SPDX-License-Identifier: Apache-2.0
//! What a leader does: give way to company, take a slot and a batch, run it, give the slot back, answer.

use super::batch;
use super::class::{Class, Pool};
use super::core::{Called, Core, Own, Process};
use super::operation::{Operation, Output};
use super::pool::{Caller, Entry, PoolState};
use super::queue::Queue;
use super::route::Choice;
use super::sleep::Wakes;
use crate::error::Result;
use crate::fork::generation;
use crate::stats::{Counter, Page};
use crate::sync::lock;
use rustix::thread::sched_getcpu;
use std::cell::Cell;
use std::sync::{Arc, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};
use std::vec;

/// Yields that bring nobody before a batch, at most.
const YIELDS: u32 = 4;

/// Time lost by yielding, as part of the time of one batch: one divided by this.
const PATIENCE: u32 = 10;

/// Batches that do not yield after a yield that another process had.
const HURRIED: u32 = 16;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is running a batch.
pub fn inside() -> bool {
    INSIDE.get()
}

/// Says that this thread is [`inside`] a batch, until dropped.
pub struct Inside {
    outer: bool,
}

impl Inside {
    pub fn enter() -> Inside {
        Inside { outer: INSIDE.replace(true) }
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        INSIDE.set(self.outer);
    }
}

/// A slot in use, or a brief batch beside them; given back when dropped, after a panic, if it was not before.
pub struct Slot<'a> {
    core: &'a Arc<Core>,
    process: &'a Process,
    pool: Pool,
    /// Whether it is none, but beside them.
    brief: bool,
    /// The processor that its batch computes on, if on one and not brief.
    processor: Option<usize>,
    ended: Option<(Class, usize, Duration)>,
    given_back: bool,
}

impl<'a> Slot<'a> {
    /// Takes a slot for a batch on `path`, and `count` operations that wait. One must be free, unless it is brief: then it
    /// needs none.
    pub fn take(
        core: &'a Arc<Core>,
        process: &'a Process,
        mut queue: MutexGuard<'_, Queue>,
        class: Class,
        path: usize,
        count: usize,
    ) -> (Slot<'a>, Vec<Entry>) {
        let (pool, brief) = (class.pool(), class.brief());
        let processor = (core.route.path(path).on_host && !brief).then(sched_getcpu);
        let room = core.room(queue.pool(pool));
        process.page.first_operation(core.slots as u64);
        queue.begin(core.slots, pool, brief, processor);
        let entries = core.take(process, &mut queue, class, count, room);
        let called = core.dispatch(&mut queue, pool, false);
        drop(queue);
        called.wake(process);
        (Slot { core, process, pool, brief, processor, ended: None, given_back: false }, entries)
    }

    /// Runs `own` and `others`, all of `class`.
    pub fn run(&mut self, class: Class, path: usize, own: Option<&Operation>, others: Vec<Entry>) -> Results {
        let (core, page) = (self.core, &self.process.page);
        let operations: Vec<&Operation> = own.into_iter().chain(others.iter().map(|entry| &entry.operation)).collect();
        let start = Instant::now();
        let answers = batch::run(&core.route, &*core.arithmetic, page, class, path, &operations);
        let time = start.elapsed();
        count(core, page, class, path, operations.len(), time);
        self.ended = Some((class, operations.len(), time));

        let mut answers = answers.into_iter();
        let own = own.and_then(|_| answers.next());
        Results { own, others, answers }
    }

    /// Gives the slot back, and lets the queue learn from the batch. Counts it as answering, if others wait for its answers.
    pub fn end(mut self, queue: &mut Queue, results: &Results) -> Option<Answering<'a>> {
        self.give_back(queue);
        if results.others.is_empty() {
            return None;
        }
        queue.answering += 1;
        Some(Answering { process: self.process, generation: generation() })
    }

    fn give_back(&mut self, queue: &mut Queue) {
        self.given_back = true;
        if let Some((class, fill, time)) = self.ended.take() {
            queue.pool(self.pool).ended(class, fill, time.as_nanos() as u64);
        }
        self.core.end(self.process, queue, self.pool, self.brief, self.processor);
    }

    /// Gives the slot back, calls who is to have it, and answers. The slot comes first, for whoever is woken may take the
    /// processor for long.
    pub fn close(self, results: Results) -> Option<Result<Output>> {
        let (core, process, pool) = (self.core, self.process, self.pool);
        let mut queue = lock(&process.queue);
        let answering = self.end(&mut queue, &results);
        let called = core.dispatch(&mut queue, pool, true);
        drop(queue);
        results.tell(process, called, answering)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if !self.given_back {
            let mut queue = lock(&self.process.queue);
            self.give_back(&mut queue);
            let called = self.core.dispatch(&mut queue, self.pool, true);
            drop(queue);
            called.wake(self.process);
        }
    }
}

/// The answers of a batch that ended are being given, until dropped.
pub struct Answering<'a> {
    process: &'a Process,
    generation: u64,
}

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        // A waker may fork: in the child this is the parent's queue, which one of its threads may have locked for ever.
        if generation() != self.generation {
            return;
        }
        let mut queue = lock(&self.process.queue);
        queue.answering -= 1;
        if queue.closed {
            self.process.quiet.notify_all();
        }
    }
}

/// The answers of a batch, yet to be given.
#[must_use = "callers wait for them"]
pub struct Results {
    own: Option<Result<Output>>,
    others: Vec<Entry>,
    /// Those of the others.
    answers: vec::IntoIter<Result<Output>>,
}

impl Results {
    /// Whether answers are those of tickets, whose wakers are others' code.
    pub fn have_tickets(&self) -> bool {
        self.others.iter().any(|entry| entry.caller == Caller::Ticket && entry.reply.waiter().is_some())
    }

    /// Answers the others, and wakes them, then who was called, then tasks, which may wait for either. Returns the own
    /// answer.
    ///
    /// A leader woken before them, or with them, may keep them from their processor for its whole batch, and some for
    /// several. So they come back with their next operations first.
    pub fn tell(self, process: &Process, called: Called, answering: Option<Answering<'_>>) -> Option<Result<Output>> {
        let mut wakes = Wakes::default();
        for (entry, answer) in self.others.into_iter().zip(self.answers) {
            entry.reply.answer(answer, &mut wakes);
        }
        wakes.wake_threads();
        called.wake(process);
        drop(wakes);
        drop(answering);
        self.own
    }
}

/// Runs the calling thread's own operation, and whatever may share its batch, at once.
pub fn lead(
    core: &Arc<Core>,
    process: &Process,
    class: Class,
    own: Operation,
    queue: MutexGuard<'_, Queue>,
) -> Result<Output> {
    lead_batch(core, process, class, Leader::With(own), queue).expect("an answer for its own operation")
}

/// Runs a batch of those that wait, at once, in a thread whose own operation, of that number, is younger than a batch of
/// them. Whether that goes on waiting: it does not in a child that a waker forked.
pub fn help(core: &Arc<Core>, process: &Process, class: Class, number: u64, queue: MutexGuard<'_, Queue>) -> bool {
    let before = generation();
    lead_batch(core, process, class, Leader::Helper, queue);
    if generation() != before {
        return false;
    }
    // Not sooner: nobody is to wait for a thread that wakes others, by code of theirs.
    let mut queue = lock(&process.queue);
    if queue.pool(class.pool()).came(class, number, sched_getcpu()) {
        let called = core.dispatch(&mut queue, class.pool(), true);
        drop(queue);
        called.wake(process);
    }
    true
}

/// Comes to lead a batch with the calling thread's own operation, which waits in line, when called or when nobody else is
/// on the way. It is left in line where there is no slot any more: then whoever ends a batch sees to it.
pub fn come(core: &Arc<Core>, process: &Process, class: Class, number: u64, queue: MutexGuard<'_, Queue>) {
    let mut queue = give_way(core, process, class.pool(), Some((class, number)), queue);
    let (state, here) = (queue.pool(class.pool()), sched_getcpu());
    if !state.came(class, number, here) {
        return;
    }
    if core.may_begin(state, here) && core.in_turn(state, class, number) {
        let own = state.take_one(class, number).expect("it waits");
        lead_batch(core, process, class, Leader::Called(own), queue);
    } else {
        let called = core.dispatch(&mut queue, class.pool(), false);
        drop(queue);
        called.wake(process);
    }
}

/// What a leader brings to its batch.
enum Leader {
    /// Its operation, whose answer is returned to it.
    With(Operation),
    /// Its operation out of the line, answered like those beside it.
    Called(Entry),
    /// Nothing: its operation goes on waiting.
    Helper,
}

/// Runs a batch; returns the answer of [`Leader::With`].
fn lead_batch(
    core: &Arc<Core>,
    process: &Process,
    class: Class,
    leader: Leader,
    mut queue: MutexGuard<'_, Queue>,
) -> Option<Result<Output>> {
    let _inside = Inside::enter();
    let (own, entry) = match leader {
        Leader::With(operation) => (Some(operation), None),
        Leader::Called(entry) => (None, Some(entry)),
        Leader::Helper => (None, None),
    };
    let mine = usize::from(own.is_some() || entry.is_some());
    let place = if mine == 1 { Own::Apart } else { Own::Nowhere };
    let available = core.available(queue.pool(class.pool()), class, place);
    let Choice { path, take } = core.route.choose(class, available);
    let (mut slot, others) = Slot::take(core, process, queue, class, path, take - mine);
    let results = slot.run(class, path, own.as_ref(), entry.into_iter().chain(others).collect());
    slot.close(results)
}

/// Whether `gathered` operations need not wait for more.
pub fn enough(core: &Core, state: &PoolState, class: Class, gathered: usize) -> bool {
    let full = || gathered >= core.route.limit(class);
    class.pool() == Pool::Short || state.hurried > 0 || gathered >= state.company() || full()
}

/// Lets company arrive before a batch is taken, when the last batches had company: yields until the batch is full, or has
/// as many as lately, or a few yields or a tenth of a batch's time brought nobody. Time in which somebody came was not
/// lost: those threads had it; but a whole batch's time is all it gives. A batch that others began meanwhile counts as
/// company. A yield that brought nobody and lasted longer than a batch went to another process, which may keep the
/// processor for milliseconds: the next batches do without.
///
/// `own` is the class and the number of the leader's own operation, and it returns when somebody else has taken that; an
/// executor has none and takes the oldest. The queue's lock is given up for each yield, and no sooner.
pub fn give_way<'a>(
    core: &Core,
    process: &'a Process,
    pool: Pool,
    own: Option<(Class, u64)>,
    mut queue: MutexGuard<'a, Queue>,
) -> MutexGuard<'a, Queue> {
    let first = Instant::now();
    let (mut start, mut gathered, mut in_vain) = (first, 0, 0);
    let mut yielded = Duration::ZERO; // the longest since somebody came
    let mut begun = queue.pool(pool).begun;
    loop {
        let state = queue.pool(pool);
        let class = match own {
            Some((class, number)) => Some(class).filter(|_| state.waits(class, number)),
            None => state.oldest(true).map(|(class, _)| class),
        };
        let Some(class) = class else { return queue };
        let batch_time = state.batch_time(class);
        let before = (gathered, begun);
        gathered = core.available(state, class, if own.is_some() { Own::InLine } else { Own::Gathering });
        begun = state.begun;
        if gathered > before.0 || begun != before.1 {
            (start, in_vain, yielded) = (Instant::now(), 0, Duration::ZERO);
        } else if yielded > batch_time && state.running == 0 {
            state.hurried = HURRIED;
        }
        if enough(core, state, class, gathered) {
            return queue;
        }
        if in_vain >= YIELDS || start.elapsed() >= batch_time / PATIENCE || first.elapsed() >= batch_time {
            return queue;
        }
        drop(queue);
        let going = Instant::now();
        thread::yield_now();
        yielded = yielded.max(going.elapsed());
        in_vain += 1;
        queue = lock(&process.queue);
    }
}

/// Adds one batch to the figures.
fn count(core: &Core, page: &Page, class: Class, path: usize, operations: usize, time: Duration) {
    use super::class::Kind;
    let lanes = operations * class.lanes();
    page.add(Counter::DeviceNanoseconds, time.as_nanos() as u64);
    match class.kind {
        Kind::Public => {
            page.add(Counter::PublicOperations, operations as u64);
            page.add(Counter::PublicBatches, 1);
            return;
        }
        Kind::Private => page.add(Counter::PrivateOperations, operations as u64),
        Kind::Exponentiation => page.add(Counter::Exponentiations, operations as u64),
    }
    page.add(Counter::Batches, 1);
    page.add(Counter::LanesUsed, lanes as u64);
    page.add(Counter::LanesOffered, core.route.path(path).lanes_offered(lanes) as u64);
}
