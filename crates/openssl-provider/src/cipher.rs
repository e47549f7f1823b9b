// SPDX-License-Identifier: Apache-2.0
//! OSSL_OP_ASYM_CIPHER: PKCS#1 v1.5 with implicit rejection, OAEP, TLS premaster secrets, and no padding.
//!
//! As with signatures, the default provider's context holds the settings and judges them. What Garner does not do, it
//! does; but for the padding of PKCS#1 v1.5, which stays ours: before OpenSSL 3.2 it would tell of bad padding.

use crate::blinding::Lent;
use crate::call::{Refusal, call, told};
use crate::context::{self, Inner, bytes, free, give, place};
use crate::held;
use crate::key::Key;
use crate::params::{Given, Kind, List, Params, Questions, offered};
use crate::provider::Provider;
use crate::sys::*;
use crate::upstream::{self, Tables};
use garner::encryption::{self, Decryption, Scheme};
use garner::gather::{Operation, Output};
use garner::padding::implicit_rejection::Rejection;
use garner::padding::{Hash, oaep};
use garner_openssl_common::libcrypto::raise_reason;
use garner_openssl_common::run::{self, Failure};
use garner_openssl_common::stack::with_room;
use garner_remote::message::{Fingerprint, Work};
use garner_remote::scheme::EncryptionScheme;
use std::ffi::{CStr, c_int, c_uchar, c_void};
use std::ptr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The parameter that OpenSSL 3.2 introduced, and that we have for all versions.
const IMPLICIT_REJECTION: &CStr = c"implicit-rejection";

fn table() -> &'static upstream::Cipher {
    &Tables::get().cipher
}

/// What a context is set to, as the default provider has it.
struct Settings(Questions<6>);

impl Settings {
    fn of(inner: &Inner) -> Settings {
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
    unsafe fn to_give(&self) -> Given<'_> {
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
    unsafe fn scheme(&self) -> Option<Scheme<'_>> {
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

/// A context as OpenSSL has it from us.
struct Cipher {
    /// Dropped before the provider it is from.
    inner: Inner,
    key: Option<Arc<Key>>,
    /// The caller wants errors of PKCS#1 v1.5's padding: then it must be as careful with them as the default
    /// provider, which does it.
    explicit: bool,
    provider: Arc<Provider>,
}

impl Cipher {
    fn note(&mut self, params: Params<'_>) {
        if let Some(implicit) = params.find(IMPLICIT_REJECTION).and_then(|param| param.int()) {
            self.explicit = implicit == 0;
        }
    }

    /// The operation that decrypts and what takes the message out of its output, if they are Garner's.
    fn decryption(&self, scheme: Scheme<'_>, ciphertext: &[u8]) -> Option<(Operation, Decryption)> {
        // No bytes are zero to OpenSSL 3.0 and an error to 3.5: the default provider says which.
        if ciphertext.is_empty() {
            return None;
        }
        let key = self.key.as_ref()?.private()?;
        // Leading zero bytes left out make a ciphertext no other: it must not be decrypted by other rules.
        let missing = key.public().size().checked_sub(ciphertext.len())?;
        let whole = [&vec![0; missing], ciphertext].concat();
        encryption::decryption(key, scheme, &whole).ok()
    }

    /// The same as the settings want it, and whether they want bad padding hidden (implicit rejection).
    fn prepared(&self, ciphertext: &[u8]) -> (Option<(Operation, Decryption)>, bool) {
        let settings = Settings::of(&self.inner);
        // SAFETY: nobody changes the context meanwhile.
        match unsafe { settings.scheme() } {
            Some(Scheme::Pkcs1v15) if self.explicit => (None, false),
            Some(scheme) => (self.decryption(scheme, ciphertext), scheme == Scheme::Pkcs1v15),
            None => (None, false),
        }
    }

    /// The message by the daemon, which holds the key.
    fn decrypt_by_daemon(&self, modulus: Fingerprint, ciphertext: &[u8]) -> Result<Output, Refusal> {
        let settings = Settings::of(&self.inner);
        // SAFETY: nobody changes the context meanwhile.
        let scheme = unsafe { settings.scheme() }.filter(|scheme| !self.explicit || *scheme != Scheme::Pkcs1v15);
        let size = self.key.as_ref().and_then(|key| key.public()).map_or(0, |key| key.size());
        let missing = size.saturating_sub(ciphertext.len());
        let whole = [&vec![0; missing], ciphertext].concat();
        let work = match scheme {
            Some(Scheme::Raw) => Some(Work::Raw { input: &whole }),
            Some(scheme) => EncryptionScheme::of(scheme).map(|scheme| Work::Decrypt { scheme, ciphertext: &whole }),
            None => None,
        };
        held::ask(modulus, work.ok_or_else(|| held::unknown("decryption"))?).map_err(|failure| match failure {
            held::Failure::Refused(refusal) => refusal,
            held::Failure::Verification => undecodable(),
        })
    }

    /// The message, by us, or `None` for the default provider to decrypt it.
    fn decrypt_by_us(&self, ciphertext: &[u8]) -> Result<Option<Output>, Refusal> {
        if let Some(modulus) = self.key.as_ref().and_then(|key| key.held()) {
            return self.decrypt_by_daemon(modulus, ciphertext).map(Some);
        }
        let (decryption, hides) = self.prepared(ciphertext);
        let answer = match decryption {
            // Nothing on this stack owns memory now but what goes along: see `run`.
            Some((operation, opening)) => run::run(&self.provider.service, operation, Some(opening)),
            None => Err(Failure::Unavailable),
        };
        match answer {
            Ok(message) => Ok(Some(message)),
            Err(Failure::Unavailable) if hides => self.decrypt_hiding(ciphertext).map(Some),
            Err(Failure::Unavailable) => Ok(None),
            Err(Failure::Failed(garner::Error::Verification)) => Err(undecodable()),
            Err(Failure::Failed(error)) => Err(error.into()),
        }
    }

    /// PKCS#1 v1.5 with implicit rejection where Garner does not do it: the default provider decrypts without padding,
    /// and we take the message out, by the hash functions of our library context, as the program's may have none.
    fn decrypt_hiding(&self, ciphertext: &[u8]) -> Result<Output, Refusal> {
        let key = self.key.as_ref().ok_or(Refusal::Told)?;
        let (upstream, decrypt) = (&self.provider.upstream, table().decrypt);
        let (input, length) = (ciphertext.as_ptr(), ciphertext.len());
        let lent = key.lend()?;
        let mut unpadded = Given::default().int(c"pad-mode", RSA_NO_PADDING);
        let mut size = 0;
        // SAFETY: the default provider's own context, a live key of its, a whole array; only the size is asked for.
        let inner = unsafe {
            let inner = Inner::new((table().newctx)(upstream.context()), table().freectx)?;
            told((table().decrypt_init)(inner.raw(), lent.key(), unpadded.as_ptr()))?;
            told(decrypt(inner.raw(), ptr::null_mut(), &mut size, 0, input, length))?;
            inner
        };
        let mut block = Zeroizing::new(vec![0; size]);
        // SAFETY: a live context, and room for as much as it asked for.
        told(unsafe { decrypt(inner.raw(), block.as_mut_ptr(), &mut size, block.len(), input, length) })?;
        let exponent = key.private_exponent(block.len());
        let exponent = exponent.ok_or_else(|| Refusal::Because("the key has no private exponent".to_owned()))?;
        let message = upstream.as_default(|| Rejection::new(&exponent, ciphertext)?.decode(&block))?;
        Ok(message)
    }

    /// A context of the default provider's that decrypts with this key and this one's settings.
    fn fresh(&self, lent: &Lent) -> Result<Inner, Refusal> {
        let settings = Settings::of(&self.inner);
        // SAFETY: nobody changes the context meanwhile.
        let mut given = unsafe { settings.to_give() };
        if self.explicit {
            given = given.int(IMPLICIT_REJECTION, 0);
        }
        // SAFETY: the default provider's own context, a live key of its, a whole array, which is copied.
        unsafe {
            let fresh = Inner::new((table().newctx)(self.provider.upstream.context()), table().freectx)?;
            told((table().decrypt_init)(fresh.raw(), lent.key(), given.as_ptr()))?;
            Ok(fresh)
        }
    }

    /// The ciphertext, by Garner, or `None` for the default provider to encrypt or to say why not.
    fn encrypt_by_garner(&self, message: &[u8]) -> Option<Vec<u8>> {
        let settings = Settings::of(&self.inner);
        // SAFETY: nobody changes the context meanwhile.
        let scheme = unsafe { settings.scheme() }?;
        let key = self.key.as_ref()?.public()?;
        // Too short to pause a job for.
        let encrypt = || encryption::encrypt(self.provider.service.gatherer(), key, scheme, message);
        with_room(encrypt)?.ok()
    }
}

/// What OpenSSL says of all that can be wrong with a block of OAEP.
fn undecodable() -> Refusal {
    raise_reason(ERR_LIB_RSA, RSA_R_OAEP_DECODING_ERROR);
    Refusal::Told
}

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
