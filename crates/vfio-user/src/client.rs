// SPDX-License-Identifier: Apache-2.0
//! The side that uses a device: one request at a time.

use crate::message::{
    DmaMap, DmaUnmap, Header, Info, IrqSet, MAX_DESCRIPTORS, MAX_TRANSFER, RegionAccess, RegionInfo, Version, command,
    flags, parse, pci,
};
use crate::{Error, Message, Socket};
use bytemuck::bytes_of;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::{Duration, Instant};

/// A connection to a device.
#[derive(Debug)]
pub struct Client {
    socket: Socket,
    next_id: u16,
    /// The longest that a request may take, with its answer.
    limit: Duration,
    /// After a half-read answer nothing that follows can be trusted.
    broken: bool,
}

impl Client {
    /// Connects and agrees on a version. No request takes longer than `limit`, whatever the other side sends meanwhile;
    /// after one that would have, the connection is of no use any more.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn connect(path: &Path, limit: Duration) -> Result<Client, Error> {
        let socket = Socket::connect(path, Instant::now() + limit)?;
        let mut client = Client { socket, next_id: 0, limit, broken: false };
        let capabilities = serde_json::json!({
            "capabilities": {"max_msg_fds": MAX_DESCRIPTORS, "max_data_xfer_size": MAX_TRANSFER}
        });
        let version = Version { major: 0, minor: 1 };
        let json = capabilities.to_string();
        let answer = client.request(command::VERSION, &[bytes_of(&version), json.as_bytes(), &[0]], &[])?;
        let (theirs, _): (Version, _) = parse(&answer)?;
        if theirs.major != version.major {
            return Err(Error::Malformed(format!("version {}.{}, 0.x is spoken here", theirs.major, theirs.minor)));
        }
        Ok(client)
    }

    /// What the device is.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn info(&mut self) -> Result<Info, Error> {
        let info = Info { argsz: size_of::<Info>() as u32, ..Info::default() };
        Ok(parse(&self.request(command::GET_INFO, &[bytes_of(&info)], &[])?)?.0)
    }

    /// Size and properties of a region.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn region_info(&mut self, index: u32) -> Result<RegionInfo, Error> {
        let info = RegionInfo { argsz: size_of::<RegionInfo>() as u32, index, ..RegionInfo::default() };
        Ok(parse(&self.request(command::GET_REGION_INFO, &[bytes_of(&info)], &[])?)?.0)
    }

    /// Reads from a region.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn region_read(&mut self, region: u32, offset: u64, data: &mut [u8]) -> Result<(), Error> {
        let access = RegionAccess { offset, region, count: data.len() as u32 };
        let answer = self.request(command::REGION_READ, &[bytes_of(&access)], &[])?;
        let (_, read): (RegionAccess, _) = parse(&answer)?;
        if read.len() != data.len() {
            return Err(Error::Malformed(format!("{} bytes for a read of {}", read.len(), data.len())));
        }
        data.copy_from_slice(read);
        Ok(())
    }

    /// Writes to a region.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn region_write(&mut self, region: u32, offset: u64, data: &[u8]) -> Result<(), Error> {
        let access = RegionAccess { offset, region, count: data.len() as u32 };
        self.request(command::REGION_WRITE, &[bytes_of(&access), data], &[]).map(drop)
    }

    /// Lets the device read and write `size` bytes of `memory`, which it sees at `address`.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn dma_map(&mut self, address: u64, size: u64, memory: BorrowedFd<'_>) -> Result<(), Error> {
        let map =
            DmaMap { argsz: size_of::<DmaMap>() as u32, flags: DmaMap::READ | DmaMap::WRITE, offset: 0, address, size };
        self.request(command::DMA_MAP, &[bytes_of(&map)], &[memory]).map(drop)
    }

    /// Takes memory back.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn dma_unmap(&mut self, address: u64, size: u64) -> Result<(), Error> {
        let unmap = DmaUnmap { argsz: size_of::<DmaUnmap>() as u32, flags: 0, address, size };
        self.request(command::DMA_UNMAP, &[bytes_of(&unmap)], &[]).map(drop)
    }

    /// Event descriptors that the device signals, one for each of its MSI-X vectors from 0 on.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn set_interrupts(&mut self, events: &[BorrowedFd<'_>]) -> Result<(), Error> {
        let set = IrqSet {
            argsz: size_of::<IrqSet>() as u32,
            flags: IrqSet::EVENT | IrqSet::TRIGGER,
            index: pci::MSIX,
            start: 0,
            count: events.len() as u32,
        };
        self.request(command::SET_IRQS, &[bytes_of(&set)], events).map(drop)
    }

    /// Resets the device.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn reset(&mut self) -> Result<(), Error> {
        self.request(command::RESET, &[], &[]).map(drop)
    }

    /// Sends any command and gives the payload of its answer.
    ///
    /// # Errors
    /// Any of [`Error`].
    pub fn request(&mut self, command: u16, parts: &[&[u8]], descriptors: &[BorrowedFd<'_>]) -> Result<Vec<u8>, Error> {
        if self.broken {
            return Err(Error::Closed);
        }
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        let answer =
            self.exchange(Header { id, command, ..Header::default() }, parts, descriptors).inspect_err(|_| {
                self.broken = true;
            })?;
        if answer.header.flags & flags::ERROR != 0 {
            return Err(Error::Refused { command, errno: answer.header.error });
        }
        Ok(answer.body)
    }

    /// Sends a request and waits for its answer.
    fn exchange(&self, header: Header, parts: &[&[u8]], descriptors: &[BorrowedFd<'_>]) -> Result<Message, Error> {
        let deadline = Instant::now() + self.limit;
        self.socket.send_by(Some(deadline), header, parts, descriptors)?;
        loop {
            let message = self.socket.receive_by(deadline)?;
            if message.is_reply() && message.header.id == header.id {
                return Ok(message);
            }
            if !message.is_reply() && message.header.flags & flags::NO_REPLY == 0 {
                // All memory is mapped with descriptors, so the device has nothing to ask for.
                let error = rustix::io::Errno::OPNOTSUPP.raw_os_error() as u32;
                let refusal = Header { flags: flags::REPLY | flags::ERROR, error, ..message.header };
                self.socket.send_by(Some(deadline), refusal, &[], &[])?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refusal::refuse_descriptors;
    use rustix::io::Errno;
    use rustix::net::sockopt::set_socket_linger;
    use rustix::net::{
        AddressFamily, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags, SocketType,
        bind, connect, listen, sendmsg, socket_with,
    };
    use std::io::{IoSlice, Read, Write};
    use std::mem::MaybeUninit;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;
    use std::os::unix::net::{UnixListener, UnixStream};
    use std::sync::mpsc;
    use std::thread;

    /// Makes a request of a server that sends `piece` again and again, and always takes what it gets.
    fn request_of_one_that_sends(piece: &[u8]) {
        const LIMIT: Duration = Duration::from_millis(300);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        std::thread::scope(|scope| {
            let mut reader = theirs.try_clone().unwrap();
            scope.spawn(move || while reader.read(&mut [0; 4096]).is_ok_and(|read| read > 0) {});
            scope.spawn(move || {
                while theirs.write_all(piece).is_ok() {
                    std::thread::sleep(LIMIT / 10);
                }
            });
            let mut client = Client { socket: Socket::new(ours), next_id: 0, limit: LIMIT, broken: false };
            let start = Instant::now();
            assert!(matches!(client.reset(), Err(Error::Socket(_))), "the time is over");
            assert!(start.elapsed() < 10 * LIMIT, "{:?} for a limit of {LIMIT:?}", start.elapsed());
            assert!(matches!(client.reset(), Err(Error::Closed)), "nothing is read from the middle of an answer");
        });
    }

    #[test]
    fn an_answer_that_comes_byte_by_byte_has_no_more_time_than_any_other() {
        request_of_one_that_sends(&[0x40]); // a size of 0x40404040 were it to come so far
    }

    #[test]
    fn messages_that_are_no_answer_do_not_renew_the_time_for_it() {
        let size = size_of::<Header>() as u32;
        let request = Header { id: 7, command: command::DMA_READ, size, ..Header::default() };
        request_of_one_that_sends(bytes_of(&request));
        let late = Header { id: 7, command: command::RESET, size, flags: flags::REPLY, ..Header::default() };
        request_of_one_that_sends(bytes_of(&late));
    }

    /// What `work` gives, which is to end long before this.
    fn that_ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
        let (done, wait) = mpsc::channel();
        thread::spawn(move || done.send(work()));
        wait.recv_timeout(Duration::from_secs(30)).expect("it hangs")
    }

    #[test]
    fn a_listener_that_takes_nobody_in_does_not_hold_the_caller_for_ever() {
        let folder = std::env::temp_dir().join(format!("garner-vfio-user-{}", std::process::id()));
        let path = folder.with_extension("socket");
        let address = SocketAddrUnix::new(&path).unwrap();
        let new = |flags| socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
        let listener = new(SocketFlags::CLOEXEC);
        bind(&listener, &address).unwrap();
        listen(&listener, 0).unwrap();
        let mut waiting = Vec::new();
        loop {
            let socket = new(SocketFlags::CLOEXEC | SocketFlags::NONBLOCK);
            match connect(&socket, &address) {
                Ok(()) => waiting.push(socket),
                Err(error) => break assert_eq!(error, Errno::AGAIN),
            }
        }
        let place = path.clone();
        let connected = that_ends(move || Client::connect(&place, Duration::from_millis(100)).map(drop));
        assert!(matches!(connected, Err(Error::Socket(_))), "{connected:?}");
        std::fs::remove_file(path).unwrap();
    }

    /// A connection with unsent data that lingers for longer than any test: whoever gives its last reference back
    /// waits. The other end, too.
    fn lingering() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (other, _) = listener.accept().unwrap();
        stream.set_nonblocking(true).unwrap();
        while (&stream).write(&[0; 1 << 16]).is_ok() {}
        stream.set_nonblocking(false).unwrap();
        set_socket_linger(&stream, Some(Duration::from_secs(3600))).unwrap();
        (stream, other)
    }

    #[test]
    fn a_descriptor_that_comes_with_an_answer_holds_nobody_when_it_is_closed() {
        if !refuse_descriptors(&UnixStream::pair().unwrap().0.into()) {
            return println!("not tried: Linux before 6.16 cannot refuse descriptors");
        }
        let folder = std::env::temp_dir().join(format!("garner-vfio-user-{}", std::process::id()));
        let path = folder.with_extension("descriptor");
        let listener = UnixListener::bind(&path).unwrap();
        let (sent, was_sent) = mpsc::channel();
        thread::spawn(move || {
            let stream = listener.accept().unwrap().0;
            let socket = Socket::new(stream.try_clone().unwrap());
            loop {
                let Ok(request) = socket.receive() else { return };
                let body = if request.header.command == command::VERSION { vec![0; 5] } else { Vec::new() };
                let size = (size_of::<Header>() + body.len()) as u32;
                let header = Header { flags: flags::REPLY, size, ..request.header };
                let answer = [bytes_of(&header), &body].concat();
                // With the first byte, and closed here before the rest follows: the last one is the client's.
                let (stays, other) = lingering();
                let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
                let mut ancillary = SendAncillaryBuffer::new(&mut space);
                let stays = [stays.as_fd()];
                assert!(ancillary.push(SendAncillaryMessage::ScmRights(&stays)));
                let first = sendmsg(&stream, &[IoSlice::new(&answer[..1])], &mut ancillary, SendFlags::empty());
                sent.send(first).unwrap();
                if first.is_err() {
                    // Here it would wait, too.
                    set_socket_linger(stays[0], None).unwrap();
                }
                let rest = if first.is_ok() { &answer[1..] } else { &answer[..] };
                (&stream).write_all(rest).unwrap();
                std::mem::forget(other);
            }
        });
        let place = path.clone();
        let answered = that_ends(move || {
            let mut client = Client::connect(&place, Duration::from_secs(20))?;
            client.reset()
        });
        answered.unwrap();
        assert_eq!(was_sent.recv().unwrap(), Err(Errno::PERM), "the kernel refused to send it");
        std::fs::remove_file(path).unwrap();
    }
}
