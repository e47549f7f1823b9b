// SPDX-License-Identifier: Apache-2.0
//! `garner sign` and `garner verify` beside `openssl`, in both directions.

mod common;

use common::folder::Folder;
use common::{refused, run};
use std::io::Write;
use std::process::Stdio;

const HASHES: [&str; 10] = [
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sha512-224",
    "sha512-256",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
];

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem");
    folder.openssl_good("pkey -in key.pem -pubout -out public.pem");
    folder.write("message", "what is signed\n");
    folder.write("other", "what is not\n");
    folder
}

#[test]
fn pkcs1_signatures_with_every_hash_go_both_ways() {
    let folder = folder("signatures-pkcs1");
    for hash in HASHES {
        folder.good(&format!("sign --key key.pem --hash {hash} message --out ours --force"));
        folder.openssl_good(&format!("dgst -{hash} -verify public.pem -signature ours message"));
        folder.openssl_good(&format!("dgst -{hash} -sign key.pem -out theirs message"));
        assert_eq!(folder.read("ours"), folder.read("theirs"), "{hash}");
        folder.good(&format!("verify --key public.pem --hash {hash} --signature theirs message"));
        let wrong = format!("verify --key public.pem --hash {hash} --signature theirs other");
        refused(&mut folder.garner(&wrong), 1, &["garner: theirs: not a signature of other"]);
    }
}

#[test]
fn pss_signatures_with_every_hash_mask_and_salt_go_both_ways() {
    let folder = folder("signatures-pss");
    let cases = HASHES.map(|hash| (hash, hash, "digest"));
    let more = [("sha256", "sha512", "max"), ("sha512", "sha256", "20"), ("sha3-256", "sha256", "0")];
    for (hash, mask, salt) in cases.into_iter().chain(more) {
        let ours = format!("--padding pss --hash {hash} --mgf1-hash {mask}");
        let theirs = format!("-sigopt rsa_padding_mode:pss -sigopt rsa_mgf1_md:{mask} -sigopt rsa_pss_saltlen");
        folder.good(&format!("sign --key key.pem {ours} --salt-length {salt} message --out ours --force"));
        folder.openssl_good(&format!("dgst -{hash} -verify public.pem -signature ours {theirs}:{salt} message"));
        folder.openssl_good(&format!("dgst -{hash} -sign key.pem -out theirs {theirs}:{salt} message"));
        folder.good(&format!("verify --key public.pem {ours} --signature theirs message"));
        folder.good(&format!("verify --key public.pem {ours} --salt-length {salt} --signature theirs message"));
        refused(
            &mut folder.garner(&format!("verify --key public.pem {ours} --signature theirs other")),
            1,
            &["theirs"],
        );
        let another = format!("verify --key public.pem {ours} --salt-length 7 --signature theirs message");
        refused(&mut folder.garner(&another), 1, &["theirs"]);
    }
}

#[test]
fn digests_are_signed_as_their_messages_and_as_pkeyutl_does() {
    let folder = folder("signatures-digest");
    folder.openssl_good("dgst -sha384 -binary -out binary message");
    let hex: String = folder.read("binary").iter().map(|byte| format!("{byte:02X}")).collect();
    folder.write("hex", format!("{hex}\n"));
    folder.good("sign --key key.pem --hash sha384 message --out whole");
    folder.good("sign --key key.pem --hash sha384 --digest binary --out from-binary");
    folder.good("sign --key key.pem --hash sha384 --digest hex --out from-hex");
    folder.openssl_good("pkeyutl -sign -inkey key.pem -in binary -pkeyopt digest:sha384 -out theirs");
    for name in ["from-binary", "from-hex", "theirs"] {
        assert_eq!(folder.read("whole"), folder.read(name), "{name}");
    }
    folder.good("verify --key public.pem --hash sha384 --digest --signature theirs hex");
    let short = folder.garner("sign --key key.pem --hash sha512 --digest hex").stdin(Stdio::null()).output().unwrap();
    assert_eq!(short.status.code(), Some(3));
    let text = String::from_utf8(short.stderr).unwrap();
    assert!(text.contains("hex: digest: has 48 bytes, but SHA-512 gives 64"), "{text}");
}

#[test]
fn digits_of_a_shorter_digest_are_not_taken_for_the_bytes_of_a_longer_one() {
    let folder = folder("signatures-digits");
    folder.write("sha256", "0a".repeat(32));
    folder.write("md5", "0A".repeat(16));
    folder.write("torn", "0a".repeat(15) + "0\n");
    let cases = [
        ("sha512", "sha256", "digest: has 32 bytes, but SHA-512 gives 64; --hash names"),
        ("sha3-512", "sha256", "digest: has 32 bytes, but SHA3-512 gives 64; --hash names"),
        ("sha256", "md5", "digest: has 16 bytes, but SHA-256 gives 32; --hash names"),
        ("sha256", "torn", "digest: is not hexadecimal"),
    ];
    for (hash, file, reason) in cases {
        let sign = format!("sign --key key.pem --hash {hash} --digest {file}");
        refused(&mut folder.garner(&sign), 3, &[&format!("garner: {file}: {reason}")]);
    }
    folder.good("sign --key key.pem --digest sha256 --out signature");
}

#[test]
fn a_long_message_is_read_from_a_pipe_in_pieces() {
    let folder = folder("signatures-long");
    let message = vec![0x5a; 3_000_000];
    folder.write("long", &message);
    let mut child = folder.garner("sign --key key.pem --encoding hex --out ours");
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&message).unwrap();
    assert!(child.wait().unwrap().success());
    folder.openssl_good("dgst -sha256 -sign key.pem -hex -out theirs long");
    let text = String::from_utf8(folder.read("theirs")).unwrap();
    let ours = String::from_utf8(folder.read("ours")).unwrap();
    assert_eq!(ours.trim_end(), text.trim_end().rsplit(' ').next().unwrap());
    folder.good("verify --key public.pem --encoding hex --signature ours long");
}

#[test]
fn text_encodings_come_back_and_nonsense_is_refused_by_name() {
    let folder = folder("signatures-encodings");
    for encoding in ["hex", "base64"] {
        let text = folder.good(&format!("sign --key key.pem message --encoding {encoding}")).stdout;
        folder.write("text", format!("  {text}\n"));
        folder.good(&format!("verify --key key.pem --signature text --encoding {encoding} message"));
    }
    folder.write("text", "not a signature");
    let hex = folder.garner("verify --key key.pem --signature text --encoding hex message").output().unwrap();
    assert_eq!(hex.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&hex.stderr).contains("text: is not hexadecimal"));
    let base64 = "verify --key key.pem --signature text --encoding base64 message";
    refused(&mut folder.garner(base64), 1, &["text: is not base64"]);
    folder.write("long", [b'0'; (16 << 10) + 1]);
    refused(
        &mut folder.garner("verify --key key.pem --signature long message"),
        1,
        &["long: is longer than 16384 bytes"],
    );
    refused(&mut folder.garner("verify --key key.pem --signature none message"), 3, &["none: No such file"]);
    refused(&mut folder.garner("verify --key key.pem --signature text message"), 1, &["text: not a signature"]);
}

#[test]
fn what_cannot_be_done_is_refused_by_file_and_reason() {
    let folder = folder("signatures-refused");
    let garner = |words: &str| folder.garner(words);
    refused(&mut garner("sign --key none.pem message"), 3, &["garner: none.pem: No such file"]);
    refused(&mut garner("sign --key key.pem none"), 3, &["garner: none: No such file"]);
    refused(&mut garner("sign --key . message"), 3, &["garner: .: is a directory"]);
    refused(&mut garner("sign --key message message"), 3, &["garner: message: not a usable RSA key"]);
    refused(&mut garner("sign --key public.pem message"), 3, &["public.pem", "a private key is needed"]);
    refused(&mut garner("sign --key key.pem --hash md5 message"), 2, &["md5", "sha256"]);
    refused(&mut garner("sign --key key.pem --hash sha1 message"), 2, &["--hash: SHA-1", "verification only"]);
    refused(&mut garner("sign --key key.pem --salt-length 5 message"), 2, &["--salt-length", "pss"]);
    refused(&mut garner("sign --key key.pem --padding pss --salt-length 999 message"), 3, &["modulus", "999"]);
    refused(&mut garner("sign --key key.pem --padding none message"), 2, &["none", "pkcs1", "pss"]);
    folder.write("precious", "do not lose me");
    refused(&mut garner("sign --key key.pem message --out precious"), 3, &["precious: exists already", "--force"]);
    assert_eq!(folder.read("precious"), b"do not lose me");
    refused(
        &mut garner("sign --key key.pem message --out no/such/file"),
        3,
        &["no/such/file: no such folder: no/such"],
    );
    // SHA-1 is verified, for old signatures.
    folder.openssl_good("dgst -sha1 -sign key.pem -out old message");
    folder.good("verify --key public.pem --hash sha1 --signature old message");
    let to_null = run(&mut garner("sign --key key.pem message --out /dev/null"));
    assert_eq!(to_null.status, 0, "{to_null:?}");
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}
