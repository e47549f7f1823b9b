// SPDX-License-Identifier: Apache-2.0
//! One connection: who is at its other end, and what it still waits for.

use crate::lent::OfConnection;
use crate::policy::Peer;
use crate::turns::Turn;
use garner_remote::message::{Response, encode};
use garner_remote::socket::Socket;
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};
use std::collections::HashSet;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A connection.
#[derive(Debug)]
pub struct Session {
    /// The connection.
    pub socket: Socket,
    /// Who is there.
    pub peer: Peer,
    /// Among whose requests its own come.
    turn: Turn,
    /// Requests taken and not answered yet.
    under_way: AtomicUsize,
    /// When it was accepted.
    opened: Instant,
    /// When it was last answered by an operation, in microseconds after that; 0 for never.
    answered: AtomicU64,
    /// What was told of its uses of keys: each once.
    used: Mutex<HashSet<String>>,
    /// The keys that it has lent.
    lent: Mutex<OfConnection>,
    /// What was told of its lending: each once.
    told: Mutex<HashSet<String>>,
}

impl Session {
    /// Around an accepted connection of this peer.
    pub fn new(fd: OwnedFd, peer: Peer, turn: Turn) -> Session {
        Session {
            socket: Socket::accepted(fd),
            peer,
            turn,
            under_way: AtomicUsize::new(0),
            opened: Instant::now(),
            answered: AtomicU64::new(0),
            used: Mutex::default(),
            lent: Mutex::default(),
            told: Mutex::default(),
        }
    }

    /// Has the system tell of its first request, by this number.
    ///
    /// # Errors
    /// The system's.
    pub fn listen(&self, number: u64) -> Result<(), Errno> {
        self.turn.begin(&self.socket, number)
    }

    /// Has it tell of the next one; `false` if that is not possible.
    pub fn listen_again(&self, number: u64) -> bool {
        self.turn.go_on(&self.socket, number).is_ok()
    }

    /// A request of it was taken.
    pub fn taken(&self) {
        self.under_way.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether it is likely to ask again soon: it has nothing under way and was answered a short time ago.
    pub fn is_expected(&self, now: Instant, lately: Duration) -> bool {
        let answered = self.answered.load(Ordering::Relaxed);
        let since = now.saturating_duration_since(self.opened + Duration::from_micros(answered));
        answered != 0 && self.under_way.load(Ordering::Relaxed) == 0 && since < lately
    }

    /// Sends the answer to a request that was taken. A client that has no room for it does not read its answers, and loses
    /// its connection: nothing is kept for it here.
    pub fn answer(&self, response: &Response<'_>) {
        let sent = encode(response).is_some_and(|packet| self.socket.send(&packet) == Ok(true));
        if !sent {
            self.end();
        }
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }

    /// Ends the connection: a worker sees that, and forgets it.
    pub fn end(&self) {
        let _ = shutdown(&self.socket, Shutdown::Both);
    }

    /// The answer that it gets next is an operation's: it is likely to ask for another then.
    pub fn served(&self) {
        let now = self.opened.elapsed().as_micros() as u64;
        self.answered.store(now.max(1), Ordering::Relaxed);
    }

    /// When it was last answered by an operation, in microseconds after it was accepted; 0 for never.
    pub fn last_answer(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// The keys that it has lent.
    pub fn lent(&self) -> MutexGuard<'_, OfConnection> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has this said of it, unless it was; what cannot be said now is said the next time.
    pub fn told_once(&self, what: &str, say: impl FnOnce() -> bool) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if !used.contains(what) && say() {
            used.insert(what.to_owned());
        }
    }

    /// Whether this is the first time that it lends this, or that this is refused to it. After a thousand it is not told any more.
    pub fn lends(&self, what: &str) -> bool {
        const MOST: usize = 1000;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.len() < MOST && told.insert(what.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::Turns;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    #[test]
    fn a_use_that_could_not_be_told_of_is_told_of_later_and_once() {
        let (here, _there) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let peer = Peer::of(&here).unwrap();
        let session = Session::new(here, peer, Turns::new().unwrap().of(None).unwrap());
        let mut asked = Vec::new();
        for may in [false, false, true, true] {
            session.told_once("key", || {
                asked.push(may);
                may
            });
        }
        assert_eq!(asked, [false, false, true]);
    }
}
