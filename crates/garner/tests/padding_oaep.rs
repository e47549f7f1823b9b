// SPDX-License-Identifier: Apache-2.0
//! RSAES-OAEP against libcrypto in both directions, and its refusals one by one.

use garner::Error;
use garner::padding::oaep::{self, Functions};
use garner::padding::{Hash, mgf1};
use openssl::encrypt::{Decrypter, Encrypter};
use openssl::pkey::{PKey, Private};
use openssl::rsa::{Padding, Rsa};
use proptest::prelude::*;
use std::sync::LazyLock;

const SIZES: [u32; 7] = [512, 768, 1024, 1025, 1031, 1090, 2048];

static KEYS: LazyLock<Vec<Rsa<Private>>> = LazyLock::new(|| SIZES.map(|bits| Rsa::generate(bits).unwrap()).into());

/// Both directions for one key; nothing where the key is too short.
fn agrees(key: &Rsa<Private>, functions: Functions, label: &[u8], message: &[u8]) {
    let size = key.size() as usize;
    let what = format!("{size} bytes, {functions:?}, {} bytes of label, {} of message", label.len(), message.len());
    let (hash, mgf1_hash) = (functions.hash.message_digest().unwrap(), functions.mgf1_hash.message_digest().unwrap());
    let mut encoded = vec![0xaa; size];
    if functions.longest_message(size).is_none_or(|longest| message.len() > longest) {
        let error = oaep::encode(functions, label, message, &mut encoded).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "modulus" | "message", .. }), "{what}: {error}");
        return;
    }
    let pkey = PKey::from_rsa(key.clone()).unwrap();

    let mut encrypter = Encrypter::new(&pkey).unwrap();
    encrypter.set_rsa_padding(Padding::PKCS1_OAEP).unwrap();
    encrypter.set_rsa_oaep_md(hash).unwrap();
    encrypter.set_rsa_mgf1_md(mgf1_hash).unwrap();
    if !label.is_empty() {
        encrypter.set_rsa_oaep_label(label).unwrap();
    }
    let mut ciphertext = vec![0; size];
    // OpenSSL 3.0 takes a message of no bytes for a question about lengths.
    if !message.is_empty() {
        let length = encrypter.encrypt(message, &mut ciphertext).unwrap();
        assert_eq!(length, size);
        let mut block = vec![0; size];
        key.private_decrypt(&ciphertext, &mut block, Padding::NONE).unwrap();
        assert_eq!(oaep::decode(functions, label, &block).unwrap()[..], *message, "{what}");
    }

    oaep::encode(functions, label, message, &mut encoded).unwrap();
    assert_eq!(oaep::decode(functions, label, &encoded).unwrap()[..], *message, "{what}");
    key.public_encrypt(&encoded, &mut ciphertext, Padding::NONE).unwrap();
    let mut decrypter = Decrypter::new(&pkey).unwrap();
    decrypter.set_rsa_padding(Padding::PKCS1_OAEP).unwrap();
    decrypter.set_rsa_oaep_md(hash).unwrap();
    decrypter.set_rsa_mgf1_md(mgf1_hash).unwrap();
    if !label.is_empty() {
        decrypter.set_rsa_oaep_label(label).unwrap();
    }
    let mut output = vec![0; size];
    let length = decrypter.decrypt(&ciphertext, &mut output).unwrap();
    assert_eq!(output[..length], *message, "{what}");
}

#[test]
fn every_size_and_hash_agrees_with_libcrypto_from_no_message_to_the_longest() {
    for key in KEYS.iter() {
        for hash in Hash::ALL {
            let longest = Functions::of(hash).longest_message(key.size() as usize).unwrap_or(0);
            for length in [0, 1, longest, longest + 1] {
                agrees(key, Functions::of(hash), b"", &vec![0x5a; length]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_hashes_labels_and_messages_agree_with_libcrypto(
        key in 0..SIZES.len(),
        hash in 0..Hash::ALL.len(),
        mgf1_hash in 0..Hash::ALL.len(),
        label in prop::collection::vec(any::<u8>(), 0..100),
        message in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let functions = Functions { hash: Hash::ALL[hash], mgf1_hash: Hash::ALL[mgf1_hash] };
        agrees(&KEYS[key], functions, &label, &message);
    }
}

const SHA256: Functions = Functions::of(Hash::Sha256);

/// A block of 1,024 bits with such a DB (before masking) and first byte.
fn forged(first: u8, db: &[u8]) -> Vec<u8> {
    assert_eq!(db.len(), 95);
    let (mut seed, mut db) = ([3; 32], db.to_vec());
    mgf1::mask(Hash::Sha256, &seed, &mut db).unwrap();
    mgf1::mask(Hash::Sha256, &db, &mut seed).unwrap();
    [&[first], &seed[..], &db].concat()
}

#[test]
fn each_wrong_part_gives_the_same_error_though_all_else_is_right() {
    let label = Hash::Sha256.digest(b"label").unwrap();
    let db = |rest: &[u8]| [&label[..], rest].concat();
    let with = |start: usize, message: u8| [&vec![0; start][..], &[1], &vec![message; 62 - start]].concat();
    for start in [0, 1, 30, 61, 62] {
        // A message of ones must not move the separator.
        for message in [0, 1, 2, 0xff] {
            let block = forged(0, &db(&with(start, message)));
            assert_eq!(oaep::decode(SHA256, b"label", &block).unwrap()[..], vec![message; 62 - start]);
        }
    }
    let mut wrong_label = db(&with(10, 5));
    wrong_label[31] ^= 0x80;
    let mut padding = with(10, 5);
    padding[9] = 2;
    let mut first_padding = with(10, 5);
    first_padding[0] = 0x80;
    for (what, first, db) in [
        ("first byte", 1, db(&with(10, 5))),
        ("first byte 0x80", 0x80, db(&with(10, 5))),
        ("label", 0, wrong_label),
        ("padding", 0, db(&padding)),
        ("padding's first byte", 0, db(&first_padding)),
        ("no separator", 0, db(&[0; 63])),
        ("no padding, no separator", 0, db(&[2; 63])),
        ("0xff for a separator", 0, db(&[&[0; 62][..], &[0xff]].concat())),
        ("all at once", 7, vec![7; 95]),
    ] {
        assert_eq!(oaep::decode(SHA256, b"label", &forged(first, &db)), Err(Error::Verification), "{what}");
    }
    let good = forged(0, &db(&with(10, 5)));
    assert_eq!(oaep::decode(SHA256, b"", &good), Err(Error::Verification));
    assert_eq!(oaep::decode(Functions::of(Hash::Sha3_256), b"label", &good), Err(Error::Verification));
    for bit in 0..good.len() * 8 {
        let mut changed = good.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        // Any change of seed or DB changes the other's mask, and with it the label's hash.
        assert_eq!(oaep::decode(SHA256, b"label", &changed), Err(Error::Verification), "bit {bit}");
    }
}

#[test]
fn lengths_are_refused_at_the_exact_byte() {
    for hash in Hash::ALL {
        let least = 2 * hash.digest_len() + 2;
        let functions = Functions::of(hash);
        let mut block = vec![0; least];
        oaep::encode(functions, b"", b"", &mut block).unwrap();
        assert!(oaep::decode(functions, b"", &block).unwrap().is_empty());
        let error = oaep::encode(functions, b"", b"1", &mut block).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "message", .. }), "{error}");
        for short in [least - 1, hash.digest_len(), 1, 0] {
            let mut block = vec![0; short];
            for error in [
                oaep::encode(functions, b"", b"", &mut block).unwrap_err(),
                oaep::decode(functions, b"", &block).unwrap_err(),
            ] {
                assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{error}");
            }
        }
    }
}

#[test]
fn seeds_are_random() {
    let mut blocks = [[0; 128], [0; 128]];
    for block in &mut blocks {
        oaep::encode(SHA256, b"", b"message", block).unwrap();
    }
    assert_ne!(blocks[0], blocks[1]);
}
