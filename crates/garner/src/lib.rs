// SPDX-License-Identifier: Apache-2.0
//! Garner gathers RSA private-key operations, runs them in batches on the fastest device present
//! and hands each caller its answer, checked.
//!
//! Layers, each calling only those below it:
//!
//! | module | what it does |
//! |---|---|
//! | [`gather`] | turns operations from many callers into batches |
//! | [`private_op`] | blinds, splits by the CRT, recombines, checks s^e = m |
//! | [`device`] | runs a batch of modular exponentiations |
//! | [`arithmetic`] | batched modular arithmetic: kernels for AVX-512 IFMA, AVX-IFMA or AVX2, or libcrypto |
//!
//! Beside them: [`key`] (parsing and validation), [`keygen`] (generation), [`padding`], [`stats`]; and the front ends
//! over the gatherer, [`signature`] and [`encryption`].
//!
//! Batches run on the processor. Other devices are crates of their own that a program hands to the gatherer (see
//! [`gather::Gatherer::global_with`]): `garner-device-cuda` (NVIDIA's GPUs), `garner-device-board` (the accelerator, on a card
//! or simulated) and `garner-device-garnerd` (the daemon, which is lent keys).

// Unsafe code is in `digest`, `system`, `arithmetic::divisors` and `arithmetic::vectors::{catalogue, kernels}`, and nowhere else.
#![deny(unsafe_code)]

pub mod arithmetic;
pub mod device;
#[allow(unsafe_code, reason = "libcrypto's functions for digests")]
mod digest;
pub mod encryption;
pub mod error;
pub mod gather;
mod kept;
pub mod key;
pub mod keygen;
#[doc(hidden)]
pub mod miller_rabin;
pub mod padding;
pub mod private_op;
pub mod random;
pub mod secret;
pub mod signature;
pub mod stats;
pub mod sync;
#[allow(unsafe_code, reason = "system calls and the C library's functions")]
mod system;
pub mod words;

pub use error::Error;
pub use system::{environment, fork, thread};
