// SPDX-License-Identifier: Apache-2.0
//! `garner.PublicKey`.

use crate::arguments::{self, Bytes, Text};
use crate::errors;
use crate::gatherer::gatherer;
use crate::mailbox::{Pending, start};
use crate::operation::{Outcome, Prepared, at, digest, each};
use crate::pyca;
use crate::schemes::{EncryptionScheme, SignatureScheme};
use garner::encryption;
use garner::error::{Error, Result};
use garner::gather::Operation;
use garner::key;
use garner::signature::{self, Scheme, Verification};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// See `_native.pyi`.
#[pyclass(module = "garner", frozen)]
pub struct PublicKey {
    key: Arc<key::PublicKey>,
}

impl PublicKey {
    /// Of a key that is there.
    pub fn new(key: Arc<key::PublicKey>) -> PublicKey {
        PublicKey { key }
    }

    fn made(py: Python<'_>, make: impl FnOnce() -> Result<key::PublicKey> + Send) -> PyResult<PublicKey> {
        let key = py.detach(make).map_err(|error| errors::raised(py, &error))?;
        Ok(PublicKey::new(Arc::new(key)))
    }

    /// A verification, not run yet.
    fn verification(
        &self,
        message: &[u8],
        signature: &[u8],
        scheme: Scheme,
        prehashed: bool,
    ) -> Result<(Operation, Verification)> {
        signature::verification(&self.key, scheme, &digest(scheme, message, prehashed)?, signature)
    }

    fn verifying(
        &self,
        py: Python<'_>,
        (message, signature): (&Bytes, &Bytes),
        scheme: Scheme,
        prehashed: bool,
    ) -> PyResult<Prepared> {
        let (operation, verification) = py
            .detach(|| self.verification(message, signature, scheme, prehashed))
            .map_err(|error| errors::raised(py, &error))?;
        Ok(Prepared { task: operation.into(), outcome: Outcome::Judge(verification) })
    }

    fn encryption(&self, py: Python<'_>, message: &Bytes, scheme: &EncryptionScheme) -> PyResult<Prepared> {
        let operation = encryption::encryption(&self.key, scheme.scheme(), message);
        operation.map(Prepared::encryption).map_err(|error| errors::raised(py, &error))
    }
}

#[pymethods]
impl PublicKey {
    #[classmethod]
    fn from_pem(_: &Bound<'_, PyType>, py: Python<'_>, data: Text) -> PyResult<PublicKey> {
        PublicKey::made(py, || key::PublicKey::from_pem(&*data.0))
    }

    #[classmethod]
    fn from_der(_: &Bound<'_, PyType>, py: Python<'_>, data: Bytes) -> PyResult<PublicKey> {
        PublicKey::made(py, || key::PublicKey::from_der(&data))
    }

    #[classmethod]
    fn from_cryptography(_: &Bound<'_, PyType>, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<PublicKey> {
        let der = pyca::public_der(key)?;
        PublicKey::made(py, || key::PublicKey::from_der(&der))
    }

    #[getter]
    fn bits(&self) -> usize {
        self.key.bits()
    }

    #[getter]
    fn size(&self) -> usize {
        self.key.size()
    }

    fn to_pem(&self) -> String {
        self.key.to_pem()
    }

    fn to_der<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.key.to_der())
    }

    #[pyo3(signature = (message, signature, scheme, *, prehashed = false))]
    fn verify<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        signature: Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.verifying(py, (&message, &signature), scheme.0, prehashed)?.run(py)
    }

    #[pyo3(signature = (message, signature, scheme, *, prehashed = false))]
    fn verify_async<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        signature: Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        start(py, Pending::new(self.verifying(py, (&message, &signature), scheme.0, prehashed)?))
    }

    #[pyo3(signature = (messages, signatures, scheme, *, prehashed = false))]
    fn verify_many(
        &self,
        py: Python<'_>,
        messages: &Bound<'_, PyAny>,
        signatures: &Bound<'_, PyAny>,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Vec<bool>> {
        let (messages, signatures) = (arguments::each(messages)?, arguments::each(signatures)?);
        if messages.len() != signatures.len() {
            let text = format!("signatures: {} for {} messages", signatures.len(), messages.len());
            return Err(errors::argument(py, text));
        }
        let SignatureScheme(scheme) = scheme;
        let pairs = messages.iter().zip(&signatures);
        let begin = |(message, signature): (&Bytes, &Bytes)| {
            match self.verification(message, signature, scheme, prehashed) {
                Ok(begun) => Ok(Some(begun)),
                // Wrong without any arithmetic: of another length, or not below the modulus.
                Err(Error::Verification) => Ok(None),
                Err(error) => Err(error),
            }
        };
        let begun = py.detach(|| pairs.map(begin).collect::<Vec<_>>());
        let mut operations = Vec::with_capacity(begun.len());
        let judges = each(py, "messages", begun.into_iter())?.into_iter().map(|begun| {
            begun.map(|(operation, verification)| {
                operations.push(operation);
                verification
            })
        });
        let judges: Vec<Option<Verification>> = judges.collect();
        let verdicts = py.detach(|| {
            let mut answers = gatherer()?.run_batch(operations).into_iter();
            let mut judge = |verification: Verification| {
                verification.judge(&answers.next().expect("an answer for every operation")?)
            };
            let judged = judges.into_iter().map(|judge_of| judge_of.map_or(Err(Error::Verification), &mut judge));
            Ok(judged.collect::<Vec<_>>())
        });
        let verdicts = verdicts.map_err(|error| errors::raised(py, &error))?.into_iter().enumerate();
        verdicts
            .map(|(index, verdict)| match verdict {
                Ok(()) => Ok(true),
                Err(Error::Verification) => Ok(false),
                Err(error) => Err(at(py, "messages", index, &error)),
            })
            .collect()
    }

    fn encrypt<'py>(&self, py: Python<'py>, message: Bytes, scheme: EncryptionScheme) -> PyResult<Bound<'py, PyAny>> {
        self.encryption(py, &message, &scheme)?.run(py)
    }

    fn encrypt_async<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        scheme: EncryptionScheme,
    ) -> PyResult<Bound<'py, PyAny>> {
        start(py, Pending::new(self.encryption(py, &message, &scheme)?))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PublicKey>().is_ok_and(|other| other.get().key.to_der() == self.key.to_der())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.key.to_der().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((slf.get_type().getattr("from_der")?, (slf.get().to_der(slf.py()),)))
    }

    fn __repr__(&self) -> String {
        format!("<garner.PublicKey of {} bits>", self.bits())
    }
}
