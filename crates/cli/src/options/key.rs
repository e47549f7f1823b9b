// SPDX-License-Identifier: Apache-2.0
//! Key files on the command line.

use super::held::Held;
use super::password::Password;
use crate::failure::{Failure, Of};
use crate::files::Input;
use clap::Args;
use garner::error::Error;
use garner::key::{PrivateKey, PublicKey};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Longest key file, in bytes: certificates and comments beside the key included.
pub const LONGEST: usize = 1 << 20;

/// One key.
#[derive(Args)]
pub struct Key {
    /// The key file: PEM or DER, PKCS#1 or PKCS#8, encrypted or not. garner:NAME, or the stub of a key: that key of
    /// garnerd's
    #[arg(long, short, value_name = "FILE")]
    key: PathBuf,

    #[command(flatten)]
    password: Password,
}

/// Who does the private operations of a key.
#[derive(Clone)]
pub enum Holder {
    /// This process.
    Here(Arc<PrivateKey>),
    /// The daemon.
    Daemon(Arc<Held>),
}

impl Holder {
    /// The public half.
    pub fn public(&self) -> &Arc<PublicKey> {
        match self {
            Holder::Here(key) => key.public(),
            Holder::Daemon(held) => held.public(),
        }
    }
}

impl Key {
    /// The private key, or who has it.
    pub fn holder(&self) -> Result<Holder, Failure> {
        holder(&self.key, &self.password)
    }

    /// The public key, or the public half of a private one.
    pub fn public(&self) -> Result<Arc<PublicKey>, Failure> {
        public(&self.key, &self.password)
    }
}

/// The private key of a file, or of garnerd's: by its name, or by a stub in the file.
pub fn holder(path: &Path, password: &Password) -> Result<Holder, Failure> {
    match held_or_content(path)? {
        Found::Held(held) => Ok(Holder::Daemon(Arc::new(held))),
        Found::Content(content, name) => parse(&content, name, password, PrivateKey::read).map(Holder::Here),
    }
}

/// The public key of a file or of garnerd's, or the public half of a private one.
pub fn public(path: &Path, password: &Password) -> Result<Arc<PublicKey>, Failure> {
    match held_or_content(path)? {
        Found::Held(held) => Ok(Arc::clone(held.public())),
        Found::Content(content, name) => parse(&content, name, password, PublicKey::read),
    }
}

/// Reads a private key, which has to be in the file.
pub fn private(path: &Path, password: &Password) -> Result<Arc<PrivateKey>, Failure> {
    let (content, name) = content(path)?;
    parse(&content, name, password, PrivateKey::read)
}

/// What stands behind a key's option.
enum Found {
    Held(Held),
    /// A file's bytes, and its name for people.
    Content(Zeroizing<Vec<u8>>, String),
}

fn held_or_content(path: &Path) -> Result<Found, Failure> {
    if let Some(held) = Held::named(path)? {
        return Ok(Found::Held(held));
    }
    let (content, name) = content(path)?;
    Ok(match Held::of_stub(&content, &name)? {
        Some(held) => Found::Held(held),
        None => Found::Content(content, name),
    })
}

/// Makes a key of a file's content and a password.
type Reader<K> = fn(&[u8], Option<&[u8]>) -> Result<K, Error>;

/// A key file's bytes, and its name for people.
fn content(path: &Path) -> Result<(Zeroizing<Vec<u8>>, String), Failure> {
    let input = Input::open(Some(path), "the key")?;
    let name = input.name().to_owned();
    Ok((input.read_all(LONGEST)?, name))
}

fn parse<K>(content: &[u8], name: String, password: &Password, read: Reader<K>) -> Result<Arc<K>, Failure> {
    // Nobody is asked for a password that is not needed.
    let key = match read(content, None) {
        Err(Error::NoPassword) => read(content, Some(&password.to_read(&name)?)),
        other => other,
    };
    Ok(Arc::new(key.of(name)?))
}
