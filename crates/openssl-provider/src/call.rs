// SPDX-License-Identifier: Apache-2.0
//! One call from OpenSSL: what arrives, what leaves, and that no panic does.

use garner_openssl_common::libcrypto::raise;
use garner_openssl_common::memory;
use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Why a call gave nothing.
pub enum Refusal {
    /// The reason is on OpenSSL's error queue already.
    Told,
    /// The reason, to be put there.
    Because(String),
}

impl From<garner::Error> for Refusal {
    fn from(error: garner::Error) -> Refusal {
        Refusal::Because(error.to_string())
    }
}

/// Runs the body of a function that OpenSSL calls; `failed` is what it returns when there is nothing to return.
///
/// A panic is an error like others. What the body was changing is its own: keys and contexts are used by one thread at a
/// time, and what is shared survives panics, so that unwind safety can be asserted.
pub fn call<T>(failed: T, body: impl FnOnce() -> Result<T, Refusal>) -> T {
    if memory::enter_or_raise() { caught(failed, body) } else { failed }
}

/// As [`call`], for functions that free something, and so cannot fail.
pub fn freeing(body: impl FnOnce()) {
    if memory::enter_to_free() {
        caught((), || {
            body();
            Ok(())
        });
    }
}

fn caught<T>(failed: T, body: impl FnOnce() -> Result<T, Refusal>) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(Refusal::Told)) => failed,
        Ok(Err(Refusal::Because(reason))) => {
            raise(&reason);
            failed
        }
        Err(_) => {
            raise("a defect of the provider");
            failed
        }
    }
}

/// What a function of the default provider answered: 1 is good, anything else is told already.
pub fn told(answer: c_int) -> Result<c_int, Refusal> {
    if answer > 0 { Ok(answer) } else { Err(Refusal::Told) }
}
