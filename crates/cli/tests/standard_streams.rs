// SPDX-License-Identifier: Apache-2.0
//! Standard input, output and error, by all their names: read once, written through, and nothing when they fail.

mod common;

use common::folder::Folder;
use common::{Outcome, refused, run};
use std::fs::{File, OpenOptions};
use std::process::Command;

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out key.pem");
    folder.openssl_good("pkey -in key.pem -pubout -out public.pem");
    folder.openssl_good("pkey -in key.pem -aes128 -passout pass:swordfish -out locked.pem");
    folder.write("password", "swordfish\n");
    folder.write("message", "what is signed\n");
    folder
}

/// A command whose standard input is this file.
fn from(folder: &Folder, words: &str, input: &str) -> Command {
    let mut command = folder.garner(words);
    command.stdin(File::open(folder.path(input)).unwrap());
    command
}

#[test]
fn standard_input_is_never_taken_for_two_things() {
    let folder = folder("streams-input");
    folder.good("sign --key key.pem message --out good");
    let cases = [
        ("sign --key -", "key.pem", "is the key already; name a file for the message"),
        ("sign --key - --digest", "key.pem", "is the key already; name a file for the message"),
        ("sign --key /dev/stdin -", "key.pem", "is the key already; name a file for the message"),
        ("sign --key locked.pem --password-file -", "password", "is the password already; name a file for the message"),
        ("sign --key - --password-file - message", "locked.pem", "is the key already; name a file for the password"),
        ("verify --key public.pem --signature -", "good", "is the signature already; name a file for the message"),
        ("verify --key - --signature good", "public.pem", "is the key already; name a file for the message"),
        ("encrypt --key -", "public.pem", "is the key already; name a file for the message"),
        ("decrypt --key -", "key.pem", "is the key already; name a file for the ciphertext"),
        ("bulk --key -", "key.pem", "is the key already; name a file for the list"),
        ("bulk --key a=- --key b=- message", "key.pem", "is the key already; name a file for the key"),
    ];
    for (words, input, reason) in cases {
        refused(&mut from(&folder, words, input), 2, &["garner: standard input: ", reason]);
    }
    folder.write("list", "-\n");
    let own_list = &mut from(&folder, "bulk --key key.pem --of files", "list");
    refused(own_list, 3, &["standard input:1: standard input: is the list already"]);
    for words in ["sign --key - message --out from-key", "sign --key key.pem --out from-message"] {
        let input = if words.contains(" - ") { "key.pem" } else { "message" };
        assert_eq!(run(&mut from(&folder, words, input)).status, 0);
    }
    for name in ["from-key", "from-message"] {
        assert_eq!(folder.read(name), folder.read("good"));
    }
}

#[test]
fn one_password_from_a_pipe_opens_all_keys() {
    let folder = folder("streams-password");
    folder.write("list", format!("a {0}\nb {0}\n", "00".repeat(32)));
    let words = "bulk --key a=locked.pem --key b=locked.pem --password-file - list --out signatures";
    let outcome = run(&mut from(&folder, words, "password"));
    assert_eq!(outcome.status, 0, "{outcome:?}");
}

#[test]
fn standard_output_and_open_descriptors_are_written_through() {
    let folder = folder("streams-output");
    let signature = folder.good("sign --key key.pem --encoding hex message").stdout;
    folder.write("list", format!("{}\n", "00".repeat(32)));
    let bulk = folder.good("bulk --key key.pem list").stdout;
    for out in ["-", "/proc/self/fd/1", "/dev/fd/1", "/dev/stdout", "/dev/fd/3"] {
        for force in ["", "--force"] {
            let signing = ("sign --key key.pem --encoding hex message", &signature);
            for (words, expected) in [signing, ("bulk --key key.pem list", &bulk)] {
                folder.write("out", "before\n");
                let to = if out.ends_with('3') { "3>>out" } else { ">>out" };
                let script = format!("{} {words} --out {out} {force} {to}", env!("CARGO_BIN_EXE_garner"));
                let outcome = run(Command::new("sh").args(["-c", &script]).current_dir(folder.path("")));
                assert_eq!(outcome.status, 0, "{script}: {outcome:?}");
                assert_eq!(String::from_utf8(folder.read("out")).unwrap(), format!("before\n{expected}"), "{script}");
            }
        }
    }
}

#[test]
fn the_exit_status_is_the_same_where_standard_error_cannot_be_written() {
    let folder = folder("streams-error");
    let cases = [
        ("verify --key public.pem --signature message message", 1),
        ("sign --key none message", 3),
        ("sign --key key.pem --hash sha1 message", 2),
        ("stats 4194998 4194999", 3),
    ];
    for (words, status) in cases {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let outcome = Outcome::from(folder.garner(words).stderr(full).output().unwrap());
        assert_eq!(outcome.status, status, "{words}");
    }
}
