// SPDX-License-Identifier: Apache-2.0
//! The gatherer's inside, shared by callers and executors: who gets the next slot.
//!
//! The rule: where a slot is free, somebody is on the way to each operation that waits, or takes it with others (but to
//! those whose callers run a batch of older ones first): whoever ends a batch, or leaves work behind, calls the caller of
//! the oldest, if one is blocked on it, else an executor. Among callers a slot is taken by who is there first with a batch,
//! and not before: who was called may have to wait for a processor, and others that have one need not wait for it. An
//! executor's slot is kept for it: tickets have nobody else. To a processor that computes a batch of this pool, or has
//! somebody on the way to one, no other caller brings a batch: it would wait there while another processor is idle. Its
//! operation waits for a caller elsewhere or for the end of a batch.

use super::answer::{Answer, Answers, Reply, Woken};
use super::class::{Class, Pool};
use super::config::Config;
use super::operation::{Operation, Output};
use super::pool::{Caller, Entry, PoolState};
use super::queue::Queue;
use super::route::Route;
use super::sleep::Wakes;
use super::ticket::Ticket;
use super::{executor, leader};
use crate::arithmetic::Arithmetic;
use crate::error::{Error, Result};
use crate::fork::ForkLocal;
use crate::stats::{Counter, Page};
use crate::sync::{lock, wait};
use crate::thread::Thread;
use rustix::thread::sched_getcpu;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

/// What all threads share, and a forked child has too.
pub struct Core {
    pub arithmetic: Arc<dyn Arithmetic>,
    pub route: Route,
    pub slots: usize,
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
        let caller = loop {
            if queue.closed {
                return Err(Error::ShutDown);
            }
            let state = queue.pool(class.pool());
            let may_lead = self.may_lead(state, class);
            if may_lead && !self.is_full(state, class) {
                return leader::lead(self, process, class, operation, queue);
            }
            if queue.len() < self.queue_limit {
                break if may_lead {
                    Caller::Helps
                } else if self.may_gather(queue.pool(class.pool()), class) {
                    Caller::Comes
                } else {
                    Caller::Sleeps
                };
            }
            queue = self.wait_for_room(process, queue);
        };
        let answer = Arc::new(Answer::new());
        let number = queue.push(class, operation, Reply::to(&answer), caller);
        process.note_length(&queue);
        self.tell_of_room(process, &queue);
        match caller {
            Caller::Helps => {
                if !leader::help(self, process, class, number, queue) {
                    return answer.try_take().unwrap_or(Err(Error::Forked));
                }
            }
            Caller::Comes => leader::come(self, process, class, number, queue),
            Caller::Sleeps | Caller::Ticket => {
                // Somebody on another processor, since this one is not to be used.
                let called = self.dispatch(&mut queue, class.pool(), false);
                drop(queue);
                called.wake(process);
            }
        }
        loop {
            match answer.wait() {
                Woken::Done(answer) => return answer,
                Woken::Lead => leader::come(self, process, class, number, lock(&process.queue)),
            }
        }
    }

    /// Queues one operation for an executor; refuses when the queue is at its limit.
    pub fn submit(self: &Arc<Self>, operation: Operation) -> Result<Ticket> {
        let class = self.route.class(&operation);
        let process = self.process();
        let mut queue = lock(&process.queue);
        if !queue.closed && !queue.retired && queue.len() >= self.queue_limit {
            return Err(Error::Full(self.queue_limit));
        }
        self.ready(&mut queue)?;
        let answer = Arc::new(Answer::new());
        let number = queue.push(class, operation, Reply::to(&answer), Caller::Ticket);
        process.note_length(&queue);
        self.tell_of_room(process, &queue);
        let called = self.dispatch(&mut queue, class.pool(), false);
        drop(queue);
        called.wake(process);
        Ok(Ticket::new(answer, self, class, number))
    }

    /// Takes the operation of a ticket out of the queue, if nobody has begun it. Whoever is on the way to it finds others, or
    /// nothing.
    pub fn withdraw(&self, class: Class, number: u64) {
        let process = self.process();
        let mut queue = lock(&process.queue);
        let Some(entry) = queue.pool(class.pool()).take_one(class, number) else { return };
        process.note_length(&queue);
        self.tell_of_room(process, &queue);
        if queue.retired {
            // Executors may have nothing left to wait for, and no batch may end that tells them.
            process.work.notify_all();
        }
        drop(queue);
        // Without the lock: the operation's key may go with it.
        entry.reply.withdraw();
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
                let called = self.dispatch_all(&mut queue);
                if called.is_empty() {
                    queue = self.wait_for_room(process, queue);
                } else {
                    drop(queue);
                    called.wake(process);
                    queue = lock(&process.queue);
                }
            }
            let reply = Reply::one_of(answers, index);
            match self.ready(&mut queue) {
                Ok(()) => {
                    queue.push(class, operation, reply, Caller::Ticket);
                }
                Err(error) => reply.answer(Err(error), &mut Wakes::default()),
            }
        }
        process.note_length(&queue);
        self.tell_of_room(process, &queue);
        let lent = Pool::ALL.into_iter().find(|&pool| self.gather_in_free_slot(&mut queue, pool));
        let called = self.dispatch_all(&mut queue);
        drop(queue);
        called.wake(process);
        if let Some(pool) = lent {
            executor::lend(self, process, pool, || answers.done() >= wanted);
        }
        answers.wait_for(wanted);
    }

    /// Whether operations are taken, and there is an executor to run them.
    fn ready(self: &Arc<Self>, queue: &mut Queue) -> Result<()> {
        if queue.closed || queue.retired {
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

    /// Calls those who are to take free slots, for the oldest waiting operations. They are woken by [`Called::wake`], without
    /// the lock: the first thing a woken thread does is to take it.
    ///
    /// Who ends a batch calls `anywhere`: with its processor there is one more, and systems may move there who sleeps on one
    /// that is awaited. Else whoever was called there would find it taken.
    pub fn dispatch(self: &Arc<Self>, queue: &mut Queue, pool: Pool, anywhere: bool) -> Called {
        let mut called = Called::default();
        loop {
            let state = queue.pool(pool);
            if state.waiting == 0 || !self.free(state) {
                return called;
            }
            let Some((mut class, blocked)) = state.oldest(anywhere) else { return called };
            if !blocked {
                // One executor on its way is enough for one batch; the rest of the batch may still be coming.
                if state.waiting <= state.gathering * self.route.limit(class) {
                    return called;
                }
                if executor::rouse(self, queue, pool) {
                    called.executors += 1;
                    queue.pool(pool).gathering += 1;
                    continue;
                }
                // The first executor that ends its batch sees to the tickets.
                let Some(other) = queue.pool(pool).oldest_blocked(anywhere) else { return called };
                class = other;
            }
            let leader = queue.pool(pool).call(class, self.route.least_limit(class), sched_getcpu(), anywhere);
            called.leaders.extend(leader);
        }
    }

    /// [`Core::dispatch`] for both pools.
    fn dispatch_all(self: &Arc<Self>, queue: &mut Queue) -> Called {
        let mut called = self.dispatch(queue, Pool::Long, false);
        called.append(self.dispatch(queue, Pool::Short, false));
        called
    }

    /// Whether the oldest operation is a ticket and a slot free for it; then the calling thread is on the way to it.
    pub fn gather_in_free_slot(&self, queue: &mut Queue, pool: Pool) -> bool {
        let state = queue.pool(pool);
        let free = self.free(state) && matches!(state.oldest(true), Some((_, false)));
        if free {
            state.gathering += 1;
        }
        free
    }

    /// Counts the end of a batch.
    pub fn end(&self, process: &Process, queue: &mut Queue, pool: Pool, brief: bool, processor: Option<usize>) {
        process.note_busy(queue.end(self.slots, pool, brief, processor));
        if queue.closed {
            process.quiet.notify_all();
        }
        if queue.retired {
            // Executors may have nothing left to wait for.
            process.work.notify_all();
        }
    }

    /// Whether there is a slot that nobody is on the way to take.
    fn free(&self, state: &PoolState) -> bool {
        state.running + state.on_the_way() < self.slots
    }

    /// Whether there is a slot for a caller's batch on this processor: one that no executor is on the way to.
    pub fn may_begin(&self, state: &PoolState, processor: usize) -> bool {
        state.running + state.gathering < self.slots && !state.occupied(processor)
    }

    /// Slots that are left to callers once one more batch runs.
    pub fn room(&self, state: &PoolState) -> usize {
        self.slots.saturating_sub(state.running + state.gathering + 1)
    }

    /// Whether an operation of `class` need not leave the slot to an older one of another class, whose caller is on the way.
    pub fn in_turn(&self, state: &PoolState, class: Class, number: u64) -> bool {
        self.room(state) > 0 || !state.older_comes(class, number)
    }

    /// Whether the calling thread may gather company for a batch of its own: nobody else does so on this processor.
    fn may_gather(&self, state: &PoolState, class: Class) -> bool {
        let here = sched_getcpu();
        self.may_begin(state, here) && !state.awaited(here) && self.in_turn(state, class, u64::MAX)
    }

    /// Whether the calling thread may lead a batch at once with an operation of `class`, its own: there is enough company,
    /// or it is brief. Brief ones need no slot: those that wait for one would for as long as such callers come.
    fn may_lead(&self, state: &PoolState, class: Class) -> bool {
        let enough = || leader::enough(self, state, class, self.available(state, class, Own::Apart));
        class.brief() || self.may_gather(state, class) && enough()
    }

    /// Whether those that wait fill a batch, which one that comes later is not to pass: it helps them, and waits in its turn.
    fn is_full(&self, state: &PoolState, class: Class) -> bool {
        !class.brief() && state.in_line(class) >= self.route.limit(class)
    }

    /// How many operations there are for a leader's batch, with its own: it leaves slots to others on the way to lead,
    /// unless its batch is full with them.
    pub fn available(&self, state: &PoolState, class: Class, own: Own) -> usize {
        let all = state.in_line(class) + usize::from(own == Own::Apart);
        let others_coming = state.coming(class) - usize::from(own == Own::InLine);
        if others_coming == 0 || all >= self.route.limit(class) {
            return all;
        }
        // Who is gathering is counted already.
        let begins = usize::from(own != Own::Gathering);
        let room = self.slots.saturating_sub(state.running + state.gathering + begins);
        all - room.min(others_coming)
    }

    /// Takes up to `count` operations out of the queue, see [`PoolState::take`].
    pub fn take(&self, process: &Process, queue: &mut Queue, class: Class, count: usize, room: usize) -> Vec<Entry> {
        let taken = queue.pool(class.pool()).take(class, count, room);
        process.note_length(queue);
        self.tell_of_room(process, queue);
        taken
    }

    /// Refuses tickets that come, and returns when those that wait are answered and the executors have left. Callers go on.
    ///
    /// From inside a batch it returns at once, as [`Core::shut_down`].
    pub fn retire(&self) {
        let process = self.process();
        let mut queue = lock(&process.queue);
        queue.retired = true;
        process.work.notify_all();
        if !leader::inside() {
            self.wait_for_executors(process, queue);
        }
    }

    /// Returns when all executors have left and their threads have ended.
    fn wait_for_executors(&self, process: &Process, mut queue: MutexGuard<'_, Queue>) {
        while queue.executors.threads > 0 {
            queue = wait(&process.quiet, queue);
        }
        let handles = std::mem::take(&mut queue.executors.handles);
        drop(queue);
        handles.into_iter().for_each(Thread::join);
    }

    /// Refuses what comes and what waits, and returns when nothing runs any more.
    ///
    /// From inside a batch, in a waker or a device, it returns at once: waiting for that batch would never end.
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
        while queue.under_way() + queue.answering > 0 {
            queue = wait(&process.quiet, queue);
        }
        self.wait_for_executors(process, queue);
    }
}

/// Where the own operation of a thread that runs a batch is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Own {
    /// It has none in this batch, as executors and helpers.
    Nowhere,
    /// Likewise, and it is on the way to the batch.
    Gathering,
    /// In line, and its caller on the way to lead.
    InLine,
    /// Apart from the line, or taken out of it.
    Apart,
}

/// Who was called to take a batch, and has yet to be woken.
#[derive(Default)]
#[must_use = "who was called sleeps until woken"]
pub struct Called {
    leaders: Vec<Arc<Answer>>,
    executors: usize,
}

impl Called {
    pub fn is_empty(&self) -> bool {
        self.leaders.is_empty() && self.executors == 0
    }

    pub fn append(&mut self, mut other: Called) {
        self.leaders.append(&mut other.leaders);
        self.executors += other.executors;
    }

    /// Wakes them. To be called without the queue's lock.
    pub fn wake(self, process: &Process) {
        let mut wakes = Wakes::default();
        for leader in self.leaders {
            leader.lead(&mut wakes);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::libcrypto::Libcrypto;
    use crate::arithmetic::{Modulus, Power};
    use crate::device::{Cpu, Device, DeviceError, Limits};
    use rustix::thread::{CpuSet, sched_setaffinity};
    use std::sync::mpsc;
    use std::task::{Wake, Waker};
    use std::thread;

    /// libcrypto, wanting four at once.
    struct Four(Cpu);

    impl Device for Four {
        fn name(&self) -> &str {
            "four"
        }

        fn limits(&self) -> Limits {
            self.0.limits()
        }

        fn preferred_batch(&self) -> usize {
            4
        }

        fn is_on_host(&self) -> bool {
            true
        }

        fn exponentiate(&self, jobs: &mut [Power<'_>]) -> std::result::Result<(), DeviceError> {
            self.0.exponentiate(jobs)
        }
    }

    fn core(slots: usize) -> Arc<Core> {
        let device = Four(Cpu::new(Arc::new(Libcrypto)));
        let mut config = Config::with(Arc::new(Libcrypto), vec![Arc::new(device)]);
        config.slots = slots;
        Arc::new(Core::new(config))
    }

    /// 2^3 modulo a number of so many words.
    fn operation(words: usize) -> Operation {
        Operation::exponentiation(&Arc::new(Modulus::new(&vec![0xfff1; words]).unwrap()), &[2], &[3]).unwrap()
    }

    /// Blocked callers that wait, and never come when called.
    fn callers(core: &Core, queue: &mut Queue, words: usize, count: usize) -> (Class, Vec<Arc<Answer>>) {
        let class = core.route.class(&operation(words));
        let answers: Vec<_> = (0..count).map(|_| Arc::new(Answer::new())).collect();
        for answer in &answers {
            queue.push(class, operation(words), Reply::to(answer), Caller::Sleeps);
        }
        (class, answers)
    }

    /// Stays on this processor from now on.
    fn stay() -> usize {
        let (here, mut only) = (sched_getcpu(), CpuSet::new());
        only.set(here);
        sched_setaffinity(None, &only).unwrap();
        here
    }

    #[test]
    fn who_was_called_is_taken_along_where_there_is_no_slot_for_it() {
        let here = stay();
        let core = core(1);
        let process = core.process();
        let mut queue = lock(&process.queue);
        let (class, answers) = callers(&core, &mut queue, 1, 2);
        let called = core.dispatch(&mut queue, class.pool(), false);
        // On another processor, from which it is slow to come.
        let state = queue.pool(class.pool());
        assert!(state.came(class, 0, here + 1));
        assert!(state.call(class, 1, here + 1, false).is_some() && !state.awaited(here));
        assert_eq!(core.available(state, class, Own::Apart), 3);
        drop(queue);
        let result = core.run(operation(1)).unwrap();
        for answer in answers {
            assert_eq!(*answer.try_take().expect("it was in the batch").unwrap(), *result);
        }
        called.wake(process);
    }

    #[test]
    fn full_batch_of_older_ones_is_run_before_the_own_operation() {
        let here = stay();
        let core = core(1);
        let process = core.process();
        let mut queue = lock(&process.queue);
        let (class, answers) = callers(&core, &mut queue, 1, 4);
        let state = queue.pool(class.pool());
        assert!(state.came(class, 0, here + 1) && state.call(class, 1, here + 1, false).is_some());
        drop(queue);
        let result = core.run(operation(1)).unwrap();
        for answer in answers {
            assert_eq!(*answer.try_take().expect("it was in the batch").unwrap(), *result);
        }
        let mut queue = lock(&process.queue);
        let state = queue.pool(class.pool());
        assert_eq!((state.begun, state.running, state.on_the_way(), state.waiting), (2, 0, 0, 0));
        assert_eq!(queue.answering, 0);
    }

    #[test]
    fn nobody_waits_for_a_helper_that_wakes_others() {
        struct Waits(Arc<Core>);
        impl Wake for Waits {
            fn wake(self: Arc<Self>) {
                let _ = self.0.submit(operation(1)).unwrap().wait();
            }
        }
        let here = stay();
        let core = core(1);
        let mut queue = lock(&core.process().queue);
        let (class, _answers) = callers(&core, &mut queue, 1, 3);
        let state = queue.pool(class.pool());
        assert!(state.came(class, 0, here + 1) && state.call(class, 1, here + 1, false).is_some());
        let ticket = Arc::new(Answer::new());
        queue.push(class, operation(1), Reply::to(&ticket), Caller::Ticket);
        drop(queue);
        assert!(ticket.poll(&Waker::from(Arc::new(Waits(Arc::clone(&core))))).is_pending());
        let (done, receiver) = mpsc::channel();
        let helper = Arc::clone(&core);
        thread::spawn(move || done.send(helper.run(operation(1)).map(|_| ())));
        assert!(receiver.recv_timeout(Duration::from_secs(60)).expect("the waker waits for its helper").is_ok());
    }

    #[test]
    fn callers_wait_for_who_was_called_to_their_processor_and_leave_it_the_last_slot() {
        let here = stay();
        let core = core(2);
        let process = core.process();
        let mut queue = lock(&process.queue);
        let (class, _answers) = callers(&core, &mut queue, 1, 2);
        assert!(core.may_gather(queue.pool(class.pool()), class));
        let called = core.dispatch(&mut queue, class.pool(), true);
        assert_eq!(called.leaders.len(), 2);
        let state = queue.pool(class.pool());
        assert!(!core.may_gather(state, class) && !core.may_lead(state, class) && core.may_begin(state, here));
        let available = [Own::Nowhere, Own::InLine, Own::Apart].map(|own| core.available(state, class, own));
        assert_eq!(available, [1, 1, 2], "one of the two, or the other one, is to lead");

        let other = core.route.class(&operation(8));
        assert!(other != class && core.in_turn(state, other, u64::MAX));
        state.begin(None);
        assert!(!core.in_turn(state, other, u64::MAX) && core.in_turn(state, class, u64::MAX), "the last slot");
        state.end(None);
        state.drain();
        called.wake(process);
    }

    #[test]
    fn no_second_batch_begins_on_a_processor_that_computes_one() {
        let here = stay();
        let core = core(2);
        let mut queue = lock(&core.process().queue);
        let class = core.route.class(&operation(1));
        assert!(core.may_lead(queue.pool(class.pool()), class));
        queue.pool(class.pool()).begin(Some(here));
        let (_, _answers) = callers(&core, &mut queue, 1, 4);
        let state = queue.pool(class.pool());
        assert!(!core.may_lead(state, class) && !core.may_gather(state, class) && !core.may_begin(state, here));
        assert!(core.may_begin(state, here + 1), "there is a slot");
        state.end(Some(here));
        assert!(core.may_lead(state, class));
        state.drain();
    }

    #[test]
    fn callers_are_called_where_all_executors_are_busy() {
        let core = core(2);
        let mut queue = lock(&core.process().queue);
        queue.executors.threads = 3;
        let ticket = Arc::new(Answer::new());
        let class = core.route.class(&operation(1));
        queue.push(class, operation(1), Reply::to(&ticket), Caller::Ticket);
        let (_, _answers) = callers(&core, &mut queue, 8, 1);
        let called = core.dispatch(&mut queue, class.pool(), true);
        assert_eq!((called.leaders.len(), called.executors), (1, 0));
        queue.pool(class.pool()).drain();
        called.wake(core.process());
    }

    #[test]
    fn slot_of_an_executor_on_its_way_is_left_to_it() {
        let core = core(1);
        let mut queue = lock(&core.process().queue);
        let class = core.route.class(&operation(1));
        let answer = Arc::new(Answer::new());
        queue.push(class, operation(1), Reply::to(&answer), Caller::Ticket);
        assert!(core.gather_in_free_slot(&mut queue, class.pool()));
        let state = queue.pool(class.pool());
        assert!(!core.may_gather(state, class) && !core.may_lead(state, class));
        state.gathering = 0;
        state.drain();
    }
}
