// SPDX-License-Identifier: Apache-2.0
//! `garner.PrivateKey`.

use crate::arguments::{Bytes, Text};
use crate::errors;
use crate::mailbox::{Pending, start};
use crate::operation::{Prepared, sign_many};
use crate::public_key::PublicKey;
use crate::pyca;
use crate::schemes::{EncryptionScheme, SignatureScheme};
use garner::error::Result;
use garner::key::{self, Encryption};
use garner::{arithmetic, keygen};
use garner_remote::Key;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyType};
use std::sync::Arc;

/// See `_native.pyi`.
#[pyclass(module = "garner", frozen)]
pub struct PrivateKey {
    key: Arc<key::PrivateKey>,
}

impl PrivateKey {
    fn made(py: Python<'_>, make: impl FnOnce() -> Result<key::PrivateKey> + Send) -> PyResult<PrivateKey> {
        let key = py.detach(make).map_err(|error| errors::raised(py, &error))?;
        Ok(PrivateKey { key: Arc::new(key) })
    }

    /// As operations take it.
    fn here(&self) -> Key {
        Key::Here(Arc::clone(&self.key))
    }
}

#[pymethods]
impl PrivateKey {
    #[classmethod]
    #[pyo3(signature = (data, password = None))]
    fn from_pem(_: &Bound<'_, PyType>, py: Python<'_>, data: Text, password: Option<Text>) -> PyResult<PrivateKey> {
        let (data, password) = (&*data.0, password.as_ref().map(|password| &*password.0));
        PrivateKey::made(py, || match password {
            Some(password) => key::PrivateKey::from_encrypted_pem(data, password),
            None => key::PrivateKey::from_pem(data),
        })
    }

    #[classmethod]
    #[pyo3(signature = (data, password = None))]
    fn from_der(_: &Bound<'_, PyType>, py: Python<'_>, data: Bytes, password: Option<Text>) -> PyResult<PrivateKey> {
        let (data, password) = (&*data, password.as_ref().map(|password| &*password.0));
        PrivateKey::made(py, || match password {
            Some(password) => key::PrivateKey::from_encrypted_der(data, password),
            None => key::PrivateKey::from_der(data),
        })
    }

    #[classmethod]
    fn from_cryptography(_: &Bound<'_, PyType>, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<PrivateKey> {
        let der = pyca::private_der(key)?;
        let der = &*der;
        PrivateKey::made(py, || key::PrivateKey::from_der(der))
    }

    #[classmethod]
    #[pyo3(signature = (bits = 2048, *, exponent = 65_537, below_fips = false))]
    fn generate(
        _: &Bound<'_, PyType>,
        py: Python<'_>,
        bits: usize,
        exponent: u64,
        below_fips: bool,
    ) -> PyResult<PrivateKey> {
        let options = keygen::Options { exponent: exponent.to_be_bytes().to_vec(), below_fips };
        PrivateKey::made(py, || keygen::generate_one(&*arithmetic::best()?, bits, &options))
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

    #[pyo3(signature = (password = None))]
    fn to_pem<'py>(&self, py: Python<'py>, password: Option<Text>) -> PyResult<Bound<'py, PyString>> {
        let Some(password) = password else { return Ok(PyString::new(py, &self.key.to_pkcs8_pem())) };
        let password = &*password.0;
        let pem = py.detach(|| self.key.to_encrypted_pkcs8_pem(password, &Encryption::default()));
        pem.map(|pem| PyString::new(py, &pem)).map_err(|error| errors::raised(py, &error))
    }

    #[pyo3(signature = (password = None))]
    fn to_der<'py>(&self, py: Python<'py>, password: Option<Text>) -> PyResult<Bound<'py, PyBytes>> {
        let Some(password) = password else { return Ok(PyBytes::new(py, &self.key.to_pkcs8_der())) };
        let password = &*password.0;
        let der = py.detach(|| self.key.to_encrypted_pkcs8_der(password, &Encryption::default()));
        der.map(|der| PyBytes::new(py, &der)).map_err(|error| errors::raised(py, &error))
    }

    #[pyo3(signature = (message, scheme, *, prehashed = false))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        Prepared::signing(py, &self.here(), &message, scheme, prehashed)?.run(py)
    }

    #[pyo3(signature = (message, scheme, *, prehashed = false))]
    fn sign_async<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        start(py, Pending::new(Prepared::signing(py, &self.here(), &message, scheme, prehashed)?))
    }

    #[pyo3(signature = (messages, scheme, *, prehashed = false))]
    fn sign_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        sign_many(py, &self.here(), messages, scheme, prehashed)
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: Bytes,
        scheme: EncryptionScheme,
    ) -> PyResult<Bound<'py, PyAny>> {
        Prepared::decryption(py, &self.here(), &ciphertext, &scheme)?.run(py)
    }

    fn decrypt_async<'py>(
        &self,
        py: Python<'py>,
        ciphertext: Bytes,
        scheme: EncryptionScheme,
    ) -> PyResult<Bound<'py, PyAny>> {
        start(py, Pending::new(Prepared::decryption(py, &self.here(), &ciphertext, &scheme)?))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __repr__(&self) -> String {
        format!("<garner.PrivateKey of {} bits>", self.bits())
    }
}
