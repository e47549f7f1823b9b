// SPDX-License-Identifier: Apache-2.0
//! Stubs: private-key files without a private key. A stub has the key's true n and e, so that it fits its certificate, and in
//! place of d the words `garner-stub:` and the key's name. Every program that reads PEM takes it; Garner's front ends ask
//! the daemon for what it cannot do, and everybody else fails: where primes should be there are zeros, with which OpenSSL
//! computes nothing.

use crate::message::Fingerprint;
use garner::key::{PublicKey, pem};
use garner::padding::Hash;
use garner::words;
use pkcs1::der::pem::LineEnding;
use pkcs1::der::{Decode, Encode, SecretDocument};
use pkcs1::{RsaPrivateKeyRef, UintRef};

/// What d begins with.
const MARK: &[u8] = b"garner-stub:";

/// Longest name of a key.
const LONGEST_NAME: usize = 64;

/// Longest private exponent of a stub, in bytes.
pub const LONGEST_MARK: usize = MARK.len() + LONGEST_NAME;

const LABEL: &str = "RSA PRIVATE KEY";

/// What a stub says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// The name by which the daemon knows the key.
    pub name: String,
    /// The modulus, big-endian.
    pub modulus: Vec<u8>,
    /// The public exponent, big-endian.
    pub public_exponent: Vec<u8>,
}

impl Stub {
    /// The public half, which is true.
    ///
    /// # Errors
    /// The numbers are no key's.
    pub fn public(&self) -> garner::error::Result<PublicKey> {
        PublicKey::from_n_e(&self.modulus, &self.public_exponent)
    }
}

/// What [`is_name`] asks for, to be said where a name is refused.
pub const NAMES: &str = "a key's name has letters, digits, '.', '_' and '-', 64 at most, and no '.' in front";

/// Whether a key may have this name: letters, digits, `.`, `_` and `-`, 64 at most, no dot in front.
pub fn is_name(name: &str) -> bool {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && !name.starts_with('.') && name.bytes().all(known)
}

/// The name in a private exponent, big-endian, if that is a stub's.
pub fn name_in(private_exponent: &[u8]) -> Option<&str> {
    let start = private_exponent.iter().position(|&byte| byte != 0)?;
    let name = std::str::from_utf8(private_exponent[start..].strip_prefix(MARK)?).ok()?;
    is_name(name).then_some(name)
}

/// SHA-256 of a modulus, big-endian.
///
/// # Errors
/// libcrypto cannot compute it.
pub fn fingerprint(modulus: &[u8]) -> garner::error::Result<Fingerprint> {
    let start = modulus.iter().position(|&byte| byte != 0).unwrap_or(modulus.len());
    let digest = Hash::Sha256.digest(&modulus[start..])?;
    Ok(digest[..].try_into().expect("SHA-256 has 32 bytes"))
}

/// SHA-256 of a key's modulus.
///
/// # Errors
/// libcrypto cannot compute it.
pub fn fingerprint_of(key: &PublicKey) -> garner::error::Result<Fingerprint> {
    fingerprint(&big_endian(key.modulus().words()))
}

/// The stub of a key in PEM, with a line for whoever looks into it.
pub fn to_pem(name: &str, key: &PublicKey) -> String {
    assert!(is_name(name), "a key's name");
    let (modulus, exponent) = (big_endian(key.modulus().words()), big_endian(key.exponent()));
    let mark = [MARK, name.as_bytes()].concat();
    let number = |bytes| UintRef::new(bytes).expect("shorter than any limit");
    let nothing = number(&[0]);
    let key = RsaPrivateKeyRef {
        modulus: number(&modulus),
        public_exponent: number(&exponent),
        private_exponent: number(&mark),
        prime1: nothing,
        prime2: nothing,
        exponent1: nothing,
        exponent2: nothing,
        coefficient: nothing,
        other_prime_infos: None,
    };
    let document = SecretDocument::try_from(key.to_der().expect("small numbers encode")).expect("one sequence");
    let pem = document.to_pem(LABEL, LineEnding::LF).expect("a document encodes");
    format!("This is no key: it stands for the key \"{name}\", which garnerd holds.\n{}", pem.as_str())
}

/// The stub in a file, PEM or DER; `None` where there is none.
pub fn read(bytes: &[u8]) -> Option<Stub> {
    // It may be a whole key: what decodes it wipes it.
    let document = pem::decode(bytes, &[LABEL]).ok();
    let der = document.as_ref().map_or(bytes, |document| document.as_slice());
    let key = RsaPrivateKeyRef::from_der(der).ok()?;
    let name = name_in(key.private_exponent.as_bytes())?.to_owned();
    let [modulus, public_exponent] = [key.modulus, key.public_exponent].map(|number| number.as_bytes().to_vec());
    Some(Stub { name, modulus, public_exponent })
}

/// A number's bytes, big-endian, without leading zeros.
pub(crate) fn big_endian(number: &[u64]) -> Vec<u8> {
    let mut bytes = vec![0; 8 * number.len()];
    words::to_be_bytes(number, &mut bytes);
    let start = bytes.iter().position(|&byte| byte != 0).unwrap_or(bytes.len() - 1);
    bytes.split_off(start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::pkey::PKey;
    use openssl::rsa::{Padding, Rsa};

    fn key() -> (Rsa<openssl::pkey::Private>, PublicKey) {
        let rsa = Rsa::generate(2048).unwrap();
        let key = PublicKey::from_der(&rsa.public_key_to_der().unwrap()).unwrap();
        (rsa, key)
    }

    #[test]
    fn openssl_reads_a_stub_as_a_key_with_the_true_public_half_and_computes_nothing_with_it() {
        let (rsa, key) = key();
        let stub = PKey::private_key_from_pem(to_pem("www", &key).as_bytes()).unwrap();
        assert!(stub.public_eq(&PKey::from_rsa(rsa).unwrap()));
        let stub = stub.rsa().unwrap();
        let mut signature = [0; 256];
        assert!(stub.private_encrypt(&[1; 32], &mut signature, Padding::PKCS1).is_err());
        assert_eq!(signature, [0; 256]);
    }

    #[test]
    fn a_stub_is_read_back_from_pem_and_der_and_keys_are_none() {
        let (rsa, key) = key();
        let pem = to_pem("www.example.org", &key);
        let stub = read(pem.as_bytes()).unwrap();
        assert_eq!((stub.name.as_str(), &stub.modulus), ("www.example.org", &rsa.n().to_vec()));
        assert_eq!(stub.public().unwrap().to_der(), key.to_der());
        let der = Rsa::private_key_from_pem(pem.as_bytes()).unwrap().private_key_to_der().unwrap();
        assert_eq!(read(&der), Some(stub));
        assert_eq!(read(&rsa.private_key_to_pem().unwrap()), None);
        assert_eq!(read(&rsa.private_key_to_der().unwrap()), None);
        for length in 0..pem.len() - 1 {
            assert_eq!(read(&pem.as_bytes()[..length]), None, "{length} bytes");
        }
    }

    #[test]
    fn a_stub_is_found_among_other_blocks_and_whatever_text() {
        let (_, key) = key();
        let pem = to_pem("www", &key);
        let stub = read(pem.as_bytes()).unwrap();
        let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        let files = [
            format!("{pem}{certificate}"),
            format!("{certificate}{pem}"),
            format!("{pem}\n\n"),
            format!("{pem}\nand a word\n"),
            pem.replace('\n', " \r\n"),
        ];
        for file in files {
            assert_eq!(read(file.as_bytes()).as_ref(), Some(&stub), "{file}");
        }
        for comment in [&b"caf\xe9\n"[..], b"\n"] {
            assert_eq!(read(&[comment, pem.as_bytes(), comment].concat()).as_ref(), Some(&stub));
        }
        assert_eq!(read(format!("{pem}{pem}").as_bytes()), None, "which of them?");
    }

    #[test]
    fn names_are_plain() {
        for name in ["www", "a.b_c-1", &"n".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", ".", "../key", "a/b", "a b", "käse", "a\n", &"n".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
        assert_eq!(name_in(b"\0\0garner-stub:www"), Some("www"));
        assert_eq!(name_in(b"garner-stub:../x"), None);
        assert_eq!(name_in(&[0; 9]), None);
    }
}
