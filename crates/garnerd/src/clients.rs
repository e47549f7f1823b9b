// SPDX-License-Identifier: Apache-2.0
//! Who is connected, and whether there is room for one more.

use crate::session::Session;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
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

/// Connections looked at, where there is no room, for one that has ended: few, as whoever is at a limit may try again and again.
const LOOKS: usize = 16;

/// All connections, by number.
#[derive(Debug)]
pub struct Clients {
    limits: Limits,
    sessions: HashMap<u64, Arc<Session>>,
    /// Connections of each user.
    of_users: HashMap<u32, usize>,
    next: u64,
}

impl Clients {
    /// Nobody yet; the first gets the number `first`.
    pub fn new(limits: Limits, first: u64) -> Clients {
        Clients { limits, sessions: HashMap::new(), of_users: HashMap::new(), next: first }
    }

    /// The connection of this number, unless it was forgotten.
    pub fn get(&self, number: u64) -> Option<Arc<Session>> {
        self.sessions.get(&number).map(Arc::clone)
    }

    /// Adds a connection, and gives its number; `None` if there are too many.
    pub fn add(&mut self, session: &Arc<Session>) -> Option<u64> {
        let uid = session.peer.uid;
        if self.is_full(uid) {
            self.forget_ended(uid);
        }
        if self.is_full(uid) {
            return None;
        }
        let number = self.next;
        self.next += 1;
        *self.of_users.entry(uid).or_default() += 1;
        self.sessions.insert(number, Arc::clone(session));
        Some(number)
    }

    /// Drops a connection that has ended. It is closed with its last owner, maybe a worker that is about to answer it.
    pub fn forget(&mut self, number: u64) {
        let Some(session) = self.sessions.remove(&number) else { return };
        if let Entry::Occupied(mut count) = self.of_users.entry(session.peer.uid) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }

    /// Drops some connections that have ended, of which no worker has heard yet: the user's, if it is he who has no room.
    fn forget_ended(&mut self, uid: u32) {
        let all = self.of_user(uid) < self.limits.per_user;
        let looked_at = self.sessions.iter().filter(|(_, session)| all || session.peer.uid == uid).take(LOOKS);
        let ended: Vec<_> =
            looked_at.filter(|(_, session)| session.socket.is_over()).map(|(&number, _)| number).collect();
        ended.into_iter().for_each(|number| self.forget(number));
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
        self.sessions.len() >= self.limits.connections || self.of_user(uid) >= self.limits.per_user
    }

    fn of_user(&self, uid: u32) -> usize {
        self.of_users.get(&uid).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use std::os::fd::OwnedFd;

    /// A connection of this user, and its other end.
    fn session(uid: u32) -> (Arc<Session>, OwnedFd) {
        let (here, there) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let mut session = Session::new(here).unwrap();
        session.peer.uid = uid;
        (Arc::new(session), there)
    }

    fn clients(connections: usize, per_user: usize) -> Clients {
        Clients::new(Limits { connections, per_user }, 5)
    }

    #[test]
    fn a_user_has_so_many_connections_and_takes_no_other_users_place() {
        let mut clients = clients(10, 2);
        let (mine, others): (Vec<_>, Vec<_>) =
            ((0..3).map(|_| session(1)).collect(), (0..3).map(|_| session(2)).collect());
        let numbers: Vec<_> = mine.iter().map(|(session, _)| clients.add(session)).collect();
        assert_eq!(numbers, [Some(5), Some(6), None]);
        assert_eq!(clients.add(&others[0].0), Some(7));
        clients.forget(6);
        assert_eq!((clients.add(&mine[2].0), clients.len()), (Some(8), 3));
    }

    #[test]
    fn all_users_have_so_many_connections() {
        let mut clients = clients(2, 2);
        let sessions: Vec<_> = (1..=3).map(session).collect();
        let numbers: Vec<_> = sessions.iter().map(|(session, _)| clients.add(session)).collect();
        assert_eq!(numbers, [Some(5), Some(6), None]);
    }

    #[test]
    fn one_that_has_ended_makes_room_before_a_worker_hears_of_it() {
        let mut clients = clients(10, 1);
        let (first, end) = session(1);
        assert!(clients.add(&first).is_some() && clients.add(&session(1).0).is_none());
        drop(end);
        assert!(clients.add(&session(1).0).is_some());
        assert_eq!(clients.len(), 1);
    }
}
