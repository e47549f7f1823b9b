// SPDX-License-Identifier: Apache-2.0
//! Which key a line is signed with, or verified: the one there is, or the one it names.

use crate::failure::Failure;
use crate::options::key::{here_or_held, public};
use crate::options::password::Password;
use garner::key::PublicKey;
use garner_remote as remote;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// A key for the work at hand: private to sign, public to verify.
pub trait Key: Clone + Send + 'static {
    /// Reads one.
    fn read(path: &Path, password: &Password) -> Result<Self, Failure>;

    /// Its public half.
    fn public(&self) -> &Arc<PublicKey>;
}

impl Key for remote::Key {
    fn read(path: &Path, password: &Password) -> Result<Self, Failure> {
        here_or_held(path, password)
    }

    fn public(&self) -> &Arc<PublicKey> {
        remote::Key::public(self)
    }
}

impl Key for Arc<PublicKey> {
    fn read(path: &Path, password: &Password) -> Result<Self, Failure> {
        public(path, password)
    }

    fn public(&self) -> &Arc<PublicKey> {
        self
    }
}

/// The keys.
pub enum Keys<K> {
    /// One for all lines.
    One(K),
    /// By their names, with which the lines begin.
    Named(HashMap<Vec<u8>, K>),
}

impl<K: Key> Keys<K> {
    /// Reads `FILE`, or one `NAME=FILE` after the other.
    pub fn read(options: &[String], password: &Password) -> Result<Keys<K>, Failure> {
        let named = |option: &String| {
            option.split_once('=').filter(|(name, _)| !name.contains('/')).map(|(a, b)| (a.to_owned(), b.to_owned()))
        };
        if let ([option], None) = (options, named(&options[0])) {
            return Ok(Keys::One(K::read(Path::new(option), password)?));
        }
        let mut keys = HashMap::new();
        for option in options {
            let usage = |reason: &str| Failure::Usage(format!("--key {option}: {reason}"));
            let (name, file) = named(option).ok_or_else(|| usage("of several keys each needs a name: NAME=FILE"))?;
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(usage("a name has at least one character and no white space"));
            }
            if keys.insert(name.into_bytes(), K::read(Path::new(&file), password)?).is_some() {
                return Err(usage("the name is taken already"));
            }
        }
        Ok(Keys::Named(keys))
    }

    /// The key of a line, and the rest of it.
    pub fn of<'a>(&self, line: &'a [u8]) -> Result<(&K, &'a [u8]), String> {
        match self {
            Keys::One(key) => Ok((key, line)),
            Keys::Named(keys) => {
                let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
                let (name, rest) = line.split_at(end);
                let key = keys.get(name);
                let unknown = || format!("key: there is none named \"{}\"", String::from_utf8_lossy(name));
                Ok((key.ok_or_else(unknown)?, rest.trim_ascii_start()))
            }
        }
    }
}
