// SPDX-License-Identifier: Apache-2.0
//! Key files on the command line.

use super::password::Password;
use crate::failure::{Failure, Of};
use crate::files::Input;
use clap::Args;
use garner::error::Error;
use garner::key::{PrivateKey, PublicKey};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Longest key file, in bytes: certificates and comments beside the key included.
pub const LONGEST: usize = 1 << 20;

/// One key file.
#[derive(Args)]
pub struct Key {
    /// The key file: PEM or DER, PKCS#1 or PKCS#8, encrypted or not
    #[arg(long, short, value_name = "FILE")]
    key: PathBuf,

    #[command(flatten)]
    password: Password,
}

impl Key {
    /// The private key.
    pub fn private(&self) -> Result<Arc<PrivateKey>, Failure> {
        private(&self.key, &self.password)
    }

    /// The public key, or the public half of a private one.
    pub fn public(&self) -> Result<Arc<PublicKey>, Failure> {
        public(&self.key, &self.password)
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
    let input = Input::open(Some(path), "the key")?;
    let name = input.name().to_owned();
    let content = input.read_all(LONGEST)?;
    // Nobody is asked for a password that is not needed.
    let key = match read(&content, None) {
        Err(Error::NoPassword) => read(&content, Some(&password.to_read(&name)?)),
        other => other,
    };
    Ok(Arc::new(key.of(name)?))
}
