// SPDX-License-Identifier: Apache-2.0
//! Signatures and decryptions: sections 5.9 and 5.11. An operation is out of its session while it is worked on, and comes back
//! only if it goes on: what fails ends it, but for want of room for its result.

use super::call;
use crate::keys::NamedKey;
use crate::mechanisms::{Decrypting, Signing};
use crate::memory::{self, Result};
use crate::module::{self, Session};
use crate::objects;
use cryptoki_sys::*;
use garner::gather::Output;
use std::sync::Arc;

/// The key that a handle means.
fn private_key(handle: CK_OBJECT_HANDLE) -> Result<Arc<NamedKey>> {
    let object = objects::get(handle).ok_or(CKR_KEY_HANDLE_INVALID)?;
    object.private().ok_or(CKR_KEY_FUNCTION_NOT_PERMITTED)
}

/// Which of a session's operations: where it is kept.
type Place<T> = fn(&mut Session) -> &mut Option<T>;

const SIGNING: Place<Signing> = |session| &mut session.signing;
const DECRYPTING: Place<Decrypting> = |session| &mut session.decrypting;

/// Begins an operation, where none is under way.
fn begin<T>(session: CK_SESSION_HANDLE, place: Place<T>, make: impl FnOnce() -> Result<T>) -> Result<()> {
    let is_active = module::with_session(session, |session| Ok(place(session).is_some()))?;
    if is_active {
        return Err(CKR_OPERATION_ACTIVE);
    }
    keep(session, place, make()?)
}

fn take<T>(session: CK_SESSION_HANDLE, place: Place<T>) -> Result<T> {
    module::with_session(session, |session| place(session).take().ok_or(CKR_OPERATION_NOT_INITIALIZED))
}

fn keep<T>(session: CK_SESSION_HANDLE, place: Place<T>, operation: T) -> Result<()> {
    module::with_session(session, |session| {
        *place(session) = Some(operation);
        Ok(())
    })
}

pub unsafe extern "C" fn sign_init(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    // SAFETY: by the caller's promise.
    let make = || unsafe { Signing::new(private_key(key)?, &memory::value(mechanism)?) };
    call(|| begin(session, SIGNING, make))
}

/// Writes the signature that `make` makes. Without a place, or room, for it the length that is needed is written, and the
/// signature is still to be made.
///
/// # Safety
/// As [`memory::values`].
unsafe fn end_signing(
    session: CK_SESSION_HANDLE,
    signature: *mut CK_BYTE,
    signature_length: *mut CK_ULONG,
    make: impl FnOnce(Signing) -> Result<Output>,
) -> Result<()> {
    let signing = take(session, SIGNING)?;
    // SAFETY: by this function's contract.
    let room = unsafe { memory::value(signature_length)? } as usize;
    let size = signing.size();
    if signature.is_null() || room < size {
        keep(session, SIGNING, signing)?;
        // SAFETY: as above; there is no place, or no room for as much.
        return unsafe { memory::write_all(&vec![0; size], signature, signature_length) };
    }
    let made = make(signing)?;
    // SAFETY: as above.
    unsafe { memory::write_all(&made, signature, signature_length) }
}

pub unsafe extern "C" fn sign(
    session: CK_SESSION_HANDLE,
    data: *mut CK_BYTE,
    length: CK_ULONG,
    signature: *mut CK_BYTE,
    signature_length: *mut CK_ULONG,
) -> CK_RV {
    let make = |mut signing: Signing| {
        if signing.has_pieces() {
            // What came in pieces is ended by C_SignFinal.
            return Err(CKR_OPERATION_ACTIVE);
        }
        // SAFETY: by the caller's promise; nothing is written before it was signed.
        signing.add(unsafe { memory::values(data, length)? })?;
        signing.end()
    };
    // SAFETY: as above.
    call(|| unsafe { end_signing(session, signature, signature_length, make) })
}

pub unsafe extern "C" fn sign_update(session: CK_SESSION_HANDLE, piece: *mut CK_BYTE, length: CK_ULONG) -> CK_RV {
    call(|| {
        let mut signing = take(session, SIGNING)?;
        // SAFETY: by the caller's promise.
        signing.add(unsafe { memory::values(piece, length)? })?;
        keep(session, SIGNING, signing)
    })
}

pub unsafe extern "C" fn sign_final(
    session: CK_SESSION_HANDLE,
    signature: *mut CK_BYTE,
    signature_length: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: by the caller's promise.
    call(|| unsafe { end_signing(session, signature, signature_length, Signing::end) })
}

pub unsafe extern "C" fn decrypt_init(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    // SAFETY: by the caller's promise.
    let make = || unsafe { Decrypting::new(private_key(key)?, &memory::value(mechanism)?) };
    call(|| begin(session, DECRYPTING, make))
}

pub unsafe extern "C" fn decrypt(
    session: CK_SESSION_HANDLE,
    ciphertext: *mut CK_BYTE,
    length: CK_ULONG,
    message: *mut CK_BYTE,
    message_length: *mut CK_ULONG,
) -> CK_RV {
    call(|| {
        let decrypting = take(session, DECRYPTING)?;
        // SAFETY: by the caller's promise.
        let room = unsafe { memory::value(message_length)? } as usize;
        if message.is_null() {
            // How long it is nobody knows yet; it is not longer than this.
            let longest = decrypting.size() as CK_ULONG;
            keep(session, DECRYPTING, decrypting)?;
            // SAFETY: as above.
            return unsafe { memory::write(message_length, longest) };
        }
        // SAFETY: as above; nothing is written before it was decrypted.
        let opened = decrypting.of(unsafe { memory::values(ciphertext, length)? })?;
        if room < opened.len() {
            // With more room it can be decrypted again.
            keep(session, DECRYPTING, decrypting)?;
        }
        // SAFETY: as above.
        unsafe { memory::write_all(&opened, message, message_length) }
    })
}
