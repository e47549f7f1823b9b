// SPDX-License-Identifier: Apache-2.0
//! The socket that clients connect to: one that the system's manager hands over, or our own.

use crate::config::Fault;
use crate::systemd;
use garner_remote::socket::Socket;
use rustix::fs::{FlockOperation, Mode, OFlags, chmod, flock, open};
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

/// Connections that may wait to be accepted.
const WAITING: i32 = 4096;

const HANDED: &str = "the socket that was handed over is none of packets: ListenSequentialPacket=";

/// The socket, and what keeps a second daemon from taking its place.
#[derive(Debug)]
pub struct Listener {
    /// The socket.
    pub fd: OwnedFd,
    /// Held as long as the daemon runs.
    _lock: Option<OwnedFd>,
}

impl Listener {
    /// The socket of clients that the system's manager handed over, else one at this path; and the other sockets that it
    /// handed over, of streams: whoever connects there gets figures.
    ///
    /// # Errors
    /// [`Fault`]: another daemon runs there, the path cannot be used, or more than one socket of packets was handed over.
    pub fn open(path: &Path) -> Result<(Listener, Vec<OwnedFd>), Fault> {
        let fault = |error: Errno| Fault::of(path, error);
        let (mut clients, mut streams) = (None, Vec::new());
        for fd in systemd::sockets().map_err(|error| Fault::of(path, error))? {
            match net::sockopt::socket_type(&fd) {
                Ok(SocketType::STREAM) => streams.push(fd),
                Ok(SocketType::SEQPACKET) if clients.is_none() => {
                    rustix::io::ioctl_fionbio(&fd, true).map_err(fault)?;
                    clients = Some(Listener { fd, _lock: None });
                }
                Ok(SocketType::SEQPACKET) => return Err(Fault::of(path, "more than one socket was handed over")),
                _ => return Err(Fault::of(path, HANDED)),
            }
        }
        match clients {
            Some(listener) => Ok((listener, streams)),
            None if streams.is_empty() => Ok((Listener::bind(path)?, streams)),
            None => Err(Fault::of(path, HANDED)),
        }
    }

    fn bind(path: &Path) -> Result<Listener, Fault> {
        let fault = |error: Errno| Fault::of(path, error);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Fault::of(folder, error))?;
        }
        // Two daemons that start at once must not take each other's socket for an old one.
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let lock = open(&name, flags, Mode::RUSR | Mode::WUSR).map_err(|error| Fault::of(Path::new(&name), error))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::AGAIN) => return Err(Fault::of(path, "another garnerd runs there")),
            Err(error) => return Err(fault(error)),
        }
        give_way(path, Socket::connect(path).map(drop))?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let fd = net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None).map_err(fault)?;
        net::bind(&fd, &SocketAddrUnix::new(path).map_err(fault)?).map_err(fault)?;
        // Everybody may connect: the keys' policies say who may use what.
        chmod(path, Mode::from_raw_mode(0o666)).map_err(fault)?;
        net::listen(&fd, WAITING).map_err(fault)?;
        Ok(Listener { fd, _lock: Some(lock) })
    }
}

/// Removes a socket that was left by a daemon that was killed; what `connected` says of a try to connect to it decides.
///
/// # Errors
/// [`Fault`]: somebody answers, or it cannot be removed.
pub fn give_way(path: &Path, connected: Result<(), Errno>) -> Result<(), Fault> {
    match connected {
        Ok(()) => Err(Fault::of(path, "somebody answers there already")),
        Err(Errno::CONNREFUSED) => fs::remove_file(path).map_err(|error| Fault::of(path, error)),
        Err(_) => Ok(()),
    }
}
