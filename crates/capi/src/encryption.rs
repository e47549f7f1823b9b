// SPDX-License-Identifier: Apache-2.0
//! Encryption and decryption, one message at a time.

use crate::call::unit;
use crate::handles::{self, GarnerContext, GarnerPrivateKey, GarnerPublicKey};
use crate::memory::{Output, bytes};
use crate::operation::{Prepared, oaep_of};
use crate::single::run;
use crate::status::Failure;
use core_garner::encryption::Scheme;
use std::ffi::{c_int, c_void};

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_encrypt_oaep(
    gatherer: *mut GarnerContext,
    key: *const GarnerPublicKey,
    hash: c_int,
    mgf1_hash: c_int,
    label: *const c_void,
    label_length: usize,
    message: *const c_void,
    message_length: usize,
    ciphertext: *mut c_void,
    ciphertext_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; message and label are encoded before the ciphertext is written.
        let (label, message, output) = unsafe {
            (
                bytes("label", label, label_length)?,
                bytes("message", message, message_length)?,
                Output::new("ciphertext", ciphertext, ciphertext_length)?,
            )
        };
        let scheme = oaep_of(hash, mgf1_hash, label)?;
        run(gatherer, Prepared::encrypt(&handles::get(key)?, scheme, message)?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_decrypt_oaep(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    hash: c_int,
    mgf1_hash: c_int,
    label: *const c_void,
    label_length: usize,
    ciphertext: *const c_void,
    ciphertext_length: usize,
    message: *mut c_void,
    message_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; ciphertext and label are copied before the message is written.
        let (label, ciphertext, output) = unsafe {
            (
                bytes("label", label, label_length)?,
                bytes("ciphertext", ciphertext, ciphertext_length)?,
                Output::new("message", message, message_length)?,
            )
        };
        let scheme = oaep_of(hash, mgf1_hash, label)?;
        run(gatherer, Prepared::decrypt(&handles::get(key)?, scheme, ciphertext)?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_encrypt_pkcs1(
    gatherer: *mut GarnerContext,
    key: *const GarnerPublicKey,
    message: *const c_void,
    message_length: usize,
    ciphertext: *mut c_void,
    ciphertext_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; the message is encoded before the ciphertext is written.
        let (message, output) = unsafe {
            (bytes("message", message, message_length)?, Output::new("ciphertext", ciphertext, ciphertext_length)?)
        };
        run(gatherer, Prepared::encrypt(&handles::get(key)?, Scheme::Pkcs1v15, message)?, output)
    })
}

/// Decrypts by one of the two variants of PKCS#1 v1.5.
///
/// # Safety
/// As `garner.h` says under "Memory".
unsafe fn decrypt_pkcs1(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    scheme: Scheme<'_>,
    ciphertext: (*const c_void, usize),
    message: (*mut c_void, *mut usize),
) -> Result<(), Failure> {
    // SAFETY: the caller's promise; the ciphertext is copied before the message is written.
    let (ciphertext, output) =
        unsafe { (bytes("ciphertext", ciphertext.0, ciphertext.1)?, Output::new("message", message.0, message.1)?) };
    run(gatherer, Prepared::decrypt(&handles::get(key)?, scheme, ciphertext)?, output)
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_decrypt_pkcs1(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    ciphertext: *const c_void,
    ciphertext_length: usize,
    message: *mut c_void,
    message_length: *mut usize,
) -> c_int {
    let (ciphertext, message) = ((ciphertext, ciphertext_length), (message, message_length));
    // SAFETY: the caller's promise.
    unit(|| unsafe { decrypt_pkcs1(gatherer, key, Scheme::Pkcs1v15, ciphertext, message) })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_decrypt_pkcs1_explicit(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    ciphertext: *const c_void,
    ciphertext_length: usize,
    message: *mut c_void,
    message_length: *mut usize,
) -> c_int {
    let (ciphertext, message) = ((ciphertext, ciphertext_length), (message, message_length));
    // SAFETY: the caller's promise.
    unit(|| unsafe { decrypt_pkcs1(gatherer, key, Scheme::Pkcs1v15Explicit, ciphertext, message) })
}
