// SPDX-License-Identifier: Apache-2.0
//! Memory that Garner's loadable modules (provider, ENGINE, C library) keep for when the system has none left.
//!
//! Rust ends the process when an allocation fails. A library must not do that to its host: a request that cannot have the
//! memory it needs is to be refused with an error. So each thread, before it runs any of our code, and each operation that
//! outlives the call it came in is *promised* as much as it may need, and the [`Allocator`] of the module keeps that much
//! mapped: what the system refuses comes from there. A promise that cannot be kept is refused, while there is still somebody to
//! tell. Mapped memory that was never used takes address space only.
//!
//! Called by the front ends; knows nothing of Garner. Programs written in Rust choose their own allocator and have none of this.
//!
//! | module | subject |
//! |---|---|
//! | `allocator` | the system's allocator, with the pool behind it |
//! | `pool` | the memory kept |
//! | `promise` | that there is enough of it |
//! | `thread` | a thread's first call |

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "an allocator")]
mod allocator;
#[allow(unsafe_code, reason = "memory to be given out")]
mod pool;
mod promise;
#[allow(unsafe_code, reason = "functions of the C library")]
mod thread;

pub use allocator::Allocator;
pub use pool::{in_use, most_in_use};
pub use promise::{KEY, OPERATION, Promise, THREAD};
pub use thread::{enter, enter_to_free};
