// SPDX-License-Identifier: Apache-2.0
//! Paddings: what is decrypted is secret until its verdict and its length are released, what is encrypted always.

use super::marking::Marking;
use super::private_op::key;
use super::{Scenario, Words, clean};
use crate::valgrind::{public, reveal, secret};
use garner::arithmetic::vectors::Twin;
use garner::device::Cpu;
use garner::encryption::{self, Scheme};
use garner::error::Result;
use garner::gather::{Config, Gatherer, Output};
use garner::padding::implicit_rejection::Rejection;
use garner::padding::{Hash, oaep, pkcs1v15, pkcs1v15_encryption, premaster, pss};
use openssl::rsa::Padding;
use std::sync::Arc;

pub fn all() -> Vec<Scenario> {
    vec![
        clean("padding: OAEP, decoding", || decode(|block| oaep::decode(FUNCTIONS, b"label", block))),
        clean("padding: PKCS#1 v1.5, decoding with an error", || decode(pkcs1v15_encryption::decode)),
        clean("padding: PKCS#1 v1.5, implicit rejection", implicit),
        clean("padding: TLS premaster secret", tls),
        clean("padding: TLS premaster secret, for an asker", tls_for_asker),
        clean("padding: OAEP and PKCS#1 v1.5, encoding a secret message", encode),
        clean("padding: PSS and PKCS#1 v1.5, encoding a secret digest", sign),
        clean("gatherer: a decryption with implicit rejection, from bytes to bytes", gatherer),
    ]
}

/// Bytes of the modulus.
const SIZE: usize = 256;

const FUNCTIONS: oaep::Functions = oaep::Functions::of(Hash::Sha256);

const MESSAGE: &[u8] = &[3; 48];

/// Well padded blocks of both schemes, and blocks that fail for different reasons, early and late.
pub fn blocks() -> Vec<Vec<u8>> {
    let mut good = vec![0xa5; SIZE];
    good[..2].copy_from_slice(&[0, 2]);
    good[SIZE - 49] = 0;
    good[SIZE - 48..].copy_from_slice(MESSAGE);
    let changed = |block: &[u8], at: usize, byte: u8| {
        let mut block = block.to_vec();
        block[at] = byte;
        block
    };
    let mut sealed = vec![0; SIZE];
    oaep::encode(FUNCTIONS, b"label", MESSAGE, &mut sealed).expect("room");
    public(&mut sealed); // its seed was secret
    vec![
        changed(&good, 1, 1),
        changed(&good, 5, 0),
        changed(&good, SIZE - 49, 1),
        changed(&sealed, 0, 1),
        changed(&sealed, 1, sealed[1] ^ 1),
        changed(&sealed, SIZE - 1, sealed[SIZE - 1] ^ 1),
        vec![0xff; SIZE],
        good,
        sealed,
    ]
}

fn decode(decode: impl Fn(&[u8]) -> Result<Output>) {
    let mut good = 0;
    for mut block in blocks() {
        let expected = decode(&block);
        secret(&mut block);
        match decode(&block) {
            Ok(mut message) => {
                good += 1;
                reveal(&mut message);
                assert_eq!(Ok(message), expected);
            }
            error => assert_eq!(error, expected),
        }
    }
    assert!(good > 0);
}

/// Whatever the block, there is a message, and nobody can tell which kind.
fn implicit() {
    let mut exponent = vec![7; SIZE];
    let rejection = Rejection::new(&exponent, &[8; SIZE]).expect("HMAC");
    let expected: Vec<Output> = blocks().iter().map(|block| rejection.decode(block).expect("a message")).collect();
    secret(&mut exponent);
    let rejection = Rejection::new(&exponent, &[8; SIZE]).expect("HMAC");
    for i in [0, 1, 2, 6, 7] {
        let mut block = blocks()[i].clone();
        secret(&mut block);
        let mut message = rejection.decode(&block).expect("a message");
        reveal(&mut message);
        assert_eq!(message, expected[i]);
    }
    assert!(*expected[7] == *MESSAGE && expected[0] == expected[6] && *expected[0] != *MESSAGE);
}

/// There are 48 bytes whatever the block; not even that is released.
fn tls() {
    for mut block in blocks() {
        let good = block[..2] == [0, 2] && block[SIZE - 49] == 0 && block[5] != 0;
        secret(&mut block);
        let mut premaster = premaster::decode(&block, 0x0303, None).expect("48 bytes");
        reveal(&mut *premaster);
        assert_eq!(*premaster == *MESSAGE, good);
    }
}

/// The same; the version is the asker's to look at.
fn tls_for_asker() {
    let rejection = Rejection::new(&[7; SIZE], &[8; SIZE]).expect("HMAC");
    for mut block in blocks() {
        let good = block[..2] == [0, 2] && block[SIZE - 49] == 0 && block[5] != 0;
        secret(&mut block);
        let mut premaster = premaster::decode_for_asker(&rejection, &block).expect("48 bytes");
        let mut version = premaster::with_version(&premaster, 0x0303, None).expect("48 bytes");
        reveal(&mut *premaster);
        reveal(&mut *version);
        assert_eq!(*premaster == *MESSAGE, good);
        assert_eq!(*version == *MESSAGE, good);
    }
}

fn encode() {
    let mut message = MESSAGE.to_vec();
    secret(&mut message);
    let mut encoded = vec![0; SIZE];
    oaep::encode(FUNCTIONS, b"label", &message, &mut encoded).expect("room");
    reveal(&mut encoded);
    assert_eq!(**oaep::decode(FUNCTIONS, b"label", &encoded).expect("well padded"), *MESSAGE);
    pkcs1v15_encryption::encode(&message, &mut encoded).expect("room");
    reveal(&mut encoded);
    assert_eq!(**pkcs1v15_encryption::decode(&encoded).expect("well padded"), *MESSAGE);
}

fn sign() {
    let digest = [5; 32];
    let mut hidden = digest;
    secret(&mut hidden);
    let mut encoded = vec![0; SIZE];
    pkcs1v15::encode(Hash::Sha256, &hidden, &mut encoded).expect("room");
    reveal(&mut encoded);
    pkcs1v15::verify(Hash::Sha256, &digest, &encoded).expect("its own");
    for hash in [Hash::Sha256, Hash::Sha3_256] {
        let functions = pss::Functions::of(hash);
        pss::encode(functions, pss::Salt::Digest, &hidden, 8 * SIZE, &mut encoded).expect("room");
        reveal(&mut encoded);
        pss::verify(functions, pss::Salt::Digest, &digest, 8 * SIZE, &encoded).expect("its own");
    }
}

/// Through the gatherer, as front ends do: one well padded ciphertext, and one that is not.
fn gatherer() {
    let (key, rsa) = key(512);
    let key = Arc::new(key);
    let arithmetic = Arc::new(Marking::new(Twin::default()));
    let device = Cpu::new(arithmetic.clone());
    let gatherer = Gatherer::new(Config::with(arithmetic, vec![Arc::new(device)]));
    let mut good = vec![0; 64];
    rsa.public_encrypt(b"a message", &mut good, Padding::PKCS1).expect("a ciphertext");
    let mut bad = vec![0; 64];
    Words(18).fill(&mut bad[1..]);
    for (mut ciphertext, good) in [(good, true), (bad, false)] {
        secret(&mut ciphertext);
        let mut message =
            encryption::decrypt(&gatherer, &key, Scheme::Pkcs1v15, &ciphertext).expect("a message in any case");
        if !message.is_empty() {
            reveal(&mut message);
        }
        assert_eq!(**message == *b"a message", good);
    }
}
