// SPDX-License-Identifier: Apache-2.0
//! Encryption by OAEP and PKCS#1 v1.5 (RFC 8017 section 7): a front end for programs in Rust.
//!
//! Calls the gatherer, with `padding` before and after it.
//!
//! Shapes everywhere: messages have up to the bytes that the scheme's padding leaves of the modulus; ciphertexts are
//! big-endian and exactly as long as the modulus, [`PublicKey::size`] bytes. Calls block until the answer is there and
//! share batches with all other callers of the same gatherer; who does not want to wait submits the operation of
//! [`encryption`] or [`decryption`].
//!
//! ```
//! use garner::encryption::{self, Scheme};
//! use garner::gather::Gatherer;
//! use garner::padding::Hash;
//! # use garner::keygen::{self, Options};
//! # use std::sync::Arc;
//! # let arithmetic = garner::arithmetic::best()?;
//! # let options = Options { below_fips: true, ..Options::default() };
//! # let key = Arc::new(keygen::generate_one(&*arithmetic, 1024, &options)?);
//!
//! let gatherer = Gatherer::global()?;
//! let scheme = Scheme::oaep(Hash::Sha256);
//! let ciphertext = encryption::encrypt(gatherer, key.public(), scheme, b"a session key")?;
//! assert_eq!(*encryption::decrypt(gatherer, &key, scheme, &ciphertext)?, b"a session key");
//! assert_eq!(scheme.longest_message(256)?, 190);
//! # Ok::<(), garner::Error>(())
//! ```

#![forbid(unsafe_code)]

use crate::error::{Error, Result};
use crate::gather::{Gatherer, Operation, Output};
use crate::key::{PrivateKey, PublicKey};
use crate::padding::implicit_rejection::Rejection;
use crate::padding::{Hash, oaep, pkcs1v15_encryption, premaster};
use crate::words;
use std::sync::Arc;
use zeroize::Zeroizing;

/// How a message is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme<'a> {
    /// RSAES-OAEP: the scheme to choose where there is a choice.
    Oaep {
        /// The hashes of label and mask.
        functions: oaep::Functions,
        /// What the message is bound to; often nothing.
        label: &'a [u8],
    },
    /// RSAES-PKCS1-v1_5 with implicit rejection: a badly padded ciphertext decrypts to a message nobody can foresee,
    /// the same each time, as in OpenSSL since 3.2.
    Pkcs1v15,
    /// RSAES-PKCS1-v1_5 with an error for bad padding. Whoever gets to see that error, or the time it takes, can
    /// decrypt any ciphertext: only for callers that show neither.
    Pkcs1v15Explicit,
    /// The premaster secret of TLS with RSA key exchange. Decryption gives 48 bytes always: random ones for anything
    /// wrong (RFC 5246 section 7.4.7.1). Encryption is that of PKCS#1 v1.5.
    TlsPremaster {
        /// What the ClientHello offered, `0x0303` for TLS 1.2.
        version: u16,
        /// A second version to accept, the one agreed on, for old clients that put it there.
        alternative: Option<u16>,
    },
    /// The same for whoever is asked by somebody else, who is not to learn whether padding was good: 48 bytes always, those that
    /// [`Scheme::Pkcs1v15`] gives if it gives as many, else random ones. Their version is for the asker to look at, by
    /// [`premaster::with_version`].
    TlsPremasterForAsker,
    /// No padding: the message is as long as the modulus and below it. Safe for nothing by itself.
    Raw,
}

impl Scheme<'_> {
    /// RSAES-OAEP with one hash for label and mask, and no label.
    pub const fn oaep(hash: Hash) -> Scheme<'static> {
        Scheme::Oaep { functions: oaep::Functions::of(hash), label: &[] }
    }

    /// What the message is bound to; nothing where the scheme has no label.
    pub fn label(&self) -> &[u8] {
        match self {
            Scheme::Oaep { label, .. } => label,
            _ => &[],
        }
    }

    /// The same scheme with this label, if it has one: for who keeps the label apart from the scheme.
    pub fn with_label<'b>(&self, label: &'b [u8]) -> Scheme<'b> {
        match *self {
            Scheme::Oaep { functions, .. } => Scheme::Oaep { functions, label },
            Scheme::Pkcs1v15 => Scheme::Pkcs1v15,
            Scheme::Pkcs1v15Explicit => Scheme::Pkcs1v15Explicit,
            Scheme::TlsPremaster { version, alternative } => Scheme::TlsPremaster { version, alternative },
            Scheme::TlsPremasterForAsker => Scheme::TlsPremasterForAsker,
            Scheme::Raw => Scheme::Raw,
        }
    }

    /// The longest message that a modulus of `size` bytes has room for.
    ///
    /// # Errors
    /// [`Error::Argument`] when the modulus is too short for the scheme.
    pub fn longest_message(&self, size: usize) -> Result<usize> {
        match self {
            Scheme::Oaep { functions, .. } => functions.room(size),
            Scheme::Raw => Ok(size),
            _ => size
                .checked_sub(pkcs1v15_encryption::OVERHEAD)
                .ok_or_else(|| Error::argument("modulus", format!("has {size} bytes, fewer than PKCS#1 v1.5 needs"))),
        }
    }
}

/// The public operation whose output is the ciphertext of a message.
///
/// # Errors
/// [`Error::Argument`] when the message is too long for the scheme and the modulus (without padding: has not the
/// modulus's length or is not below it) or the modulus too short for the hash; [`Error::Random`]; [`Error::Memory`].
pub fn encryption(key: &Arc<PublicKey>, scheme: Scheme<'_>, message: &[u8]) -> Result<Operation> {
    let mut encoded = Zeroizing::new(vec![0; key.size()]);
    match scheme {
        Scheme::Oaep { functions, label } => oaep::encode(functions, label, message, &mut encoded)?,
        Scheme::Raw if message.len() == encoded.len() => encoded.copy_from_slice(message),
        Scheme::Raw => {
            let (is, should) = (message.len(), encoded.len());
            return Err(Error::argument("message", format!("has {is} bytes, but the modulus {should}")));
        }
        _ => pkcs1v15_encryption::encode(message, &mut encoded)?,
    }
    Operation::public(key, &encoded)
}

/// Encrypts a message.
///
/// # Errors
/// As [`encryption`] and [`Gatherer::run`].
pub fn encrypt(gatherer: &Gatherer, key: &Arc<PublicKey>, scheme: Scheme<'_>, message: &[u8]) -> Result<Vec<u8>> {
    gatherer.run(encryption(key, scheme, message)?).map(Output::into_public)
}

/// What is left of a decryption once its private operation has run.
#[derive(Debug, Clone)]
pub struct Decryption(Unpadding);

#[derive(Debug, Clone)]
enum Unpadding {
    Oaep { functions: oaep::Functions, label: Vec<u8> },
    Implicit(Rejection),
    Explicit,
    Premaster { version: u16, alternative: Option<u16> },
    PremasterForAsker(Rejection),
    Raw,
}

impl Decryption {
    /// Takes the message out of the output of the operation that [`decryption`] gave with this.
    ///
    /// Time and addresses depend on nothing in the block but whether it has a message (where that is an error) and how
    /// long it is.
    ///
    /// # Errors
    /// [`Error::Verification`] when the ciphertext does not decrypt: of OAEP and [`Scheme::Pkcs1v15Explicit`] only.
    /// [`Error::Argument`] when the modulus is too short for the scheme; [`Error::Random`] for
    /// [`Scheme::TlsPremaster`] and [`Scheme::TlsPremasterForAsker`].
    pub fn open(&self, block: &[u8]) -> Result<Output> {
        match &self.0 {
            Unpadding::Oaep { functions, label } => oaep::decode(*functions, label, block),
            Unpadding::Implicit(rejection) => rejection.decode(block),
            Unpadding::Explicit => pkcs1v15_encryption::decode(block),
            Unpadding::Premaster { version, alternative } => {
                Ok(Output::from(premaster::decode(block, *version, *alternative)?.to_vec()))
            }
            Unpadding::PremasterForAsker(rejection) => {
                Ok(Output::from(premaster::decode_for_asker(rejection, block)?.to_vec()))
            }
            Unpadding::Raw => Ok(Output::from(block.to_vec())),
        }
    }
}

/// The private operation of a decryption, and what takes the message out of its output.
///
/// # Errors
/// [`Error::Verification`] when the ciphertext has not the length of the modulus or is not below it, which everybody
/// can see; [`Error::Argument`] when libcrypto refuses to compute what implicit rejection needs; [`Error::Memory`].
pub fn decryption(key: &Arc<PrivateKey>, scheme: Scheme<'_>, ciphertext: &[u8]) -> Result<(Operation, Decryption)> {
    if ciphertext.len() != key.public().size() {
        return Err(Error::Verification);
    }
    let operation = Operation::private(key, ciphertext).map_err(|_| Error::Verification)?;
    let unpadding = match scheme {
        Scheme::Oaep { functions, label } => Unpadding::Oaep { functions, label: label.to_vec() },
        Scheme::Pkcs1v15 => Unpadding::Implicit(rejection(key, ciphertext)?),
        Scheme::Pkcs1v15Explicit => Unpadding::Explicit,
        Scheme::TlsPremaster { version, alternative } => Unpadding::Premaster { version, alternative },
        Scheme::TlsPremasterForAsker => Unpadding::PremasterForAsker(rejection(key, ciphertext)?),
        Scheme::Raw => Unpadding::Raw,
    };
    Ok((operation, Decryption(unpadding)))
}

/// Decrypts a ciphertext.
///
/// # Errors
/// As [`decryption`], [`Gatherer::run`] and [`Decryption::open`].
pub fn decrypt(gatherer: &Gatherer, key: &Arc<PrivateKey>, scheme: Scheme<'_>, ciphertext: &[u8]) -> Result<Output> {
    let (operation, decryption) = decryption(key, scheme, ciphertext)?;
    decryption.open(&gatherer.run(operation)?)
}

/// One decryption of [`decrypt_batch`].
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The key.
    pub key: &'a Arc<PrivateKey>,
    /// The scheme.
    pub scheme: Scheme<'a>,
    /// The ciphertext.
    pub ciphertext: &'a [u8],
}

/// Decrypts any number of ciphertexts, with any keys, as one batch. Results come in the order of the requests; one that
/// fails leaves the others alone.
///
/// # Errors
/// Each as [`decrypt`].
pub fn decrypt_batch(gatherer: &Gatherer, requests: &[Request<'_>]) -> Vec<Result<Output>> {
    let mut operations = Vec::with_capacity(requests.len());
    let begun: Vec<Result<Decryption>> = requests
        .iter()
        .map(|request| {
            let (operation, decryption) = decryption(request.key, request.scheme, request.ciphertext)?;
            operations.push(operation);
            Ok(decryption)
        })
        .collect();
    let mut blocks = gatherer.run_batch(operations).into_iter();
    let mut open = |decryption: Decryption| decryption.open(&blocks.next().expect("an answer for each operation")?);
    begun.into_iter().map(|begun| begun.and_then(&mut open)).collect()
}

/// The secret that stands in for a badly padded ciphertext under a key.
fn rejection(key: &PrivateKey, ciphertext: &[u8]) -> Result<Rejection> {
    let mut exponent = Zeroizing::new(vec![0; key.public().size()]);
    words::to_be_bytes(key.d(), &mut exponent);
    Rejection::new(&exponent, ciphertext)
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::encrypt::{Decrypter, Encrypter};
    use openssl::pkey::PKey;
    use openssl::rsa::{Padding, Rsa};
    use std::array;

    fn key(bits: u32) -> (Rsa<openssl::pkey::Private>, Arc<PrivateKey>) {
        let rsa = Rsa::generate(bits).unwrap();
        let key = Arc::new(PrivateKey::read(&rsa.private_key_to_der().unwrap(), None).unwrap());
        (rsa, key)
    }

    const TLS: Scheme<'_> = Scheme::TlsPremaster { version: 0x0303, alternative: None };

    #[test]
    fn every_scheme_decrypts_what_it_encrypts_at_every_size() {
        let gatherer = Gatherer::global().unwrap();
        for bits in [1024, 1025, 1031, 2048] {
            let (_, key) = key(bits);
            let size = key.public().size();
            let raw = [&[0, 7][..], &vec![9; size - 2]].concat();
            let secret = [&[3, 3][..], &[7; 46]].concat();
            let functions = oaep::Functions { hash: Hash::Sha384, mgf1_hash: Hash::Sha1 };
            for (scheme, message) in [
                (Scheme::oaep(Hash::Sha256), &b"message"[..]),
                (Scheme::Oaep { functions, label: b"label" }, b"message"),
                (Scheme::Pkcs1v15, b"message"),
                (Scheme::Pkcs1v15, b""),
                (Scheme::Pkcs1v15Explicit, b"message"),
                (TLS, &secret),
                (Scheme::Raw, &raw),
            ] {
                let ciphertext = encrypt(gatherer, key.public(), scheme, message).unwrap();
                assert_eq!(ciphertext.len(), size);
                let decrypted = decrypt(gatherer, &key, scheme, &ciphertext).unwrap();
                assert_eq!(decrypted[..], *message, "{bits} bits, {scheme:?}");
            }
        }
    }

    #[test]
    fn a_batch_of_any_mix_decrypts_each_by_itself() {
        let gatherer = Gatherer::global().unwrap();
        let keys: [_; 2] = array::from_fn(|i| key(1024 + 512 * i as u32).1);
        let schemes = [Scheme::oaep(Hash::Sha256), Scheme::Pkcs1v15Explicit, Scheme::Pkcs1v15];
        let cases: Vec<_> = (0..30)
            .map(|i| {
                let (key, scheme, message) = (&keys[i % 2], schemes[i % 3], format!("message {i}"));
                let mut ciphertext = encrypt(gatherer, key.public(), scheme, message.as_bytes()).unwrap();
                match i {
                    6 | 12 => ciphertext[9] ^= 1,
                    20 => ciphertext.truncate(100),
                    _ => {}
                }
                (key, scheme, message, ciphertext)
            })
            .collect();
        let requests: Vec<_> =
            cases.iter().map(|(key, scheme, _, ciphertext)| Request { key, scheme: *scheme, ciphertext }).collect();
        for (i, (result, case)) in decrypt_batch(gatherer, &requests).into_iter().zip(&cases).enumerate() {
            match i {
                6 | 12 | 20 => assert_eq!(result, Err(Error::Verification), "{i}"),
                _ => assert_eq!(result.unwrap()[..], *case.2.as_bytes(), "{i}"),
            }
        }
    }

    #[test]
    fn libcrypto_decrypts_what_is_encrypted_and_the_other_way_round() {
        let gatherer = Gatherer::global().unwrap();
        let (rsa, key) = key(1025);
        let pkey = PKey::from_rsa(rsa).unwrap();
        for (scheme, padding) in [(Scheme::oaep(Hash::Sha1), Padding::PKCS1_OAEP), (Scheme::Pkcs1v15, Padding::PKCS1)] {
            let ciphertext = encrypt(gatherer, key.public(), scheme, b"message").unwrap();
            let mut decrypter = Decrypter::new(&pkey).unwrap();
            decrypter.set_rsa_padding(padding).unwrap();
            let mut message = vec![0; 129];
            let length = decrypter.decrypt(&ciphertext, &mut message).unwrap();
            assert_eq!(message[..length], *b"message", "{scheme:?}");
            let mut encrypter = Encrypter::new(&pkey).unwrap();
            encrypter.set_rsa_padding(padding).unwrap();
            let mut ciphertext = vec![0; 129];
            encrypter.encrypt(b"message", &mut ciphertext).unwrap();
            assert_eq!(decrypt(gatherer, &key, scheme, &ciphertext).unwrap()[..], *b"message", "{scheme:?}");
        }
    }

    #[test]
    fn ciphertexts_of_another_length_or_not_below_the_modulus_are_refused_by_every_scheme() {
        let gatherer = Gatherer::global().unwrap();
        let (rsa, key) = key(1024);
        for scheme in [Scheme::oaep(Hash::Sha256), Scheme::Pkcs1v15, Scheme::Pkcs1v15Explicit, TLS, Scheme::Raw] {
            for wrong in [&[][..], &[1; 127], &[0; 129], &[0xff; 128], &rsa.n().to_vec()] {
                let result = decrypt(gatherer, &key, scheme, wrong);
                assert_eq!(result, Err(Error::Verification), "{scheme:?}, {} bytes", wrong.len());
            }
        }
    }

    #[test]
    fn badly_padded_ciphertexts_get_what_their_scheme_promises() {
        let gatherer = Gatherer::global().unwrap();
        let (_, key) = key(1024);
        let bad = encrypt(gatherer, key.public(), Scheme::Raw, &[&[0, 1][..], &[0x77; 126]].concat()).unwrap();
        let other = encrypt(gatherer, key.public(), Scheme::Raw, &[&[0, 1][..], &[0x78; 126]].concat()).unwrap();
        let open = |scheme, ciphertext: &[u8]| decrypt(gatherer, &key, scheme, ciphertext);
        assert_eq!(open(Scheme::oaep(Hash::Sha256), &bad), Err(Error::Verification));
        assert_eq!(open(Scheme::Pkcs1v15Explicit, &bad), Err(Error::Verification));
        let stand_in = open(Scheme::Pkcs1v15, &bad).unwrap();
        assert_eq!(open(Scheme::Pkcs1v15, &bad).unwrap(), stand_in);
        // Of the 118 lengths, both being 0 is the only likely way for them to be the same.
        let second = open(Scheme::Pkcs1v15, &other).unwrap();
        assert!(second != stand_in || stand_in.len() < 4);
        let secret = open(TLS, &bad).unwrap();
        assert_eq!(secret.len(), 48);
        assert_ne!(open(TLS, &bad).unwrap(), secret);
    }

    #[test]
    fn messages_too_long_are_refused() {
        let gatherer = Gatherer::global().unwrap();
        let (rsa, key) = key(1024);
        for (scheme, longest) in [(Scheme::oaep(Hash::Sha256), 62), (Scheme::Pkcs1v15, 117), (TLS, 117)] {
            encrypt(gatherer, key.public(), scheme, &vec![1; longest]).unwrap();
            let error = encrypt(gatherer, key.public(), scheme, &vec![1; longest + 1]).unwrap_err();
            assert!(matches!(error, Error::Argument { name: "message", .. }), "{scheme:?}: {error}");
        }
        for wrong in [&[1; 127][..], &[0; 129], &rsa.n().to_vec()] {
            let error = encrypt(gatherer, key.public(), Scheme::Raw, wrong).unwrap_err();
            assert!(matches!(error, Error::Argument { .. }), "{error}");
        }
        let short = encrypt(gatherer, key.public(), Scheme::oaep(Hash::Sha512), b"").unwrap_err();
        assert!(matches!(short, Error::Argument { name: "modulus", .. }), "{short}");
    }
}
