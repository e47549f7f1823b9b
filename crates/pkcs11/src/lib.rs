// SPDX-License-Identifier: Apache-2.0
//! A PKCS#11 module (OASIS PKCS #11 version 2.40): one slot with one token, whose keys are those that garnerd holds and lets the
//! program use. It signs and decrypts; everything else is not supported, and there is no PIN: the daemon knows its clients.
//!
//! Called by programs that know PKCS#11, as OpenSSH and GnuTLS; asks the daemon by `garner_remote`. Nothing is connected before
//! a program looks for keys. A child made by `fork` initialises the module anew, as the standard demands.
//!
//! | module | subject |
//! |---|---|
//! | [`functions`] | the functions as C calls them |
//! | [`memory`] | the caller's pointers, in one place |
//! | [`module`] | what is kept between calls: sessions, keys |
//! | [`token`] | what module, slot and token say of themselves |
//! | [`keys`] | the daemon's keys, with what they are found by |
//! | [`objects`] | keys as objects with attributes |
//! | [`mechanisms`] | signatures and decryptions |
//! | [`failure`] | the daemon's errors, as the standard names them |

#![deny(unsafe_code)]

mod failure;
#[allow(unsafe_code, reason = "called by programs in C")]
mod functions;
mod keys;
#[allow(unsafe_code, reason = "parameters behind the caller's pointers")]
mod mechanisms;
#[allow(unsafe_code, reason = "the caller's pointers")]
mod memory;
mod module;
mod objects;
mod token;
