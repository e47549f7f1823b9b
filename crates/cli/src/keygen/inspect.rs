// SPDX-License-Identifier: Apache-2.0
//! Whether a key file that is there is what would be made in its place.

use super::arguments::{Arguments, Format};
use super::workers::Encoder;
use crate::failure::Failure;
use crate::files::Input;
use crate::options::key::LONGEST;
use garner::key::{Cipher, Encryption, PrivateKey, PublicKey};
use pkcs8::pkcs5::pbes2::EncryptionScheme;
use pkcs8::{EncryptedPrivateKeyInfoRef, PrivateKeyInfoRef, SecretDocument};
use rustix::process::geteuid;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The beginnings of PEM files, by what is in them.
const PEM: [(&str, Structure); 3] = [
    ("-----BEGIN PRIVATE KEY-----", Structure::Pkcs8),
    ("-----BEGIN RSA PRIVATE KEY-----", Structure::Pkcs1),
    ("-----BEGIN ENCRYPTED PRIVATE KEY-----", Structure::Encrypted),
];

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Structure {
    Pkcs8,
    Pkcs1,
    Encrypted,
}

/// The public key in PEM of the private one in `path`, if that is what `arguments` ask for; else what is wrong with it.
pub fn private(path: &Path, arguments: &Arguments, encoder: &Encoder) -> Result<Result<String, String>, Failure> {
    let input = Input::of_no_link(path)?;
    let metadata = input.metadata()?;
    let content = input.read_all(LONGEST)?;
    Ok(judge(&metadata, &content, arguments, encoder))
}

fn judge(metadata: &Metadata, content: &[u8], arguments: &Arguments, encoder: &Encoder) -> Result<String, String> {
    if content.is_empty() {
        return Err("is empty".into());
    }
    let (mode, owner) = (metadata.mode() & 0o777, metadata.uid());
    if mode & 0o077 != 0 {
        return Err(format!("is open to others (mode {mode:o}); chmod 600 closes it"));
    }
    if owner != geteuid().as_raw() {
        return Err(format!("belongs to another user ({owner})"));
    }
    let key = PrivateKey::read(content, encoder.password()).map_err(|error| match error {
        garner::error::Error::NoPassword => "is encrypted, and no --cipher is asked for".into(),
        error => error.to_string(),
    })?;
    let bits = key.public().bits();
    if bits != arguments.bits {
        return Err(format!("has {bits} bits, not {}", arguments.bits));
    }
    let exponent: Vec<u8> = key.public().exponent().iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    let significant = |bytes: &[u8]| bytes.iter().copied().skip_while(|byte| *byte == 0).collect::<Vec<u8>>();
    if significant(&exponent) != significant(&arguments.options().exponent) {
        return Err("has another public exponent".into());
    }
    form(content, arguments)?;
    Ok(key.public().to_pem())
}

/// Refuses another form than that asked for.
fn form(content: &[u8], arguments: &Arguments) -> Result<(), String> {
    let pem = PEM.iter().find(|(begin, _)| content.windows(begin.len()).any(|window| window == begin.as_bytes()));
    let encrypted = |der: &[u8]| EncryptedPrivateKeyInfoRef::try_from(der).ok().map(|info| encryption(&info));
    let (structure, found) = match pem {
        Some(_) if arguments.der => return Err("is PEM, and --der is asked for".into()),
        None if !arguments.der => return Err("is DER, which is not asked for".into()),
        Some((_, structure)) => {
            // PEM with text around it is none of ours, and no worse a key.
            let document = str::from_utf8(content).ok().and_then(|text| SecretDocument::from_pem(text).ok());
            (*structure, document.and_then(|(_, document)| encrypted(document.as_bytes())).flatten())
        }
        None => match encrypted(content) {
            Some(found) => (Structure::Encrypted, found),
            None if PrivateKeyInfoRef::try_from(content).is_ok() => (Structure::Pkcs8, None),
            None => (Structure::Pkcs1, None),
        },
    };
    match (arguments.encryption(), structure) {
        (Some(asked), Structure::Encrypted) if found == Some(asked) => Ok(()),
        (Some(asked), Structure::Encrypted) => {
            let iterations = asked.iterations;
            Err(format!("is encrypted in another way than by the cipher asked for and {iterations} iterations"))
        }
        (Some(_), _) => Err("is not encrypted".into()),
        (None, Structure::Encrypted) => Err("is encrypted, and no --cipher is asked for".into()),
        (None, Structure::Pkcs8) if arguments.format == Format::Pkcs1 => {
            Err("is PKCS#8, and PKCS#1 is asked for".into())
        }
        (None, Structure::Pkcs1) if arguments.format == Format::Pkcs8 => {
            Err("is PKCS#1, and PKCS#8 is asked for".into())
        }
        (None, _) => Ok(()),
    }
}

/// How a key is encrypted, if that is a way in which ours are.
fn encryption(info: &EncryptedPrivateKeyInfoRef<'_>) -> Option<Encryption> {
    let parameters = info.encryption_algorithm.pbes2()?;
    let cipher = match parameters.encryption {
        EncryptionScheme::Aes128Cbc { .. } => Cipher::Aes128Cbc,
        EncryptionScheme::Aes192Cbc { .. } => Cipher::Aes192Cbc,
        EncryptionScheme::Aes256Cbc { .. } => Cipher::Aes256Cbc,
        _ => return None,
    };
    Some(Encryption { cipher, iterations: parameters.kdf.pbkdf2()?.iteration_count })
}

/// What is wrong with the file of a public key whose PEM should be `expected`, if something is.
pub fn public(path: &Path, expected: &str) -> Result<Option<String>, Failure> {
    let content = Input::of_no_link(path)?.read_all(LONGEST)?;
    Ok(match PublicKey::read(&content, None) {
        Ok(key) if key.to_pem() == expected => None,
        Ok(_) => Some("is not the public key of its private one".into()),
        Err(error) => Some(error.to_string()),
    })
}
