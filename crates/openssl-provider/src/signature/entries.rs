// SPDX-License-Identifier: Apache-2.0
//! The functions that OpenSSL calls, and their table.

use super::{Message, Purpose, Signature, inner, table};
use crate::call::{Refusal, call, told};
use crate::context::{self, Inner, bytes, free, give, place};
use crate::key::Key;
use crate::params::Params;
use crate::provider::Provider;
use crate::sys::*;
use std::ffi::{c_char, c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;

/// The context that OpenSSL means.
///
/// # Safety
/// As [`context::of`].
unsafe fn of<'a>(context: *mut c_void) -> Result<&'a mut Signature, Refusal> {
    // SAFETY: by this function's contract.
    unsafe { context::of(context) }
}

unsafe extern "C" fn newctx(provider: *mut c_void, _: *const c_char) -> *mut c_void {
    call(ptr::null_mut(), || {
        // SAFETY: OpenSSL gives the context of the provider.
        let provider = unsafe { Provider::of(provider) };
        let inner = inner(&provider)?;
        let context = Signature { inner, message: Message::None, key: None, settings: None, provider };
        Ok(give(context))
    })
}

unsafe extern "C" fn dupctx(context: *mut c_void) -> *mut c_void {
    call(ptr::null_mut(), || {
        // SAFETY: OpenSSL gives a context of ours, here and below.
        let original = unsafe { of(context) }?;
        // SAFETY: a live context.
        let inner = unsafe { Inner::new((table().dupctx)(original.inner.raw()), table().freectx) }?;
        let message = match &original.message {
            Message::None => Message::None,
            Message::Expected => Message::Expected,
            Message::Ours(digest) => Message::Ours(digest.copy()?),
            Message::Theirs => Message::Theirs,
        };
        let (key, provider) = (original.key.clone(), Arc::clone(&original.provider));
        Ok(give(Signature { inner, message, key, settings: None, provider }))
    })
}

type Init = unsafe extern "C" fn(*mut c_void, *mut c_void, *const OSSL_PARAM) -> c_int;

/// # Safety
/// As OpenSSL calls the functions below.
unsafe fn begin(init: Init, context: *mut c_void, key: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`; a key of ours or null.
        let (context, key) = unsafe { (of(context)?, Key::share(key)) };
        // A context may be prepared again for the key that it has.
        let Some(key) = key.or_else(|| context.key.clone()) else {
            // SAFETY: a live context, OpenSSL's array; it is to say that there is no key.
            return Ok(unsafe { init(context.inner.raw(), ptr::null_mut(), params) });
        };
        // SAFETY: a live context and key of the default provider's, OpenSSL's array.
        told(context.provider.upstream.with_digests(|| unsafe { init(context.inner.raw(), key.inner(), params) }))?;
        context.begin(key, Message::None);
        Ok(1)
    })
}

unsafe extern "C" fn sign_init(context: *mut c_void, key: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: called by OpenSSL, as the next two are.
    unsafe { begin(table().sign_init, context, key, params) }
}

unsafe extern "C" fn verify_init(context: *mut c_void, key: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: see `sign_init`.
    unsafe { begin(table().verify_init, context, key, params) }
}

unsafe extern "C" fn verify_recover_init(context: *mut c_void, key: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    // SAFETY: see `sign_init`.
    unsafe { begin(table().verify_recover_init, context, key, params) }
}

unsafe extern "C" fn sign(
    context: *mut c_void,
    signature: *mut c_uchar,
    length: *mut usize,
    size: usize,
    digest: *const c_uchar,
    digest_length: usize,
) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`.
        let context = unsafe { of(context) }?;
        let inner = context.inner.raw();
        // SAFETY: a live context.
        let ask = |room: &mut usize| unsafe { (table().sign)(inner, ptr::null_mut(), room, 0, digest, digest_length) };
        // SAFETY: OpenSSL's buffers, with their lengths; the digest is not used once there is a signature.
        let (place, the_digest) = unsafe { (place(signature, size, length, ask), bytes(digest, digest_length)) };
        if let Some(place) = place
            && let Some(made) = context.sign_by_garner(the_digest)?
        {
            return place.write(&made);
        }
        // SAFETY: a live context, OpenSSL's buffers.
        unsafe {
            if signature.is_null() {
                return Ok((table().sign)(context.inner.raw(), signature, length, size, digest, digest_length));
            }
            context.sign_by_default(signature, length, size, the_digest)
        }
    })
}

unsafe extern "C" fn verify(
    context: *mut c_void,
    signature: *const c_uchar,
    length: usize,
    digest: *const c_uchar,
    digest_length: usize,
) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`.
        let context = unsafe { of(context) }?;
        // SAFETY: OpenSSL's buffers, with their lengths.
        let (the_digest, the_signature) = unsafe { (bytes(digest, digest_length), bytes(signature, length)) };
        if context.verified_by_garner(the_digest, the_signature) {
            return Ok(1);
        }
        // SAFETY: a live context, OpenSSL's buffers.
        Ok(unsafe { (table().verify)(context.inner.raw(), signature, length, digest, digest_length) })
    })
}

unsafe extern "C" fn verify_recover(
    context: *mut c_void,
    message: *mut c_uchar,
    length: *mut usize,
    size: usize,
    signature: *const c_uchar,
    signature_length: usize,
) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`.
        let context = unsafe { of(context) }?;
        // SAFETY: a live context, OpenSSL's buffers.
        Ok(unsafe { (table().verify_recover)(context.inner.raw(), message, length, size, signature, signature_length) })
    })
}

type DigestInit = unsafe extern "C" fn(*mut c_void, *const c_char, *mut c_void, *const OSSL_PARAM) -> c_int;

/// # Safety
/// As OpenSSL calls the functions below.
unsafe fn digest_begin(
    init: DigestInit,
    context: *mut c_void,
    name: *const c_char,
    key: *mut c_void,
    params: *const OSSL_PARAM,
) -> c_int {
    call(0, || {
        // SAFETY: see `begin`.
        let (context, key) = unsafe { (of(context)?, Key::share(key)) };
        let Some(key) = key.or_else(|| context.key.clone()) else {
            // SAFETY: as in `begin`.
            return Ok(unsafe { init(context.inner.raw(), name, ptr::null_mut(), params) });
        };
        let upstream = &context.provider.upstream;
        // SAFETY: see `begin`; OpenSSL's name.
        told(upstream.with_digests(|| unsafe { init(context.inner.raw(), name, key.inner(), params) }))?;
        // SAFETY: OpenSSL's array; a live context, whose list is null or static.
        let (params, of_hash) =
            unsafe { (Params::new(params), Params::new((table().settable_ctx_md_params)(context.inner.raw()))) };
        // What the hash was given along with the key, the default provider's context has and not we.
        let given = params.iter().any(|param| of_hash.find(param.name()).is_some());
        context.begin(key, if given { Message::Theirs } else { Message::Expected });
        Ok(1)
    })
}

unsafe extern "C" fn digest_sign_init(
    context: *mut c_void,
    name: *const c_char,
    key: *mut c_void,
    params: *const OSSL_PARAM,
) -> c_int {
    // SAFETY: called by OpenSSL, as the next is.
    unsafe { digest_begin(table().digest_sign_init, context, name, key, params) }
}

unsafe extern "C" fn digest_verify_init(
    context: *mut c_void,
    name: *const c_char,
    key: *mut c_void,
    params: *const OSSL_PARAM,
) -> c_int {
    // SAFETY: see `digest_sign_init`.
    unsafe { digest_begin(table().digest_verify_init, context, name, key, params) }
}

unsafe extern "C" fn digest_sign_update(context: *mut c_void, data: *const c_uchar, length: usize) -> c_int {
    // SAFETY: see `dupctx`; OpenSSL's buffer.
    call(0, || unsafe { of(context)?.update(Purpose::Sign, bytes(data, length)) }.map(|()| 1))
}

unsafe extern "C" fn digest_verify_update(context: *mut c_void, data: *const c_uchar, length: usize) -> c_int {
    // SAFETY: see `dupctx`; OpenSSL's buffer.
    call(0, || unsafe { of(context)?.update(Purpose::Verify, bytes(data, length)) }.map(|()| 1))
}

unsafe extern "C" fn digest_sign_final(
    context: *mut c_void,
    signature: *mut c_uchar,
    length: *mut usize,
    size: usize,
) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`.
        let context = unsafe { of(context) }?;
        let inner = context.inner.raw();
        // SAFETY: a live context.
        let ask = |room: &mut usize| unsafe { (table().digest_sign_final)(inner, ptr::null_mut(), room, 0) };
        // SAFETY: OpenSSL's buffer.
        let Some(place) = (unsafe { place(signature, size, length, ask) }) else {
            // SAFETY: a live context, OpenSSL's buffer, which is null or too small.
            return Ok(unsafe { (table().digest_sign_final)(inner, signature, length, size) });
        };
        let mut buffer = [0; 64];
        let Some(digest) = context.digest(Purpose::Sign, &mut buffer)? else {
            // SAFETY: a live context, OpenSSL's buffer.
            return Ok(unsafe { (table().digest_sign_final)(context.inner.raw(), signature, length, size) });
        };
        if let Some(made) = context.sign_by_garner(digest)? {
            return place.write(&made);
        }
        // SAFETY: OpenSSL's buffer.
        unsafe { context.sign_by_default(signature, length, size, digest) }
    })
}

unsafe extern "C" fn digest_verify_final(context: *mut c_void, signature: *const c_uchar, length: usize) -> c_int {
    call(0, || {
        // SAFETY: see `dupctx`.
        let context = unsafe { of(context) }?;
        let mut buffer = [0; 64];
        let Some(digest) = context.digest(Purpose::Verify, &mut buffer)? else {
            // SAFETY: a live context, OpenSSL's buffer.
            return Ok(unsafe { (table().digest_verify_final)(context.inner.raw(), signature, length) });
        };
        // SAFETY: OpenSSL's buffer.
        if context.verified_by_garner(digest, unsafe { bytes(signature, length) }) {
            return Ok(1);
        }
        let key = context.key.as_ref().ok_or(Refusal::Told)?.inner();
        let fresh = context.fresh(table().verify_init, key)?;
        // SAFETY: a live context, OpenSSL's buffer.
        Ok(unsafe { (table().verify)(fresh.raw(), signature, length, digest.as_ptr(), digest.len()) })
    })
}

unsafe extern "C" fn get_ctx_params(context: *mut c_void, params: *mut OSSL_PARAM) -> c_int {
    // SAFETY: see `dupctx`; a live context, OpenSSL's array. So the next five.
    call(0, || Ok(unsafe { (table().get_ctx_params)(of(context)?.inner.raw(), params) }))
}

unsafe extern "C" fn set_ctx_params(context: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    call(0, || {
        // SAFETY: see `get_ctx_params`.
        let context = unsafe { of(context) }?;
        context.settings = None;
        let upstream = &context.provider.upstream;
        // SAFETY: see `get_ctx_params`.
        Ok(upstream.with_digests(|| unsafe { (table().set_ctx_params)(context.inner.raw(), params) }))
    })
}

unsafe extern "C" fn get_ctx_md_params(context: *mut c_void, params: *mut OSSL_PARAM) -> c_int {
    call(0, || {
        // SAFETY: see `get_ctx_params`.
        let context = unsafe { of(context) }?;
        // SAFETY: see `get_ctx_params`.
        Ok(unsafe {
            match &context.message {
                Message::Ours(digest) => digest.get_params(params),
                _ => (table().get_ctx_md_params)(context.inner.raw(), params),
            }
        })
    })
}

unsafe extern "C" fn set_ctx_md_params(context: *mut c_void, params: *const OSSL_PARAM) -> c_int {
    call(0, || {
        // SAFETY: see `get_ctx_params`.
        let context = unsafe { of(context) }?;
        if let Message::Expected = context.message {
            // The default provider's context has a hash that takes them already; we have none yet.
            context.message = Message::Theirs;
        }
        // SAFETY: see `get_ctx_params`.
        Ok(unsafe {
            match &mut context.message {
                Message::Ours(digest) => digest.set_params(params),
                _ => (table().set_ctx_md_params)(context.inner.raw(), params),
            }
        })
    })
}

unsafe extern "C" fn gettable_ctx_md_params(context: *mut c_void) -> *const OSSL_PARAM {
    // SAFETY: see `get_ctx_params`.
    call(ptr::null(), || Ok(unsafe { (table().gettable_ctx_md_params)(of(context)?.inner.raw()) }))
}

unsafe extern "C" fn settable_ctx_md_params(context: *mut c_void) -> *const OSSL_PARAM {
    // SAFETY: see `get_ctx_params`.
    call(ptr::null(), || Ok(unsafe { (table().settable_ctx_md_params)(of(context)?.inner.raw()) }))
}

/// The default provider's context within `context`, which may be null.
///
/// # Safety
/// As [`of`].
unsafe fn inner_or_null(context: *mut c_void) -> *mut c_void {
    // SAFETY: by this function's contract.
    unsafe { of(context) }.map_or(ptr::null_mut(), |context| context.inner.raw())
}

unsafe extern "C" fn gettable_ctx_params(context: *mut c_void, provider: *mut c_void) -> *const OSSL_PARAM {
    call(ptr::null(), || {
        // SAFETY: see `dupctx`; OpenSSL gives the context of the provider.
        let (inner, provider) = unsafe { (inner_or_null(context), Provider::of(provider)) };
        // SAFETY: the default provider's own; the list is static.
        Ok(unsafe { (table().gettable_ctx_params)(inner, provider.upstream.context()) })
    })
}

unsafe extern "C" fn settable_ctx_params(context: *mut c_void, provider: *mut c_void) -> *const OSSL_PARAM {
    call(ptr::null(), || {
        // SAFETY: see `gettable_ctx_params`.
        let (inner, provider) = unsafe { (inner_or_null(context), Provider::of(provider)) };
        // SAFETY: see `gettable_ctx_params`.
        Ok(unsafe { (table().settable_ctx_params)(inner, provider.upstream.context()) })
    })
}

/// The dispatch table.
pub static TABLE: [OSSL_DISPATCH; 24] = [
    entry!(OSSL_FUNC_SIGNATURE_NEWCTX, newctx),
    entry!(OSSL_FUNC_SIGNATURE_FREECTX, free::<Signature>),
    entry!(OSSL_FUNC_SIGNATURE_DUPCTX, dupctx),
    entry!(OSSL_FUNC_SIGNATURE_SIGN_INIT, sign_init),
    entry!(OSSL_FUNC_SIGNATURE_SIGN, sign),
    entry!(OSSL_FUNC_SIGNATURE_VERIFY_INIT, verify_init),
    entry!(OSSL_FUNC_SIGNATURE_VERIFY, verify),
    entry!(OSSL_FUNC_SIGNATURE_VERIFY_RECOVER_INIT, verify_recover_init),
    entry!(OSSL_FUNC_SIGNATURE_VERIFY_RECOVER, verify_recover),
    entry!(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_INIT, digest_sign_init),
    entry!(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_UPDATE, digest_sign_update),
    entry!(OSSL_FUNC_SIGNATURE_DIGEST_SIGN_FINAL, digest_sign_final),
    entry!(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_INIT, digest_verify_init),
    entry!(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_UPDATE, digest_verify_update),
    entry!(OSSL_FUNC_SIGNATURE_DIGEST_VERIFY_FINAL, digest_verify_final),
    entry!(OSSL_FUNC_SIGNATURE_GET_CTX_PARAMS, get_ctx_params),
    entry!(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_PARAMS, gettable_ctx_params),
    entry!(OSSL_FUNC_SIGNATURE_SET_CTX_PARAMS, set_ctx_params),
    entry!(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_PARAMS, settable_ctx_params),
    entry!(OSSL_FUNC_SIGNATURE_GET_CTX_MD_PARAMS, get_ctx_md_params),
    entry!(OSSL_FUNC_SIGNATURE_GETTABLE_CTX_MD_PARAMS, gettable_ctx_md_params),
    entry!(OSSL_FUNC_SIGNATURE_SET_CTX_MD_PARAMS, set_ctx_md_params),
    entry!(OSSL_FUNC_SIGNATURE_SETTABLE_CTX_MD_PARAMS, settable_ctx_md_params),
    OSSL_DISPATCH { id: 0, function: None },
];
