// SPDX-License-Identifier: Apache-2.0
//! The keys that the daemon holds: a folder of files `NAME.pem`, readable by nobody else. Those that programs lend are in
//! [`lent`](crate::lent).

use crate::config::{Config, Fault};
use crate::policy::{Judge, Peer, People};
use garner::key::PrivateKey;
use garner_remote::message::{Fingerprint, KeyName, LONGEST as LONGEST_MESSAGE};
use garner_remote::stub;
use rustix::process::geteuid;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::Read;
use std::ops::Bound;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Longest key file in bytes.
const LONGEST: u64 = 1 << 16;

/// Most bytes of names in an answer.
const NAMES: usize = LONGEST_MESSAGE / 2;

/// A key, its name and who may use it.
#[derive(Debug)]
pub struct Entry {
    /// The name of its file without `.pem`.
    pub name: String,
    /// The key.
    pub key: Arc<PrivateKey>,
    /// Who may do what with it.
    pub judge: Judge,
}

/// All keys, and who may lend others.
#[derive(Debug)]
pub struct Keys {
    by_name: BTreeMap<String, Arc<Entry>>,
    by_modulus: HashMap<Fingerprint, Arc<Entry>>,
    /// Of every key that is lent.
    pub lending: Judge,
    /// How often a key may be made ready that nobody has lent yet, apart from operations.
    pub making: Judge,
    /// Whom any of these policies names.
    pub named: People,
}

impl Keys {
    /// Reads the folder, with the policies of the configuration, which is from `file`. Keys belong to one of `owners`.
    ///
    /// # Errors
    /// [`Fault`]: all keys are read or none is; a policy without a key is refused, too, for it may be a name misspelt.
    pub fn read(config: &Config, file: &Path, owners: &[u32]) -> Result<Keys, Fault> {
        let own = geteuid().as_raw();
        let lending = || Judge::new(&config.lend.policy(), own, file);
        let (lending, making) = (lending()?, lending()?);
        let mut named = People::default();
        named.add(&lending.people);
        let mut keys = Keys { by_name: BTreeMap::new(), by_modulus: HashMap::new(), lending, making, named };
        let folder = &config.keys;
        for item in fs::read_dir(folder).map_err(|error| Fault::of(folder, error))? {
            let path = item.map_err(|error| Fault::of(folder, error))?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".pem")) else { continue };
            if !stub::is_name(name) {
                return Err(Fault::of(&path, stub::NAMES));
            }
            let key = Arc::new(read(&path, owners)?);
            let modulus = stub::fingerprint_of(key.public()).map_err(|error| Fault::of(&path, error))?;
            let policy = config.key.get(name).cloned().unwrap_or_default();
            let judge = Judge::new(&policy, own, file)?;
            keys.named.add(&judge.people);
            let entry = Arc::new(Entry { name: name.to_owned(), key, judge });
            if let Some(other) = keys.by_modulus.insert(modulus, Arc::clone(&entry)) {
                return Err(Fault::of(&path, format!("is the same key as {}.pem", other.name)));
            }
            keys.by_name.insert(name.to_owned(), entry);
        }
        match config.key.keys().find(|name| !keys.by_name.contains_key(*name)) {
            Some(name) => {
                Err(Fault::of(file, format!("there is no key {name:?}: {name}.pem is not in {}", folder.display())))
            }
            None => Ok(keys),
        }
    }

    /// The key that is meant.
    pub fn find(&self, name: &KeyName<'_>) -> Option<&Arc<Entry>> {
        match name {
            KeyName::Modulus(fingerprint) => self.by_modulus.get(fingerprint),
            KeyName::Named(name) => self.by_name.get(*name),
        }
    }

    /// Names of keys that the client may use, a line each: those after `last`, as many as a message has room for.
    pub fn names_after(&self, last: &str, peer: Peer) -> Vec<u8> {
        let after = self.by_name.range::<str, _>((Bound::Excluded(last), Bound::Unbounded));
        let mut names = Vec::new();
        for (name, _) in after.filter(|(_, entry)| entry.judge.knows(peer)) {
            if names.len() + name.len() + 1 > NAMES {
                break;
            }
            names.extend_from_slice(name.as_bytes());
            names.push(b'\n');
        }
        names
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }
}

/// Whose files a daemon reads keys from: its own user's and root's. Root, who asks whether all is right for a daemon that runs as
/// another user, takes the owner of the folder for that.
///
/// # Errors
/// [`Fault`]: there is no such folder.
pub fn owners(folder: &Path, only_asks: bool) -> Result<Vec<u32>, Fault> {
    let own = geteuid();
    let mut owners = vec![0, own.as_raw()];
    if only_asks && own.is_root() {
        owners.push(fs::metadata(folder).map_err(|error| Fault::of(folder, error))?.uid());
    }
    Ok(owners)
}

/// Reads a key's file, which must be a plain file of an owner that no other may read or change.
fn read(path: &Path, owners: &[u32]) -> Result<PrivateKey, Fault> {
    let fault = |error: std::io::Error| Fault::of(path, error);
    let about = fs::symlink_metadata(path).map_err(fault)?;
    if !about.file_type().is_file() {
        return Err(Fault::of(path, "is not a file"));
    }
    let mut file = File::open(path).map_err(fault)?;
    let about = file.metadata().map_err(fault)?;
    if !owners.contains(&about.uid()) {
        return Err(Fault::of(path, format!("belongs to user {}, not to the daemon's or root", about.uid())));
    }
    if about.mode() & 0o077 != 0 {
        return Err(Fault::of(
            path,
            format!("others may read or change it (mode {:o}): chmod 600", about.mode() & 0o777),
        ));
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST as usize));
    file.by_ref().take(LONGEST).read_to_end(&mut bytes).map_err(fault)?;
    PrivateKey::read(&bytes, None).map_err(|error| Fault::of(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::rsa::Rsa;
    use std::os::unix::fs::PermissionsExt;

    /// Names as a client has them: asked for page by page.
    fn listed(keys: &Keys, uid: u32) -> (Vec<String>, usize) {
        let (mut names, mut pages) = (Vec::<String>::new(), 0);
        loop {
            let last = names.last().cloned().unwrap_or_default();
            let page = keys.names_after(&last, Peer { uid, gid: 9, pid: 1 });
            assert!(page.len() <= NAMES);
            if page.is_empty() {
                return (names, pages);
            }
            names.extend(String::from_utf8(page).unwrap().lines().map(str::to_owned));
            pages += 1;
        }
    }

    #[test]
    fn a_client_is_told_of_the_keys_that_it_may_use_and_of_no_other() {
        let folder = tempfile::tempdir().unwrap();
        // Names of 64 characters, so that there is more than a message has room for.
        let names: Vec<_> = (0..40).map(|i| format!("{i:02}{}", "n".repeat(62))).collect();
        for name in &names {
            let path = folder.path().join(format!("{name}.pem"));
            fs::write(&path, Rsa::generate(512).unwrap().private_key_to_pem().unwrap()).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        }
        let policy = format!("keys = {:?}\n[key.{}]\nusers = [5001]\n", folder.path(), names[7]);
        let keys = Keys::read(&toml::from_str(&policy).unwrap(), Path::new("policy"), &[geteuid().as_raw()]).unwrap();
        assert_eq!(listed(&keys, geteuid().as_raw()), (names.clone(), 2));
        assert_eq!(listed(&keys, 5001), (vec![names[7].clone()], 1));
        assert_eq!(listed(&keys, 5002), (Vec::new(), 0));
    }
}
