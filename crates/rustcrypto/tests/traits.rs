// SPDX-License-Identifier: Apache-2.0
//! Programs that know RustCrypto's traits alone: x509-cert makes certificates, and libcrypto verifies them.

use garner::gather::Gatherer;
use garner::key::PrivateKey;
use garner::padding::{Hash, pss};
use garner::signature::Scheme;
use garner_rustcrypto::{Signature, SigningKey};
use openssl::rsa::Rsa;
use openssl::x509::X509;
use signature::hazmat::{PrehashSigner, PrehashVerifier, RandomizedPrehashSigner};
use signature::rand_core::{Infallible, TryCryptoRng, TryRng};
use signature::{Error, Keypair, RandomizedSigner, SignatureEncoding, Signer, Verifier};
use spki::{DynSignatureAlgorithmIdentifier, EncodePublicKey};
use std::str::FromStr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use x509_cert::builder::{AsyncBuilder, Builder, CertificateBuilder, profile};
use x509_cert::der::Encode;
use x509_cert::name::Name;
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::SubjectPublicKeyInfo;
use x509_cert::time::Validity;

fn key(scheme: impl Into<Scheme>) -> SigningKey {
    static KEY: LazyLock<Arc<PrivateKey>> = LazyLock::new(|| {
        let der = Rsa::generate(2048).unwrap().private_key_to_der().unwrap();
        Arc::new(PrivateKey::from_der(&der).unwrap())
    });
    SigningKey::new(Gatherer::global().unwrap(), Arc::clone(&KEY), scheme)
}

/// Numbers that follow from a seed: what depends on them can be made twice.
struct Counting(u8);

impl TryRng for Counting {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0 = self.0.wrapping_add(1);
        Ok(self.0.into())
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.try_next_u32().map(u64::from)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.iter_mut().for_each(|byte| {
            self.0 = self.0.wrapping_add(1);
            *byte = self.0;
        });
        Ok(())
    }
}

impl TryCryptoRng for Counting {}

fn builder(key: &impl Keypair<VerifyingKey: EncodePublicKey>) -> CertificateBuilder<profile::cabf::Root> {
    let subject = profile::cabf::Root::new(false, Name::from_str("CN=authority,O=Garner,C=XX").unwrap()).unwrap();
    let validity = Validity::from_now(Duration::from_secs(3600)).unwrap();
    let public = SubjectPublicKeyInfo::from_key(&key.verifying_key()).unwrap();
    CertificateBuilder::new(subject, SerialNumber::from(1_u32), validity, public).unwrap()
}

/// libcrypto's verdict over a certificate signed by its own key, which says by what scheme it is.
fn libcrypto_verifies(certificate: &x509_cert::Certificate) -> bool {
    let certificate = X509::from_der(&certificate.to_der().unwrap()).unwrap();
    certificate.verify(&certificate.public_key().unwrap()).unwrap()
}

fn schemes() -> Vec<Scheme> {
    let mixed = pss::Functions::Mgf1 { hash: Hash::Sha384, mgf1_hash: Hash::Sha256 };
    vec![
        Hash::Sha256.into(),
        Hash::Sha512.into(),
        Hash::Sha3_256.into(),
        Scheme::pss(Hash::Sha256),
        Scheme::Pss { functions: mixed, salt: pss::Salt::Bytes(20) },
        Scheme::Pss { functions: pss::Functions::of(Hash::Sha512), salt: pss::Salt::Longest },
    ]
}

#[test]
fn certificates_are_signed_as_they_say_they_are() {
    for scheme in schemes() {
        let key = key(scheme);
        let certificate = builder(&key).build::<_, Signature>(&key).unwrap();
        assert!(libcrypto_verifies(&certificate), "{scheme:?}");
        let certificate = builder(&key).build_with_rng::<_, Signature, _>(&key, &mut Counting(7)).unwrap();
        assert!(libcrypto_verifies(&certificate), "{scheme:?}");
        let key = key.into_async();
        let certificate = smol::block_on(builder(&key).build_async::<_, Signature>(&key)).unwrap();
        assert!(libcrypto_verifies(&certificate), "{scheme:?}");
    }
}

#[test]
fn salts_are_the_generators_where_one_is_given_and_random_otherwise() {
    let key = key(Scheme::pss(Hash::Sha256));
    let with = |seed| key.sign_with_rng(&mut Counting(seed), b"message");
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
    assert_ne!(key.sign(b"message"), key.sign(b"message"));
    let digest = Hash::Sha256.digest(b"message").unwrap();
    assert_eq!(with(1), key.sign_prehash_with_rng(&mut Counting(1), &digest).unwrap());
}

#[test]
fn salts_that_no_modulus_has_room_for_are_errors() {
    for length in [1000, usize::MAX] {
        let key = key(Scheme::Pss { functions: pss::Functions::of(Hash::Sha256), salt: pss::Salt::Bytes(length) });
        assert!(key.try_sign_with_rng(&mut Counting(1), b"message").is_err());
    }
}

/// RFC 8702 names PSS with SHAKE without parameters, and so with a salt of one length.
#[test]
fn shakes_have_names_with_their_own_salts_only() {
    for (functions, name, length) in
        [(pss::Functions::Shake128, "1.3.6.1.5.5.7.6.30", 32), (pss::Functions::Shake256, "1.3.6.1.5.5.7.6.31", 64)]
    {
        for salt in [pss::Salt::Digest, pss::Salt::Bytes(length)] {
            let key = key(Scheme::Pss { functions, salt });
            let named = key.signature_algorithm_identifier().unwrap();
            assert!(named.oid.to_string() == name && named.parameters.is_none(), "{named:?}");
        }
        for salt in [pss::Salt::Bytes(0), pss::Salt::Bytes(length - 1), pss::Salt::Longest] {
            let key = key(Scheme::Pss { functions, salt });
            assert!(key.signature_algorithm_identifier().is_err());
            assert!(key.verifying_key().signature_algorithm_identifier().is_err());
        }
    }
}

#[test]
fn what_one_method_signs_the_others_verify_and_nothing_else() {
    for scheme in schemes() {
        let key = key(scheme);
        let (public, digest) = (key.verifying_key(), scheme.digest(b"message").unwrap());
        let signature = key.sign(b"message");
        public.verify_prehash(&digest, &signature).unwrap();
        public.verify(b"message", &key.sign_prehash(&digest).unwrap()).unwrap();
        let bytes = signature.to_bytes();
        public.verify(b"message", &Signature::try_from(&bytes[..]).unwrap()).unwrap();
        let untold = |refused: Error| assert!(std::error::Error::source(&refused).is_none(), "{refused:?}");
        untold(public.verify(b"massage", &signature).unwrap_err());
        untold(public.verify(b"message", &Signature::try_from(&bytes[1..]).unwrap()).unwrap_err());
        assert_eq!(
            key.signature_algorithm_identifier().unwrap(),
            public.signature_algorithm_identifier().unwrap(),
            "{scheme:?}"
        );
    }
}

#[test]
fn a_refusal_to_sign_carries_its_reason() {
    let refused: Error = key(Hash::Sha1).try_sign(b"message").unwrap_err();
    assert!(format!("{refused:?}").contains("SHA-1"), "{refused:?}");
    assert!(key(Scheme::pss(Hash::Sha256)).sign_prehash_with_rng(&mut Counting(1), b"short").is_err());
}
