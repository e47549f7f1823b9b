// SPDX-License-Identifier: Apache-2.0
//! The functions that OpenSSL calls, and their table.

use super::{Cipher, IMPLICIT_REJECTION, table};
use crate::call::{Refusal, call, told};
use crate::context::{self, Inner, bytes, free, give, place};
use crate::key::Key;
use crate::params::{List, Params, offered};
use crate::provider::Provider;
use crate::sys::*;
use std::ffi::{c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;

/// The context that OpenSSL means.
///
/// # Safety
/// As [`context::of`].
unsafe fn of<'a>(context: *mut c_void) -> Result<&'a mut Cipher, Refusal> {
    // SAFETY: by this function's contract.
    unsafe { context::of(context) }
}

unsafe extern "C" fn newctx(provider: *mut c_void) -> *mut c_void {
    call(ptr::null_mut(), || {
        // SAFETY: OpenSSL gives the context of the provider.
        let provider = unsafe { Provider::of(provider) };
        // SAFETY: the default provider's own context.
        let inner = unsafe { Inner::new((table().newctx)(provider.upstream.context()), table().freectx) }?;
        Ok(give(Cipher { inner, key: None, explicit: false, provider }))
    })
}

unsafe extern "C" fn dupctx(context: *mut c_void) -> *mut c_void {
    call(ptr::null_mut(), || {
        // SAFETY: OpenSSL gives a context of ours, here and below.
        let original = unsafe { of(context) }?;
        // SAFETY: a live context.
        let inner = unsafe { Inner::new((table().dupctx)(original.inner.raw()), table().freectx) }?;
        let (key, provider) = (original.key.clone(), Arc::clone(&original.provider));
        Ok(give(Cipher { inner, key, explicit: original.explicit, provider }))
    })
}

type Init = unsafe extern "C" fn(*mut c_void, *mut c_void, *const OSSL_PARAM) -> c_int;

/// # Safety
/// As OpenSSL calls the functions below.
unsafe fn begin(init: Init, context: *mut c_void, key: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`; a key of ours or null.
        let (context, key) = unsafe { (of(context)?, Key::share(key).ok_or(Refusal::Told)?) };
        // SAFETY: a live context and key of the default provider's, OpenSSL's array.
        told(context.provider.upstream.with_digests(|| unsafe { init(context.inner.raw(), key.inner(), params) }))?;
        context.key = Some(key);
        context.explicit = false;
        // SAFETY: OpenSSL's array.
        context.note(unsafe { Params::new(params) });
        Ok(1)
    })
}

unsafe extern "C" fn encrypt_init(context: *mut c_void, key: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: called by OpenSSL, as the next is.
    unsafe { begin(table().encrypt_init, context, key, params) }
}

unsafe extern "C" fn decrypt_init(context: *mut c_void, key: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: see `encrypt_init`.
    unsafe { begin(table().decrypt_init, context, key, params) }
}

unsafe extern "C" fn encrypt(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    size: usize,
    input: *const c_uchar,
    length: usize,
) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`.
        let context = unsafe { of(context) }?;
        let inner = context.inner.raw();
        // SAFETY: a live context.
        let ask = |room: &mut usize| unsafe { (table().encrypt)(inner, ptr::null_mut(), room, 0, input, length) };
        // SAFETY: OpenSSL's buffers; the message is not used once there is a ciphertext.
        let (place, message) = unsafe { (place(output, size, written, ask), bytes(input, length)) };
        if let Some(place) = place
            && let Some(ciphertext) = context.encrypt_by_garner(message)
        {
            return place.write(&ciphertext);
        }
        // SAFETY: a live context, OpenSSL's buffers.
        Ok(unsafe { (table().encrypt)(context.inner.raw(), output, written, size, input, length) })
    })
}

unsafe extern "C" fn decrypt(
    context: *mut c_void,
    output: *mut c_uchar,
    written: *mut usize,
    size: usize,
    input: *const c_uchar,
    length: usize,
) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`.
        let context = unsafe { of(context) }?;
        let inner = context.inner.raw();
        // SAFETY: a live context.
        let ask = |room: &mut usize| unsafe { (table().decrypt)(inner, ptr::null_mut(), room, 0, input, length) };
        // SAFETY: OpenSSL's buffers; the ciphertext is not used once there is a message.
        let (place, ciphertext) = unsafe { (place(output, size, written, ask), bytes(input, length)) };
        if let Some(place) = place
            && let Some(message) = context.decrypt_by_us(ciphertext)?
        {
            return place.write(&message);
        }
        if output.is_null() {
            // SAFETY: a live context, OpenSSL's buffers; only the size is asked for.
            return Ok(unsafe { (table().decrypt)(context.inner.raw(), output, written, size, input, length) });
        }
        let lent = context.key.as_ref().ok_or(Refusal::Told)?.lend()?;
        let fresh = context.fresh(&lent)?;
        // SAFETY: a live context, OpenSSL's buffers.
        Ok(unsafe { (table().decrypt)(fresh.raw(), output, written, size, input, length) })
    })
}

unsafe extern "C" fn get_ctx_params(context: *mut c_void, params: *mut OSSL_PARAM) -> c_int {
    // SAFETY: see `dupctx`; a live context, OpenSSL's array.
    call(0, || Ok(unsafe { (table().get_ctx_params)(of(context)?.inner.raw(), params) }))
}

unsafe extern "C" fn set_ctx_params(context: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    call(0, || {
        // SAFETY: see `get_ctx_params`.
        let context = unsafe { of(context) }?;
        let upstream = &context.provider.upstream;
        // SAFETY: see `get_ctx_params`. What it does not know it ignores.
        told(upstream.with_digests(|| unsafe { (table().set_ctx_params)(context.inner.raw(), params) }))?;
        // SAFETY: OpenSSL's array.
        context.note(unsafe { Params::new(params) });
        Ok(1)
    })
}

unsafe extern "C" fn gettable_ctx_params(_: *mut c_void, provider: *mut c_void) -> *const OSSL_PARAM {
    call(ptr::null(), || {
        // SAFETY: OpenSSL gives the context of the provider.
        let provider = unsafe { Provider::of(provider) };
        // SAFETY: the default provider's own; the list is static.
        Ok(unsafe { (table().gettable_ctx_params)(ptr::null_mut(), provider.upstream.context()) })
    })
}

unsafe extern "C" fn settable_ctx_params(_: *mut c_void, _: *mut c_void) -> *const OSSL_PARAM {
    &raw const SETTABLE.0[0]
}

/// What the default provider of any version takes, and implicit rejection.
static SETTABLE: List<11> = List([
    offered(c"digest", OSSL_PARAM_UTF8_STRING),
    offered(c"digest-props", OSSL_PARAM_UTF8_STRING),
    offered(c"pad-mode", OSSL_PARAM_UTF8_STRING),
    offered(c"mgf1-digest", OSSL_PARAM_UTF8_STRING),
    offered(c"mgf1-properties", OSSL_PARAM_UTF8_STRING),
    offered(c"oaep-label", OSSL_PARAM_OCTET_STRING),
    offered(c"tls-client-version", OSSL_PARAM_UNSIGNED_INTEGER),
    offered(c"tls-negotiated-version", OSSL_PARAM_UNSIGNED_INTEGER),
    offered(c"pad-mode", OSSL_PARAM_INTEGER),
    offered(IMPLICIT_REJECTION, OSSL_PARAM_UNSIGNED_INTEGER),
    crate::params::end(),
]);

/// The dispatch table.
pub static TABLE: [OSSL_DISPATCH; 12] = [
    entry!(OSSL_FUNC_ASYM_CIPHER_NEWCTX, newctx),
    entry!(OSSL_FUNC_ASYM_CIPHER_FREECTX, free::<Cipher>),
    entry!(OSSL_FUNC_ASYM_CIPHER_DUPCTX, dupctx),
    entry!(OSSL_FUNC_ASYM_CIPHER_ENCRYPT_INIT, encrypt_init),
    entry!(OSSL_FUNC_ASYM_CIPHER_ENCRYPT, encrypt),
    entry!(OSSL_FUNC_ASYM_CIPHER_DECRYPT_INIT, decrypt_init),
    entry!(OSSL_FUNC_ASYM_CIPHER_DECRYPT, decrypt),
    entry!(OSSL_FUNC_ASYM_CIPHER_GET_CTX_PARAMS, get_ctx_params),
    entry!(OSSL_FUNC_ASYM_CIPHER_GETTABLE_CTX_PARAMS, gettable_ctx_params),
    entry!(OSSL_FUNC_ASYM_CIPHER_SET_CTX_PARAMS, set_ctx_params),
    entry!(OSSL_FUNC_ASYM_CIPHER_SETTABLE_CTX_PARAMS, settable_ctx_params),
    OSSL_DISPATCH { id: 0, function: None },
];
