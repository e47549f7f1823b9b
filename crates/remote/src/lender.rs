// SPDX-License-Identifier: Apache-2.0
//! Has the daemon do private operations with keys of the program's own, which it lends: the daemon gathers the operations of
//! many programs, and none of them has to give its keys away for good. How a batch goes, [`batch`](crate::batch) decides.

use crate::batch::{Batch, Event, Message, Step};
use crate::client::{self, Client};
use crate::error::Error;
use crate::message::{self, Buffer, KeyName, Request, Work};
use crate::socket::Socket;
use crate::watch::Awaited;
use crate::{sealed, stub};
use garner::key::PrivateKey;
use garner::secret::Wiped;
use rustix::event::PollFlags;
use rustix::io::Errno;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// One private operation.
#[derive(Debug, Clone, Copy)]
pub struct Private<'a> {
    /// The key.
    pub key: &'a PrivateKey,
    /// Big-endian, below the modulus and as many bytes.
    pub input: &'a [u8],
}

impl Client {
    /// Whether a daemon is there: a new connection is made, and kept in place of those that were idle.
    ///
    /// # Errors
    /// [`Error::Unreachable`].
    pub fn probe(&self) -> Result<(), Error> {
        let (socket, _) = self.connect(true).map_err(|error| self.unreachable(error))?;
        self.release(Some(socket), true);
        Ok(())
    }

    /// Has the daemon do these operations, and waits for all of them: input^d mod n each, big-endian, as many bytes as the
    /// modulus has. The caller checks them.
    ///
    /// # Errors
    /// [`Error`]: nothing of the batch is done. Nothing is waited for but answers, and those as long as the client's patience
    /// is.
    pub fn operate(&self, jobs: &[Private<'_>]) -> Result<Vec<Wiped<u8>>, Error> {
        let failed = |error: garner::Error| Error::Refused(message::Refusal::Failed(error.to_string()));
        let moduli = jobs.iter().map(|job| stub::fingerprint_of(job.key.public()));
        let moduli = moduli.collect::<Result<Vec<_>, _>>().map_err(failed)?;
        let first = self.next.fetch_add(2 * jobs.len() as u64, Ordering::Relaxed);
        // A batch's first answer tells when it is done: it is one of the daemon's, too.
        let key = moduli.first().map_or(KeyName::Named(""), |modulus| KeyName::Modulus(*modulus));
        let awaited = Awaited::of(&Work::Raw { input: &[] }, key, first..first + jobs.len() as u64);
        let mut batch = Batch::new(first, self.path.clone(), moduli.iter().copied());
        let deadline = Instant::now() + self.patience;
        let mut buffer = Buffer::default();
        let (mut socket, mut step, mut is_next) = (None, Step::Connect { anew: false }, false);
        loop {
            let event = match step {
                Step::Connect { anew } => self.connect(anew).map(|(connected, is_used)| {
                    socket = Some(connected);
                    Event::Connected { is_used }
                }),
                Step::Send(message, id) => {
                    let socket = socket.as_ref().expect("connected");
                    let place = match message {
                        Message::Operation(place) | Message::Key(place) => place,
                    };
                    let key = KeyName::Modulus(moduli[place]);
                    let sent = match message {
                        Message::Operation(_) => {
                            let work = Work::Raw { input: jobs[place].input };
                            client::send(socket, &encoded(Request { id, key, work })?, deadline)
                        }
                        Message::Key(_) => {
                            let no_file = |_| Error::Unsupported("there is no sealed memory to lend a key in");
                            let file = sealed::sealed(jobs[place].key).map_err(no_file)?;
                            lend(socket, file.as_fd(), &encoded(Request { id, key, work: Work::Lend })?, deadline)
                        }
                    };
                    match sent {
                        Ok(()) => Ok(Event::Sent),
                        Err(error) => client::left_behind(socket, &mut buffer, error)
                            .map(|length| Event::Packet(buffer.packet(length))),
                    }
                }
                Step::Receive => {
                    let socket = socket.as_ref().expect("connected");
                    let received = self.receive(socket, &mut buffer, deadline, &awaited, is_next);
                    is_next = true;
                    received.map(|length| Event::Packet(buffer.packet(length)))
                }
                Step::End => {
                    self.release(socket, true);
                    return Ok(batch.answers().collect());
                }
                Step::Fail(error) => return Err(error),
            };
            step = batch.after(event.unwrap_or_else(Event::Gone));
        }
    }

    fn unreachable(&self, error: Errno) -> Error {
        Error::Unreachable { path: self.path.clone(), reason: error.to_string() }
    }
}

fn encoded(request: Request<'_>) -> Result<message::Packet, Error> {
    message::encode(&request).ok_or(Error::Unsupported("the request is too long"))
}

/// Sends a key, which is in `file`.
fn lend(socket: &Socket, file: BorrowedFd<'_>, packet: &message::Packet, deadline: Instant) -> Result<(), Errno> {
    while !socket.send_with_file(packet, file)? {
        client::wait(socket, PollFlags::OUT, deadline)?;
    }
    Ok(())
}
