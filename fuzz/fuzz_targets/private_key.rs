// SPDX-License-Identifier: Apache-2.0
//! Private keys from arbitrary bytes: no panic, and what is accepted is written and read back unchanged.
//!
//! Seeds: `make_seeds.sh` writes valid files of every kind. Their passwords, where there are any, are "x".
#![no_main]

use garner::key::PrivateKey;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = PrivateKey::from_encrypted_der(bytes, b"x");
    let _ = PrivateKey::from_pem(bytes);
    if let Ok(key) = PrivateKey::read(bytes, Some(b"x")) {
        let der = key.to_pkcs1_der();
        assert_eq!(PrivateKey::from_der(&der).expect("own PKCS#1 DER").to_pkcs1_der(), der);
        assert_eq!(PrivateKey::from_der(&key.to_pkcs8_der()).expect("own PKCS#8 DER").to_pkcs1_der(), der);
        assert_eq!(PrivateKey::from_pem(&*key.to_pkcs8_pem()).expect("own PKCS#8 PEM").to_pkcs1_der(), der);
    }
});
