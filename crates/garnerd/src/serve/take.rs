// SPDX-License-Identifier: Apache-2.0
//! What events bring to a worker: requests, of each client one, and connections.

use super::{BELL, Daemon, Hands, LISTENER, Offer, QUIET, Taken};
use crate::admission::{admit, lend};
use crate::keys::Keys;
use crate::log::say;
use crate::policy::Peer;
use crate::session::Session;
use crate::work::Task;
use garner_remote::message::{self, Buffer, KeyName, Refusal, Request, Response, Work};
use garner_remote::socket::Received;
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use std::os::fd::OwnedFd;
use std::sync::{Arc, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

impl Daemon {
    /// Waits for so many events at most, so long at most; `false` if there can be none.
    pub(super) fn wait(&self, ready: &mut Vec<u64>, room: usize, time: Option<Duration>) -> bool {
        match self.turns.wait(room, time, ready) {
            Ok(()) | Err(Errno::INTR) => true,
            Err(error) => {
                say(format_args!("waiting for clients: {error}"));
                self.end(); // it would fail again
                false
            }
        }
    }

    /// Does what the events say: takes a request of each client that has one, and accepts.
    pub(super) fn take(&self, hands: &mut Hands, batch: &mut Vec<Taken>) {
        let keys = self.keys();
        for &number in hands.ready.iter().filter(|&&number| number > BELL) {
            let Some(session) = self.clients().get(number) else { continue };
            if !self.request(&keys, &session, number, &mut hands.buffer, &mut hands.offers, batch) {
                self.clients().forget(number);
            }
        }
        if batch.is_empty() {
            self.take_offers(&mut hands.offers);
        }
        // Last, as it may have to wait, and the others' events come to nobody else.
        if hands.ready.contains(&LISTENER) {
            self.accept(batch.is_empty());
        }
    }

    /// Accepts one connection. Others that wait come with the next turn. `idle`: the worker has no request in hand.
    fn accept(&self, idle: bool) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let fd = match accept_with(&self.listener, flags) {
            Ok(fd) => fd,
            // Gone again, or another was faster.
            Err(Errno::AGAIN | Errno::CONNABORTED | Errno::INTR) => return,
            Err(error) => {
                self.say_sometimes(error);
                // It waits; looking at it at once again would take a whole processor.
                if idle {
                    thread::sleep(Duration::from_millis(10));
                }
                return;
            }
        };
        match self.add(fd) {
            Ok((session, Some(number))) => {
                self.figures.accepted.inc();
                if session.listen(number).is_err() {
                    self.clients().forget(number);
                }
            }
            Ok((session, None)) => {
                self.figures.turned_away.inc();
                session.taken();
                session.answer(&Response { id: 0, answer: Err(Refusal::TooMany) });
            }
            Err(error) => self.say_sometimes(error),
        }
    }

    /// Adds a connection to the clients, with the number that it gets there, unless there are too many.
    fn add(&self, fd: OwnedFd) -> Result<(Arc<Session>, Option<u64>), Errno> {
        let peer = Peer::of(&fd)?;
        // Under the lock: whoever replaces the keys looks at all connections after that.
        let mut clients = self.clients();
        let is_named = self.keys().named.has(peer);
        let turn = self.turns.of(is_named.then_some(peer.uid))?;
        let session = Arc::new(Session::new(fd, peer, turn));
        let number = clients.add(&session, is_named);
        Ok((session, number))
    }

    /// Says that no client can be accepted, once in a while: it may be so for every client.
    fn say_sometimes(&self, error: Errno) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| said.elapsed() > QUIET) {
            say(format_args!(
                "accepting a client: {error}; it is tried again, and said again in {QUIET:?} at the earliest"
            ));
            *said = Some(Instant::now());
        }
    }

    /// Takes a client's request, if there is one; `false` when the client is gone.
    fn request(
        &self,
        keys: &Keys,
        session: &Arc<Session>,
        number: u64,
        buffer: &mut Buffer,
        offers: &mut Vec<Offer>,
        batch: &mut Vec<Taken>,
    ) -> bool {
        // Of others the system drops files unseen: whoever closes one may have to wait for it.
        let (received, file) = match keys.lending.knows(session.peer) {
            true => session.socket.receive_with_file(buffer),
            false => (session.socket.receive(buffer), None),
        };
        if received == Received::End {
            return false;
        }
        let Received::Packet(length) = received else { return session.listen_again(number) };
        session.taken();
        // Its next request is another's, maybe another worker's.
        let goes_on = session.listen_again(number);
        let request = message::decode::<Request<'_>>(buffer.packet(length));
        let id = request.as_ref().map_or(0, |request| request.id);
        if let Ok(Request { key, work: Work::Lend, .. }) = request {
            let modulus = match key {
                KeyName::Modulus(modulus) => Some(modulus),
                KeyName::Named(_) => None,
            };
            offers.push(Offer { session: Arc::clone(session), id, modulus, file });
            return goes_on;
        }
        let admitted = request.and_then(|request| admit(keys, &self.audit, session, &request));
        let answer = match admitted {
            Ok(Task::Operation(operation, finish)) => {
                batch.push(Taken { session: Arc::clone(session), id, operation, finish });
                return goes_on;
            }
            Ok(Task::Answer(bytes)) => Ok(bytes),
            Err(refusal) => Err(refusal),
        };
        let answer = answer.as_ref().map(|bytes| &bytes[..]).map_err(Clone::clone);
        self.answer(session, &Response { id, answer });
        goes_on
    }

    /// Takes the keys that clients lend: none while others' requests wait in a batch, as that takes as long as an operation.
    pub(super) fn take_offers(&self, offers: &mut Vec<Offer>) {
        for Offer { session, id, modulus, file } in offers.drain(..) {
            let taken = lend(&self.keys(), &self.lent, &self.audit, &session, modulus, file);
            if !self.keys().lending.knows(session.peer) {
                // Others were read while it was taken.
                session.lent().forget();
            }
            self.answer(&session, &Response { id, answer: taken.as_ref().map(|()| &[][..]).map_err(Clone::clone) });
        }
    }
}
