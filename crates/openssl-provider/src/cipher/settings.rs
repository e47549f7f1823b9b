// SPDX-License-Identifier: Apache-2.0
//! What a context is set to.

use super::table;
use crate::context::Inner;
use crate::params::{Given, Kind, Questions};
use crate::sys::*;
use garner::encryption::Scheme;
use garner::padding::{Hash, oaep};
use std::ffi::c_int;

/// As the default provider has it.
pub struct Settings(Questions<6>);

impl Settings {
    pub fn of(inner: &Inner) -> Settings {
        let mut questions = Questions::new([
            (c"pad-mode", Kind::Int),
            (c"digest", Kind::Text),
            (c"mgf1-digest", Kind::Text),
            (c"oaep-label", Kind::Bytes),
            (c"tls-client-version", Kind::Uint),
            (c"tls-negotiated-version", Kind::Uint),
        ]);
        // What it does not answer is not ours.
        // SAFETY: a live context and a whole array.
        unsafe { (table().get_ctx_params)(inner.raw(), questions.as_mut_ptr()) };
        Settings(questions)
    }

    /// The same, to be given to another context.
    ///
    /// # Safety
    /// The context they are of is not changed as long as they are used.
    pub unsafe fn to_give(&self) -> Given<'_> {
        let questions = &self.0;
        let mut given = Given::default();
        for (index, name) in [(1, c"digest"), (2, c"mgf1-digest")] {
            if let Some(hash) = questions.text(index).filter(|hash| !hash.is_empty()) {
                given = given.text(name, hash);
            }
        }
        // SAFETY: by this function's contract.
        if let Some(label) = unsafe { questions.bytes(3) }.filter(|label| !label.is_empty()) {
            given = given.bytes(c"oaep-label", label);
        }
        for (index, name) in [(4, c"tls-client-version"), (5, c"tls-negotiated-version")] {
            if let Some(version) = questions.uint(index).and_then(|version| c_int::try_from(version).ok()) {
                given = given.int(name, version);
            }
        }
        match questions.int(0) {
            Some(padding) => given.int(c"pad-mode", padding),
            None => given,
        }
    }

    /// What they amount to, if it is ours.
    ///
    /// # Safety
    /// The context they are of has not been changed since.
    pub unsafe fn scheme(&self) -> Option<Scheme<'_>> {
        let questions = &self.0;
        let hash = |index, unset| {
            let name = questions.text(index).filter(|name| !name.is_empty());
            name.map_or(Some(unset), |name| Hash::from_name(name.to_str().ok()?).ok())
        };
        match questions.int(0)? {
            RSA_PKCS1_PADDING => Some(Scheme::Pkcs1v15),
            RSA_NO_PADDING => Some(Scheme::Raw),
            RSA_PKCS1_OAEP_PADDING => {
                let label_hash = hash(1, Hash::Sha1)?;
                let functions = oaep::Functions { hash: label_hash, mgf1_hash: hash(2, label_hash)? };
                // SAFETY: by this function's contract.
                Some(Scheme::Oaep { functions, label: unsafe { questions.bytes(3) }.unwrap_or(&[]) })
            }
            RSA_PKCS1_WITH_TLS_PADDING => {
                let version = |index| questions.uint(index).and_then(|version| u16::try_from(version).ok());
                let offered = version(4).filter(|version| *version != 0)?;
                let alternative = version(5).filter(|version| *version != 0);
                Some(Scheme::TlsPremaster { version: offered, alternative })
            }
            _ => None,
        }
    }
}
