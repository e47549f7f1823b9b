// SPDX-License-Identifier: Apache-2.0
//! PSS signatures, one at a time.

use crate::call::unit;
use crate::handles::{self, GarnerContext, GarnerPrivateKey, GarnerPublicKey};
use crate::memory::{Output, bytes, operand};
use crate::operation::{Prepared, Signed, pss_of};
use crate::single::run;
use std::ffi::{c_int, c_void};

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_sign_pss(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    hash: c_int,
    mgf1_hash: c_int,
    salt_length: c_int,
    message: *const c_void,
    message_length: usize,
    signature: *mut c_void,
    signature_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; the message is hashed before the signature is written.
        let (message, output) = unsafe {
            (bytes("message", message, message_length)?, Output::new("signature", signature, signature_length)?)
        };
        let scheme = pss_of(hash, mgf1_hash, salt_length)?;
        run(gatherer, Prepared::sign(&handles::get(key)?, scheme, Signed::Message(message))?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_sign_digest_pss(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    hash: c_int,
    mgf1_hash: c_int,
    salt_length: c_int,
    digest: *const c_void,
    digest_length: usize,
    signature: *mut c_void,
    signature_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; the digest is copied before the signature is written.
        let (digest, output) = unsafe {
            (operand("digest", digest, digest_length)?, Output::new("signature", signature, signature_length)?)
        };
        let scheme = pss_of(hash, mgf1_hash, salt_length)?;
        run(gatherer, Prepared::sign(&handles::get(key)?, scheme, Signed::Digest(digest))?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_verify_pss(
    gatherer: *mut GarnerContext,
    key: *const GarnerPublicKey,
    hash: c_int,
    mgf1_hash: c_int,
    salt_length: c_int,
    message: *const c_void,
    message_length: usize,
    signature: *const c_void,
    signature_length: usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; nothing of the caller's is written.
        let (message, signature) =
            unsafe { (bytes("message", message, message_length)?, bytes("signature", signature, signature_length)?) };
        let scheme = pss_of(hash, mgf1_hash, salt_length)?;
        let prepared = Prepared::verify(&handles::get(key)?, scheme, Signed::Message(message), signature)?;
        run(gatherer, prepared, Output::none())
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_verify_digest_pss(
    gatherer: *mut GarnerContext,
    key: *const GarnerPublicKey,
    hash: c_int,
    mgf1_hash: c_int,
    salt_length: c_int,
    digest: *const c_void,
    digest_length: usize,
    signature: *const c_void,
    signature_length: usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; nothing of the caller's is written.
        let (digest, signature) =
            unsafe { (operand("digest", digest, digest_length)?, bytes("signature", signature, signature_length)?) };
        let scheme = pss_of(hash, mgf1_hash, salt_length)?;
        let prepared = Prepared::verify(&handles::get(key)?, scheme, Signed::Digest(digest), signature)?;
        run(gatherer, prepared, Output::none())
    })
}
