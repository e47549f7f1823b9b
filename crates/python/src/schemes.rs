// SPDX-License-Identifier: Apache-2.0
//! Paddings with their hashes: immutable objects, checked when they are made, so that an operation need not.

use crate::arguments::Bytes;
use crate::errors;
use garner::padding::{Hash, oaep, pss};
use garner::{encryption, signature};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

fn hash(py: Python<'_>, name: &str) -> PyResult<Hash> {
    Hash::from_name(name).map_err(|error| errors::raised(py, &error))
}

/// RSASSA-PKCS1-v1_5. See `_native.pyi`.
#[pyclass(name = "PKCS1v15", module = "garner", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Pkcs1v15 {
    hash: Hash,
}

#[pymethods]
impl Pkcs1v15 {
    #[new]
    fn new(py: Python<'_>, hash: &str) -> PyResult<Pkcs1v15> {
        Ok(Pkcs1v15 { hash: self::hash(py, hash)? })
    }

    fn __getnewargs__(&self) -> (&'static str,) {
        (self.hash.name(),)
    }

    fn __repr__(&self) -> String {
        format!("PKCS1v15({:?})", self.hash.name())
    }
}

/// RSASSA-PSS. See `_native.pyi`.
#[pyclass(name = "PSS", module = "garner", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Pss {
    functions: pss::Functions,
    salt: pss::Salt,
}

#[pymethods]
impl Pss {
    #[new]
    #[pyo3(signature = (hash, *, mgf1_hash = None, salt_length = None))]
    fn new(
        py: Python<'_>,
        hash: &str,
        mgf1_hash: Option<&str>,
        salt_length: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Pss> {
        let functions = match (hash.to_ascii_lowercase().as_str(), mgf1_hash) {
            ("shake128" | "shake256", Some(_)) => {
                return Err(errors::argument(py, format!("mgf1_hash: {hash} makes its mask by itself")));
            }
            ("shake128", None) => pss::Functions::Shake128,
            ("shake256", None) => pss::Functions::Shake256,
            (_, mgf1) => {
                let hash = self::hash(py, hash)?;
                let mgf1_hash = mgf1.map_or(Ok(hash), |name| self::hash(py, name))?;
                pss::Functions::Mgf1 { hash, mgf1_hash }
            }
        };
        Ok(Pss { functions, salt: salt_length.map_or(Ok(pss::Salt::Digest), salt)? })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((String,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        let (hash, mgf1_hash) = self.names();
        named.set_item("mgf1_hash", mgf1_hash)?;
        match self.salt {
            pss::Salt::Bytes(length) => named.set_item("salt_length", length)?,
            other => named.set_item("salt_length", word(other))?,
        }
        Ok(((hash,), named))
    }

    fn __repr__(&self) -> String {
        let salt = match self.salt {
            pss::Salt::Bytes(length) => length.to_string(),
            other => format!("{:?}", word(other)),
        };
        let functions = match self.names() {
            (hash, Some(mgf1_hash)) => format!("{hash:?}, mgf1_hash={mgf1_hash:?}"),
            (hash, None) => format!("{hash:?}"),
        };
        format!("PSS({functions}, salt_length={salt})")
    }
}

impl Pss {
    /// The arguments that its functions are made of.
    fn names(&self) -> (String, Option<&'static str>) {
        match self.functions {
            pss::Functions::Mgf1 { hash, mgf1_hash } => (hash.name().to_owned(), Some(mgf1_hash.name())),
            other => (format!("{other:?}").to_uppercase(), None),
        }
    }
}

/// The word for a salt's length that is no number.
fn word(salt: pss::Salt) -> String {
    format!("{salt:?}").to_lowercase()
}

/// A salt's length: a number of bytes, or a word.
fn salt(length: &Bound<'_, PyAny>) -> PyResult<pss::Salt> {
    let refused = || {
        let text = format!("salt_length: {length} is not \"digest\", \"longest\", \"any\" or a number of bytes");
        errors::argument(length.py(), text)
    };
    let Ok(word) = length.cast::<PyString>() else {
        // Of what is no integer Python's own error tells; one that is negative or longer than any modulus is out of range.
        let bytes: i128 = length
            .extract()
            .map_err(|error: PyErr| if error.is_instance_of::<PyTypeError>(length.py()) { error } else { refused() })?;
        return usize::try_from(bytes).map(pss::Salt::Bytes).map_err(|_| refused());
    };
    match word.to_string().as_str() {
        "digest" => Ok(pss::Salt::Digest),
        "longest" => Ok(pss::Salt::Longest),
        "any" => Ok(pss::Salt::Any),
        _ => Err(refused()),
    }
}

/// RSAES-OAEP. See `_native.pyi`.
#[pyclass(name = "OAEP", module = "garner", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Oaep {
    functions: oaep::Functions,
    label: Vec<u8>,
}

#[pymethods]
impl Oaep {
    #[new]
    #[pyo3(signature = (hash, *, mgf1_hash = None, label = None))]
    fn new(py: Python<'_>, hash: &str, mgf1_hash: Option<&str>, label: Option<Bytes>) -> PyResult<Oaep> {
        let hash = self::hash(py, hash)?;
        let mgf1_hash = mgf1_hash.map_or(Ok(hash), |name| self::hash(py, name))?;
        let label = label.map_or_else(Vec::new, |label| label.to_vec());
        Ok(Oaep { functions: oaep::Functions { hash, mgf1_hash }, label })
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&'static str,), Bound<'py, PyDict>)> {
        let named = PyDict::new(py);
        named.set_item("mgf1_hash", self.functions.mgf1_hash.name())?;
        named.set_item("label", PyBytes::new(py, &self.label))?;
        Ok(((self.functions.hash.name(),), named))
    }

    fn __repr__(&self) -> String {
        let oaep::Functions { hash, mgf1_hash } = self.functions;
        let label = if self.label.is_empty() { "" } else { ", label=..." };
        format!("OAEP({:?}, mgf1_hash={:?}{label})", hash.name(), mgf1_hash.name())
    }
}

/// RSAES-PKCS1-v1_5 with implicit rejection. See `_native.pyi`.
#[pyclass(name = "PKCS1v15Encryption", module = "garner", frozen, eq, hash)]
#[derive(PartialEq, Eq, Hash)]
pub struct Pkcs1v15Encryption;

#[pymethods]
impl Pkcs1v15Encryption {
    #[new]
    fn new() -> Pkcs1v15Encryption {
        Pkcs1v15Encryption
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        PyTuple::empty(py)
    }

    fn __repr__(&self) -> &'static str {
        "PKCS1v15Encryption()"
    }
}

/// A scheme for signatures.
pub struct SignatureScheme(pub signature::Scheme);

impl<'py> FromPyObject<'_, 'py> for SignatureScheme {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<SignatureScheme> {
        if let Ok(scheme) = object.cast::<Pss>() {
            let Pss { functions, salt } = *scheme.get();
            return Ok(SignatureScheme(signature::Scheme::Pss { functions, salt }));
        }
        let scheme = object.cast::<Pkcs1v15>().map_err(|_| wrong(&object, "garner.PSS or garner.PKCS1v15"))?;
        Ok(SignatureScheme(scheme.get().hash.into()))
    }
}

/// A scheme for encryption, which keeps its label.
pub enum EncryptionScheme {
    /// OAEP.
    Oaep(Py<Oaep>),
    /// PKCS#1 v1.5.
    Pkcs1v15,
}

impl EncryptionScheme {
    /// As the library has it.
    pub fn scheme(&self) -> encryption::Scheme<'_> {
        match self {
            EncryptionScheme::Oaep(scheme) => {
                let Oaep { functions, label } = scheme.get();
                encryption::Scheme::Oaep { functions: *functions, label }
            }
            EncryptionScheme::Pkcs1v15 => encryption::Scheme::Pkcs1v15,
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for EncryptionScheme {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<EncryptionScheme> {
        if let Ok(scheme) = object.cast::<Oaep>() {
            return Ok(EncryptionScheme::Oaep(scheme.to_owned().unbind()));
        }
        let wrong = |_| wrong(&object, "garner.OAEP or garner.PKCS1v15Encryption");
        object.cast::<Pkcs1v15Encryption>().map(|_| EncryptionScheme::Pkcs1v15).map_err(wrong)
    }
}

fn wrong(object: &Bound<'_, PyAny>, wanted: &str) -> PyErr {
    let found = object.get_type().name().map_or_else(|_| "another object".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("scheme must be {wanted}, not {found}"))
}
