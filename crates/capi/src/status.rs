// SPDX-License-Identifier: Apache-2.0
//! The statuses of `garner.h`, their short texts, and the way from the library's errors to them.

use core_garner::Error;
use std::ffi::{CStr, c_char, c_int};

/// `enum garner_status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// Done.
    Ok = 0,
    /// The answer of a ticket is not there yet.
    Pending = 1,
    /// A pointer or handle is NULL that must not be.
    Null = -1,
    /// Not a live handle, or one of another kind.
    Handle = -2,
    /// An argument is outside its documented range.
    Argument = -3,
    /// The output is too small.
    Buffer = -4,
    /// The key was refused.
    Key = -5,
    /// No key could be decoded.
    Encoding = -6,
    /// The signature does not match.
    Verification = -7,
    /// Wrong results on every path tried.
    Fault = -8,
    /// No device could run the operation.
    Device = -9,
    /// The random source failed.
    Random = -10,
    /// The gatherer was shut down.
    ShutDown = -11,
    /// The ticket belongs to the parent process.
    Forked = -12,
    /// The queue is full.
    Full = -13,
    /// A defect of the library.
    Internal = -14,
    /// There is no memory.
    Memory = -15,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 17] = [
        Status::Ok,
        Status::Pending,
        Status::Null,
        Status::Handle,
        Status::Argument,
        Status::Buffer,
        Status::Key,
        Status::Encoding,
        Status::Verification,
        Status::Fault,
        Status::Device,
        Status::Random,
        Status::ShutDown,
        Status::Forked,
        Status::Full,
        Status::Internal,
        Status::Memory,
    ];

    /// A few words.
    pub fn text(self) -> &'static CStr {
        match self {
            Status::Ok => c"done",
            Status::Pending => c"the answer is not there yet",
            Status::Null => c"a pointer or handle is NULL that must not be",
            Status::Handle => c"not a live handle of the right kind",
            Status::Argument => c"an argument is outside its range",
            Status::Buffer => c"the output is too small",
            Status::Key => c"the key was refused",
            Status::Encoding => c"no key could be decoded",
            Status::Verification => c"verification failed",
            Status::Fault => c"wrong results on every path tried; nothing was released",
            Status::Device => c"no device could run the operation",
            Status::Random => c"the random source failed",
            Status::ShutDown => c"the gatherer was shut down",
            Status::Forked => c"the ticket belongs to the parent process",
            Status::Full => c"the queue is full",
            Status::Internal => c"a defect of the library",
            Status::Memory => c"there is no memory",
        }
    }
}

/// Why a call failed: what the caller gets, and the text behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The status.
    pub status: Status,
    /// The text for `garner_last_error`.
    pub text: String,
}

impl Failure {
    /// A failure of that status.
    pub fn new(status: Status, text: impl Into<String>) -> Failure {
        Failure { status, text: text.into() }
    }

    /// `name` is NULL.
    pub fn null(name: &str) -> Failure {
        Failure::new(Status::Null, format!("{name}: is NULL"))
    }

    /// There is no memory for what was asked.
    pub fn memory() -> Failure {
        Failure::new(Status::Memory, "there is no memory")
    }

    /// The argument `name` is refused.
    pub fn argument(name: &str, reason: impl AsRef<str>) -> Failure {
        Failure::new(Status::Argument, format!("{name}: {}", reason.as_ref()))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::Key { .. } => Status::Key,
            Error::Encoding(_) | Error::NoPassword => Status::Encoding,
            Error::Argument { .. } => Status::Argument,
            Error::Verification => Status::Verification,
            Error::Fault => Status::Fault,
            Error::Device { .. } => Status::Device,
            Error::Random(_) => Status::Random,
            Error::ShutDown => Status::ShutDown,
            Error::Forked => Status::Forked,
            Error::Full(_) => Status::Full,
            Error::Memory => Status::Memory,
            _ => Status::Internal,
        };
        Failure::new(status, error.to_string())
    }
}

/// See `garner.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_error_string(status: c_int) -> *const c_char {
    let known = Status::ALL.into_iter().find(|known| *known as c_int == status);
    known.map_or(c"an unknown status", Status::text).as_ptr()
}
