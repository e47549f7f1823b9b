// SPDX-License-Identifier: Apache-2.0
//! Signatures and decryptions: sections 5.9 and 5.11.

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

pub unsafe extern "C" fn sign_init(
    session: CK_SESSION_HANDLE,
    mechanism: *mut CK_MECHANISM,
    key: CK_OBJECT_HANDLE,
) -> CK_RV {
    call(|| {
        module::with_session(
            session,
            |session| if session.signing.is_some() { Err(CKR_OPERATION_ACTIVE) } else { Ok(()) },
        )?;
        // SAFETY: by the caller's promise.
        let signing = unsafe { Signing::new(private_key(key)?, &memory::value(mechanism)?)? };
        module::with_session(session, |session| {
            session.signing = Some((signing, Vec::new()));
            Ok(())
        })
    })
}

/// Signs `data`, of one piece or of the pieces before, and ends the operation. Without a place, or room, for the signature the
/// length that is needed is given, and the signature is still to be made.
///
/// # Safety
/// As [`memory::values`]; nothing that is borrowed from the caller is in `data` when it returns.
unsafe fn sign_data(
    session: CK_SESSION_HANDLE,
    data: impl FnOnce(Vec<u8>) -> Result<Vec<u8>>,
    signature: *mut CK_BYTE,
    signature_length: *mut CK_ULONG,
) -> Result<()> {
    let size = module::with_session(session, |session| {
        session.signing.as_ref().map(|(signing, _)| signing.size()).ok_or(CKR_OPERATION_NOT_INITIALIZED)
    })?;
    // SAFETY: by this function's contract.
    let room = unsafe { memory::value(signature_length)? } as usize;
    if signature.is_null() || room < size {
        // SAFETY: as above; there is no place, or no room for as much.
        return unsafe { memory::write_all(&vec![0; size], signature, signature_length) };
    }
    let taken = module::with_session(session, |session| session.signing.take().ok_or(CKR_OPERATION_NOT_INITIALIZED));
    let (signing, pieces) = taken?;
    let made = signing.of(&data(pieces)?)?;
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
    // SAFETY: by the caller's promise.
    let data = |_| unsafe { memory::values(data, length) }.map(<[u8]>::to_vec);
    // SAFETY: as above.
    call(|| unsafe { sign_data(session, data, signature, signature_length) })
}

pub unsafe extern "C" fn sign_update(session: CK_SESSION_HANDLE, piece: *mut CK_BYTE, length: CK_ULONG) -> CK_RV {
    call(|| {
        // SAFETY: by the caller's promise.
        let piece = unsafe { memory::values(piece, length)? };
        module::with_session(session, |session| {
            let (_, pieces) = session.signing.as_mut().ok_or(CKR_OPERATION_NOT_INITIALIZED)?;
            pieces.extend_from_slice(piece);
            Ok(())
        })
    })
}

pub unsafe extern "C" fn sign_final(
    session: CK_SESSION_HANDLE,
    signature: *mut CK_BYTE,
    signature_length: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: by the caller's promise.
    call(|| unsafe { sign_data(session, Ok, signature, signature_length) })
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
        module::with_session(session, |session| {
            session.decrypting = Some(Arc::new(decrypting));
            Ok(())
        })
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
        let decrypting = module::with_session(session, |session| {
            session.decrypting.as_ref().map(Arc::clone).ok_or(CKR_OPERATION_NOT_INITIALIZED)
        })?;
        if message.is_null() && !message_length.is_null() {
            // How long it is nobody knows yet; it is not longer than this.
            // SAFETY: by the caller's promise.
            return unsafe { memory::write(message_length, decrypting.size() as CK_ULONG) };
        }
        let end = || {
            module::with_session(session, |session| {
                session.decrypting = None;
                Ok(())
            })
        };
        // SAFETY: by the caller's promise; nothing is written before it was decrypted.
        let opened = unsafe { memory::values(ciphertext, length) }.and_then(|ciphertext| decrypting.of(ciphertext));
        // SAFETY: by the caller's promise.
        let written = opened.and_then(|opened| unsafe { memory::write_all(&opened, message, message_length) });
        // With more room it can be decrypted again.
        if written != Err(CKR_BUFFER_TOO_SMALL) {
            end()?;
        }
        written
    })
}
