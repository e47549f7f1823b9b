// SPDX-License-Identifier: Apache-2.0
//! Bytes and text of the caller's, as slices that outlive the release of the interpreter's lock.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString};
use std::ops::Deref;
use zeroize::Zeroizing;

/// Anything with a buffer of bytes. `bytes` is used where it is, as nobody can change it; all else is copied, and the copy
/// wiped.
pub enum Bytes {
    /// An object of `bytes`.
    Shared(PyBackedBytes),
    /// A copy of another object's buffer.
    Copied(Zeroizing<Vec<u8>>),
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Shared(bytes) => bytes,
            Bytes::Copied(bytes) => bytes,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Bytes {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Bytes> {
        if let Ok(bytes) = object.cast::<PyBytes>() {
            return Ok(Bytes::Shared(bytes.to_owned().into()));
        }
        let buffer = PyBuffer::<u8>::get(&object)?;
        Ok(Bytes::Copied(Zeroizing::new(buffer.to_vec(object.py())?)))
    }
}

/// `str`, taken as UTF-8, or bytes: PEM files and passwords.
pub struct Text(pub Bytes);

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Text> {
        match object.cast::<PyString>() {
            // What UTF-8 has no bytes for is Python's error, and no other text.
            Ok(text) => Ok(Text(Bytes::Copied(Zeroizing::new(text.to_cow()?.into_owned().into_bytes())))),
            Err(_) => object.extract().map(Text),
        }
    }
}

/// All elements of an iterable of bytes.
pub fn each(iterable: &Bound<'_, PyAny>) -> PyResult<Vec<Bytes>> {
    iterable.try_iter()?.map(|element| element?.extract()).collect()
}
