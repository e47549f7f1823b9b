// SPDX-License-Identifier: Apache-2.0
//! Key generation: every random bit is secret, and so is all that comes of it.

use super::reference::{big, low};
use super::{Scenario, Words, clean};
use crate::valgrind::{NOWHERE, depends_on_secret, public, released_bits, reveal, secret};
use garner::Error;
use garner::arithmetic::Arithmetic;
use garner::arithmetic::vectors::Twin;
use garner::keygen::sieve::Sieve;
use garner::keygen::{Generator, Options, Random};
use garner::miller_rabin::{Candidate, Round};
use openssl::bn::BigNum;
use openssl::rsa::Rsa;

pub fn all() -> Vec<Scenario> {
    vec![
        clean("keygen: sieve", sieve),
        clean("keygen: Miller-Rabin round on a prime", || round(true)),
        clean("keygen: Miller-Rabin round on a composite", || round(false)),
        clean("keygen: keys whole, from the random bits to all their numbers", whole),
    ]
}

/// A source all of whose bits are secret.
fn source(seed: u64) -> impl Random + Send {
    let mut words = Words(seed);
    move |bytes: &mut [u8]| -> Result<(), Error> {
        words.fill(bytes);
        secret(bytes);
        Ok(())
    }
}

/// Which candidates stay is released; the candidates are not.
fn sieve() {
    const WORDS: usize = 16;
    let sieve = Sieve::for_words(WORDS);
    let mut block = Words(14).take(64 * WORDS);
    block.chunks_exact_mut(WORDS).for_each(|candidate| candidate[0] |= 3);
    let mut expected = block.clone();
    let left = sieve.retain(&mut expected);
    assert!(left > 0 && left < 32, "{left} stay");
    secret(&mut block);
    let before = released_bits();
    assert_eq!(sieve.retain(&mut block), left);
    assert!(released_bits() - before >= 64);
    reveal(&mut block[..left * WORDS]);
    assert_eq!(block[..left * WORDS], expected[..left * WORDS]);
    assert!(!depends_on_secret(&block[left * WORDS..]), "what was thrown away is wiped");
}

/// The verdict is released; number, base and power are not.
fn round(prime: bool) {
    let mut number = if prime { prime_3_modulo_4(256) } else { Words(15).odd(256) };
    number[0] |= 3;
    secret(&mut number);
    let before = released_bits();
    let candidate = Candidate::new(&number).expect("odd");
    let mut rounds = Round::with_random_bases(std::iter::once(&candidate), &mut source(16)).expect("random bits");
    let twin = Twin::default();
    twin.power_secret(&mut rounds.iter_mut().map(Round::job).collect::<Vec<_>>());
    let passed: Vec<bool> = rounds.into_iter().map(|round| round.passed(&twin)).collect();
    assert_eq!(passed, [prime]);
    assert!(released_bits() > before, "{NOWHERE}");
}

/// A prime with its highest bit set.
pub fn prime_3_modulo_4(bits: i32) -> Vec<u64> {
    let mut prime = BigNum::new().expect("memory for a number");
    let [four, three] = [4, 3].map(|n| BigNum::from_u32(n).expect("memory for a number"));
    prime.generate_prime(bits, false, Some(&four), Some(&three)).expect("a prime");
    low(&prime, bits as usize / 64)
}

/// What is done with a key's numbers beside the kernels: p and q, n, d, the numbers of the CRT, the trial signature.
fn whole() {
    let twin = Twin::default();
    let options = Options { below_fips: true, ..Options::default() };
    let mut generator = Generator::new(&twin, 512, 1, &options).expect("allowed").with_random(source(17));
    let key = generator.next().expect("one was asked for").expect("a key");
    key.with_components(|key| {
        let secrets =
            [key.modulus, key.private_exponent, key.prime1, key.prime2, key.exponent1, key.exponent2, key.coefficient];
        let [n, d, p, q, dp, dq, inverse] = secrets.map(|number| {
            let mut number = number.to_vec();
            assert!(depends_on_secret(&number), "{NOWHERE}");
            public(&mut number);
            BigNum::from_slice(&number).expect("memory for a number")
        });
        let e = big(&[65537]);
        let rsa = Rsa::from_private_components(n, e, d, p, q, dp, dq, inverse).expect("numbers of a key");
        assert!(rsa.check_key().expect("a verdict"), "libcrypto finds the key in order");
    });
}
