// SPDX-License-Identifier: Apache-2.0
//! The RSA method: OpenSSL's own, but for private operations.
//!
//! Padding stays OpenSSL's. The exponentiation inside is Garner's, which blinds and checks it. OpenSSL's own blinding must
//! not be around it: it keeps the pair of factors with the thread, so that a second job of the same thread, run while the
//! first is paused, would change the pair in use. So OpenSSL's functions are given a *shadow* of the key that has the
//! blinding turned off and an exponentiation that is ours. Keys that Garner does not take have no shadow, and
//! everything is OpenSSL's; where Garner cannot serve a shadow, a blinding of that one operation's own is put around
//! OpenSSL's exponentiation.

use crate::sys::*;
use garner::error::Error;
use garner::fork::away_from_fork;
use garner::gather::Operation;
use garner::key::{Components, PrivateKey};
use garner_openssl_common::libcrypto::raise;
use garner_openssl_common::memory;
use garner_openssl_common::run::{self, Failure};
use garner_openssl_common::{Service, Settings};
use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use zeroize::Zeroizing;

/// What is set before the service is opened.
static SETTINGS: Mutex<Option<Settings>> = Mutex::new(None);

/// The service, while the engine is in use.
static SERVICE: RwLock<Option<Arc<Service>>> = RwLock::new(None);

/// Where an `RSA` keeps its [`Slot`], and a shadow its [`Shadow`]'s key.
static INDICES: [AtomicI32; 2] = [const { AtomicI32::new(-1) }; 2];

/// The method of the engine, and that of shadows.
static METHODS: [AtomicPtr<RSA_METHOD>; 2] = [const { AtomicPtr::new(ptr::null_mut()) }; 2];

const SLOT: usize = 0;
const SHADOW: usize = 1;

fn index(which: usize) -> c_int {
    INDICES[which].load(Ordering::Relaxed)
}

/// Looks at the settings, or changes them. A child made while somebody holds the lock would wait for it for ever: here and
/// below.
pub fn with_settings<T>(look: impl FnOnce(&mut Settings) -> T) -> T {
    let look = || look(SETTINGS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default());
    away_from_fork(look)
}

/// Opens the service, with the settings made so far.
pub fn open() -> Result<(), String> {
    let settings = with_settings(|settings| settings.clone());
    let service = Service::open(&settings, "engine").map_err(|error| error.to_string())?;
    let before = away_from_fork(|| SERVICE.write().unwrap_or_else(PoisonError::into_inner).replace(service));
    drop(before);
    Ok(())
}

/// Ends this engine's share of the service.
pub fn close() {
    let service = away_from_fork(|| SERVICE.write().unwrap_or_else(PoisonError::into_inner).take());
    drop(service);
}

/// The service, once it is open.
pub fn service() -> Option<Arc<Service>> {
    away_from_fork(|| SERVICE.read().unwrap_or_else(PoisonError::into_inner).clone())
}

/// Makes the methods, once, and gives the engine's. They live until [`unmake`].
pub fn make() -> Result<*const RSA_METHOD, String> {
    for which in [SLOT, SHADOW] {
        if index(which) < 0 {
            // SAFETY: an index without functions: `init`, `finish` and `Shadow` see to what is kept there.
            let made = unsafe { CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_RSA, 0, ptr::null_mut(), None, None, None) };
            INDICES[which].store(made, Ordering::Relaxed);
        }
        if METHODS[which].load(Ordering::Relaxed).is_null() {
            // SAFETY: a copy of OpenSSL's method, checked, with functions of the right signatures.
            let method = unsafe {
                let method = RSA_meth_dup(RSA_PKCS1_OpenSSL());
                let set = !method.is_null()
                    && index(which) >= 0
                    && RSA_meth_set1_name(method, c"Garner".as_ptr()) == 1
                    && if which == SHADOW {
                        RSA_meth_set_mod_exp(method, mod_exp) == 1
                    } else {
                        RSA_meth_set_init(method, init) == 1
                            && RSA_meth_set_finish(method, finish) == 1
                            && RSA_meth_set_priv_enc(method, private_encrypt) == 1
                            && RSA_meth_set_priv_dec(method, private_decrypt) == 1
                    };
                if !set {
                    RSA_meth_free(method);
                    return Err("libcrypto refuses an RSA method".to_owned());
                }
                method
            };
            METHODS[which].store(method, Ordering::Relaxed);
        }
    }
    Ok(METHODS[SLOT].load(Ordering::Relaxed))
}

/// Frees the methods: when the engine is destroyed, no key refers to them any more.
pub fn unmake() {
    for method in &METHODS {
        // SAFETY: from `make`, or null, which is ignored; freed once.
        unsafe { RSA_meth_free(method.swap(ptr::null_mut(), Ordering::Relaxed)) };
    }
}

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
                && RSA_set_method(rsa, METHODS[SHADOW].load(Ordering::Relaxed)) == 1
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

#[derive(Default)]
struct Slot(AtomicPtr<Known>);

impl Slot {
    /// The shadow, as the `RSA` is now.
    ///
    /// # Safety
    /// `rsa` is alive, and nobody changes it meanwhile.
    unsafe fn shadow(&self, rsa: *const RSA) -> Option<*mut RSA> {
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

/// A number as big-endian bytes; `None` for null.
///
/// # Safety
/// `number` is null or alive.
unsafe fn bytes(number: *const BIGNUM) -> Option<Zeroizing<Vec<u8>>> {
    if number.is_null() {
        return None;
    }
    // SAFETY: by this function's contract; `BN_bn2bin` writes as many bytes as the bits take.
    unsafe {
        let mut bytes = Zeroizing::new(vec![0; BN_num_bits(number).unsigned_abs().div_ceil(8) as usize]);
        BN_bn2bin(number, bytes.as_mut_ptr());
        Some(bytes)
    }
}

/// The key of an `RSA`, if it has all numbers that Garner wants.
///
/// # Errors
/// Garner refuses it, or could not try it.
///
/// # Safety
/// As [`Slot::shadow`].
unsafe fn read(rsa: *const RSA) -> Result<Option<PrivateKey>, Error> {
    // SAFETY: by this function's contract.
    let numbers = unsafe {
        if RSA_get_multi_prime_extra_count(rsa) > 0 {
            return Ok(None);
        }
        [
            bytes(RSA_get0_n(rsa)),
            bytes(RSA_get0_e(rsa)),
            bytes(RSA_get0_d(rsa)),
            bytes(RSA_get0_p(rsa)),
            bytes(RSA_get0_q(rsa)),
            bytes(RSA_get0_dmp1(rsa)),
            bytes(RSA_get0_dmq1(rsa)),
            bytes(RSA_get0_iqmp(rsa)),
        ]
    };
    let [Some(n), Some(e), Some(d), Some(p), Some(q), Some(dp), Some(dq), Some(inverse)] = numbers else {
        return Ok(None);
    };
    PrivateKey::from_components(&Components {
        modulus: &n,
        public_exponent: &e,
        private_exponent: &d,
        prime1: &p,
        prime2: &q,
        exponent1: &dp,
        exponent2: &dq,
        coefficient: &inverse,
    })
    .map(Some)
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

/// One of OpenSSL's private functions, on the shadow if there is one.
///
/// # Safety
/// libcrypto's arguments of `priv_enc` and `priv_dec`.
unsafe fn with_shadow(
    theirs: Option<Crypt>,
    length: c_int,
    from: *const u8,
    to: *mut u8,
    rsa: *mut RSA,
    padding: c_int,
) -> c_int {
    let entered = memory::enter();
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
    unsafe { with_shadow(RSA_meth_get_priv_enc(RSA_PKCS1_OpenSSL()), length, from, to, rsa, padding) }
}

unsafe extern "C" fn private_decrypt(
    length: c_int,
    from: *const u8,
    to: *mut u8,
    rsa: *mut RSA,
    padding: c_int,
) -> c_int {
    // SAFETY: libcrypto's arguments.
    unsafe { with_shadow(RSA_meth_get_priv_dec(RSA_PKCS1_OpenSSL()), length, from, to, rsa, padding) }
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
