// SPDX-License-Identifier: Apache-2.0
//! An operation ready to run, and what becomes of its output: the same for callers that wait and for tickets.

use crate::errors;
use crate::gatherer::gatherer;
use garner::encryption::Decryption;
use garner::error::{Error, Result};
use garner::gather::{Operation, Output};
use garner::signature::{Scheme, Verification};
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
    Open(Decryption),
}

impl Outcome {
    /// The answer's bytes; those of a verification are none.
    fn of(&self, output: Output) -> Result<Output> {
        match self {
            Outcome::Public => Ok(output),
            Outcome::Judge(verification) => verification.judge(&output).map(|()| Output::from(Vec::new())),
            Outcome::Open(decryption) => decryption.open(&output),
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
    /// What the gatherer runs.
    pub operation: Operation,
    /// What becomes of its output.
    pub outcome: Outcome,
}

impl Prepared {
    /// A signature or a ciphertext.
    pub fn public(operation: Operation) -> Prepared {
        Prepared { operation, outcome: Outcome::Public }
    }

    /// Runs it among those of all other threads, and waits.
    pub fn run(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let Prepared { operation, outcome } = self;
        let answer = py.detach(|| gatherer()?.run(operation));
        outcome.answer(py, answer)
    }
}

/// The digest of a message, unless that is what was given.
pub fn digest(scheme: Scheme, message: &[u8], prehashed: bool) -> Result<Cow<'_, [u8]>> {
    if prehashed { Ok(Cow::Borrowed(message)) } else { scheme.digest(message).map(Cow::Owned) }
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
