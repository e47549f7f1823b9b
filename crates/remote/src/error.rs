// SPDX-License-Identifier: Apache-2.0
//! What can go wrong between a program and the daemon.

use crate::message::Refusal;
use std::path::PathBuf;

/// Why the daemon did not answer as wished.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nobody answered in time.
    #[error("garnerd does not answer at {}: {reason}", path.display())]
    Unreachable {
        /// The daemon's socket.
        path: PathBuf,
        /// What happened last.
        reason: String,
    },
    /// The daemon refused.
    #[error("garnerd: {}", said(.0))]
    Refused(Refusal),
    /// The request is longer than a message may be, or its scheme is in no message.
    #[error("garnerd has no such operation: {0}")]
    Unsupported(&'static str),
    /// An answer came that is none.
    #[error("garnerd answered with something that is no answer")]
    Malformed,
    /// It was not asked, because of this.
    #[error(transparent)]
    Here(#[from] garner::Error),
}

/// As front ends give it to whom a key that is elsewhere is as one that is here.
impl From<Error> for garner::Error {
    fn from(error: Error) -> garner::Error {
        match error {
            Error::Here(error) => error,
            Error::Refused(Refusal::Verification) => garner::Error::Verification,
            Error::Refused(Refusal::Argument { .. }) | Error::Unsupported(_) => {
                garner::Error::argument("operation", error.to_string())
            }
            Error::Unreachable { path, reason } => {
                by_daemon(format!("does not answer at {}: {reason}", path.display()))
            }
            Error::Refused(refusal) => by_daemon(said(&refusal)),
            Error::Malformed => by_daemon("answered with something that is no answer".to_owned()),
        }
    }
}

fn by_daemon(reason: String) -> garner::Error {
    garner::Error::Device { device: "garnerd".to_owned(), reason }
}

fn said(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Malformed => "it does not understand the request".to_owned(),
        Refusal::Version(version) => format!("it speaks version {version} of its protocol, and this program another"),
        Refusal::NoKey => "it has no such key, or you may not use it".to_owned(),
        Refusal::Forbidden(what) => format!("not permitted: {what}"),
        Refusal::TooMany => "too many requests or connections".to_owned(),
        Refusal::Argument { name, reason } => format!("{name}: {reason}"),
        Refusal::Verification => "verification failed".to_owned(),
        Refusal::Failed(why) => why.clone(),
    }
}
