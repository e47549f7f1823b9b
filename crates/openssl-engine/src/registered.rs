// SPDX-License-Identifier: Apache-2.0
//! What libcrypto is asked for once: the places of our data in an `RSA`, and two methods.

use crate::sys::*;
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

/// Where an `RSA` keeps its [`Slot`](crate::shadow::Slot), and a shadow its key.
static INDICES: [AtomicI32; 2] = [const { AtomicI32::new(-1) }; 2];

/// The method of the engine, and that of shadows.
static METHODS: [AtomicPtr<RSA_METHOD>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

/// The keys of programs.
pub const SLOT: usize = 0;

/// Their shadows.
pub const SHADOW: usize = 1;

/// Where an `RSA` of that kind keeps our data.
pub fn index(which: usize) -> c_int {
    INDICES[which].load(Ordering::Relaxed)
}

/// The method of that kind; null before it is made.
pub fn method(which: usize) -> *mut RSA_METHOD {
    METHODS[which].load(Ordering::Relaxed)
}

/// Makes the place and the method of that kind, once: OpenSSL's own method, changed by `change`, which says whether libcrypto
/// accepted all. It lives until [`unmake`].
pub fn make(which: usize, change: impl FnOnce(*mut RSA_METHOD) -> bool) -> Result<(), String> {
    if index(which) < 0 {
        // SAFETY: an index without functions: `init`, `finish` and `Shadow` see to what is kept there.
        let made = unsafe { CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_RSA, 0, ptr::null_mut(), None, None, None) };
        INDICES[which].store(made, Ordering::Relaxed);
    }
    if method(which).is_null() {
        // SAFETY: a copy of OpenSSL's method, checked.
        let made = unsafe {
            let made = RSA_meth_dup(RSA_PKCS1_OpenSSL());
            let set = !made.is_null()
                && index(which) >= 0
                && RSA_meth_set1_name(made, c"Garner".as_ptr()) == 1
                && change(made);
            if !set {
                RSA_meth_free(made);
                return Err("libcrypto refuses an RSA method".to_owned());
            }
            made
        };
        METHODS[which].store(made, Ordering::Relaxed);
    }
    Ok(())
}

/// Frees the methods: when the engine is destroyed, no key refers to them any more.
pub fn unmake() {
    for method in &METHODS {
        // SAFETY: from `make`, or null, which is ignored; freed once.
        unsafe { RSA_meth_free(method.swap(ptr::null_mut(), Ordering::Relaxed)) };
    }
}
