// SPDX-License-Identifier: Apache-2.0
//! Where results are written: never through a link, never over an input, never into what somebody else put there; and
//! still into pipes and devices that are named on purpose.

mod common;

use common::folder::Folder;
use common::{refused, run};
use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, chown, symlink};
use std::process::Command;
use std::thread;

/// A folder with a key, a message, its ciphertext and a list.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out key.pem");
    folder.write("message", "what is signed\n");
    folder.write("list", format!("{0}  a\n{0}  b\n", "00".repeat(32)));
    folder.good("encrypt --key key.pem --hash sha1 message --out ciphertext");
    folder
}

/// A command of every kind that writes a file.
const WRITING: [&str; 6] = [
    "sign --key key.pem message --out",
    "encrypt --key key.pem --hash sha1 message --out",
    "decrypt --key key.pem --hash sha1 ciphertext --out",
    "bulk --key key.pem list --out",
    "keygen --bits 512 --below-fips --out",
    "keygen --bits 512 --below-fips --out new.pem --public-out",
];

#[test]
fn a_link_is_replaced_with_force_and_what_it_leads_to_is_never_touched() {
    let folder = folder("outputs-links");
    folder.write("precious", "precious");
    for words in
        WRITING.into_iter().chain(["speed --bits 512 --operation public --callers 1 --batch 0 --seconds 0.001 --plot"])
    {
        for target in ["precious", "nowhere"] {
            symlink(target, folder.path("out")).unwrap();
            let _ = fs::remove_file(folder.path("new.pem"));
            if !words.starts_with("speed") {
                refused(
                    &mut folder.garner(&format!("{words} out")),
                    3,
                    &["out: exists already; a link; --force replaces it"],
                );
                folder.good(&format!("{words} out --force"));
            } else {
                folder.good(&format!("{words} out"));
            }
            assert!(folder.path("out").symlink_metadata().unwrap().is_file(), "{words} {target}");
            assert_eq!(folder.read("precious"), b"precious", "{words}");
            assert!(!folder.exists("nowhere"), "{words}");
            fs::remove_file(folder.path("out")).unwrap();
        }
    }
}

#[test]
fn an_output_that_is_an_input_is_refused_whichever_of_its_names_is_given() {
    let folder = folder("outputs-inputs");
    folder.write("password", "secret");
    let key = folder.read("key.pem");
    symlink("key.pem", folder.path("symbolic")).unwrap();
    fs::hard_link(folder.path("key.pem"), folder.path("hard")).unwrap();
    for out in ["key.pem", "./key.pem", "symbolic", "hard"] {
        for words in &WRITING[..4] {
            let reason = format!("garner: {out}: is the key itself; name another file");
            refused(&mut folder.garner(&format!("{words} {out} --force")), 2, &[&reason]);
        }
    }
    let cases = [
        ("sign --key key.pem message --out message", "message: is the message itself"),
        ("decrypt --key key.pem --hash sha1 ciphertext --out ciphertext", "ciphertext: is the ciphertext itself"),
        ("bulk --key key.pem list --out list", "list: is the list itself"),
        ("keygen --cipher aes-128-cbc --password-file password --out password", "password: is the password itself"),
    ];
    for (words, reason) in cases {
        refused(&mut folder.garner(&format!("{words} --force")), 2, &["garner: ", reason]);
    }
    // Standard output, and what grows beside the output.
    let script = format!("{} bulk --key key.pem list >>list", env!("CARGO_BIN_EXE_garner"));
    refused(
        Command::new("sh").args(["-c", &script]).current_dir(folder.path("")),
        2,
        &["standard output: is the list"],
    );
    fs::rename(folder.path("list"), folder.path("out.partial")).unwrap();
    for more in ["", "--restart"] {
        let words = format!("bulk --key key.pem out.partial --out out {more}");
        refused(&mut folder.garner(&words), 2, &["out.partial: is the list itself"]);
    }
    assert_eq!(folder.read("out.partial").len(), 2 * 68);
    assert_eq!(folder.read("key.pem"), key);
    assert_eq!(folder.read("password"), b"secret");
}

#[test]
fn what_is_planted_in_the_way_of_a_growing_output_is_never_written() {
    let folder = folder("outputs-planted");
    folder.write("precious", "precious");
    let bulk = |more: &str, reason: &str| {
        refused(
            &mut folder.garner(&format!("bulk --key key.pem list --out out {more}")),
            3,
            &["out.partial: ", reason],
        );
        assert_eq!(folder.read("precious"), b"precious");
        fs::remove_file(folder.path("out.partial")).unwrap();
    };
    for more in ["", "--restart", "--force"] {
        symlink("precious", folder.path("out.partial")).unwrap();
        bulk(more, "is a link");
        symlink("nowhere", folder.path("out.partial")).unwrap();
        bulk(more, "is a link");
        assert!(!folder.exists("nowhere"));
        fs::hard_link(folder.path("precious"), folder.path("out.partial")).unwrap();
        bulk(more, "has 2 names");
        common::pipe(&folder.path("out.partial"));
        bulk(more, "is no regular file");
        if root() {
            folder.write("out.partial", "");
            chown(folder.path("out.partial"), Some(12345), None).unwrap();
            bulk(more, "belongs to another user (12345)");
        }
    }
}

#[test]
fn a_finished_output_is_not_written_over_by_the_run_that_waited_for_it() {
    let folder = folder("outputs-finished");
    // As when another run moves the file to its place once this one has opened it.
    folder.write("out.partial", "");
    let mut child = folder.garner("bulk --key key.pem --out out").stdin(std::process::Stdio::piped()).spawn().unwrap();
    while fs::metadata(format!("/proc/{}/status", child.id())).is_ok()
        && !open_files(child.id()).iter().any(|name| name.ends_with("out.partial"))
    {
        thread::yield_now();
    }
    fs::rename(folder.path("out.partial"), folder.path("elsewhere")).unwrap();
    folder.write("out.partial", "another's");
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(!folder.exists("out"));
    assert_eq!(folder.read("out.partial"), b"another's");
}

fn open_files(pid: u32) -> Vec<String> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    entries.filter_map(|entry| fs::read_link(entry.path()).ok()?.into_os_string().into_string().ok()).collect()
}

#[test]
fn pipes_and_devices_that_are_named_on_purpose_are_written() {
    let folder = folder("outputs-pipes");
    for (words, binary) in [("sign --key key.pem message", ""), ("bulk --key key.pem list --json", "--encoding binary")]
    {
        common::pipe(&folder.path("pipe"));
        let path = folder.path("pipe");
        let reader = thread::spawn(move || {
            let mut content = Vec::new();
            File::open(path).unwrap().read_to_end(&mut content).unwrap();
            content
        });
        folder.good(&format!("{words} {binary} --out pipe"));
        folder.good(&format!("{words} {binary} --out file --force"));
        assert_eq!(reader.join().unwrap(), folder.read("file"), "{words}");
        folder.good(&format!("{words} --out /dev/null"));
        refused(&mut folder.garner(&format!("{words} --out /dev/full")), 3, &["/dev/full: No space left"]);
        fs::remove_file(folder.path("pipe")).unwrap();
    }
    let null = fs::metadata("/dev/null").unwrap();
    assert!(!null.is_file() && null.uid() == 0);
}

#[test]
fn a_pipe_of_another_user_gets_no_key() {
    if !root() {
        return common::left_out("only root can give a pipe to another user");
    }
    let folder = folder("outputs-others-pipe");
    common::pipe(&folder.path("pipe"));
    // The other user reads: nothing waits for that, right or wrong.
    let _reader = OpenOptions::new().read(true).write(true).open(folder.path("pipe")).unwrap();
    chown(folder.path("pipe"), Some(12345), None).unwrap();
    for words in WRITING {
        let _ = fs::remove_file(folder.path("new.pem"));
        refused(&mut folder.garner(&format!("{words} pipe")), 3, &["pipe: belongs to another user (12345)"]);
    }
}

#[test]
fn a_disk_that_is_full_leaves_what_was_there_and_nothing_else() {
    let folder = folder("outputs-full");
    // A limit on the length of files stops a write as a full disk does.
    folder.write("out", "old");
    for words in WRITING {
        let _ = fs::remove_file(folder.path("new.pem"));
        let before = names(&folder);
        let garner = env!("CARGO_BIN_EXE_garner");
        let script = format!("trap '' XFSZ; ulimit -f 0; exec {garner} {words} out --force");
        let outcome = run(Command::new("sh").args(["-c", &script]).current_dir(folder.path("")));
        assert_eq!(outcome.status, 3, "{words}: {outcome:?}");
        assert!(outcome.stderr.contains("File too large"), "{words}: {outcome:?}");
        assert_eq!(folder.read("out"), b"old", "{words}");
        let mut after = names(&folder);
        after.retain(|name| name != "out.partial");
        assert_eq!(after, before, "{words}");
        let _ = fs::remove_file(folder.path("out.partial"));
    }
}

#[test]
fn the_name_of_a_folder_is_no_place_for_a_result() {
    let folder = folder("outputs-folder");
    for words in &WRITING[..4] {
        refused(&mut folder.garner(&format!("{words} new/")), 3, &["new/: is the name of a directory"]);
        refused(&mut folder.garner(&format!("{words} .")), 3, &[".: is a directory"]);
    }
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = folder.path("").read_dir().unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn root() -> bool {
    rustix::process::geteuid().is_root()
}
