// SPDX-License-Identifier: Apache-2.0
//! The configuration file: TOML, every name of it known.

use garner_remote::scheme::Padding;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Why the daemon cannot start, or goes on with what it had.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", subject.display())]
pub struct Fault {
    /// The file or folder.
    pub subject: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl Fault {
    /// A fault of this file or folder.
    pub fn of(subject: &Path, reason: impl ToString) -> Fault {
        Fault { subject: subject.to_owned(), reason: reason.to_string() }
    }
}

/// All that may be configured.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where to listen, unless the system's manager hands a socket over.
    pub socket: PathBuf,
    /// The folder of key files, `NAME.pem` each.
    pub keys: PathBuf,
    /// Where figures are given as OpenMetrics: paths of Unix sockets, or addresses with ports. Beside what the system's manager
    /// hands over.
    pub metrics: Vec<String>,
    /// Most connections at once.
    pub connections: usize,
    /// Most connections of one user.
    pub connections_per_user: usize,
    /// How long a batch lets other processes have the processor while clients are expected to ask, in microseconds; 0 for not
    /// at all.
    pub linger_us: u64,
    /// How much the daemon gives way to other processes, from 0 to 19, if it was not started with more. Counts from its next start.
    #[serde(deserialize_with = "niceness")]
    pub nice: i32,
    /// Who may do what with a key, by its name.
    pub key: BTreeMap<String, Policy>,
    /// Who may have operations done with keys of their own.
    pub lend: Lend,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            socket: garner_remote::client::SOCKET.into(),
            keys: "/etc/garner/keys".into(),
            metrics: Vec::new(),
            connections: 4096,
            connections_per_user: 2048,
            linger_us: 1000,
            nice: 5,
            key: BTreeMap::new(),
            lend: Lend::default(),
        }
    }
}

/// Who may do what with a key. Without users and groups only root and the daemon's own user may use it.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Names of users, or their numbers.
    pub users: Vec<Name>,
    /// Names of groups, or their numbers.
    pub groups: Vec<Name>,
    /// What they may do.
    pub operations: Vec<Operation>,
    /// With which paddings.
    pub paddings: Vec<Padding>,
    /// How often a second each user may; without, as often as he likes.
    pub per_second: Option<u32>,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            users: Vec::new(),
            groups: Vec::new(),
            operations: vec![Operation::Sign, Operation::Decrypt],
            paddings: vec![Padding::Pkcs1v15, Padding::Pss, Padding::Oaep],
            per_second: None,
        }
    }
}

/// Who may lend keys. Without users and groups only root and the daemon's own user may.
#[derive(Debug, Clone, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields, default)]
pub struct Lend {
    /// Names of users, or their numbers.
    pub users: Vec<Name>,
    /// Names of groups, or their numbers.
    pub groups: Vec<Name>,
    /// How many operations a second each user may have done; without, as many as he likes.
    pub per_second: Option<u32>,
}

impl Lend {
    /// The policy of each key that is lent: the private operation itself, as its owner does the rest.
    pub fn policy(&self) -> Policy {
        Policy {
            users: self.users.clone(),
            groups: self.groups.clone(),
            operations: vec![Operation::Raw],
            paddings: Vec::new(),
            per_second: self.per_second,
        }
    }
}

/// A user or group.
#[derive(Debug, Clone, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
pub enum Name {
    /// By number.
    Number(u32),
    /// By name.
    Name(String),
}

/// What may be done with a key.
#[derive(Debug, Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Signatures.
    Sign,
    /// Decryptions.
    Decrypt,
    /// The private operation itself, of any block.
    Raw,
}

fn niceness<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    match i32::deserialize(deserializer)? {
        nice @ 0..=19 => Ok(nice),
        other => Err(Error::custom(format!("nice = {other}: must be from 0 to 19"))),
    }
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// [`Fault`]: it cannot be read, is no TOML, or says something unknown.
    pub fn read(path: &Path) -> Result<Config, Fault> {
        let text = fs::read_to_string(path).map_err(|error| Fault::of(path, error))?;
        toml::from_str(&text).map_err(|error| Fault::of(path, error.to_string().trim_end()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_has_its_default() {
        let config: Config = toml::from_str("[key.www]\nusers = ['www-data', 1000]\noperations = ['sign']\n").unwrap();
        assert_eq!((config.linger_us, config.nice), (1000, 5));
        let policy = &config.key["www"];
        assert_eq!(policy.users, [Name::Name("www-data".to_owned()), Name::Number(1000)]);
        assert_eq!(policy.operations, [Operation::Sign]);
        assert_eq!(policy.paddings, Policy::default().paddings);
    }

    #[test]
    fn what_is_not_known_is_refused_by_name() {
        for (text, named) in [
            ("sockt = '/run/s'", "sockt"),
            ("[key.www]\nuser = ['a']", "user"),
            ("[key.www]\noperations = ['verify']", "verify"),
            ("[key.www]\npaddings = ['x931']", "x931"),
            ("connections = -1", "-1"),
            ("nice = 20", "nice = 20: must be from 0 to 19"),
            ("nice = -1", "nice = -1: must be from 0 to 19"),
        ] {
            let error = toml::from_str::<Config>(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
