// SPDX-License-Identifier: Apache-2.0
//! EMSA-PSS against libcrypto in both directions, and its refusals one by one.

use garner::Error;
use garner::padding::pss::{self, Functions, Salt};
use garner::padding::{Hash, mgf1};
use openssl::pkey::{PKey, Private};
use openssl::rsa::{Padding, Rsa};
use openssl::sign::{RsaPssSaltlen, Signer, Verifier};
use proptest::prelude::*;
use std::sync::LazyLock;

/// Words and bytes full or not; 1,025 and 521 bits make encodings a byte shorter than the modulus.
const SIZES: [u32; 10] = [512, 521, 768, 1023, 1024, 1025, 1030, 1031, 1032, 2048];

static KEYS: LazyLock<Vec<Rsa<Private>>> = LazyLock::new(|| SIZES.map(|bits| Rsa::generate(bits).unwrap()).into());

fn raw_private(key: &Rsa<Private>, block: &[u8]) -> Vec<u8> {
    let mut output = vec![0; key.size() as usize];
    key.private_encrypt(block, &mut output, Padding::NONE).unwrap();
    output
}

fn raw_public(key: &Rsa<Private>, block: &[u8]) -> Vec<u8> {
    let mut output = vec![0; key.size() as usize];
    key.public_decrypt(block, &mut output, Padding::NONE).unwrap();
    output
}

fn libcrypto_signs(key: &Rsa<Private>, hash: Hash, mgf1_hash: Hash, salt: usize, message: &[u8]) -> Vec<u8> {
    let pkey = PKey::from_rsa(key.clone()).unwrap();
    let mut signer = Signer::new(hash.message_digest().unwrap(), &pkey).unwrap();
    signer.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
    signer.set_rsa_mgf1_md(mgf1_hash.message_digest().unwrap()).unwrap();
    signer.set_rsa_pss_saltlen(RsaPssSaltlen::custom(salt as i32)).unwrap();
    signer.sign_oneshot_to_vec(message).unwrap()
}

fn libcrypto_accepts(
    key: &Rsa<Private>,
    hash: Hash,
    mgf1_hash: Hash,
    salt: usize,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let pkey = PKey::from_rsa(key.clone()).unwrap();
    let mut verifier = Verifier::new(hash.message_digest().unwrap(), &pkey).unwrap();
    verifier.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
    verifier.set_rsa_mgf1_md(mgf1_hash.message_digest().unwrap()).unwrap();
    verifier.set_rsa_pss_saltlen(RsaPssSaltlen::custom(salt as i32)).unwrap();
    verifier.verify_oneshot(signature, message).unwrap_or(false)
}

/// Both directions for one key, one pair of hashes and one salt length; nothing where the key is too short.
fn agrees(key: &Rsa<Private>, hash: Hash, mgf1_hash: Hash, salt: usize, message: &[u8]) {
    let bits = key.n().num_bits() as usize;
    let functions = Functions::Mgf1 { hash, mgf1_hash };
    let what = format!("{bits} bits, {hash:?}, {mgf1_hash:?}, salt of {salt}");
    let digest = functions.digest(message).unwrap();
    let mut encoded = vec![0xaa; key.size() as usize];
    if functions.longest_salt(bits).is_none_or(|longest| salt > longest) {
        let error = pss::verify(functions, Salt::Bytes(salt), &digest, bits, &encoded).unwrap_err();
        assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{what}: {error}");
        return;
    }
    let recovered = raw_public(key, &libcrypto_signs(key, hash, mgf1_hash, salt, message));
    for accepted in [Salt::Bytes(salt), Salt::Any] {
        assert_eq!(pss::verify(functions, accepted, &digest, bits, &recovered), Ok(()), "{what}");
    }
    if hash == Hash::Sha1 {
        return;
    }
    pss::encode(functions, Salt::Bytes(salt), &digest, bits, &mut encoded).unwrap();
    assert_eq!(pss::verify(functions, Salt::Any, &digest, bits, &encoded), Ok(()), "{what}");
    assert!(libcrypto_accepts(key, hash, mgf1_hash, salt, message, &raw_private(key, &encoded)), "{what}");
}

#[test]
fn every_size_and_hash_agrees_with_libcrypto_with_no_salt_usual_salt_and_longest_salt() {
    for key in KEYS.iter() {
        for hash in Hash::ALL {
            let longest = Functions::of(hash).longest_salt(key.n().num_bits() as usize);
            for salt in [0, hash.digest_len(), longest.unwrap_or(0), longest.map_or(0, |longest| longest + 1)] {
                agrees(key, hash, hash, salt, hash.name().as_bytes());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_hashes_salts_and_messages_agree_with_libcrypto(
        key in 0..SIZES.len(),
        hash in 0..Hash::ALL.len(),
        mgf1_hash in 0..Hash::ALL.len(),
        salt in 0usize..230,
        message in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        agrees(&KEYS[key], Hash::ALL[hash], Hash::ALL[mgf1_hash], salt, &message);
    }
}

#[test]
fn named_salt_lengths_mean_what_they_say() {
    let functions = Functions::of(Hash::Sha256);
    let digest = functions.digest(b"message").unwrap();
    for bits in [1024, 1025, 1031] {
        let longest = functions.longest_salt(bits).unwrap();
        for (salt, length) in [
            (Salt::Digest, 32),
            (Salt::Bytes(5), 5),
            (Salt::Longest, longest),
            (Salt::Any, longest),
            (Salt::Bytes(0), 0),
        ] {
            let mut encoded = vec![0; bits.div_ceil(8)];
            pss::encode(functions, salt, &digest, bits, &mut encoded).unwrap();
            for accepted in [salt, Salt::Any, Salt::Bytes(length)] {
                assert_eq!(pss::verify(functions, accepted, &digest, bits, &encoded), Ok(()), "{salt:?}");
            }
            for wrong in [length.wrapping_sub(1), length + 1] {
                assert!(pss::verify(functions, Salt::Bytes(wrong), &digest, bits, &encoded).is_err(), "{salt:?}");
            }
        }
    }
}

#[test]
fn salts_are_random() {
    let functions = Functions::of(Hash::Sha256);
    let mut blocks = [[0; 128], [0; 128]];
    for block in &mut blocks {
        pss::encode(functions, Salt::Digest, &[7; 32], 1024, block).unwrap();
    }
    assert_ne!(blocks[0], blocks[1]);
}

#[test]
fn any_changed_bit_fails_verification() {
    for (bits, functions) in
        [(1024usize, Functions::of(Hash::Sha256)), (1025, Functions::Shake128), (1030, Functions::Shake256)]
    {
        let digest = functions.digest(b"message").unwrap();
        let mut encoded = vec![0; bits.div_ceil(8)];
        pss::encode(functions, Salt::Bytes(20), &digest, bits, &mut encoded).unwrap();
        for salt in [Salt::Bytes(20), Salt::Any] {
            assert_eq!(pss::verify(functions, salt, &digest, bits, &encoded), Ok(()));
            for bit in 0..encoded.len() * 8 {
                let mut changed = encoded.clone();
                changed[bit / 8] ^= 1 << (bit % 8);
                let result = pss::verify(functions, salt, &digest, bits, &changed);
                assert_eq!(result, Err(Error::Verification), "{bits} bits, bit {bit}");
            }
        }
    }
}

/// A block of 1,024 bits with such a DB (before masking) and trailer, for the digest and salt given.
fn forged(digest: &[u8], salt: &[u8], db: &[u8], trailer: u8) -> Vec<u8> {
    let hash = Hash::Sha256.digest(&[&[0; 8], digest, salt].concat()).unwrap();
    let mut db = db.to_vec();
    mgf1::mask(Hash::Sha256, &hash, &mut db).unwrap();
    db[0] &= 0x7f;
    [&db[..], &hash, &[trailer]].concat()
}

#[test]
fn each_wrong_part_is_refused_though_all_else_is_right() {
    let functions = Functions::of(Hash::Sha256);
    let digest = functions.digest(b"message").unwrap();
    let salt = [9; 32];
    let verify = |block: &[u8], salt| pss::verify(functions, salt, &digest, 1024, block);
    let db = [&[0; 62][..], &[1], &salt].concat();
    let good = forged(&digest, &salt, &db, 0xbc);
    assert_eq!((verify(&good, Salt::Digest), verify(&good, Salt::Any)), (Ok(()), Ok(())));
    let mut encoded = [0; 128];
    pss::encode_with_salt(functions, &salt, &digest, 1024, &mut encoded).unwrap();
    assert_eq!(encoded[..], good);

    let mut padding = db.clone();
    padding[30] = 1;
    let mut separator = db.clone();
    separator[62] = 2;
    let nothing = vec![0; 95];
    let mut high = good.clone();
    high[0] |= 0x80;
    for (what, block) in [
        ("trailer", forged(&digest, &salt, &db, 0xcc)),
        ("trailer 0", forged(&digest, &salt, &db, 0)),
        ("nonzero padding", forged(&digest, &salt, &padding, 0xbc)),
        ("separator", forged(&digest, &salt, &separator, 0xbc)),
        ("neither separator nor salt", forged(&digest, &[], &nothing, 0xbc)),
        ("highest bit", high),
        ("other digest", forged(&[0; 32], &salt, &db, 0xbc)),
        ("other salt", forged(&digest, &[8; 32], &db, 0xbc)),
        ("a byte more", [&[0], &good[..]].concat()),
        ("a byte less", good[1..].to_vec()),
        ("nothing", Vec::new()),
    ] {
        for salt in [Salt::Digest, Salt::Any] {
            assert_eq!(verify(&block, salt), Err(Error::Verification), "{what}");
        }
    }
}

#[test]
fn sha1_is_refused_for_signing_but_not_for_the_mask() {
    let mut block = [0; 128];
    let error = pss::encode(Functions::of(Hash::Sha1), Salt::Digest, &[0; 20], 1024, &mut block).unwrap_err();
    assert!(matches!(error, Error::Argument { name: "hash", .. }), "{error}");
    let functions = Functions::Mgf1 { hash: Hash::Sha256, mgf1_hash: Hash::Sha1 };
    pss::encode(functions, Salt::Digest, &[0; 32], 1024, &mut block).unwrap();
}

#[test]
fn moduli_too_short_are_refused_at_the_exact_bit() {
    for functions in
        [Functions::of(Hash::Sha224), Functions::of(Hash::Sha512), Functions::Shake128, Functions::Shake256]
    {
        let digest = vec![0; functions.digest_len()];
        for salt in [0, 1, 20, functions.digest_len()] {
            // emLen = ceil(emBits / 8) bytes, of which emBits = bits - 1 may be one.
            let least = 8 * (functions.digest_len() + salt + 1) + 2;
            for bits in [least, least + 1, least + 6, least + 7, least + 8] {
                let mut block = vec![0; bits.div_ceil(8)];
                pss::encode(functions, Salt::Bytes(salt), &digest, bits, &mut block).unwrap();
                pss::verify(functions, Salt::Bytes(salt), &digest, bits, &block).unwrap();
            }
            for bits in [least - 1, least - 2, least - 8, 8, 1] {
                let mut block = vec![0; bits.div_ceil(8)];
                for error in [
                    pss::encode(functions, Salt::Bytes(salt), &digest, bits, &mut block).unwrap_err(),
                    pss::verify(functions, Salt::Bytes(salt), &digest, bits, &block).unwrap_err(),
                ] {
                    assert!(matches!(error, Error::Argument { name: "modulus", .. }), "{bits} bits: {error}");
                }
            }
        }
    }
}

#[test]
fn digests_of_another_length_are_refused() {
    for functions in [Functions::of(Hash::Sha256), Functions::Shake128] {
        for length in [0, 31, 33, 64] {
            let digest = vec![0; length];
            let mut block = [0; 128];
            for error in [
                pss::encode(functions, Salt::Any, &digest, 1024, &mut block).unwrap_err(),
                pss::verify(functions, Salt::Any, &digest, 1024, &block).unwrap_err(),
            ] {
                assert!(matches!(error, Error::Argument { name: "digest", .. }), "{error}");
            }
        }
    }
}
