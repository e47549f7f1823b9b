// SPDX-License-Identifier: Apache-2.0
//! `garner bulk`: the same signatures as one by one, however often it is interrupted, in memory that does not grow.

mod common;

use common::folder::Folder;
use common::{Outcome, refused, run, send};
use openssl::sha::sha256;
use rustix::process::Signal;
use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::io::Write as _;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A folder with a key of `bits` bits and `lines` digests, and those digests' messages.
fn folder(name: &str, bits: u32, lines: usize) -> Folder {
    let folder = Folder::new(name);
    folder.openssl_good(&format!("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:{bits} -out key.pem"));
    folder.openssl_good("pkey -in key.pem -pubout -out public.pem");
    let (mut digests, mut messages) = (String::new(), String::new());
    for i in 0..lines {
        writeln!(messages, "message {i}").unwrap();
        for byte in sha256(format!("message {i}").as_bytes()) {
            write!(digests, "{byte:02x}").unwrap();
        }
        digests.push('\n');
    }
    folder.write("digests", digests);
    folder.write("messages", messages);
    folder
}

fn json(outcome: &Outcome) -> Value {
    serde_json::from_str(&outcome.stdout).unwrap()
}

fn lines(folder: &Folder, name: &str) -> Vec<String> {
    String::from_utf8(folder.read(name)).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn every_kind_of_line_and_every_encoding_gives_what_openssl_gives_one_by_one() {
    let folder = folder("bulk-kinds", 2048, 40);
    let mut expected = Vec::new();
    for (i, message) in lines(&folder, "messages").iter().enumerate() {
        folder.write(&format!("file {i}"), message);
        folder.write("one", message);
        folder.openssl_good("dgst -sha256 -sign key.pem -out one.sig one");
        expected.push(folder.read("one.sig"));
    }
    folder.write("files", (0..40).map(|i| format!("file {i}\n")).collect::<String>());
    for (kind, input) in [("digests", "digests"), ("messages", "messages"), ("files", "files")] {
        folder.good(&format!("bulk --key key.pem --of {kind} --encoding binary {input} --out out --force"));
        assert_eq!(folder.read("out"), expected.concat(), "{kind}");
    }
    let hex: String = expected.iter().map(|s| data_encoding::HEXLOWER.encode(s) + "\n").collect();
    let base64: String = expected.iter().map(|s| data_encoding::BASE64.encode(s) + "\n").collect();
    folder.good("bulk --key key.pem digests --out out --force");
    assert_eq!(folder.read("out"), hex.as_bytes());
    folder.good("bulk --key key.pem --of messages --encoding base64 messages --out out --force");
    assert_eq!(folder.read("out"), base64.as_bytes());
    // Without a file to write to, from a pipe, as sha256sum writes lists, without the last newline.
    let list = lines(&folder, "digests").join("  some file\n");
    let mut child = folder.garner("bulk --key key.pem").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, hex.as_bytes());
}

#[test]
fn pss_signatures_of_a_bulk_run_verify_with_openssl() {
    let folder = folder("bulk-pss", 2048, 12);
    folder.good("bulk --key key.pem --padding pss --hash sha256 digests --encoding binary --out out");
    for (i, (signature, message)) in folder.read("out").chunks_exact(256).zip(lines(&folder, "messages")).enumerate() {
        folder.write("s", signature);
        folder.write("m", message);
        let options = "-sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest";
        folder.openssl_good(&format!("dgst -sha256 -verify public.pem {options} -signature s m"));
        assert!(i < 12);
    }
    // Random salts: going on keeps what is there, and makes the rest.
    let whole = folder.read("out");
    folder.write("again.partial", &whole[..5 * 256 + 77]);
    let outcome = folder.good("bulk --key key.pem --padding pss digests --encoding binary --out again --json");
    assert_eq!(json(&outcome)["resumed"], 5);
    assert_eq!(folder.read("again")[..5 * 256], whole[..5 * 256]);
    assert_eq!(folder.read("again").len(), whole.len());
}

#[test]
fn each_line_is_signed_by_the_key_it_names() {
    let folder = folder("bulk-keys", 2048, 9);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out small.pem");
    let digests = lines(&folder, "digests");
    let names = ["alice", "bob", "bob"];
    let text: String = digests.iter().enumerate().map(|(i, d)| format!("{}\t{d}\n", names[i % 3])).collect();
    folder.write("named", text);
    folder.good("bulk --key key.pem digests --out all-alice");
    folder.good("bulk --key small.pem digests --out all-bob");
    let (alice, bob) = (lines(&folder, "all-alice"), lines(&folder, "all-bob"));
    let expected: Vec<_> = (0..9).map(|i| if i % 3 == 0 { &alice[i] } else { &bob[i] }.clone()).collect();
    let keys = "--key alice=key.pem --key bob=small.pem";
    folder.good(&format!("bulk {keys} named --out out"));
    assert_eq!(lines(&folder, "out"), expected);
    // Signatures of different lengths are told apart when going on.
    let whole = folder.read("out");
    for cut in [1, 513, 514, 600, 513 + 257, whole.len() - 1] {
        folder.write("again.partial", &whole[..cut]);
        folder.good(&format!("bulk {keys} named --out again --force"));
        assert_eq!(folder.read("again"), whole, "{cut}");
    }
    folder.write("unknown", "carol 00\n");
    refused(&mut folder.garner(&format!("bulk {keys} unknown")), 3, &["unknown:1: key", "\"carol\""]);
    refused(&mut folder.garner("bulk --key key.pem --key small.pem named"), 2, &["--key key.pem", "NAME=FILE"]);
    refused(&mut folder.garner("bulk --key a=key.pem --key a=small.pem named"), 2, &["a=small.pem", "taken"]);
}

#[test]
fn killed_again_and_again_it_comes_to_the_same_output() {
    let folder = folder("bulk-killed", 1024, 6_000);
    folder.good("bulk --key key.pem digests --out whole");
    let whole = folder.read("whole");
    let digests = folder.read("digests");
    let mut last = 0;
    for kill in 1..=10 {
        // More of the list each time, and never its end: a run that is given all it gets cannot end before it is killed.
        let mut child = from_pipe(&folder, "bulk --key key.pem --out out --json");
        child.stdin.as_mut().unwrap().write_all(&digests[..65 * 500 * kill]).unwrap();
        let grown = || fs::metadata(folder.path("out.partial")).map_or(0, |metadata| metadata.len());
        let deadline = Instant::now() + Duration::from_secs(60);
        while grown() <= last {
            assert!(Instant::now() < deadline, "{last} bytes after {kill} runs");
            thread::sleep(Duration::from_micros(200));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        last = grown();
    }
    let outcome = folder.good("bulk --key key.pem digests --out out --json");
    assert_eq!(folder.read("out"), whole);
    assert_eq!(json(&outcome)["signatures"], 6_000);
    assert_eq!(json(&outcome)["resumed"].as_u64().unwrap(), last / 257);
    assert!(!folder.exists("out.partial"));
}

#[test]
fn a_torn_last_signature_is_made_again_wherever_it_was_torn() {
    let folder = folder("bulk-torn", 1024, 20);
    for encoding in ["hex", "base64", "binary"] {
        folder.good(&format!("bulk --key key.pem digests --encoding {encoding} --out whole --force"));
        let whole = folder.read("whole");
        let record = whole.len() / 20;
        for cut in [0, 1, record - 1, record, record + 1, 7 * record + 100, 20 * record - 1, 20 * record] {
            folder.write("out.partial", &whole[..cut]);
            let again = format!("bulk --key key.pem digests --encoding {encoding} --out out --force --json");
            let outcome = folder.good(&again);
            assert_eq!(folder.read("out"), whole, "{encoding}, {cut}");
            assert_eq!(json(&outcome)["resumed"].as_u64().unwrap() as usize, cut / record);
        }
    }
}

#[test]
fn what_belongs_to_another_run_is_never_gone_on_from() {
    let folder = folder("bulk-other", 1024, 20);
    folder.openssl_good("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out other.pem");
    folder.good("bulk --key key.pem digests --out whole");
    let part = folder.read("whole")[..10 * 257].to_vec();
    let go_on = |words: &str| {
        folder.write("out.partial", &part);
        let outcome = run(&mut folder.garner(&format!("bulk {words} --out out")));
        assert_eq!(folder.read("out.partial"), part, "{words}: nothing may be lost");
        (outcome.status, outcome.stderr)
    };
    let mut digests = lines(&folder, "digests");
    digests.swap(4, 5);
    folder.write("swapped", digests.join("\n"));
    folder.write("short", digests[..2].join("\n"));
    let cases = [
        ("--key other.pem digests", "signature 1 is not that of digests:1"),
        ("--key key.pem swapped", "signature 5 is not that of swapped:5"),
        ("--key key.pem --padding pss digests", "signature 1 is not"),
        ("--key key.pem --encoding binary digests", "signature 1 is not"),
    ];
    for (words, text) in cases {
        let (status, said) = go_on(words);
        assert_eq!(status, 3, "{words}");
        assert!(said.contains(text) && said.contains("--restart"), "{said}");
    }
    folder.write("two", lines(&folder, "digests")[..2].join("\n"));
    let (status, said) = go_on("--key key.pem two");
    assert_eq!(status, 3);
    assert!(said.contains("more signatures than two has lines"), "{said}");
    folder.good("bulk --key other.pem digests --out out --restart");
    refused(&mut folder.garner("bulk --key key.pem digests --out out"), 3, &["out: exists already", "--force"]);
}

#[test]
fn a_wrong_line_stops_there_and_its_correction_goes_on_from_there() {
    let folder = folder("bulk-wrong", 1024, 30);
    folder.good("bulk --key key.pem digests --out whole");
    let good = lines(&folder, "digests");
    let cases = [
        ("xyz", "digest: is not hexadecimal"),
        ("", "the line is blank"),
        (" \t\r", "the line is blank"),
        ("00ff", "digest: has 2 bytes"),
    ];
    for (wrong, reason) in cases {
        let mut bad = good.clone();
        bad[16] = wrong.to_owned();
        folder.write("digests", bad.join("\n"));
        let outcome = run(&mut folder.garner("bulk --key key.pem digests --out out"));
        assert_eq!(outcome.status, 3);
        assert!(outcome.stderr.contains(&format!("garner: digests:17: {reason}")), "{outcome:?}");
        let advice = "out.partial; correct that line, or what it names, and the same command goes on from there";
        assert!(outcome.stderr.contains(advice), "{outcome:?}");
        assert_eq!(folder.read("out.partial"), folder.read("whole")[..16 * 257]);
        folder.write("digests", good.join("\n"));
        let outcome = folder.good("bulk --key key.pem digests --out out --json --force");
        assert_eq!(json(&outcome)["resumed"], 16);
        assert_eq!(json(&outcome)["signed"], 14);
        assert_eq!(folder.read("out"), folder.read("whole"));
        fs::remove_file(folder.path("out")).unwrap();
    }
    folder.write("files", "digests\nno such file\n");
    let files = "bulk --key key.pem --of files files --out out";
    refused(&mut folder.garner(files), 3, &["files:2: no such file: No such file or directory"]);
    folder.write("wrong-at-once", "zz\n");
    refused(&mut folder.garner("bulk --key key.pem wrong-at-once --out new"), 3, &["wrong-at-once:1"]);
    assert!(!folder.exists("new.partial"));
    refused(&mut folder.garner("bulk --key key.pem none --out new"), 3, &["garner: none: No such file"]);
    refused(&mut folder.garner("bulk --key key.pem digests --json"), 2, &["--json", "--out"]);
    refused(
        &mut folder.garner("bulk --key key.pem digests --out no/folder/out"),
        3,
        &["garner: no/folder/out: no such folder: no/folder"],
    );
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let full = folder.garner("bulk --key key.pem digests").stdout(full).output().unwrap();
    assert_eq!(full.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&full.stderr).contains("standard output: No space left"));
    folder.write("empty", "");
    folder.good("bulk --key key.pem empty --out nothing");
    assert_eq!(folder.read("nothing"), b"");
}

#[test]
fn a_line_without_a_name_is_told_from_an_empty_message() {
    let folder = folder("bulk-blank", 1024, 1);
    folder.write("lines", "\n");
    folder.good("bulk --key key.pem --of messages lines --out out");
    assert_eq!(lines(&folder, "out").len(), 1);
    refused(&mut folder.garner("bulk --key key.pem --of files lines"), 3, &["garner: lines:1: the line is blank"]);
    refused(&mut folder.garner("bulk --key a=key.pem --of messages lines"), 3, &["lines:1: the line is blank"]);
    folder.write("lines", "a \n");
    refused(&mut folder.garner("bulk --key a=key.pem lines"), 3, &["lines:1: nothing follows the name of the key"]);
}

/// Starts a run that reads from a pipe.
fn from_pipe(folder: &Folder, words: &str) -> Child {
    let mut command = folder.garner(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits for the first signatures.
fn until_signed(folder: &Folder) {
    while fs::metadata(folder.path("out.partial")).map_or(0, |metadata| metadata.len()) == 0 {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn interrupted_it_says_where_it_stopped_and_the_same_command_goes_on() {
    let folder = folder("bulk-interrupted", 1024, 600);
    folder.good("bulk --key key.pem digests --out whole");
    let digests = folder.read("digests");
    for (signal, name, status) in [(Signal::INT, "SIGINT", 130), (Signal::TERM, "SIGTERM", 143)] {
        // The list never ends: only the signal does.
        let mut child = from_pipe(&folder, "bulk --key key.pem --out out");
        child.stdin.as_mut().unwrap().write_all(&digests[..65 * 500]).unwrap();
        until_signed(&folder);
        send(&child, signal);
        let stdin = child.stdin.take();
        let outcome = Outcome::from(child.wait_with_output().unwrap());
        drop(stdin);
        let advice = "what was signed before is in out.partial; the same command goes on from there";
        let said = format!("garner: interrupted ({name}); {advice}\n");
        assert_eq!((outcome.status, outcome.stderr), (status, said));
        let kept = folder.read("out.partial");
        assert!(!kept.is_empty() && kept.len().is_multiple_of(257) && folder.read("whole").starts_with(&kept));
        let outcome = folder.good("bulk --key key.pem digests --out out --json");
        assert_eq!(json(&outcome)["resumed"].as_u64().unwrap() as usize, kept.len() / 257);
        assert_eq!(folder.read("out"), folder.read("whole"));
        fs::remove_file(folder.path("out")).unwrap();
    }
}

#[test]
fn an_input_that_ends_with_the_interruption_is_not_taken_for_whole() {
    let folder = folder("bulk-torn-input", 1024, 200);
    let mut child = from_pipe(&folder, "bulk --key key.pem --of messages --out out");
    child.stdin.as_mut().unwrap().write_all(b"one\ntwo\nthr").unwrap();
    send(&child, Signal::INT);
    // As when Ctrl-C ends the writer of the list too.
    drop(child.stdin.take());
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!(outcome.status, 130, "{outcome:?}");
    assert_eq!(outcome.stderr, "garner: interrupted (SIGINT); nothing was signed\n");
    assert!(!folder.exists("out") && !folder.exists("out.partial"));
}

#[test]
fn while_it_verifies_what_was_there_it_can_be_interrupted_too() {
    let folder = folder("bulk-interrupted-resuming", 1024, 20);
    folder.good("bulk --key key.pem digests --out whole");
    let part = folder.read("whole")[..10 * 257].to_vec();
    folder.write("out.partial", &part);
    let child = from_pipe(&folder, "bulk --key key.pem --out out");
    send(&child, Signal::TERM);
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!(outcome.status, 143, "{outcome:?}");
    assert!(outcome.stderr.contains("interrupted (SIGTERM); what was signed before is in out.partial"), "{outcome:?}");
    assert_eq!(folder.read("out.partial"), part);
    fs::remove_file(folder.path("out.partial")).unwrap();
    // What throws the beginning away would do so again.
    let mut child = from_pipe(&folder, "bulk --key key.pem --out out --restart");
    child.stdin.as_mut().unwrap().write_all(&folder.read("digests").repeat(10)).unwrap();
    until_signed(&folder);
    send(&child, Signal::INT);
    let stdin = child.stdin.take();
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    drop(stdin);
    assert!(outcome.stderr.contains("the same command without --restart goes on from there"), "{outcome:?}");
}

#[test]
fn a_bad_signature_is_told_by_the_status_though_nobody_reads_the_summary() {
    let folder = folder("bulk-unread", 1024, 5);
    folder.good("bulk --key key.pem digests --out signatures");
    let mut bad = folder.read("signatures");
    bad[0] = if bad[0] == b'0' { b'1' } else { b'0' };
    folder.write("bad", &bad);
    for arguments in ["", "--json "] {
        for (signatures, status) in [("signatures", 0), ("bad", 1)] {
            let mut command = folder.garner(&format!("bulk --key public.pem {arguments}--verify {signatures} digests"));
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            assert_eq!(command.stdout(writer).status().unwrap().code(), Some(status), "{arguments}{signatures}");
        }
    }
}

#[test]
fn a_list_without_lines_has_no_good_signatures() {
    let folder = folder("bulk-nothing", 1024, 1);
    fs::create_dir(folder.path("each")).unwrap();
    folder.write("signatures", "");
    for signatures in ["signatures", "each/{}.sig"] {
        let outcome = run(&mut folder.garner(&format!("bulk --key public.pem --verify {signatures} /dev/null")));
        assert_eq!(outcome.status, 1, "{outcome:?}");
        assert!(outcome.stderr.contains("/dev/null: has no lines: nothing was verified"), "{outcome:?}");
    }
}

#[test]
fn two_runs_never_write_the_same_file() {
    let folder = folder("bulk-two", 1024, 10);
    let held = folder.garner("bulk --key key.pem --out out").stdin(Stdio::piped()).spawn();
    let mut held = held.unwrap();
    while !folder.exists("out.partial") {
        thread::sleep(Duration::from_millis(1));
    }
    refused(&mut folder.garner("bulk --key key.pem digests --out out"), 3, &["out.partial: another garner"]);
    held.stdin.take().unwrap().write_all(&folder.read("digests")).unwrap();
    assert!(held.wait().unwrap().success());
    assert_eq!(lines(&folder, "out").len(), 10);
}

#[test]
fn memory_does_not_grow_with_the_lines() {
    let folder = folder("bulk-memory", 1024, 20_000);
    folder.write("few", lines(&folder, "digests")[..1_000].join("\n"));
    let peak = |input: &str| {
        let words = format!("bulk --key key.pem --encoding binary {input} --out {input}.out --json");
        json(&folder.good(&words))["peak_memory_kib"].as_u64().unwrap()
    };
    let (few, many) = (peak("few"), peak("digests"));
    println!("peak memory: {few} KiB for 1,000 lines, {many} KiB for 20,000");
    // 19,000 more signatures are 2.4 MB; a page or two of an allocator's is not the same thing.
    assert!(many < few + 1024, "{few} KiB for 1,000 lines, {many} KiB for 20,000");
}
