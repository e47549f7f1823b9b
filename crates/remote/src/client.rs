// SPDX-License-Identifier: Apache-2.0
//! Asks the daemon.
//!
//! A call takes a connection that no other call uses, or makes one: a program has as many connections as it has calls at once.
//! Requests are whole in themselves. If the daemon is gone, or goes while it has one, the call connects and sends again until
//! its patience is over: a daemon that is killed and started again loses nothing.

use crate::call::{Call, Event, Step};
use crate::error::Error;
use crate::idle::Idle;
use crate::message::{self, Buffer, KeyName, Packet, Request, Work};
use crate::socket::{Received, Socket};
use crate::watch::{Awaited, Watch};
use garner::environment;
use garner::fork::ForkLocal;
use garner::secret::Wiped;
use once_cell::race::OnceBox;
use rustix::event::PollFlags;
use rustix::io::Errno;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Where the daemon listens, unless `GARNER_SOCKET` says otherwise.
pub const SOCKET: &str = "/run/garnerd/socket";

/// How long a call goes on while nobody answers: time enough for a daemon to be started again.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// More than anybody waits: a year.
const LONGEST_PATIENCE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Asks the daemon at one socket. Used by any number of threads; a child made by `fork` uses connections of its own.
#[derive(Debug)]
pub struct Client {
    pub(crate) path: PathBuf,
    pub(crate) patience: Duration,
    pub(crate) next: AtomicU64,
    idle: ForkLocal<Mutex<Idle<Socket>>>,
    watch: Watch,
}

impl Client {
    /// A client of the daemon at this socket, which goes on for so long. Connects at the first call.
    pub fn new(path: impl Into<PathBuf>, patience: Duration) -> Client {
        Client { path: path.into(), patience, next: AtomicU64::new(1), idle: ForkLocal::new(), watch: Watch::default() }
    }

    /// A client of the daemon at `GARNER_SOCKET`, else at [`SOCKET`], which goes on for `GARNER_PATIENCE` seconds, else for
    /// [`PATIENCE`].
    pub fn from_environment() -> Client {
        let path = environment::variable("GARNER_SOCKET").map_or_else(|| SOCKET.into(), PathBuf::from);
        let seconds = environment::variable("GARNER_PATIENCE").and_then(|value| value.to_str()?.parse().ok());
        let patience = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(PATIENCE);
        // Clocks do not go on for ever.
        Client::new(path, patience.min(LONGEST_PATIENCE))
    }

    /// The process's client, [`from_environment`](Client::from_environment) at its first use. Children made by `fork` use it too.
    pub fn of_process() -> &'static Client {
        // Not a `OnceLock`: a fork while another thread is inside it would block the child for ever.
        static CLIENT: OnceBox<Client> = OnceBox::new();
        CLIENT.get_or_init(|| Box::new(Client::from_environment()))
    }

    /// Has the daemon do one piece of work, and waits for it.
    ///
    /// # Errors
    /// [`Error`]. [`Refusal::Failed`](message::Refusal::Failed) is tried again until the patience is over, for it may be a
    /// daemon that is ending; and so is [`Refusal::TooMany`](message::Refusal::TooMany), for a client may do more in a moment.
    pub fn call(&self, key: KeyName<'_>, work: Work<'_>) -> Result<Wiped<u8>, Error> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let awaited = Awaited::of(&work, key, id..id + 1);
        let packet =
            message::encode(&Request { id, key, work }).ok_or(Error::Unsupported("the request is too long"))?;
        let (start, mut call) = (Instant::now(), Call::new(id, self.path.clone(), self.patience));
        let deadline = start + self.patience;
        let mut buffer = Buffer::default();
        let (mut socket, mut step, mut is_next) = (None, Step::Connect { anew: false }, false);
        loop {
            let event = match step {
                Step::Connect { anew } => match self.connect(anew) {
                    Ok((connected, is_used)) => {
                        socket = Some(connected);
                        Event::Connected { is_used }
                    }
                    Err(error) => Event::Gone(error),
                },
                Step::Send => match send(socket.as_ref().expect("connected"), &packet, deadline) {
                    Ok(()) => Event::Sent,
                    Err(error) => match left_behind(socket.as_ref().expect("connected"), &mut buffer, error) {
                        Ok(length) => Event::Packet(buffer.packet(length)),
                        Err(error) => Event::Gone(error),
                    },
                },
                Step::Receive => {
                    let socket = socket.as_ref().expect("connected");
                    let received = self.receive(socket, &mut buffer, deadline, &awaited, is_next);
                    is_next = true;
                    match received {
                        Ok(length) => Event::Packet(buffer.packet(length)),
                        Err(error) => Event::Gone(error),
                    }
                }
                Step::Pause { time, keep } => {
                    self.release(socket.take(), keep);
                    thread::sleep(time);
                    Event::Rested
                }
                Step::End { result, keep } => {
                    self.release(socket, keep);
                    return result;
                }
            };
            step = call.after(event, start.elapsed());
        }
    }

    /// A connection on which nothing is under way, and whether a call has used it.
    pub(crate) fn connect(&self, anew: bool) -> Result<(Socket, bool), Errno> {
        let idle = if anew {
            self.idle().clear();
            None
        } else {
            self.idle().take(Instant::now())
        };
        match idle {
            Some(socket) => Ok((socket, true)),
            None => Ok((Socket::connect(&self.path)?, false)),
        }
    }

    /// Ends the connections on which nothing is under way.
    pub fn disconnect(&self) {
        self.idle().clear();
    }

    /// Ends those that nobody has used for a while, but for a few. Calls do so, too.
    pub(crate) fn end_unused(&self) {
        self.idle().end_unused(Instant::now());
    }

    /// Connections on which nothing is under way.
    fn idle(&self) -> MutexGuard<'_, Idle<Socket>> {
        self.idle.get().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a packet, right after what it answers was sent: how long it is. `is_next` says that it is not the first of the
    /// call.
    pub(crate) fn receive(
        &self,
        socket: &Socket,
        buffer: &mut Buffer,
        deadline: Instant,
        awaited: &Awaited,
        is_next: bool,
    ) -> Result<usize, Errno> {
        // What is there at the deadline is taken, but packets of others may come for ever.
        let sent = Instant::now();
        if is_next && sent > deadline {
            return Err(Errno::TIMEDOUT);
        }
        let seen = if is_next { Received::Nothing } else { self.watched(socket, buffer, awaited, sent) };
        let (received, watched) = match seen {
            Received::Nothing => (socket.receive_by(buffer, deadline), false),
            seen => (seen, true),
        };
        match received {
            Received::Packet(length) => {
                if !is_next && awaited.is_in(buffer.packet(length)) {
                    self.watch.answered(awaited, sent.elapsed(), watched);
                }
                Ok(length)
            }
            Received::Nothing => Err(Errno::TIMEDOUT),
            Received::End => Err(Errno::CONNRESET),
        }
    }

    /// Watches for a packet, if this call is to; [`Received::Nothing`] if none came.
    fn watched(&self, socket: &Socket, buffer: &mut Buffer, awaited: &Awaited, sent: Instant) -> Received {
        let Some(window) = self.watch.window(awaited) else { return Received::Nothing };
        if !window.start.is_zero() && socket.wait(PollFlags::IN, sent + window.start) != Ok(false) {
            return Received::Nothing; // it is there
        }
        loop {
            match socket.receive(buffer) {
                Received::Nothing => {}
                received => return received,
            }
            let start = Instant::now();
            thread::yield_now();
            if !Watch::goes_on(start.elapsed()) || start - sent > window.end {
                self.watch.in_vain();
                return Received::Nothing;
            }
        }
    }

    /// Keeps a connection for another call, or ends it.
    pub(crate) fn release(&self, socket: Option<Socket>, keep: bool) {
        if let Some(socket) = socket.filter(|_| keep) {
            self.idle().put(socket, Instant::now());
        }
    }
}

/// Sends a request.
pub(crate) fn send(socket: &Socket, packet: &Packet, deadline: Instant) -> Result<(), Errno> {
    while !socket.send(packet)? {
        wait(socket, PollFlags::OUT, deadline)?;
    }
    Ok(())
}

/// What the other side sent before it closed the connection, if that is the error and there is anything: how long it is. It may
/// have refused the connection.
pub(crate) fn left_behind(socket: &Socket, buffer: &mut Buffer, error: Errno) -> Result<usize, Errno> {
    match error {
        Errno::PIPE | Errno::CONNRESET => match socket.receive(buffer) {
            Received::Packet(length) => Ok(length),
            Received::Nothing | Received::End => Err(error),
        },
        _ => Err(error),
    }
}

pub(crate) fn wait(socket: &Socket, what: PollFlags, deadline: Instant) -> Result<(), Errno> {
    match socket.wait(what, deadline)? {
        true => Ok(()),
        false => Err(Errno::TIMEDOUT),
    }
}
