// SPDX-License-Identifier: Apache-2.0
//! What the threads of a gatherer share: how it was configured, and, of each process, the scheduler behind its lock with the
//! conditions to wait on. Plain data: `locked` reports events under that lock.

use super::answer::{Answer, Reply};
use super::config::Config;
use super::operation::Operation;
use super::route::Route;
use super::scheduler::{Item, Scheduler};
use super::threads::{Condvar, Mutex, Thread};
use crate::arithmetic::Arithmetic;
use crate::fork::ForkLocal;
use crate::stats::Page;
use std::sync::Arc;
use std::time::Instant;

/// A waiting operation, with the duty to answer it.
pub struct Work {
    pub operation: Operation,
    pub reply: Reply,
}

impl Item for Work {
    /// Nobody waits for one of a whole batch alone.
    type Caller = Option<Arc<Answer>>;

    fn caller(&self) -> Self::Caller {
        self.reply.waiter()
    }
}

/// What all threads share, and a forked child has too.
pub struct Core {
    pub arithmetic: Arc<dyn Arithmetic>,
    pub route: Arc<Route>,
    pub slots: usize,
    pub queue_limit: usize,
    /// Events are timed from here.
    pub start: Instant,
    process: ForkLocal<Process>,
}

impl Core {
    pub fn new(config: Config) -> Core {
        Core {
            route: Arc::new(Route::new(&config)),
            arithmetic: config.arithmetic,
            slots: config.slots.max(1),
            queue_limit: config.queue_limit.max(1),
            start: Instant::now(),
            process: ForkLocal::new(),
        }
    }

    pub fn process(&self) -> &Process {
        self.process
            .get_or_make(|| Process::new(Scheduler::new(self.slots, self.queue_limit, Arc::clone(&self.route) as _)))
    }
}

/// What each process has for itself.
pub struct Process {
    /// Taken by `locked` alone.
    pub state: Mutex<State>,
    /// There is work for an executor.
    pub work: Condvar,
    /// There is room in the queue again.
    pub room: Condvar,
    /// A batch ended or an executor left, while somebody may wait for that.
    pub quiet: Condvar,
    pub page: Page,
}

/// What is behind the lock.
pub struct State {
    pub scheduler: Scheduler<Work>,
    /// The executors that were started.
    pub handles: Vec<Thread>,
}

impl Process {
    fn new(scheduler: Scheduler<Work>) -> Process {
        let state = Mutex::new(State { scheduler, handles: Vec::new() });
        let [work, room, quiet] = [const { Condvar::new() }; 3];
        Process { state, work, room, quiet, page: Page::default() }
    }
}
