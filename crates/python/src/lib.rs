// SPDX-License-Identifier: Apache-2.0
//! Garner's Python module: what `python/garner/_native.pyi` declares, over the Rust library.
//!
//! Called by programs through the package `garner`, which adds what is simpler in Python; calls the gatherer of the process
//! and the front ends beside it. The stubs and `docs/python.md` are the documentation of every name.
//!
//! | module | what it does |
//! |---|---|
//! | [`arguments`] | bytes and text of the caller's |
//! | [`errors`] | the library's errors as the exceptions of `garner.errors` |
//! | [`schemes`] | paddings with their hashes |
//! | [`operation`] | an operation, and what becomes of its output |
//! | [`private_key`], [`public_key`] | keys and what is done with them |
//! | [`held_key`] | a key that garnerd holds |
//! | [`pyca`] | keys of the package cryptography |
//! | [`mailbox`] | answers on the way to an event loop |
//! | [`gatherer`] | the gatherer of the process |
//! | [`figures`] | statistics and devices |
//!
//! The interpreter's lock is released wherever an operation is waited for or computed, and no thread of the gatherer's ever
//! takes it: Python cannot hold up a batch.

#![forbid(unsafe_code)]

mod arguments;
mod errors;
mod figures;
mod gatherer;
mod held_key;
mod mailbox;
mod operation;
mod private_key;
mod public_key;
mod pyca;
mod schemes;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::figures::{devices, statistics};
    #[pymodule_export]
    use crate::gatherer::retire;
    #[pymodule_export]
    use crate::held_key::HeldKey;
    #[pymodule_export]
    use crate::mailbox::{Mailbox, Pending};
    #[pymodule_export]
    use crate::private_key::PrivateKey;
    #[pymodule_export]
    use crate::public_key::PublicKey;
    #[pymodule_export]
    use crate::schemes::{Oaep, Pkcs1v15, Pkcs1v15Encryption, Pss};

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
