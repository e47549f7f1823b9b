// SPDX-License-Identifier: Apache-2.0
//! What the OpenSSL provider and the ENGINE share.
//!
//! Called by both front ends; calls the gatherer. Knows nothing of dispatch tables and nothing of `RSA_METHOD`.
//!
//! | module | subject |
//! |---|---|
//! | [`settings`] | what a configuration may say, and what it may not |
//! | [`service`] | the one gatherer of the process, from the first front end loaded to the last unloaded |
//! | [`mod@run`] | one private operation: blocking, or pausing the asynchronous job it is called from |
//! | [`held`] | keys that garnerd holds |
//! | [`stack`] | room for what a job computes itself |
//! | [`figures`] | the statistics under the names both front ends give them |
//! | [`summary`] | the line written when the process ends, where somebody asked for it |
//! | [`memory`] | whether a call has the memory it may need |
//! | `job` | OpenSSL's asynchronous jobs |
//! | `system` | what is asked of the C library |
//! | [`libcrypto`] | that the libcrypto we were loaded by is the one we are linked to; its error queue |

#![deny(unsafe_code)]

pub mod figures;
pub mod held;
#[allow(unsafe_code, reason = "libcrypto's functions for jobs, and memory that belongs to one")]
mod job;
#[allow(unsafe_code, reason = "functions of libcrypto and of the loader")]
pub mod libcrypto;
pub mod memory;
mod outcome;
pub mod run;
pub mod service;
pub mod settings;
pub mod stack;
pub mod summary;
#[allow(unsafe_code, reason = "functions of the C library")]
mod system;

pub use run::run;
pub use service::Service;
pub use settings::Settings;
