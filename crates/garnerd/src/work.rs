// SPDX-License-Identifier: Apache-2.0
//! From a request to an operation of the gatherer, and from its output to an answer.

use garner::encryption::{self, Decryption};
use garner::gather::{Operation, Output};
use garner::key::PrivateKey;
use garner::{Error, padding::pkcs1v15, signature};
use garner_remote::message::{Refusal, Work};
use std::sync::Arc;
use zeroize::Zeroizing;

/// What is to be done for a request.
#[derive(Debug)]
pub enum Task {
    /// Nothing more: this is the answer.
    Answer(Vec<u8>),
    /// This operation, and something with its output.
    Operation(Operation, Finish),
}

/// What is done with an operation's output.
#[derive(Debug)]
pub enum Finish {
    /// It is the answer.
    AsItIs,
    /// The message is taken out of it.
    Open(Decryption),
}

/// What is to be done.
///
/// # Errors
/// [`Refusal`]: the arguments do not fit the key, or nothing is done with a key ([`Work::Lend`], [`Work::List`]).
pub fn task(key: &Arc<PrivateKey>, work: &Work<'_>) -> Result<Task, Refusal> {
    let operation = match *work {
        Work::Describe => return Ok(Task::Answer(key.public().to_der())),
        Work::Lend | Work::List => return Err(Refusal::Malformed),
        Work::Sign { scheme, digest } => signature::signing(key, scheme, digest),
        Work::SignUnnamed { payload } => {
            let mut encoded = Zeroizing::new(vec![0; key.public().size()]);
            pkcs1v15::encode_raw(payload, &mut encoded).and_then(|()| Operation::private(key, &encoded))
        }
        Work::Raw { input } if input.len() == key.public().size() => Operation::private(key, input),
        Work::Raw { .. } => Err(Error::Argument { name: "input", reason: "is not as long as the modulus".to_owned() }),
        Work::Decrypt { scheme, ciphertext } => {
            let (operation, decryption) = encryption::decryption(key, scheme.into(), ciphertext).map_err(refusal)?;
            return Ok(Task::Operation(operation, Finish::Open(decryption)));
        }
    };
    Ok(Task::Operation(operation.map_err(refusal)?, Finish::AsItIs))
}

/// The answer.
///
/// # Errors
/// [`Refusal`], of which all that has to do with padding is one.
pub fn finish(finish: &Finish, output: Result<Output, Error>) -> Result<Output, Refusal> {
    let output = output.map_err(refusal)?;
    match finish {
        Finish::AsItIs => Ok(output),
        Finish::Open(decryption) => decryption.open(&output).map_err(refusal),
    }
}

/// How an error is told to a client.
fn refusal(error: Error) -> Refusal {
    match error {
        Error::Argument { name, reason } => Refusal::Argument { name: name.to_owned(), reason },
        Error::Verification => Refusal::Verification,
        // On every device: it is the key.
        Error::Fault => Refusal::Argument { name: "key".to_owned(), reason: error.to_string() },
        // What happened to a device is the daemon's affair.
        Error::Device { .. } => Refusal::Failed("no device could do it".to_owned()),
        error => Refusal::Failed(error.to_string()),
    }
}
