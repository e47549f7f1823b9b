// SPDX-License-Identifier: Apache-2.0
//! Whole messages over the socket, with descriptors.

use crate::Error;
use crate::message::{Header, MAX_DESCRIPTORS, MAX_TRANSFER, flags};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
};
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Beside the data of a transfer, a message has at most this many bytes.
const MAX_HEAD: usize = 4096;

/// One received message.
#[derive(Debug)]
pub struct Message {
    /// Its header.
    pub header: Header,
    /// What follows the header.
    pub body: Vec<u8>,
    /// Descriptors that came along; closed when dropped.
    pub descriptors: Vec<OwnedFd>,
}

impl Message {
    /// Whether it answers something.
    pub fn is_reply(&self) -> bool {
        self.header.flags & flags::TYPE == flags::REPLY
    }
}

/// One side of a connection. Sending and receiving may happen on two threads, over two clones; whole messages only.
#[derive(Debug)]
pub struct Socket(UnixStream);

impl Socket {
    /// Over a connected stream.
    pub fn new(stream: UnixStream) -> Socket {
        Socket(stream)
    }

    /// The stream, to set time limits or to shut it down.
    pub fn stream(&self) -> &UnixStream {
        &self.0
    }

    /// Another handle of the same connection.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn try_clone(&self) -> Result<Socket, Error> {
        Ok(Socket(self.0.try_clone()?))
    }

    /// Sends one message; `header.size` is filled in.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn send(&self, header: Header, parts: &[&[u8]], descriptors: &[BorrowedFd<'_>]) -> Result<(), Error> {
        self.send_by(None, header, parts, descriptors)
    }

    /// As [`Socket::send`], but the whole message has to be sent by `deadline`, if there is one.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn send_by(
        &self,
        deadline: Option<Instant>,
        mut header: Header,
        parts: &[&[u8]],
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), Error> {
        let length = parts.iter().map(|part| part.len()).sum::<usize>();
        header.size = (size_of::<Header>() + length) as u32;
        let mut bytes = Vec::with_capacity(size_of::<Header>() + length);
        bytes.extend_from_slice(bytemuck::bytes_of(&header));
        parts.iter().for_each(|part| bytes.extend_from_slice(part));

        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
            return Err(io::Error::from(io::ErrorKind::InvalidInput).into());
        }
        let mut sent = loop {
            self.limit_writing(deadline)?;
            match rustix::net::sendmsg(&self.0, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other.map_err(io::Error::from)?,
            }
        };
        // The descriptors went with the first byte.
        while sent < bytes.len() {
            self.limit_writing(deadline)?;
            sent += some((&self.0).write(&bytes[sent..]), io::ErrorKind::WriteZero)?;
        }
        Ok(())
    }

    /// Waits for one message.
    ///
    /// # Errors
    /// [`Error::Closed`] between messages; [`Error::Socket`], also after the stream's time limit; [`Error::Malformed`]
    /// for an impossible size: where the next message starts is not known then.
    pub fn receive(&self) -> Result<Message, Error> {
        self.receive_by(None)
    }

    /// As [`Socket::receive`], but the whole message has to come by `deadline`, if there is one: the stream's own time
    /// limit is for each read, and there is one for each piece that the other side sends.
    ///
    /// # Errors
    /// As [`Socket::receive`].
    pub fn receive_by(&self, deadline: Option<Instant>) -> Result<Message, Error> {
        let mut header = Header::default();
        let bytes = bytemuck::bytes_of_mut(&mut header);
        let mut descriptors = Vec::new();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received = loop {
            self.limit_reading(deadline)?;
            let mut slices = [IoSliceMut::new(bytes)];
            match rustix::net::recvmsg(&self.0, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other.map_err(io::Error::from)?.bytes,
            }
        };
        if received == 0 {
            return Err(Error::Closed);
        }
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                descriptors.extend(rights);
            }
        }
        self.read_exact(deadline, &mut bytes[received..])?;
        let size = header.size as usize;
        if !(size_of::<Header>()..=MAX_HEAD + MAX_TRANSFER).contains(&size) {
            return Err(Error::Malformed(format!("size {size} of command {}", header.command)));
        }
        let mut body = vec![0; size - size_of::<Header>()];
        self.read_exact(deadline, &mut body)?;
        Ok(Message { header, body, descriptors })
    }

    fn read_exact(&self, deadline: Option<Instant>, mut rest: &mut [u8]) -> io::Result<()> {
        while !rest.is_empty() {
            self.limit_reading(deadline)?;
            let read = some((&self.0).read(rest), io::ErrorKind::UnexpectedEof)?;
            rest = &mut rest[read..];
        }
        Ok(())
    }

    fn limit_reading(&self, deadline: Option<Instant>) -> io::Result<()> {
        remaining(deadline)?.map_or(Ok(()), |rest| self.0.set_read_timeout(Some(rest)))
    }

    fn limit_writing(&self, deadline: Option<Instant>) -> io::Result<()> {
        remaining(deadline)?.map_or(Ok(()), |rest| self.0.set_write_timeout(Some(rest)))
    }

    /// Answers `to`.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn reply(&self, to: Header, parts: &[&[u8]]) -> Result<(), Error> {
        self.send(Header { flags: flags::REPLY, error: 0, ..to }, parts, &[])
    }

    /// Answers `to` with an error number.
    ///
    /// # Errors
    /// [`Error::Socket`].
    pub fn refuse(&self, to: Header, errno: i32) -> Result<(), Error> {
        self.send(Header { flags: flags::REPLY | flags::ERROR, error: errno as u32, ..to }, &[], &[])
    }
}

/// Time until `deadline`, never 0; an error when it has passed.
fn remaining(deadline: Option<Instant>) -> io::Result<Option<Duration>> {
    let Some(deadline) = deadline else { return Ok(None) };
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
        rest => Ok(Some(rest)),
    }
}

/// How many bytes moved; none is the error `end`, and an interruption no error.
fn some(moved: io::Result<usize>, end: io::ErrorKind) -> io::Result<usize> {
    match moved {
        Ok(0) => Err(end.into()),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
        other => other,
    }
}
