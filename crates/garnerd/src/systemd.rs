// SPDX-License-Identifier: Apache-2.0
//! Sockets that the system's manager hands over to the daemon that it starts.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};

/// All of them, which are closed in programs that this one starts. A second call finds none.
///
/// # Errors
/// What the manager left in the environment is no list of descriptors, or they are not open.
pub fn sockets() -> io::Result<Vec<OwnedFd>> {
    // The environment still has them then.
    static TAKEN: AtomicBool = AtomicBool::new(false);
    if TAKEN.swap(true, Ordering::Relaxed) {
        return Ok(Vec::new());
    }
    // SAFETY: the manager's protocol: these descriptors are ours, and nobody else in the process has them.
    Ok(sd_notify::listen_fds()?.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) }).collect())
}
