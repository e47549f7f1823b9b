// SPDX-License-Identifier: Apache-2.0
//! Keys that programs lend. Each connection uses those that it lent, and no others; what is made of a key is there once for
//! all connections that lent the same one.

use garner::key::PrivateKey;
use garner::padding::Hash;
use garner_remote::message::{Fingerprint, Refusal};
use garner_remote::{sealed, stub};
use std::collections::{HashMap, VecDeque};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Keys that one connection has lent at most; the one that it lent first goes first. More than a batch has operations.
const OF_A_CONNECTION: usize = 64;

/// Different keys of all connections at most.
const DIFFERENT: usize = 4096;

/// The keys of one connection.
#[derive(Debug, Default)]
pub struct OfConnection(VecDeque<(Fingerprint, Arc<PrivateKey>)>);

impl OfConnection {
    /// The key of this modulus.
    pub fn find(&self, modulus: &Fingerprint) -> Option<Arc<PrivateKey>> {
        self.0.iter().find(|(lent, _)| lent == modulus).map(|(_, key)| Arc::clone(key))
    }

    /// Adds a key.
    pub fn add(&mut self, modulus: Fingerprint, key: Arc<PrivateKey>) {
        self.0.retain(|(lent, _)| *lent != modulus);
        if self.0.len() == OF_A_CONNECTION {
            self.0.pop_front();
        }
        self.0.push_back((modulus, key));
    }
}

/// The keys of all connections, by the hash of all of their numbers: only who has a key finds it.
#[derive(Debug, Default)]
pub struct Lent(Mutex<HashMap<[u8; 32], Weak<PrivateKey>>>);

impl Lent {
    /// The key in a file that came with a request, which said that it has this modulus.
    ///
    /// # Errors
    /// [`Refusal`]: the file has no such key, or too many are lent.
    pub fn take(&self, file: impl AsFd, modulus: &Fingerprint) -> Result<Arc<PrivateKey>, Refusal> {
        let refused = |reason: String| Refusal::Argument { name: "key".to_owned(), reason };
        let failed = |error: garner::Error| Refusal::Failed(error.to_string());
        let key = sealed::opened(file).map_err(refused)?;
        if stub::fingerprint_of(key.public()).map_err(failed)? != *modulus {
            return Err(refused("has another modulus".to_owned()));
        }
        let digest = Hash::Sha256.digest(&key.to_pkcs1_der()).map_err(failed)?;
        let digest = digest[..].try_into().expect("SHA-256 has 32 bytes");
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = keys.get(&digest).and_then(Weak::upgrade) {
            return Ok(known);
        }
        if keys.len() >= DIFFERENT {
            keys.retain(|_, key| key.strong_count() > 0);
        }
        if keys.len() >= DIFFERENT {
            return Err(Refusal::TooMany);
        }
        let key = Arc::new(key);
        keys.insert(digest, Arc::downgrade(&key));
        Ok(key)
    }

    /// Different keys that are lent now.
    pub fn count(&self) -> usize {
        let keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        keys.values().filter(|key| key.strong_count() > 0).count()
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
        lent.take(sealed::sealed(key).unwrap(), &stub::fingerprint_of(key.public()).unwrap())
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
        let refusal = Lent::default().take(sealed::sealed(&key()).unwrap(), &[7; 32]).unwrap_err();
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
