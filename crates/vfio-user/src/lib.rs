// SPDX-License-Identifier: Apache-2.0
//! vfio-user: VFIO's view of a PCI function, over a UNIX socket. A client (a driver, a virtual machine monitor) uses a
//! device that another process presents.
//!
//! [`message`] is the one place for layouts; [`Socket`] moves whole messages with their descriptors; [`Client`] is the
//! side that uses a device. The other side, which has to answer while its device works, is built over [`Socket`].
//!
//! Source: the vfio-user specification, version 0.1, as QEMU 11 and libvfio-user speak it. The crate `vfio_user` was
//! not enough: its client takes error replies for good ones, and its server ends at the first request that fails.

#![deny(unsafe_code)]

mod client;
pub mod message;
#[allow(unsafe_code, reason = "a socket option that no crate has")]
mod refusal;
mod socket;

pub use client::Client;
pub use socket::{Message, Socket};

/// What can go wrong between the two sides.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The socket failed, or the other side did not answer in time.
    #[error("vfio-user socket: {0}")]
    Socket(#[from] std::io::Error),
    /// The other side closed the connection.
    #[error("the other side closed the vfio-user connection")]
    Closed,
    /// The other side refused, with this error number.
    #[error("vfio-user command {command} was refused: {}", std::io::Error::from_raw_os_error(*.errno as i32))]
    Refused {
        /// The command, see [`message::command`].
        command: u16,
        /// The error number of the answer.
        errno: u32,
    },
    /// The other side sent something that is no message of the protocol.
    #[error("malformed vfio-user message: {0}")]
    Malformed(String),
}
