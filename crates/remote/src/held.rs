// SPDX-License-Identifier: Apache-2.0
//! A key that the daemon holds.

use crate::client::Client;
use crate::error::Error;
use crate::message::{Fingerprint, KeyName, Work};
use crate::scheme::{self, EncryptionScheme, SignatureScheme};
use crate::stub;
use garner::gather::{Operation, Output};
use garner::key::PublicKey;
use garner::{encryption, signature};
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Instant;
use zeroize::Zeroizing;

/// More keys than a daemon holds.
const MOST_NAMES: usize = 65_536;

/// A private key of which this process has the public half, and the daemon both. What it is asked for, it asks the daemon for,
/// and waits.
#[derive(Debug)]
pub struct HeldKey {
    client: &'static Client,
    modulus: Fingerprint,
    public: Arc<PublicKey>,
}

impl HeldKey {
    /// The key with this public half, at the daemon of [`Client::of_process`].
    ///
    /// # Errors
    /// [`Error::Here`]: libcrypto cannot compute the hash by which the daemon finds it.
    pub fn new(public: PublicKey) -> Result<HeldKey, Error> {
        let modulus = stub::fingerprint_of(&public)?;
        Ok(HeldKey { client: Client::of_process(), modulus, public: Arc::new(public) })
    }

    /// The key that the daemon calls so. It is asked for the public half.
    ///
    /// # Errors
    /// [`Error::Here`] for what is no name of a key; those of [`Client::call`].
    pub fn named(name: &str) -> Result<HeldKey, Error> {
        if !stub::is_name(name) {
            return Err(garner::Error::argument("name", stub::NAMES).into());
        }
        let der = Client::of_process().call(KeyName::Named(name), Work::Describe)?;
        HeldKey::new(PublicKey::from_der(&der).map_err(|_| Error::Malformed)?)
    }

    /// The key that a stub stands for; `None` for anything else. The daemon need not run yet.
    ///
    /// # Errors
    /// [`Error::Here`]: the stub's numbers are no key's.
    pub fn of_stub(content: &[u8]) -> Option<Result<HeldKey, Error>> {
        let stub = stub::read(content)?;
        Some(stub.public().map_err(Error::from).and_then(HeldKey::new))
    }

    /// The names of all keys that the daemon lets this process use.
    ///
    /// # Errors
    /// Those of [`Client::call`].
    pub fn names() -> Result<Vec<String>, Error> {
        let (client, start) = (Client::of_process(), Instant::now());
        let mut names: Vec<String> = Vec::new();
        loop {
            let last = names.last().map_or("", String::as_str);
            let more = client.call(KeyName::Named(last), Work::List)?;
            let more = std::str::from_utf8(&more).map_err(|_| Error::Malformed)?;
            if more.is_empty() {
                return Ok(names);
            }
            if names.len() > MOST_NAMES || start.elapsed() > client.patience {
                return Err(Error::Malformed);
            }
            let before = names.len();
            names.extend(more.lines().filter(|name| stub::is_name(name)).map(str::to_owned));
            // They come in order; else there could be no end.
            let in_order = names[before.saturating_sub(1)..].is_sorted_by(|one, next| one < next);
            if names.len() == before || !in_order {
                return Err(Error::Malformed);
            }
        }
    }

    /// What the daemon finds it by.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        self.modulus
    }

    /// The modulus, big-endian.
    pub fn modulus(&self) -> Vec<u8> {
        stub::big_endian(self.public.modulus().words())
    }

    /// The public exponent, big-endian.
    pub fn public_exponent(&self) -> Vec<u8> {
        stub::big_endian(self.public.exponent())
    }

    /// The public half.
    pub fn public(&self) -> &Arc<PublicKey> {
        &self.public
    }

    /// The signature of a digest: as many bytes as the modulus has.
    ///
    /// # Errors
    /// [`Error`]; a digest or modulus of the wrong length is [`Error::Here`].
    pub fn sign(&self, scheme: signature::Scheme, digest: &[u8]) -> Result<Output, Error> {
        signature::fits(&self.public, scheme, digest)?;
        let scheme = SignatureScheme::of(scheme).ok_or(Error::Unsupported("signatures of this kind"))?;
        let size = self.public.size();
        self.ask(Work::Sign { scheme, digest }, size..=size)
    }

    /// The signature by PKCS#1 v1.5 around `payload`, which has the name of a hash in it, or, as in TLS 1.1, none: as many bytes
    /// as the modulus.
    ///
    /// # Errors
    /// [`Error`].
    pub fn sign_unnamed(&self, payload: &[u8]) -> Result<Output, Error> {
        let size = self.public.size();
        self.ask(Work::SignUnnamed { payload }, size..=size)
    }

    /// The message of a ciphertext. [`Raw`](encryption::Scheme::Raw) is [`HeldKey::private`].
    ///
    /// # Errors
    /// [`Error`]; a ciphertext that does not decrypt is [`Refusal::Verification`](crate::message::Refusal::Verification) or,
    /// where its length says so, [`Error::Here`].
    pub fn decrypt(&self, scheme: encryption::Scheme<'_>, ciphertext: &[u8]) -> Result<Output, Error> {
        if ciphertext.len() != self.public.size() {
            return Err(garner::Error::Verification.into());
        }
        if scheme == encryption::Scheme::Raw {
            return self.private(ciphertext);
        }
        let longest = scheme.longest_message(self.public.size())?;
        let asked = EncryptionScheme::of(scheme).ok_or(Error::Unsupported("decryptions of this kind"))?;
        scheme::opened(scheme, self.ask(Work::Decrypt { scheme: asked, ciphertext }, 0..=longest)?)
    }

    /// input^d mod n, for whom the key's policy permits it: as many bytes as the modulus has. `input` is big-endian, of any length,
    /// its value below n.
    ///
    /// # Errors
    /// [`Error`]; an input that is not below the modulus is [`Error::Here`].
    pub fn private(&self, input: &[u8]) -> Result<Output, Error> {
        Operation::public(&self.public, input)?;
        let size = self.public.size();
        // As long as the modulus; what goes beyond are zeros, as was just seen.
        let number = &input[input.len().saturating_sub(size)..];
        let mut block = Zeroizing::new(vec![0; size]);
        block[size - number.len()..].copy_from_slice(number);
        self.ask(Work::Raw { input: &block }, size..=size)
    }

    /// Asks for an answer of a length that there can be.
    fn ask(&self, work: Work<'_>, lengths: RangeInclusive<usize>) -> Result<Output, Error> {
        let answer = self.client.call(KeyName::Modulus(self.modulus), work)?;
        if lengths.contains(&answer.len()) { Ok(answer) } else { Err(Error::Malformed) }
    }
}
