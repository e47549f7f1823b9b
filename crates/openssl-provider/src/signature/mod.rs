// SPDX-License-Identifier: Apache-2.0
//! OSSL_OP_SIGNATURE: PKCS#1 v1.5, PSS and raw signatures.
//!
//! The default provider's context holds the settings and judges them. Where what they amount to is a [`Plan`] of ours,
//! Garner does the operation; else, and when Garner refuses, the default provider does. A signature that Garner does not
//! accept is judged by the default provider, whose error the caller then sees.

mod entries;
mod settings;

pub use entries::TABLE;

use crate::call::{Refusal, told};
use crate::context::Inner;
use crate::digest::{Digest, is_md5_sha1};
use crate::key::Key;
use crate::provider::Provider;
use crate::sys::*;
use crate::upstream::{self, Tables};
use garner::gather::{Operation, Output};
use garner::padding::{Hash, pkcs1v15, pss};
use garner::signature::{self, Scheme};
use garner_openssl_common::held;
use garner_openssl_common::run::{self, Failure};
use garner_openssl_common::stack::with_room;
use garner_remote::message::{Fingerprint, Work};
use garner_remote::scheme::SignatureScheme;
use settings::Settings;
use std::ffi::{c_int, c_uchar, c_void};
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
                let salt = settings.salt(functions, bits, purpose, key.restriction())?;
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

    /// The signature by the daemon, which holds the key.
    fn sign_by_daemon(&mut self, modulus: Fingerprint, digest: &[u8]) -> Result<Output, Refusal> {
        let work = match self.plan(Purpose::Sign) {
            Some(Plan::Scheme(scheme)) => SignatureScheme::of(scheme).map(|scheme| Work::Sign { scheme, digest }),
            Some(Plan::Payload(None)) => Some(Work::SignUnnamed { payload: digest }),
            Some(Plan::Payload(Some(length))) if length == digest.len() => Some(Work::SignUnnamed { payload: digest }),
            Some(Plan::Raw) => Some(Work::Raw { input: digest }),
            _ => None,
        };
        held::ask(modulus, work, "signature").map_err(|failure| match failure {
            held::Failure::Refused(reason) => Refusal::Because(reason),
            held::Failure::Verification => garner::Error::Verification.into(),
        })
    }

    /// The signature, by Garner, or `None` for the default provider to make it.
    fn sign_by_garner(&mut self, digest: &[u8]) -> Result<Option<Output>, Refusal> {
        if let Some(modulus) = self.key.as_ref().and_then(|key| key.held()) {
            return self.sign_by_daemon(modulus, digest).map(Some);
        }
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

    /// A context of the default provider's with a key of its and this one's settings.
    fn fresh(
        &mut self,
        init: unsafe extern "C" fn(*mut c_void, *mut c_void, *const OSSL_PARAM) -> c_int,
        key: *mut c_void,
    ) -> Result<Inner, Refusal> {
        let fresh = inner(&self.provider)?;
        // SAFETY: a live context and a live key of the default provider's.
        told(unsafe { init(fresh.raw(), key, ptr::null()) })?;
        self.settings().give_to(&fresh)?;
        Ok(fresh)
    }

    /// The signature of `digest`, by the default provider.
    ///
    /// # Safety
    /// OpenSSL's buffers, as for `OSSL_FUNC_signature_sign`.
    unsafe fn sign_by_default(
        &mut self,
        signature: *mut c_uchar,
        length: *mut usize,
        size: usize,
        digest: &[u8],
    ) -> Result<c_int, Refusal> {
        let lent = self.key.as_ref().ok_or(Refusal::Told)?.lend()?;
        let fresh = self.fresh(table().sign_init, lent.key())?;
        // SAFETY: a live context; by this function's contract.
        Ok(unsafe { (table().sign)(fresh.raw(), signature, length, size, digest.as_ptr(), digest.len()) })
    }

    /// The next part of the message.
    fn update(&mut self, purpose: Purpose, data: &[u8]) -> Result<(), Refusal> {
        if let Message::Expected = self.message {
            let ours = self.plan(purpose).is_some_and(|plan| !matches!(plan, Plan::Raw));
            let provider = Arc::clone(&self.provider);
            let name = self.settings().digest();
            let digest = match purpose {
                // Whoever signs: by a digest that we have, a copy of the key can sign, see `blinding`.
                Purpose::Sign => provider.digests.begin_any(&provider.upstream, name),
                Purpose::Verify if ours => provider.digests.begin(name),
                Purpose::Verify => None,
            };
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
