// SPDX-License-Identifier: Apache-2.0
//! A connection of packets (`SOCK_SEQPACKET` on a Unix socket), each sent and received whole or not at all.

use crate::message::{Buffer, LONGEST};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{
    self, AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
};
use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest that the system waits for a packet in [`Socket::receive_by`]'s first call.
const TURN: Duration = Duration::from_secs(1);

/// One end of a connection. Nothing blocks but [`Socket::wait`] and [`Socket::receive_by`].
#[derive(Debug)]
pub struct Socket(OwnedFd);

/// What a receive gave.
#[derive(Debug, PartialEq, Eq)]
pub enum Received {
    /// A packet of so many bytes is in the buffer.
    Packet(usize),
    /// None is there yet.
    Nothing,
    /// The other side is gone, or sent a packet longer than any message.
    End,
}

impl Socket {
    /// A connection to the socket at this path.
    ///
    /// # Errors
    /// The system's: nobody is there, or there is no permission.
    pub fn connect(path: &Path) -> Result<Socket, Errno> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let fd = net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        net::connect(&fd, &SocketAddrUnix::new(path)?)?;
        set_socket_timeout(&fd, Timeout::Recv, Some(TURN))?;
        ioctl_fionbio(&fd, false)?;
        Ok(Socket(fd))
    }

    /// An accepted connection.
    pub fn accepted(fd: OwnedFd) -> Socket {
        Socket(fd)
    }

    /// Sends a packet; `false` if there is no room for it now.
    ///
    /// # Errors
    /// The system's: the other side is gone.
    pub fn send(&self, packet: &[u8]) -> Result<bool, Errno> {
        loop {
            match net::send(&self.0, packet, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                Ok(_) => return Ok(true),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// Sends a packet and a file with it, as [`Socket::send`].
    ///
    /// # Errors
    /// As [`Socket::send`].
    pub fn send_with_file(&self, packet: &[u8], file: BorrowedFd<'_>) -> Result<bool, Errno> {
        let files = [file];
        loop {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = SendAncillaryBuffer::new(&mut space);
            assert!(control.push(SendAncillaryMessage::ScmRights(&files)), "room for one file");
            let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
            match net::sendmsg(&self.0, &[IoSlice::new(packet)], &mut control, flags) {
                Ok(_) => return Ok(true),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// Receives a packet, if one is there, and the file that came with it. Where several came, the system or this closes them.
    pub fn receive_with_file(&self, buffer: &mut Buffer) -> (Received, Option<OwnedFd>) {
        loop {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let flags = RecvFlags::TRUNC | RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
            match net::recvmsg(&self.0, &mut [IoSliceMut::new(buffer.room())], &mut control, flags) {
                Ok(message) => {
                    let file = control.drain().find_map(|message| match message {
                        RecvAncillaryMessage::ScmRights(mut files) => files.next(),
                        _ => None,
                    });
                    return (arrived(buffer, message.bytes), file);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return (Received::Nothing, None),
                Err(_) => return (Received::End, None),
            }
        }
    }

    /// Receives a packet, if one is there.
    pub fn receive(&self, buffer: &mut Buffer) -> Received {
        loop {
            match self.receive_once(buffer, RecvFlags::DONTWAIT) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Received::Nothing,
                received => return received.unwrap_or(Received::End),
            }
        }
    }

    /// Receives a packet, and waits for it; [`Received::Nothing`] if none came until the deadline. One call of the system on
    /// connections made by [`Socket::connect`].
    pub fn receive_by(&self, buffer: &mut Buffer, deadline: Instant) -> Received {
        // Waiting and receiving are one call of the system at first. One turn of it may last longer than it ought to.
        while deadline.saturating_duration_since(Instant::now()) >= 2 * TURN {
            match self.receive_once(buffer, RecvFlags::empty()) {
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                received => return received.unwrap_or(Received::End),
            }
        }
        loop {
            match self.wait(PollFlags::IN, deadline) {
                Ok(true) => match self.receive(buffer) {
                    Received::Nothing => {}
                    received => return received,
                },
                Ok(false) => return Received::Nothing,
                Err(_) => return Received::End,
            }
        }
    }

    fn receive_once(&self, buffer: &mut Buffer, flags: RecvFlags) -> Result<Received, Errno> {
        // TRUNC: the length of the packet, though the buffer be shorter.
        let mut receive = || net::recv(&self.0, buffer.room(), RecvFlags::TRUNC | flags);
        let (_, length) = match receive() {
            // The other side closed with packets unread, which the system says once, before it hands out what that had sent.
            Err(Errno::CONNRESET) => receive()?,
            received => received?,
        };
        Ok(arrived(buffer, length))
    }

    /// Whether the other side is gone, though packets of it may still be here.
    pub fn is_over(&self) -> bool {
        let mut ends = [PollFd::new(&self.0, PollFlags::empty())];
        poll(&mut ends, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok() && ends[0].revents().contains(PollFlags::HUP)
    }

    /// Waits until a packet can be received, or sent, or the other side is gone; `false` if that took until the deadline.
    ///
    /// # Errors
    /// The system's, but not an interruption by a signal.
    pub fn wait(&self, what: PollFlags, deadline: Instant) -> Result<bool, Errno> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let time = Timespec { tv_sec: left.as_secs() as _, tv_nsec: left.subsec_nanos() as _ };
            match poll(&mut [PollFd::new(&self.0, what)], Some(&time)) {
                Ok(0) => return Ok(false),
                Ok(_) => return Ok(true),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// What there is when the system says that a packet has so many bytes.
fn arrived(buffer: &mut Buffer, length: usize) -> Received {
    buffer.written(length.min(LONGEST));
    if (1..=LONGEST).contains(&length) { Received::Packet(length) } else { Received::End }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
