// SPDX-License-Identifier: Apache-2.0
//! Who is connected, and whether there is room for one more.

use crate::session::Session;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How many connections there may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// At once.
    pub connections: usize,
    /// Of one user.
    pub per_user: usize,
}

/// All connections, by number.
#[derive(Debug)]
pub struct Clients {
    limits: Limits,
    sessions: HashMap<u64, Arc<Session>>,
    next: u64,
}

impl Clients {
    /// Nobody yet; the first gets the number `first`.
    pub fn new(limits: Limits, first: u64) -> Clients {
        Clients { limits, sessions: HashMap::new(), next: first }
    }

    /// The connection of this number, unless it was forgotten.
    pub fn get(&self, number: u64) -> Option<Arc<Session>> {
        self.sessions.get(&number).map(Arc::clone)
    }

    /// Adds a connection, and gives its number; `None` if there are too many.
    pub fn add(&mut self, session: &Arc<Session>) -> Option<u64> {
        if self.is_full(session.peer.uid) {
            // Connections may have ended of which nobody has heard yet.
            self.sessions.retain(|_, session| !session.socket.is_over());
        }
        if self.is_full(session.peer.uid) {
            return None;
        }
        let number = self.next;
        self.next += 1;
        self.sessions.insert(number, Arc::clone(session));
        Some(number)
    }

    /// Drops a connection that has ended. It is closed with its last owner, maybe a worker that is about to answer it.
    pub fn forget(&mut self, number: u64) {
        self.sessions.remove(&number);
    }

    /// All connections.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Session>> {
        self.sessions.values()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    /// Whether one of them is likely to ask soon.
    pub fn expects(&self, now: Instant, lately: Duration) -> bool {
        self.sessions.values().any(|session| session.is_expected(now, lately))
    }

    /// Whether there is no room for another connection of this user.
    fn is_full(&self, uid: u32) -> bool {
        let of_user = || self.sessions.values().filter(|session| session.peer.uid == uid).count();
        self.sessions.len() >= self.limits.connections || of_user() >= self.limits.per_user
    }
}
