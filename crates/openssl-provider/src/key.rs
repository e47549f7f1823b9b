// SPDX-License-Identifier: Apache-2.0
//! A key: the default provider's, and ours beside it once it is needed.
//!
//! The default provider's is the key: it is imported, exported, compared, checked and asked by everybody. Ours is made
//! from it at the first operation of ours; a key that Garner refuses (several primes, more than 8,192 bits, no CRT that
//! fits) stays with the default provider, and so does one that OpenSSL refuses.

use crate::blinding::{Lent, Turns};
use crate::call::Refusal;
use crate::params::{Given, Kind, Params, Questions};
use crate::provider::Provider;
use crate::sys::*;
use crate::upstream::{Keymgmt, Tables};
use garner::Error;
use garner::key::{Components, PrivateKey, PublicKey};
use garner_remote::message::Fingerprint;
use garner_remote::stub;
use once_cell::race::OnceBox;
use std::ffi::{CStr, c_int, c_void};
use std::ptr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// A key as OpenSSL has it from us. What is made at its first use is made without a lock, which the child of a fork
/// could find taken for ever: two threads may both make it, and one of the two is thrown away.
pub struct Key {
    provider: Arc<Provider>,
    pss: bool,
    inner: *mut c_void,
    private: OnceBox<Option<Arc<PrivateKey>>>,
    public: OnceBox<Option<Arc<PublicKey>>>,
    held: OnceBox<Option<Fingerprint>>,
    restriction: OnceBox<Option<c_int>>,
    turns: Turns,
}

// SAFETY: the default provider's keys may be used by any thread, as OpenSSL does.
unsafe impl Send for Key {}
// SAFETY: as above.
unsafe impl Sync for Key {}

impl Key {
    /// A key around one of the default provider's; `None` for null.
    ///
    /// # Safety
    /// `inner` is null or a key of the default provider of the kind `pss` says, and nobody else's.
    pub unsafe fn around(provider: Arc<Provider>, pss: bool, inner: *mut c_void) -> Option<Arc<Key>> {
        let made = || Key {
            provider,
            pss,
            inner,
            private: OnceBox::new(),
            public: OnceBox::new(),
            held: OnceBox::new(),
            restriction: OnceBox::new(),
            turns: Turns::new(),
        };
        (!inner.is_null()).then(|| Arc::new(made()))
    }

    /// An empty key.
    pub fn empty(provider: Arc<Provider>, pss: bool) -> Option<Arc<Key>> {
        // SAFETY: the default provider's own context; the result is null or a new key.
        unsafe {
            let inner = (Tables::get().keymgmt(pss).new)(provider.upstream.context());
            Key::around(provider, pss, inner)
        }
    }

    /// A key in the default provider made of one of ours.
    pub fn generated(provider: Arc<Provider>, pss: bool, key: &PrivateKey) -> Option<Arc<Key>> {
        let made = Key::empty(provider, pss)?;
        let mut numbers = key.with_components(|c| {
            Given::default()
                .big_number(c"n", c.modulus)
                .big_number(c"e", c.public_exponent)
                .big_number(c"d", c.private_exponent)
                .big_number(c"rsa-factor1", c.prime1)
                .big_number(c"rsa-factor2", c.prime2)
                .big_number(c"rsa-exponent1", c.exponent1)
                .big_number(c"rsa-exponent2", c.exponent2)
                .big_number(c"rsa-coefficient1", c.coefficient)
        });
        // SAFETY: a live key and a whole array of parameters, which is copied.
        let imported = unsafe { (made.table().import)(made.inner, OSSL_KEYMGMT_SELECT_KEYPAIR, numbers.as_ptr()) };
        (imported == 1).then_some(made)
    }

    /// Hands it to OpenSSL.
    pub fn into_raw(key: Option<Arc<Key>>) -> *mut c_void {
        key.map_or(ptr::null_mut(), |key| Arc::into_raw(key).cast_mut().cast())
    }

    /// The key that OpenSSL means.
    ///
    /// # Safety
    /// `raw` is null or from [`Key::into_raw`], and was not freed.
    pub unsafe fn of<'a>(raw: *const c_void) -> Option<&'a Key> {
        // SAFETY: by this function's contract.
        unsafe { raw.cast::<Key>().as_ref() }
    }

    /// A share of the key that OpenSSL means.
    ///
    /// # Safety
    /// As [`Key::of`].
    pub unsafe fn share(raw: *const c_void) -> Option<Arc<Key>> {
        let key = raw.cast::<Key>();
        if key.is_null() {
            return None;
        }
        // SAFETY: by this function's contract; the count is raised for the share that is made of it.
        unsafe {
            Arc::increment_strong_count(key);
            Some(Arc::from_raw(key))
        }
    }

    /// Ends OpenSSL's share.
    ///
    /// # Safety
    /// As [`Key::of`]; not used after.
    pub unsafe fn free(raw: *mut c_void) {
        if !raw.is_null() {
            // SAFETY: by this function's contract.
            drop(unsafe { Arc::from_raw(raw.cast_const().cast::<Key>()) });
        }
    }

    /// The default provider's key.
    pub fn inner(&self) -> *mut c_void {
        self.inner
    }

    /// The default provider's key for one private operation.
    ///
    /// # Errors
    /// There is no memory.
    pub fn lend(&self) -> Result<Lent, Refusal> {
        // SAFETY: a live key, of the kind of its table.
        unsafe { self.turns.next(self.inner, self.table()) }
    }

    /// Whether its type is RSA-PSS.
    pub fn is_pss(&self) -> bool {
        self.pss
    }

    /// The provider it is of.
    pub fn provider(&self) -> &Arc<Provider> {
        &self.provider
    }

    /// The default provider's functions for its kind.
    pub fn table(&self) -> &'static Keymgmt {
        Tables::get().keymgmt(self.pss)
    }

    /// The private key, if there is one that Garner takes.
    pub fn private(&self) -> Option<&Arc<PrivateKey>> {
        kept(&self.private, || self.numbers(true)?.map_or(Ok(None), |numbers| numbers.private()))
    }

    /// The public key, if Garner takes it.
    pub fn public(&self) -> Option<&Arc<PublicKey>> {
        kept(&self.public, || self.numbers(false)?.map_or(Ok(None), |numbers| numbers.public()))
    }

    /// The modulus's hash, if this is a stub: a key that garnerd holds.
    pub fn held(&self) -> Option<Fingerprint> {
        kept(&self.held, || self.numbers(true)?.map_or(Ok(None), |numbers| numbers.held())).copied()
    }

    /// The private exponent, whether Garner takes the key or not, in as many bytes as the modulus has.
    pub fn private_exponent(&self, size: usize) -> Option<Zeroizing<Vec<u8>>> {
        let numbers = self.numbers(true).ok()??;
        let [_, _, Some(d), ..] = &numbers.values else { return None };
        let mut exponent = Zeroizing::new(vec![0; size]);
        exponent[size.checked_sub(d.len())?..].copy_from_slice(d);
        Some(exponent)
    }

    /// The shortest salt that a restricted RSA-PSS key allows; `None` where there is no restriction.
    pub fn restriction(&self) -> Option<c_int> {
        *self.restriction.get_or_init(|| {
            if !self.pss {
                return Box::new(None);
            }
            let mut questions = Questions::new([(c"saltlen", Kind::Int)]);
            // SAFETY: a live key and a whole array of parameters.
            unsafe { (self.table().get_params)(self.inner, questions.as_mut_ptr()) };
            Box::new(questions.int(0))
        })
    }

    /// The numbers, as the default provider exports them; `None` where the key has none of that kind.
    ///
    /// # Errors
    /// [`Error::Memory`] when it does not export what it has, which may pass.
    fn numbers(&self, private: bool) -> Result<Option<Numbers>, Error> {
        let table = self.table();
        let selection = if private { OSSL_KEYMGMT_SELECT_KEYPAIR } else { OSSL_KEYMGMT_SELECT_PUBLIC_KEY };
        let mut numbers = Numbers::default();
        // SAFETY: a live key; `collect` gets the pointer to `numbers`, before this returns.
        unsafe {
            if (table.has)(self.inner, selection) != 1 {
                return Ok(None);
            }
            if (table.export)(self.inner, selection, collect, ptr::from_mut(&mut numbers).cast()) != 1 {
                return Err(Error::Memory);
            }
        }
        Ok(Some(numbers))
    }
}

/// What is made once. A key that Garner refuses is refused for ever; want of memory or randomness may pass.
fn kept<T>(cell: &OnceBox<Option<T>>, make: impl FnOnce() -> Result<Option<T>, Error>) -> Option<&T> {
    let made = cell.get_or_try_init(|| match make() {
        Ok(made) => Ok(Box::new(made)),
        Err(Error::Key { .. }) => Ok(Box::new(None)),
        Err(error) => Err(error),
    });
    made.ok()?.as_ref()
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: ours alone, freed once.
        unsafe { (self.table().free)(self.inner) };
    }
}

/// The numbers of a key, big-endian.
#[derive(Default)]
struct Numbers {
    values: [Option<Zeroizing<Vec<u8>>>; NAMES.len()],
    others: bool,
}

const NAMES: [&CStr; 8] =
    [c"n", c"e", c"d", c"rsa-factor1", c"rsa-factor2", c"rsa-exponent1", c"rsa-exponent2", c"rsa-coefficient1"];

/// Takes what the default provider exports.
unsafe extern "C" fn collect(params: *const OSSL_PARAM, numbers: *mut c_void) -> c_int {
    // SAFETY: `Key::numbers` gives its local, and nobody else uses it meanwhile.
    let numbers = unsafe { &mut *numbers.cast::<Numbers>() };
    // SAFETY: the array of an export is whole and lives as long as this call.
    for param in unsafe { Params::new(params) }.iter() {
        match NAMES.iter().position(|name| *name == param.name()) {
            Some(index) => numbers.values[index] = param.big_number(),
            // A third prime.
            None if param.name() == c"rsa-factor3" => numbers.others = true,
            None => {}
        }
    }
    1
}

/// How many bits a number has.
fn bits(number: &[u8]) -> usize {
    let whole = &number[number.iter().position(|&byte| byte != 0).unwrap_or(number.len())..];
    whole.first().map_or(0, |first| 8 * whole.len() - first.leading_zeros() as usize)
}

impl Numbers {
    /// Whether OpenSSL does public operations with such a key: large moduli have short exponents only, lest a key that
    /// somebody sends takes long. What else it refuses, Garner refuses, too.
    fn openssl_takes(&self) -> bool {
        let [Some(n), Some(e), ..] = &self.values else { return false };
        bits(n) <= OPENSSL_RSA_SMALL_MODULUS_BITS as usize || bits(e) <= OPENSSL_RSA_MAX_PUBEXP_BITS as usize
    }

    fn held(&self) -> Result<Option<Fingerprint>, Error> {
        match &self.values {
            [Some(n), _, Some(d), ..] if stub::name_in(d).is_some() => stub::fingerprint(n).map(Some),
            _ => Ok(None),
        }
    }

    fn public(&self) -> Result<Option<Arc<PublicKey>>, Error> {
        let [Some(n), Some(e), ..] = &self.values else { return Ok(None) };
        if !self.openssl_takes() {
            return Ok(None);
        }
        PublicKey::from_n_e(n, e).map(|key| Some(Arc::new(key)))
    }

    fn private(&self) -> Result<Option<Arc<PrivateKey>>, Error> {
        if self.others || !self.openssl_takes() {
            return Ok(None);
        }
        let key = match &self.values {
            [Some(n), Some(e), Some(d), Some(p), Some(q), Some(dp), Some(dq), Some(inverse)] => {
                PrivateKey::from_components(&Components {
                    modulus: n,
                    public_exponent: e,
                    private_exponent: d,
                    prime1: p,
                    prime2: q,
                    exponent1: dp,
                    exponent2: dq,
                    coefficient: inverse,
                })
            }
            [Some(n), Some(e), Some(d), ..] => PrivateKey::from_n_e_d(n, e, d),
            _ => return Ok(None),
        };
        key.map(|key| Some(Arc::new(key)))
    }
}
