//! `garner keygen`: keys that `openssl` takes, written so that nobody else reads them and nothing is lost; and keys of
//! `openssl` that `garner` takes, encrypted ones too.

mod common;

use common::folder::Folder;
use common::{refused, run};
use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;

fn modulus(folder: &Folder, key: &str, more: &str) -> String {
    folder.openssl_good(&format!("rsa -in {key} {more} -noout -modulus"))
}

#[test]
fn keys_of_every_form_pass_openssl_s_check() {
    let folder = Folder::new("keys-forms");
    folder.write("password", "correct horse\nignored\n");
    let cipher = "--cipher aes-128-cbc --iterations 1000 --password-file password";
    let cases = [
        ("", "-inform PEM", "BEGIN PRIVATE KEY"),
        ("--format pkcs1", "-inform PEM", "BEGIN RSA PRIVATE KEY"),
        ("--der", "-inform DER", ""),
        ("--der --format pkcs1", "-inform DER", ""),
        (cipher, "-inform PEM -passin file:password", "BEGIN ENCRYPTED PRIVATE KEY"),
        (&format!("--der {cipher}"), "-inform DER -passin file:password", ""),
    ];
    for (ours, theirs, label) in cases {
        folder.good(&format!("keygen {ours} --out key --public-out public --force"));
        let text = folder.openssl_good(&format!("rsa -in key {theirs} -check -noout"));
        assert!(text.contains("RSA key ok"), "{ours}: {text}");
        assert_eq!(modulus(&folder, "key", theirs), modulus(&folder, "public", "-pubin"));
        assert!(String::from_utf8_lossy(&folder.read("key")).contains(label), "{ours}");
        let mode = folder.path("key").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{ours}");
    }
}

#[test]
fn sizes_and_exponents_are_those_asked_for() {
    let folder = Folder::new("keys-sizes");
    for (bits, exponent, shown) in [(2048, "0x10001", "65537"), (3072, "4294967297", "4294967297")] {
        folder.good(&format!("keygen --bits {bits} --exponent {exponent} --out key --force"));
        let text = folder.openssl_good("rsa -in key -noout -text");
        assert!(text.contains(&format!("({bits} bit")) && text.contains(shown), "{text}");
    }
    folder.good("keygen --bits 512 --exponent 3 --below-fips --out key --force");
    assert!(folder.openssl_good("rsa -in key -check -noout").contains("RSA key ok"));
    refused(&mut folder.garner("keygen --bits 1024"), 2, &["--bits", "from 2048 to 8192"]);
    refused(&mut folder.garner("keygen --bits 2050"), 2, &["--bits", "multiple of 128"]);
    refused(&mut folder.garner("keygen --exponent 3"), 2, &["--exponent", "at least 65537"]);
    refused(&mut folder.garner("keygen --exponent 65538"), 2, &["--exponent", "even"]);
    refused(&mut folder.garner("keygen --exponent 65537x"), 2, &["--exponent", "not a number"]);
    refused(&mut folder.garner("keygen --count 0"), 2, &["--count"]);
    refused(&mut folder.garner("keygen --format pkcs1 --cipher aes-256-cbc"), 2, &["--cipher", "PKCS#8"]);
}

#[test]
fn many_keys_are_all_there_and_all_different() {
    let folder = Folder::new("keys-many");
    folder.good("keygen --count 11 --out key-{}.pem --public-out public-{}.pem --bits 1024 --below-fips");
    let moduli: HashSet<String> = (1..=11)
        .map(|i| {
            let own = modulus(&folder, &format!("key-{i:02}.pem"), "-check");
            assert!(own.contains("RSA key ok"));
            own.replace("RSA key ok", "")
        })
        .collect();
    assert_eq!(moduli.len(), 11);
    for i in 1..=11 {
        folder.write("m", "message");
        folder.good(&format!("sign --key key-{i:02}.pem m --out s --force"));
        folder.openssl_good(&format!("dgst -sha256 -verify public-{i:02}.pem -signature s m"));
    }
    refused(&mut folder.garner("keygen --count 2 --out one.pem"), 2, &["--out", "{}"]);
    refused(&mut folder.garner("keygen --count 2"), 2, &["--out", "{}"]);
    refused(&mut folder.garner("keygen --count 2 --out no/"), 3, &["no/", "no such folder"]);
}

#[test]
fn an_existing_key_is_never_overwritten_without_force() {
    let folder = Folder::new("keys-force");
    folder.good("keygen --out key.pem");
    let first = folder.read("key.pem");
    refused(&mut folder.garner("keygen --out key.pem"), 3, &["garner: key.pem: exists already", "--force"]);
    folder.write("other-3.pem", "precious");
    let several = "keygen --count 3 --out other-{}.pem --bits 1024 --below-fips";
    refused(&mut folder.garner(several), 3, &["other-3.pem: exists already"]);
    assert_eq!(folder.read("key.pem"), first);
    assert!(!folder.exists("other-1.pem"), "the first key was written before the last was refused");
    folder.good("keygen --out key.pem --force");
    assert_ne!(folder.read("key.pem"), first);
}

#[test]
fn encrypted_keys_of_openssl_open_with_their_password_only() {
    let folder = Folder::new("keys-encrypted");
    folder.write("m", "message");
    folder.write("right", "Tr0ub4dor&3");
    folder.write("wrong", "tr0ub4dor&3");
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out plain.pem");
    folder.openssl_good("dgst -sha256 -sign plain.pem -out theirs m");
    for scheme in ["-v2 aes-256-cbc", "-v2 aes-128-cbc -v2prf hmacWithSHA512", "-scrypt"] {
        folder.openssl_good(&format!("pkcs8 -topk8 {scheme} -in plain.pem -out locked.pem -passout file:right"));
        folder.good("sign --key locked.pem --password-file right m --out ours --force");
        assert_eq!(folder.read("ours"), folder.read("theirs"), "{scheme}");
        let mut by_environment = folder.garner("sign --key locked.pem --password-env SECRET m --out ours --force");
        assert_eq!(run(by_environment.env("SECRET", "Tr0ub4dor&3")).status, 0);
        let wrong = "sign --key locked.pem --password-file wrong m";
        refused(&mut folder.garner(wrong), 3, &["garner: locked.pem", "wrong password or damaged file"]);
    }
    refused(&mut folder.garner("sign --key locked.pem --password-env NO_SUCH m"), 3, &["NO_SUCH: is not set"]);
    refused(
        &mut folder.garner("keygen --cipher aes-256-cbc --password-file /dev/null --out k"),
        3,
        &["k: the password is empty"],
    );
    refused(&mut folder.garner("keygen --password-file right --out k"), 2, &["--cipher"]);
}
