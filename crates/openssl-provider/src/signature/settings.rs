// SPDX-License-Identifier: Apache-2.0
//! What a context is set to.

use super::{Purpose, table};
use crate::call::{Refusal, told};
use crate::context::Inner;
use crate::params::{Given, Kind, Questions};
use crate::sys::*;
use garner::padding::pss;
use std::ffi::{CStr, c_int};

/// As the default provider has it.
pub struct Settings(Questions<4>);

impl Settings {
    pub fn of(inner: &Inner) -> Settings {
        let mut questions = Questions::new([
            (c"pad-mode", Kind::Int),
            (c"digest", Kind::Text),
            (c"mgf1-digest", Kind::Text),
            (c"saltlen", Kind::Int),
        ]);
        // What it does not answer is not ours.
        // SAFETY: a live context and a whole array.
        unsafe { (table().get_ctx_params)(inner.raw(), questions.as_mut_ptr()) };
        Settings(questions)
    }

    pub fn padding(&self) -> c_int {
        self.0.int(0).unwrap_or(0)
    }

    /// The hash of the message; empty when there is none.
    pub fn digest(&self) -> &CStr {
        self.0.text(1).unwrap_or(c"")
    }

    /// The hash of the mask, that of the message unless another was set.
    pub fn mgf1(&self) -> &CStr {
        self.0.text(2).filter(|name| !name.is_empty()).unwrap_or(self.digest())
    }

    /// The length of the salt, as OpenSSL has it.
    fn saltlen(&self) -> Option<c_int> {
        self.0.int(3)
    }

    /// The salt, as Garner has it; `None` when it is for the default provider to refuse.
    pub fn salt(
        &self,
        functions: pss::Functions,
        bits: usize,
        purpose: Purpose,
        restriction: Option<c_int>,
    ) -> Option<pss::Salt> {
        let length = self.saltlen()?;
        let longest = functions.longest_salt(bits)?;
        let digest = functions.digest_len();
        if purpose == Purpose::Verify {
            return match length {
                // What a restricted key then accepts is for the default provider to say.
                _ if restriction.is_some() => None,
                RSA_PSS_SALTLEN_DIGEST => Some(pss::Salt::Digest),
                RSA_PSS_SALTLEN_AUTO | RSA_PSS_SALTLEN_AUTO_DIGEST_MAX => Some(pss::Salt::Any),
                RSA_PSS_SALTLEN_MAX => Some(pss::Salt::Longest),
                length => Some(pss::Salt::Bytes(usize::try_from(length).ok()?)),
            };
        }
        let bytes = match length {
            RSA_PSS_SALTLEN_DIGEST => digest,
            RSA_PSS_SALTLEN_AUTO | RSA_PSS_SALTLEN_MAX => longest,
            RSA_PSS_SALTLEN_AUTO_DIGEST_MAX => digest.min(longest),
            length => usize::try_from(length).ok()?,
        };
        let least = usize::try_from(restriction.unwrap_or(0)).ok()?;
        (bytes >= least).then_some(pss::Salt::Bytes(bytes))
    }

    /// Gives another context of the default provider's the same settings.
    pub fn give_to(&self, inner: &Inner) -> Result<(), Refusal> {
        let mut given = Given::default();
        if !self.digest().is_empty() {
            given = given.text(c"digest", self.digest());
        }
        given = given.int(c"pad-mode", self.padding());
        if self.padding() == RSA_PKCS1_PSS_PADDING {
            given = given.text(c"mgf1-digest", self.mgf1());
            if let Some(salt) = self.saltlen() {
                given = given.int(c"saltlen", salt);
            }
        }
        // SAFETY: a live context and a whole array, which is copied.
        told(unsafe { (table().set_ctx_params)(inner.raw(), given.as_ptr()) }).map(drop)
    }
}
