// SPDX-License-Identifier: Apache-2.0
//! What can go wrong, in words that name the cause and tell an attacker nothing.

use openssl::error::ErrorStack;
use std::ffi::CStr;
use std::io;

/// Every error the library returns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A key was refused; `field` names the part at fault in PKCS#1's terms.
    #[error("{reason} (field \"{field}\"); the key was refused")]
    Key {
        /// The PKCS#1 name of the field: `modulus`, `publicExponent`, `prime1`, ...
        field: &'static str,
        /// What is wrong with it. Never contains key material.
        reason: String,
    },
    /// A key file or buffer could not be decoded.
    #[error("not a usable RSA key: {0}")]
    Encoding(String),
    /// The key is encrypted and no password came with it.
    #[error("not a usable RSA key: the key is encrypted and no password was given")]
    NoPassword,
    /// An argument is outside its documented range.
    #[error("{name}: {reason}")]
    Argument {
        /// The argument's name.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A signature does not match its message and key, or a ciphertext does not decrypt.
    #[error("verification failed")]
    Verification,
    /// A result failed the check s^e = m on every path tried; nothing was released.
    #[error("a device returned a wrong result, twice; nothing was released")]
    Fault,
    /// The device could not run the operation, and no other could.
    #[error("device {device}: {reason}")]
    Device {
        /// The device's name.
        device: String,
        /// What happened.
        reason: String,
    },
    /// The random source failed.
    #[error("the random source failed: {0}")]
    Random(String),
    /// The gatherer was shut down before the operation ran.
    #[error("the gatherer was shut down before the operation ran")]
    ShutDown,
    /// The ticket belongs to the process that forked this one.
    #[error("the operation was submitted before fork and belongs to the parent process")]
    Forked,
    /// The queue is full; the operation was not taken.
    #[error("the queue is full ({0} operations); try again later")]
    Full(usize),
    /// There is no memory: libcrypto has none, or a thread could not be started for want of it.
    #[error("there is no memory")]
    Memory,
}

impl Error {
    /// A refused key, by field and reason.
    pub(crate) fn key(field: &'static str, reason: impl Into<String>) -> Error {
        Error::Key { field, reason: reason.into() }
    }

    /// What libcrypto gave these errors for: want of memory, which it may not even have had for an error, or that it refuses
    /// to compute `function` (by how it was built or configured).
    pub(crate) fn refused(errors: &ErrorStack, function: &str) -> Error {
        /// `ERR_R_MALLOC_FAILURE`, without the flags it has had since OpenSSL 3.
        const OUT_OF_MEMORY: i32 = 256;
        let errors = errors.errors();
        if errors.is_empty() || errors.iter().any(|error| error.reason_code() & 0xfff == OUT_OF_MEMORY) {
            return Error::Memory;
        }
        Error::argument("hash", format!("libcrypto refuses to compute {function}"))
    }

    /// Why a thread of that name could not be started.
    pub fn thread(name: &CStr, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::OutOfMemory => Error::Memory,
            _ => Error::Device { device: name.to_string_lossy().into_owned(), reason: error.to_string() },
        }
    }

    /// A refused argument, by name and reason.
    pub fn argument(name: &'static str, reason: impl Into<String>) -> Error {
        Error::Argument { name, reason: reason.into() }
    }
}

/// The library's result.
pub type Result<T, E = Error> = std::result::Result<T, E>;
