// SPDX-License-Identifier: Apache-2.0
//! Single operations that wait for their answer.

use crate::call::unit;
use crate::context::Context;
use crate::handles::{self, GarnerContext, GarnerModulus, GarnerPrivateKey, GarnerPublicKey};
use crate::memory::{Output, bytes, operand};
use crate::operation::{Prepared, Signed, hash_of};
use crate::status::Failure;
use std::ffi::{c_int, c_void};

/// Runs what is prepared, unless its answer would not fit.
pub fn run(gatherer: *mut GarnerContext, prepared: Prepared, output: Output) -> Result<(), Failure> {
    let Prepared { task, outcome } = prepared;
    output.fits(outcome.size())?;
    Context::check(gatherer)?;
    let answer = task.run(|| Context::get(gatherer))??;
    output.write(&outcome.of(answer)?)
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_rsa_private(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    input: *const c_void,
    input_length: usize,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; `input` is copied before the output is written.
        let (input, output) =
            unsafe { (operand("input", input, input_length)?, Output::new("output", output, output_length)?) };
        run(gatherer, Prepared::private(&handles::get(key)?, input)?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_rsa_public(
    gatherer: *mut GarnerContext,
    key: *const GarnerPublicKey,
    input: *const c_void,
    input_length: usize,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; `input` is copied before the output is written.
        let (input, output) =
            unsafe { (operand("input", input, input_length)?, Output::new("output", output, output_length)?) };
        run(gatherer, Prepared::public(&handles::get(key)?, input)?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_mod_exp(
    gatherer: *mut GarnerContext,
    modulus: *const GarnerModulus,
    base: *const c_void,
    base_length: usize,
    exponent: *const c_void,
    exponent_length: usize,
    output: *mut c_void,
    output_length: *mut usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; base and exponent are copied before the output is written.
        let (base, exponent, output) = unsafe {
            (
                operand("base", base, base_length)?,
                operand("exponent", exponent, exponent_length)?,
                Output::new("output", output, output_length)?,
            )
        };
        run(gatherer, Prepared::mod_exp(&handles::get(modulus)?, base, exponent)?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_sign(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    hash: c_int,
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
        run(gatherer, Prepared::sign(&handles::get(key)?, hash_of(hash)?.into(), Signed::Message(message))?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_sign_digest(
    gatherer: *mut GarnerContext,
    key: *const GarnerPrivateKey,
    hash: c_int,
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
        run(gatherer, Prepared::sign(&handles::get(key)?, hash_of(hash)?.into(), Signed::Digest(digest))?, output)
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_verify(
    gatherer: *mut GarnerContext,
    key: *const GarnerPublicKey,
    hash: c_int,
    message: *const c_void,
    message_length: usize,
    signature: *const c_void,
    signature_length: usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; nothing of the caller's is written.
        let (message, signature) =
            unsafe { (bytes("message", message, message_length)?, bytes("signature", signature, signature_length)?) };
        let prepared =
            Prepared::verify(&handles::get(key)?, hash_of(hash)?.into(), Signed::Message(message), signature)?;
        run(gatherer, prepared, Output::none())
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_verify_digest(
    gatherer: *mut GarnerContext,
    key: *const GarnerPublicKey,
    hash: c_int,
    digest: *const c_void,
    digest_length: usize,
    signature: *const c_void,
    signature_length: usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; nothing of the caller's is written.
        let (digest, signature) =
            unsafe { (operand("digest", digest, digest_length)?, bytes("signature", signature, signature_length)?) };
        let prepared = Prepared::verify(&handles::get(key)?, hash_of(hash)?.into(), Signed::Digest(digest), signature)?;
        run(gatherer, prepared, Output::none())
    })
}
