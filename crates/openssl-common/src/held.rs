// SPDX-License-Identifier: Apache-2.0
//! Keys that garnerd holds: a key whose private exponent is that of a stub is nobody's but the daemon's.
//!
//! The daemon is asked by a connection that is made at the first operation; a child made by `fork` makes its own. If it does
//! not answer, the operation fails: there is no key here to do it with. An asynchronous job is not paused meanwhile.

use crate::call::Refusal;
use garner::secret::Wiped;
use garner_openssl_common::stack::with_room;
use garner_remote::message::{Fingerprint, KeyName, Work};
use garner_remote::{Client, Error, message};
use once_cell::race::OnceBox;

/// The process's client.
fn client() -> &'static Client {
    static CLIENT: OnceBox<Client> = OnceBox::new();
    CLIENT.get_or_init(|| Box::new(Client::from_environment()))
}

/// Why the daemon gave no answer.
pub enum Failure {
    /// What was to be decrypted does not decrypt.
    Verification,
    /// Anything else.
    Refused(Refusal),
}

/// Has the daemon do a piece of work with the key of this modulus.
///
/// # Errors
/// [`Failure`].
pub fn ask(modulus: Fingerprint, work: Work<'_>) -> Result<Wiped<u8>, Failure> {
    match with_room(|| client().call(KeyName::Modulus(modulus), work)) {
        Some(Ok(answer)) => Ok(answer),
        Some(Err(Error::Refused(message::Refusal::Verification))) => Err(Failure::Verification),
        Some(Err(error)) => Err(Failure::Refused(Refusal::Because(error.to_string()))),
        None => Err(Failure::Refused(garner::Error::Memory.into())),
    }
}

/// The daemon has no such operation.
pub fn unknown(operation: &str) -> Refusal {
    Refusal::Because(format!("garnerd, which holds this key, has no {operation} of this kind"))
}
