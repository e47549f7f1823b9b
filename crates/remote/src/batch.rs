// SPDX-License-Identifier: Apache-2.0
//! A batch of private operations whose keys the program has itself and lends to the daemon, without its socket and its clock:
//! what happened goes in, what is to be done next comes out, as with [`call`](crate::call).
//!
//! The daemon knows lent keys by their modulus, each connection's apart. The program does not keep account of them. It asks;
//! where the daemon answers that it has no such key (the connection is new, the daemon was started again, it lent too many),
//! the program lends the key and asks again.
//!
//! ```text
//!            used connection gone
//!          ┌────────────────────────────────────────┐
//!          v                                        │
//!   ──> Connect ──connected──> Send operations ──> Receive ──all answered──> End
//!          │                        ^               │  ^
//!          └─gone─> End             │      no such key │ key not yet offered
//!                                   │               v  │
//!                                   └──taken── Send keys, Receive ──refused, gone──> End
//! ```
//!
//! The program can do the operations without the daemon, too. So nothing is tried twice here but on a connection that was
//! used before: its daemon may have been started again since.

use crate::error::Error;
use crate::message::{self, Fingerprint, Refusal, Response, VERSION};
use garner::secret::Wiped;
use rustix::io::Errno;
use std::path::PathBuf;

/// Several operations, until all are answered or one cannot be.
#[derive(Debug)]
pub struct Batch {
    /// Operation i has the number `first` + i; the message that lends its key has as many more as there are operations.
    first: u64,
    path: PathBuf,
    operations: Vec<Operation>,
    /// Keys that were offered on this connection, and whether they were taken.
    offered: Vec<(Fingerprint, bool)>,
    is_used: bool,
}

#[derive(Debug)]
struct Operation {
    modulus: Fingerprint,
    state: State,
}

#[derive(Debug)]
enum State {
    ToAsk,
    Asked,
    /// The daemon has not got the key.
    WithoutKey,
    Answered(Wiped<u8>),
}

/// What happened.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    /// There is a connection; `is_used` if it was used before.
    Connected {
        /// See above.
        is_used: bool,
    },
    /// The message is on its way.
    Sent,
    /// A packet came.
    Packet(&'a [u8]),
    /// Nobody is there, the other side is gone, or nothing came in time ([`Errno::TIMEDOUT`]).
    Gone(Errno),
}

/// What is to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Message {
    /// The operation of this place.
    Operation(usize),
    /// The key of the operation of this place.
    Key(usize),
}

/// What is to be done next.
#[derive(Debug)]
pub enum Step {
    /// Take a connection on which nothing is under way, or make one.
    Connect {
        /// Make a new one, and end all others.
        anew: bool,
    },
    /// Send this under this number.
    Send(Message, u64),
    /// Wait for a packet.
    Receive,
    /// All is answered; see [`Batch::answers`]. Another batch may use the connection.
    End,
    /// End the connection. Nothing of the batch is done.
    Fail(Error),
}

impl Batch {
    /// Operations with keys of these moduli, numbered from `first` on: twice as many numbers as there are operations are
    /// theirs. The daemon is at `path`. The batch begins with [`Step::Connect`], not anew.
    pub fn new(first: u64, path: PathBuf, moduli: impl IntoIterator<Item = Fingerprint>) -> Batch {
        let operation = |modulus| Operation { modulus, state: State::ToAsk };
        let operations = moduli.into_iter().map(operation).collect();
        Batch { first, path, operations, offered: Vec::new(), is_used: false }
    }

    /// What is to be done after `event`.
    pub fn after(&mut self, event: Event<'_>) -> Step {
        match event {
            Event::Connected { is_used } => {
                self.is_used = is_used;
                self.next()
            }
            Event::Sent => self.next(),
            Event::Packet(packet) => self.received(packet),
            Event::Gone(error) if self.is_used && error != Errno::TIMEDOUT => {
                self.is_used = false;
                self.offered.clear();
                for operation in &mut self.operations {
                    if !matches!(operation.state, State::Answered(_)) {
                        operation.state = State::ToAsk;
                    }
                }
                Step::Connect { anew: true }
            }
            Event::Gone(error) => Step::Fail(Error::Unreachable { path: self.path.clone(), reason: error.to_string() }),
        }
    }

    /// The answers, in the operations' order, after [`Step::End`].
    pub fn answers(self) -> impl Iterator<Item = Wiped<u8>> {
        self.operations.into_iter().map(|operation| match operation.state {
            State::Answered(answer) => answer,
            state => unreachable!("{state:?} at the end"),
        })
    }

    fn next(&mut self) -> Step {
        if let Some(place) = self.operations.iter().position(|operation| matches!(operation.state, State::ToAsk)) {
            self.operations[place].state = State::Asked;
            return Step::Send(Message::Operation(place), self.first + place as u64);
        }
        let asked = self.operations.iter().any(|operation| matches!(operation.state, State::Asked));
        // Only now is it known which keys are wanted.
        let wanting = |operation: &Operation| {
            matches!(operation.state, State::WithoutKey) && self.offer(operation.modulus).is_none()
        };
        if let Some(place) = self.operations.iter().position(wanting).filter(|_| !asked) {
            self.offered.push((self.operations[place].modulus, false));
            return Step::Send(Message::Key(place), self.first + (self.operations.len() + place) as u64);
        }
        let offered = self.offered.iter().any(|(_, taken)| !taken);
        if asked || offered { Step::Receive } else { Step::End }
    }

    /// Whether a key was taken, if it was offered.
    fn offer(&self, modulus: Fingerprint) -> Option<bool> {
        self.offered.iter().find(|(offered, _)| *offered == modulus).map(|(_, taken)| *taken)
    }

    fn received(&mut self, packet: &[u8]) -> Step {
        let Response { id, answer } = match message::decode::<Response<'_>>(packet) {
            Ok(response) => response,
            Err(Refusal::Version(_)) if packet[0] != VERSION => {
                return Step::Fail(Error::Refused(Refusal::Version(packet[0])));
            }
            Err(_) => return Step::Fail(Error::Malformed),
        };
        let count = self.operations.len();
        let place = id.checked_sub(self.first).and_then(|place| usize::try_from(place).ok());
        match (place, answer) {
            // What could not be read, and a connection too many, have no number.
            (None, Err(refusal)) if id == 0 => Step::Fail(Error::Refused(refusal)),
            (Some(place), answer) if place < count && matches!(self.operations[place].state, State::Asked) => {
                let known = self.offer(self.operations[place].modulus) == Some(true);
                self.operations[place].state = match answer {
                    Ok(bytes) => State::Answered(Wiped::from(bytes.to_vec())),
                    // Forbidden: the daemon holds the key itself, and this program may do other things with it.
                    Err(Refusal::NoKey | Refusal::Forbidden(_)) if !known => State::WithoutKey,
                    Err(refusal) => return Step::Fail(Error::Refused(refusal)),
                };
                self.next()
            }
            (Some(place), answer) if (count..2 * count).contains(&place) => match answer {
                Ok(_) => {
                    self.taken(self.operations[place - count].modulus);
                    self.next()
                }
                Err(refusal) => Step::Fail(Error::Refused(refusal)),
            },
            // Late, or doubled.
            _ => Step::Receive,
        }
    }

    /// The daemon has this key now: what waits for it is asked again.
    fn taken(&mut self, modulus: Fingerprint) {
        for (offered, taken) in &mut self.offered {
            *taken |= *offered == modulus;
        }
        for operation in &mut self.operations {
            if operation.modulus == modulus && matches!(operation.state, State::WithoutKey) {
                operation.state = State::ToAsk;
            }
        }
    }
}

#[cfg(test)]
mod tests;
