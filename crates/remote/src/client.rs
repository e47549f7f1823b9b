// SPDX-License-Identifier: Apache-2.0
//! Asks the daemon.
//!
//! A call takes a connection that no other call uses, or makes one: a program has as many connections as it has calls at once.
//! Requests are whole in themselves. If the daemon is gone, or goes while it has one, the call connects and sends again until
//! its patience is over: a daemon that is killed and started again loses nothing.

use crate::error::Error;
use crate::message::{self, KeyName, Packet, Refusal, Request, Response, VERSION, Work};
use crate::socket::{Received, Socket};
use garner::environment;
use garner::fork::ForkLocal;
use garner::secret::Wiped;
use rustix::event::PollFlags;
use rustix::io::Errno;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Where the daemon listens, unless `GARNER_SOCKET` says otherwise.
pub const SOCKET: &str = "/run/garnerd/socket";

/// How long a call goes on while nobody answers: time enough for a daemon to be started again.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Pauses between two tries to connect: the first, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(100));

/// Asks the daemon at one socket. Used by any number of threads; a child made by `fork` uses connections of its own.
#[derive(Debug)]
pub struct Client {
    path: PathBuf,
    patience: Duration,
    next: AtomicU64,
    idle: ForkLocal<Mutex<Vec<Socket>>>,
}

/// How one try ended without an answer.
enum Ended {
    /// The daemon is not there, or went.
    Gone(Errno),
    /// For good.
    Failed(Error),
}

impl Client {
    /// A client of the daemon at this socket, which goes on for so long. Connects at the first call.
    pub fn new(path: impl Into<PathBuf>, patience: Duration) -> Client {
        Client { path: path.into(), patience, next: AtomicU64::new(1), idle: ForkLocal::new() }
    }

    /// A client of the daemon at `GARNER_SOCKET`, else at [`SOCKET`], which goes on for `GARNER_PATIENCE` seconds, else for
    /// [`PATIENCE`].
    pub fn from_environment() -> Client {
        let path = environment::variable("GARNER_SOCKET").map_or_else(|| SOCKET.into(), PathBuf::from);
        let seconds = environment::variable("GARNER_PATIENCE").and_then(|value| value.to_str()?.parse().ok());
        let patience = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(PATIENCE);
        Client::new(path, patience)
    }

    /// Has the daemon do one piece of work, and waits for it.
    ///
    /// # Errors
    /// [`Error`]. [`Refusal::Failed`] is tried again until the patience is over, for it may be a daemon that is ending.
    pub fn call(&self, key: KeyName<'_>, work: Work<'_>) -> Result<Wiped<u8>, Error> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let packet =
            message::encode(&Request { id, key, work }).ok_or(Error::Unsupported("the request is too long"))?;
        let deadline = Instant::now() + self.patience;
        let mut pause = PAUSES.0;
        loop {
            let failure = match self.once(id, &packet, deadline) {
                Ok(answer) => return Ok(answer),
                Err(Ended::Gone(error)) => Error::Unreachable { path: self.path.clone(), reason: error.to_string() },
                Err(Ended::Failed(error @ Error::Refused(Refusal::Failed(_)))) => error,
                Err(Ended::Failed(error)) => return Err(error),
            };
            if Instant::now() + pause >= deadline {
                return Err(failure);
            }
            thread::sleep(pause);
            pause = (2 * pause).min(PAUSES.1);
        }
    }

    /// One try, on a connection of its own meanwhile.
    fn once(&self, id: u64, packet: &Packet, deadline: Instant) -> Result<Wiped<u8>, Ended> {
        let (socket, is_old) = match self.idle().pop() {
            Some(socket) => (socket, true),
            None => (Socket::connect(&self.path).map_err(Ended::Gone)?, false),
        };
        match exchange(&socket, id, packet, deadline) {
            Err(Ended::Gone(_)) if is_old => {
                // The daemon that this connection was with is gone, and so is it for all others of its time.
                self.idle().clear();
                let socket = Socket::connect(&self.path).map_err(Ended::Gone)?;
                self.kept(exchange(&socket, id, packet, deadline), socket)
            }
            ended => self.kept(ended, socket),
        }
    }

    /// Connections on which nothing is under way.
    fn idle(&self) -> MutexGuard<'_, Vec<Socket>> {
        self.idle.get().lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a connection on which nothing is under way.
    fn kept(&self, ended: Result<Wiped<u8>, Ended>, socket: Socket) -> Result<Wiped<u8>, Ended> {
        if matches!(ended, Ok(_) | Err(Ended::Failed(Error::Refused(_)))) {
            self.idle().push(socket);
        }
        ended
    }
}

/// Sends a request and waits for its answer.
fn exchange(socket: &Socket, id: u64, packet: &Packet, deadline: Instant) -> Result<Wiped<u8>, Ended> {
    while !socket.send(packet).map_err(Ended::Gone)? {
        wait(socket, PollFlags::OUT, deadline)?;
    }
    let mut buffer = Zeroizing::new([0; message::LONGEST]);
    loop {
        match socket.receive(&mut buffer) {
            Received::Packet(length) => return answer(&buffer[..length], id).map_err(Ended::Failed),
            Received::Nothing => wait(socket, PollFlags::IN, deadline)?,
            Received::End => return Err(Ended::Gone(Errno::CONNRESET)),
        }
    }
}

fn wait(socket: &Socket, what: PollFlags, deadline: Instant) -> Result<(), Ended> {
    match socket.wait(what, deadline) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Ended::Gone(Errno::TIMEDOUT)),
        Err(error) => Err(Ended::Gone(error)),
    }
}

/// The answer in a packet.
fn answer(packet: &[u8], id: u64) -> Result<Wiped<u8>, Error> {
    match message::decode::<Response<'_>>(packet) {
        Ok(Response { id: of, answer: Ok(bytes) }) if of == id => Ok(Wiped::from(bytes.to_vec())),
        // What could not be read has no number.
        Ok(Response { id: of, answer: Err(refusal) }) if of == id || of == 0 => Err(Error::Refused(refusal)),
        Err(Refusal::Version(_)) if packet[0] != VERSION => Err(Error::Refused(Refusal::Version(packet[0]))),
        _ => Err(Error::Malformed),
    }
}
