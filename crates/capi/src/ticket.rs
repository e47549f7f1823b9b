// SPDX-License-Identifier: Apache-2.0
//! Operations without waiting: submitted, and their answers taken through tickets.

use crate::call::{call, freeing, unit};
use crate::context::Context;
use crate::handles::{self, GarnerContext, Kind};
use crate::memory::{self, Output, Place};
use crate::operation::{GarnerOperation, Outcome, Prepared};
use crate::status::{Failure, Status};
use core_garner::{Error, fork, gather};
use garner_reserve::{OPERATION, Promise};
use std::ffi::{c_int, c_void};
use std::future::Future;
use std::os::fd::AsRawFd;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{self, Poll, Wake, Waker};

/// `garner_ticket *`
#[repr(C)]
pub struct GarnerTicket([u8; 0]);

impl Kind for GarnerTicket {
    type Target = Ticket;
    const NAME: &'static str = "ticket";
}

/// What a ticket's handle stands for. May be used from several threads: each answer reaches one of them.
pub struct Ticket {
    /// The process that submitted it. In another one `state` may be locked by a thread that is not there.
    generation: u64,
    outcome: Outcome,
    state: Mutex<State>,
    bell: Arc<Bell>,
}

/// Rings once, when the answer is there, for all threads that wait for it. Needs no descriptor, which there may be none of.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    changed: Condvar,
}

impl Bell {
    fn wait(&self) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        while !*rung {
            rung = self.changed.wait(rung).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *self.rung.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

struct State {
    ticket: gather::Ticket,
    /// The memory that the operation may need where the system has none, until its answer is there.
    promise: Option<Promise>,
    taken: bool,
}

impl Ticket {
    fn lock(&self) -> Result<MutexGuard<'_, State>, Failure> {
        if self.generation != fork::generation() {
            return Err(Error::Forked.into());
        }
        Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn descriptor(&self) -> Result<c_int, Failure> {
        Ok(self.lock()?.ticket.event_fd()?.as_raw_fd())
    }

    /// The answer; `None` before it is there.
    fn take(&self) -> Result<Option<gather::Output>, Failure> {
        let mut state = self.lock()?;
        if state.taken {
            return Err(Failure::argument("ticket", "its answer was taken already"));
        }
        let waker = Waker::from(Arc::clone(&self.bell));
        let Poll::Ready(answer) = Pin::new(&mut state.ticket).poll(&mut task::Context::from_waker(&waker)) else {
            return Ok(None);
        };
        state.taken = true;
        state.promise = None;
        drop(state);
        self.outcome.of(answer?).map(Some)
    }

    /// The answer. The lock is not held meanwhile, so that other threads may look too.
    fn wait(&self) -> Result<gather::Output, Failure> {
        loop {
            if let Some(answer) = self.take()? {
                return Ok(answer);
            }
            self.bell.wait();
        }
    }
}

/// The place for an answer; none at all will do for a verification.
///
/// # Safety
/// As `garner.h` says under "Memory", until the call ends.
unsafe fn place(ticket: &Ticket, output: *mut c_void, length: *mut usize) -> Result<Output, Failure> {
    let size = ticket.outcome.size();
    if matches!(ticket.outcome, Outcome::Judge(_)) && length.is_null() {
        return Ok(Output::none());
    }
    // SAFETY: as this function's.
    let place = unsafe { Output::new("output", output, length)? };
    place.fits(size)?;
    Ok(place)
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_submit(
    gatherer: *mut GarnerContext,
    operation: *const GarnerOperation,
    ticket: *mut *mut GarnerTicket,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; operands are copied before the handle is written.
        let (place, prepared) = unsafe { (Place::new("ticket", ticket)?, memory::structure(operation)?.prepare()?) };
        let Prepared { task, outcome } = prepared;
        let generation = fork::generation();
        let promise = Some(Promise::of(OPERATION).ok_or_else(Failure::memory)?);
        Context::check(gatherer)?;
        let ticket = task.submit(|| Context::get(gatherer))??;
        let state = Mutex::new(State { ticket, promise, taken: false });
        let bell = Arc::default();
        place.write(handles::insert(Arc::new(Ticket { generation, outcome, state, bell })));
        Ok(())
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_ticket_fd(ticket: *const GarnerTicket, descriptor: *mut c_int) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::new("descriptor", descriptor)? };
        place.write(handles::get(ticket)?.descriptor()?);
        Ok(())
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_ticket_take(
    ticket: *mut GarnerTicket,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    call(|| {
        let ticket = handles::get(ticket)?;
        // SAFETY: the caller's promise.
        let place = unsafe { place(&ticket, output, output_length)? };
        match ticket.take()? {
            None => Ok(Status::Pending),
            Some(answer) => place.write(&answer).map(|()| Status::Ok),
        }
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_ticket_wait(
    ticket: *mut GarnerTicket,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    unit(|| {
        let ticket = handles::get(ticket)?;
        // SAFETY: the caller's promise.
        let place = unsafe { place(&ticket, output, output_length)? };
        place.write(&ticket.wait()?)
    })
}

/// See `garner.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_ticket_free(ticket: *mut GarnerTicket) -> c_int {
    freeing(|| handles::remove(ticket).map(drop))
}
