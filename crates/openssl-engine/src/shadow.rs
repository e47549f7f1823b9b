// SPDX-License-Identifier: Apache-2.0
//! The shadow of a key: the same numbers in an `RSA` whose blinding is off and whose exponentiation is ours. `method` says why
//! OpenSSL's functions are given it in place of the program's key.

use crate::key::{bytes, read};
use crate::registered::{SHADOW, index, method};
use crate::sys::*;
use garner::error::Error;
use garner::key::PrivateKey;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, Ordering};

/// What Garner made of an `RSA` at its first private operation; no shadow for a key that Garner does not take.
struct Known {
    /// n and e, big-endian, by which a key that was changed since is found out.
    public: (Vec<u8>, Vec<u8>),
    shadow: Option<Shadow>,
}

/// The same key for OpenSSL's functions to work with, and Garner's.
struct Shadow {
    rsa: *mut RSA,
    key: *mut Arc<PrivateKey>,
}

impl Shadow {
    /// # Safety
    /// As [`Slot::shadow`].
    unsafe fn of(original: *const RSA, key: PrivateKey) -> Option<Shadow> {
        // SAFETY: by this function's contract; what a setter accepts belongs to the shadow, what it refuses is lost
        // with a process that has no memory left.
        unsafe {
            let shadow = Shadow { rsa: RSA_new(), key: Box::into_raw(Box::new(Arc::new(key))) };
            let copy = |number: *const BIGNUM| BN_dup(number);
            let rsa = shadow.rsa;
            let set = !rsa.is_null()
                && RSA_set_method(rsa, method(SHADOW)) == 1
                && RSA_set0_key(
                    rsa,
                    copy(RSA_get0_n(original)),
                    copy(RSA_get0_e(original)),
                    copy(RSA_get0_d(original)),
                ) == 1
                && RSA_set0_factors(rsa, copy(RSA_get0_p(original)), copy(RSA_get0_q(original))) == 1
                && RSA_set0_crt_params(
                    rsa,
                    copy(RSA_get0_dmp1(original)),
                    copy(RSA_get0_dmq1(original)),
                    copy(RSA_get0_iqmp(original)),
                ) == 1
                && RSA_set_ex_data(rsa, index(SHADOW), shadow.key.cast()) == 1;
            if set {
                RSA_set_flags(rsa, RSA_FLAG_NO_BLINDING);
            }
            set.then_some(shadow)
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // SAFETY: ours, freed once; null is ignored.
        unsafe {
            RSA_free(self.rsa);
            drop(Box::from_raw(self.key));
        }
    }
}

/// What an `RSA` keeps of ours: empty until its first private operation.
#[derive(Default)]
pub struct Slot(AtomicPtr<Known>);

impl Slot {
    /// The shadow, as the `RSA` is now.
    ///
    /// # Safety
    /// `rsa` is alive, and nobody changes it meanwhile.
    pub unsafe fn shadow(&self, rsa: *const RSA) -> Option<*mut RSA> {
        // SAFETY: by this function's contract.
        let public = unsafe { (bytes(RSA_get0_n(rsa))?.to_vec(), bytes(RSA_get0_e(rsa))?.to_vec()) };
        let mut current = self.0.load(Ordering::Acquire);
        if current.is_null() {
            // SAFETY: by this function's contract.
            let shadow = unsafe {
                match read(rsa) {
                    Ok(key) => key.and_then(|key| Shadow::of(rsa, key)),
                    // A key that Garner refuses is refused for ever; want of randomness may pass.
                    Err(Error::Key { .. }) => None,
                    Err(_) => return None,
                }
            };
            let made = Box::into_raw(Box::new(Known { public: public.clone(), shadow }));
            current = match self.0.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => made,
                Err(other) => {
                    // SAFETY: never shared: the exchange failed.
                    drop(unsafe { Box::from_raw(made) });
                    other
                }
            };
        }
        // SAFETY: from `Box::into_raw` above, and freed by `drop` only.
        let known = unsafe { &*current };
        // Another key in an old `RSA`: rare, and left to OpenSSL.
        known.shadow.as_ref().filter(|_| known.public == public).map(|shadow| shadow.rsa)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let known = *self.0.get_mut();
        if !known.is_null() {
            // SAFETY: from `Box::into_raw`; `&mut self` rules out other users.
            drop(unsafe { Box::from_raw(known) });
        }
    }
}
