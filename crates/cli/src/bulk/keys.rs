// SPDX-License-Identifier: Apache-2.0
//! Which key a line is signed with: the one there is, or the one it names.

use crate::failure::Failure;
use crate::options::key::private;
use crate::options::password::Password;
use garner::key::PrivateKey;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// The keys.
pub enum Keys {
    /// One for all lines.
    One(Arc<PrivateKey>),
    /// By their names, with which the lines begin.
    Named(HashMap<Vec<u8>, Arc<PrivateKey>>),
}

impl Keys {
    /// Reads `FILE`, or one `NAME=FILE` after the other.
    pub fn read(options: &[String], password: &Password) -> Result<Keys, Failure> {
        let named = |option: &String| {
            option.split_once('=').filter(|(name, _)| !name.contains('/')).map(|(a, b)| (a.to_owned(), b.to_owned()))
        };
        if let ([option], None) = (options, named(&options[0])) {
            return Ok(Keys::One(private(Path::new(option), password)?));
        }
        let mut keys = HashMap::new();
        for option in options {
            let usage = |reason: &str| Failure::Usage(format!("--key {option}: {reason}"));
            let (name, file) = named(option).ok_or_else(|| usage("of several keys each needs a name: NAME=FILE"))?;
            if name.is_empty() || name.contains(char::is_whitespace) {
                return Err(usage("a name has at least one character and no white space"));
            }
            if keys.insert(name.into_bytes(), private(Path::new(&file), password)?).is_some() {
                return Err(usage("the name is taken already"));
            }
        }
        Ok(Keys::Named(keys))
    }

    /// The key of a line, and the rest of it.
    pub fn of<'a>(&self, line: &'a [u8]) -> Result<(&Arc<PrivateKey>, &'a [u8]), String> {
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
