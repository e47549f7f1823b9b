// SPDX-License-Identifier: Apache-2.0
//! Keys of the package cryptography, of whatever class implements its interfaces, by way of their DER. The package is
//! imported when such a key is met, and not before.

use crate::arguments::Bytes;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

const SERIALIZATION: &str = "cryptography.hazmat.primitives.serialization";
const RSA: &str = "cryptography.hazmat.primitives.asymmetric.rsa";

fn check(key: &Bound<'_, PyAny>, class: &str) -> PyResult<()> {
    if key.is_instance(&key.py().import(RSA)?.getattr(class)?)? {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!("key must be cryptography's {class}, not {}", key.get_type().name()?)))
}

/// PKCS#8 of an `RSAPrivateKey`.
pub fn private_der(key: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    check(key, "RSAPrivateKey")?;
    let serialization = key.py().import(SERIALIZATION)?;
    let encoding = serialization.getattr("Encoding")?.getattr("DER")?;
    let format = serialization.getattr("PrivateFormat")?.getattr("PKCS8")?;
    let encryption = serialization.getattr("NoEncryption")?.call0()?;
    key.call_method1("private_bytes", (encoding, format, encryption))?.extract()
}

/// `SubjectPublicKeyInfo` of an `RSAPublicKey`.
pub fn public_der(key: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    check(key, "RSAPublicKey")?;
    let serialization = key.py().import(SERIALIZATION)?;
    let encoding = serialization.getattr("Encoding")?.getattr("DER")?;
    let format = serialization.getattr("PublicFormat")?.getattr("SubjectPublicKeyInfo")?;
    key.call_method1("public_bytes", (encoding, format))?.extract()
}
