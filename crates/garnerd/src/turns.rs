// SPDX-License-Identifier: Apache-2.0
//! Whose requests come next: users have turns, however many connections each has.
//!
//! The connections of a user are in a set of events (`epoll`) of their own, and all those sets in one on which the workers wait. It
//! tells of users, each after the others that have requests, and a user's set of his connections, in the same way. Users that no
//! policy named when they connected have one turn together.

use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// Events looked at in a turn: few, so that a batch is not held up by the look.
pub const EVENTS: usize = 16;

/// The least number of a turn; the daemon's other descriptors have those below.
pub const FIRST: u64 = 2;

/// The turn of those that no policy names; a user's is [`FIRST`] and the user's number.
const STRANGERS: u64 = FIRST + (1 << 32);

/// A client's event goes to one worker, which then asks for the next.
const ONCE: epoll::EventFlags = epoll::EventFlags::IN.union(epoll::EventFlags::ONESHOT);

/// A turn's event goes to one worker, which takes all that there is, or asks for the event once more.
const EDGE: epoll::EventFlags = epoll::EventFlags::IN.union(epoll::EventFlags::ET);

/// All turns.
#[derive(Debug)]
pub struct Turns {
    all: OwnedFd,
    /// Those that a connection has.
    of: Mutex<HashMap<u64, Weak<OwnedFd>>>,
}

/// The turn of some connections; it ends with the last of them.
#[derive(Debug, Clone)]
pub struct Turn(Arc<OwnedFd>);

impl Turns {
    /// Nobody's yet.
    ///
    /// # Errors
    /// The system's.
    pub fn new() -> Result<Turns, Errno> {
        Ok(Turns { all: epoll::create(epoll::CreateFlags::CLOEXEC)?, of: Mutex::default() })
    }

    /// Adds what is no connection, by a number below [`FIRST`]: it is told of as long as it is ready, to every worker.
    ///
    /// # Errors
    /// The system's.
    pub fn add(&self, fd: impl AsFd, number: u64) -> Result<(), Errno> {
        epoll::add(&self.all, fd, epoll::EventData::new_u64(number), epoll::EventFlags::IN)
    }

    /// The turn of this user; of users that no policy names, with `None`.
    ///
    /// # Errors
    /// The system's.
    pub fn of(&self, user: Option<u32>) -> Result<Turn, Errno> {
        let number = user.map_or(STRANGERS, |uid| FIRST + u64::from(uid));
        let mut of = self.lock();
        if let Some(turn) = of.get(&number).and_then(Weak::upgrade) {
            return Ok(Turn(turn));
        }
        let turn = Arc::new(epoll::create(epoll::CreateFlags::CLOEXEC)?);
        epoll::add(&self.all, &turn, epoll::EventData::new_u64(number), EDGE)?;
        of.retain(|_, turn| turn.strong_count() > 0);
        of.insert(number, Arc::downgrade(&turn));
        Ok(Turn(turn))
    }

    /// Waits for events, so long at most, and gives so many of them at most, by their numbers: of each turn as many as of the
    /// others, where so many have some.
    ///
    /// # Errors
    /// The system's.
    pub fn wait(&self, room: usize, time: Option<Duration>, ready: &mut Vec<u64>) -> Result<(), Errno> {
        let mut events = [MaybeUninit::uninit(); EVENTS];
        let room = room.min(EVENTS);
        ready.clear();
        let (events, _) = epoll::wait(&self.all, &mut events[..room], time.map(timespec).as_ref())?;
        let numbers = events.iter().map(|event| event.data.u64());
        let turns = numbers.clone().filter(|number| *number >= FIRST).count();
        for number in numbers {
            if number < FIRST {
                ready.push(number);
            } else if let Some(turn) = { self.lock().get(&number).and_then(Weak::upgrade) } {
                self.take(&turn, number, room / turns, ready);
            }
        }
        Ok(())
    }

    /// Takes so many events of a turn at most. If it may have more, they come after those of others, and maybe to another worker.
    fn take(&self, turn: &OwnedFd, number: u64, most: usize, ready: &mut Vec<u64>) {
        let mut events = [MaybeUninit::uninit(); EVENTS];
        let taken = epoll::wait(turn, &mut events[..most], Some(&timespec(Duration::ZERO)));
        let count = taken.map_or(most, |(events, _)| {
            ready.extend(events.iter().map(|event| event.data.u64()));
            events.len()
        });
        if count == most {
            // It fails for a descriptor that is not in the set: this one is, as long as it is open.
            let _ = epoll::modify(&self.all, turn, epoll::EventData::new_u64(number), EDGE);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Weak<OwnedFd>>> {
        self.of.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// Has the system tell of a connection's first request, by this number, which is [`FIRST`] at least.
    ///
    /// # Errors
    /// The system's.
    pub fn begin(&self, connection: impl AsFd, number: u64) -> Result<(), Errno> {
        epoll::add(&self.0, connection, epoll::EventData::new_u64(number), ONCE)
    }

    /// Has it tell of the next one.
    ///
    /// # Errors
    /// The system's.
    pub fn go_on(&self, connection: impl AsFd, number: u64) -> Result<(), Errno> {
        epoll::modify(&self.0, connection, epoll::EventData::new_u64(number), ONCE)
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    const NO_TIME: Option<Duration> = Some(Duration::ZERO);

    /// Connections in this turn that have a request each, with numbers from `first` on.
    fn asking(turn: &Turn, first: u64, count: u64) -> Vec<(OwnedFd, OwnedFd)> {
        let one = |number| {
            let (here, there) =
                socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).unwrap();
            turn.begin(&here, number).unwrap();
            rustix::io::write(&there, b"request").unwrap();
            (here, there)
        };
        (first..first + count).map(one).collect()
    }

    fn looked(turns: &Turns, room: usize) -> Vec<u64> {
        let mut ready = Vec::new();
        turns.wait(room, NO_TIME, &mut ready).unwrap();
        assert!(ready.len() <= room);
        ready
    }

    #[test]
    fn a_user_with_one_request_waits_for_one_turn_of_a_user_with_many() {
        let turns = Turns::new().unwrap();
        let (many, one) = (turns.of(Some(1)).unwrap(), turns.of(Some(2)).unwrap());
        let _many = asking(&many, 100, 200);
        assert_eq!(looked(&turns, 8).len(), 8);
        let _one = asking(&one, 7, 1);
        assert!(looked(&turns, 8).contains(&7), "he is in the next batch");
    }

    #[test]
    fn users_that_ask_have_equal_parts_and_all_is_told_of_once() {
        let turns = Turns::new().unwrap();
        let of: Vec<_> = (0..3).map(|user| turns.of(Some(user)).unwrap()).collect();
        let _held: Vec<_> = of.iter().zip([100, 200, 300]).map(|(turn, first)| asking(turn, first, 20)).collect();
        let mut told = Vec::new();
        while told.len() < 60 {
            let ready = looked(&turns, 6);
            assert!(!ready.is_empty(), "{told:?}");
            told.extend(ready);
            let counts =
                [100, 200, 300].map(|first| told.iter().filter(|&&n| (first..first + 20).contains(&n)).count());
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 2, "{counts:?}");
        }
        assert_eq!(looked(&turns, 6), [0_u64; 0]);
        told.sort_unstable();
        told.dedup();
        assert_eq!(told.len(), 60);
    }

    #[test]
    fn more_users_than_a_batch_has_room_for_come_one_after_the_other() {
        let turns = Turns::new().unwrap();
        let of: Vec<_> = (0..40).map(|user| turns.of(Some(user)).unwrap()).collect();
        let _held: Vec<_> = of.iter().zip(0..).map(|(turn, user)| asking(turn, 100 * (user + 1), 3)).collect();
        let told: Vec<_> = (0..5).flat_map(|_| looked(&turns, 8)).map(|number| number / 100).collect();
        assert_eq!(told.iter().collect::<std::collections::HashSet<_>>().len(), 40, "{told:?}");
    }

    #[test]
    fn what_one_worker_leaves_another_that_waits_is_told_of() {
        let turns = Turns::new().unwrap();
        let turn = turns.of(None).unwrap();
        std::thread::scope(|scope| {
            let (sender, told) = std::sync::mpsc::channel();
            for _ in 0..4 {
                let (turns, sender) = (&turns, sender.clone());
                scope.spawn(move || {
                    let mut ready = Vec::new();
                    turns.wait(2, Some(Duration::from_secs(60)), &mut ready).unwrap();
                    sender.send(ready).unwrap();
                });
            }
            let _held = asking(&turn, 100, 8);
            let mut all: Vec<_> = Vec::new();
            for _ in 0..4 {
                all.extend(told.recv_timeout(Duration::from_secs(50)).expect("each is woken"));
            }
            while all.len() < 8 {
                all.extend(looked(&turns, 8));
            }
            all.sort_unstable();
            assert_eq!(all, (100..108).collect::<Vec<_>>());
        });
    }

    #[test]
    fn a_turn_ends_with_its_connections_and_begins_anew() {
        let turns = Turns::new().unwrap();
        for round in 0..3 {
            let turn = turns.of(Some(1)).unwrap();
            assert!(Arc::ptr_eq(&turn.0, &turns.of(Some(1)).unwrap().0));
            let held = asking(&turn, 100 + round, 1);
            assert_eq!(looked(&turns, 8), [100 + round]);
            assert_eq!(looked(&turns, 8), [0_u64; 0], "once");
            turn.go_on(&held[0].0, 100 + round).unwrap();
            assert_eq!(looked(&turns, 8), [100 + round]);
            drop(turn);
            assert_eq!(turns.lock().values().filter(|turn| turn.strong_count() > 0).count(), 0);
        }
    }
}
