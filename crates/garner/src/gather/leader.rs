//! What whoever holds a slot does: give way to company, take a batch, run it, answer, hand the slot on.

use super::batch;
use super::class::{Class, Pool};
use super::core::{Core, Process};
use super::operation::{Operation, Output};
use super::queue::{Entry, Queue};
use super::route::Choice;
use super::sleep::Wakes;
use crate::error::Result;
use crate::stats::{Counter, Page};
use crate::sync::lock;
use std::cell::Cell;
use std::sync::{Arc, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

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

/// A slot in use, or a brief batch beside them; handed on when dropped, also after a panic.
pub struct Slot<'a> {
    core: &'a Arc<Core>,
    process: &'a Process,
    pool: Pool,
    /// Whether it is none, but beside them.
    brief: bool,
    ended: Option<(Class, usize, Duration)>,
    outer: bool,
}

impl<'a> Slot<'a> {
    /// [Counted](Core::begin) already.
    pub fn new(core: &'a Arc<Core>, process: &'a Process, pool: Pool, brief: bool) -> Slot<'a> {
        Slot { core, process, pool, brief, ended: None, outer: INSIDE.replace(true) }
    }

    /// Runs `own` and `others`, all of `class`: answers the others, returns `own`'s answer.
    pub fn run(
        &mut self,
        class: Class,
        path: usize,
        own: Option<&Operation>,
        others: Vec<Entry>,
    ) -> Option<Result<Output>> {
        let (core, page) = (self.core, &self.process.page);
        let operations: Vec<&Operation> = own.into_iter().chain(others.iter().map(|entry| &entry.operation)).collect();
        let start = Instant::now();
        let answers = batch::run(&core.route, &*core.arithmetic, page, class, path, &operations);
        let time = start.elapsed();
        count(core, page, class, path, operations.len(), time);
        self.ended = Some((class, operations.len(), time));

        let mut answers = answers.into_iter();
        let own = own.and_then(|_| answers.next());
        let mut wakes = Wakes::default();
        for (entry, answer) in others.into_iter().zip(answers) {
            entry.reply.answer(answer, &mut wakes);
        }
        own
    }

    /// Lets the queue learn from the batch that ended, if one did since the last time.
    pub fn note_end(&mut self, queue: &mut Queue) {
        if let Some((class, fill, time)) = self.ended.take() {
            queue.pool(self.pool).ended(class, fill, time.as_nanos() as u64);
        }
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let mut queue = lock(&self.process.queue);
        self.note_end(&mut queue);
        self.core.end(self.process, &mut queue, self.pool, self.brief);
        let handed = self.core.dispatch(self.process, &mut queue, self.pool);
        let closed = queue.closed;
        drop(queue);
        handed.wake(self.process);
        if closed {
            self.process.quiet.notify_all();
        }
        INSIDE.set(self.outer);
    }
}

/// Runs the calling thread's own operation, and whatever may share its batch, in a slot that is counted already.
pub fn lead(
    core: &Arc<Core>,
    process: &Process,
    class: Class,
    own: Operation,
    queue: MutexGuard<'_, Queue>,
) -> Result<Output> {
    let mut slot = Slot::new(core, process, class.pool(), class.brief());
    let mut queue = give_way(core, process, class.pool(), Some(class), queue);
    let available = 1 + queue.pool(class.pool()).in_line(class);
    let Choice { path, take } = core.route.choose(class, available);
    let others = core.take(process, &mut queue, class, take - 1);
    drop(queue);
    slot.run(class, path, Some(&own), others).expect("an answer for each operation")
}

/// Lets company arrive before a batch is taken, when the last batches had company: yields until the batch is full, or has
/// as many as lately, or a few yields or a tenth of a batch's time brought nobody. Time in which somebody came was not
/// lost: those threads had it. A yield that brought nobody and lasted longer than a batch went to another process, which
/// may keep the processor for milliseconds: the next batches do without.
///
/// `own` is the class of the leader's own operation; an executor has none and takes the oldest. The queue's lock is given
/// up for each yield, and no sooner: a caller that is alone takes it once before its batch.
pub fn give_way<'a>(
    core: &Core,
    process: &'a Process,
    pool: Pool,
    own: Option<Class>,
    mut queue: MutexGuard<'a, Queue>,
) -> MutexGuard<'a, Queue> {
    if pool == Pool::Short {
        return queue;
    }
    let (mut start, mut gathered, mut in_vain) = (Instant::now(), 0, 0);
    let mut yielded = Duration::ZERO; // the longest since somebody came
    loop {
        let state = queue.pool(pool);
        let Some(class) = own.or_else(|| state.oldest().map(|(class, _)| class)) else { return queue };
        let batch_time = Duration::from_nanos(state.line(class).map_or(0, |line| line.batch_time));
        let (before, company) = (gathered, state.company());
        gathered = state.in_line(class) + usize::from(own.is_some());
        if gathered > before {
            (start, in_vain, yielded) = (Instant::now(), 0, Duration::ZERO);
        } else if yielded > batch_time && state.running == 1 {
            state.hurried = HURRIED;
        }
        let hurried = state.hurried > 0;
        state.hurried = state.hurried.saturating_sub(1);
        if hurried || gathered >= core.route.limit(class) || gathered >= company {
            return queue;
        }
        if in_vain >= YIELDS || start.elapsed() >= batch_time / PATIENCE {
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
