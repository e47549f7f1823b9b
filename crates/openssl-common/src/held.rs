// SPDX-License-Identifier: Apache-2.0
//! Keys that garnerd holds: a key whose private exponent is that of a stub is nobody's but the daemon's.
//!
//! The daemon is asked by a connection that is made at the first operation; a child made by `fork` makes its own. If it does
//! not answer, the operation fails: there is no key here to do it with. An asynchronous job is not paused meanwhile.

use crate::stack::with_room;
use garner::encryption;
use garner::secret::Wiped;
use garner_remote::message::{self, Fingerprint, KeyName, Work};
use garner_remote::scheme::{self, EncryptionScheme};
use garner_remote::{Client, Error};

/// Why the daemon gave no answer.
#[derive(Debug)]
pub enum Failure {
    /// What was to be decrypted does not decrypt.
    Verification,
    /// Anything else, in words.
    Refused(String),
}

/// Has the daemon do a piece of work with the key of this modulus. `None` stands for an operation that no message has: `what` it is.
///
/// # Errors
/// [`Failure`].
pub fn ask(modulus: Fingerprint, work: Option<Work<'_>>, what: &str) -> Result<Wiped<u8>, Failure> {
    let unknown = || Failure::Refused(format!("garnerd, which holds this key, has no {what} of this kind"));
    let work = work.ok_or_else(unknown)?;
    answered(with_room(|| Client::of_process().call(KeyName::Modulus(modulus), work)))
}

/// Has the daemon decrypt `ciphertext`, as long as the modulus, with the key of this modulus. `None` stands for a scheme that the
/// library does not have.
///
/// # Errors
/// [`Failure`].
pub fn decrypt(
    modulus: Fingerprint,
    scheme: Option<encryption::Scheme<'_>>,
    ciphertext: &[u8],
) -> Result<Wiped<u8>, Failure> {
    let work = scheme.and_then(|scheme| match scheme {
        encryption::Scheme::Raw => Some(Work::Raw { input: ciphertext }),
        scheme => EncryptionScheme::of(scheme).map(|scheme| Work::Decrypt { scheme, ciphertext }),
    });
    let answer = ask(modulus, work, "decryption")?;
    match scheme {
        Some(scheme) => answered(with_room(|| scheme::opened(scheme, answer))),
        None => Ok(answer),
    }
}

/// `None` stands for a stack that there was no memory for.
fn answered(answer: Option<Result<Wiped<u8>, Error>>) -> Result<Wiped<u8>, Failure> {
    match answer {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(Error::Refused(message::Refusal::Verification))) => Err(Failure::Verification),
        Some(Err(error)) => Err(Failure::Refused(error.to_string())),
        None => Err(Failure::Refused(garner::Error::Memory.to_string())),
    }
}
