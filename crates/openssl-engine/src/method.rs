// SPDX-License-Identifier: Apache-2.0
//! The RSA method: OpenSSL's own, but for private operations.
//!
//! Padding stays OpenSSL's. The exponentiation inside is Garner's, which blinds and checks it. OpenSSL's own blinding must
//! not be around it: it keeps the pair of factors with the thread, so that a second job of the same thread, run while the
//! first is paused, would change the pair in use. So OpenSSL's functions are given a *shadow* of the key that has the
//! blinding turned off and an exponentiation that is ours. Keys that Garner does not take have no shadow, and
//! everything is OpenSSL's; where Garner cannot serve a shadow, a blinding of that one operation's own is put around
//! OpenSSL's exponentiation.

use crate::held::{self, Purpose};
use crate::key::bytes;
use crate::registered::{self, SHADOW, SLOT, index};
use crate::service::service;
use crate::shadow::Slot;
use crate::sys::*;
use garner::gather::Operation;
use garner::key::PrivateKey;
use garner_openssl_common::Service;
use garner_openssl_common::libcrypto::raise;
use garner_openssl_common::memory;
use garner_openssl_common::run::{self, Failure};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Makes the methods, once, and gives the engine's. They live until they are [unmade](registered::unmake).
pub fn make() -> Result<*const RSA_METHOD, String> {
    // SAFETY: a method of ours, here and below, and functions of the right signatures.
    registered::make(SLOT, |method| unsafe {
        RSA_meth_set_init(method, init) == 1
            && RSA_meth_set_finish(method, finish) == 1
            && RSA_meth_set_priv_enc(method, private_encrypt) == 1
            && RSA_meth_set_priv_dec(method, private_decrypt) == 1
    })?;
    // SAFETY: as above.
    registered::make(SHADOW, |method| unsafe { RSA_meth_set_mod_exp(method, mod_exp) == 1 })?;
    Ok(registered::method(SLOT))
}

unsafe extern "C" fn init(rsa: *mut RSA) -> c_int {
    // SAFETY: libcrypto calls this for a new `RSA`, whose slot is empty. Where there is no memory for one, all is OpenSSL's.
    unsafe {
        if memory::enter() {
            let slot = Box::into_raw(Box::<Slot>::default());
            if RSA_set_ex_data(rsa, index(SLOT), slot.cast()) != 1 {
                drop(Box::from_raw(slot));
                return 0;
            }
        }
        RSA_meth_get_init(RSA_PKCS1_OpenSSL()).map_or(1, |theirs| theirs(rsa))
    }
}

unsafe extern "C" fn finish(rsa: *mut RSA) -> c_int {
    // SAFETY: libcrypto calls this for an `RSA` that nobody uses any more; the slot is from `init`.
    unsafe {
        let slot: *mut c_void = RSA_get_ex_data(rsa, index(SLOT));
        if !slot.is_null() && memory::enter_to_free() {
            RSA_set_ex_data(rsa, index(SLOT), ptr::null_mut());
            drop(Box::from_raw(slot.cast::<Slot>()));
        }
        RSA_meth_get_finish(RSA_PKCS1_OpenSSL()).map_or(1, |theirs| theirs(rsa))
    }
}

/// A private function: by the daemon if it holds the key, else OpenSSL's own, on the shadow if there is one.
///
/// # Safety
/// libcrypto's arguments of `priv_enc` and `priv_dec`.
unsafe fn private(
    purpose: Purpose,
    theirs: Option<Crypt>,
    length: c_int,
    from: *const u8,
    to: *mut u8,
    rsa: *mut RSA,
    padding: c_int,
) -> c_int {
    let entered = memory::enter();
    let held = catch_unwind(|| {
        // SAFETY: libcrypto's arguments: a live key, as many bytes as it says, and room for what its own function writes.
        unsafe {
            let modulus = entered.then(|| held::modulus(rsa)).flatten()?;
            let length = usize::try_from(length).ok()?;
            // NULL may stand for no bytes.
            let from = if length == 0 { &[] } else { slice::from_raw_parts(from, length) };
            let Some(answer) = held::private(modulus, purpose, from, rsa, padding) else { return Some(-1) };
            // After the last look at `from`, which may be the same memory.
            to.copy_from_nonoverlapping(answer.as_ptr(), answer.len());
            Some(answer.len() as c_int)
        }
    });
    if let Ok(Some(result)) = held {
        return result;
    }
    let shadow = catch_unwind(|| {
        service().filter(|service| entered && service.worthwhile())?;
        // SAFETY: the slot is from `init` and lives as long as the `RSA`.
        unsafe { RSA_get_ex_data(rsa, index(SLOT)).cast::<Slot>().as_ref()?.shadow(rsa) }
    });
    let key = shadow.ok().flatten().unwrap_or(rsa);
    // SAFETY: OpenSSL's own function, libcrypto's arguments, and a key that lives as long as theirs.
    theirs.map_or(-1, |theirs| unsafe { theirs(length, from, to, key, padding) })
}

unsafe extern "C" fn private_encrypt(
    length: c_int,
    from: *const u8,
    to: *mut u8,
    rsa: *mut RSA,
    padding: c_int,
) -> c_int {
    // SAFETY: libcrypto's arguments.
    unsafe { private(Purpose::Sign, RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL()), length, from, to, rsa, padding) }
}

unsafe extern "C" fn private_decrypt(
    length: c_int,
    from: *const u8,
    to: *mut u8,
    rsa: *mut RSA,
    padding: c_int,
) -> c_int {
    // SAFETY: libcrypto's arguments.
    unsafe { private(Purpose::Decrypt, RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL()), length, from, to, rsa, padding) }
}

/// The operation of a shadow, and the service for it.
///
/// # Safety
/// libcrypto's arguments of `mod_exp` for a shadow.
unsafe fn operation(input: *const BIGNUM, shadow: *mut RSA) -> Option<(Arc<Service>, Operation)> {
    // SAFETY: by this function's contract; `Shadow` keeps the key as long as its `RSA`.
    let (key, input) =
        unsafe { (RSA_get_ex_data(shadow, index(SHADOW)).cast::<Arc<PrivateKey>>().as_ref()?, bytes(input)?) };
    Some((service()?, Operation::private(key, &input).ok()?))
}

/// `result = input^d mod n` of a shadow, called by OpenSSL's RSA between its paddings.
unsafe extern "C" fn mod_exp(result: *mut BIGNUM, input: *const BIGNUM, rsa: *mut RSA, context: *mut BN_CTX) -> c_int {
    let entered = memory::enter();
    let ours = catch_unwind(AssertUnwindSafe(|| {
        if !entered {
            return None;
        }
        // SAFETY: libcrypto's arguments.
        let (service, operation) = unsafe { operation(input, rsa) }?;
        // The engine keeps its share of the service; what this stack owned would be lost with an abandoned job.
        let shared = Arc::as_ptr(&service);
        drop(service);
        // SAFETY: the engine's share ends when it is destroyed, and keys that are in use prevent that.
        Some(run::run(unsafe { &*shared }, operation, None))
    }));
    match ours {
        Ok(Some(Ok(output))) => {
            // libcrypto skips leading zero bytes one by one: a 1 in front, so that the time shows whole zero words only.
            let bytes = Zeroizing::new([&[1], &output[..]].concat());
            // SAFETY: libcrypto's number, as many bytes as there are; the bit is the added one.
            let done = unsafe {
                !BN_bin2bn(bytes.as_ptr(), bytes.len() as c_int, result).is_null()
                    && BN_clear_bit(result, 8 * output.len() as c_int) == 1
            };
            c_int::from(done)
        }
        Ok(Some(Err(Failure::Failed(error)))) => {
            raise(&error.to_string());
            0
        }
        // SAFETY: libcrypto's arguments.
        Ok(None | Some(Err(Failure::Unavailable))) => unsafe { by_openssl(result, input, rsa, context) },
        Err(_) => {
            raise("a defect of the engine");
            0
        }
    }
}

/// OpenSSL's exponentiation of a shadow, with a blinding of its own.
///
/// # Safety
/// libcrypto's arguments of `mod_exp`.
unsafe fn by_openssl(result: *mut BIGNUM, input: *const BIGNUM, rsa: *mut RSA, context: *mut BN_CTX) -> c_int {
    // SAFETY: by this function's contract; everything made is checked and freed here.
    unsafe {
        let blinding = RSA_setup_blinding(rsa, context);
        let blinded = BN_dup(input);
        let theirs = RSA_meth_get_mod_exp(RSA_PKCS1_OpenSSL());
        let done = !blinding.is_null()
            && !blinded.is_null()
            && BN_BLINDING_convert(blinded, blinding, context) == 1
            && theirs.is_some_and(|theirs| theirs(result, blinded, rsa, context) == 1)
            && BN_BLINDING_invert(result, blinding, context) == 1;
        BN_clear_free(blinded);
        BN_BLINDING_free(blinding);
        c_int::from(done)
    }
}
