// SPDX-License-Identifier: Apache-2.0
//! Garner as an OpenSSL provider: `garner.so` among OpenSSL's modules. `docs/openssl.md` tells its users what it does.
//!
//! Called by libcrypto; calls the gatherer by way of `garner_openssl_common`, and for everything that is not ours the
//! default provider, which has a library context of its own here.
//!
//! | module | subject |
//! |---|---|
//! | `entry` | what OpenSSL loads and asks first |
//! | `keymgmt`, `signature`, `cipher` | the functions of the three operations |
//! | `context` | contexts of operations, and OpenSSL's buffers |
//! | `key` | a key of the default provider's, and ours made from it |
//! | `blinding` | which of the default provider's keys does a private operation |
//! | `digest` | hashing what is to be signed |
//! | `upstream` | the default provider's functions |
//! | `provider` | what all keys and contexts of one loaded provider share |
//! | `params`, `sys`, `call` | OpenSSL's arrays, numbers and calls |
//!
//! Whatever OpenSSL passes in is a pointer, so each function it calls begins by turning its arguments into references
//! and slices and ends by writing results; what lies between is safe code.

#![deny(unsafe_code)]

/// An entry of a dispatch table.
macro_rules! entry {
    ($id:ident, $function:expr) => {
        OSSL_DISPATCH {
            id: $id,
            // SAFETY: OpenSSL calls the function of this number with this function's signature; any function pointer may
            // be kept as another.
            function: Some(unsafe {
                std::mem::transmute::<*const (), unsafe extern "C" fn()>($function as *const ())
            }),
        }
    };
}

#[allow(unsafe_code, reason = "the default provider's keys")]
mod blinding;
mod call;
#[allow(unsafe_code, reason = "called by libcrypto")]
mod cipher;
#[allow(unsafe_code, reason = "contexts and buffers of libcrypto")]
mod context;
#[allow(unsafe_code, reason = "functions of libcrypto")]
mod digest;
#[allow(unsafe_code, reason = "called by libcrypto")]
mod entry;
#[allow(unsafe_code, reason = "the default provider's keys")]
mod key;
#[allow(unsafe_code, reason = "called by libcrypto")]
mod keymgmt;
#[allow(unsafe_code, reason = "libcrypto's arrays")]
mod params;
#[allow(unsafe_code, reason = "a pointer that libcrypto keeps")]
mod provider;
#[allow(unsafe_code, reason = "called by libcrypto")]
mod signature;
#[allow(unsafe_code, reason = "functions of libcrypto")]
mod sys;
#[allow(unsafe_code, reason = "the default provider's functions")]
mod upstream;

pub use entry::OSSL_provider_init;
pub use garner_openssl_common::settings::add_device;
pub use sys::CONSTANTS;

/// What a host has no memory for must not end it.
#[global_allocator]
static ALLOCATOR: garner_reserve::Allocator = garner_reserve::Allocator;
