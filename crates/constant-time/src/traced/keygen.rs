// SPDX-License-Identifier: Apache-2.0
//! Key generation as it runs: the sieve for this processor's vectors, and a round of Miller-Rabin on a prime.

use super::{Expected, SECRETS, Traced};
use crate::scenarios::Words;
use crate::scenarios::keygen::prime_3_modulo_4;
use crate::trace::Case;
use garner::Error;
use garner::arithmetic::Arithmetic;
use garner::arithmetic::vectors::Native;
use garner::keygen::sieve::Sieve;
use garner::miller_rabin::{Candidate, Round};

/// Words of a prime of RSA-2048.
const WORDS: usize = 16;

/// Candidates in a block, and which of them stay.
const CANDIDATES: usize = 24;
const KEPT: [usize; 2] = [5, 17];

/// Blocks that differ in the candidates that stay.
struct Sieving {
    sieve: &'static Sieve,
    blocks: [Vec<u64>; SECRETS],
    secret: usize,
    block: Vec<u64>,
    kept: usize,
}

impl Sieving {
    fn new() -> Sieving {
        let sieve = Sieve::for_words(WORDS);
        let mut random = Words(22);
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        while good.len() < SECRETS * KEPT.len() || bad.len() < CANDIDATES {
            let mut candidate = random.take(WORDS);
            candidate[0] |= 3;
            let stays = sieve.retain(&mut candidate.clone()) == 1;
            if stays { &mut good } else { &mut bad }.push(candidate);
        }
        let blocks = std::array::from_fn(|_| {
            let candidate = |i| if KEPT.contains(&i) { good.pop().expect("enough") } else { bad[i].clone() };
            (0..CANDIDATES).flat_map(candidate).collect()
        });
        Sieving { sieve, blocks, secret: 0, block: vec![0; CANDIDATES * WORDS], kept: 0 }
    }
}

impl Case for Sieving {
    fn select(&mut self, secret: usize) {
        self.secret = secret;
        self.block.copy_from_slice(&self.blocks[secret]);
    }

    fn call(&mut self) {
        self.kept = self.sieve.retain(&mut self.block);
    }

    fn verify(&mut self) -> bool {
        let stay = |i: usize| &self.blocks[self.secret][i * WORDS..][..WORDS];
        self.kept == KEPT.len() && self.block[..KEPT.len() * WORDS] == KEPT.map(stay).concat()
    }
}

/// Primes and bases.
struct Testing {
    arithmetic: Native,
    secrets: [(Vec<u64>, Vec<u64>); SECRETS],
    /// The same memory for every secret.
    prime: Vec<u64>,
    base: Vec<u64>,
    passed: bool,
}

impl Testing {
    fn new(arithmetic: Native, bits: usize) -> Testing {
        let mut random = Words(23);
        let secrets = std::array::from_fn(|_| {
            let prime = prime_3_modulo_4(bits as i32);
            let base = random.below(&prime);
            (prime, base)
        });
        let (prime, base) = (vec![0; bits / 64], vec![0; bits / 64]);
        Testing { arithmetic, secrets, prime, base, passed: false }
    }
}

impl Case for Testing {
    fn select(&mut self, secret: usize) {
        self.prime.copy_from_slice(&self.secrets[secret].0);
        self.base.copy_from_slice(&self.secrets[secret].1);
        self.passed = false;
    }

    fn call(&mut self) {
        let base = &self.base;
        let mut source = |bytes: &mut [u8]| -> Result<(), Error> {
            bytes.chunks_mut(8).zip(base).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_le_bytes()));
            Ok(())
        };
        let candidate = Candidate::new(&self.prime).expect("odd");
        let mut rounds = Round::with_random_bases(std::iter::once(&candidate), &mut source).expect("random bits");
        self.arithmetic.power_secret(&mut rounds.iter_mut().map(Round::job).collect::<Vec<_>>());
        self.passed = rounds.into_iter().all(|round| round.passed(&self.arithmetic));
    }

    fn verify(&mut self) -> bool {
        self.passed
    }
}

pub fn all() -> Vec<Traced> {
    let name = |what: &str| format!("keygen: {what}");
    let mut all = vec![Traced::new(name("sieve, other candidates that stay"), Expected::Equal, Sieving::new)];
    all.extend(Native::fastest().map(|native| {
        let name = name("Miller-Rabin round on 512-bit primes");
        Traced::new(name, Expected::Equal, move || Testing::new(native, 512))
    }));
    all
}
