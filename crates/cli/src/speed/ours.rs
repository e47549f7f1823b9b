// SPDX-License-Identifier: Apache-2.0
//! Garner's side: callers of one gatherer, sharing one key. Everything they get is checked against libcrypto.

use super::arguments::Shape;
use super::baseline::Verifier;
use super::keys::{Keys, PowerCase, Powers, Signed, digest, message};
use super::measure::{Side, Threads};
use super::round::Worker;
use crate::failure::{Failure, Of};
use garner::arithmetic::Modulus;
use garner::error::Error;
use garner::gather::{Gatherer, Operation, Output};
use garner::key::PrivateKey;
use garner::padding::{Hash, pkcs1v15};
use std::sync::Arc;
use std::thread;

/// What people call this side.
pub const NAME: &str = "Garner";

/// Runs operations as their caller would: one alone, or all as a batch.
pub fn run(gatherer: &Gatherer, mut operations: Vec<Operation>) -> Result<Vec<Output>, String> {
    let text = |error: Error| error.to_string();
    match operations.len() {
        1 => Ok(vec![gatherer.run(operations.remove(0)).map_err(text)?]),
        _ => gatherer.run_batch(operations).into_iter().collect::<Result<_, _>>().map_err(text),
    }
}

struct Signing {
    gatherer: Arc<Gatherer>,
    key: Arc<PrivateKey>,
    verifier: Arc<Verifier>,
    caller: usize,
    batch: usize,
    /// Number of the next message.
    next: u64,
    /// Signatures not yet checked, those of the messages right before `next`.
    signed: Vec<Output>,
}

impl Worker for Signing {
    fn turn(&mut self) -> Result<u64, String> {
        let public = self.key.public();
        let operations = (0..self.batch as u64).map(|i| {
            let digest = digest(&message(public.bits() as u32, self.caller, self.next + i));
            let mut encoded = vec![0; public.size()];
            pkcs1v15::encode(Hash::Sha256, &digest, &mut encoded)?;
            Operation::private(&self.key, &encoded)
        });
        let operations = operations.collect::<Result<_, Error>>().map_err(|error| error.to_string())?;
        self.signed.extend(run(&self.gatherer, operations)?);
        self.next += self.batch as u64;
        Ok(self.batch as u64)
    }
}

/// Callers that sign.
pub fn signing(gatherer: &Arc<Gatherer>, keys: &Keys, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let verifier = Arc::new(Verifier::new(keys)?);
    let worker = |caller| Signing {
        gatherer: Arc::clone(gatherer),
        key: Arc::clone(keys.garner()),
        verifier: Arc::clone(&verifier),
        caller,
        batch: shape.batch,
        next: 0,
        signed: Vec::new(),
    };
    let workers = (0..shape.callers).map(worker).collect();
    Ok(Box::new(Threads { name: NAME.into(), workers, check: check_signatures }))
}

/// Has libcrypto verify every signature made since the last time, on all processors.
fn check_signatures(workers: &mut [Signing]) -> Result<u64, Failure> {
    let mut signed = Vec::new();
    for worker in workers.iter_mut() {
        let bits = worker.key.public().bits() as u32;
        let first = worker.next - worker.signed.len() as u64;
        let numbered = (first..).zip(worker.signed.drain(..));
        signed.extend(numbered.map(|(count, signature)| (message(bits, worker.caller, count), signature)));
    }
    let verifier = &workers[0].verifier;
    let part = signed.len().div_ceil(thread::available_parallelism().map_or(1, usize::from)).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = signed.chunks(part).map(|part| scope.spawn(|| verifier.refused(part))).collect();
        for thread in threads {
            let refused = thread.join().map_err(|_| Failure::Check("a verifying thread panicked".into()))??;
            if let Some(message) = refused {
                return Err(wrong(format!("OpenSSL refuses Garner's signature of \"{message}\"")));
            }
        }
        Ok(signed.len() as u64)
    })
}

struct Verifying {
    gatherer: Arc<Gatherer>,
    key: Arc<PrivateKey>,
    signatures: Arc<Vec<Signed>>,
    batch: usize,
    next: usize,
    /// Good signatures refused and bad ones accepted, named.
    wrong: Option<String>,
    verified: u64,
}

impl Verifying {
    /// Verdicts over messages and signatures.
    fn verdicts(&self, signed: &[&Signed]) -> Result<Vec<bool>, String> {
        let operation = |signed: &&Signed| Operation::public(self.key.public(), &signed.signature);
        let operations = signed.iter().map(operation).collect::<Result<_, _>>();
        let recovered = run(&self.gatherer, operations.map_err(|error| error.to_string())?)?;
        let verdicts = signed.iter().zip(recovered);
        Ok(verdicts
            .map(|(signed, recovered)| pkcs1v15::verify(Hash::Sha256, &digest(&signed.message), &recovered).is_ok())
            .collect())
    }
}

impl Worker for Verifying {
    fn turn(&mut self) -> Result<u64, String> {
        let signatures = Arc::clone(&self.signatures);
        let count = signatures.len();
        let signed: Vec<&Signed> = (self.next..self.next + self.batch).map(|i| &signatures[i % count]).collect();
        self.next = (self.next + self.batch) % count;
        let verdicts = self.verdicts(&signed)?;
        if let Some(i) = verdicts.iter().position(|&good| !good) {
            self.wrong = Some(format!("Garner refuses OpenSSL's signature of \"{}\"", signed[i].message));
        }
        self.verified += self.batch as u64;
        Ok(self.batch as u64)
    }
}

/// Callers that verify signatures made by libcrypto.
pub fn verifying(gatherer: &Arc<Gatherer>, keys: &Keys, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let signatures = Arc::new(keys.signatures()?);
    let worker = |caller| Verifying {
        gatherer: Arc::clone(gatherer),
        key: Arc::clone(keys.garner()),
        signatures: Arc::clone(&signatures),
        batch: shape.batch,
        next: caller,
        wrong: None,
        verified: 0,
    };
    let workers = (0..shape.callers).map(worker).collect();
    Ok(Box::new(Threads { name: NAME.into(), workers, check: check_verdicts }))
}

/// Every good signature must have been accepted, and a spoilt one must be refused.
fn check_verdicts(workers: &mut [Verifying]) -> Result<u64, Failure> {
    let mut verified = 0;
    for worker in workers {
        if let Some(what) = worker.wrong.take() {
            return Err(wrong(what));
        }
        let mut spoilt = worker.signatures[worker.next % worker.signatures.len()].clone();
        let last = spoilt.signature.len() - 1;
        spoilt.signature[last] ^= 1;
        if worker.verdicts(&[&spoilt]).is_ok_and(|verdicts| verdicts[0]) {
            return Err(wrong(format!("Garner accepts a spoilt signature of \"{}\"", spoilt.message)));
        }
        verified += std::mem::take(&mut worker.verified);
    }
    Ok(verified)
}

struct Recovering {
    gatherer: Arc<Gatherer>,
    key: Arc<PrivateKey>,
    /// Signatures, and the encoded messages that come of them.
    signatures: Arc<Vec<(Vec<u8>, Vec<u8>)>>,
    batch: usize,
    next: usize,
    /// Results not yet checked, with the number of their signature.
    results: Vec<(usize, Output)>,
}

impl Worker for Recovering {
    fn turn(&mut self) -> Result<u64, String> {
        let count = self.signatures.len();
        let cases: Vec<usize> = (self.next..self.next + self.batch).map(|i| i % count).collect();
        self.next = (self.next + self.batch) % count;
        let operation = |&case: &usize| Operation::public(self.key.public(), &self.signatures[case].0);
        let operations = cases.iter().map(operation).collect::<Result<_, _>>();
        let results = run(&self.gatherer, operations.map_err(|error| error.to_string())?)?;
        self.results.extend(cases.into_iter().zip(results));
        Ok(self.batch as u64)
    }
}

/// Callers that do public operations on signatures made by libcrypto.
pub fn public(gatherer: &Arc<Gatherer>, keys: &Keys, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let size = keys.garner().public().size();
    let with_encoded = |signed: Signed| {
        let mut encoded = vec![0; size];
        pkcs1v15::encode(Hash::Sha256, &digest(&signed.message), &mut encoded).of("encoding")?;
        Ok((signed.signature, encoded))
    };
    let signatures = keys.signatures()?.into_iter().map(with_encoded).collect::<Result<Vec<_>, Failure>>()?;
    let signatures = Arc::new(signatures);
    let worker = |caller| Recovering {
        gatherer: Arc::clone(gatherer),
        key: Arc::clone(keys.garner()),
        signatures: Arc::clone(&signatures),
        batch: shape.batch,
        next: caller,
        results: Vec::new(),
    };
    let workers = (0..shape.callers).map(worker).collect();
    Ok(Box::new(Threads { name: NAME.into(), workers, check: check_recovered }))
}

/// Every signature must have led back to its encoded message.
fn check_recovered(workers: &mut [Recovering]) -> Result<u64, Failure> {
    let mut checked = 0;
    for worker in workers {
        for (case, result) in worker.results.drain(..) {
            if *result != worker.signatures[case].1 {
                return Err(wrong(format!("the public operation on signature {case}")));
            }
            checked += 1;
        }
    }
    Ok(checked)
}

struct Exponentiating {
    gatherer: Arc<Gatherer>,
    modulus: Arc<Modulus>,
    powers: Arc<Powers>,
    batch: usize,
    next: usize,
    /// Results not yet checked, with the number of their case.
    results: Vec<(usize, Output)>,
}

impl Worker for Exponentiating {
    fn turn(&mut self) -> Result<u64, String> {
        let count = self.powers.powers.len();
        let cases: Vec<usize> = (self.next..self.next + self.batch).map(|i| i % count).collect();
        self.next = (self.next + self.batch) % count;
        let operation = |&case: &usize| {
            let PowerCase { base, exponent, .. } = &self.powers.powers[case];
            Operation::exponentiation(&self.modulus, base, exponent)
        };
        let operations = cases.iter().map(operation).collect::<Result<_, _>>();
        let results = run(&self.gatherer, operations.map_err(|error| error.to_string())?)?;
        self.results.extend(cases.into_iter().zip(results));
        Ok(self.batch as u64)
    }
}

/// Callers that raise numbers to powers.
pub fn exponentiation(gatherer: &Arc<Gatherer>, powers: &Arc<Powers>, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let modulus = powers.garner()?;
    let worker = |caller| Exponentiating {
        gatherer: Arc::clone(gatherer),
        modulus: Arc::clone(&modulus),
        powers: Arc::clone(powers),
        batch: shape.batch,
        next: caller,
        results: Vec::new(),
    };
    let workers = (0..shape.callers).map(worker).collect();
    Ok(Box::new(Threads { name: NAME.into(), workers, check: check_powers }))
}

fn check_powers(workers: &mut [Exponentiating]) -> Result<u64, Failure> {
    let mut right = 0;
    for worker in workers {
        for (case, result) in worker.results.drain(..) {
            if *result != worker.powers.powers[case].result {
                return Err(wrong("a power differs from OpenSSL's".into()));
            }
            right += 1;
        }
    }
    Ok(right)
}

/// Nobody shall overlook this.
pub fn wrong(what: String) -> Failure {
    Failure::Check(format!("WRONG RESULT: {what}. Nothing measured here can be trusted; please report it."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use garner::arithmetic::libcrypto::Libcrypto;
    use garner::gather::Config;

    fn gatherer() -> Arc<Gatherer> {
        Arc::new(Gatherer::new(Config::with(Arc::new(Libcrypto), Vec::new())))
    }

    fn is_wrong<T>(outcome: Result<T, Failure>, what: &str) {
        match outcome {
            Err(Failure::Check(text)) => assert!(text.contains("WRONG RESULT") && text.contains(what), "{text}"),
            _ => panic!("a wrong result went unnoticed"),
        }
    }

    #[test]
    fn a_single_wrong_signature_among_good_ones_is_noticed() {
        let keys = Keys::generate(512).unwrap();
        let mut workers = [Signing {
            gatherer: gatherer(),
            key: Arc::clone(keys.garner()),
            verifier: Arc::new(Verifier::new(&keys).unwrap()),
            caller: 0,
            batch: 5,
            next: 0,
            signed: Vec::new(),
        }];
        assert_eq!(workers[0].turn(), Ok(5));
        assert_eq!(workers[0].turn(), Ok(5));
        assert_eq!(check_signatures(&mut workers).unwrap(), 10);
        workers[0].turn().unwrap();
        workers[0].signed[3][60] ^= 1;
        is_wrong(check_signatures(&mut workers), "message 13");
    }

    #[test]
    fn a_wrong_verdict_is_noticed() {
        let keys = Keys::generate(512).unwrap();
        let mut signatures = keys.signatures().unwrap();
        signatures[1].signature[60] ^= 1;
        let mut workers = [Verifying {
            gatherer: gatherer(),
            key: Arc::clone(keys.garner()),
            signatures: Arc::new(signatures),
            batch: 4,
            next: 0,
            wrong: None,
            verified: 0,
        }];
        workers[0].turn().unwrap();
        is_wrong(check_verdicts(&mut workers), "refuses");
        assert!(check_verdicts(&mut workers).is_ok());
    }

    #[test]
    fn a_wrong_public_operation_is_noticed() {
        let keys = Keys::generate(512).unwrap();
        let signed = keys.signatures().unwrap().swap_remove(0);
        let mut encoded = vec![0; 64];
        pkcs1v15::encode(Hash::Sha256, &digest(&signed.message), &mut encoded).unwrap();
        let mut workers = [Recovering {
            gatherer: gatherer(),
            key: Arc::clone(keys.garner()),
            signatures: Arc::new(vec![(signed.signature, encoded)]),
            batch: 3,
            next: 0,
            results: Vec::new(),
        }];
        workers[0].turn().unwrap();
        assert_eq!(check_recovered(&mut workers).unwrap(), 3);
        workers[0].turn().unwrap();
        workers[0].results[2].1[0] ^= 1;
        is_wrong(check_recovered(&mut workers), "public operation");
    }

    #[test]
    fn a_wrong_power_is_noticed() {
        let keys = Keys::generate(512).unwrap();
        let powers = Arc::new(keys.powers().unwrap());
        let modulus = powers.garner().unwrap();
        let mut workers =
            [Exponentiating { gatherer: gatherer(), modulus, powers, batch: 3, next: 0, results: Vec::new() }];
        workers[0].turn().unwrap();
        assert_eq!(check_powers(&mut workers).unwrap(), 3);
        workers[0].turn().unwrap();
        workers[0].results[2].1[0] ^= 1;
        is_wrong(check_powers(&mut workers), "power");
    }
}
