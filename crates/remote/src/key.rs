// SPDX-License-Identifier: Apache-2.0
//! A private key wherever it is, and operations with it: computed in this process, or asked of the daemon. What front ends for
//! people and programs work with.

use crate::askers::{self, Question};
use crate::error::Error;
use crate::held::HeldKey;
use crate::message::Fingerprint;
use garner::encryption::{self, Decryption};
use garner::error::Result;
use garner::gather::{Gatherer, Operation, Output, Ticket};
use garner::key::{PrivateKey, PublicKey};
use garner::signature;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Reads a public key, as [`PublicKey::read`], or the public half of a stub.
///
/// # Errors
/// Those of [`PublicKey::read`].
pub fn read_public(data: &[u8], password: Option<&[u8]>) -> Result<Arc<PublicKey>> {
    Ok(match HeldKey::of_stub(data) {
        Some(held) => Arc::clone(held?.public()),
        None => Arc::new(PublicKey::read(data, password)?),
    })
}

/// A private key.
#[derive(Debug, Clone)]
pub enum Key {
    /// This process has it.
    Here(Arc<PrivateKey>),
    /// The daemon has it.
    Held(Arc<HeldKey>),
}

impl Key {
    /// Reads a key file, as [`PrivateKey::read`], or the stub of a key that the daemon holds.
    ///
    /// # Errors
    /// Those of [`PrivateKey::read`].
    pub fn read(data: &[u8], password: Option<&[u8]>) -> Result<Key> {
        match HeldKey::of_stub(data) {
            Some(held) => Ok(Key::Held(Arc::new(held?))),
            None => Ok(Key::Here(Arc::new(PrivateKey::read(data, password)?))),
        }
    }

    /// The public half.
    pub fn public(&self) -> &Arc<PublicKey> {
        match self {
            Key::Here(key) => key.public(),
            Key::Held(key) => key.public(),
        }
    }

    /// The task whose output is input^d mod n: as many bytes as the modulus has.
    ///
    /// # Errors
    /// [`Argument`](garner::Error::Argument) when `input` is not below the modulus.
    pub fn private(&self, input: &[u8]) -> Result<Task> {
        match self {
            Key::Here(key) => Operation::private(key, input).map(Task::Here),
            Key::Held(key) => {
                // Whatever has no such modulus is refused here, as for a key that is here.
                Operation::public(key.public(), input)?;
                let (key, input) = (Arc::clone(key), Output::from(input.to_vec()));
                Ok(Task::asking(key.fingerprint(), move || key.private(&input)))
            }
        }
    }

    /// The task whose output is the signature of a digest.
    ///
    /// # Errors
    /// Those of [`signature::signing`].
    pub fn signing(&self, scheme: signature::Scheme, digest: &[u8]) -> Result<Task> {
        match self {
            Key::Here(key) => signature::signing(key, scheme, digest).map(Task::Here),
            Key::Held(key) => {
                signature::fits(key.public(), scheme, digest)?;
                let (key, digest) = (Arc::clone(key), digest.to_vec());
                Ok(Task::asking(key.fingerprint(), move || key.sign(scheme, &digest)))
            }
        }
    }

    /// The task of a decryption, and what takes the message out of its output.
    ///
    /// # Errors
    /// Those of [`encryption::decryption`].
    pub fn decryption(&self, scheme: encryption::Scheme<'_>, ciphertext: &[u8]) -> Result<(Task, Opening)> {
        match self {
            Key::Here(key) => {
                let (operation, decryption) = encryption::decryption(key, scheme, ciphertext)?;
                Ok((Task::Here(operation), Opening(Some(decryption))))
            }
            Key::Held(key) => {
                if ciphertext.len() != key.public().size() || Operation::public(key.public(), ciphertext).is_err() {
                    return Err(garner::Error::Verification);
                }
                let (fingerprint, key, ciphertext) = (key.fingerprint(), Arc::clone(key), ciphertext.to_vec());
                let (scheme, label) = (scheme.with_label(&[]), scheme.label().to_vec());
                let ask = move || key.decrypt(scheme.with_label(&label), &ciphertext);
                let task = Task::asking(fingerprint, ask);
                Ok((task, Opening(None)))
            }
        }
    }
}

/// What takes the message out of the output of a decryption's task.
#[derive(Debug, Clone)]
pub struct Opening(
    /// `None` where the output is the message: the daemon took it out.
    Option<Decryption>,
);

impl Opening {
    /// The message.
    ///
    /// # Errors
    /// Those of [`Decryption::open`].
    pub fn open(&self, output: Output) -> Result<Output> {
        match &self.0 {
            Some(decryption) => decryption.open(&output),
            None => Ok(output),
        }
    }
}

/// An operation, ready to be run: here, or by the daemon.
pub enum Task {
    /// By a gatherer of this process.
    Here(Operation),
    /// By the daemon.
    Held(Question),
}

impl From<Operation> for Task {
    fn from(operation: Operation) -> Task {
        Task::Here(operation)
    }
}

impl Task {
    fn asking(key: Fingerprint, ask: impl FnMut() -> Result<Output, Error> + Send + 'static) -> Task {
        Task::Held(Question::new(key, ask))
    }

    /// Runs it and waits for its answer. Only what is run here needs a gatherer, and has it opened.
    ///
    /// # Errors
    /// There is no gatherer. The answer's: those of [`Gatherer::run`] or, as the library's, of [`HeldKey`].
    pub fn run<G: Deref<Target = Gatherer>, E>(
        self,
        gatherer: impl FnOnce() -> std::result::Result<G, E>,
    ) -> std::result::Result<Result<Output>, E> {
        Ok(match self {
            Task::Here(operation) => gatherer()?.run(operation),
            Task::Held(mut question) => question.ask().map_err(garner::Error::from),
        })
    }

    /// Has it run, and returns at once.
    ///
    /// # Errors
    /// There is no gatherer. The ticket's: those of [`Gatherer::submit`] or [`askers::submit`].
    pub fn submit<G: Deref<Target = Gatherer>, E>(
        self,
        gatherer: impl FnOnce() -> std::result::Result<G, E>,
    ) -> std::result::Result<Result<Ticket>, E> {
        Ok(match self {
            Task::Here(operation) => gatherer()?.submit(operation),
            Task::Held(question) => askers::submit(question),
        })
    }

    /// Runs all of them and waits for their answers, which come in the order given.
    ///
    /// # Errors
    /// There is no gatherer, and one is needed.
    pub fn run_all<G: Deref<Target = Gatherer>, E>(
        gatherer: impl FnOnce() -> std::result::Result<G, E>,
        tasks: Vec<Task>,
    ) -> std::result::Result<Vec<Result<Output>>, E> {
        let any_here = tasks.iter().any(|task| matches!(task, Task::Here(_)));
        let gatherer = any_here.then(gatherer).transpose()?;
        let mut here = Vec::new();
        let held: Vec<Option<Result<Ticket>>> = tasks
            .into_iter()
            .map(|task| match task {
                Task::Here(operation) => {
                    here.push(operation);
                    None
                }
                Task::Held(question) => Some(askers::submit_one_of_many(question)),
            })
            .collect();
        let mut here = gatherer.map_or_else(Vec::new, |gatherer| gatherer.run_batch(here)).into_iter();
        let answers = held.into_iter().map(|held| match held {
            None => here.next().expect("an answer for each operation"),
            Some(ticket) => ticket?.wait(),
        });
        Ok(answers.collect())
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Task::Here(operation) => operation.fmt(f),
            Task::Held(_) => f.write_str("Task(asked of garnerd)"),
        }
    }
}
