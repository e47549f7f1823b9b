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
    pub fn send(&self, mut header: Header, parts: &[&[u8]], descriptors: &[BorrowedFd<'_>]) -> Result<(), Error> {
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
        let sent = loop {
            match rustix::net::sendmsg(&self.0, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL) {
                Err(rustix::io::Errno::INTR) => {}
                other => break other.map_err(io::Error::from)?,
            }
        };
        // The descriptors went with the first byte.
        (&self.0).write_all(&bytes[sent..])?;
        Ok(())
    }

    /// Waits for one message.
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
        let received = loop {
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
        (&self.0).read_exact(&mut bytes[received..])?;
        let size = header.size as usize;
        if !(size_of::<Header>()..=MAX_HEAD + MAX_TRANSFER).contains(&size) {
            return Err(Error::Malformed(format!("size {size} of command {}", header.command)));
        }
        let mut body = vec![0; size - size_of::<Header>()];
        (&self.0).read_exact(&mut body)?;
        Ok(Message { header, body, descriptors })
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
