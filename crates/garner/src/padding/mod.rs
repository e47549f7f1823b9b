// SPDX-License-Identifier: Apache-2.0
//! Paddings: between messages and the numbers that RSA raises to powers.
//!
//! Called by the front ends before and after `private_op`. Knows nothing of keys but their size and (for implicit
//! rejection) a secret made of the private exponent, and nothing of batches. Hashes, HMAC and randomness are
//! libcrypto's.
//!
//! | module | what it pads | source |
//! |---|---|---|
//! | [`pkcs1v15`] | signatures | RFC 8017 section 9.2 |
//! | [`pss`] | signatures | RFC 8017 section 9.1, RFC 8702 for SHAKE |
//! | [`oaep`] | encryption | RFC 8017 section 7.1 |
//! | [`pkcs1v15_encryption`] | encryption | RFC 8017 section 7.2 |
//! | [`implicit_rejection`] | what is decrypted instead of badly padded PKCS#1 v1.5 | draft-irtf-cfrg-rsa-guidance |
//! | [`premaster`] | TLS's premaster secret in PKCS#1 v1.5 | RFC 5246 section 7.4.7.1 |
//!
//! Blocks are big-endian and as many bytes as the modulus. What decrypts takes time and touches memory that depend on
//! lengths only, until its verdict and the message's length are released.

#![forbid(unsafe_code)]

mod hash;
pub mod implicit_rejection;
pub mod mgf1;
pub mod oaep;
pub mod pkcs1v15;
pub mod pkcs1v15_encryption;
pub mod premaster;
pub mod pss;
mod release;

pub use hash::Hash;
