//! The gatherer's inside, shared by callers and executors: who gets the next slot.
//!
//! The rule: a slot is free only while nothing waits that no one is on the way to take. Whoever frees a slot hands it to
//! the oldest waiting operation: to its caller if one is blocked on it, else to an executor.

use super::answer::{Answer, Answers, Reply, Woken};
use super::class::{Class, Pool};
use super::config::Config;
use super::operation::{Operation, Output};
use super::queue::{Entry, PoolState, Queue};
use super::route::Route;
use super::sleep::Wakes;
use super::{executor, leader};
use crate::arithmetic::Arithmetic;
use crate::error::{Error, Result};
use crate::fork::ForkLocal;
use crate::stats::{Counter, Page};
use crate::sync::{lock, wait};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// What all threads share, and a forked child has too.
pub struct Core {
    pub arithmetic: Arc<dyn Arithmetic>,
    pub route: Route,
    pub slots: usize,
    overlap: bool,
    queue_limit: usize,
    process: ForkLocal<Process>,
}

/// What each process has for itself.
#[derive(Default)]
pub struct Process {
    pub queue: Mutex<Queue>,
    /// There is room in the queue again.
    room: Condvar,
    /// There is work for an executor.
    pub work: Condvar,
    /// A batch ended or an executor left while the gatherer is closed.
    pub quiet: Condvar,
    pub page: Page,
}

impl Core {
    pub fn new(config: Config) -> Core {
        Core {
            route: Route::new(&config),
            arithmetic: config.arithmetic,
            slots: config.slots.max(1),
            overlap: config.overlap,
            queue_limit: config.queue_limit.max(1),
            process: ForkLocal::new(),
        }
    }

    pub fn process(&self) -> &Process {
        self.process.get()
    }

    /// Runs one operation, by this thread or by another that is running a batch anyway.
    pub fn run(self: &Arc<Self>, operation: Operation) -> Result<Output> {
        let class = self.route.class(&operation);
        let process = self.process();
        let mut queue = lock(&process.queue);
        loop {
            if queue.closed {
                return Err(Error::ShutDown);
            }
            let pool = queue.pool(class.pool());
            if class.brief() || self.free(pool) || self.overlaps(pool, class, pool.in_line(class) + 1) {
                // In no slot if brief: those that wait for one would for as long as such callers come.
                self.begin(process, &mut queue, class.pool(), class.brief());
                self.tell_of_room(process, &queue);
                return leader::lead(self, process, class, operation, queue);
            }
            if queue.len() < self.queue_limit {
                break;
            }
            queue = self.wait_for_room(process, queue);
        }
        let answer = Arc::new(Answer::new());
        queue.push(class, operation, Reply::to(&answer), true);
        process.note_length(&queue);
        self.tell_of_room(process, &queue);
        drop(queue);
        match answer.wait() {
            Woken::Done(answer) => answer,
            Woken::Lead(operation) => leader::lead(self, process, class, operation, lock(&process.queue)),
        }
    }

    /// Queues one operation for an executor; refuses when the queue is at its limit.
    pub fn submit(self: &Arc<Self>, operation: Operation) -> Result<Arc<Answer>> {
        let class = self.route.class(&operation);
        let process = self.process();
        let mut queue = lock(&process.queue);
        if !queue.closed && queue.len() >= self.queue_limit {
            return Err(Error::Full(self.queue_limit));
        }
        self.ready(&mut queue)?;
        let answer = Arc::new(Answer::new());
        queue.push(class, operation, Reply::to(&answer), false);
        process.note_length(&queue);
        self.tell_of_room(process, &queue);
        let handed = self.dispatch(process, &mut queue, class.pool());
        drop(queue);
        handed.wake(process);
        Ok(answer)
    }

    /// Queues operations of a whole batch, waiting for room where there is none, and runs what waits in this thread, where a
    /// slot is free, or leaves it to the others, until `wanted` answers are there.
    pub fn run_all(
        self: &Arc<Self>,
        operations: impl Iterator<Item = (usize, Operation)>,
        answers: &Arc<Answers>,
        wanted: usize,
    ) {
        // The paths that say which class it is are others' code: not under the lock, and not half way.
        let operations: Vec<_> =
            operations.map(|(index, operation)| (index, self.route.class(&operation), operation)).collect();
        let process = self.process();
        let mut queue = lock(&process.queue);
        for (index, class, operation) in operations {
            while !queue.closed && queue.len() >= self.queue_limit {
                process.note_length(&queue);
                let handed = self.dispatch_all(process, &mut queue);
                if handed.is_empty() {
                    queue = self.wait_for_room(process, queue);
                } else {
                    drop(queue);
                    handed.wake(process);
                    queue = lock(&process.queue);
                }
            }
            let reply = Reply::one_of(answers, index);
            match self.ready(&mut queue) {
                Ok(()) => queue.push(class, operation, reply, false),
                Err(error) => reply.answer(Err(error), &mut Wakes::default()),
            }
        }
        process.note_length(&queue);
        self.tell_of_room(process, &queue);
        let lent = Pool::ALL.into_iter().find(|&pool| self.gather_in_free_slot(process, &mut queue, pool));
        let handed = self.dispatch_all(process, &mut queue);
        drop(queue);
        handed.wake(process);
        if let Some(pool) = lent {
            executor::lend(self, process, pool, || answers.done() >= wanted);
        }
        answers.wait_for(wanted);
    }

    /// Whether operations are taken, and there is an executor to run them.
    fn ready(self: &Arc<Self>, queue: &mut Queue) -> Result<()> {
        if queue.closed {
            return Err(Error::ShutDown);
        }
        if queue.executors.threads == 0 {
            executor::start(self, queue)?;
        }
        Ok(())
    }

    fn wait_for_room<'a>(&self, process: &'a Process, mut queue: MutexGuard<'a, Queue>) -> MutexGuard<'a, Queue> {
        queue.short_of_room += 1;
        queue = wait(&process.room, queue);
        queue.short_of_room -= 1;
        queue
    }

    /// Wakes the next caller that waits for room, if there is some. Called by whoever takes operations out of the queue,
    /// and by whoever was woken and left room, as one who leads does: else the room would wait for nobody.
    fn tell_of_room(&self, process: &Process, queue: &Queue) {
        if queue.short_of_room > 0 && queue.len() < self.queue_limit {
            process.room.notify_one();
        }
    }

    /// Hands free slots to the oldest waiting operations. Who got them is woken by [`Handed::wake`], without the lock:
    /// the first thing a woken thread does is to take it.
    pub fn dispatch(self: &Arc<Self>, process: &Process, queue: &mut Queue, pool: Pool) -> Handed {
        let mut handed = Handed::default();
        loop {
            let state = queue.pool(pool);
            let Some((class, blocked)) =
                state.oldest().filter(|&(class, blocked)| self.may_start(state, class, blocked))
            else {
                return handed;
            };
            if blocked {
                self.begin(process, queue, pool, false);
                let count = self.route.least_limit(class);
                handed.leaders.extend(queue.pool(pool).take_leader(class, count));
                process.note_length(queue);
                self.tell_of_room(process, queue);
            } else {
                // One executor on its way is enough for one batch; the rest of the batch may still be coming.
                if state.waiting <= state.gathering * self.route.limit(class) || !executor::rouse(self, queue, pool) {
                    return handed;
                }
                handed.executors += 1;
                self.begin(process, queue, pool, false);
                queue.pool(pool).gathering += 1;
            }
        }
    }

    /// [`Core::dispatch`] for both pools.
    fn dispatch_all(self: &Arc<Self>, process: &Process, queue: &mut Queue) -> Handed {
        let mut handed = self.dispatch(process, queue, Pool::Long);
        handed.append(self.dispatch(process, queue, Pool::Short));
        handed
    }

    /// Takes a free slot for the oldest waiting operation, unless its caller is blocked on it.
    fn gather_in_free_slot(&self, process: &Process, queue: &mut Queue, pool: Pool) -> bool {
        let state = queue.pool(pool);
        let free = matches!(state.oldest(), Some((_, false))) && self.free(state);
        if free {
            self.begin(process, queue, pool, false);
            queue.pool(pool).gathering += 1;
        }
        free
    }

    /// Whether the oldest operation, of `class`, may start a batch: a slot is free, or the batch overlaps with others.
    fn may_start(&self, state: &PoolState, class: Class, blocked: bool) -> bool {
        self.free(state) || blocked && self.overlaps(state, class, state.in_line(class))
    }

    /// Counts a batch as under way, in a slot of `pool` or, if brief, beside them.
    fn begin(&self, process: &Process, queue: &mut Queue, pool: Pool, brief: bool) {
        process.page.first_operation(self.slots as u64);
        queue.begin(self.slots, pool, brief);
    }

    /// The end of what was begun.
    pub fn end(&self, process: &Process, queue: &mut Queue, pool: Pool, brief: bool) {
        process.note_busy(queue.end(self.slots, pool, brief));
    }

    /// Brings the figure of the time for which slots were in use up to now.
    pub fn note_use(&self, process: &Process, queue: &mut Queue) {
        process.note_busy(queue.note_use(self.slots));
    }

    fn free(&self, state: &PoolState) -> bool {
        state.running < self.slots
    }

    /// Whether a batch that a caller leads may overlap with those in the slots: if it is full and has the oldest operation
    /// in it, which would else wait for as long as such callers come.
    ///
    /// A leader that was woken may have to wait for a processor that another leader has, while a second one is idle:
    /// systems are slow to move a thread that just ran. A full batch gains nothing by waiting, so its leader may look
    /// for a processor too. Measured with 64 callers on two cores: without it a quarter of their time is idle. Executors
    /// go from one batch to the next where they are, and only take each other's time when they are more than processors.
    fn overlaps(&self, state: &PoolState, class: Class, fill: usize) -> bool {
        let limit = self.route.limit(class);
        let full = limit > 1 && fill >= limit;
        let has_oldest = || state.oldest().is_none_or(|(oldest, _)| oldest == class);
        self.overlap && state.running < 2 * self.slots && full && has_oldest()
    }

    /// Takes up to `count` operations out of the queue.
    pub fn take(&self, process: &Process, queue: &mut Queue, class: Class, count: usize) -> Vec<Entry> {
        let taken = queue.pool(class.pool()).take(class, count);
        process.note_length(queue);
        self.tell_of_room(process, queue);
        taken
    }

    /// Refuses what comes and what waits, and returns when nothing runs any more.
    ///
    /// From inside a batch (a waker of this gatherer's) it returns at once: waiting for that batch would never end.
    pub fn shut_down(&self) {
        let process = self.process();
        let mut queue = lock(&process.queue);
        queue.closed = true;
        let waiting = queue.drain();
        process.note_length(&queue);
        process.work.notify_all();
        process.room.notify_all();
        drop(queue);
        let mut wakes = Wakes::default();
        for entry in waiting {
            entry.reply.answer(Err(Error::ShutDown), &mut wakes);
        }
        drop(wakes);
        if leader::inside() {
            return;
        }
        let mut queue = lock(&process.queue);
        while queue.under_way() > 0 || queue.executors.threads > 0 {
            queue = wait(&process.quiet, queue);
        }
        let handles = std::mem::take(&mut queue.executors.handles);
        drop(queue);
        for handle in handles {
            // An executor that panicked has nothing left to do either.
            let _ = handle.join();
        }
    }
}

/// Slots handed on; their new holders have yet to be woken.
#[derive(Default)]
#[must_use = "who got a slot sleeps until woken"]
pub struct Handed {
    leaders: Vec<Entry>,
    executors: usize,
}

impl Handed {
    pub fn is_empty(&self) -> bool {
        self.leaders.is_empty() && self.executors == 0
    }

    fn append(&mut self, mut other: Handed) {
        self.leaders.append(&mut other.leaders);
        self.executors += other.executors;
    }

    /// Wakes the new holders. To be called without the queue's lock.
    pub fn wake(self, process: &Process) {
        let mut wakes = Wakes::default();
        for entry in self.leaders {
            entry.reply.lead(entry.operation, &mut wakes);
        }
        drop(wakes);
        for _ in 0..self.executors {
            process.work.notify_one();
        }
    }
}

impl Process {
    fn note_busy(&self, busy: Duration) {
        self.page.set(Counter::BusyNanoseconds, busy.as_nanos() as u64);
    }

    fn note_length(&self, queue: &Queue) {
        let length = queue.len() as u64;
        self.page.set(Counter::Queue, length);
        self.page.at_least(Counter::QueueHighWater, length);
    }
}
