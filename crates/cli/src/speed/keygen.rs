// SPDX-License-Identifier: Apache-2.0
//! Key generation by Garner and by the system's libcrypto. Each thread makes keys of its own; nothing is gathered.

use super::arguments::Shape;
use super::measure::{Sample, Side, Threads};
use super::round::Worker;
use super::{baseline, ours};
use crate::failure::{Failure, Of};
use garner::arithmetic::Arithmetic;
use garner::key::PrivateKey;
use garner::keygen::{Generator, Options, Statistics};
use openssl::rsa::Rsa;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

struct Generating {
    arithmetic: Arc<dyn Arithmetic>,
    bits: usize,
    batch: usize,
    /// Keys not yet checked.
    keys: Vec<PrivateKey>,
    statistics: Statistics,
}

impl Worker for Generating {
    fn turn(&mut self) -> Result<u64, String> {
        let options = Options { below_fips: true, ..Options::default() };
        let generator = Generator::new(&*self.arithmetic, self.bits, self.batch, &options);
        let mut generator = generator.map_err(|error| error.to_string())?;
        for key in generator.by_ref() {
            self.keys.push(key.map_err(|error| error.to_string())?);
        }
        self.statistics += *generator.statistics();
        Ok(self.batch as u64)
    }
}

/// Threads that also say what their keys took.
struct Generators(Threads<Generating>);

impl Side for Generators {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn round(&mut self, window: Duration) -> Result<Sample, Failure> {
        self.0.round(window)
    }

    fn check(&mut self) -> Result<u64, Failure> {
        self.0.check()
    }

    fn generated(&self) -> Option<Statistics> {
        let mut sum = Statistics::default();
        self.0.workers.iter().for_each(|worker| sum += worker.statistics);
        Some(sum)
    }
}

/// Garner's threads.
pub fn ours(arithmetic: &Arc<dyn Arithmetic>, bits: u32, shape: Shape) -> Box<dyn Side> {
    let worker = |_| Generating {
        arithmetic: Arc::clone(arithmetic),
        bits: bits as usize,
        batch: shape.batch,
        keys: Vec::new(),
        statistics: Statistics::default(),
    };
    Box::new(Generators(Threads { name: ours::NAME.into(), workers: (0..shape.callers).map(worker).collect(), check }))
}

/// Has libcrypto check every key, its primes included, on all processors.
fn check(workers: &mut [Generating]) -> Result<u64, Failure> {
    let keys: Vec<PrivateKey> = workers.iter_mut().flat_map(|worker| worker.keys.drain(..)).collect();
    let part = keys.len().div_ceil(thread::available_parallelism().map_or(1, usize::from)).max(1);
    let good = |key: &PrivateKey| -> Result<bool, Failure> {
        let key = Rsa::private_key_from_der(&key.to_pkcs1_der()).of("OpenSSL")?;
        Ok(key.check_key().unwrap_or(false))
    };
    thread::scope(|scope| {
        let threads: Vec<_> = keys
            .chunks(part)
            .map(|part| scope.spawn(|| part.iter().map(good).collect::<Result<Vec<_>, Failure>>()))
            .collect();
        for thread in threads {
            let verdicts = thread.join().map_err(|_| Failure::Check("a checking thread panicked".into()))??;
            if verdicts.contains(&false) {
                return Err(ours::wrong("OpenSSL refuses a key of Garner's".into()));
            }
        }
        Ok(keys.len() as u64)
    })
}

struct Baseline {
    bits: u32,
}

impl Worker for Baseline {
    fn turn(&mut self) -> Result<u64, String> {
        Rsa::generate(self.bits).map(|_| 1).map_err(|error| error.to_string())
    }
}

/// libcrypto's threads.
pub fn baseline(bits: u32, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    baseline::threads((0..shape.callers).map(|_| Baseline { bits }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use garner::arithmetic::libcrypto::Libcrypto;
    use garner::key::Components;
    use openssl::bn::BigNum;

    #[test]
    fn a_key_whose_prime_is_composite_is_noticed() {
        let (arithmetic, statistics) = (Arc::new(Libcrypto), Statistics::default());
        let mut workers = [Generating { arithmetic, bits: 512, batch: 1, keys: Vec::new(), statistics }];
        workers[0].turn().unwrap();
        assert_eq!(check(&mut workers).unwrap(), 1);
        workers[0].keys.push(composite());
        assert!(matches!(check(&mut workers), Err(Failure::Check(text)) if text.contains("refuses a key")));
    }

    /// A key of 512 bits, one of whose "primes" is a Carmichael number (6k + 1)(12k + 1)(18k + 1):
    /// it computes correctly, and passes every check but one for primes.
    fn composite() -> PrivateKey {
        let number = |n: u64| BigNum::from_slice(&n.to_be_bytes()).unwrap();
        let mut context = openssl::bn::BigNumContext::new().unwrap();
        let prime =
            |candidate: &BigNum, context: &mut openssl::bn::BigNumContext| candidate.is_prime(30, context).unwrap();
        let mut k = 1u64 << 40;
        let p = loop {
            k += 1;
            let factors = [6, 12, 18].map(|m| number(m * k + 1));
            if factors.iter().all(|factor| prime(factor, &mut context)) {
                break &(&factors[0] * &factors[1]) * &factors[2];
            }
        };
        let e = number(65_537);
        let (mut q, mut d) = (BigNum::new().unwrap(), BigNum::new().unwrap());
        let one = number(1);
        loop {
            q.generate_prime(512 - p.num_bits(), false, None, None).unwrap();
            let phi = &(&p - &one) * &(&q - &one);
            if (&p * &q).num_bits() == 512 && d.mod_inverse(&e, &phi, &mut context).is_ok() {
                break;
            }
        }
        let mut q_inverse = BigNum::new().unwrap();
        q_inverse.mod_inverse(&q, &p, &mut context).unwrap();
        PrivateKey::from_components(&Components {
            modulus: &(&p * &q).to_vec(),
            public_exponent: &e.to_vec(),
            private_exponent: &d.to_vec(),
            prime1: &p.to_vec(),
            prime2: &q.to_vec(),
            exponent1: &(&d % &(&p - &one)).to_vec(),
            exponent2: &(&d % &(&q - &one)).to_vec(),
            coefficient: &q_inverse.to_vec(),
        })
        .unwrap()
    }
}
