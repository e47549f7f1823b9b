// SPDX-License-Identifier: Apache-2.0
//! Garner's C API: what `include/garner.h` and `include/garner_keys.h` declare, over the Rust library.
//!
//! Called by programs through `libgarner`; calls the gatherer and the front ends beside it. The headers are the
//! documentation of every function; here is only what they do not say.
//!
//! | module | what it does |
//! |---|---|
//! | [`call`] | runs a function's body: no panic crosses the boundary, every error becomes a status and a text |
//! | [`status`] | the statuses and what they mean |
//! | [`memory`] | the caller's pointers, in one place |
//! | [`handles`] | the table behind the handles |
//! | [`context`], [`devices`], [`statistics`] | gatherers, what they run on and what they did |
//! | [`end`] | what is done before libcrypto cleans up |
//! | [`keys`], [`keygen`], [`write`] | keys and moduli: read, made, written |
//! | [`operation`] | `garner_operation`: one structure for batches and tickets |
//! | [`single`], [`batch`], [`ticket`] | the three ways to run operations |
//! | [`pss`], [`encryption`] | more operations by the first of them |
//! | [`aes`] | AES-CBC by a board's engines, `include/garner_aes_board.h` |

#![deny(unsafe_code)]

#[cfg(feature = "board")]
#[allow(unsafe_code, reason = "called by programs in C")]
mod aes;
#[allow(unsafe_code, reason = "called by programs in C")]
mod batch;
#[allow(unsafe_code, reason = "called by programs in C")]
mod call;
#[allow(unsafe_code, reason = "called by programs in C")]
mod context;
#[allow(unsafe_code, reason = "called by programs in C")]
mod devices;
#[allow(unsafe_code, reason = "called by programs in C")]
mod encryption;
#[allow(unsafe_code, reason = "called by the C library")]
mod end;
mod handles;
#[allow(unsafe_code, reason = "called by programs in C")]
mod keygen;
#[allow(unsafe_code, reason = "called by programs in C")]
mod keys;
#[allow(unsafe_code, reason = "the caller's pointers")]
mod memory;
#[allow(unsafe_code, reason = "a structure of the caller's")]
mod operation;
#[allow(unsafe_code, reason = "called by programs in C")]
mod pss;
#[allow(unsafe_code, reason = "called by programs in C")]
mod single;
#[allow(unsafe_code, reason = "called by programs in C")]
mod statistics;
#[allow(unsafe_code, reason = "called by programs in C")]
mod status;
#[allow(unsafe_code, reason = "called by programs in C")]
mod ticket;
#[allow(unsafe_code, reason = "called by programs in C")]
mod write;

#[cfg(test)]
#[allow(unsafe_code, reason = "calls what is for C")]
mod tests;

/// What a host has no memory for must not end it.
#[global_allocator]
static ALLOCATOR: garner_reserve::Allocator = garner_reserve::Allocator;

/// The version, with the zero byte that C wants.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// See `garner.h`.
#[allow(unsafe_code, reason = "its name is C's")]
#[unsafe(no_mangle)]
pub extern "C" fn garner_version() -> *const std::ffi::c_char {
    VERSION.as_ptr().cast()
}
