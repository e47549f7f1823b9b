// SPDX-License-Identifier: Apache-2.0
//! Signatures and decryptions: sections 5.9 and 5.11. An operation is out of its session while it is worked on, and comes back
//! only if it goes on: what fails ends it, but for want of room for its result.

use super::call;
use crate::mechanisms::{Decrypting, Signing};
use crate::memory::{self, Result};
use crate::module;
use crate::objects::{self, NamedKey};
use cryptoki_sys::*;
use std::sync::Arc;

/// The key that a handle means.
fn private_key(handle: CK_OBJECT_HANDLE) -> Result<Arc<NamedKey>> {
    let object = objects::get(handle).ok_or(CKR_KEY_HANDLE_INVALID)?;
    object.private().ok_or(CKR_KEY_FUNCTION_NOT_PERMITTED)
}

fn take_signing(session: CK_SESSION_HANDLE) -> Result<Signing> {
    module::with_session(session, |session| session.signing.take().ok_or(CKR_OPERATION_NOT_INITIALIZED))
}

fn keep_signing(session: CK_SESSION_HANDLE, signing: Signing) -> Result<()> {
    module::with_session(session, |session| {
        session.signing = Some(signing);
        Ok(())
    })
}

pub unsafe extern "C" fn sign_init(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    call(|| {
        module::with_session(
            session,
            |session| {
                if session.signing.is_some() { Err(CKR_OPERATION_ACTIVE) } else { Ok(()) }
            },
        )?;
        // SAFETY: by the caller's promise.
        let signing = unsafe { Signing::new(private_key(key)?, &memory::value(mechanism)?)? };
        keep_signing(session, signing)
    })
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
    make: impl FnOnce(Signing) -> Result<garner::gather::Output>,
) -> Result<()> {
    let signing = take_signing(session)?;
    // SAFETY: by this function's contract.
    let room = unsafe { memory::value(signature_length)? } as usize;
    let size = signing.size();
    if signature.is_null() || room < size {
        keep_signing(session, signing)?;
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
        let mut signing = take_signing(session)?;
        // SAFETY: by the caller's promise.
        signing.add(unsafe { memory::values(piece, length)? })?;
        keep_signing(session, signing)
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

fn keep_decrypting(session: CK_SESSION_HANDLE, decrypting: Decrypting) -> Result<()> {
    module::with_session(session, |session| {
        session.decrypting = Some(decrypting);
        Ok(())
    })
}

pub unsafe extern "C" fn decrypt_init(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    call(|| {
        module::with_session(
            session,
            |session| {
                if session.decrypting.is_some() { Err(CKR_OPERATION_ACTIVE) } else { Ok(()) }
            },
        )?;
        // SAFETY: by the caller's promise.
        let decrypting = unsafe { Decrypting::new(private_key(key)?, &memory::value(mechanism)?)? };
        keep_decrypting(session, decrypting)
    })
}

pub unsafe extern "C" fn decrypt(
    session: CK_SESSION_HANDLE,
    ciphertext: *mut CK_BYTE,
    length: CK_ULONG,
    message: *mut CK_BYTE,
    message_length: *mut CK_ULONG,
) -> CK_RV {
    call(|| {
        let taken =
            module::with_session(session, |session| session.decrypting.take().ok_or(CKR_OPERATION_NOT_INITIALIZED));
        let decrypting = taken?;
        // SAFETY: by the caller's promise.
        let room = unsafe { memory::value(message_length)? } as usize;
        if message.is_null() {
            // How long it is nobody knows yet; it is not longer than this.
            let longest = decrypting.size() as CK_ULONG;
            keep_decrypting(session, decrypting)?;
            // SAFETY: as above.
            return unsafe { memory::write(message_length, longest) };
        }
        // SAFETY: as above; nothing is written before it was decrypted.
        let opened = decrypting.of(unsafe { memory::values(ciphertext, length)? })?;
        if room < opened.len() {
            // With more room it can be decrypted again.
            keep_decrypting(session, decrypting)?;
        }
        // SAFETY: as above.
        unsafe { memory::write_all(&opened, message, message_length) }
    })
}
