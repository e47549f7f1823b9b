// SPDX-License-Identifier: Apache-2.0
//! Keys back to DER and PEM, by `pkcs1`, `pkcs8` and `spki`. Called by the command line and the OpenSSL provider.
//!
//! A private key is written with its larger prime first, whatever order it was read in. Encrypted files are written by `encrypt`.

use super::{Components, PrivateKey, PublicKey};
use crate::words::to_be_bytes;
use pkcs1::{ALGORITHM_ID, RsaPrivateKeyRef, RsaPublicKeyRef, UintRef};
use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::{Document, pem::LineEnding};
use pkcs8::{PrivateKeyInfoRef, SecretDocument, SubjectPublicKeyInfoRef};
use zeroize::Zeroizing;

/// Encoding what was validated: lengths are bounded, so the encoders have nothing to refuse.
const ENCODES: &str = "a validated key encodes";

impl PrivateKey {
    /// Calls `take` with all the key's numbers, wiped afterwards: for handing the key to another implementation.
    pub fn with_components<T>(&self, take: impl FnOnce(&Components<'_>) -> T) -> T {
        let [n, e, d, p, q, dp, dq, inverse] = self.numbers();
        take(&Components {
            modulus: &n,
            public_exponent: &e,
            private_exponent: &d,
            prime1: &p,
            prime2: &q,
            exponent1: &dp,
            exponent2: &dq,
            coefficient: &inverse,
        })
    }

    /// The numbers in PKCS#1's order, big-endian.
    fn numbers(&self) -> [Zeroizing<Vec<u8>>; 8] {
        let public = self.public();
        [
            public.modulus().words(),
            public.exponent(),
            self.d(),
            self.p().words(),
            self.q().words(),
            self.dp(),
            self.dq(),
            self.q_inverse(),
        ]
        .map(big_endian)
    }

    /// PKCS#1 `RSAPrivateKey` (RFC 8017 A.1.2) in DER.
    pub fn to_pkcs1_der(&self) -> Zeroizing<Vec<u8>> {
        self.pkcs1().to_bytes()
    }

    /// PKCS#1 in PEM, `RSA PRIVATE KEY`.
    pub fn to_pkcs1_pem(&self) -> Zeroizing<String> {
        self.pkcs1().to_pem("RSA PRIVATE KEY", LineEnding::LF).expect(ENCODES)
    }

    /// PKCS#8 `PrivateKeyInfo` (RFC 5208) in DER, unencrypted.
    pub fn to_pkcs8_der(&self) -> Zeroizing<Vec<u8>> {
        self.pkcs8().to_bytes()
    }

    /// PKCS#8 in PEM, `PRIVATE KEY`, unencrypted.
    pub fn to_pkcs8_pem(&self) -> Zeroizing<String> {
        self.pkcs8().to_pem("PRIVATE KEY", LineEnding::LF).expect(ENCODES)
    }

    pub(super) fn pkcs1(&self) -> SecretDocument {
        let numbers = self.numbers();
        let field = |i: usize| UintRef::new(&numbers[i]).expect(ENCODES);
        let key = RsaPrivateKeyRef {
            modulus: field(0),
            public_exponent: field(1),
            private_exponent: field(2),
            prime1: field(3),
            prime2: field(4),
            exponent1: field(5),
            exponent2: field(6),
            coefficient: field(7),
            other_prime_infos: None,
        };
        SecretDocument::encode_msg(&key).expect(ENCODES)
    }

    fn pkcs8(&self) -> SecretDocument {
        SecretDocument::encode_msg(&info(&self.pkcs1())).expect(ENCODES)
    }
}

impl PublicKey {
    /// `SubjectPublicKeyInfo` (RFC 5280) in DER.
    pub fn to_der(&self) -> Vec<u8> {
        self.info().into_vec()
    }

    /// `SubjectPublicKeyInfo` in PEM, `PUBLIC KEY`.
    pub fn to_pem(&self) -> String {
        self.info().to_pem("PUBLIC KEY", LineEnding::LF).expect(ENCODES)
    }

    fn info(&self) -> Document {
        let (n, e) = (big_endian(self.modulus().words()), big_endian(self.exponent()));
        let key = RsaPublicKeyRef {
            modulus: UintRef::new(&n).expect(ENCODES),
            public_exponent: UintRef::new(&e).expect(ENCODES),
        };
        let key = Document::encode_msg(&key).expect(ENCODES);
        let info = SubjectPublicKeyInfoRef {
            algorithm: ALGORITHM_ID,
            subject_public_key: BitStringRef::from_bytes(key.as_bytes()).expect(ENCODES),
        };
        Document::encode_msg(&info).expect(ENCODES)
    }
}

/// The `PrivateKeyInfo` around an `RSAPrivateKey`.
pub(super) fn info(pkcs1: &SecretDocument) -> PrivateKeyInfoRef<'_> {
    PrivateKeyInfoRef::new(ALGORITHM_ID, OctetStringRef::new(pkcs1.as_bytes()).expect(ENCODES))
}

fn big_endian(words: &[u64]) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(vec![0; words.len() * 8]);
    to_be_bytes(words, &mut bytes);
    bytes
}
