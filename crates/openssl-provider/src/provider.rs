// SPDX-License-Identifier: Apache-2.0
//! The provider as one library context has it loaded.

use crate::digest::Digests;
use crate::sys::OSSL_LIB_CTX;
use crate::upstream::Upstream;
use garner_openssl_common::{Service, Settings};
use std::ffi::c_void;
use std::sync::Arc;

/// What every key and context of one loaded provider shares.
pub struct Provider {
    /// The process's gatherer.
    pub service: Arc<Service>,
    /// Hash functions; before `upstream`, which they come from, so that they go first.
    pub digests: Digests,
    /// The default provider inside.
    pub upstream: Upstream,
}

impl Provider {
    /// Opens all of it, for the library context of a program.
    ///
    /// # Errors
    /// What is wrong with the settings or missing in libcrypto.
    pub fn open(settings: &Settings, program: *mut OSSL_LIB_CTX) -> Result<Arc<Provider>, String> {
        let service = Service::open(settings, "provider").map_err(|error| error.to_string())?;
        let upstream = Upstream::open(program)?;
        Ok(Arc::new(Provider { service, digests: Digests::of(&upstream), upstream }))
    }

    /// Hands it to OpenSSL, as the context that it gives to our functions.
    pub fn into_context(self: Arc<Provider>) -> *mut c_void {
        Arc::into_raw(self).cast_mut().cast()
    }

    /// A share of the provider that OpenSSL means.
    ///
    /// # Safety
    /// `context` is from [`Provider::into_context`], and [`Provider::take_back`] was not called for it.
    pub unsafe fn of(context: *mut c_void) -> Arc<Provider> {
        let provider = context.cast_const().cast::<Provider>();
        // SAFETY: by this function's contract; the count is raised for the share that is made of it.
        unsafe {
            Arc::increment_strong_count(provider);
            Arc::from_raw(provider)
        }
    }

    /// Ends OpenSSL's share.
    ///
    /// # Safety
    /// As [`Provider::of`].
    pub unsafe fn take_back(context: *mut c_void) {
        // SAFETY: by this function's contract.
        drop(unsafe { Arc::from_raw(context.cast_const().cast::<Provider>()) });
    }
}
