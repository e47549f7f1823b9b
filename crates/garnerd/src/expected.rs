// SPDX-License-Identifier: Apache-2.0
//! Clients that are likely to ask soon: those that were answered a short time ago.

use crate::session::Session;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// A client that was answered so short a time ago is expected to ask again.
const LATELY: Duration = Duration::from_millis(10);

/// The connections that were answered by operations, in that order, and which of its answers that was.
///
/// An entry is dropped when it is the first and its connection has asked again, was answered again, or did neither for a while.
/// So each answer costs one step, however many connections there are, and there are no more here than there are answers in that
/// while.
#[derive(Debug, Default)]
pub struct Expected(Mutex<VecDeque<(Weak<Session>, u64)>>);

impl Expected {
    /// The connection was answered.
    pub fn answered(&self, session: &Arc<Session>) {
        let mut sessions = self.looked(Instant::now());
        sessions.push_back((Arc::downgrade(session), session.last_answer()));
    }

    /// Whether a client is likely to ask soon.
    pub fn any(&self, now: Instant) -> bool {
        !self.looked(now).is_empty()
    }

    /// Those that are left, of which the first is likely to ask soon.
    fn looked(&self, now: Instant) -> MutexGuard<'_, VecDeque<(Weak<Session>, u64)>> {
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_left = |(session, answer): &(Weak<Session>, u64)| {
            let session = session.upgrade();
            session.is_some_and(|session| session.last_answer() == *answer && session.is_expected(now, LATELY))
        };
        while sessions.front().is_some_and(|first| !is_left(first)) {
            sessions.pop_front();
        }
        sessions
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Peer;
    use crate::turns::Turns;
    use garner_remote::message::Response;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
    use std::os::fd::OwnedFd;
    use std::thread;

    fn session() -> (Arc<Session>, OwnedFd) {
        let (here, there) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
        let peer = Peer::of(&here).unwrap();
        (Arc::new(Session::new(here, peer, Turns::new().unwrap().of(None).unwrap())), there)
    }

    /// As a worker answers.
    fn answer(expected: &Expected, session: &Arc<Session>) {
        session.served();
        session.answer(&Response { id: 1, answer: Ok(b"") });
        expected.answered(session);
    }

    #[test]
    fn those_are_expected_that_were_answered_lately_and_have_not_asked_since() {
        let (expected, (one, _one), (other, _other)) = (Expected::default(), session(), session());
        assert!(!expected.any(Instant::now()));
        for session in [&one, &other] {
            session.taken();
            answer(&expected, session);
        }
        let now = Instant::now();
        assert!(expected.any(now));
        one.taken();
        assert!(expected.any(now), "the other");
        other.taken();
        assert!(!expected.any(now));
        answer(&expected, &one);
        let now = Instant::now();
        assert!(expected.any(now));
        assert!(!expected.any(now + LATELY));
        answer(&expected, &other);
        drop(other);
        assert!(!expected.any(Instant::now()), "it is gone");
    }

    #[test]
    fn connections_are_kept_once_where_nobody_looks() {
        let (expected, sessions) = (Expected::default(), [session(), session(), session()]);
        let mut buffer = garner_remote::message::Buffer::default();
        let sessions = sessions.map(|(here, there)| (here, garner_remote::socket::Socket::accepted(there)));
        for turn in 0..3000 {
            let (session, end) = &sessions[turn % 3];
            session.taken();
            thread::sleep(Duration::from_micros(1)); // two answers within a microsecond are taken for one
            answer(&expected, session);
            end.receive(&mut buffer);
        }
        assert!(expected.0.lock().unwrap().len() <= 3);
    }

    #[test]
    fn as_many_are_kept_as_may_be_expected_whoever_looks() {
        let (expected, (session, end)) = (Expected::default(), session());
        let mut buffer = garner_remote::message::Buffer::default();
        let end = garner_remote::socket::Socket::accepted(end);
        for _ in 0..10_000 {
            session.taken();
            answer(&expected, &session);
            end.receive(&mut buffer);
            session.taken();
            expected.any(Instant::now());
            answer(&expected, &session);
            end.receive(&mut buffer);
        }
        session.taken();
        assert!(!expected.any(Instant::now()) && expected.0.lock().unwrap().is_empty());
    }
}
