// SPDX-License-Identifier: Apache-2.0
//! Garner's C API: what `include/garner.h` declares, over the Rust library.
//!
//! Called by programs through `libgarner`; calls the gatherer and the front ends beside it. The header is the
//! documentation of every function; here is only what the header does not say.
//!
//! | module | what it does |
//! |---|---|
//! | [`call`] | runs a function's body: no panic crosses the boundary, every error becomes a status and a text |
//! | [`status`] | the statuses and what they mean |
//! | [`memory`] | the caller's pointers, in one place |
//! | [`handles`] | the table behind the handles |
//! | [`context`], [`devices`], [`statistics`] | gatherers, what they run on and what they did |
//! | [`keys`], [`keygen`], [`write`] | keys and moduli: read, made, written |
//! | [`operation`] | `garner_operation`: one structure for batches and tickets |
//! | [`single`], [`batch`], [`ticket`] | the three ways to run operations |
//! | [`pss`], [`encryption`] | more operations by the first of them |
//! | [`aes`] | AES-CBC by a board's engines, `include/garner_aes_board.h` |

#[cfg(feature = "board")]
mod aes;
mod batch;
mod call;
mod context;
mod devices;
mod encryption;
mod handles;
mod keygen;
mod keys;
mod memory;
mod operation;
mod pss;
mod single;
mod statistics;
mod status;
mod ticket;
mod write;

#[cfg(test)]
mod tests;

/// What a host has no memory for must not end it.
#[global_allocator]
static ALLOCATOR: garner_reserve::Allocator = garner_reserve::Allocator;

/// The version, with the zero byte that C wants.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// See `garner.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_version() -> *const std::ffi::c_char {
    VERSION.as_ptr().cast()
}
