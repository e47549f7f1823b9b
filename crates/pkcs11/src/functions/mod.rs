// SPDX-License-Identifier: Apache-2.0
//! The functions as C calls them, and the list of them. Names, arguments and errors are the standard's, section 5.

mod general;
mod operations;
mod search;

use crate::memory::{self, Result};
use cryptoki_sys::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a function's body. No panic crosses the boundary; it leaves nothing half done, for outputs are written last.
pub fn call(body: impl FnOnce() -> Result<()>) -> CK_RV {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(result) => result.err().unwrap_or(CKR_OK),
        Err(_) => CKR_GENERAL_ERROR,
    }
}

/// See section 5.4 of the standard.
///
/// # Safety
/// `list` is NULL or has room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn C_GetFunctionList(list: *mut *mut CK_FUNCTION_LIST) -> CK_RV {
    // SAFETY: by this function's contract. Programs only read the list.
    call(|| unsafe { memory::write(list, (&raw const FUNCTIONS).cast_mut()) })
}

/// A function that is not supported, of whatever type.
trait Unsupported {
    const FUNCTION: Self;
}

macro_rules! unsupported {
    ($($argument:ident)*) => {
        impl<$($argument),*> Unsupported for Option<unsafe extern "C" fn($($argument),*) -> CK_RV> {
            const FUNCTION: Self = {
                unsafe extern "C" fn function<$($argument),*>($(_: $argument),*) -> CK_RV {
                    CKR_FUNCTION_NOT_SUPPORTED
                }
                Some(function)
            };
        }
    };
}

unsupported!(A);
unsupported!(A B);
unsupported!(A B C);
unsupported!(A B C D);
unsupported!(A B C D E);
unsupported!(A B C D E F);
unsupported!(A B C D E F G);
unsupported!(A B C D E F G H);

macro_rules! list {
    ([$($there:ident = $function:path),* $(,)?] [$($missing:ident)*]) => {
        CK_FUNCTION_LIST {
            version: CK_VERSION { major: 2, minor: 40 },
            $($there: Some($function),)*
            $($missing: Unsupported::FUNCTION,)*
        }
    };
}

static FUNCTIONS: CK_FUNCTION_LIST = list! {
    [
        C_Initialize = general::initialize,
        C_Finalize = general::finalize,
        C_GetInfo = general::get_info,
        C_GetFunctionList = C_GetFunctionList,
        C_GetSlotList = general::get_slot_list,
        C_GetSlotInfo = general::get_slot_info,
        C_GetTokenInfo = general::get_token_info,
        C_GetMechanismList = general::get_mechanism_list,
        C_GetMechanismInfo = general::get_mechanism_info,
        C_OpenSession = general::open_session,
        C_CloseSession = general::close_session,
        C_CloseAllSessions = general::close_all_sessions,
        C_GetSessionInfo = general::get_session_info,
        C_FindObjectsInit = search::find_objects_init,
        C_FindObjects = search::find_objects,
        C_FindObjectsFinal = search::find_objects_final,
        C_GetAttributeValue = search::get_attribute_value,
        C_SignInit = operations::sign_init,
        C_Sign = operations::sign,
        C_SignUpdate = operations::sign_update,
        C_SignFinal = operations::sign_final,
        C_DecryptInit = operations::decrypt_init,
        C_Decrypt = operations::decrypt,
        C_GetFunctionStatus = general::not_parallel,
        C_CancelFunction = general::not_parallel,
    ]
    [
        C_InitToken C_InitPIN C_SetPIN C_GetOperationState C_SetOperationState C_Login C_Logout C_CreateObject C_CopyObject
        C_DestroyObject C_GetObjectSize C_SetAttributeValue C_EncryptInit C_Encrypt C_EncryptUpdate C_EncryptFinal
        C_DecryptUpdate C_DecryptFinal C_DigestInit C_Digest C_DigestUpdate C_DigestKey C_DigestFinal
        C_SignRecoverInit C_SignRecover C_VerifyInit C_Verify C_VerifyUpdate C_VerifyFinal C_VerifyRecoverInit C_VerifyRecover
        C_DigestEncryptUpdate C_DecryptDigestUpdate C_SignEncryptUpdate C_DecryptVerifyUpdate C_GenerateKey C_GenerateKeyPair
        C_WrapKey C_UnwrapKey C_DeriveKey C_SeedRandom C_GenerateRandom
        C_WaitForSlotEvent
    ]
};
