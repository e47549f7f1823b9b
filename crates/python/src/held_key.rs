// SPDX-License-Identifier: Apache-2.0
//! `garner.HeldKey`: a key that garnerd holds.

use crate::arguments::{self, Bytes, Text};
use crate::errors;
use crate::operation::digest;
use crate::public_key::PublicKey;
use crate::schemes::{EncryptionScheme, SignatureScheme};
use garner::encryption::Scheme;
use garner::key;
use garner::secret::Wiped;
use garner_remote::message::{Fingerprint, KeyName, Refusal, Work};
use garner_remote::{Client, Error, scheme, stub};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

/// Requests of a list under way at once: four full batches of the widest kernels.
const ASKERS: usize = 32;

/// The process's client; a child made by `fork` uses connections of its own.
fn client() -> &'static Client {
    static CLIENT: OnceLock<Client> = OnceLock::new();
    CLIENT.get_or_init(Client::from_environment)
}

/// See `_native.pyi`.
#[pyclass(module = "garner", frozen)]
pub struct HeldKey {
    modulus: Fingerprint,
    public: Arc<key::PublicKey>,
}

impl HeldKey {
    fn new(py: Python<'_>, public: key::PublicKey) -> PyResult<HeldKey> {
        let modulus = stub::fingerprint_of(&public).map_err(|error| errors::raised(py, &error))?;
        Ok(HeldKey { modulus, public: Arc::new(public) })
    }

    /// A signature by the daemon.
    fn signature(&self, message: &[u8], scheme: garner::signature::Scheme, prehashed: bool) -> Result<Vec<u8>, Asked> {
        let digest = digest(scheme, message, prehashed)?;
        let scheme = scheme::SignatureScheme::of(scheme).ok_or(Error::Unsupported("signatures of this kind"))?;
        Ok(self.ask(Work::Sign { scheme, digest: &digest })?.into_public())
    }

    fn ask(&self, work: Work<'_>) -> Result<Wiped<u8>, Error> {
        client().call(KeyName::Modulus(self.modulus), work)
    }
}

/// What can go wrong: here, or with the daemon.
enum Asked {
    Here(garner::Error),
    There(Error),
}

impl From<garner::Error> for Asked {
    fn from(error: garner::Error) -> Asked {
        Asked::Here(error)
    }
}

impl From<Error> for Asked {
    fn from(error: Error) -> Asked {
        Asked::There(error)
    }
}

impl Asked {
    fn raised(&self, py: Python<'_>) -> PyErr {
        match self {
            Asked::Here(error) => errors::raised(py, error),
            Asked::There(Error::Refused(Refusal::Verification)) => errors::decryption(py, &garner::Error::Verification),
            Asked::There(error @ (Error::Refused(Refusal::Argument { .. }) | Error::Unsupported(_))) => {
                errors::argument(py, error.to_string())
            }
            Asked::There(error) => errors::not_done(py, error.to_string()),
        }
    }
}

#[pymethods]
impl HeldKey {
    #[classmethod]
    fn named(_: &Bound<'_, PyType>, py: Python<'_>, name: &str) -> PyResult<HeldKey> {
        if !stub::is_name(name) {
            return Err(errors::argument(py, format!("name: {}", stub::NAMES)));
        }
        let described = py.detach(|| client().call(KeyName::Named(name), Work::Describe));
        let der = described.map_err(|error| Asked::There(error).raised(py))?;
        let public = key::PublicKey::from_der(&der).map_err(|error| errors::raised(py, &error))?;
        HeldKey::new(py, public)
    }

    #[classmethod]
    fn from_pem(_: &Bound<'_, PyType>, py: Python<'_>, data: Text) -> PyResult<HeldKey> {
        let Some(stub) = stub::read(&data.0) else {
            return Err(errors::key(py, "is not a stub of garnerd's".to_owned()));
        };
        HeldKey::new(py, stub.public().map_err(|error| errors::raised(py, &error))?)
    }

    #[getter]
    fn bits(&self) -> usize {
        self.public.bits()
    }

    #[getter]
    fn size(&self) -> usize {
        self.public.size()
    }

    #[getter]
    fn public_key(&self) -> PublicKey {
        PublicKey::new(Arc::clone(&self.public))
    }

    #[pyo3(signature = (message, scheme, *, prehashed = false))]
    fn sign<'py>(
        &self,
        py: Python<'py>,
        message: Bytes,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let signature = py.detach(|| self.signature(&message, scheme.0, prehashed));
        signature.map(|signature| PyBytes::new(py, &signature)).map_err(|error| error.raised(py))
    }

    #[pyo3(signature = (messages, scheme, *, prehashed = false))]
    fn sign_many<'py>(
        &self,
        py: Python<'py>,
        messages: &Bound<'py, PyAny>,
        scheme: SignatureScheme,
        prehashed: bool,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let (messages, SignatureScheme(scheme)) = (arguments::each(messages)?, scheme);
        let signatures = py.detach(|| at_once(messages.len(), |at| self.signature(&messages[at], scheme, prehashed)));
        let signatures = signatures.into_iter().enumerate().map(|(index, signature)| match signature {
            Ok(signature) => Ok(PyBytes::new(py, &signature)),
            Err(Asked::Here(error)) => Err(crate::operation::at(py, "messages", index, &error)),
            Err(error) => Err(error.raised(py)),
        });
        signatures.collect()
    }

    fn decrypt<'py>(
        &self,
        py: Python<'py>,
        ciphertext: Bytes,
        scheme: EncryptionScheme,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let scheme: Scheme<'_> = scheme.scheme();
        let work = scheme::EncryptionScheme::of(scheme).map(|scheme| Work::Decrypt { scheme, ciphertext: &ciphertext });
        let message = py.detach(|| self.ask(work.ok_or(Error::Unsupported("decryptions of this kind"))?));
        message.map(|message| PyBytes::new(py, &message)).map_err(|error| Asked::There(error).raised(py))
    }

    fn __repr__(&self) -> String {
        format!("<garner.HeldKey of {} bits>", self.bits())
    }
}

/// The results of `work` for 0 to `count`, by as many threads as make sense: each asks for one at a time.
fn at_once<T: Send + Sync>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (next, results) = (AtomicUsize::new(0), (0..count).map(|_| OnceLock::new()).collect::<Vec<_>>());
    let asker = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(result) = results.get(at) else { break };
            let _ = result.set(work(at));
        }
    };
    thread::scope(|scope| {
        for _ in 1..count.min(ASKERS) {
            scope.spawn(asker);
        }
        asker();
    });
    results.into_iter().map(|result| result.into_inner().expect("each was done")).collect()
}
