// SPDX-License-Identifier: Apache-2.0
//! RSA private operations by garnerd, the daemon that gathers the operations of many processes and holds their keys.
//!
//! Called by front ends and by the daemon itself; calls the library for its types only.
//!
//! | module | subject |
//! |---|---|
//! | [`message`] | what is asked and answered: one message each, no state between them |
//! | [`scheme`] | signature and encryption schemes in messages |
//! | [`socket`] | a connection: whole messages, and a deadline for each |
//! | [`call`] | one call as a machine of states, without socket and clock |
//! | [`client`] | runs calls: asks the daemon, again and again until a deadline if it is gone |
//! | `idle` | connections on which nothing is under way |
//! | `watch` | when a call watches for its answer |
//! | [`held`] | a key that the daemon holds |
//! | [`askers`] | many questions at once: threads that ask, and tickets for the answers |
//! | [`key`] | a key wherever it is, and operations with it |
//! | [`batch`] | several private operations with keys that the program lends, as a machine of states |
//! | [`lender`] | runs batches: lends keys where the daemon has not got them |
//! | [`sealed`] | a key on its way to the daemon, in sealed memory |
//! | [`figures`] | what the daemon has done |
//! | [`stub`] | files that stand for a key that the daemon holds |

#![forbid(unsafe_code)]

pub mod askers;
pub mod batch;
pub mod call;
pub mod client;
pub mod error;
pub mod figures;
pub mod held;
mod idle;
pub mod key;
pub mod lender;
pub mod message;
pub mod scheme;
pub mod sealed;
pub mod socket;
pub mod stub;
mod watch;

pub use client::Client;
pub use error::Error;
pub use held::HeldKey;
pub use key::Key;
