// SPDX-License-Identifier: Apache-2.0
//! What OpenSSL's `dynamic` engine loads: SO_PATH, ID `garner`, LOAD.

use crate::call::called;
use crate::control::{COMMANDS, control};
use crate::sys::*;
use crate::{method, registered, service};
use garner_openssl_common::libcrypto;
use garner_openssl_common::memory;
use std::ffi::{CStr, c_char, c_int, c_ulong};
use std::io::Write as _;
use std::panic::catch_unwind;

const ID: &CStr = c"garner";

/// Called by `dynamic` first: whether we speak its version of the interface.
#[unsafe(no_mangle)]
pub extern "C" fn v_check(version: c_ulong) -> c_ulong {
    if version >= OSSL_DYNAMIC_VERSION { OSSL_DYNAMIC_VERSION } else { 0 }
}

/// Called by `dynamic` to make its engine ours. Refuses another libcrypto than this is linked to, on stderr, as that one's
/// queue of errors is not known here; and another ID, with an error on OpenSSL's queue.
///
/// # Safety
/// OpenSSL's contract for dynamic engines.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bind_engine(engine: *mut ENGINE, id: *const c_char, from: *const dynamic_fns) -> c_int {
    // SAFETY: OpenSSL's structure; no arguments, and nothing of libcrypto is initialised by asking.
    let same = unsafe { (*from).static_state == ENGINE_get_static_state() };
    if !same {
        if memory::enter() {
            // Where it cannot be said there is nobody to be told.
            let reason = "loaded by another libcrypto than it is linked to; build Garner for that OpenSSL";
            let _ = writeln!(std::io::stderr(), "garner: {reason}");
        }
        return 0;
    }
    if !memory::enter_or_raise() {
        return 0;
    }
    // SAFETY: OpenSSL's text.
    let id = unsafe { (!id.is_null()).then(|| CStr::from_ptr(id)) };
    let body = || {
        if let Some(id) = id.filter(|id| *id != ID) {
            return Err(format!("the engine's ID is \"garner\", not {id:?}"));
        }
        libcrypto::initialise();
        let rsa = method::make()?;
        // SAFETY: OpenSSL's engine; static text, tables and functions, and a method that lives until the engine is destroyed.
        let set = unsafe {
            ENGINE_set_id(engine, ID.as_ptr()) == 1
                && ENGINE_set_name(engine, c"Garner: batched RSA".as_ptr()) == 1
                && ENGINE_set_RSA(engine, rsa) == 1
                && ENGINE_set_init_function(engine, initialise) == 1
                && ENGINE_set_destroy_function(engine, destroy) == 1
                && ENGINE_set_ctrl_function(engine, control) == 1
                && ENGINE_set_cmd_defns(engine, &raw const COMMANDS[0]) == 1
        };
        if set { Ok(()) } else { Err("libcrypto refuses the engine".to_owned()) }
    };
    called(body)
}

unsafe extern "C" fn initialise(_: *mut ENGINE) -> c_int {
    if !memory::enter_or_raise() {
        return 0;
    }
    called(service::open)
}

unsafe extern "C" fn destroy(_: *mut ENGINE) -> c_int {
    registered::unmake();
    if !memory::enter_to_free() {
        return 0;
    }
    c_int::from(catch_unwind(service::close).is_ok())
}
