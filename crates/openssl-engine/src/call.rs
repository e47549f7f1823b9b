// SPDX-License-Identifier: Apache-2.0
//! One call from OpenSSL: its answer, and that no panic leaves it.

use garner_openssl_common::libcrypto::raise;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of a function that OpenSSL calls: 1, or 0 with the reason on OpenSSL's error queue. A panic is an error like
/// others; what is shared survives it, so that unwind safety can be asserted.
pub fn called(body: impl FnOnce() -> Result<(), String>) -> c_int {
    match catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Err("a defect of the engine".to_owned())) {
        Ok(()) => 1,
        Err(reason) => {
            raise(&reason);
            0
        }
    }
}
