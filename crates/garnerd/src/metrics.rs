// SPDX-License-Identifier: Apache-2.0
//! The socket that Prometheus and `garner stats` read: HTTP, one path, one answer a connection. It asks for nobody's name, and
//! tells of no key.

use crate::config::Fault;
use crate::figures::MEDIA_TYPE;
use crate::listen;
use rustix::fs::{Mode, chmod};
use rustix::io::Errno;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest request that is read, in bytes: Prometheus sends some hundred.
const LONGEST: usize = 8192;

/// The longest that one reader may take: others wait meanwhile. Whoever is on this machine sends his request at once.
const PATIENCE: Duration = Duration::from_secs(2);
const PATIENCE_HERE: Duration = Duration::from_millis(100);

/// A listening socket.
#[derive(Debug)]
pub enum Listener {
    /// On a Unix socket.
    Unix(UnixListener),
    /// By TCP, on an address of the machine.
    Tcp(TcpListener),
}

impl Listener {
    /// One that the system's manager handed over.
    pub fn handed(fd: OwnedFd) -> Listener {
        let is_unix = rustix::net::sockopt::socket_domain(&fd) == Ok(rustix::net::AddressFamily::UNIX);
        if is_unix { Listener::Unix(fd.into()) } else { Listener::Tcp(fd.into()) }
    }

    /// One at an address (`127.0.0.1:9464`) or a path (`/run/garnerd/metrics`), where one left by a daemon that is gone gives
    /// way.
    ///
    /// # Errors
    /// [`Fault`]: it is in use, or there is no permission.
    pub fn bind(place: &str) -> Result<Listener, Fault> {
        let path = Path::new(place);
        let fault = |error: io::Error| Fault::of(path, error);
        if !path.is_absolute() {
            return TcpListener::bind(place).map(Listener::Tcp).map_err(fault);
        }
        let connected = UnixStream::connect(path).map(drop);
        listen::give_way(path, connected.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
        let listener = UnixListener::bind(path).map_err(fault)?;
        chmod(path, Mode::from_raw_mode(0o666)).map_err(|error| Fault::of(path, error))?;
        Ok(Listener::Unix(listener))
    }

    /// Answers until the process ends.
    pub fn serve(&self, text: impl Fn() -> String) {
        loop {
            let served = match self {
                Listener::Unix(listener) => listener.accept().and_then(|(stream, _)| serve(stream, &text)),
                Listener::Tcp(listener) => listener.accept().and_then(|(stream, _)| serve(stream, &text)),
            };
            // A reader that went away is none of the daemon's affair; one that cannot be accepted is still there.
            if served.is_err_and(|error| error.raw_os_error().is_some()) {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// A connection, whose reads and writes can be given a limit.
trait Stream: Read + Write {
    /// How long its request may take.
    const PATIENCE: Duration;

    fn limit(&self, time: Duration) -> io::Result<()>;
}

impl Stream for UnixStream {
    const PATIENCE: Duration = PATIENCE_HERE;

    fn limit(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time)).and_then(|()| self.set_write_timeout(Some(time)))
    }
}

impl Stream for TcpStream {
    const PATIENCE: Duration = PATIENCE;

    fn limit(&self, time: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(time)).and_then(|()| self.set_write_timeout(Some(time)))
    }
}

/// Reads one request and answers it.
fn serve<S: Stream>(mut stream: S, text: &impl Fn() -> String) -> io::Result<()> {
    let deadline = Instant::now() + S::PATIENCE;
    let mut request = Vec::new();
    while !request.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut part = [0; 1024];
        stream.limit(left.max(Duration::from_millis(1)))?;
        let length = stream.read(&mut part)?;
        if length == 0 || left.is_zero() || request.len() + length > LONGEST {
            return Ok(());
        }
        request.extend(&part[..length]);
    }
    let line = request.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let (status, body) = match String::from_utf8_lossy(line).split(' ').collect::<Vec<_>>()[..] {
        ["GET", path, version] if version.starts_with("HTTP/1.") => match path.split('?').next() {
            Some("/metrics") => ("200 OK", text()),
            _ => ("404 Not Found", "only /metrics is here\n".to_owned()),
        },
        [_, _, version] if version.starts_with("HTTP/1.") => ("405 Method Not Allowed", "only GET\n".to_owned()),
        _ => ("400 Bad Request", "this is no HTTP\n".to_owned()),
    };
    let kind = if status.starts_with("200") { MEDIA_TYPE } else { "text/plain" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// Opens every place that is configured, and what was handed over.
///
/// # Errors
/// Those of [`Listener::bind`].
pub fn open(places: &[String], handed: Vec<OwnedFd>) -> Result<Vec<Listener>, Fault> {
    let handed = handed.into_iter().map(|fd| Ok(Listener::handed(fd)));
    handed.chain(places.iter().map(|place| Listener::bind(place))).collect()
}
