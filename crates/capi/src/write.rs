// SPDX-License-Identifier: Apache-2.0
//! Keys back to files.

use crate::call::unit;
use crate::handles::{self, GarnerPrivateKey, GarnerPublicKey};
use crate::memory::{Output, operand};
use crate::status::{Failure, Status};
use core_garner::key::{Cipher, Encryption, PrivateKey};
use garner_remote::Key;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;

/// `enum garner_key_format`
pub mod format {
    use std::ffi::c_int;

    /// PrivateKeyInfo or SubjectPublicKeyInfo in PEM.
    pub const PEM: c_int = 1;
    /// The same in DER.
    pub const DER: c_int = 2;
    /// RSAPrivateKey in PEM.
    pub const PKCS1_PEM: c_int = 3;
    /// RSAPrivateKey in DER.
    pub const PKCS1_DER: c_int = 4;
}

/// `enum garner_cipher`: 1 and up, in this order.
pub const CIPHERS: [Cipher; 3] = [Cipher::Aes128Cbc, Cipher::Aes192Cbc, Cipher::Aes256Cbc];

fn unknown(format: c_int, allowed: &str) -> Failure {
    Failure::argument("format", format!("is {format}, must be {allowed}"))
}

/// A private key that is here.
fn private(handle: *const GarnerPrivateKey) -> Result<Arc<PrivateKey>, Failure> {
    match &*handles::get(handle)? {
        Key::Here(key) => Ok(Arc::clone(key)),
        Key::Held(_) => Err(Failure::new(Status::Key, "private key: garnerd holds it, and gives it to nobody")),
    }
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_write(
    key: *const GarnerPrivateKey,
    format: c_int,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let output = unsafe { Output::new("output", output, output_length)? };
        let key = private(key)?;
        match format {
            format::PEM => output.write(key.to_pkcs8_pem().as_bytes()),
            format::DER => output.write(&key.to_pkcs8_der()),
            format::PKCS1_PEM => output.write(key.to_pkcs1_pem().as_bytes()),
            format::PKCS1_DER => output.write(&key.to_pkcs1_der()),
            other => Err(unknown(other, "one of enum garner_key_format")),
        }
    })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_write_encrypted(
    key: *const GarnerPrivateKey,
    format: c_int,
    cipher: c_int,
    iterations: c_uint,
    password: *const c_void,
    password_length: usize,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; the password is done with before the output is written.
        let (password, output) =
            unsafe { (operand("password", password, password_length)?, Output::new("output", output, output_length)?) };
        let key = private(key)?;
        let index = usize::try_from(cipher).ok().and_then(|number| number.checked_sub(1));
        let cipher = *index
            .and_then(|index| CIPHERS.get(index))
            .ok_or_else(|| Failure::argument("cipher", format!("{cipher} is not one of enum garner_cipher")))?;
        let iterations = if iterations == 0 { Encryption::ITERATIONS } else { iterations };
        let encryption = Encryption { cipher, iterations };
        match format {
            format::PEM => output.write(key.to_encrypted_pkcs8_pem(password, &encryption)?.as_bytes()),
            format::DER => output.write(&key.to_encrypted_pkcs8_der(password, &encryption)?),
            other => Err(unknown(other, "GARNER_PEM or GARNER_DER: only PKCS#8 keys are encrypted")),
        }
    })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_public_key_write(
    key: *const GarnerPublicKey,
    format: c_int,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let output = unsafe { Output::new("output", output, output_length)? };
        let key = handles::get(key)?;
        match format {
            format::PEM => output.write(key.to_pem().as_bytes()),
            format::DER => output.write(&key.to_der()),
            other => Err(unknown(other, "GARNER_PEM or GARNER_DER")),
        }
    })
}
