// SPDX-License-Identifier: Apache-2.0
//! `garner keygen --resume`: what counts as a key that is there, which names keys have, what is left of a run that was
//! killed, and what one says that was interrupted.

mod common;

use common::folder::Folder;
use common::terminal::on_terminal;
use common::{Outcome, refused, run, send};
use rustix::process::Signal;
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const KEYS: &str = "keygen --bits 1024 --below-fips --count 4 --out keys/ --public-out public-{}.pem --resume";
const CIPHER: &str = "--cipher aes-128-cbc --iterations 1000 --password-file password";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("password", "correct horse\n");
    folder
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap()
}

/// The files in a folder, hidden ones too.
fn names(folder: &Folder, of: &str) -> Vec<String> {
    let entries = folder.path(of).read_dir().unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_link_to_a_key_is_not_a_key_that_is_there() {
    let folder = folder("resume-link");
    folder.good(KEYS);
    for name in ["keys/key-2.pem", "public-3.pem"] {
        fs::rename(folder.path(name), folder.path("elsewhere")).unwrap();
        symlink(folder.path("elsewhere"), folder.path(name)).unwrap();
        refused(&mut folder.garner(KEYS), 3, &[name, "exists already; a link"]);
        fs::rename(folder.path("elsewhere"), folder.path(name)).unwrap();
    }
    folder.good(KEYS);
}

#[test]
fn a_file_that_is_not_the_key_asked_for_is_named_and_never_counted() {
    let folder = folder("resume-inspect");
    folder.good(&format!("{KEYS} {CIPHER}"));
    let key = "keys/key-2.pem";
    let (good, public) = (folder.read(key), folder.read("public-2.pem"));
    folder.openssl_good("genrsa -traditional -out pkcs1.pem 1024");
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out plain.pem");
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1152 -out longer.pem");
    folder
        .openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -pkeyopt rsa_keygen_pubexp:257 -out e.pem");
    folder.openssl_good("pkey -in plain.pem -outform DER -out plain.der");
    let lock = |from: &str, more: &str| {
        folder.openssl_good(&format!("pkcs8 -topk8 -in {from} -out locked {more}"));
        folder.read("locked")
    };
    let own = "-v2 aes-128-cbc -v2prf hmacWithSHA256 -iter 1000 -passout file:password";
    folder.write("other", "another\n");
    let cases = [
        (Vec::new(), "is empty"),
        (b"garbage".to_vec(), "not a usable RSA key"),
        (good[..good.len() / 2].to_vec(), "not a usable RSA key"),
        (folder.read("plain.pem"), "is not encrypted"),
        (folder.read("pkcs1.pem"), "is not encrypted"),
        (folder.read("plain.der"), "is DER, which is not asked for"),
        (lock("longer.pem", own), "has 1152 bits, not 1024"),
        (lock("e.pem", own), "has another public exponent"),
        (lock("plain.pem", &own.replace("128", "256")), "is encrypted in another way"),
        (lock("plain.pem", &own.replace("1000", "999")), "is encrypted in another way"),
        (lock("plain.pem", &own.replace("file:password", "file:other")), "wrong password or damaged file"),
    ];
    let closed = || fs::set_permissions(folder.path(key), Permissions::from_mode(0o600)).unwrap();
    fs::remove_file(folder.path("keys/key-4.pem")).unwrap();
    fs::remove_file(folder.path("public-4.pem")).unwrap();
    let refuse = |words: &str, file: &str, reason: &str| {
        let outcome = run(&mut folder.garner(&format!("{words} --json")));
        assert_eq!(outcome.status, 3, "{outcome:?}");
        assert!(outcome.stderr.starts_with(&format!("garner: {file}: ")), "{reason}: {outcome:?}");
        assert!(outcome.stderr.contains(reason), "{reason}: {outcome:?}");
        assert!(outcome.stderr.contains("are not what is asked for; nothing was made"), "{outcome:?}");
        assert!(!folder.exists("keys/key-4.pem"), "{reason}: a key was made");
        outcome
    };
    for (content, reason) in cases {
        folder.write(key, &content);
        closed();
        let outcome = refuse(&format!("{KEYS} {CIPHER}"), key, reason);
        assert_eq!((&json(&outcome)["found"], &json(&outcome)["refused"]), (&2.into(), &1.into()), "{reason}");
        assert_eq!(folder.read(key), content, "what is refused stays");
    }
    folder.write(key, &good);
    fs::set_permissions(folder.path(key), Permissions::from_mode(0o644)).unwrap();
    refuse(&format!("{KEYS} {CIPHER}"), key, "is open to others (mode 644)");
    closed();
    if rustix::process::geteuid().is_root() {
        chown(folder.path(key), Some(12345), None).unwrap();
        refuse(&format!("{KEYS} {CIPHER}"), key, "belongs to another user (12345)");
        chown(folder.path(key), Some(0), None).unwrap();
    }
    for (content, reason) in [
        (folder.read("public-1.pem"), "is not the public key of its private one"),
        (Vec::new(), "not a usable RSA key"),
    ] {
        folder.write("public-2.pem", content);
        refuse(&format!("{KEYS} {CIPHER}"), "public-2.pem", reason);
    }
    folder.write("public-2.pem", public);
    // All is well again: only what is missing is made.
    let outcome = folder.good(&format!("{KEYS} {CIPHER} --json"));
    let (made, found) = (&json(&outcome)["made"], &json(&outcome)["found"]);
    assert_eq!((made, found, folder.read(key)), (&1.into(), &3.into(), good));
}

#[test]
fn a_key_in_another_form_than_asked_for_is_refused() {
    let folder = folder("resume-forms");
    let forms = ["", "--format pkcs1", "--der", "--der --format pkcs1", CIPHER, &format!("--der {CIPHER}")];
    for (i, made) in forms.iter().enumerate() {
        let command = "keygen --bits 512 --below-fips --count 2 --out key-{} --resume";
        for name in ["key-1", "key-2"] {
            let _ = fs::remove_file(folder.path(name));
        }
        folder.good(&format!("{command} {made}"));
        for (j, asked) in forms.iter().enumerate() {
            let outcome = run(&mut folder.garner(&format!("{command} {asked} --json")));
            assert_eq!(outcome.status, if i == j { 0 } else { 3 }, "made {made}, asked {asked}: {outcome:?}");
            assert_eq!(json(&outcome)["made"], 0, "{outcome:?}");
        }
    }
}

#[test]
fn with_another_count_the_keys_keep_their_names() {
    let folder = folder("resume-width");
    let keys = |count: u32, more: &str| {
        let command =
            format!("keygen --bits 512 --below-fips --out keys/ --public-out keys/ --json --count {count} {more}");
        run(&mut folder.garner(&command))
    };
    assert_eq!(keys(8, "").status, 0);
    let first = folder.read("keys/key-1.pem");
    for (count, made) in [(12, 4), (101, 89), (5, 0)] {
        assert_eq!(keys(count, "").status, 3, "other names would be made beside those that are there");
        let outcome = keys(count, "--resume");
        assert_eq!(json(&outcome)["made"], made, "{outcome:?}");
    }
    assert_eq!(names(&folder, "keys").len(), 2 * 101);
    assert!(folder.exists("keys/key-101.pem") && folder.exists("keys/key-9.pub.pem"));
    assert_eq!(folder.read("keys/key-1.pem"), first);
    // From more digits to fewer.
    let wide = "keygen --bits 512 --below-fips --out wide-{}/k --resume --json --count";
    for i in 1..=12 {
        fs::create_dir(folder.path(&format!("wide-{i:04}"))).unwrap();
    }
    fs::copy(folder.path("keys/key-1.pem"), folder.path("wide-0003/k")).unwrap();
    let outcome = folder.good(&format!("{wide} 12"));
    assert_eq!((&json(&outcome)["made"], &json(&outcome)["found"]), (&11.into(), &1.into()));
    assert_eq!(json(&folder.good(&format!("{wide} 7")))["found"], 7);
    fs::copy(folder.path("keys/key-1.pem"), folder.path("keys/key-01.pem")).unwrap();
    let outcome = keys(12, "--resume");
    assert!(outcome.status == 3 && outcome.stderr.contains("numbers of different widths"), "{outcome:?}");
}

#[test]
fn nothing_of_a_killed_run_stays_and_nothing_of_another_is_touched() {
    let folder = folder("resume-killed");
    let command = "keygen --bits 512 --below-fips --count 3000 --out keys/ --public-out public/ --resume";
    // What runs left that were killed while they wrote.
    for name in ["keys", "public"] {
        fs::create_dir(folder.path(name)).unwrap();
        folder.write(&format!("{name}/.garner-abcdef"), "-----BEGIN PRIVATE KEY-----");
        folder.write(&format!("{name}/.garner-notes.txt"), "somebody's");
    }
    // One that another run is writing is locked.
    folder.write("keys/.garner-ghijkl", "");
    let writing = fs::File::open(folder.path("keys/.garner-ghijkl")).unwrap();
    writing.lock().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    for wanted in [40, 80, 120] {
        let mut child = folder.garner(command).spawn().unwrap();
        while names(&folder, "keys").len() < wanted {
            assert!(Instant::now() < deadline && child.try_wait().unwrap().is_none());
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    folder.good(&command.replace("3000", "100"));
    for name in ["keys", "public"] {
        let mut hidden = names(&folder, name);
        hidden.retain(|file| file.starts_with('.'));
        let mut expected = vec![".garner-ghijkl", ".garner-notes.txt"];
        expected.retain(|file| name == "keys" || *file != ".garner-ghijkl");
        assert_eq!(hidden, expected, "{name}");
    }
}

#[test]
fn interrupted_it_says_the_very_command_that_goes_on() {
    let folder = folder("resume-interrupted");
    let words = ["keygen", "--bits", "512", "--below-fips", "--count", "100000", "--out", "it's keys/"];
    for (i, (signal, status)) in [(Signal::INT, 130), (Signal::TERM, 143)].into_iter().enumerate() {
        let mut command = common::garner(&words);
        if i > 0 {
            command.arg("--resume");
        }
        command.current_dir(folder.path("")).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let before = if i > 0 { names(&folder, "it's keys").len() } else { 0 };
        while !folder.exists("it's keys") || names(&folder, "it's keys").len() <= before + 10 {
            std::thread::yield_now();
        }
        send(&child, signal);
        let outcome = Outcome::from(child.wait_with_output().unwrap());
        assert_eq!(outcome.status, status, "{outcome:?}");
        let there = names(&folder, "it's keys");
        assert!(there.iter().all(|name| name.starts_with("key-")), "something was left behind: {there:?}");
        let made = there.len() - before;
        let said = format!("{made} made, {before} found, 0 refused of 100 000 keys; to go on: ");
        let (_, again) = outcome.stderr.split_once(&said).unwrap_or_else(|| panic!("{said}: {outcome:?}"));
        // The shell takes it as it is, but for the number of keys, of which fewer will do.
        let again = again.trim_end().replace("100000", "20");
        let again = run(Command::new("sh").args(["-c", &format!("{again} --json")]).current_dir(folder.path("")));
        assert_eq!(again.status, 0, "{again:?}");
        assert_eq!(json(&again)["keys"], 20);
        assert_eq!(json(&again)["found"].as_u64().unwrap() + json(&again)["made"].as_u64().unwrap(), 20);
    }
    let child = folder.garner("keygen --bits 8192 --out big --force").stderr(Stdio::piped()).spawn().unwrap();
    send(&child, Signal::INT);
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    // By chance the key is there before the signal.
    if outcome.status != 0 {
        assert_eq!(outcome.status, 130, "{outcome:?}");
        let said = outcome.stderr;
        assert!(said.contains("0 made") && said.contains("the same command begins anew"), "{said}");
    }
    assert_eq!(folder.exists("big"), outcome.status == 0);
}

#[test]
fn a_summary_says_what_was_made_and_what_was_found() {
    let folder = folder("resume-summary");
    let words = "keygen --bits 512 --below-fips --count 3 --out keys/ --resume";
    folder.good(words);
    fs::remove_file(folder.path("keys/key-2.pem")).unwrap();
    let (good, shown) = on_terminal(folder.garner(words), &[]);
    assert!(good && shown.contains("1 made, 2 found, 0 refused; "), "{shown}");
    assert!(shown.contains(" per second"), "{shown}");
    for words in ["keygen --json", "keygen --json --out -", "keygen --json --out /dev/stdout"] {
        refused(&mut folder.garner(words), 2, &["--json", "--out"]);
    }
}

#[test]
fn a_run_that_an_error_ends_says_the_command_that_goes_on() {
    let folder = folder("resume-error");
    let garner = env!("CARGO_BIN_EXE_garner");
    // A limit on the length of files stops a write as a full disk does.
    let script =
        format!("trap '' XFSZ; ulimit -f 0; exec {garner} keygen --bits 512 --below-fips --count 3 --out keys/");
    let outcome = run(Command::new("sh").args(["-c", &script]).current_dir(folder.path("")));
    assert_eq!(outcome.status, 3, "{outcome:?}");
    let said =
        format!("0 made, 0 found, 0 refused of 3 keys; to go on: {garner} keygen --bits 512 --below-fips --count 3");
    assert!(outcome.stderr.contains(&said) && outcome.stderr.ends_with("--out keys/ --resume\n"), "{outcome:?}");
}
