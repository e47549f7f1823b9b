// SPDX-License-Identifier: Apache-2.0
//! Key files on the command line.

use super::password::Password;
use crate::failure::{Failure, Of};
use crate::files::Input;
use clap::Args;
use garner::error::Error;
use garner::key::{PrivateKey, PublicKey};
use garner_remote::{self as remote, HeldKey, stub};
use std::path::{Display, Path, PathBuf};
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

/// What a key of garnerd's begins with.
const PREFIX: &str = "garner:";

impl Key {
    /// The private key, here or garnerd's.
    pub fn private(&self) -> Result<remote::Key, Failure> {
        here_or_held(&self.key, &self.password)
    }

    /// For people.
    pub fn name(&self) -> Display<'_> {
        self.key.display()
    }

    /// The public key, or the public half of a private one.
    pub fn public(&self) -> Result<Arc<PublicKey>, Failure> {
        public(&self.key, &self.password)
    }
}

/// The private key of a file, or of garnerd's: by its name, or by a stub in the file.
pub fn here_or_held(path: &Path, password: &Password) -> Result<remote::Key, Failure> {
    if let Some(held) = named(path)? {
        return Ok(remote::Key::Held(Arc::new(held)));
    }
    let (content, name) = content(path)?;
    parse(&content, name, password, remote::Key::read)
}

/// The public key of a file or of garnerd's, or the public half of a private one.
pub fn public(path: &Path, password: &Password) -> Result<Arc<PublicKey>, Failure> {
    if let Some(held) = named(path)? {
        return Ok(Arc::clone(held.public()));
    }
    let (content, name) = content(path)?;
    parse(&content, name, password, remote::key::read_public)
}

/// Reads a private key, which has to be in the file.
pub fn private(path: &Path, password: &Password) -> Result<Arc<PrivateKey>, Failure> {
    let (content, name) = content(path)?;
    parse(&content, name, password, PrivateKey::read).map(Arc::new)
}

/// The key of garnerd's that `garner:NAME` means; `None` for a path.
fn named(path: &Path) -> Result<Option<HeldKey>, Failure> {
    let Some(name) = path.to_str().and_then(|path| path.strip_prefix(PREFIX)) else { return Ok(None) };
    if !stub::is_name(name) {
        let reason = format!("{PREFIX}{name}: {}; a file of that name is ./{PREFIX}{name}", stub::NAMES);
        return Err(Failure::Usage(reason));
    }
    HeldKey::named(name).of(path.display()).map(Some)
}

/// Makes a key of a file's content and a password.
type Reader<K> = fn(&[u8], Option<&[u8]>) -> Result<K, Error>;

/// A key file's bytes, and its name for people.
fn content(path: &Path) -> Result<(Zeroizing<Vec<u8>>, String), Failure> {
    let input = Input::open(Some(path), "the key")?;
    let name = input.name().to_owned();
    Ok((input.read_all(LONGEST)?, name))
}

fn parse<K>(content: &[u8], name: String, password: &Password, read: Reader<K>) -> Result<K, Failure> {
    // Nobody is asked for a password that is not needed.
    let key = match read(content, None) {
        Err(Error::NoPassword) => read(content, Some(&password.to_read(&name)?)),
        other => other,
    };
    key.of(name)
}
