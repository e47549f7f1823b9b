// SPDX-License-Identifier: Apache-2.0
//! What comes of an operation: an answer, which may have a message in it, or why there is none.

use garner::Error;
use garner::encryption::Decryption;
use garner::gather::Output;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Not now, or not in this process: OpenSSL is to do it itself.
    Unavailable,
    /// It was done and failed, or nobody can do it.
    Failed(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Full(_)
            | Error::ShutDown
            | Error::Forked
            | Error::Device { .. }
            | Error::Random(_)
            | Error::Memory => Failure::Unavailable,
            // The input was judged when the operation was made: what is missing now is a hash function.
            Error::Argument { .. } => Failure::Unavailable,
            error => Failure::Failed(error),
        }
    }
}

/// The answer, or the message that `opening` takes out of it.
///
/// # Errors
/// Those of [`Decryption::open`].
pub(crate) fn open(opening: Option<&Decryption>, output: Output) -> Result<Output, Error> {
    match opening {
        Some(opening) => opening.open(&output),
        None => Ok(output),
    }
}
