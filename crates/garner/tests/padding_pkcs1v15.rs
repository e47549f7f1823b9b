// SPDX-License-Identifier: Apache-2.0
//! EMSA-PKCS1-v1_5 against libcrypto, and its refusals.

use garner::Error;
use garner::padding::{Hash, pkcs1v15};
use openssl::pkey::{PKey, Private};
use openssl::rsa::{Padding, Rsa};
use openssl::sign::Signer;

/// What libcrypto pads before it signs: the signature raised to e.
fn padded_by_libcrypto(key: &Rsa<Private>, hash: Hash, message: &[u8]) -> Vec<u8> {
    let pkey = PKey::from_rsa(key.clone()).unwrap();
    let mut signer = Signer::new(hash.message_digest().unwrap(), &pkey).unwrap();
    let signature = signer.sign_oneshot_to_vec(message).unwrap();
    let mut padded = vec![0; key.size() as usize];
    key.public_decrypt(&signature, &mut padded, Padding::NONE).unwrap();
    padded
}

#[test]
fn every_hash_is_padded_as_libcrypto_does() {
    // 1,030 bits: neither words nor bytes are full.
    for bits in [1024, 1030, 2048] {
        let key = Rsa::generate(bits).unwrap();
        for hash in Hash::ALL {
            let message = format!("signed with {}", hash.name());
            let expected = padded_by_libcrypto(&key, hash, message.as_bytes());
            let digest = hash.digest(message.as_bytes()).unwrap();
            assert_eq!(digest.len(), hash.digest_len());
            pkcs1v15::verify(hash, &digest, &expected).unwrap();
            if hash == Hash::Sha1 {
                continue;
            }
            let mut encoded = vec![0xaa; expected.len()];
            pkcs1v15::encode(hash, &digest, &mut encoded).unwrap();
            assert_eq!(encoded, expected, "{}", hash.name());
        }
    }
}

#[test]
fn bytes_without_digest_info_are_padded_as_libcrypto_does() {
    let key = Rsa::generate(1024).unwrap();
    for length in [0, 1, 36, 64, 117] {
        let payload = vec![0x5a; length];
        let (mut signature, mut expected) = (vec![0; 128], vec![0; 128]);
        key.private_encrypt(&payload, &mut signature, Padding::PKCS1).unwrap();
        key.public_decrypt(&signature, &mut expected, Padding::NONE).unwrap();
        let mut encoded = vec![0; 128];
        pkcs1v15::encode_raw(&payload, &mut encoded).unwrap();
        assert_eq!(encoded, expected, "{length} bytes");
        pkcs1v15::verify_raw(&payload, &expected).unwrap();
    }
    let error = pkcs1v15::encode_raw(&[0; 118], &mut [0; 128]).unwrap_err();
    assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{error}");
}

#[test]
fn sha1_is_refused_for_signing_and_accepted_in_verification() {
    let digest = Hash::Sha1.digest(b"old").unwrap();
    let error = pkcs1v15::encode(Hash::Sha1, &digest, &mut [0; 128]).unwrap_err();
    assert!(matches!(error, Error::Argument { name: "hash", .. }), "{error}");
    let key = Rsa::generate(1024).unwrap();
    pkcs1v15::verify(Hash::Sha1, &digest, &padded_by_libcrypto(&key, Hash::Sha1, b"old")).unwrap();
}

#[test]
fn moduli_too_short_for_the_hash_are_refused_at_the_exact_byte() {
    for hash in Hash::ALL.into_iter().filter(|&hash| hash != Hash::Sha1) {
        let digest = hash.digest(b"").unwrap();
        let least = 11 + hash.digest_info_prefix().len() + hash.digest_len();
        let mut encoded = vec![0; least];
        pkcs1v15::encode(hash, &digest, &mut encoded).unwrap();
        assert_eq!(encoded[..11], [0, 1, 255, 255, 255, 255, 255, 255, 255, 255, 0]);
        for short in 0..least {
            let error = pkcs1v15::encode(hash, &digest, &mut vec![0; short]).unwrap_err();
            assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{error}");
            let error = pkcs1v15::verify(hash, &digest, &vec![0; short]).unwrap_err();
            assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{error}");
        }
    }
}

#[test]
fn digests_of_another_length_are_refused() {
    for length in [0, 31, 33, 64] {
        let error = pkcs1v15::encode(Hash::Sha256, &vec![0; length], &mut [0; 256]).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "digest", .. }), "{error}");
    }
}

#[test]
fn any_changed_bit_of_the_padding_fails_verification() {
    let digest = Hash::Sha256.digest(b"message").unwrap();
    let mut encoded = [0; 128];
    pkcs1v15::encode(Hash::Sha256, &digest, &mut encoded).unwrap();
    pkcs1v15::verify(Hash::Sha256, &digest, &encoded).unwrap();
    for bit in 0..encoded.len() * 8 {
        let mut changed = encoded;
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(pkcs1v15::verify(Hash::Sha256, &digest, &changed), Err(Error::Verification));
    }
    let other = Hash::Sha512_256.digest(b"message").unwrap();
    assert_eq!(pkcs1v15::verify(Hash::Sha512_256, &other, &encoded), Err(Error::Verification));
    assert_eq!(pkcs1v15::verify(Hash::Sha3_256, &digest, &encoded), Err(Error::Verification));
}

#[test]
fn hashes_are_found_by_their_usual_names() {
    for hash in Hash::ALL {
        assert_eq!(Hash::from_name(hash.name()), Ok(hash));
        assert_eq!(Hash::from_name(&hash.name().to_lowercase()), Ok(hash));
    }
    for (name, hash) in [
        ("sha1", Hash::Sha1),
        ("sha256", Hash::Sha256),
        ("SHA2-224", Hash::Sha224),
        ("SHA2-512/256", Hash::Sha512_256),
        ("sha512-224", Hash::Sha512_224),
        ("sha3_512", Hash::Sha3_512),
        ("SHA512", Hash::Sha512),
    ] {
        assert_eq!(Hash::from_name(name), Ok(hash), "{name}");
    }
    for name in ["", "md5", "sha2", "sha3", "sha2-1", "sha2-3224", "sha-25"] {
        assert!(Hash::from_name(name).is_err(), "{name}");
    }
}
