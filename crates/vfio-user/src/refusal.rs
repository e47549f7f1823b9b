// SPDX-License-Identifier: Apache-2.0
//! A socket option that no crate has.

use std::os::fd::{AsRawFd, OwnedFd};

/// Has the kernel refuse descriptors that the other side attaches; whether it does. The receiver's reference may be the
/// last one, and to give that back can take as long as whoever sent it likes: a connection that lingers, for one. Linux
/// before 6.16 knows no way to refuse them.
pub(crate) fn refuse_descriptors(socket: &OwnedFd) -> bool {
    const SO_PASSRIGHTS: libc::c_int = 83;
    let off: libc::c_int = 0;
    // SAFETY: the descriptor is open, and the value is as long as it says.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            SO_PASSRIGHTS,
            (&raw const off).cast(),
            size_of_val(&off) as libc::socklen_t,
        ) == 0
    }
}
