// SPDX-License-Identifier: Apache-2.0
//! Keys that programs lend. Each connection uses those that it lent, and no others; what is made of a key is there once for
//! all connections that lent the same one.

use garner::key::PrivateKey;
use garner::padding::Hash;
use garner_remote::message::{Fingerprint, Refusal};
use garner_remote::{sealed, stub};
use std::collections::{HashMap, VecDeque};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Keys that one connection has lent at most; the one that was not used for longest goes first. More than a batch has operations.
const OF_A_CONNECTION: usize = 64;

/// Different keys at most: of all connections, and first lent by one user.
const DIFFERENT: usize = 4096;
const OF_A_USER: usize = 1024;

/// The keys of one connection, the one that was used last at the end.
#[derive(Debug, Default)]
pub struct OfConnection(VecDeque<(Fingerprint, Arc<PrivateKey>)>);

impl OfConnection {
    /// The key of this modulus, which is used now.
    pub fn find(&mut self, modulus: &Fingerprint) -> Option<Arc<PrivateKey>> {
        let place = self.0.iter().position(|(lent, _)| lent == modulus)?;
        let found = self.0.remove(place)?;
        let key = Arc::clone(&found.1);
        self.0.push_back(found);
        Some(key)
    }

    /// Adds a key.
    pub fn add(&mut self, modulus: Fingerprint, key: Arc<PrivateKey>) {
        self.0.retain(|(lent, _)| *lent != modulus);
        if self.0.len() == OF_A_CONNECTION {
            self.0.pop_front();
        }
        self.0.push_back((modulus, key));
    }

    /// Forgets all of them.
    pub fn forget(&mut self) {
        self.0.clear();
    }
}

/// The keys of all connections, by the hash of all of their numbers: only who has a key finds it.
#[derive(Debug, Default)]
pub struct Lent(Mutex<HashMap<[u8; 32], Known>>);

#[derive(Debug)]
struct Known {
    key: Weak<PrivateKey>,
    modulus: Fingerprint,
    /// Who lent it first.
    user: u32,
}

impl Known {
    /// The key, if a connection still has it, and its modulus.
    fn of(&self) -> Option<(Arc<PrivateKey>, Fingerprint)> {
        Some((self.key.upgrade()?, self.modulus))
    }
}

impl Lent {
    /// The key in a file that came with a request of this user, which said that it has this modulus. One that is new is made ready
    /// if `makes` allows it, which takes as long as an operation.
    ///
    /// # Errors
    /// [`Refusal`]: the file has no such key, or too many are lent; that of `makes`.
    pub fn take(
        &self,
        file: impl AsFd,
        modulus: &Fingerprint,
        user: u32,
        makes: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<Arc<PrivateKey>, Refusal> {
        let refused = |reason: String| Refusal::Argument { name: "key".to_owned(), reason };
        let failed = |error: garner::Error| Refusal::Failed(error.to_string());
        let der = sealed::read(file).map_err(refused)?;
        let digest = Hash::Sha256.digest(&der).map_err(failed)?;
        let digest = digest[..].try_into().expect("SHA-256 has 32 bytes");
        let another = || refused("has another modulus".to_owned());
        let known = self.keys().get(&digest).and_then(Known::of);
        if let Some((key, known)) = known {
            return if known == *modulus { Ok(key) } else { Err(another()) };
        }
        makes()?;
        // Nobody else waits meanwhile. Two may do this at once, and the first is kept.
        let key = Arc::new(sealed::key(&der).map_err(refused)?);
        if stub::fingerprint_of(key.public()).map_err(failed)? != *modulus {
            return Err(another());
        }
        let mut keys = self.keys();
        if let Some((first, _)) = keys.get(&digest).and_then(Known::of) {
            return Ok(first);
        }
        if keys.len() >= OF_A_USER {
            keys.retain(|_, known| known.key.strong_count() > 0);
        }
        let of_user = || keys.values().filter(|known| known.user == user).count();
        if keys.len() >= DIFFERENT || keys.len() >= OF_A_USER && of_user() >= OF_A_USER {
            return Err(Refusal::TooMany);
        }
        keys.insert(digest, Known { key: Arc::downgrade(&key), modulus: *modulus, user });
        Ok(key)
    }

    fn keys(&self) -> MutexGuard<'_, HashMap<[u8; 32], Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Different keys that are lent now.
    pub fn count(&self) -> usize {
        self.keys().values().filter(|known| known.key.strong_count() > 0).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::rsa::Rsa;

    fn key() -> PrivateKey {
        PrivateKey::from_der(&Rsa::generate(512).unwrap().private_key_to_der().unwrap()).unwrap()
    }

    fn lend(lent: &Lent, key: &PrivateKey) -> Result<Arc<PrivateKey>, Refusal> {
        lend_as(7, lent, key)
    }

    fn lend_as(user: u32, lent: &Lent, key: &PrivateKey) -> Result<Arc<PrivateKey>, Refusal> {
        lent.take(sealed::sealed(key).unwrap(), &stub::fingerprint_of(key.public()).unwrap(), user, || Ok(()))
    }

    /// As if the user had lent so many more, which are there while `key` is.
    fn fill(lent: &Lent, user: u32, count: usize, key: &Arc<PrivateKey>) {
        for number in 0..count {
            let mut digest = [user as u8; 32];
            digest[..8].copy_from_slice(&(number as u64).to_le_bytes());
            lent.keys().insert(digest, Known { key: Arc::downgrade(key), modulus: [0; 32], user });
        }
    }

    #[test]
    fn a_user_lends_so_many_different_keys_and_takes_no_other_users_place() {
        let (lent, own, many) = (Lent::default(), key(), Arc::new(key()));
        fill(&lent, 7, OF_A_USER - 1, &many);
        let last = lend_as(7, &lent, &own).unwrap();
        assert!(matches!(lend_as(7, &lent, &key()), Err(Refusal::TooMany)));
        assert!(Arc::ptr_eq(&lend_as(7, &lent, &own).unwrap(), &last), "one that is there is no more");
        lend_as(8, &lent, &key()).unwrap();
        drop(many);
        lend_as(7, &lent, &key()).unwrap();
    }

    #[test]
    fn all_users_lend_so_many_different_keys() {
        let (lent, many) = (Lent::default(), Arc::new(key()));
        (1..=4).for_each(|user| fill(&lent, user, DIFFERENT / 4, &many));
        assert!(matches!(lend_as(9, &lent, &key()), Err(Refusal::TooMany)));
        drop(many);
        lend_as(9, &lent, &key()).unwrap();
    }

    #[test]
    fn a_key_that_is_lent_twice_is_there_once_and_gone_with_its_last_connection() {
        let (lent, key) = (Lent::default(), key());
        let (first, second) = (lend(&lent, &key).unwrap(), lend(&lent, &key).unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(lent.count(), 1);
        drop((first, second));
        assert_eq!(lent.count(), 0);
    }

    #[test]
    fn a_key_of_another_modulus_than_its_request_says_is_refused() {
        let refusal = Lent::default().take(sealed::sealed(&key()).unwrap(), &[7; 32], 7, || Ok(())).unwrap_err();
        assert_eq!(refusal, Refusal::Argument { name: "key".to_owned(), reason: "has another modulus".to_owned() });
    }

    #[test]
    fn a_connection_keeps_the_keys_that_it_lent_last() {
        let (mut keys, key) = (OfConnection::default(), Arc::new(key()));
        for number in 0..=OF_A_CONNECTION {
            keys.add([number as u8; 32], Arc::clone(&key));
            keys.add([number as u8; 32], Arc::clone(&key));
        }
        assert!(keys.find(&[0; 32]).is_none());
        assert!((1..=OF_A_CONNECTION).all(|number| keys.find(&[number as u8; 32]).is_some()));
    }
}
