// SPDX-License-Identifier: Apache-2.0
//! Whole messages over the socket, with descriptors.

use crate::Error;
use crate::message::{Header, MAX_DESCRIPTORS, MAX_TRANSFER, flags};
use crate::refusal::refuse_descriptors;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
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
    /// Connects to `path` by `deadline`. No descriptor will be taken from the other side.
    ///
    /// # Errors
    /// [`Error::Socket`]: nobody listens there, or whoever does takes nobody in.
    pub fn connect(path: &Path, deadline: Instant) -> Result<Socket, Error> {
        let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None)
            .map_err(io::Error::from)?;
        refuse_descriptors(&socket);
        let address = SocketAddrUnix::new(path).map_err(io::Error::from)?;
        loop {
            // Where there is no room for more connections, this waits until somebody is taken in.
            set_socket_timeout(&socket, Timeout::Send, Some(remaining(deadline)?)).map_err(io::Error::from)?;
            match connect(&socket, &address) {
                Ok(()) => return Ok(Socket(socket.into())),
                Err(Errno::INTR | Errno::AGAIN) => {} // until the time is over
                Err(error) => return Err(io::Error::from(error).into()),
            }
        }
    }

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
        // A signal for a closed connection would end a program that does not expect it.
        let flags = SendFlags::NOSIGNAL | if deadline.is_some() { SendFlags::DONTWAIT } else { SendFlags::empty() };
        let mut sent = self.moved(PollFlags::OUT, deadline, || {
            rustix::net::sendmsg(&self.0, &[IoSlice::new(&bytes)], &mut ancillary, flags)
        })?;
        // The descriptors went with the first byte.
        while sent < bytes.len() {
            let rest = &bytes[sent..];
            sent += self.moved(PollFlags::OUT, deadline, || rustix::net::send(&self.0, rest, flags))?;
        }
        Ok(())
    }

    /// Waits for one message, with the descriptors that come along.
    ///
    /// # Errors
    /// [`Error::Closed`] between messages; [`Error::Socket`], also after the stream's time limit; [`Error::Malformed`]
    /// for an impossible size: where the next message starts is not known then.
    pub fn receive(&self) -> Result<Message, Error> {
        let mut header = Header::default();
        let bytes = bytemuck::bytes_of_mut(&mut header);
        let mut descriptors = Vec::new();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let received = self.moved(PollFlags::IN, None, || {
            let mut slices = [IoSliceMut::new(bytes)];
            let received = rustix::net::recvmsg(&self.0, &mut slices, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
            Ok(received.bytes)
        })?;
        if received == 0 {
            return Err(Error::Closed);
        }
        for message in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = message {
                descriptors.extend(rights);
            }
        }
        self.receive_exact(None, &mut bytes[received..])?;
        Ok(Message { header, body: self.receive_body(None, header)?, descriptors })
    }

    /// As [`Socket::receive`], but the whole message has to come by `deadline`, and no descriptor is taken. The stream's
    /// own time limit is for each read, and there is one for each piece that the other side sends.
    ///
    /// # Errors
    /// As [`Socket::receive`].
    pub fn receive_by(&self, deadline: Instant) -> Result<Message, Error> {
        let mut header = Header::default();
        let bytes = bytemuck::bytes_of_mut(&mut header);
        let received = self.receive_some(Some(deadline), bytes)?;
        if received == 0 {
            return Err(Error::Closed);
        }
        self.receive_exact(Some(deadline), &mut bytes[received..])?;
        Ok(Message { header, body: self.receive_body(Some(deadline), header)?, descriptors: Vec::new() })
    }

    /// What follows a header.
    fn receive_body(&self, deadline: Option<Instant>, header: Header) -> Result<Vec<u8>, Error> {
        let size = header.size as usize;
        if !(size_of::<Header>()..=MAX_HEAD + MAX_TRANSFER).contains(&size) {
            return Err(Error::Malformed(format!("size {size} of command {}", header.command)));
        }
        let mut body = vec![0; size - size_of::<Header>()];
        self.receive_exact(deadline, &mut body)?;
        Ok(body)
    }

    fn receive_exact(&self, deadline: Option<Instant>, mut rest: &mut [u8]) -> io::Result<()> {
        while !rest.is_empty() {
            let received = self.receive_some(deadline, rest)?;
            if received == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            rest = &mut rest[received..];
        }
        Ok(())
    }

    /// Some bytes; none at the end. The kernel closes descriptors that come with them.
    fn receive_some(&self, deadline: Option<Instant>, to: &mut [u8]) -> io::Result<usize> {
        let flags = if deadline.is_some() { RecvFlags::DONTWAIT } else { RecvFlags::empty() };
        self.moved(PollFlags::IN, deadline, || Ok(rustix::net::recv(&self.0, &mut *to, flags)?.0))
    }

    /// How many bytes `call` moved. Before a deadline it does not wait by itself, and is called when there is something
    /// to move.
    fn moved(
        &self,
        ready: PollFlags,
        deadline: Option<Instant>,
        mut call: impl FnMut() -> rustix::io::Result<usize>,
    ) -> io::Result<usize> {
        loop {
            if let Some(deadline) = deadline {
                self.wait(ready, deadline)?;
            }
            match call() {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if deadline.is_some() => {}
                other => return other.map_err(io::Error::from),
            }
        }
    }

    /// Waits until there is something to read, or room to write, or the connection is closed.
    fn wait(&self, ready: PollFlags, deadline: Instant) -> io::Result<()> {
        loop {
            let rest = Timespec::try_from(remaining(deadline)?).map_err(|_| io::ErrorKind::InvalidInput)?;
            match poll(&mut [PollFd::new(&self.0, ready)], Some(&rest)) {
                Ok(0) | Err(Errno::INTR) => {}
                other => return other.map(drop).map_err(io::Error::from),
            }
        }
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
fn remaining(deadline: Instant) -> io::Result<Duration> {
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
        rest => Ok(rest),
    }
}
