// SPDX-License-Identifier: Apache-2.0
//! Answers on the way to an event loop: one descriptor for all that a loop waits for.
//!
//! `garner._asyncio` has one mailbox for each loop. Threads of the gatherer's put the numbers of finished operations into it
//! and make its descriptor readable, once for as many as come before the loop looks; the loop then takes the answers. So no
//! operation needs a thread or a descriptor of its own.

use crate::errors;
use crate::gatherer::gatherer;
use crate::operation::{Outcome, Prepared};
use garner::error::{Error, Result};
use garner::fork;
use garner::gather::{Output, Ticket};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use rustix::event::{EventfdFlags, eventfd};
use std::collections::HashMap;
use std::future::Future;
use std::os::fd::{AsRawFd, OwnedFd};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

/// An operation that is to be submitted, once.
#[pyclass(module = "garner._native", frozen)]
pub struct Pending {
    prepared: Mutex<Option<Prepared>>,
}

impl Pending {
    /// Of what is prepared.
    pub fn new(prepared: Prepared) -> Pending {
        Pending { prepared: Mutex::new(Some(prepared)) }
    }
}

/// Hands an operation to the running event loop's mailbox: the future that `garner._asyncio` makes of it.
pub fn start(py: Python<'_>, pending: Pending) -> PyResult<Bound<'_, PyAny>> {
    static START: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    START.import(py, "garner._asyncio", "start")?.call1((pending,))
}

/// An operation whose answer is not taken yet.
enum UnderWay {
    Waiting(Ticket),
    /// It was there at once.
    There(Result<Output>),
}

/// What threads of the gatherer's reach. They hold the lock for a push.
struct Arrivals {
    numbers: Mutex<Vec<u64>>,
    event: OwnedFd,
}

impl Arrivals {
    fn add(&self, number: u64) {
        let mut numbers = lock(&self.numbers);
        numbers.push(number);
        let first = numbers.len() == 1;
        drop(numbers);
        if first {
            // It can fail only when the counter is full, and then it is readable.
            let _ = rustix::io::write(&self.event, &1u64.to_ne_bytes());
        }
    }
}

/// Says that one operation has ended.
struct Bell {
    number: u64,
    arrivals: Arc<Arrivals>,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.arrivals.add(self.number);
    }
}

/// See `_native.pyi`.
#[pyclass(module = "garner._native", frozen)]
pub struct Mailbox {
    /// The process that made it: in a child of `fork`, a thread that is not there may hold the lock of `arrivals`, and the
    /// descriptor is the parent's too.
    generation: u64,
    arrivals: Arc<Arrivals>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    last: u64,
    under_way: HashMap<u64, (UnderWay, Outcome)>,
}

impl Mailbox {
    fn remove(&self, number: u64) -> Option<(UnderWay, Outcome)> {
        lock(&self.state).under_way.remove(&number)
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        if self.generation == fork::generation() { Ok(()) } else { Err(errors::raised(py, &Error::Forked)) }
    }
}

#[pymethods]
impl Mailbox {
    #[new]
    fn new() -> PyResult<Mailbox> {
        let event = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| PyOSError::new_err((error.raw_os_error(), error.to_string())))?;
        let arrivals = Arc::new(Arrivals { numbers: Mutex::default(), event });
        Ok(Mailbox { generation: fork::generation(), arrivals, state: Mutex::default() })
    }

    fn fileno(&self) -> i32 {
        self.arrivals.event.as_raw_fd()
    }

    /// Queues an operation: its number.
    fn submit(&self, py: Python<'_>, pending: &Pending) -> PyResult<u64> {
        self.check(py)?;
        let Some(Prepared { task, outcome }) = lock(&pending.prepared).take() else {
            return Err(PyRuntimeError::new_err("the operation was submitted already"));
        };
        let submitted = py.detach(|| task.submit(gatherer)?);
        let mut ticket = submitted.map_err(|error| errors::raised(py, &error))?;
        let mut state = lock(&self.state);
        state.last += 1;
        let number = state.last;
        let waker = Waker::from(Arc::new(Bell { number, arrivals: Arc::clone(&self.arrivals) }));
        let under_way = match Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)) {
            Poll::Pending => UnderWay::Waiting(ticket),
            Poll::Ready(answer) => {
                self.arrivals.add(number);
                UnderWay::There(answer)
            }
        };
        state.under_way.insert(number, (under_way, outcome));
        Ok(number)
    }

    /// The answers that have come since the last call: number, and the answer or the exception to raise for it.
    fn take<'py>(&self, py: Python<'py>) -> PyResult<Vec<(u64, bool, Bound<'py, PyAny>)>> {
        self.check(py)?;
        // Before the numbers are taken: what comes after them makes it readable again.
        let _ = rustix::io::read(&self.arrivals.event, &mut [0; 8]);
        let numbers = std::mem::take(&mut *lock(&self.arrivals.numbers));
        let mut answers = Vec::with_capacity(numbers.len());
        for number in numbers {
            // Nobody wants the answer of one that is not there. The lock is not held while Python makes objects.
            let Some((under_way, outcome)) = self.remove(number) else { continue };
            let answer = match under_way {
                UnderWay::There(answer) => answer,
                UnderWay::Waiting(mut ticket) => {
                    let Some(answer) = ticket.try_take() else { continue };
                    answer
                }
            };
            answers.push(match outcome.answer(py, answer) {
                Ok(answer) => (number, true, answer),
                Err(error) => (number, false, error.into_value(py).into_bound(py).into_any()),
            });
        }
        Ok(answers)
    }

    /// Takes an operation out of the queue, if it has not begun; nobody will have its answer.
    fn forget(&self, py: Python<'_>, number: u64) {
        let forgotten = self.remove(number);
        py.detach(|| drop(forgotten));
    }

    /// Operations whose answers are not taken yet.
    fn __len__(&self) -> usize {
        lock(&self.state).under_way.len()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
