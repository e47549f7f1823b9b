// SPDX-License-Identifier: Apache-2.0
//! OpenSSL's asynchronous jobs: submit, pause, be resumed, take the answer.
//!
//! A job runs on a stack of its own (32 KiB, without a guard page). When it pauses, its stack is left alone; if its owner
//! gives it up, nothing on that stack is ever dropped. So everything that must be freed sits in a [`Station`], which
//! the job's wait context owns and frees by a callback.
//!
//! Each wait context gets one station with one event descriptor, made by its first operation, signalled whenever an
//! answer is there, and kept until the wait context is freed: event loops keep it registered, and its number cannot be
//! given to something else while they still ask for it. Where several jobs share a wait context, those that find the
//! station occupied make one for themselves alone.

use crate::Service;
use crate::outcome::{Failure, open};
use garner::encryption::Decryption;
use garner::fork;
use garner::gather::{Operation, Output, Ticket};
use garner_reserve::{OPERATION, Promise};
use rustix::event::{EventfdFlags, eventfd};
use std::ffi::{c_int, c_void};
use std::future::Future;
use std::os::fd::{AsRawFd, OwnedFd};
use std::pin::Pin;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

type Cleanup = unsafe extern "C" fn(*mut c_void, *const c_void, c_int, *mut c_void);
type Callback = unsafe extern "C" fn(*mut c_void) -> c_int;

unsafe extern "C" {
    fn ASYNC_get_current_job() -> *mut c_void;
    fn ASYNC_get_wait_ctx(job: *mut c_void) -> *mut c_void;
    fn ASYNC_pause_job() -> c_int;
    fn ASYNC_WAIT_CTX_set_wait_fd(
        context: *mut c_void,
        key: *const c_void,
        fd: c_int,
        custom: *mut c_void,
        cleanup: Cleanup,
    ) -> c_int;
    fn ASYNC_WAIT_CTX_get_fd(
        context: *mut c_void,
        key: *const c_void,
        fd: *mut c_int,
        custom: *mut *mut c_void,
    ) -> c_int;
    fn ASYNC_WAIT_CTX_clear_fd(context: *mut c_void, key: *const c_void) -> c_int;
    fn ASYNC_WAIT_CTX_get_callback(
        context: *mut c_void,
        callback: *mut Option<Callback>,
        argument: *mut *mut c_void,
    ) -> c_int;
}

/// The key under which a wait context finds its lasting station: an address nobody else has.
static KEY: u8 = 0;

/// The asynchronous job that the caller runs in.
pub struct Job {
    wait_context: *mut c_void,
}

impl Job {
    /// `None` outside of jobs.
    pub fn current() -> Option<Job> {
        // SAFETY: both may be called at any time; the second with a job that is running, as this one is.
        let wait_context = unsafe {
            let job = ASYNC_get_current_job();
            if job.is_null() {
                return None;
            }
            ASYNC_get_wait_ctx(job)
        };
        (!wait_context.is_null()).then_some(Job { wait_context })
    }

    fn pause(&self) {
        // SAFETY: we are inside a job, or libcrypto returns at once. No lock is held, and nothing on this stack needs to
        // be dropped: see `run`.
        unsafe { ASYNC_pause_job() };
    }
}

/// A program's function to be called, and its argument.
type Callee = (Callback, usize);

/// Wakes whoever drives a job: by its descriptor, and by the callback that the program may have asked for.
struct Bell {
    fd: OwnedFd,
    /// Locked while it is called, so that whoever changes it knows that the one before is not called any more.
    callback: Mutex<Option<Callee>>,
}

impl Bell {
    fn set_callback(&self, callback: Option<Callee>) {
        *self.callback.lock().unwrap_or_else(PoisonError::into_inner) = callback;
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        // It can fail only when the counter is full, and then the descriptor is readable.
        let _ = rustix::io::write(&self.fd, &1u64.to_ne_bytes());
        if let Some((callback, argument)) = *self.callback.lock().unwrap_or_else(PoisonError::into_inner) {
            // SAFETY: the program gave this function for this purpose; it is forgotten before the job goes on, and
            // before the wait context goes.
            unsafe { callback(ptr::with_exposed_provenance_mut(argument)) };
        }
    }
}

/// An operation under way.
struct Pending {
    ticket: Ticket,
    opening: Option<Decryption>,
    /// The memory that it may need where the system has none.
    _promise: Promise,
}

/// What a paused job needs when it is resumed, and what must be freed when it never is.
struct Station {
    bell: Arc<Bell>,
    /// The process that made it: a child made by `fork` shares the descriptor, and must not ring its parent's bell.
    generation: u64,
    lasting: bool,
    /// Whether a job paused with it: from then on its owner knows the descriptor.
    announced: bool,
    pending: Option<Pending>,
    answer: Option<Result<Output, Failure>>,
}

impl Station {
    fn key(&self) -> *const c_void {
        if self.lasting { (&raw const KEY).cast() } else { ptr::from_ref(self).cast() }
    }

    fn is_ours(&self) -> bool {
        self.generation == fork::generation()
    }

    fn free(&self) -> bool {
        self.pending.is_none() && self.answer.is_none()
    }

    /// Waits for the callback if it is being called, and has it called no more. A signal may still be to come when the
    /// answer is there: of a batch's jobs, the first may be resumed before the last is signalled.
    fn forget_callback(&self) {
        // In a child it may be locked by a thread that is not there; nobody rings a bell there that the parent made.
        if self.is_ours() {
            self.bell.set_callback(None);
        }
    }

    /// Whether the answer is there; if not, the bell will ring.
    fn ready(&mut self) -> bool {
        let Some(Pending { ticket, .. }) = &mut self.pending else { return true };
        let waker = Waker::from(Arc::clone(&self.bell));
        let Poll::Ready(answer) = Pin::new(ticket).poll(&mut Context::from_waker(&waker)) else { return false };
        let opening = self.pending.take().and_then(|pending| pending.opening);
        self.answer = Some(answer.and_then(|output| open(opening.as_ref(), output)).map_err(Failure::from));
        true
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        self.forget_callback();
    }
}

/// Called by libcrypto when a wait context is freed that still has a station.
unsafe extern "C" fn clean_up(_: *mut c_void, _: *const c_void, _: c_int, station: *mut c_void) {
    // SAFETY: `station` is what `set_up` leaked for this wait context, and this is the only place or `close` is, which
    // takes it off the wait context first.
    drop(unsafe { Box::from_raw(station.cast::<Station>()) });
}

/// A station for the next operation, that of the wait context if it is there and free.
fn set_up(job: &Job) -> Option<*mut Station> {
    let (mut callback, mut argument) = (None, ptr::null_mut::<c_void>());
    // SAFETY: the wait context is that of the running job; results are written to our locals.
    let asked = unsafe { ASYNC_WAIT_CTX_get_callback(job.wait_context, &mut callback, &mut argument) } == 1;
    let callback = callback.filter(|_| asked).map(|callback| (callback, argument.expose_provenance()));
    let (mut fd, mut found) = (0, ptr::null_mut());
    let key = (&raw const KEY).cast();
    // SAFETY: as above.
    let there = unsafe { ASYNC_WAIT_CTX_get_fd(job.wait_context, key, &mut fd, &mut found) } == 1;
    let mut lasting = true;
    if there {
        let station = found.cast::<Station>();
        // SAFETY: what lies under our key is a station of ours, and jobs of one wait context run in one thread.
        let state = unsafe { &*station };
        if state.is_ours() {
            if state.free() {
                state.bell.set_callback(callback);
                return Some(station);
            }
            lasting = false;
        } else {
            // The parent's: taken off this process's copy of the wait context and left to it.
            // SAFETY: as above.
            unsafe { ASYNC_WAIT_CTX_clear_fd(job.wait_context, key) };
        }
    }
    let fd = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).ok()?;
    let bell = Arc::new(Bell { fd, callback: Mutex::new(callback) });
    let number = bell.fd.as_raw_fd();
    let generation = fork::generation();
    let station = Box::new(Station { bell, generation, lasting, announced: false, pending: None, answer: None });
    let key = station.key();
    let station = Box::into_raw(station);
    // SAFETY: as above; the wait context owns the station from here on and frees it by `clean_up`.
    let set = unsafe { ASYNC_WAIT_CTX_set_wait_fd(job.wait_context, key, number, station.cast(), clean_up) } == 1;
    if !set {
        // SAFETY: nobody else has it.
        drop(unsafe { Box::from_raw(station) });
        return None;
    }
    Some(station)
}

/// Ends a station of a single operation, and one whose descriptor nobody knows of: HAProxy aborts when it finds one at the
/// end that no pause told it of. Others stay.
fn close(job: &Job, station: *mut Station) {
    // SAFETY: the caller has it from `set_up` and is the only one to use it.
    let state = unsafe { &*station };
    if state.lasting && state.announced {
        state.forget_callback();
        // So that the next wait waits. It fails when the signal is still to come, which only wakes somebody in vain. A child
        // would take the signal from its parent, whose counter it is.
        if state.is_ours() {
            let _ = rustix::io::read(&state.bell.fd, &mut [0; 8]);
        }
        return;
    }
    // SAFETY: taken off the wait context first, so that `clean_up` will not be called for it; then freed, once.
    unsafe {
        ASYNC_WAIT_CTX_clear_fd(job.wait_context, state.key());
        drop(Box::from_raw(station));
    }
}

/// As [`crate::run()`], inside a job.
pub fn run(service: &Service, job: &Job, operation: Operation, opening: Option<Decryption>) -> Result<Output, Failure> {
    let Some(_promise) = Promise::of(OPERATION) else { return Err(Failure::Unavailable) };
    let Some(station) = set_up(job) else { return Err(Failure::Unavailable) };
    match service.gatherer().submit(operation) {
        // SAFETY: the station is ours alone until it is closed; no reference to it is kept over a pause.
        Ok(ticket) => unsafe { (*station).pending = Some(Pending { ticket, opening, _promise }) },
        Err(error) => {
            close(job, station);
            return Err(error.into());
        }
    }
    let mut resumed = false;
    loop {
        // SAFETY: as above. The wait context frees the station only when it is freed itself, and then this job is
        // never resumed.
        let (ready, announced) = unsafe { ((*station).ready(), (*station).announced || !(*station).lasting) };
        if ready && announced {
            // SAFETY: as above.
            let answer = unsafe { (*station).answer.take() };
            close(job, station);
            return answer.unwrap_or(Err(Failure::Unavailable));
        }
        if resumed && !ready {
            // Where pausing is forbidden (`ASYNC_block_pause`) this is a loop that waits. Elsewhere the job was resumed
            // in vain; whoever resumes it for its answer must not lose the processor here.
            thread::yield_now();
        }
        // A descriptor that stays is made known by a pause, even if the answer is there already: HAProxy aborts when it
        // finds one at the end that no pause told it of.
        // SAFETY: as above.
        unsafe {
            (*station).announced = true;
            if ready {
                Arc::clone(&(*station).bell).wake();
            }
        }
        job.pause();
        resumed = true;
    }
}
