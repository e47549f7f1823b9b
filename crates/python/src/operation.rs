// SPDX-License-Identifier: Apache-2.0
//! An operation ready to run, and what becomes of its output: the same for callers that wait and for tickets.

use crate::arguments::{self, Bytes};
use crate::errors;
use crate::gatherer::gatherer;
use crate::schemes::{EncryptionScheme, SignatureScheme};
use garner::error::{Error, Result};
use garner::gather::{Operation, Output};
use garner::signature::{Scheme, Verification};
use garner_remote::Key;
use garner_remote::key::{Opening, Task};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::borrow::Cow;

/// What becomes of an operation's output.
pub enum Outcome {
    /// It is the answer: a signature or a ciphertext.
    Public,
    /// It is judged; the answer is `None`.
    Judge(Verification),
    /// The message is taken out of it.
    Open(Opening),
}

impl Outcome {
    /// The answer's bytes; those of a verification are none.
    fn of(&self, output: Output) -> Result<Output> {
        match self {
            Outcome::Public => Ok(output),
            Outcome::Judge(verification) => verification.judge(&output).map(|()| Output::from(Vec::new())),
            Outcome::Open(opening) => opening.open(output),
        }
    }

    fn raised(&self, py: Python<'_>, error: &Error) -> PyErr {
        match self {
            Outcome::Open(_) => errors::decryption(py, error),
            _ => errors::raised(py, error),
        }
    }

    /// The answer as Python gets it.
    pub fn answer<'py>(&self, py: Python<'py>, answer: Result<Output>) -> PyResult<Bound<'py, PyAny>> {
        match answer.and_then(|output| self.of(output)) {
            Ok(_) if matches!(self, Outcome::Judge(_)) => Ok(py.None().into_bound(py)),
            Ok(bytes) => Ok(PyBytes::new(py, &bytes).into_any()),
            Err(error) => Err(self.raised(py, &error)),
        }
    }
}

/// An operation and its outcome.
pub struct Prepared {
    /// What the gatherer runs, or the daemon if it holds the key.
    pub task: Task,
    /// What becomes of its output.
    pub outcome: Outcome,
}

impl Prepared {
    /// A ciphertext.
    pub fn encryption(operation: Operation) -> Prepared {
        Prepared { task: operation.into(), outcome: Outcome::Public }
    }

    /// A signature of one message.
    pub fn signing(
        py: Python<'_>,
        key: &Key,
        message: &Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Prepared> {
        let task = py.detach(|| key.signing(scheme.0, &digest(scheme.0, message, prehashed)?));
        let task = task.map_err(|error| errors::raised(py, &error))?;
        Ok(Prepared { task, outcome: Outcome::Public })
    }

    /// The message of a ciphertext.
    pub fn decryption(py: Python<'_>, key: &Key, ciphertext: &Bytes, scheme: &EncryptionScheme) -> PyResult<Prepared> {
        let prepared = key.decryption(scheme.scheme(), ciphertext);
        let (task, opening) = prepared.map_err(|error| errors::decryption(py, &error))?;
        Ok(Prepared { task, outcome: Outcome::Open(opening) })
    }

    /// Runs it among those of all other threads, and waits.
    pub fn run(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let Prepared { task, outcome } = self;
        let answer = py.detach(|| task.run(gatherer)?);
        outcome.answer(py, answer)
    }
}

/// The digest of a message, unless that is what was given.
pub fn digest(scheme: Scheme, message: &[u8], prehashed: bool) -> Result<Cow<'_, [u8]>> {
    if prehashed { Ok(Cow::Borrowed(message)) } else { scheme.digest(message).map(Cow::Owned) }
}

/// The signatures of many messages, or the exception of the first one at fault.
pub fn sign_many<'py>(
    py: Python<'py>,
    key: &Key,
    messages: &Bound<'py, PyAny>,
    SignatureScheme(scheme): SignatureScheme,
    prehashed: bool,
) -> PyResult<Vec<Bound<'py, PyBytes>>> {
    let messages = arguments::each(messages)?;
    let sign = |message: &Bytes| key.signing(scheme, &digest(scheme, message, prehashed)?);
    let tasks = py.detach(|| messages.iter().map(sign).collect::<Vec<_>>());
    let tasks = each(py, "messages", tasks.into_iter())?;
    let answers = py.detach(|| Task::run_all(gatherer, tasks));
    let answers = answers.map_err(|error| errors::raised(py, &error))?.into_iter();
    each(py, "messages", answers).map(|answers| answers.iter().map(|answer| PyBytes::new(py, answer)).collect())
}

/// What was prepared for each element of a list, or the exception that names the first one at fault.
pub fn each<T>(py: Python<'_>, name: &str, prepared: impl Iterator<Item = Result<T>>) -> PyResult<Vec<T>> {
    prepared.enumerate().map(|(index, prepared)| prepared.map_err(|error| at(py, name, index, &error))).collect()
}

/// The exception of element `index`.
pub fn at(py: Python<'_>, name: &str, index: usize, error: &Error) -> PyErr {
    match error {
        Error::Argument { .. } => errors::argument(py, format!("{name}[{index}]: {error}")),
        other => errors::raised(py, other),
    }
}
