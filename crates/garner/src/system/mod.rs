// SPDX-License-Identifier: Apache-2.0
//! What is asked of the kernel and of the C library that rustix and the standard library have no safe form of. The rest of the
//! crate asks for none of it. Its other unsafe code is in `digest` (libcrypto's functions) and in `arithmetic` (kernels, and
//! `divisors`, for processors that have certain instructions).
//!
//! | module | what it asks for |
//! |---|---|
//! | [`environment`] | whether this program has more rights than its user |
//! | [`fork`] | to be told of forks |
//! | [`thread`] | threads, and memory for them before they begin |
//! | `pages` | pages for secrets, not swapped and not dumped |
//! | `shared` | a page that other processes see |

pub mod environment;
pub mod fork;
pub mod pages;
pub mod shared;
pub mod thread;
