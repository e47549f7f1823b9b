// SPDX-License-Identifier: Apache-2.0
//! `garner.HeldKey`: a key that garnerd holds.

use crate::arguments::{Bytes, Text};
use crate::errors;
use crate::mailbox::{Pending, start};
use crate::operation::{Prepared, sign_many};
use crate::public_key::PublicKey;
use crate::schemes::{EncryptionScheme, SignatureScheme};
use garner_remote::{self as remote, Error, Key};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::sync::Arc;

/// See `_native.pyi`.
#[pyclass(module = "garner", frozen)]
pub struct HeldKey {
    key: Key,
}

impl HeldKey {
    fn new(py: Python<'_>, held: Result<remote::HeldKey, Error>) -> PyResult<HeldKey> {
        let held = held.map_err(|error| errors::raised(py, &error.into()))?;
        Ok(HeldKey { key: Key::Held(Arc::new(held)) })
    }
}

#[pymethods]
impl HeldKey {
    #[classmethod]
    fn named(_: &Bound<'_, PyType>, py: Python<'_>, name: &str) -> PyResult<HeldKey> {
        HeldKey::new(py, py.detach(|| remote::HeldKey::named(name)))
    }

    #[classmethod]
    fn from_pem(_: &Bound<'_, PyType>, py: Python<'_>, data: Text) -> PyResult<HeldKey> {
        let held = remote::HeldKey::of_stub(&data.0);
        HeldKey::new(py, held.ok_or_else(|| errors::key(py, "is not a stub of garnerd's".to_owned()))?)
    }

    #[getter]
    fn bits(&self) -> usize {
        self.key.public().bits()
    }

    #[getter]
    fn size(&self) -> usize {
        self.key.public().size()
    }

    #[getter]
    fn public_key(&self) -> PublicKey {
        PublicKey::new(Arc::clone(self.key.public()))
    }

    #[pyo3(signature = (message, scheme, *, prehashed = false))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        Prepared::signing(py, &self.key, &message, scheme, prehashed)?.run(py)
    }

    #[pyo3(signature = (message, scheme, *, prehashed = false))]
    fn sign_async<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        start(py, Pending::new(Prepared::signing(py, &self.key, &message, scheme, prehashed)?))
    }

    #[pyo3(signature = (messages, scheme, *, prehashed = false))]
    fn sign_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        sign_many(py, &self.key, messages, scheme, prehashed)
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: Bytes,
        scheme: EncryptionScheme,
    ) -> PyResult<Bound<'py, PyAny>> {
        Prepared::decryption(py, &self.key, &ciphertext, &scheme)?.run(py)
    }

    fn decrypt_async<'py>(
        &self,
        py: Python<'py>,
        ciphertext: Bytes,
        scheme: EncryptionScheme,
    ) -> PyResult<Bound<'py, PyAny>> {
        start(py, Pending::new(Prepared::decryption(py, &self.key, &ciphertext, &scheme)?))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<garner.HeldKey of {} bits>", self.bits())
    }
}
