// SPDX-License-Identifier: Apache-2.0
//! Garner as an OpenSSL ENGINE: for programs that call `RSA_sign`, `RSA_private_decrypt` and their like, which never reach a
//! provider. For OpenSSL 3; OpenSSL 4 has no engines.
//!
//! Called by libcrypto; calls the gatherer by way of `garner_openssl_common`. It replaces the private exponentiation
//! inside OpenSSL's RSA method: paddings, public operations, keys without a CRT and keys of
//! several primes stay OpenSSL's.
//!
//! | module | subject |
//! |---|---|
//! | `bind` | what the `dynamic` engine loads |
//! | `control` | settings and statistics as commands |
//! | `method` | the RSA method, and keys as it keeps them |
//! | `sys` | the functions of libcrypto used |

mod bind;
mod control;
mod method;
mod sys;

/// What a host has no memory for must not end it.
#[global_allocator]
static ALLOCATOR: garner_reserve::Allocator = garner_reserve::Allocator;
