// SPDX-License-Identifier: Apache-2.0
//! Implicit rejection: OpenSSL's messages byte for byte, and the properties that make it safe.
//!
//! `padding_support/implicit_rejection.json` was computed by an OpenSSL that has it, by the script beside it; a local
//! libcrypto that has it is compared too.

use garner::Error;
use garner::encryption::{self, Scheme};
use garner::gather::Gatherer;
use garner::key::PrivateKey;
use garner::padding::implicit_rejection::Rejection;
use garner::padding::{pkcs1v15_encryption, premaster};
use openssl::encrypt::Decrypter;
use openssl::pkey::PKey;
use openssl::rsa::{Padding, Rsa};
use serde_json::Value;
use std::collections::HashSet;
use std::sync::Arc;

fn bytes(value: &Value) -> Vec<u8> {
    let hex = value.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn number(number: &openssl::bn::BigNumRef, size: usize) -> Vec<u8> {
    number.to_vec_padded(size as i32).unwrap()
}

#[test]
fn messages_are_openssls_byte_for_byte() {
    let file: Value = serde_json::from_str(include_str!("padding_support/implicit_rejection.json")).unwrap();
    let (mut well, mut badly) = (0, 0);
    for group in file["groups"].as_array().unwrap() {
        let pem = group["key"].as_str().unwrap();
        let key = Arc::new(PrivateKey::read(pem.as_bytes(), None).unwrap());
        let rsa = Rsa::private_key_from_pem(pem.as_bytes()).unwrap();
        let size = rsa.size() as usize;
        assert_eq!(key.public().bits() as u64, group["bits"].as_u64().unwrap());
        for test in group["tests"].as_array().unwrap() {
            let what = format!("{} bits, {}", group["bits"], test["what"]);
            let (ciphertext, expected) = (bytes(&test["ciphertext"]), bytes(&test["message"]));

            let mut block = vec![0; size];
            rsa.private_decrypt(&ciphertext, &mut block, Padding::NONE).unwrap();
            let start = ciphertext.iter().position(|&byte| byte != 0).unwrap();
            // Zero bytes before a ciphertext make no difference.
            for ciphertext in [&ciphertext[..], &ciphertext[start..]] {
                let rejection = Rejection::new(&number(rsa.d(), size), ciphertext).unwrap();
                assert_eq!(rejection.decode(&block).unwrap()[..], expected, "{what}");
            }

            let decrypt = |scheme| encryption::decrypt(Gatherer::global().unwrap(), &key, scheme, &ciphertext);
            assert_eq!(decrypt(Scheme::Pkcs1v15).unwrap()[..], expected, "{what}");
            match decrypt(Scheme::Pkcs1v15Explicit) {
                Ok(message) => {
                    assert_eq!(message[..], expected, "{what}");
                    well += 1;
                }
                Err(error) => {
                    assert_eq!(error, Error::Verification, "{what}");
                    badly += 1;
                }
            }
        }
    }
    println!("{}: {well} well padded, {badly} badly", file["about"]);
    assert!(well >= 32 && badly >= 100, "{well} well padded, {badly} badly");
}

#[test]
fn local_libcrypto_gives_the_same_where_it_rejects_implicitly() {
    let mut compared = 0;
    for bits in [512, 1024, 1025, 2048] {
        let rsa = Rsa::generate(bits).unwrap();
        let size = rsa.size() as usize;
        let pkey = PKey::from_rsa(rsa.clone()).unwrap();
        for i in 0..32 {
            let mut ciphertext = vec![0; size];
            openssl::rand::rand_bytes(&mut ciphertext[1..]).unwrap();
            let mut decrypter = Decrypter::new(&pkey).unwrap();
            decrypter.set_rsa_padding(Padding::PKCS1).unwrap();
            let mut output = vec![0; size];
            let Ok(length) = decrypter.decrypt(&ciphertext, &mut output) else {
                continue;
            };
            let mut block = vec![0; size];
            rsa.private_decrypt(&ciphertext, &mut block, Padding::NONE).unwrap();
            let rejection = Rejection::new(&number(rsa.d(), size), &ciphertext).unwrap();
            assert_eq!(rejection.decode(&block).unwrap()[..], output[..length], "{bits} bits, {i}");
            compared += 1;
        }
    }
    let version = openssl::version::version();
    // One random ciphertext in some tens of thousands is well padded by chance.
    if compared > 2 {
        assert_eq!(compared, 128);
        println!("{version} rejects implicitly; {compared} messages are the same");
    } else {
        println!("{version} does not reject implicitly; nothing to compare");
    }
}

/// A stand-in for a made-up secret and ciphertext.
fn stand_in(size: usize, exponent: u8, ciphertext: u64) -> Vec<u8> {
    let rejection = Rejection::new(&vec![exponent; size], &ciphertext.to_be_bytes()).unwrap();
    rejection.decode(&vec![0xff; size]).unwrap().to_vec()
}

#[test]
fn stand_ins_are_the_same_for_one_key_and_ciphertext_and_different_for_others() {
    let mut seen = HashSet::new();
    for exponent in [1, 2, 3] {
        for ciphertext in 0..300 {
            let message = stand_in(256, exponent, ciphertext);
            assert_eq!(message, stand_in(256, exponent, ciphertext));
            // Short ones may meet by chance.
            assert!(message.len() < 8 || seen.insert(message), "key {exponent}, ciphertext {ciphertext}");
        }
    }
}

#[test]
fn premaster_secret_for_an_asker_is_the_message_if_that_is_as_long_and_random_otherwise() {
    let (mut as_long, mut others) = (0, 0);
    for ciphertext in 0_u32..2_000 {
        let rejection = Rejection::new(&[5; 128], &ciphertext.to_be_bytes()).unwrap();
        // Good ones of 40 to 55 bytes, and bad ones.
        let mut block = vec![0xa5; 128];
        block[..2].copy_from_slice(&[0, 2 + (ciphertext % 2) as u8]);
        block[127 - 40 - (ciphertext / 2 % 16) as usize] = 0;
        let message = rejection.decode(&block).unwrap();
        let [once, again] = [(); 2].map(|()| premaster::decode_for_asker(&rejection, &block).unwrap());
        if message.len() == premaster::LENGTH {
            assert!(once[..] == message[..] && again == once);
            as_long += 1;
        } else {
            assert_ne!(once, again);
            // Nor is it the end of what the message is the end of.
            let end = message.len().min(4);
            assert!(end < 4 || once[44..] != message[message.len() - end..], "ciphertext {ciphertext}");
            others += 1;
        }
    }
    assert!(as_long > 62 && others > 1000, "{as_long} as long, {others} others");
    let short = Rejection::new(&[5; 58], &[6; 58]).unwrap();
    assert!(matches!(premaster::decode_for_asker(&short, &[0; 58]), Err(Error::Argument { name: "modulus", .. })));
}

#[test]
fn versions_are_looked_at_without_the_block() {
    let secret = [[3, 3, 7, 7]; 12].concat().try_into().unwrap();
    for (version, alternative, good) in
        [(0x0303, None, true), (0x0304, Some(0x0303), true), (0x0302, None, false), (0x0203, Some(0x0301), false)]
    {
        let [once, again] = [(); 2].map(|()| premaster::with_version(&secret, version, alternative).unwrap());
        assert_eq!(*once == secret, good, "{version:x}");
        assert_eq!(once == again, good, "{version:x}");
    }
}

#[test]
fn stand_in_says_nothing_of_what_was_wrong() {
    let rejection = Rejection::new(&[5; 128], &[6; 128]).unwrap();
    let expected = rejection.decode(&[0; 128]).unwrap();
    let mut nearly = [0xa5; 128];
    nearly[..2].copy_from_slice(&[0, 2]);
    assert_eq!(rejection.decode(&nearly).unwrap(), expected, "no separator");
    for at in 2..10 {
        let mut short = nearly;
        short[at] = 0;
        assert_eq!(rejection.decode(&short).unwrap(), expected, "padding of {}", at - 2);
    }
    for at in 10..128 {
        let mut good = nearly;
        good[at] = 0;
        assert_eq!(rejection.decode(&good).unwrap()[..], good[at + 1..]);
        for (byte, value) in [(0, 1), (0, 0x80), (1, 0), (1, 1), (1, 3)] {
            let mut bad = good;
            bad[byte] = value;
            assert_eq!(rejection.decode(&bad).unwrap(), expected, "byte {byte} is {value}");
        }
    }
}

#[test]
fn lengths_of_stand_ins_are_even_from_none_to_the_longest() {
    // 64 bytes: 54 lengths, drawn from 64; 75: 65 drawn from 128; 74: 64 drawn from 127.
    for size in [64usize, 74, 75, 128] {
        let lengths = size - 10;
        let mut seen = vec![0u32; lengths];
        let draws = lengths as u64 * 100;
        for ciphertext in 0..draws {
            seen[stand_in(size, 9, ciphertext).len()] += 1;
        }
        let square: f64 = seen.iter().map(|&count| (f64::from(count) - 100.0).powi(2) / 100.0).sum();
        // Chi-squared with `lengths - 1` degrees of freedom: six standard deviations. The draws are the same each time.
        let freedom = lengths as f64 - 1.0;
        println!("{size} bytes: chi-squared {square:.0} of {freedom}");
        assert!((square - freedom).abs() < 6.0 * (2.0 * freedom).sqrt(), "{size} bytes: {square}, {seen:?}");
    }
}

#[test]
fn least_modulus_and_lengths_out_of_range() {
    let least = Rejection::new(&[1; 11], &[2; 11]).unwrap();
    assert!(least.decode(&[0xff; 11]).unwrap().is_empty());
    for size in [0, 10, 8192] {
        let error = least.decode(&vec![0xff; size]).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{size} bytes: {error}");
    }
    let error = Rejection::new(&[1; 128], &[2; 129]).unwrap_err();
    assert!(matches!(error, Error::Argument { name: "ciphertext", .. }), "{error}");
    let mut good = vec![0; 8191];
    pkcs1v15_encryption::encode(b"message", &mut good).unwrap();
    assert_eq!(least.decode(&good).unwrap()[..], *b"message");
}
