//! OSSL_OP_SIGNATURE: PKCS#1 v1.5, PSS and raw signatures.
//!
//! The default provider's context holds the settings and judges them. Where what they amount to is a [`Plan`] of ours,
//! Garner does the operation; else, and when Garner refuses, the default provider does. A signature that Garner does not
//! accept is judged by the default provider, whose error the caller then sees.

use crate::call::{Refusal, call, told};
use crate::context::{self, Inner, bytes, free, give, place};
use crate::digest::{Digest, is_md5_sha1};
use crate::key::Key;
use crate::params::{Given, Kind, Params, Questions};
use crate::provider::Provider;
use crate::sys::*;
use crate::upstream::{self, Tables};
use garner::gather::{Operation, Output};
use garner::padding::{Hash, pkcs1v15, pss};
use garner::signature::{self, Scheme};
use garner_openssl_common::run::{self, Failure};
use garner_openssl_common::stack::with_room;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;

fn table() -> &'static upstream::Signature {
    &Tables::get().signature
}

/// A new context of the default provider's.
fn inner(provider: &Provider) -> Result<Inner, Refusal> {
    // Without the program's property query: it is about its providers, and the hash functions come from ours.
    // SAFETY: the default provider's own context.
    unsafe { Inner::new((table().newctx)(provider.upstream.context(), ptr::null()), table().freectx) }
}

/// What a context is set to, as the default provider has it.
struct Settings(Questions<4>);

impl Settings {
    fn of(inner: &Inner) -> Settings {
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

    fn padding(&self) -> c_int {
        self.0.int(0).unwrap_or(0)
    }

    /// The hash of the message; empty when there is none.
    fn digest(&self) -> &CStr {
        self.0.text(1).unwrap_or(c"")
    }

    /// The hash of the mask, that of the message unless another was set.
    fn mgf1(&self) -> &CStr {
        self.0.text(2).filter(|name| !name.is_empty()).unwrap_or(self.digest())
    }

    fn salt(&self) -> Option<c_int> {
        self.0.int(3)
    }

    /// Gives another context of the default provider's the same settings.
    fn give_to(&self, inner: &Inner) -> Result<(), Refusal> {
        let mut given = Given::default();
        if !self.digest().is_empty() {
            given = given.text(c"digest", self.digest());
        }
        given = given.int(c"pad-mode", self.padding());
        if self.padding() == RSA_PKCS1_PSS_PADDING {
            given = given.text(c"mgf1-digest", self.mgf1());
            if let Some(salt) = self.salt() {
                given = given.int(c"saltlen", salt);
            }
        }
        // SAFETY: a live context and a whole array, which is copied.
        told(unsafe { (table().set_ctx_params)(inner.raw(), given.as_ptr()) }).map(drop)
    }
}

/// What is done to the digest.
enum Plan {
    Scheme(Scheme),
    /// PKCS#1 v1.5 around it as it is; of so many bytes, if it must have a certain length.
    Payload(Option<usize>),
    /// Nothing.
    Raw,
}

/// Which operation a context was last prepared for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Sign,
    Verify,
}

/// The message, for operations that hash it.
enum Message {
    /// Not one of these.
    None,
    /// Nothing of it came yet, and the settings may still change who hashes it.
    Expected,
    /// Hashed by us.
    Ours(Digest),
    /// Hashed by the default provider's context.
    Theirs,
}

/// A context as OpenSSL has it from us.
struct Signature {
    /// Dropped before the provider it is from.
    inner: Inner,
    message: Message,
    key: Option<Arc<Key>>,
    /// Forgotten whenever they may have changed.
    settings: Option<Settings>,
    provider: Arc<Provider>,
}

impl Signature {
    fn settings(&mut self) -> &Settings {
        let inner = &self.inner;
        self.settings.get_or_insert_with(|| Settings::of(inner))
    }

    fn begin(&mut self, key: Arc<Key>, message: Message) {
        self.key = Some(key);
        self.message = message;
        self.settings = None;
    }

    /// What the settings amount to, if it is ours.
    fn plan(&mut self, purpose: Purpose) -> Option<Plan> {
        let key = Arc::clone(self.key.as_ref()?);
        let settings = self.settings();
        let digest = settings.digest();
        // Garner signs nothing with SHA-1.
        let ours = |hash: &Hash| purpose == Purpose::Verify || *hash != Hash::Sha1;
        let hash = || Hash::from_name(digest.to_str().ok()?).ok().filter(ours);
        match settings.padding() {
            RSA_PKCS1_PADDING if digest.is_empty() => Some(Plan::Payload(None)),
            RSA_PKCS1_PADDING if is_md5_sha1(digest) => Some(Plan::Payload(Some(36))),
            RSA_PKCS1_PADDING => Some(Plan::Scheme(Scheme::Pkcs1v15(hash()?))),
            RSA_NO_PADDING if digest.is_empty() => Some(Plan::Raw),
            RSA_PKCS1_PSS_PADDING => {
                let mgf1_hash = Hash::from_name(settings.mgf1().to_str().ok()?).ok()?;
                let functions = pss::Functions::Mgf1 { hash: hash()?, mgf1_hash };
                let bits = key.public()?.bits();
                let salt = salt(settings.salt()?, functions, bits, purpose, key.restriction())?;
                Some(Plan::Scheme(Scheme::Pss { functions, salt }))
            }
            _ => None,
        }
    }

    /// The operation that signs `digest`, if it is ours.
    fn signing(&mut self, digest: &[u8]) -> Option<Operation> {
        let plan = self.plan(Purpose::Sign)?;
        let key = self.key.as_ref()?.private()?;
        match plan {
            Plan::Scheme(scheme) => signature::signing(key, scheme, digest).ok(),
            Plan::Payload(Some(length)) if length != digest.len() => None,
            Plan::Payload(_) => {
                let mut encoded = vec![0; key.public().size()];
                pkcs1v15::encode_raw(digest, &mut encoded).ok()?;
                Operation::private(key, &encoded).ok()
            }
            Plan::Raw if digest.len() == key.public().size() => Operation::private(key, digest).ok(),
            Plan::Raw => None,
        }
    }

    /// The signature, by Garner, or `None` for the default provider to make it.
    fn sign_by_garner(&mut self, digest: &[u8]) -> Result<Option<Output>, Refusal> {
        let Some(operation) = self.signing(digest) else { return Ok(None) };
        // Nothing on this stack owns memory now: see `run`.
        match run::run(&self.provider.service, operation, None) {
            Ok(signature) => Ok(Some(signature)),
            Err(Failure::Unavailable) => Ok(None),
            Err(Failure::Failed(error)) => Err(error.into()),
        }
    }

    /// Whether Garner accepts the signature. If not, it is wrong or not ours: the default provider is to say.
    fn verified_by_garner(&mut self, digest: &[u8], signature: &[u8]) -> bool {
        let Some(plan) = self.plan(Purpose::Verify) else { return false };
        let Some(key) = self.key.as_ref().and_then(|key| key.public()) else { return false };
        let gatherer = self.provider.service.gatherer();
        // Too short to pause a job for.
        let verdict = with_room(|| match plan {
            Plan::Scheme(scheme) => signature::verify_digest(gatherer, key, scheme, digest, signature),
            // To the default provider nothing is no payload, whatever the signature.
            Plan::Payload(length) if digest.is_empty() || length.is_some_and(|length| length != digest.len()) => {
                Err(garner::Error::Verification)
            }
            Plan::Payload(_) if signature.len() == key.size() => {
                pkcs1v15::verify_raw(digest, &gatherer.run(Operation::public(key, signature)?)?)
            }
            Plan::Payload(_) | Plan::Raw => Err(garner::Error::Verification),
        });
        matches!(verdict, Some(Ok(())))
    }

    /// A context of the default provider's with this one's key and settings, for a digest that we have.
    fn fresh(
        &mut self,
        init: unsafe extern "C" fn(*mut c_void, *mut c_void, *const OSSL_PARAM) -> c_int,
    ) -> Result<Inner, Refusal> {
        let fresh = inner(&self.provider)?;
        let key = self.key.as_ref().ok_or(Refusal::Told)?.inner();
        // SAFETY: a live context and a live key of the default provider's.
        told(unsafe { init(fresh.raw(), key, ptr::null()) })?;
        self.settings().give_to(&fresh)?;
        Ok(fresh)
    }

    /// The next part of the message.
    fn update(&mut self, purpose: Purpose, data: &[u8]) -> Result<(), Refusal> {
        if let Message::Expected = self.message {
            let ours = self.plan(purpose).is_some_and(|plan| !matches!(plan, Plan::Raw));
            let provider = Arc::clone(&self.provider);
            let digest = if ours { provider.digests.begin(self.settings().digest()) } else { None };
            self.message = digest.map_or(Message::Theirs, Message::Ours);
        }
        match &mut self.message {
            Message::Ours(digest) => digest.update(data),
            _ => {
                let update = match purpose {
                    Purpose::Sign => table().digest_sign_update,
                    Purpose::Verify => table().digest_verify_update,
                };
                // SAFETY: a live context and as many bytes as the slice has.
                told(unsafe { update(self.inner.raw(), data.as_ptr(), data.len()) }).map(drop)
            }
        }
    }

    /// The digest of a message that we hashed, in `buffer`; `None` when the default provider hashed it.
    fn digest<'a>(&mut self, purpose: Purpose, buffer: &'a mut [u8; 64]) -> Result<Option<&'a [u8]>, Refusal> {
        if let Message::Expected = self.message {
            self.update(purpose, &[])?;
        }
        match &self.message {
            Message::Ours(digest) => digest.finish(buffer).map(Some),
            _ => Ok(None),
        }
    }
}

/// OpenSSL's salt length as Garner's; `None` when it is for the default provider to refuse.
fn salt(
    length: c_int,
    functions: pss::Functions,
    bits: usize,
    purpose: Purpose,
    restriction: Option<c_int>,
) -> Option<pss::Salt> {
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
        let key = key.or_else(|| context.key.clone()).ok_or(Refusal::Told)?;
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
        // SAFETY: OpenSSL's buffers, with their lengths; the digest is not used once there is a signature.
        let (place, the_digest) = unsafe { (place(signature, size, length), bytes(digest, digest_length)) };
        if let Some(place) = place
            && let Some(made) = context.sign_by_garner(the_digest)?
        {
            return place.write(&made);
        }
        // SAFETY: a live context, OpenSSL's buffers.
        Ok(unsafe { (table().sign)(context.inner.raw(), signature, length, size, digest, digest_length) })
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
        let key = key.or_else(|| context.key.clone()).ok_or(Refusal::Told)?;
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
        // SAFETY: OpenSSL's buffer.
        let Some(place) = (unsafe { place(signature, size, length) }) else {
            // SAFETY: a live context; only the length is asked for.
            return Ok(unsafe { (table().digest_sign_final)(context.inner.raw(), signature, length, size) });
        };
        let mut buffer = [0; 64];
        let Some(digest) = context.digest(Purpose::Sign, &mut buffer)? else {
            // SAFETY: a live context, OpenSSL's buffer.
            return Ok(unsafe { (table().digest_sign_final)(context.inner.raw(), signature, length, size) });
        };
        if let Some(made) = context.sign_by_garner(digest)? {
            return place.write(&made);
        }
        let fresh = context.fresh(table().sign_init)?;
        // SAFETY: a live context, OpenSSL's buffer.
        Ok(unsafe { (table().sign)(fresh.raw(), signature, length, size, digest.as_ptr(), digest.len()) })
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
        let fresh = context.fresh(table().verify_init)?;
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
