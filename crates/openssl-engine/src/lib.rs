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
//! | `call` | one call from OpenSSL, and that no panic leaves it |
//! | `control` | settings and statistics as commands |
//! | `service` | the service, and the settings that it is opened with |
//! | `method` | the RSA method |
//! | `held` | keys that garnerd holds |
//! | `shadow` | the keys that OpenSSL's functions are given in place of a program's |
//! | `key` | Garner's key out of an `RSA` |
//! | `registered` | the methods, and the places of our data, as libcrypto has them |
//! | `sys` | the functions of libcrypto used |

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "what libcrypto loads and calls")]
mod bind;
mod call;
#[allow(unsafe_code, reason = "called by libcrypto")]
mod control;
#[allow(unsafe_code, reason = "libcrypto's keys")]
mod held;
#[allow(unsafe_code, reason = "numbers of libcrypto's")]
mod key;
#[allow(unsafe_code, reason = "called by libcrypto")]
mod method;
#[allow(unsafe_code, reason = "libcrypto's tables")]
mod registered;
mod service;
#[allow(unsafe_code, reason = "libcrypto's keys")]
mod shadow;
#[allow(unsafe_code, reason = "functions of libcrypto")]
mod sys;

/// What a host has no memory for must not end it.
#[global_allocator]
static ALLOCATOR: garner_reserve::Allocator = garner_reserve::Allocator;
