// SPDX-License-Identifier: Apache-2.0
//! OSSL_OP_ASYM_CIPHER: PKCS#1 v1.5 with implicit rejection, OAEP, TLS premaster secrets, and no padding.
//!
//! As with signatures, the default provider's context holds the settings and judges them. What Garner does not do, it
//! does; but for the padding of PKCS#1 v1.5, which stays ours: before OpenSSL 3.2 it would tell of bad padding.

mod entries;
mod settings;

pub use entries::TABLE;

use crate::blinding::Lent;
use crate::call::{Refusal, told};
use crate::context::Inner;
use crate::key::Key;
use crate::params::{Given, Params};
use crate::provider::Provider;
use crate::sys::*;
use crate::upstream::{self, Tables};
use garner::encryption::{self, Decryption, Scheme};
use garner::gather::{Operation, Output};
use garner::padding::implicit_rejection::Rejection;
use garner_openssl_common::held;
use garner_openssl_common::libcrypto::raise_reason;
use garner_openssl_common::run::{self, Failure};
use garner_openssl_common::stack::with_room;
use garner_remote::message::Fingerprint;
use settings::Settings;
use std::ffi::CStr;
use std::ptr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The parameter that OpenSSL 3.2 introduced, and that we have for all versions.
const IMPLICIT_REJECTION: &CStr = c"implicit-rejection";

fn table() -> &'static upstream::Cipher {
    &Tables::get().cipher
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
        held::decrypt(modulus, scheme, &whole).map_err(|failure| match failure {
            held::Failure::Refused(reason) => Refusal::Because(reason),
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
