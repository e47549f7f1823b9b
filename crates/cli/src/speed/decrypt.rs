// SPDX-License-Identifier: Apache-2.0
//! Decryption by OAEP with SHA-256, by Garner and by the system's libcrypto: the same ciphertexts, made by libcrypto.

use super::arguments::Shape;
use super::keys::Keys;
use super::measure::{Side, Threads};
use super::round::Worker;
use super::{baseline, ours};
use crate::failure::{Failure, Of};
use garner::encryption::{Decryption, Scheme, decryption};
use garner::error::Error;
use garner::gather::{Gatherer, Output};
use garner::key::PrivateKey;
use garner::padding::Hash;
use openssl::error::ErrorStack;
use openssl::md::Md;
use openssl::pkey::{HasPrivate, HasPublic, PKeyRef, Private};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::Padding;
use std::sync::Arc;

/// Ciphertexts to decrypt again and again.
const PREPARED: usize = 64;

const SCHEME: Scheme<'static> = Scheme::oaep(Hash::Sha256);

/// A message and its ciphertext.
pub struct Case {
    message: Vec<u8>,
    ciphertext: Vec<u8>,
}

type Cases = Arc<Vec<Case>>;

/// Messages, encrypted by libcrypto.
pub fn cases(keys: &Keys) -> Result<Cases, Failure> {
    let pkey = keys.openssl()?;
    let encrypt = || -> Result<Vec<Case>, ErrorStack> {
        let mut context = context_to_encrypt(&pkey)?;
        let case = |number: usize| {
            // Short enough for RSA-640, the shortest that OAEP with SHA-256 takes.
            let message = format!("message {number}").into_bytes();
            let mut ciphertext = Vec::new();
            context.encrypt_to_vec(&message, &mut ciphertext)?;
            Ok(Case { message, ciphertext })
        };
        (0..PREPARED).map(case).collect()
    };
    Ok(Arc::new(encrypt().of(format_args!("RSA-{}: OAEP with SHA-256", keys.bits()))?))
}

fn context_to_encrypt<T: HasPublic>(key: &PKeyRef<T>) -> Result<PkeyCtx<T>, ErrorStack> {
    let mut context = PkeyCtx::new(key)?;
    context.encrypt_init()?;
    context.set_rsa_padding(Padding::PKCS1_OAEP)?;
    context.set_rsa_oaep_md(Md::sha256())?;
    context.set_rsa_mgf1_md(Md::sha256())?;
    Ok(context)
}

fn context_to_decrypt<T: HasPrivate>(key: &PKeyRef<T>) -> Result<PkeyCtx<T>, ErrorStack> {
    let mut context = PkeyCtx::new(key)?;
    context.decrypt_init()?;
    context.set_rsa_padding(Padding::PKCS1_OAEP)?;
    context.set_rsa_oaep_md(Md::sha256())?;
    context.set_rsa_mgf1_md(Md::sha256())?;
    Ok(context)
}

struct Decrypting {
    gatherer: Arc<Gatherer>,
    key: Arc<PrivateKey>,
    cases: Cases,
    batch: usize,
    next: usize,
    /// Messages not yet checked, with the number of their case.
    messages: Vec<(usize, Output)>,
}

impl Worker for Decrypting {
    fn turn(&mut self) -> Result<u64, String> {
        let numbers: Vec<usize> = (self.next..self.next + self.batch).map(|i| i % self.cases.len()).collect();
        self.next = (self.next + self.batch) % self.cases.len();
        let begun = numbers.iter().map(|&number| decryption(&self.key, SCHEME, &self.cases[number].ciphertext));
        let begun = begun.collect::<Result<Vec<_>, Error>>().map_err(|error| error.to_string())?;
        let (operations, opens): (Vec<_>, Vec<Decryption>) = begun.into_iter().unzip();
        let blocks = ours::run(&self.gatherer, operations)?;
        for ((number, open), block) in numbers.into_iter().zip(opens).zip(blocks) {
            self.messages.push((number, open.open(&block).map_err(|error| error.to_string())?));
        }
        Ok(self.batch as u64)
    }
}

/// Garner's callers.
pub fn ours(gatherer: &Arc<Gatherer>, keys: &Keys, cases: &Cases, shape: Shape) -> Box<dyn Side> {
    let worker = |caller| Decrypting {
        gatherer: Arc::clone(gatherer),
        key: Arc::clone(keys.garner()),
        cases: Arc::clone(cases),
        batch: shape.batch,
        next: caller,
        messages: Vec::new(),
    };
    let workers = (0..shape.callers).map(worker).collect();
    Box::new(Threads { name: ours::NAME.into(), workers, check })
}

/// Every message must be the one that was encrypted.
fn check(workers: &mut [Decrypting]) -> Result<u64, Failure> {
    let mut right = 0;
    for worker in workers {
        for (number, message) in worker.messages.drain(..) {
            if *message != worker.cases[number].message {
                return Err(ours::wrong(format!("the decryption of ciphertext {number}")));
            }
            right += 1;
        }
    }
    Ok(right)
}

struct Baseline {
    context: PkeyCtx<Private>,
    cases: Cases,
    next: usize,
    message: Vec<u8>,
}

impl Worker for Baseline {
    fn turn(&mut self) -> Result<u64, String> {
        let Case { message, ciphertext } = &self.cases[self.next % self.cases.len()];
        self.next += 1;
        let length = self.context.decrypt(ciphertext, Some(&mut self.message)).map_err(|error| error.to_string())?;
        if self.message[..length] != message[..] {
            return Err("decrypts to another message".into());
        }
        Ok(1)
    }
}

/// libcrypto's callers.
pub fn baseline(keys: &Keys, cases: &Cases, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let worker = |caller| -> Result<Baseline, Failure> {
        let key = keys.openssl()?;
        let context = context_to_decrypt(&key).of("OpenSSL")?;
        Ok(Baseline { context, cases: Arc::clone(cases), next: caller, message: vec![0; key.size()] })
    };
    baseline::threads((0..shape.callers).map(worker).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use garner::arithmetic::libcrypto::Libcrypto;
    use garner::gather::Config;

    #[test]
    fn a_wrong_message_is_noticed() {
        let keys = Keys::generate(1024).unwrap();
        let cases = cases(&keys).unwrap();
        let gatherer = Arc::new(Gatherer::new(Config::with(Arc::new(Libcrypto), Vec::new())));
        let key = Arc::clone(keys.garner());
        let mut workers = [Decrypting { gatherer, key, cases, batch: 3, next: 0, messages: Vec::new() }];
        workers[0].turn().unwrap();
        assert_eq!(check(&mut workers).unwrap(), 3);
        workers[0].turn().unwrap();
        workers[0].messages[1].1[0] ^= 1;
        assert!(matches!(check(&mut workers), Err(Failure::Check(text)) if text.contains("ciphertext 4")));
    }
}
