// SPDX-License-Identifier: Apache-2.0
//! Keys that garnerd holds, on the command line: `garner:NAME`, or a stub in place of a key file.

use crate::failure::{Failure, Of};
use garner::encryption;
use garner::key::PublicKey;
use garner::secret::Wiped;
use garner::signature;
use garner_remote::message::{Fingerprint, KeyName, Refusal, Work};
use garner_remote::scheme::{EncryptionScheme, SignatureScheme};
use garner_remote::{Client, Error, stub};
use std::path::Path;
use std::sync::Arc;

const PREFIX: &str = "garner:";

/// A key of the daemon's.
pub struct Held {
    client: Client,
    modulus: Fingerprint,
    public: Arc<PublicKey>,
    /// For people.
    name: String,
}

impl Held {
    /// The key that `garner:NAME` means; `None` for a path.
    pub fn named(path: &Path) -> Result<Option<Held>, Failure> {
        let Some(name) = path.to_str().and_then(|path| path.strip_prefix(PREFIX)) else { return Ok(None) };
        if !stub::is_name(name) {
            return Err(Failure::Usage(format!(
                "{PREFIX}{name}: {}; a file of that name is ./{PREFIX}{name}",
                stub::NAMES
            )));
        }
        let client = Client::from_environment();
        let der = client.call(KeyName::Named(name), Work::Describe).of(path.display())?;
        let public = PublicKey::from_der(&der).of(path.display())?;
        Held::new(client, public, path.display().to_string()).map(Some)
    }

    /// The key that a stub stands for; `None` for anything else.
    pub fn of_stub(content: &[u8], name: &str) -> Result<Option<Held>, Failure> {
        let Some(stub) = stub::read(content) else { return Ok(None) };
        let public = stub.public().of(name)?;
        Held::new(Client::from_environment(), public, format!("{name} ({PREFIX}{})", stub.name)).map(Some)
    }

    fn new(client: Client, public: PublicKey, name: String) -> Result<Held, Failure> {
        let modulus = stub::fingerprint_of(&public).of(&name)?;
        Ok(Held { client, modulus, public: Arc::new(public), name })
    }

    /// The public half.
    pub fn public(&self) -> &Arc<PublicKey> {
        &self.public
    }

    /// Signs a digest.
    pub fn sign(&self, scheme: signature::Scheme, digest: &[u8]) -> Result<Vec<u8>, Failure> {
        let scheme = SignatureScheme::of(scheme).ok_or_else(|| self.unknown())?;
        self.ask(Work::Sign { scheme, digest }).map(Wiped::into_public).of(&self.name)
    }

    /// Decrypts; `None` for a ciphertext that does not decrypt.
    pub fn decrypt(&self, scheme: encryption::Scheme<'_>, ciphertext: &[u8]) -> Result<Option<Wiped<u8>>, Failure> {
        let work = match (scheme, EncryptionScheme::of(scheme)) {
            (encryption::Scheme::Raw, _) => Work::Raw { input: ciphertext },
            (_, Some(scheme)) => Work::Decrypt { scheme, ciphertext },
            (_, None) => return Err(self.unknown()),
        };
        match self.ask(work) {
            Ok(message) => Ok(Some(message)),
            Err(Error::Refused(Refusal::Verification)) => Ok(None),
            Err(other) => Err(other).of(&self.name),
        }
    }

    fn ask(&self, work: Work<'_>) -> Result<Wiped<u8>, Error> {
        self.client.call(KeyName::Modulus(self.modulus), work)
    }

    fn unknown(&self) -> Failure {
        Failure::Usage(format!("{}: garnerd does not do this for its clients", self.name))
    }
}
