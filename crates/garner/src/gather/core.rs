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
use super::sync::{lock, wait};
use super::{executor, leader};
use crate::arithmetic::Arithmetic;
use crate::error::{Error, Result};
use crate::fork::ForkLocal;
use crate::stats::{Counter, Page};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

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
            if class.brief() || self.free(pool, class, 1) {
                pool.running += 1;
                self.tell_of_room(process, &queue);
                drop(queue);
                return leader::lead(self, process, class, operation);
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
            Woken::Lead(operation) => leader::lead(self, process, class, operation),
        }
    }

    /// Queues one operation for an executor; refuses when the queue is at its limit.
    pub fn submit(self: &Arc<Self>, operation: Operation) -> Result<Arc<Answer>> {
        let process = self.process();
        let mut queue = lock(&process.queue);
        if !queue.closed && queue.len() >= self.queue_limit {
            return Err(Error::Full(self.queue_limit));
        }
        self.ready(&mut queue)?;
        let answer = Arc::new(Answer::new());
        let handed = self.enqueue(process, &mut queue, operation, Reply::to(&answer));
        drop(queue);
        handed.wake(process);
        Ok(answer)
    }

    /// Queues operations of a whole batch for executors, waiting for room where there is none.
    pub fn submit_all(self: &Arc<Self>, operations: impl Iterator<Item = (usize, Operation)>, answers: &Arc<Answers>) {
        let process = self.process();
        let mut queue = lock(&process.queue);
        for (index, operation) in operations {
            while !queue.closed && queue.len() >= self.queue_limit {
                queue = self.wait_for_room(process, queue);
            }
            let reply = Reply::one_of(answers, index);
            match self.ready(&mut queue) {
                Ok(()) => {
                    let handed = self.enqueue(process, &mut queue, operation, reply);
                    if !handed.is_empty() {
                        drop(queue);
                        handed.wake(process);
                        queue = lock(&process.queue);
                    }
                }
                Err(error) => reply.answer(Err(error)),
            }
        }
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

    fn enqueue(self: &Arc<Self>, process: &Process, queue: &mut Queue, operation: Operation, reply: Reply) -> Handed {
        let class = self.route.class(&operation);
        queue.push(class, operation, reply, false);
        process.note_length(queue);
        self.tell_of_room(process, queue);
        self.dispatch(process, queue, class.pool())
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
            let Some((class, blocked)) = state.oldest().filter(|&(class, _)| self.free(state, class, 0)) else {
                return handed;
            };
            if blocked {
                state.running += 1;
                handed.leaders.extend(self.take(process, queue, class, 1));
            } else {
                // One executor on its way is enough for one batch; the rest of the batch may still be coming.
                if state.waiting <= state.gathering * self.route.limit(class) || !executor::rouse(self, queue, pool) {
                    return handed;
                }
                handed.executors += 1;
                let state = queue.pool(pool);
                state.running += 1;
                state.gathering += 1;
            }
        }
    }

    /// Whether a batch of `class` may start, with what waits and `more`: a slot is free, or the batch would be full and
    /// overlaps with others.
    ///
    /// A leader that was woken may have to wait for a processor that another leader has, while a second one is idle:
    /// systems are slow to move a thread that just ran. A full batch gains nothing by waiting, so its leader may look
    /// for a processor too. Measured with 64 callers on two cores: without it a quarter of their time is idle.
    fn free(&self, state: &PoolState, class: Class, more: usize) -> bool {
        let limit = self.route.limit(class);
        let full = || limit > 1 && state.in_line(class) + more >= limit;
        state.running < self.slots || self.overlap && state.running < 2 * self.slots && full()
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
        for entry in waiting {
            entry.reply.answer(Err(Error::ShutDown));
        }
        if leader::inside() {
            return;
        }
        let mut queue = lock(&process.queue);
        while queue.busy() || queue.executors.threads > 0 {
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

    /// Wakes the new holders. To be called without the queue's lock.
    pub fn wake(self, process: &Process) {
        for entry in self.leaders {
            entry.reply.lead(entry.operation);
        }
        for _ in 0..self.executors {
            process.work.notify_one();
        }
    }
}

impl Process {
    fn note_length(&self, queue: &Queue) {
        let length = queue.len() as u64;
        self.page.set(Counter::Queue, length);
        self.page.at_least(Counter::QueueHighWater, length);
    }
}
