// SPDX-License-Identifier: Apache-2.0
//! The daemon's figures, read from where it gives them as OpenMetrics.

use crate::error::Error;
use garner::environment;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the daemon gives its figures, unless `GARNER_METRICS` says otherwise.
pub const SOCKET: &str = "/run/garnerd/metrics";

/// Longest answer read, in bytes.
const LONGEST: u64 = 1 << 20;

/// How long the daemon may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// The socket that is meant: `GARNER_METRICS`, else [`SOCKET`].
pub fn socket() -> PathBuf {
    environment::variable("GARNER_METRICS").map_or_else(|| SOCKET.into(), PathBuf::from)
}

/// The daemon's figures: names as OpenMetrics has them, with their labels, and values.
///
/// # Errors
/// [`Error::Unreachable`], and [`Error::Malformed`] for what is no answer of a daemon.
pub fn read(path: &Path) -> Result<Vec<(String, f64)>, Error> {
    let unreachable = |error: io::Error| Error::Unreachable { path: path.to_owned(), reason: error.to_string() };
    let answer = ask(path).map_err(unreachable)?;
    let (head, text) = answer.split_once("\r\n\r\n").ok_or(Error::Malformed)?;
    let whole = head.starts_with("HTTP/1.1 200 ") && text.ends_with("# EOF\n");
    if !whole {
        return Err(Error::Malformed);
    }
    let figures = text.lines().filter(|line| !line.starts_with('#'));
    figures.map(|line| figure(line).ok_or(Error::Malformed)).collect()
}

fn ask(path: &Path) -> io::Result<String> {
    let mut stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: garnerd\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(LONGEST).read_to_string(&mut answer)?;
    Ok(answer)
}

/// A line: a name and its value.
fn figure(line: &str) -> Option<(String, f64)> {
    let (name, value) = line.rsplit_once(' ')?;
    Some((name.to_owned(), value.parse().ok()?))
}
