// SPDX-License-Identifier: Apache-2.0
//! `garner keygen`: keys that `openssl` takes, written so that nobody else reads them and nothing is lost; and keys of
//! `openssl` that `garner` takes, encrypted ones too.

mod common;

use common::folder::Folder;
use common::{refused, run};
use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

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
    refused(&mut folder.garner("keygen --bits 512"), 2, &["--bits", "from 2048 to 8192; --below-fips allows it"]);
    refused(&mut folder.garner("keygen --exponent 3"), 2, &["--exponent", "at least 65537", "; --below-fips"]);
    let never = run(&mut folder.garner("keygen --bits 2050"));
    assert!(never.status == 2 && never.stderr.contains("multiple of 128"), "{never:?}");
    assert!(!never.stderr.contains("--below-fips"), "{never:?}");
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
}

/// Short keys for tests that make many.
const SHORT: &str = "keygen --bits 512 --below-fips";

#[test]
fn a_folder_is_made_where_one_is_named_and_only_then() {
    let folder = Folder::new("keys-folder");
    folder.good(&format!("{SHORT} --count 3 --out keys/ --public-out public/"));
    for (name, files) in [("keys", ["key-1.pem", "key-3.pem"]), ("public", ["key-1.pub.pem", "key-3.pub.pem"])] {
        assert_eq!(folder.path(name).metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert!(files.iter().all(|file| folder.exists(&format!("{name}/{file}"))));
    }
    refused(&mut folder.garner("keygen --count 3 --out no/{}.pem"), 3, &["garner: no/1.pem: no such folder: no"]);
    refused(&mut folder.garner("keygen --out key.pem --public-out no/{}"), 3, &["garner: no/1: no such folder: no"]);
    refused(&mut folder.garner("keygen --out no/such/"), 3, &["garner: no/such/: no such folder: no"]);
    refused(&mut folder.garner("keygen --bits 100 --out no/"), 2, &["--bits"]);
    refused(&mut folder.garner("keygen --cipher aes-256-cbc --password-file none --out no/"), 3, &["none"]);
    assert!(!folder.exists("no"));
}

#[test]
fn errors_of_writing_name_the_file_asked_for() {
    let folder = Folder::new("keys-writing");
    // A folder that takes no files, and a limit on the length of files.
    let nowhere = run(&mut folder.garner(&format!("{SHORT} --out /proc/key.pem")));
    assert_eq!(nowhere.stderr, "garner: /proc/key.pem: No such file or directory (os error 2)\n");
    let limited = format!("trap '' XFSZ; ulimit -f 0; exec {} {SHORT} --out key.pem", env!("CARGO_BIN_EXE_garner"));
    let limited = run(Command::new("sh").args(["-c", &limited]).current_dir(folder.path("")));
    assert_eq!(limited.stderr, "garner: key.pem: File too large (os error 27)\n");
    assert_eq!((nowhere.status, limited.status), (3, 3));
    assert_eq!(folder.path("").read_dir().unwrap().count(), 0, "nothing may be left behind");
}

#[test]
fn both_halves_never_go_to_the_same_file() {
    let folder = Folder::new("keys-halves");
    folder.good(&format!("{SHORT} --out here/"));
    let cases = [
        "--out key.pem --public-out key.pem",
        "--out key.pem --public-out ./key.pem",
        "--count 3 --out {}.pem --public-out here/../{}.pem",
        "--out here/key-1.pem --public-out here/key-{}.pem --force",
        "--count 20 --out k1{} --public-out k{}1",
        // Standard output may be where the public key is to be.
        "--public-out -",
        "--out - --public-out /dev/stdout",
        "--out /dev/stdout --public-out -",
        "--out /dev/fd/1 --public-out /proc/self/fd/1",
    ];
    for words in cases {
        refused(
            &mut folder.garner(&format!("keygen {words}")),
            2,
            &["garner: --public-out: ", "is a file of --out too"],
        );
    }
    assert_eq!(folder.path("").read_dir().unwrap().count(), 1);
}

#[test]
fn an_interrupted_run_is_gone_on_with() {
    let folder = Folder::new("keys-resume");
    folder.write("password", "correct horse\n");
    let words = "--count 10 --out keys/ --public-out public-{}.pem --resume";
    let cipher = "--cipher aes-128-cbc --iterations 1000 --password-file password";
    let again = format!("{SHORT} {words} {cipher}");
    folder.good(&again);
    let names: Vec<String> =
        (1..=10).flat_map(|i| [format!("keys/key-{i:02}.pem"), format!("public-{i:02}.pem")]).collect();
    let all: Vec<_> = names.iter().map(|name| folder.read(name)).collect();
    // Two keys are not there, of a third the public half is not.
    for lost in [4, 5, 11, 18, 19] {
        fs::remove_file(folder.path(&names[lost])).unwrap();
    }
    folder.good(&again);
    for (i, (name, old)) in names.iter().zip(&all).enumerate() {
        assert_eq!(folder.read(name) != *old, [4, 5, 18, 19].contains(&i), "{name}");
    }
    for pair in names.chunks(2) {
        let own = modulus(&folder, &pair[0], "-passin file:password");
        assert_eq!(own, modulus(&folder, &pair[1], "-pubin"), "{}", pair[0]);
    }
}

#[test]
fn going_on_loses_no_key() {
    let folder = Folder::new("keys-resume-refused");
    let command = format!("{SHORT} --count 3 --out keys/ --public-out public-{{}}.pem");
    folder.good(&command);
    let advice = ["garner: keys/key-1.pem: exists already", "--force", "--resume"];
    refused(&mut folder.garner(&command), 3, &advice);
    let single = run(&mut folder.garner("keygen --out keys/key-1.pem"));
    assert!(single.status == 3 && !single.stderr.contains("--resume"), "{single:?}");
    let public = folder.read("public-2.pem");
    fs::rename(folder.path("keys/key-2.pem"), folder.path("elsewhere")).unwrap();
    fs::remove_file(folder.path("keys/key-1.pem")).unwrap();
    fs::remove_file(folder.path("public-1.pem")).unwrap();
    let again = format!("{command} --resume");
    let reason = "public-2.pem: is there without its private key keys/key-2.pem";
    refused(&mut folder.garner(&again), 3, &["garner: ", reason]);
    assert_eq!(folder.read("public-2.pem"), public);
    assert!(!folder.exists("keys/key-1.pem"), "a key was made before the refusal");
    fs::rename(folder.path("elsewhere"), folder.path("keys/key-2.pem")).unwrap();
    fs::remove_file(folder.path("public-2.pem")).unwrap();
    folder.write("keys/key-2.pem", "not a key");
    refused(&mut folder.garner(&again), 3, &["garner: keys/key-2.pem: not a usable RSA key"]);
    refused(&mut folder.garner(&format!("{again} --force")), 2, &["--resume", "--force"]);
    refused(&mut folder.garner("keygen --resume"), 2, &["--out"]);
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
