// SPDX-License-Identifier: Apache-2.0
//! The gatherer: turns operations from many callers into batches for one device.
//!
//! Called by the front ends; calls `private_op` on full or waiting batches. Knows nothing of OpenSSL and nothing of limbs.
//!
//! *Natural batching*: nothing waits for a timer. A blocking caller takes a free slot, and with it whatever waits that
//! may share its batch; those that arrive meanwhile wait for the next. When a batch ends, a thread is assigned to the oldest
//! waiting operation: its caller, or, for a ticket, an executor thread. These decisions are the `scheduler`'s, a state machine
//! that a simulation checks; its page has the terms and the invariants.
//!
//! ```
//! use garner::gather::{Gatherer, Operation};
//! # use garner::keygen::{self, Options};
//! # use std::sync::Arc;
//! # let arithmetic = garner::arithmetic::best()?;
//! # let options = Options { below_fips: true, ..Options::default() };
//! # let key = Arc::new(keygen::generate_one(&*arithmetic, 1024, &options)?);
//!
//! let gatherer = Gatherer::global()?;
//! let ticket = gatherer.submit(Operation::private(&key, b"a number, big-endian")?)?;
//! let power = ticket.wait()?; // or poll its descriptor, or await it
//! let back = gatherer.run(Operation::public(key.public(), &power)?)?;
//! assert!(back.ends_with(b"a number, big-endian"));
//! # Ok::<(), garner::Error>(())
//! ```
//!
//! | file | subject |
//! |---|---|
//! | `config`, `named` | what a gatherer works with |
//! | `operation` | what a caller asks for |
//! | `class` | which operations may share a batch |
//! | `scheduler` | who leads, who is woken and who waits: events in, actions out |
//! | `callers` | what callers ask for, as events for the scheduler |
//! | `core` | what the threads of a gatherer share |
//! | `locked` | the lock around the scheduler, and its actions carried out |
//! | `candidate` | what a candidate does: yield, until there is a batch |
//! | `leader` | what a leader does with a batch: run it, give the slot back, answer |
//! | `executor` | the threads that run tickets |
//! | `answer`, `ticket` | how an answer reaches its caller |
//! | `sleep` | where blocked callers sleep, and how a batch's are woken |
//! | `threads` | locks, conditions and threads: the system's, or those of a test of interleavings (`schedules`) |
//! | `route`, `path` | which device a batch takes, by measured cost; health |
//! | `batch` | runs a batch, and again elsewhere what failed |
//!
//! **Failures.** A batch that fails as a whole (an error or a panic of the device) is run again on the next path, libcrypto
//! last; a result that fails its check is computed once more on another path. After
//! [`failures_allowed`](Config::failures_allowed) failed batches in a row, or [`faults_allowed`](Config::faults_allowed)
//! results that another path proved wrong, a device is taken out of service for the rest of the process.
//!
//! **Fork.** Queue, executors and figures belong to one process: a child made by `fork` finds them fresh and may use the
//! same gatherer at once, whatever the parent's threads were doing.

#![forbid(unsafe_code)]

mod answer;
mod batch;
mod callers;
mod candidate;
mod class;
mod config;
mod core;
mod executor;
mod leader;
mod locked;
mod named;
mod operation;
mod path;
mod route;
mod scheduler;
#[cfg(all(test, shuttle))]
mod schedules;
mod sleep;
mod threads;
mod ticket;

pub use config::Config;
pub use operation::{Operation, Output};
pub use ticket::{Promise, Ticket};

use crate::error::Result;
use crate::stats::Statistics;
use answer::Answers;
use core::Core;
use once_cell::race::OnceBox;
use std::fmt;
use std::sync::Arc;

/// Turns operations from many callers into batches. Shared by reference between threads, and usable at once in
/// a child made by `fork`.
pub struct Gatherer {
    core: Arc<Core>,
}

impl Gatherer {
    /// A gatherer of its own.
    pub fn new(config: Config) -> Gatherer {
        Gatherer { core: Arc::new(Core::new(config)) }
    }

    /// The gatherer of this process, made on first use and never dropped: of the processor alone, if no call of
    /// [`Gatherer::global_with`] came before.
    ///
    /// # Errors
    /// Those of [`Config::new`].
    pub fn global() -> Result<&'static Gatherer> {
        Gatherer::global_with(|| Config::new(&[]))
    }

    /// The same, made of this configuration if there is none yet. A program that wants other devices than the processor says
    /// so in its first line: `Gatherer::global_with(|| Config::new(&[&garner_device_cuda::Cuda]))?;`.
    ///
    /// # Errors
    /// Those of `config`.
    pub fn global_with(config: impl FnOnce() -> Result<Config>) -> Result<&'static Gatherer> {
        // Not a `OnceLock`: a fork while another thread is inside it would block the child for ever.
        static GLOBAL: OnceBox<Gatherer> = OnceBox::new();
        GLOBAL.get_or_try_init(|| Ok(Box::new(Gatherer::new(config()?))))
    }

    /// Runs one operation and waits for its answer. Waits for room first when the queue is at its limit.
    ///
    /// # Errors
    /// `Fault`, `Device`, `Random` or `Memory` of [`Error`](crate::Error) when it could not be done; `ShutDown`; `Forked` in a
    /// child that a waker or a signal's handler makes while this thread runs operations. One that a handler makes while it waits
    /// for another thread's answer waits for ever.
    pub fn run(&self, operation: Operation) -> Result<Output> {
        self.core.run(operation)
    }

    /// Queues one operation and returns at once; a thread of the gatherer runs it.
    ///
    /// # Errors
    /// `Full` of [`Error`](crate::Error) when the queue is at its limit; `ShutDown`; `Device`, or `Memory` for want of it, when
    /// there is no thread to run it and none can be started.
    pub fn submit(&self, operation: Operation) -> Result<Ticket> {
        self.core.submit(operation)
    }

    /// Runs any number of operations, on all slots, and returns their answers in the order given. The calling thread
    /// takes one of the slots itself, if one is free.
    ///
    /// Only enough of them wait at any time to keep the slots busy, so that other callers are not held up.
    ///
    /// Each has its own answer or error: those of [`Gatherer::run`] and [`Gatherer::submit`], but `Full`, for this waits for
    /// room; `ShutDown` also after [`Gatherer::retire`]. In a child that a waker or a signal's handler makes while this thread runs
    /// operations all are `Forked`; one made while it waits for other threads' answers waits for ever.
    pub fn run_batch(&self, operations: Vec<Operation>) -> Vec<Result<Output>> {
        let window = self.core.slots.saturating_mul(self.core.route.largest_batch()).saturating_mul(2).max(64);
        let count = operations.len();
        let answers = Arc::new(Answers::new(count));
        let mut operations = operations.into_iter().enumerate();
        let mut sent = 0;
        while sent < count {
            let next = (window / 2).min(count - sent);
            sent += next;
            let wanted = if sent == count { count } else { sent.saturating_sub(window / 2) };
            if let Err(error) = self.core.run_all(operations.by_ref().take(next), &answers, wanted) {
                // Not even those that are there: a thread that does not exist here may have their lock.
                return vec![Err(error); count];
            }
        }
        answers.take()
    }

    /// The figures since this gatherer was made in this process.
    pub fn statistics(&self) -> Statistics {
        // Of a batch under way the time that it has taken.
        self.core.report(|_, _| ());
        self.core.process().page.read()
    }

    /// Ends the executor threads, before the process ends: returns when no ticket waits and the threads have left (one that
    /// a caller took into its batch may still be answered); from inside a batch, at once. From then on
    /// [`Gatherer::submit`] and [`Gatherer::run_batch`] refuse by `Error::ShutDown`; callers of [`Gatherer::run`] are served
    /// on their own threads as ever.
    pub fn retire(&self) {
        self.core.retire();
    }

    /// Refuses everything from now on. Operations that wait get `Error::ShutDown`, those in a batch their answer;
    /// returns when none is left; from inside a batch, of any gatherer, in a waker or a device, at once.
    pub fn shutdown(&self) {
        self.core.shut_down();
    }
}

impl Drop for Gatherer {
    fn drop(&mut self) {
        self.shutdown();
    }
}

impl fmt::Debug for Gatherer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gatherer").field("slots", &self.core.slots).finish_non_exhaustive()
    }
}
