// SPDX-License-Identifier: Apache-2.0
//! `garner encrypt` and `garner decrypt` beside `openssl pkeyutl`, in both directions.

mod common;

use common::folder::Folder;
use common::refused;
use std::os::unix::fs::PermissionsExt;

const MESSAGE: &[u8] = b"\x00 a key of a symmetric cipher \xff\n";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem");
    folder.openssl_good("pkey -in key.pem -pubout -out public.pem");
    folder.write("message", MESSAGE);
    folder
}

/// Encrypts by each, decrypts by the other.
#[track_caller]
fn both_ways(folder: &Folder, ours: &str, theirs: &str) {
    let theirs: String = theirs.split_whitespace().map(|option| format!(" -pkeyopt {option}")).collect();
    let message = folder.read("message");
    folder.good(&format!("encrypt --key public.pem {ours} message --out ours --force"));
    folder.openssl_good(&format!("pkeyutl -decrypt -inkey key.pem {theirs} -in ours -out opened"));
    assert_eq!(folder.read("opened"), message, "{ours}");
    folder.openssl_good(&format!("pkeyutl -encrypt -pubin -inkey public.pem {theirs} -in message -out theirs"));
    folder.good(&format!("decrypt --key key.pem {ours} theirs --out opened --force"));
    assert_eq!(folder.read("opened"), message, "{ours}");
}

#[test]
fn oaep_with_every_hash_mask_and_label_goes_both_ways() {
    let folder = folder("encryption-oaep");
    let hashes = ["sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256", "sha3-256", "sha3-512"];
    for hash in hashes {
        both_ways(&folder, &format!("--hash {hash}"), &format!("rsa_padding_mode:oaep rsa_oaep_md:{hash}"));
    }
    let oaep = "rsa_padding_mode:oaep rsa_oaep_md";
    both_ways(&folder, "--hash sha256 --mgf1-hash sha1", &format!("{oaep}:sha256 rsa_mgf1_md:sha1"));
    both_ways(&folder, "--label invoice", &format!("{oaep}:sha256 rsa_oaep_label:696e766f696365"));
    both_ways(&folder, "--label-hex 00fF", &format!("{oaep}:sha256 rsa_oaep_label:00ff"));
}

#[test]
fn pkcs1_and_raw_go_both_ways() {
    let folder = folder("encryption-pkcs1");
    both_ways(&folder, "--padding pkcs1", "rsa_padding_mode:pkcs1");
    folder.good("decrypt --key key.pem --padding pkcs1 --explicit-rejection theirs --out opened --force");
    assert_eq!(folder.read("opened"), MESSAGE);
    folder.write("message", [&[0, 1][..], &[0xab; 254]].concat());
    both_ways(&folder, "--padding raw", "rsa_padding_mode:none");
}

#[test]
fn a_wrong_label_hash_or_bit_is_one_and_the_same_error() {
    let folder = folder("encryption-wrong");
    folder.good("encrypt --key public.pem --label one message --out good");
    let mut spoilt = folder.read("good");
    spoilt[200] ^= 4;
    folder.write("spoilt", spoilt);
    let say = |words: &str, file: &str| {
        let outcome = common::run(&mut folder.garner(&format!("decrypt --key key.pem {words} {file} --out opened")));
        assert_eq!((outcome.status, outcome.stdout.as_str()), (1, ""));
        outcome.stderr.replace(file, "FILE")
    };
    let first = say("--label two", "good");
    assert_eq!(first, "garner: FILE: does not decrypt by this key and scheme\n");
    assert_eq!(say("--label one --hash sha512", "good"), first);
    assert_eq!(say("--label one", "spoilt"), first);
    assert!(!folder.exists("opened"));
}

#[test]
fn bad_pkcs1_padding_gives_a_stand_in_and_is_told_only_on_request() {
    let folder = folder("encryption-implicit");
    folder.write("block", [&[0, 1][..], &[0x77; 254]].concat());
    folder.good("encrypt --key public.pem --padding raw block --out bad");
    folder.good("decrypt --key key.pem --padding pkcs1 bad --out first");
    folder.good("decrypt --key key.pem --padding pkcs1 bad --out second");
    assert_eq!(folder.read("first"), folder.read("second"));
    let explicit = "decrypt --key key.pem --padding pkcs1 --explicit-rejection bad";
    refused(&mut folder.garner(explicit), 1, &["bad: does not decrypt"]);
    refused(
        &mut folder.garner("decrypt --key key.pem --explicit-rejection bad"),
        2,
        &["--explicit-rejection", "pkcs1"],
    );
}

#[test]
fn what_does_not_fit_is_refused_with_its_limit_and_messages_stay_private() {
    let folder = folder("encryption-limits");
    folder.write("long", [1; 191]);
    folder.write("longest", [1; 190]);
    folder.write("huge", [1; 1000]);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out larger.pem");
    let cases = [
        ("--key public.pem long", "long: is longer than 190 bytes, the most that OAEP with SHA-256 takes"),
        ("--key larger.pem huge", "huge: is longer than 318 bytes, the most that OAEP with SHA-256 takes"),
        (
            "--key larger.pem --hash sha512 huge",
            "huge: is longer than 254 bytes, the most that OAEP with SHA-512 takes",
        ),
        ("--key public.pem --padding pkcs1 huge", "huge: is longer than 245 bytes, the most that PKCS#1 v1.5 takes"),
        ("--key public.pem --padding raw huge", "huge: is longer than 256 bytes, the most that RSA without padding"),
    ];
    for (words, limit) in cases {
        refused(&mut folder.garner(&format!("encrypt {words}")), 3, &["garner: ", limit]);
    }
    folder.good("encrypt --key public.pem longest --encoding base64 --out cipher");
    folder.good("decrypt --key key.pem --encoding base64 cipher --out opened");
    assert_eq!(folder.path("opened").metadata().unwrap().permissions().mode() & 0o777, 0o600);
    refused(&mut folder.garner("decrypt --key key.pem long"), 1, &["long: has 191 bytes", "256"]);
    refused(&mut folder.garner("decrypt --key key.pem --encoding base64 long"), 1, &["long: is not base64"]);
    folder.write("overlong", [1; (16 << 10) + 1]);
    refused(&mut folder.garner("decrypt --key key.pem overlong"), 1, &["overlong: is longer than 16384 bytes"]);
    refused(&mut folder.garner("encrypt --key public.pem --padding pkcs1 --label x long"), 2, &["--label", "oaep"]);
    refused(&mut folder.garner("encrypt --key public.pem --label-hex zz long"), 2, &["--label-hex", "hexadecimal"]);
}
