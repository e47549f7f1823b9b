// SPDX-License-Identifier: Apache-2.0
//! Keys as OpenSSL writes them, in every format and encryption, and the library's own writing read by OpenSSL.

mod key_support;

use garner::Error;
use garner::key::{self, Encryption, PrivateKey, PublicKey};
use key_support::{Parts, assert_free_of_secrets, number, openssl, pkcs8, refusal, tlv, unsigned};
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::symm::Cipher;
use std::sync::LazyLock;

static RSA: LazyLock<Rsa<Private>> = LazyLock::new(|| Rsa::generate(2048).unwrap());
static PKEY: LazyLock<PKey<Private>> = LazyLock::new(|| PKey::from_rsa(RSA.clone()).unwrap());

/// The PKCS#1 DER by which keys are compared: OpenSSL makes p > q, and so does the library.
fn expected() -> Vec<u8> {
    let parts = Parts::of(&RSA);
    if parts.p > parts.q { parts.pkcs1() } else { parts.swapped().pkcs1() }
}

fn assert_same(key: Result<PrivateKey, Error>, what: &str) {
    let key = key.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(*key.to_pkcs1_der(), expected(), "{what}");
}

fn text(result: Result<PrivateKey, Error>) -> String {
    let text = result.map(|_| ()).unwrap_err().to_string();
    assert_free_of_secrets(&text, &Parts::of(&RSA));
    text
}

#[test]
fn private_keys_of_the_openssl_crate_are_read() {
    let files = [
        ("PKCS#1 DER", RSA.private_key_to_der().unwrap()),
        ("PKCS#1 PEM", RSA.private_key_to_pem().unwrap()),
        ("PKCS#8 DER", PKEY.private_key_to_pkcs8().unwrap()),
        ("PKCS#8 PEM", PKEY.private_key_to_pem_pkcs8().unwrap()),
    ];
    for (what, file) in &files {
        assert_same(PrivateKey::read(file, None), what);
        assert_same(PrivateKey::read(file, Some(b"needless")), what);
        if what.ends_with("DER") {
            assert_same(PrivateKey::from_der(file), what);
            assert!(PrivateKey::from_pem(file).is_err());
        } else {
            assert_same(PrivateKey::from_pem(file), what);
            assert_same(PrivateKey::from_pem(std::str::from_utf8(file).unwrap()), what);
            assert!(PrivateKey::from_der(file).is_err());
        }
        let public = PublicKey::read(file, None).unwrap();
        assert_eq!(public.to_der(), RSA.public_key_to_der().unwrap(), "public half of {what}");
    }
}

#[test]
fn private_keys_of_the_openssl_command_are_read() {
    let pem = RSA.private_key_to_pem().unwrap();
    for arguments in ["rsa -traditional", "rsa", "rsa -outform DER", "pkey -traditional", "pkey -outform DER"] {
        assert_same(PrivateKey::read(&openssl(arguments, &pem), None), arguments);
    }
}

#[test]
fn public_keys_of_crate_and_command_are_read() {
    let pem = RSA.private_key_to_pem().unwrap();
    let files = [
        RSA.public_key_to_der().unwrap(),
        RSA.public_key_to_pem().unwrap(),
        RSA.public_key_to_der_pkcs1().unwrap(),
        RSA.public_key_to_pem_pkcs1().unwrap(),
        openssl("rsa -pubout", &pem),
        openssl("rsa -pubout -outform DER", &pem),
        openssl("rsa -RSAPublicKey_out", &pem),
        openssl("rsa -RSAPublicKey_out -outform DER", &pem),
    ];
    for (i, file) in files.iter().enumerate() {
        let public = PublicKey::read(file, None).unwrap_or_else(|error| panic!("file {i}: {error}"));
        assert_eq!(public.to_der(), RSA.public_key_to_der().unwrap());
        assert_eq!(public.to_pem().into_bytes(), RSA.public_key_to_pem().unwrap());
        assert_eq!((public.bits(), public.size(), public.exponent()), (2048, 256, &[65537][..]));
        let same = if file[0] == b'-' { PublicKey::from_pem(file) } else { PublicKey::from_der(file) };
        assert_eq!(same.unwrap().to_der(), public.to_der());
        assert!(text(PrivateKey::read(file, None)).contains("a private key is needed"));
    }
}

#[test]
fn pbes2_keys_of_every_supported_scheme_are_read() {
    let pem = RSA.private_key_to_pem().unwrap();
    let mut schemes = Vec::new();
    for cipher in ["aes-128-cbc", "aes-192-cbc", "aes-256-cbc"] {
        for prf in ["hmacWithSHA1", "hmacWithSHA224", "hmacWithSHA256", "hmacWithSHA384", "hmacWithSHA512"] {
            schemes.push(format!("pkcs8 -topk8 -v2 {cipher} -v2prf {prf} -passout pass:correct"));
        }
        schemes.push(format!("pkcs8 -topk8 -v2 {cipher} -scrypt -passout pass:correct"));
    }
    schemes.push("pkcs8 -topk8 -passout pass:correct".into());
    schemes.push("pkcs8 -topk8 -scrypt -scrypt_N 1024 -scrypt_r 8 -scrypt_p 16 -passout pass:correct".into());
    for scheme in &schemes {
        let file = openssl(scheme, &pem);
        assert_same(PrivateKey::read(&file, Some(b"correct")), scheme);
        assert_same(PrivateKey::from_encrypted_pem(&file, "correct"), scheme);
        let der = openssl(&format!("{scheme} -outform DER"), &pem);
        assert_same(PrivateKey::read(&der, Some(b"correct")), scheme);
        assert_same(PrivateKey::from_encrypted_der(&der, b"correct"), scheme);
        let public = PublicKey::read(&der, Some(b"correct")).unwrap();
        assert_eq!(public.to_der(), RSA.public_key_to_der().unwrap());
    }
}

#[test]
fn pbes2_keys_of_the_openssl_crate_are_read() {
    for cipher in [Cipher::aes_128_cbc(), Cipher::aes_256_cbc()] {
        let file = PKEY.private_key_to_pem_pkcs8_passphrase(cipher, b"correct horse").unwrap();
        assert_same(PrivateKey::read(&file, Some(b"correct horse")), "PEM");
        let file = PKEY.private_key_to_pkcs8_passphrase(cipher, b"").unwrap();
        assert_same(PrivateKey::read(&file, Some(b"")), "DER, empty password");
    }
}

#[test]
fn encrypted_keys_written_here_are_read_here_and_by_openssl() {
    let key = PrivateKey::read(&RSA.private_key_to_der().unwrap(), None).unwrap();
    for cipher in [key::Cipher::Aes128Cbc, key::Cipher::Aes192Cbc, key::Cipher::Aes256Cbc] {
        let encryption = Encryption { cipher, iterations: 1000 };
        let pem = key.to_encrypted_pkcs8_pem(b"correct", &encryption).unwrap();
        let der = key.to_encrypted_pkcs8_der(b"correct", &encryption).unwrap();
        assert_same(PrivateKey::read(pem.as_bytes(), Some(b"correct")), "PEM");
        assert_same(PrivateKey::from_encrypted_der(&der, b"correct"), "DER");
        assert!(PrivateKey::read(&der, Some(b"incorrect")).is_err());
        let plain = openssl("pkcs8 -passin pass:correct", pem.as_bytes());
        assert_same(PrivateKey::read(&plain, None), "by openssl");
        // Salt and initial vector are new each time.
        assert_ne!(key.to_encrypted_pkcs8_der(b"correct", &encryption).unwrap(), der);
    }
    let refused = |password: &[u8], iterations| {
        let encryption = Encryption { iterations, ..Encryption::default() };
        key.to_encrypted_pkcs8_der(password, &encryption).unwrap_err().to_string()
    };
    assert!(refused(b"", 1).contains("password: is empty"));
    assert!(refused(b"x", 0).contains("iterations: is 0"));
    assert!(refused(b"x", 10_000_001).contains("10000001"));
}

#[test]
fn wrong_and_missing_passwords_are_named_as_such() {
    let file =
        openssl("pkcs8 -topk8 -v2 aes-128-cbc -iter 1 -passout pass:correct", &RSA.private_key_to_pem().unwrap());
    // A wrong password leaves valid padding about once in 256 times: enough tries meet both refusals.
    for wrong in 0..1500 {
        let text = text(PrivateKey::read(&file, Some(format!("wrong {wrong}").as_bytes())));
        assert_eq!(text, "not a usable RSA key: wrong password or damaged file");
    }
    assert!(text(PrivateKey::read(&file, None)).contains("encrypted and no password was given"));
    assert!(text(PrivateKey::from_pem(&file)).contains("encrypted and no password was given"));
    assert!(PublicKey::read(&file, None).unwrap_err().to_string().contains("no password was given"));
    let plain = RSA.private_key_to_pem().unwrap();
    assert!(text(PrivateKey::from_encrypted_pem(&plain, "x")).contains("the key is not encrypted"));
}

#[test]
fn damaged_ciphertext_is_called_damaged_or_refused_by_field() {
    let pem = RSA.private_key_to_pem().unwrap();
    let file = openssl("pkcs8 -topk8 -v2 aes-256-cbc -iter 1 -outform DER -passout pass:correct", &pem);
    for i in 0..64 {
        let mut damaged = file.clone();
        let at = file.len() - 1 - i * 16;
        damaged[at] ^= 1;
        text(PrivateKey::read(&damaged, Some(b"correct")));
    }
}

#[test]
fn unsupported_encryptions_are_named_with_the_way_out() {
    let pem = RSA.private_key_to_pem().unwrap();
    for (arguments, name) in [
        ("pkcs8 -topk8 -v2 des3 -passout pass:x", "triple DES"),
        ("pkcs8 -topk8 -v1 PBE-SHA1-3DES -passout pass:x", "PKCS#12"),
        ("pkcs8 -topk8 -v1 PBE-MD5-DES -provider legacy -provider default -passout pass:x", "PBES1"),
    ] {
        let text = text(PrivateKey::read(&openssl(arguments, &pem), Some(b"x")));
        assert!(text.contains(name) && text.contains("not supported"), "{text}");
        assert!(text.contains("openssl pkcs8 -topk8 -v2 aes-256-cbc"), "{text}");
    }
    let traditional = openssl("rsa -traditional -aes128 -passout pass:x", &pem);
    let text = text(PrivateKey::read(&traditional, Some(b"x")));
    assert!(text.contains("Proc-Type") && text.contains("openssl pkcs8"), "{text}");
}

/// The refusal of an `EncryptedPrivateKeyInfo` with this key derivation, AES-128-CBC and 16 bytes of nothing.
fn refusal_of_derivation(kdf: &[u8]) -> String {
    let aes = [tlv(6, &[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 1, 2]), tlv(4, &[9; 16])].concat();
    let pbes2 = tlv(0x30, &[tlv(0x30, kdf), tlv(0x30, &aes)].concat());
    let algorithm = [tlv(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 13]), pbes2].concat();
    let file = tlv(0x30, &[tlv(0x30, &algorithm), tlv(4, &[3; 16])].concat());
    text(PrivateKey::read(&file, Some(b"x")))
}

#[test]
fn pbkdf2_without_iterations_or_with_too_many_is_refused_before_it_runs() {
    let with = |iterations: u32| {
        let parameters = [tlv(4, &[7; 8]), unsigned(&number(iterations).to_vec())].concat();
        let oid = tlv(6, &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 5, 12]);
        refusal_of_derivation(&[oid, tlv(0x30, &parameters)].concat())
    };
    assert!(with(1).contains("wrong password"), "the file is otherwise well formed");
    assert!(with(0).contains("iteration count of 0"));
    assert!(with(10_000_001).contains("10000001 iterations"));
    assert!(with(u32::MAX).contains("4294967295 iterations"));
}

#[test]
fn scrypt_with_absurd_parameters_is_refused_before_it_runs() {
    let with = |n: u32, r: u32, p: u32| {
        let integers = [n, r, p].map(|value| unsigned(&number(value).to_vec())).concat();
        let oid = tlv(6, &[0x2b, 6, 1, 4, 1, 0xda, 0x47, 4, 11]);
        refusal_of_derivation(&[oid, tlv(0x30, &[tlv(4, &[7; 8]), integers].concat())].concat())
    };
    assert!(with(2, 8, 1).contains("wrong password"), "the file is otherwise well formed");
    assert!(with(16_384, 8, 1).contains("wrong password"), "OpenSSL's own");
    // pkcs5 0.8.1 panics at N = 0.
    assert!(with(0, 8, 1).contains("invalid"));
    assert!(with(1, 8, 1).contains("invalid"));
    assert!(with(1_025, 8, 1).contains("invalid"));
    assert!(with(1_024, 0, 1).contains("invalid"));
    assert!(with(1_024, 8, 0).contains("invalid"));
    assert!(with(1_024, 8, 17).contains("16 passes"));
    assert!(with(1 << 18, 16, 1).contains("256 MiB"));
    assert!(with(1 << 31, 65_535, 1).contains("256 MiB"));
}

#[test]
fn pem_with_other_blocks_text_and_line_ends_is_read() {
    let key = String::from_utf8(PKEY.private_key_to_pem_pkcs8().unwrap()).unwrap();
    let public = String::from_utf8(RSA.public_key_to_pem().unwrap()).unwrap();
    assert_same(PrivateKey::from_pem(format!("Bag Attributes\n  friendlyName: x\n{key}\ntrailing words\n")), "text");
    assert_same(PrivateKey::from_pem(format!("0 is not DER\n{key}")), "a first byte like DER's");
    assert_same(PrivateKey::read(format!("0 is not DER\n{key}").as_bytes(), None), "a first byte like DER's");
    assert_same(PrivateKey::from_pem(format!("{public}{key}")), "public key first");
    assert_same(PrivateKey::from_pem(key.replace('\n', "\r\n")), "CRLF");
    assert_same(PrivateKey::from_pem(key.trim_end()), "no last line end");
    assert_same(PrivateKey::from_pem(key.replace('\n', " \t\n")), "white space at the ends of lines");
    assert_same(PrivateKey::from_pem(key.replace('\n', "\n\n")), "empty lines");
    let body = key.lines().filter(|line| !line.starts_with('-')).collect::<String>();
    let wrap = |width: usize| {
        let lines = body.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect::<Vec<_>>();
        format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lines.join("\n"))
    };
    assert_same(PrivateKey::from_pem(wrap(76)), "lines of 76");
    assert_same(PrivateKey::from_pem(wrap(usize::MAX)), "one line");
    assert_eq!(PublicKey::from_pem(format!("{key}{public}")).unwrap().to_pem(), public);

    let refused = |pem: &str, reason: &str| {
        let text = text(PrivateKey::read(pem.as_bytes(), None));
        assert!(text.contains(reason), "{text} does not say {reason}");
    };
    refused(&format!("{key}{key}"), "more than one PRIVATE KEY");
    refused(&key[..key.len() - 12], "does not end");
    refused(&key.replacen("MII", "M!I", 1), "damaged");
    refused("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "holds none of");
    refused("-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n", "not RSA");
    refused("-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n", "ssh-keygen -p -m PKCS8");
    refused("", "DER: ");
}

#[test]
fn keys_for_other_algorithms_are_refused_by_field() {
    let ec = openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256", b"");
    let (field, text) = refusal(PrivateKey::read(&ec, None));
    assert_eq!(field, "privateKeyAlgorithm");
    assert!(text.contains("1.2.840.10045.2.1, not an RSA key"), "{text}");
    let pss = openssl("genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:1024", b"");
    let (field, text) = refusal(PrivateKey::read(&pss, None));
    assert_eq!(field, "privateKeyAlgorithm");
    assert!(text.contains("RSASSA-PSS"), "{text}");
    let public = openssl("pkey -pubout", &pss);
    assert!(PublicKey::read(&public, None).unwrap_err().to_string().contains("RSASSA-PSS"));
}

#[test]
fn written_keys_are_read_by_openssl_and_by_the_library() {
    let key = PrivateKey::from_der(&RSA.private_key_to_der().unwrap()).unwrap();
    assert_eq!(*key.to_pkcs1_der(), expected());
    assert_eq!(*key.to_pkcs8_der(), pkcs8(&expected()));
    for rsa in [
        Rsa::private_key_from_der(&key.to_pkcs1_der()).unwrap(),
        Rsa::private_key_from_pem(key.to_pkcs1_pem().as_bytes()).unwrap(),
        PKey::private_key_from_pkcs8(&key.to_pkcs8_der()).unwrap().rsa().unwrap(),
        Rsa::private_key_from_pem(key.to_pkcs8_pem().as_bytes()).unwrap(),
    ] {
        assert!(rsa.check_key().unwrap());
        assert_eq!(rsa.d(), RSA.d());
        assert_eq!(rsa.n(), RSA.n());
    }
    assert!(key.to_pkcs1_pem().starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
    assert!(key.to_pkcs8_pem().starts_with("-----BEGIN PRIVATE KEY-----\n"));
    assert_same(PrivateKey::from_pem(&*key.to_pkcs1_pem()), "own PKCS#1 PEM");
    assert_same(PrivateKey::from_pem(&*key.to_pkcs8_pem()), "own PKCS#8 PEM");
    assert_eq!(key.public().to_der(), RSA.public_key_to_der().unwrap());
}

#[test]
fn debug_output_shows_the_size_and_nothing_else() {
    let key = PrivateKey::from_der(&RSA.private_key_to_der().unwrap()).unwrap();
    assert_eq!(format!("{key:?}"), "PrivateKey(2048 bits)");
    assert_eq!(format!("{key:#?}"), "PrivateKey(2048 bits)");
    assert_free_of_secrets(&format!("{key:#?} {:#?}", key.public()), &Parts::of(&RSA));
}
