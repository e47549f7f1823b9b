// SPDX-License-Identifier: Apache-2.0
//! Who is connected, and whether there is room for one more.

use crate::policy::Peer;
use crate::session::Session;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many connections there may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// At once.
    pub connections: usize,
    /// Of one user.
    pub per_user: usize,
}

/// A part of all connections that is enough for its purpose: a sixteenth.
const SHARE: usize = 16;

/// A user with fewer has few.
const FEW: usize = 8;

impl Limits {
    /// Of all users together that no policy names: they get nothing but refusals.
    fn of_strangers(self) -> usize {
        (self.connections / SHARE).max(1)
    }

    /// The last ones, which are kept for users that policies name and that have few; unless one user may have all.
    fn kept(self) -> usize {
        if self.per_user < self.connections { self.connections / SHARE } else { 0 }
    }
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
    /// Those of users that no policy names.
    strangers: HashSet<u64>,
    next: u64,
}

impl Clients {
    /// Nobody yet; the first gets the number `first`.
    pub fn new(limits: Limits, first: u64) -> Clients {
        let (sessions, of_users, strangers) = Default::default();
        Clients { limits, sessions, of_users, strangers, next: first }
    }

    /// The connection of this number, unless it was forgotten.
    pub fn get(&self, number: u64) -> Option<Arc<Session>> {
        self.sessions.get(&number).map(Arc::clone)
    }

    /// Adds a connection, and gives its number; `None` if there are too many. `is_named`: a policy names its user.
    pub fn add(&mut self, session: &Arc<Session>, is_named: bool) -> Option<u64> {
        let uid = session.peer.uid;
        if self.is_full(uid, is_named) {
            self.forget_ended(uid, is_named);
        }
        if self.is_full(uid, is_named) {
            return None;
        }
        let number = self.next;
        self.next += 1;
        *self.of_users.entry(uid).or_default() += 1;
        self.sessions.insert(number, Arc::clone(session));
        if !is_named {
            self.strangers.insert(number);
        }
        Some(number)
    }

    /// Policies may name others now. Connections of strangers beyond their number are to end, and are given.
    pub fn look_again(&mut self, is_named: impl Fn(Peer) -> bool) -> Vec<Arc<Session>> {
        let strangers = self.sessions.iter().filter(|(_, session)| !is_named(session.peer));
        self.strangers = strangers.map(|(&number, _)| number).collect();
        let surplus = self.strangers.iter().skip(self.limits.of_strangers());
        surplus.filter_map(|number| self.get(*number)).collect()
    }

    /// Drops a connection that has ended. It is closed with its last owner, maybe a worker that is about to answer it.
    pub fn forget(&mut self, number: u64) {
        let Some(session) = self.sessions.remove(&number) else { return };
        self.strangers.remove(&number);
        if let Entry::Occupied(mut count) = self.of_users.entry(session.peer.uid) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
    }

    /// Drops some connections that have ended, of which no worker has heard yet: the user's, if it is he who has no room, or
    /// strangers', if it is they.
    fn forget_ended(&mut self, uid: u32, is_named: bool) {
        let (own, strangers) = (self.of_user(uid) >= self.limits.per_user, !is_named && self.are_strangers_full());
        let may_count = |number: &u64, session: &Session| {
            (!own || session.peer.uid == uid) && (!strangers || self.strangers.contains(number))
        };
        let looked_at = self.sessions.iter().filter(|(number, session)| may_count(number, session)).take(LOOKS);
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

    /// Whether there is no room for another connection of this user.
    fn is_full(&self, uid: u32, is_named: bool) -> bool {
        let (own, free) = (self.of_user(uid), self.limits.connections.saturating_sub(self.sessions.len()));
        let has_few = is_named && own < FEW;
        free == 0
            || own >= self.limits.per_user
            || free <= self.limits.kept() && !has_few
            || !is_named && self.are_strangers_full()
    }

    fn are_strangers_full(&self) -> bool {
        self.strangers.len() >= self.limits.of_strangers()
    }

    fn of_user(&self, uid: u32) -> usize {
        self.of_users.get(&uid).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turns::Turns;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use std::os::fd::OwnedFd;

    /// A connection of this user, and its other end.
    fn session(uid: u32) -> (Arc<Session>, OwnedFd) {
        let (here, there) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let peer = Peer { uid, ..Peer::of(&here).unwrap() };
        (Arc::new(Session::new(here, peer, Turns::new().unwrap().of(None).unwrap())), there)
    }

    fn clients(connections: usize, per_user: usize) -> Clients {
        Clients::new(Limits { connections, per_user }, 5)
    }

    #[test]
    fn a_user_has_so_many_connections_and_takes_no_other_users_place() {
        let mut clients = clients(10, 2);
        let (mine, others): (Vec<_>, Vec<_>) =
            ((0..3).map(|_| session(1)).collect(), (0..3).map(|_| session(2)).collect());
        let numbers: Vec<_> = mine.iter().map(|(session, _)| clients.add(session, true)).collect();
        assert_eq!(numbers, [Some(5), Some(6), None]);
        assert_eq!(clients.add(&others[0].0, true), Some(7));
        clients.forget(6);
        assert_eq!((clients.add(&mine[2].0, true), clients.len()), (Some(8), 3));
    }

    #[test]
    fn all_users_have_so_many_connections() {
        let mut clients = clients(2, 2);
        let sessions: Vec<_> = (1..=3).map(session).collect();
        let numbers: Vec<_> = sessions.iter().map(|(session, _)| clients.add(session, true)).collect();
        assert_eq!(numbers, [Some(5), Some(6), None]);
    }

    #[test]
    fn one_that_has_ended_makes_room_before_a_worker_hears_of_it() {
        let mut clients = clients(10, 1);
        let (first, end) = session(1);
        assert!(clients.add(&first, true).is_some() && clients.add(&session(1).0, true).is_none());
        drop(end);
        assert!(clients.add(&session(1).0, true).is_some());
        assert_eq!(clients.len(), 1);
    }

    #[test]
    fn strangers_have_few_together_whoever_they_are_and_nobody_named_has_fewer_for_them() {
        let mut clients = clients(64, 64);
        let strangers: Vec<_> = (100..200).map(session).collect();
        let added = strangers.iter().filter(|(session, _)| clients.add(session, false).is_some()).count();
        assert_eq!(added, 4);
        let named: Vec<_> = (0..60).map(|_| session(1)).collect();
        assert!(named.iter().all(|(session, _)| clients.add(session, true).is_some()));
    }

    #[test]
    fn two_users_with_all_the_connections_they_may_have_leave_some_to_a_third() {
        let mut clients = clients(64, 32);
        let many: Vec<_> = (0..64).map(|number| session(1 + number % 2)).collect();
        let added = many.iter().filter(|(session, _)| clients.add(session, true).is_some()).count();
        assert_eq!(added, 60);
        assert!(clients.add(&session(7).0, false).is_none(), "they are not for strangers");
        assert!(clients.add(&session(3).0, true).is_some());
    }

    #[test]
    fn a_user_that_policies_name_no_more_keeps_what_strangers_have_and_one_that_they_name_now_is_none() {
        let mut clients = clients(64, 64);
        let held: Vec<_> = (0..10).map(|_| session(1)).chain((0..4).map(|_| session(2))).collect();
        for (session, _) in &held {
            clients.add(session, session.peer.uid == 1).unwrap();
        }
        let surplus = clients.look_again(|peer| peer.uid == 2);
        assert_eq!(surplus.len(), 6);
        assert!(surplus.iter().all(|session| session.peer.uid == 1));
        assert!(clients.add(&session(3).0, false).is_none() && clients.add(&session(2).0, true).is_some());
    }

    #[test]
    fn a_strangers_connection_that_has_ended_makes_room_for_a_strangers() {
        let mut clients = clients(16, 16);
        let named: Vec<_> = (0..15).map(|_| session(1)).collect();
        assert!(named.iter().all(|(session, _)| clients.add(session, true).is_some()));
        let (first, end) = session(2);
        assert!(clients.add(&first, false).is_some() && clients.add(&session(3).0, false).is_none());
        drop(end);
        assert!(clients.add(&session(3).0, false).is_some());
    }
}
