// SPDX-License-Identifier: Apache-2.0
//! RSAES-PKCS1-v1_5 against libcrypto in both directions, its refusals one by one, and TLS's premaster secret.

use garner::Error;
use garner::padding::{pkcs1v15_encryption, premaster};
use openssl::rsa::{Padding, Rsa};
use proptest::prelude::*;

/// A block: `start`, then as many bytes of 0xa5 as fill it, then `end`.
fn block(size: usize, start: &[u8], end: &[u8]) -> Vec<u8> {
    let filling = vec![0xa5; size - start.len() - end.len()];
    [start, &filling, end].concat()
}

#[test]
fn every_length_of_message_agrees_with_libcrypto_at_full_and_odd_sizes() {
    for bits in [512, 1024, 1025, 1031, 2048] {
        let key = Rsa::generate(bits).unwrap();
        let size = key.size() as usize;
        for length in 0..=size - 11 {
            let message = vec![length as u8; length];
            let (mut ciphertext, mut decrypted) = (vec![0; size], vec![0; size]);
            key.public_encrypt(&message, &mut ciphertext, Padding::PKCS1).unwrap();
            key.private_decrypt(&ciphertext, &mut decrypted, Padding::NONE).unwrap();
            assert_eq!(pkcs1v15_encryption::decode(&decrypted).unwrap()[..], *message, "{bits} bits, {length} bytes");

            let mut encoded = vec![0xaa; size];
            pkcs1v15_encryption::encode(&message, &mut encoded).unwrap();
            key.public_encrypt(&encoded, &mut ciphertext, Padding::NONE).unwrap();
            let found = key.private_decrypt(&ciphertext, &mut decrypted, Padding::PKCS1).unwrap();
            assert_eq!(decrypted[..found], *message, "{bits} bits, {length} bytes");
        }
        let error = pkcs1v15_encryption::encode(&vec![0; size - 10], &mut vec![0; size]).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "message", .. }), "{error}");
    }
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(message in prop::collection::vec(any::<u8>(), 0..300), more in 0usize..300) {
        let mut encoded = vec![0; message.len() + 11 + more];
        pkcs1v15_encryption::encode(&message, &mut encoded).unwrap();
        prop_assert_eq!(&pkcs1v15_encryption::decode(&encoded).unwrap()[..], &message[..]);
    }

    /// Almost all random blocks are refused; those here are almost right.
    #[test]
    fn decoding_is_that_of_a_plain_parser(start in 0u8..2, kind in 1u8..4, rest in prop::collection::vec(0u8..12, 9..100)) {
        let block = [&[start, kind][..], &rest].concat();
        let separator = rest.iter().position(|&byte| byte == 0).filter(|&at| at >= 8 && start == 0 && kind == 2);
        match (separator, pkcs1v15_encryption::decode(&block)) {
            (Some(at), Ok(message)) => prop_assert_eq!(&message[..], &rest[at + 1..]),
            (expected, result) => prop_assert_eq!((expected, result), (None, Err(Error::Verification))),
        }
    }
}

#[test]
fn padding_is_random_and_never_zero() {
    let mut blocks = vec![vec![0; 1024]; 100];
    let mut seen = [0u32; 256];
    for block in &mut blocks {
        pkcs1v15_encryption::encode(b"", block).unwrap();
        assert_eq!((&block[..2], block[1023]), (&[0, 2][..], 0));
        block[2..1023].iter().for_each(|&byte| seen[usize::from(byte)] += 1);
    }
    assert_ne!(blocks[0], blocks[1]);
    assert_eq!(seen[0], 0);
    // 400 of each expected, 20 the standard deviation: ten of them are not missed by chance.
    assert!(seen[1..].iter().all(|count| (200..600).contains(count)), "{seen:?}");
}

#[test]
fn each_wrong_part_gives_the_same_error() {
    let good = block(128, &[0, 2], b"\0message");
    assert_eq!(pkcs1v15_encryption::decode(&good).unwrap()[..], *b"message");
    for (what, block) in [
        ("first byte", block(128, &[1, 2], b"\0message")),
        ("first byte 0x80", block(128, &[0x80, 2], b"\0message")),
        ("type 0", block(128, &[0, 0], b"\0message")),
        ("type 1", block(128, &[0, 1], b"\0message")),
        ("type 3", block(128, &[0, 3], b"\0message")),
        ("type 0x82", block(128, &[0, 0x82], b"\0message")),
        ("no separator", block(128, &[0, 2], b"")),
        ("no padding", block(128, &[0, 2, 0], b"")),
        ("padding of 7", block(128, &[0, 2, 1, 1, 1, 1, 1, 1, 1, 0], b"")),
        ("padding of 7, and another separator", block(128, &[0, 2, 1, 1, 1, 1, 1, 1, 1, 0], b"\0message")),
        ("zeros", vec![0; 128]),
        ("ones", vec![0xff; 128]),
    ] {
        assert_eq!(pkcs1v15_encryption::decode(&block), Err(Error::Verification), "{what}");
    }
    let least = block(128, &[0, 2, 1, 1, 1, 1, 1, 1, 1, 1, 0], b"");
    assert_eq!(pkcs1v15_encryption::decode(&least).unwrap().len(), 117);
    assert!(pkcs1v15_encryption::decode(&block(128, &[0, 2], b"\0")).unwrap().is_empty());
}

#[test]
fn moduli_too_short_are_refused_at_the_exact_byte() {
    let mut encoded = [0; 11];
    pkcs1v15_encryption::encode(b"", &mut encoded).unwrap();
    assert!(pkcs1v15_encryption::decode(&encoded).unwrap().is_empty());
    for short in 0..11 {
        for error in [
            pkcs1v15_encryption::encode(b"", &mut vec![0; short]).unwrap_err(),
            pkcs1v15_encryption::decode(&vec![0; short]).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{error}");
        }
    }
}

/// The end of a block that holds a premaster secret of such a version.
fn secret(version: u16) -> Vec<u8> {
    [&[0][..], &version.to_be_bytes(), &[0x11; 46]].concat()
}

#[test]
fn premaster_secret_comes_out_when_all_is_right() {
    for size in [59, 64, 128, 129, 256] {
        let block = block(size, &[0, 2], &secret(0x0303));
        for alternative in [None, Some(0x0301), Some(0x0303)] {
            assert_eq!(premaster::decode(&block, 0x0303, alternative).unwrap()[..], secret(0x0303)[1..]);
        }
        assert_eq!(premaster::decode(&block, 0x0304, Some(0x0303)).unwrap()[..], secret(0x0303)[1..]);
    }
}

#[test]
fn random_secret_takes_the_place_of_a_premaster_secret_with_anything_wrong() {
    let mut zero_in_padding = block(128, &[0, 2], &secret(0x0303));
    zero_in_padding[40] = 0;
    let mut zero_at_first = block(128, &[0, 2], &secret(0x0303));
    zero_at_first[2] = 0;
    let mut no_separator = block(128, &[0, 2], &secret(0x0303));
    no_separator[79] = 1;
    for (what, block) in [
        ("first byte", block(128, &[1, 2], &secret(0x0303))),
        ("type", block(128, &[0, 1], &secret(0x0303))),
        ("version", block(128, &[0, 2], &secret(0x0302))),
        ("version's first byte", block(128, &[0, 2], &secret(0x0203))),
        ("a byte more", block(128, &[0, 2], &[&secret(0x0303)[..], &[0x11]].concat())),
        ("a byte less", block(128, &[0, 2], &secret(0x0303)[..48])),
        ("zero in the padding", zero_in_padding),
        ("zero at the padding's first byte", zero_at_first),
        ("no separator", no_separator),
        ("zeros", vec![0; 128]),
    ] {
        let once = premaster::decode(&block, 0x0303, Some(0x0301)).unwrap();
        let again = premaster::decode(&block, 0x0303, Some(0x0301)).unwrap();
        assert_ne!(once, again, "{what}: not random");
        assert_ne!(once[2..], block[82..], "{what}: released");
    }
    for short in [0, 11, 58] {
        let error = premaster::decode(&vec![0; short], 0x0303, None).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{error}");
    }
}
