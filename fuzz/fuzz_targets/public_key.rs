// SPDX-License-Identifier: Apache-2.0
//! Public keys from arbitrary bytes: no panic, and what is accepted is written and read back unchanged.
//!
//! Seeds: as for `private_key`.
#![no_main]

use garner::key::PublicKey;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = PublicKey::from_pem(bytes);
    if let Ok(key) = PublicKey::read(bytes, None) {
        assert!((512..=8192).contains(&key.bits()));
        let der = key.to_der();
        assert_eq!(PublicKey::from_der(&der).expect("own DER").to_der(), der);
        assert_eq!(PublicKey::from_pem(key.to_pem()).expect("own PEM").to_der(), der);
    }
});
