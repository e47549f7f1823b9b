// SPDX-License-Identifier: Apache-2.0
//! One operation for a caller from OpenSSL.

use crate::Service;
use crate::job::{self, Job};
pub use crate::outcome::Failure;
use crate::outcome::open;
use crate::stack::with_room;
use garner::Error;
use garner::encryption::Decryption;
use garner::gather::{Operation, Output};

/// Runs a private operation and waits for its answer; `opening`, if any, takes the message out of it.
///
/// Called from inside an asynchronous job of OpenSSL, it pauses the job meanwhile. Such a job may be abandoned while it
/// is paused, and then never returns from here: all that is needed then belongs to the job's wait context, and **the
/// caller must own no memory at this moment** (nothing on its stack would ever be dropped).
///
/// # Errors
/// [`Failure`].
pub fn run(service: &Service, operation: Operation, opening: Option<Decryption>) -> Result<Output, Failure> {
    match Job::current() {
        Some(job) if !service.ending() => job::run(service, &job, operation, opening),
        _ => {
            let done = with_room(|| open(opening.as_ref(), service.gatherer().run(operation)?));
            service.hold_back();
            Ok(done.unwrap_or(Err(Error::Memory))?)
        }
    }
}
