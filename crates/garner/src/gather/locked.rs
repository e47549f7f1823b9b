// SPDX-License-Identifier: Apache-2.0
//! The lock around the scheduler: reports events under it, and carries out the scheduler's actions.

use super::answer::Answer;
use super::class::Class;
use super::core::{Core, Process, State, Work};
use super::executor;
use super::scheduler::{Actions, At, Refusal, Scheduler};
use super::sleep::Wakes;
use super::threads::{Condvar, MutexGuard, Thread, lock, nanoseconds_since, processor, wait};
use crate::error::{Error, Result};
use crate::stats::Counter;
use std::mem;
use std::sync::Arc;

/// The state, locked by a thread that reports events.
pub struct Locked<'a> {
    core: &'a Arc<Core>,
    process: &'a Process,
    state: MutexGuard<'a, State>,
}

impl Core {
    pub fn lock(self: &Arc<Self>) -> Locked<'_> {
        let process = self.process();
        Locked { core: self, process, state: lock(&process.state) }
    }

    fn at(&self) -> At {
        At { processor: processor(), now: nanoseconds_since(self.start) }
    }

    /// Reports one event, and carries out what the scheduler asks for.
    pub fn report<R>(self: &Arc<Self>, event: impl FnOnce(&mut Scheduler<Work>, At) -> R) -> R {
        let mut locked = self.lock();
        let result = locked.report(event);
        locked.release();
        result
    }

    /// Reports one event; the actions are to be carried out later, by [`Core::wake`].
    pub fn report_first<R>(
        self: &Arc<Self>,
        event: impl FnOnce(&mut Scheduler<Work>, At) -> R,
    ) -> (R, Actions<Option<Arc<Answer>>>) {
        let mut locked = self.lock();
        let result = locked.report(event);
        (result, locked.unlock())
    }

    /// Takes the operation of a ticket out of the queue, if nobody has begun it.
    pub fn withdraw(self: &Arc<Self>, class: Class, number: u64) {
        // Dropped without the lock: the operation's key may go with it.
        if let Some(work) = self.report(|scheduler, at| scheduler.withdrawn(class, number, at)) {
            work.reply.withdraw();
        }
    }

    /// Wakes threads, as the scheduler asked for. Without its lock: the first thing a woken thread does is to take it.
    pub fn wake(&self, process: &Process, actions: Actions<Option<Arc<Answer>>>) {
        let mut wakes = Wakes::default();
        for caller in actions.candidates.into_iter().flatten() {
            caller.lead(&mut wakes);
        }
        wakes.wake_threads();
        if actions.all {
            return [&process.work, &process.room, &process.quiet].into_iter().for_each(Condvar::notify_all);
        }
        (0..actions.executors).for_each(|_| process.work.notify_one());
        if actions.room {
            process.room.notify_one();
        }
    }
}

impl<'a> Locked<'a> {
    /// Reports one event, starts the executors that it asks for, and notes figures.
    pub fn report<R>(&mut self, event: impl FnOnce(&mut Scheduler<Work>, At) -> R) -> R {
        let at = self.core.at();
        let result = event(&mut self.state.scheduler, at);
        // Under the lock: who waits for the executors' end is to find their handles.
        while let Some(pool) = self.state.scheduler.actions.starts.pop() {
            if self.start_executor().is_err() {
                self.state.scheduler.executor_failed(Some(pool), self.core.at());
            }
        }
        let (page, scheduler) = (&self.process.page, &self.state.scheduler);
        if !scheduler.is_quiet() {
            page.first_operation(self.core.slots as u64);
        }
        page.set(Counter::Queue, scheduler.waiting() as u64);
        page.at_least(Counter::QueueHighWater, scheduler.longest() as u64);
        page.set(Counter::BusyNanoseconds, scheduler.in_use(at.now));
        result
    }

    fn start_executor(&mut self) -> Result<()> {
        self.state.handles.push(executor::start(self.core)?);
        Ok(())
    }

    /// Gives the lock back. What the scheduler asks for is yet to be done, by [`Core::wake`].
    fn unlock(mut self) -> Actions<Option<Arc<Answer>>> {
        self.state.scheduler.take_actions()
    }

    /// Gives the lock back, and wakes whom the scheduler asks for.
    pub fn release(self) {
        let (core, process) = (self.core, self.process);
        let actions = self.unlock();
        core.wake(process, actions);
    }

    /// Queues an operation for executors, and starts one where there is none. With the operation, why it is refused; no error
    /// where the queue is full.
    #[expect(clippy::result_large_err, reason = "it hands the operation back")]
    pub fn queue(
        &mut self,
        mut work: Work,
        event: impl Fn(&mut Scheduler<Work>, Work, At) -> std::result::Result<u64, (Refusal, Work)>,
    ) -> std::result::Result<u64, (Option<Error>, Work)> {
        loop {
            let (refusal, back) = match self.report(|scheduler, at| event(scheduler, work, at)) {
                Ok(number) => return Ok(number),
                Err(refused) => refused,
            };
            work = back;
            match refusal {
                Refusal::Full => return Err((None, work)),
                Refusal::Closed => return Err((Some(Error::ShutDown), work)),
                Refusal::NoExecutor => {}
            }
            self.state.scheduler.executor_starts();
            if let Err(error) = self.start_executor() {
                self.report(|scheduler, at| scheduler.executor_failed(None, at));
                return Err((Some(error), work));
            }
        }
    }

    /// Waits until there may be room in the queue.
    pub fn wait_for_room(mut self) {
        if self.state.scheduler.is_full() {
            self.report(|scheduler, at| scheduler.waits_for_room(at));
            if self.state.scheduler.actions.is_empty() {
                self.state = wait(&self.process.room, self.state);
            }
            self.state.scheduler.sees_room();
        }
        self.release();
    }

    /// Waits on the executors' condition, unless there is something to be done first.
    pub fn wait_for_work(self) -> Option<Locked<'a>> {
        if !self.state.scheduler.actions.is_empty() {
            self.release();
            return None;
        }
        let Locked { core, process, state } = self;
        Some(Locked { core, process, state: wait(&process.work, state) })
    }

    /// Waits until the scheduler has come to rest; then joins the executors that have left.
    pub fn wait_until(mut self, rests: impl Fn(&Scheduler<Work>) -> bool) {
        while !rests(&self.state.scheduler) {
            self.state = wait(&self.process.quiet, self.state);
        }
        let handles = mem::take(&mut self.state.handles);
        self.release();
        handles.into_iter().for_each(Thread::join);
    }
}
