// SPDX-License-Identifier: Apache-2.0
//! `garner bulk`: lists as other programs write them, and signatures by the names in them.

mod common;

use common::folder::Folder;
use common::{Outcome, refused, run};
use serde_json::Value;
use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{io, thread};

/// A folder with a key, and files of awkward names with their signatures by `openssl`, in the order of the names.
fn folder(name: &str) -> (Folder, Vec<(String, Vec<u8>)>) {
    let folder = Folder::new(name);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out key.pem");
    folder.openssl_good("pkey -in key.pem -pubout -out public.pem");
    fs::create_dir_all(folder.path("files/inner")).unwrap();
    let names = ["a b", "back\\slash", "inner/c", "new\nline", "x (y) = z", "ä"];
    let signed = names.map(|name| {
        let path = format!("files/{name}");
        folder.write(&path, format!("the message {name}"));
        folder.write("message", folder.read(&path));
        folder.openssl_good("dgst -sha256 -sign key.pem -out signature message");
        (path, folder.read("signature"))
    });
    (folder, signed.to_vec())
}

/// What a command line of the shell writes, with the names as its arguments.
fn output_of(folder: &Folder, words: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words).args(files.iter().map(|(name, _)| name)).current_dir(folder.path(""));
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    output.stdout
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap()
}

#[test]
fn lists_of_sha256sum_and_openssl_are_read_with_their_names() {
    let (folder, files) = folder("lists-writers");
    let plain: Vec<_> = files.iter().filter(|(name, _)| !name.contains(['\n', '\\'])).cloned().collect();
    let cases = [
        ("sha256sum", &files, ""),
        ("sha256sum --binary", &files, ""),
        ("sha256sum --tag", &files, ""),
        ("sha256sum --zero", &files, "-0"),
        // openssl escapes nothing in this form.
        ("openssl dgst -sha256", &plain, ""),
        ("openssl dgst -sha256 -r", &plain, ""),
    ];
    for (writer, files, options) in cases {
        folder.write("list", output_of(&folder, writer, files));
        folder.good(&format!("bulk --key key.pem list {options} --encoding binary --out all --force"));
        let expected: Vec<u8> = files.iter().flat_map(|(_, signature)| signature.clone()).collect();
        assert_eq!(folder.read("all"), expected, "{writer}");
        // Each by its name, which is that of its file.
        let _ = fs::remove_dir_all(folder.path("signatures"));
        folder.good(&format!("bulk --key key.pem list {options} --encoding binary --out signatures/{{}}.sig"));
        for (name, signature) in files {
            assert_eq!(folder.read(&format!("signatures/{name}.sig")), *signature, "{writer}: {name}");
        }
        folder.good(&format!("bulk --key public.pem list {options} --encoding binary --verify signatures/{{}}.sig"));
    }
    let mut of_stdin = Command::new("openssl");
    of_stdin.args(["dgst", "-sha256"]).stdin(fs::File::open(folder.path(&files[0].0)).unwrap());
    folder.write("list", of_stdin.output().unwrap().stdout);
    folder.good("bulk --key key.pem list --encoding binary --out all --force");
    assert_eq!(folder.read("all"), files[0].1);
    folder.write("list", output_of(&folder, "sha512sum --tag", &files));
    let wrong = "list:1: digest: is of SHA512, not of SHA-256; --hash names";
    refused(&mut folder.garner("bulk --key key.pem list"), 3, &[wrong]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_digest_or_a_name() {
    let (folder, files) = folder("lists-mark");
    let digests = output_of(&folder, "sha256sum", &files[..1]);
    let (name, signature) = &files[0];
    for (kind, list) in [("digests", digests.clone()), ("files", name.clone().into_bytes())] {
        folder.write("list", [b"\xef\xbb\xbf", &list[..]].concat());
        folder.good(&format!("bulk --key key.pem --of {kind} list --encoding binary --out out --force"));
        assert_eq!(folder.read("out"), *signature, "{kind}");
    }
    folder.write("list", [b"\xff\xfe", &digests[..]].concat());
    refused(&mut folder.garner("bulk --key key.pem list"), 3, &["list:1: the list is in UTF-16; convert it"]);
    // The bytes of a message are its own.
    folder.write("list", b"\xef\xbb\xbfa");
    folder.write("message", b"\xef\xbb\xbfa");
    folder.good("bulk --key key.pem --of messages list --encoding binary --out out --force");
    folder.good("sign --key key.pem message --out expected");
    assert_eq!(folder.read("out"), folder.read("expected"));
}

#[test]
fn items_that_end_with_nul_bytes_are_told_apart() {
    let (folder, files) = folder("lists-nul");
    let list: String = files.iter().map(|(name, _)| format!("{name}\0")).collect();
    folder.write("list", &list);
    for list in [&list, list.trim_end_matches('\0')] {
        folder.write("list", list);
        folder.good("bulk --key key.pem --of files -0 list --encoding binary --out out --force");
        let expected: Vec<u8> = files.iter().flat_map(|(_, signature)| signature.clone()).collect();
        assert_eq!(folder.read("out"), expected);
    }
    folder.write("list", "one\ntwo\0three");
    let outcome = folder.good("bulk --key key.pem --of messages --null list --out out --force --json");
    assert_eq!(json(&outcome)["signatures"], 2);
}

#[test]
fn a_line_with_its_name_is_gone_on_from_and_verified() {
    let (folder, files) = folder("lists-names");
    folder.write("list", output_of(&folder, "sha256sum", &files));
    folder.good("bulk --key key.pem --names list --out whole");
    let whole = String::from_utf8(folder.read("whole")).unwrap();
    let expected: String = files
        .iter()
        .map(|(name, signature)| {
            let escaped = name.replace('\\', "\\\\").replace('\n', "\\n");
            let mark = if escaped == *name { "" } else { "\\" };
            format!("{mark}{}  {escaped}\n", data_encoding::HEXLOWER.encode(signature))
        })
        .collect();
    assert_eq!(whole, expected);
    for cut in (0..whole.len()).step_by(97).chain([whole.len()]) {
        folder.write("out.partial", &whole.as_bytes()[..cut]);
        let outcome = folder.good("bulk --key key.pem --names list --out out --force --json");
        assert_eq!(folder.read("out"), whole.as_bytes(), "{cut}");
        assert_eq!(json(&outcome)["resumed"], whole[..cut].matches('\n').count());
    }
    folder.good("bulk --key public.pem --names list --verify whole");
    // The same signature under another name is not what was asked for.
    folder.write("renamed", whole.replace("  files/a b", "  files/a c"));
    refused(
        folder.garner("bulk --key public.pem --names list --verify renamed --json").stdout(Stdio::null()),
        1,
        &["list:1: the signature is not that of this line", "renamed: 1 of 6 signatures are not good"],
    );
    folder.write("list", format!("{}\n", "00".repeat(32)));
    refused(&mut folder.garner("bulk --key key.pem --names list"), 3, &["list:1: the digest has no name"]);
    refused(&mut folder.garner("bulk --key key.pem --names --of messages list"), 2, &["messages have no names"]);
    refused(&mut folder.garner("bulk --key key.pem --names --encoding binary list"), 2, &["--names", "binary"]);
}

#[test]
fn no_name_of_the_input_leads_out_of_the_folder() {
    let (folder, _) = folder("lists-traversal");
    fs::create_dir_all(folder.path("out/real")).unwrap();
    fs::create_dir(folder.path("elsewhere")).unwrap();
    symlink("../elsewhere", folder.path("out/link")).unwrap();
    symlink("../elsewhere/file", folder.path("out/file.sig")).unwrap();
    let absolute = folder.path("elsewhere/x").display().to_string();
    let cases = [
        ("../elsewhere/x", "leads upwards"),
        ("real/../../elsewhere/x", "leads upwards"),
        ("./../elsewhere/x", "leads upwards"),
        ("real/..", "is that of a folder"),
        ("..", "is that of a folder"),
        ("real/", "is that of a folder"),
        (&absolute, "begins at the root"),
        ("link/x", "is no folder, or a link"),
        ("file", "out/file.sig: is a link"),
    ];
    for (name, reason) in cases {
        folder.write("list", format!("{}  {name}\n", "00".repeat(32)));
        let signing = "bulk --key key.pem list --out out/{}.sig";
        for more in ["", "--force"] {
            if name == "file" && more == "--force" {
                continue;
            }
            refused(&mut folder.garner(&format!("{signing} {more}")), 3, &["list:1: ", reason]);
        }
        refused(&mut folder.garner("bulk --key key.pem list --verify out/{}.sig"), 3, &["list:1: ", reason]);
        assert_eq!(folder.path("elsewhere").read_dir().unwrap().count(), 0, "{name}");
        assert_eq!(folder.path("out").read_dir().unwrap().count(), 3, "{name}: nothing may be left behind");
    }
    folder.write("list", format!("{}  file\n", "00".repeat(32)));
    folder.good("bulk --key key.pem list --out out/{}.sig --force");
    assert!(folder.path("out/file.sig").symlink_metadata().unwrap().is_file());
    assert_eq!(folder.path("elsewhere").read_dir().unwrap().count(), 0);
    // A dot that leads nowhere is none of that.
    folder.write("list", format!("{}  ./real//x..y\n", "00".repeat(32)));
    folder.good("bulk --key key.pem list --out out/{}.sig");
    assert!(folder.exists("out/real/x..y.sig"));
}

#[test]
fn signatures_in_files_of_their_own_are_kept_if_good_and_the_others_made() {
    let (folder, files) = folder("lists-each");
    folder.write("list", output_of(&folder, "sha256sum", &files));
    let command = "bulk --key key.pem list --encoding binary --out each/{}.sig --json";
    let outcome = folder.good(command);
    assert_eq!((&json(&outcome)["signed"], &json(&outcome)["resumed"]), (&6.into(), &0.into()));
    fs::remove_file(folder.path("each/files/inner/c.sig")).unwrap();
    // What a killed run left.
    folder.write("each/.garner-abcdef", "left");
    let outcome = folder.good(command);
    assert_eq!((&json(&outcome)["signed"], &json(&outcome)["resumed"]), (&1.into(), &5.into()));
    assert_eq!(folder.read("each/files/inner/c.sig"), files[2].1);
    assert!(!folder.exists("each/.garner-abcdef"));
    // What a machine that lost its power left.
    folder.write("each/files/a b.sig", "");
    let verify = "bulk --key public.pem list --encoding binary --verify each/{}.sig --json";
    assert_eq!(json(&run(&mut folder.garner(verify)))["bad"], 1);
    let outcome = folder.good(command);
    assert_eq!((&json(&outcome)["signed"], &json(&outcome)["resumed"]), (&1.into(), &5.into()));
    assert_eq!(folder.read("each/files/a b.sig"), files[0].1);
    for wrong in [&b"short"[..], &files[1].1, &[&files[0].1[..], b"x"].concat()] {
        folder.write("each/files/a b.sig", wrong);
        let reason = "each/files/a b.sig: is not the signature of list:1 by this key and scheme; --force makes all";
        refused(&mut folder.garner(command), 3, &[reason]);
        let outcome = run(&mut folder.garner(verify));
        assert_eq!((outcome.status, &json(&outcome)["bad"], &json(&outcome)["good"]), (1, &1.into(), &5.into()));
    }
    folder.good(&format!("{command} --force"));
    assert_eq!(folder.read("each/files/a b.sig"), files[0].1);
    folder.write("list", [folder.read("list"), output_of(&folder, "sha256sum", &files[..1])].concat());
    fs::remove_dir_all(folder.path("each")).unwrap();
    refused(&mut folder.garner(command), 3, &["exists already; the name comes twice in the input"]);
}

#[test]
fn no_signature_takes_the_place_of_its_message_or_of_the_key() {
    let (folder, _) = folder("lists-in-place");
    let key = folder.read("key.pem");
    folder.write("list", "files/a b\n");
    fs::hard_link(folder.path("files/a b"), folder.path("files/a b.sig")).unwrap();
    folder.write("digests", format!("{}  key\n", "00".repeat(32)));
    for more in ["", "--force"] {
        for pattern in ["{}", "./{}", "{}.sig"] {
            let words = format!("bulk --key key.pem --of files list --out {pattern} {more}");
            refused(&mut folder.garner(&words), 3, &["list:1: ", "files/a b", "is the message itself"]);
        }
        let words = format!("bulk --key key.pem digests --out {{}}.pem {more}");
        refused(&mut folder.garner(&words), 3, &["digests:1: ", "key.pem: is the key itself"]);
    }
    assert_eq!((folder.read("key.pem"), folder.read("files/a b")), (key, b"the message a b".to_vec()));
}

#[test]
fn no_signature_takes_the_place_of_another_message_of_the_list() {
    let (folder, _) = folder("lists-messages");
    let list = "files/a b\nfiles/inner/c\nfiles/link\nfiles/a b.sig\n";
    folder.write("list", list);
    folder.write("files/a b.sig", "a message that is called so");
    folder.write("files/elsewhere.sig", "a message by a link");
    symlink("elsewhere.sig", folder.path("files/link")).unwrap();
    let reason = "list:1: ./files/a b.sig: is a message of the list, too";
    let signing = "bulk --key key.pem --of files --out {}.sig --force";
    refused(&mut folder.garner(&format!("{signing} list")), 3, &[reason]);
    // From a pipe, too, and what a link leads to.
    folder.write("list", "files/elsewhere\nfiles/link\n");
    folder.write("files/elsewhere", "a message");
    let script = format!("cat list | {} {signing}", env!("CARGO_BIN_EXE_garner"));
    let outcome = run(Command::new("sh").args(["-c", &script]).current_dir(folder.path("")));
    let reason = "standard input:1: ./files/elsewhere.sig: is a message of the list, too";
    assert!(outcome.status == 3 && outcome.stderr.contains(reason), "{outcome:?}");
    assert_eq!(folder.read("files/a b.sig"), b"a message that is called so");
    assert_eq!(folder.read("files/elsewhere.sig"), b"a message by a link");
    // An empty one is a message, too.
    folder.write("list", list);
    folder.write("files/a b.sig", "");
    refused(
        &mut folder.garner("bulk --key key.pem --of files --out {}.sig list"),
        3,
        &["is not the signature of list:1"],
    );
    // What is no message of the list is replaced.
    folder.write("list", "files/a b\nfiles/inner/c\n");
    folder.good(&format!("{signing} list"));
    folder.good("bulk --key key.pem --of files --verify {}.sig list");
}

#[test]
fn a_list_never_signs_what_is_being_written() {
    let (folder, _) = folder("lists-output");
    for name in ["out.partial", "out"] {
        folder.write("list", format!("key.pem\n{name}\n"));
        folder.write("out", "");
        let reason = format!("list:2: {name}: is the output itself");
        refused(&mut folder.garner("bulk --key key.pem --of files list --out out --force"), 3, &[&reason]);
    }
    let script = format!("{} bulk --key key.pem --of files list >out", env!("CARGO_BIN_EXE_garner"));
    let outcome = run(Command::new("sh").args(["-c", &script]).current_dir(folder.path("")));
    assert!(outcome.status == 3 && outcome.stderr.contains("out: is the output itself"), "{outcome:?}");
}

#[test]
fn a_list_from_a_named_pipe_is_read_once() {
    let (folder, files) = folder("lists-pipe");
    let digests = output_of(&folder, "sha256sum", &files);
    common::pipe(&folder.path("pipe"));
    for round in 0..20 {
        let mut child =
            folder.garner("bulk --key key.pem pipe --encoding binary").stdout(Stdio::piped()).spawn().unwrap();
        OpenOptions::new().write(true).open(folder.path("pipe")).unwrap().write_all(&digests).unwrap();
        // The end of the pipe is the end of the list: nothing else opens it.
        let deadline = Instant::now() + Duration::from_secs(60);
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > deadline {
                child.kill().unwrap();
                panic!("round {round}: it waits for a pipe that ended");
            }
            thread::sleep(Duration::from_millis(2));
        }
        let mut signatures = Vec::new();
        child.stdout.take().unwrap().read_to_end(&mut signatures).unwrap();
        assert_eq!(signatures.len(), 6 * 128);
    }
}

#[test]
fn names_that_would_move_the_cursor_are_shown_in_one_line() {
    let (folder, _) = folder("lists-control");
    folder.write("list", "no\u{1b}[2Jsuch\nfile\0");
    let outcome = run(&mut folder.garner("bulk --key key.pem --of files -0 list"));
    assert_eq!(outcome.stderr, "garner: list:1: no\\u{1b}[2Jsuch\\nfile: No such file or directory (os error 2)\n");
}

#[test]
fn names_that_are_no_unicode_are_names_too() {
    use std::os::unix::ffi::OsStrExt;
    let (folder, _) = folder("lists-bytes");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    let write = |path: &Path| fs::write(folder.path("").join(path), "message");
    match write(Path::new(name)) {
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename || error.raw_os_error() == Some(84) => {
            return common::left_out(format_args!("this file system takes Unicode only: {error}"));
        }
        other => other.unwrap(),
    }
    folder.write("list", b"caf\xe9\n");
    folder.good("bulk --key key.pem --of files list --out s/{}.sig");
    assert!(folder.path("s").join(std::ffi::OsStr::from_bytes(b"caf\xe9.sig")).exists());
    let mut sign = folder.garner("sign --key key.pem --out");
    assert_eq!(run(sign.arg(std::ffi::OsStr::from_bytes(b"caf\xe9.sig")).arg(name)).status, 0);
}

#[test]
fn list_with_a_pipe_or_a_device_is_refused_by_its_line() {
    let (folder, _) = folder("lists-special");
    folder.write("message", "m");
    assert!(Command::new("mkfifo").arg(folder.path("pipe")).status().unwrap().success());
    for (name, shown) in [("pipe", "pipe"), ("/dev/zero", "/dev/zero")] {
        folder.write("list", format!("message\n{name}\n"));
        let words = ["10", env!("CARGO_BIN_EXE_garner"), "bulk", "--key", "key.pem", "--of", "files", "list"];
        let done = Command::new("timeout").args(words).current_dir(folder.path("")).output().unwrap();
        let text = String::from_utf8_lossy(&done.stderr);
        assert!(text.contains("list:2") || text.contains("line 2"), "{text}");
        assert!(text.contains(&format!("{shown}: is no regular file")), "{text}");
        assert!(!done.status.success() && done.status.code() != Some(124), "{}", done.status);
    }
}
