// SPDX-License-Identifier: Apache-2.0
//! Digests by libcrypto's own functions, where the openssl crate has no form of them that serves: keyed or seeded once and
//! used often, with errors where there is no memory.
//!
//! Called by `padding`, which so has no unsafe code.

mod hmac;
mod seeded;

pub use hmac::{HmacSha256, TAG};
pub use seeded::Seeded;
