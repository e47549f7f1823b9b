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
pub enum Holder {
    /// This process.
    Here(Arc<PrivateKey>),
    /// The daemon.
    Daemon(Held),
}

impl Key {
    /// The private key, or who has it.
    pub fn holder(&self) -> Result<Holder, Failure> {
        if let Some(held) = Held::named(&self.key)? {
            return Ok(Holder::Daemon(held));
        }
        let (content, name) = content(&self.key)?;
        if let Some(held) = Held::of_stub(&content, &name)? {
            return Ok(Holder::Daemon(held));
        }
        parse(&content, name, &self.password, PrivateKey::read).map(Holder::Here)
    }

    /// The public key, or the public half of a private one.
    pub fn public(&self) -> Result<Arc<PublicKey>, Failure> {
        if let Some(held) = Held::named(&self.key)? {
            return Ok(Arc::clone(held.public()));
        }
        let (content, name) = content(&self.key)?;
        match Held::of_stub(&content, &name)? {
            Some(held) => Ok(Arc::clone(held.public())),
            None => parse(&content, name, &self.password, PublicKey::read),
        }
    }
}

/// Reads a private key.
pub fn private(path: &Path, password: &Password) -> Result<Arc<PrivateKey>, Failure> {
    read(path, password, PrivateKey::read)
}

/// Reads a public key, or the public half of a private one.
pub fn public(path: &Path, password: &Password) -> Result<Arc<PublicKey>, Failure> {
    read(path, password, PublicKey::read)
}

/// Makes a key of a file's content and a password.
type Reader<K> = fn(&[u8], Option<&[u8]>) -> Result<K, Error>;

fn read<K>(path: &Path, password: &Password, read: Reader<K>) -> Result<Arc<K>, Failure> {
    let (content, name) = content(path)?;
    parse(&content, name, password, read)
}

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
