// SPDX-License-Identifier: Apache-2.0
//! The library's errors as the exceptions of `garner.errors`, which are classes of Python's.

use garner::Error;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// One exception of `garner.errors`, found at its first use.
struct Exception {
    name: &'static str,
    class: PyOnceLock<Py<PyType>>,
}

impl Exception {
    const fn new(name: &'static str) -> Exception {
        Exception { name, class: PyOnceLock::new() }
    }

    fn raised(&self, py: Python<'_>, text: String) -> PyErr {
        match self.class.import(py, "garner.errors", self.name) {
            Ok(class) => PyErr::from_type(class.clone(), (text,)),
            Err(error) => error,
        }
    }
}

static INVALID_KEY: Exception = Exception::new("InvalidKey");
static INVALID_ARGUMENT: Exception = Exception::new("InvalidArgument");
static INVALID_SIGNATURE: Exception = Exception::new("InvalidSignature");
static DECRYPTION_FAILED: Exception = Exception::new("DecryptionFailed");
static QUEUE_FULL: Exception = Exception::new("QueueFull");
static NOT_DONE: Exception = Exception::new("NotDone");

/// The exception of an error. `Error::Verification` is a signature's.
pub fn raised(py: Python<'_>, error: &Error) -> PyErr {
    let exception = match error {
        Error::Key { .. } | Error::Encoding(_) | Error::NoPassword => &INVALID_KEY,
        Error::Argument { .. } => &INVALID_ARGUMENT,
        Error::Verification => return INVALID_SIGNATURE.raised(py, "the signature does not match".to_owned()),
        Error::Full(_) => &QUEUE_FULL,
        Error::Memory => return PyMemoryError::new_err(error.to_string()),
        // Fault, Device, Random, ShutDown, Forked.
        _ => &NOT_DONE,
    };
    exception.raised(py, error.to_string())
}

/// The exception of an error of a decryption. Whatever is wrong with a ciphertext has one exception with one text.
pub fn decryption(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Verification => DECRYPTION_FAILED.raised(py, "decryption failed".to_owned()),
        other => raised(py, other),
    }
}

/// A key is refused.
pub fn key(py: Python<'_>, text: String) -> PyErr {
    INVALID_KEY.raised(py, text)
}

/// An argument is refused.
pub fn argument(py: Python<'_>, text: String) -> PyErr {
    INVALID_ARGUMENT.raised(py, text)
}
