// SPDX-License-Identifier: Apache-2.0
//! What holds for any damage: a changed key is refused or equal, and nothing panics or tells a secret.

mod key_support;

use garner::key::{PrivateKey, PublicKey};
use key_support::*;
use openssl::bn::BigNum;
use proptest::prelude::*;
use std::sync::LazyLock;

static KEY: LazyLock<[Vec<u8>; 8]> = LazyLock::new(|| Parts::generate(520, 504, number(65537)).bytes());

fn parts() -> Parts {
    let [n, e, d, p, q, dp, dq, q_inverse] = KEY.each_ref().map(|bytes| BigNum::from_slice(bytes).unwrap());
    Parts { n, e, d, p, q, dp, dq, q_inverse }
}

/// Reads by every way in; none may panic, and no refusal may tell a secret.
fn read_every_way(bytes: &[u8]) -> Option<PrivateKey> {
    let parts = parts();
    let told = |error: garner::Error| assert_free_of_secrets(&error.to_string(), &parts);
    let _ = PrivateKey::from_encrypted_der(bytes, b"x").map_err(told);
    let _ = PrivateKey::from_encrypted_pem(bytes, b"x").map_err(told);
    let _ = PrivateKey::from_pem(bytes).map_err(told);
    let _ = PublicKey::read(bytes, None).map_err(told);
    let _ = PublicKey::from_der(bytes).map_err(told);
    let _ = PublicKey::from_pem(bytes).map_err(told);
    let _ = PrivateKey::from_der(bytes).map_err(told);
    PrivateKey::read(bytes, None).map_err(told).ok()
}

#[test]
fn every_single_bit_flip_of_every_field_is_refused() {
    parts().read().unwrap();
    let mut flips = 0;
    for field in 0..8 {
        for bit in 0..KEY[field].len() * 8 {
            // All of the short fields, every third bit of the long ones.
            if KEY[field].len() > 8 && bit % 3 != field % 3 {
                continue;
            }
            let mut changed = KEY.clone();
            changed[field][bit / 8] ^= 1 << (bit % 8);
            refusal(from_bytes(&changed));
            flips += 1;
        }
    }
    assert!(flips > 1500);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keys_with_flipped_bits_are_refused_or_equal(flips in prop::collection::vec((0..8_usize, any::<u16>()), 1..4)) {
        let mut changed = KEY.clone();
        for (field, bit) in flips {
            let bit = usize::from(bit) % (changed[field].len() * 8);
            changed[field][bit / 8] ^= 1 << (bit % 8);
        }
        match from_bytes(&changed) {
            Ok(key) => prop_assert_eq!(key.to_pkcs1_der().to_vec(), parts().pkcs1()),
            Err(error) => {
                prop_assert!(changed != *KEY);
                assert_free_of_secrets(&error.to_string(), &parts());
            }
        }
    }

    #[test]
    fn flipped_bits_in_the_file_are_refused_or_harmless(flips in prop::collection::vec(any::<u16>(), 1..4)) {
        for file in [parts().pkcs1(), pkcs8(&parts().pkcs1())] {
            let mut changed = file.clone();
            for flip in &flips {
                let bit = usize::from(*flip) % (file.len() * 8);
                changed[bit / 8] ^= 1 << (bit % 8);
            }
            if let Some(key) = read_every_way(&changed) {
                prop_assert_eq!(key.to_pkcs1_der().to_vec(), parts().pkcs1());
            }
        }
    }

    #[test]
    fn fields_of_random_bytes_are_refused(field in 0..8_usize, bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut changed = KEY.clone();
        changed[field] = bytes;
        prop_assert!(from_bytes(&changed).is_err());
    }

    #[test]
    fn random_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(read_every_way(&bytes).is_none());
        let nested = [tlv(0x30, &bytes), tlv(0x30, &[integer(&[0]), bytes.clone()].concat()), pkcs8(&bytes)];
        for der in nested {
            prop_assert!(read_every_way(&der).is_none());
        }
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PUBLIC KEY", "RSA PUBLIC KEY"] {
            let body = openssl::base64::encode_block(&bytes);
            let pem = format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n");
            prop_assert!(read_every_way(pem.as_bytes()).is_none());
        }
    }
}

#[test]
fn truncation_at_every_length_is_refused_without_panic() {
    let parts = parts();
    let key = parts.read().unwrap();
    let encrypted =
        openssl("pkcs8 -topk8 -v2 aes-128-cbc -iter 1 -outform DER -passout pass:x", key.to_pkcs8_pem().as_bytes());
    let files = [
        key.to_pkcs1_der().to_vec(),
        key.to_pkcs8_der().to_vec(),
        key.to_pkcs1_pem().trim_end().as_bytes().to_vec(),
        key.to_pkcs8_pem().trim_end().as_bytes().to_vec(),
        encrypted,
    ];
    for file in files {
        assert!(PrivateKey::read(&file, Some(b"x")).is_ok());
        for length in 0..file.len() {
            assert!(read_every_way(&file[..length]).is_none(), "accepted {length} of {} bytes", file.len());
            assert!(PrivateKey::read(&file[..length], Some(b"x")).is_err());
        }
    }
    let public = [key.public().to_der(), key.public().to_pem().trim_end().as_bytes().to_vec()];
    for file in public {
        assert!(PublicKey::read(&file, None).is_ok());
        for length in 0..file.len() {
            assert!(PublicKey::read(&file[..length], None).is_err(), "accepted {length} of {} bytes", file.len());
        }
    }
}
