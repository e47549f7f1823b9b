// SPDX-License-Identifier: Apache-2.0
//! The module, its slot and its token, and sessions: sections 5.4 to 5.6.

use super::call;
use crate::memory::{self, Result};
use crate::module::{self, Module};
use crate::{mechanisms, token};
use cryptoki_sys::*;
use std::ffi::c_void;

/// As [`call`], for what needs an initialised module and this slot.
fn of_slot(slot: CK_SLOT_ID, body: impl FnOnce(&mut Module) -> Result<()>) -> CK_RV {
    call(|| module::with(|module| if slot == token::SLOT { body(module) } else { Err(CKR_SLOT_ID_INVALID) }))
}

pub unsafe extern "C" fn initialize(arguments: *mut c_void) -> CK_RV {
    call(|| {
        if !arguments.is_null() {
            // SAFETY: by the caller's promise.
            let given: CK_C_INITIALIZE_ARGS = unsafe { memory::value(arguments.cast())? };
            let own = [given.CreateMutex.is_some(), given.DestroyMutex.is_some()];
            let own = own.into_iter().chain([given.LockMutex.is_some(), given.UnlockMutex.is_some()]);
            let own: Vec<bool> = own.collect();
            if !given.pReserved.is_null() || own.iter().any(|&there| there != own[0]) {
                return Err(CKR_ARGUMENTS_BAD);
            }
            // The program's locks are not used. Who gives some and forbids the system's has one thread only.
            if own[0] && given.flags & CKF_OS_LOCKING_OK == 0 {
                return Err(CKR_CANT_LOCK);
            }
        }
        module::initialise()
    })
}

pub unsafe extern "C" fn finalize(reserved: *mut c_void) -> CK_RV {
    call(|| if reserved.is_null() { module::finalise() } else { Err(CKR_ARGUMENTS_BAD) })
}

pub unsafe extern "C" fn get_info(info: *mut CK_INFO) -> CK_RV {
    // SAFETY: by the caller's promise.
    call(|| module::with(|_| unsafe { memory::write(info, token::module()) }))
}

pub unsafe extern "C" fn get_slot_list(_present: CK_BBOOL, slots: *mut CK_SLOT_ID, count: *mut CK_ULONG) -> CK_RV {
    // SAFETY: by the caller's promise.
    call(|| module::with(|_| unsafe { memory::write_all(&[token::SLOT], slots, count) }))
}

pub unsafe extern "C" fn get_slot_info(slot: CK_SLOT_ID, info: *mut CK_SLOT_INFO) -> CK_RV {
    // SAFETY: by the caller's promise.
    of_slot(slot, |_| unsafe { memory::write(info, token::slot()) })
}

pub unsafe extern "C" fn get_token_info(slot: CK_SLOT_ID, info: *mut CK_TOKEN_INFO) -> CK_RV {
    // SAFETY: by the caller's promise.
    of_slot(slot, |module| unsafe { memory::write(info, token::token(module.sessions())) })
}

pub unsafe extern "C" fn get_mechanism_list(
    slot: CK_SLOT_ID,
    list: *mut CK_MECHANISM_TYPE,
    count: *mut CK_ULONG,
) -> CK_RV {
    // SAFETY: by the caller's promise.
    of_slot(slot, |_| unsafe { memory::write_all(&mechanisms::all(), list, count) })
}

pub unsafe extern "C" fn get_mechanism_info(
    slot: CK_SLOT_ID,
    mechanism: CK_MECHANISM_TYPE,
    info: *mut CK_MECHANISM_INFO,
) -> CK_RV {
    // SAFETY: by the caller's promise.
    of_slot(slot, |_| unsafe { memory::write(info, mechanisms::info(mechanism)?) })
}

pub unsafe extern "C" fn open_session(
    slot: CK_SLOT_ID,
    flags: CK_FLAGS,
    _application: *mut c_void,
    _notify: CK_NOTIFY,
    session: *mut CK_SESSION_HANDLE,
) -> CK_RV {
    of_slot(slot, |module| {
        if flags & CKF_SERIAL_SESSION == 0 {
            return Err(CKR_SESSION_PARALLEL_NOT_SUPPORTED);
        }
        if session.is_null() {
            return Err(CKR_ARGUMENTS_BAD);
        }
        // SAFETY: by the caller's promise.
        unsafe { memory::write(session, module.open(flags & CKF_RW_SESSION != 0)) }
    })
}

pub unsafe extern "C" fn close_session(session: CK_SESSION_HANDLE) -> CK_RV {
    call(|| module::with(|module| module.close(session)))
}

pub unsafe extern "C" fn close_all_sessions(slot: CK_SLOT_ID) -> CK_RV {
    of_slot(slot, |module| {
        module.close_all();
        Ok(())
    })
}

pub unsafe extern "C" fn get_session_info(session: CK_SESSION_HANDLE, info: *mut CK_SESSION_INFO) -> CK_RV {
    // SAFETY: by the caller's promise.
    call(|| module::with_session(session, |session| unsafe { memory::write(info, token::session(session.may_write)) }))
}

/// `C_GetFunctionStatus`, `C_CancelFunction`: no function runs beside its caller.
pub unsafe extern "C" fn not_parallel(_session: CK_SESSION_HANDLE) -> CK_RV {
    CKR_FUNCTION_NOT_PARALLEL
}
