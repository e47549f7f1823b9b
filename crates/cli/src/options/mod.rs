// SPDX-License-Identifier: Apache-2.0
//! Options that several commands share.

pub mod encryption;
pub mod hash;
pub mod key;
pub mod output;
pub mod password;
pub mod signature;
