// SPDX-License-Identifier: Apache-2.0
//! The daemon's errors, as the standard names them.

use cryptoki_sys::*;
use garner_remote::Error;
use garner_remote::message::Refusal;

/// What the standard calls an error.
pub fn failure(error: &Error) -> CK_RV {
    match error {
        Error::Refused(Refusal::Verification) | Error::Here(garner::Error::Verification) => CKR_ENCRYPTED_DATA_INVALID,
        Error::Here(garner::Error::Argument { name: "input", .. }) => CKR_DATA_INVALID,
        Error::Refused(Refusal::Argument { .. }) | Error::Here(garner::Error::Argument { .. }) => CKR_DATA_LEN_RANGE,
        Error::Refused(Refusal::Forbidden(_)) => CKR_KEY_FUNCTION_NOT_PERMITTED,
        Error::Refused(Refusal::NoKey) => CKR_KEY_HANDLE_INVALID,
        Error::Unreachable { .. } => CKR_DEVICE_ERROR,
        _ => CKR_FUNCTION_FAILED,
    }
}
