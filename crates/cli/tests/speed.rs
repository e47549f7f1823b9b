// SPDX-License-Identifier: Apache-2.0
//! `garner speed`: what it prints and draws. No figure decides a test.

mod common;

use common::folder::Folder;
use common::{Outcome, garner, refused, run, send};
use rustix::process::Signal;
use serde_json::Value;
use std::fs;
use std::io::{self, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a run says on standard error, without the warning of other work on the machine, as these tests are to each other.
fn said(outcome: &Outcome) -> String {
    let lines = outcome.stderr.lines().filter(|line| !line.starts_with("garner: the machine is busy: "));
    lines.map(|line| format!("{line}\n")).collect()
}

/// As short as a run gets.
const SHORT: [&str; 5] = ["speed", "--seconds", "0.05", "--bits", "1024"];

fn speed(more: &[&str]) -> std::process::Command {
    garner(&[&SHORT[..], more].concat())
}

fn json(more: &[&str]) -> Value {
    let outcome = run(&mut speed(&[&["--json"], more].concat()));
    assert_eq!((outcome.status, said(&outcome).as_str()), (0, ""));
    serde_json::from_str(&outcome.stdout).unwrap()
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn json_has_every_field_and_every_row() {
    let report = json(&["--callers", "1,2", "--batch", "16"]);
    for field in ["cpu", "cores", "kernels", "openssl", "garner", "system", "date"] {
        assert!(!report["machine"][field].is_null(), "{field}");
    }
    for field in ["commit", "dirty", "load", "busy"] {
        assert!(report.get(field).is_some(), "{field}");
    }
    assert!(report["load"].as_f64().unwrap() >= 0.0 && report["busy"].as_f64().unwrap() >= 0.0);
    assert!(report["command"].as_str().unwrap().starts_with("garner speed --seconds 0.05"));
    assert_eq!(report["complete"], true);
    let rows = report["rows"].as_array().unwrap();
    let shapes: Vec<_> = rows
        .iter()
        .map(|row| (row["op"].as_str().unwrap(), row["callers"].as_u64().unwrap(), row["batch"].as_u64().unwrap()))
        .collect();
    assert_eq!(
        shapes,
        [
            ("sign", 1, 16),
            ("sign", 1, 1),
            ("latency", 1, 1),
            ("sign", 2, 1),
            ("verify", 1, 16),
            ("verify", 1, 1),
            ("verify", 2, 1)
        ]
    );
    for row in rows {
        assert_eq!(row["bits"], 1024);
        assert!(["cpu", "libcrypto"].contains(&row["device"].as_str().unwrap()));
        assert!(row["baseline"].as_str().unwrap().starts_with("OpenSSL 3."), "{row}");
        assert_eq!(row["checked"], true);
        assert!(row["slots"].as_u64().unwrap() <= row["callers"].as_u64().unwrap());
        for figure in
            ["garner_per_s", "baseline_per_s", "ratio", "p50_us", "p99_us", "baseline_p50_us", "baseline_p99_us"]
        {
            assert!(row[figure].as_f64().unwrap() > 0.0, "{figure}: {row}");
        }
        assert!(row["results_checked"].as_u64().unwrap() > 0 && row["rounds"].as_u64().unwrap() >= 3);
        assert!(row["fill"].is_null() || row["fill"].as_f64().unwrap() >= 1.0);
    }
}

#[test]
fn the_table_names_what_was_measured_and_how_to_repeat_it() {
    let outcome =
        run(&mut speed(&["--callers", "2", "--batch", "0", "--operation", "sign,exp", "--device", "libcrypto"]));
    assert_eq!((outcome.status, said(&outcome).as_str()), (0, ""));
    for text in ["RSA-1024", "sign, 2 callers", "exp, 2 callers", "OpenSSL 3.", "ratio", "p50", "p99", "fill"] {
        assert!(outcome.stdout.contains(text), "{text} is not in:\n{}", outcome.stdout);
    }
    assert!(outcome.stdout.contains("every signature verified by OpenSSL"));
    assert!(outcome.stdout.contains("reproduce: garner speed --seconds 0.05 --bits 1024 --callers 2 --batch 0"));
    assert!(!outcome.stdout.contains("batches of 64"));
}

#[test]
fn a_report_shown_again_is_the_table_and_the_picture_of_the_run() {
    let folder = Folder::new("speed-again");
    let operations = ["--operation", "sign,latency,keygen,exp", "--callers", "1,2", "--batch", "4", "--peer", PEER];
    let outcome = run(&mut speed(&[&["--json"], &operations[..]].concat()));
    assert_eq!((outcome.status, said(&outcome).as_str()), (0, ""));
    folder.write("report.json", &outcome.stdout);
    let again = run(garner(&["speed", "--from", "report.json", "--plot", "plot.svg"]).current_dir(folder.path("")));
    assert_eq!((again.status, again.stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    for row in report["rows"].as_array().unwrap() {
        let rate = row["garner_per_s"].as_f64().unwrap().round().to_string();
        let digits: String = again.stdout.chars().filter(|c| *c != ' ').collect();
        let is_rate = row["op"] != "latency" && row["op"] != "keygen";
        assert!(!is_rate || rate.len() < 3 || digits.contains(&rate), "{rate} is not in:\n{}", again.stdout);
    }
    for text in
        ["sign, batches of 4", "sign, 2 callers", "one key alone", "Test 1.0", "reproduce: garner speed --seconds"]
    {
        assert!(again.stdout.contains(text), "{text} is not in:\n{}", again.stdout);
    }
    assert!(folder.exists("plot.svg"));
    let cut = outcome.stdout.replace("\"complete\": true", "\"complete\": false");
    folder.write("cut.json", &cut);
    folder.write("other.json", "{}");
    for (file, reason) in [("cut.json", "is of an interrupted run"), ("other.json", "missing field")] {
        refused(garner(&["speed", "--from", file]).current_dir(folder.path("")), 3, &[file, reason]);
    }
    refused(&mut garner(&["speed", "--from", "report.json", "--bits", "2048"]), 2, &["--from", "--bits"]);
}

#[test]
fn rows_measured_before_one_that_cannot_be_are_shown_and_more_threads_than_callers_are_named() {
    let more = ["--bits", "520", "--callers", "1", "--batch", "4", "--slots", "2", "--operation", "sign,keygen"];
    let outcome = run(garner(&["speed", "--seconds", "0.05"]).args(more));
    assert_eq!(outcome.status, 3, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("multiple of 128"), "{}", outcome.stderr);
    for text in ["sign, batches of 4", "incomplete: 2 of ", "Garner had 2 slots: more threads than callers"] {
        assert!(outcome.stdout.contains(text), "{text} is not in:\n{}", outcome.stdout);
    }
}

#[test]
fn decryption_and_latency_are_measured_beside_openssl() {
    let more = ["--operation", "decrypt,latency", "--callers", "1,3", "--batch", "4", "--device", "auto"];
    let report = json(&more);
    let rows = report["rows"].as_array().unwrap();
    let count = |op: &str| rows.iter().filter(|row| row["op"] == op).count();
    assert_eq!((count("decrypt"), count("latency"), count("sign")), (3, 1, 0));
    for row in rows {
        assert!(row["garner_per_s"].as_f64().unwrap() > 0.0 && row["baseline_per_s"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["results_checked"].as_u64().unwrap() > 0);
    }
    let latency = rows.iter().find(|row| row["op"] == "latency").unwrap();
    let (ours, theirs) = (latency["p50_us"].as_f64().unwrap(), latency["baseline_p50_us"].as_f64().unwrap());
    assert!((latency["ratio"].as_f64().unwrap() - theirs / ours).abs() < 1e-9);
    let table = run(&mut speed(&more)).stdout;
    for text in ["decrypt, batches of 4", "decrypt, 3 callers", "one signature, alone", "p99"] {
        assert!(table.contains(text), "{text} is not in:\n{table}");
    }
    assert!(!table.contains("latency, 1 caller"));
}

#[test]
fn key_generation_is_the_mean_over_50_keys_and_says_what_a_key_took() {
    let short = ["speed", "--seconds", "0.01", "--bits", "512", "--operation", "keygen", "--batch", "4"];
    let outcome = run(&mut garner(&[&short[..], &["--json"]].concat()));
    assert_eq!((outcome.status, said(&outcome).as_str()), (0, ""));
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert!(rows.len() >= 2);
    for row in rows {
        assert_eq!(row["op"], "keygen");
        let figure = |name: &str| row[name].as_f64().unwrap_or_else(|| panic!("{name}: {row}"));
        assert!(figure("operations") >= 50.0 && figure("baseline_operations") >= 50.0, "{row}");
        assert!(figure("results_checked") >= figure("operations"));
        assert!((figure("ratio") - figure("garner_per_s") / figure("baseline_per_s")).abs() < 1e-9 * figure("ratio"));
        assert!(figure("candidates_per_key") > figure("survivors_per_key"));
        assert!(figure("survivors_per_key") >= figure("primality_tests_per_key"));
        assert!(figure("primality_tests_per_key") > 2.0);
    }
    let table = run(&mut garner(&short)).stdout;
    for text in ["key generation", "RSA-512, one key alone", "RSA-512, 4 keys at once", "survivors", "115 at 2048 bits"]
    {
        assert!(table.contains(text), "{text} is not in:\n{table}");
    }
}

#[test]
fn sizes_between_the_usual_ones_are_measured_too() {
    let outcome = run(&mut garner(&["speed", "--seconds", "0.01", "--bits", "1000", "--callers", "3", "--batch", "3"]));
    assert_eq!(outcome.status, 0, "{outcome:?}");
    assert!(outcome.stdout.contains("RSA-1000"));
}

#[test]
fn the_plot_is_well_formed_and_names_both_systems() {
    let path = file("speed.svg");
    let outcome = run(&mut speed(&["--callers", "1,2,4", "--plot", path.to_str().unwrap()]));
    assert_eq!(outcome.status, 0, "{outcome:?}");
    let text = fs::read_to_string(&path).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "svg");
    let words: Vec<_> = document.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect();
    let words = words.join(" ");
    for text in ["signing", "verifying", "RSA-1024", "Garner", "OpenSSL 3.", "callers", "ratio", "99th percentile"] {
        assert!(words.contains(text), "{text} is not in: {words}");
    }
}

#[test]
fn a_plot_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let path = file("no/such/folder/speed.svg");
    let path = path.to_str().unwrap();
    refused(&mut garner(&["speed", "--plot", path]), 3, &[&format!("garner: {path}: no such folder")]);
    refused(&mut garner(&["speed", "--plot", "/proc/speed.svg"]), 3, &["garner: /proc/speed.svg: No such file"]);
}

#[test]
fn an_old_plot_outlives_a_run_that_measures_nothing() {
    let folder = Folder::new("speed-old-plot");
    folder.write("plot.svg", "old");
    let mut command = speed(&["--plot", "plot.svg", "--peer", r#"sh -c 'read version; echo ok Test 1.0'"#]);
    refused(command.current_dir(folder.path("")).env("GARNER_GPU", "off"), 3, &["peer", "ended without an answer"]);
    assert_eq!(folder.read("plot.svg"), b"old");
    assert_eq!(folder.path("").read_dir().unwrap().count(), 1, "nothing may be left behind");
}

/// Speaks the protocol of bench/peer, with figures that nobody could take for measured.
const PEER: &str = r#"sh -c 'while read verb rest; do case $verb in
version) echo ok Test 1.0 for tests;; key) echo ok 1024;; *) echo ok 10 1000000 1000000 7000 9000;; esac; done'"#;

#[test]
fn a_peer_becomes_a_second_baseline() {
    let report = json(&["--callers", "1", "--batch", "0", "--operation", "sign,exp,decrypt,keygen", "--peer", PEER]);
    let rows = report["rows"].as_array().unwrap();
    let peer: Vec<_> = rows.iter().filter(|row| row["baseline"] == "Test 1.0").collect();
    let mut operations: Vec<_> = peer.iter().map(|row| row["op"].as_str().unwrap()).collect();
    operations.dedup();
    assert_eq!(operations, ["sign", "latency", "decrypt", "keygen"]);
    assert_eq!(peer[0]["baseline_per_s"], 10_000.0);
    assert_eq!(peer[0]["baseline_p50_us"], 7.0);
    assert_eq!(peer[0]["baseline_p99_us"], 9.0);
}

/// The same, but never done with the second key.
const STUCK_PEER: &str = r#"sh -c 'while read verb rest; do case $verb in
version) echo ok Test 1.0;; key) [ -e first ] && > stuck && continue; > first; echo ok 1024;;
*) echo ok 10 1000000 1000000 7000 9000;; esac; done'"#;

/// A run of two rows that has measured the first and waits for the second.
fn stuck(folder: &Folder, more: &[&str], stdout: Stdio) -> Child {
    let words = ["speed", "--seconds", "0.01", "--bits", "1024,1152", "--operation", "latency", "--peer", STUCK_PEER];
    let mut command = garner(&[&words[..], more].concat());
    let child = command.current_dir(folder.path("")).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !folder.exists("stuck") {
        assert!(Instant::now() < deadline, "it does not come to its second row");
        thread::sleep(Duration::from_millis(1));
    }
    child
}

#[test]
fn interrupted_it_shows_what_was_measured() {
    let folder = Folder::new("speed-interrupted");
    let child = stuck(&folder, &[], Stdio::piped());
    send(&child, Signal::INT);
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!(outcome.status, 130, "{outcome:?}");
    assert_eq!(said(&outcome), "garner: interrupted (SIGINT); 1 of 2 rows were measured\n");
    assert!(outcome.stdout.contains("RSA-1024") && !outcome.stdout.contains("RSA-1152"), "{}", outcome.stdout);
    assert!(outcome.stdout.ends_with("incomplete: 1 of 2 rows\n"), "{}", outcome.stdout);

    let folder = Folder::new("speed-terminated");
    let child = stuck(&folder, &["--json", "--plot", "plot.svg"], Stdio::piped());
    send(&child, Signal::TERM);
    let outcome = Outcome::from(child.wait_with_output().unwrap());
    assert_eq!(outcome.status, 143, "{outcome:?}");
    assert_eq!(said(&outcome), "garner: interrupted (SIGTERM); 1 of 2 rows were measured\n");
    let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(report["complete"], false);
    let bits: Vec<_> = report["rows"].as_array().unwrap().iter().map(|row| row["bits"].as_u64().unwrap()).collect();
    assert_eq!(bits, [1024, 1024]);
    assert!(roxmltree::Document::parse(&String::from_utf8(folder.read("plot.svg")).unwrap()).is_ok());
}

#[test]
fn a_second_signal_kills_at_once() {
    let folder = Folder::new("speed-killed");
    // Nobody reads what the first one has it print.
    let (_reader, mut writer) = io::pipe().unwrap();
    writer.write_all(&[0; 65_536]).unwrap();
    let mut child = stuck(&folder, &[], writer.into());
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None => send(&child, Signal::INT),
        }
        thread::sleep(Duration::from_millis(200));
    };
    assert_eq!(status.signal(), Some(Signal::INT.as_raw()));
}

#[test]
fn a_peer_that_fails_is_named() {
    refused(&mut speed(&["--peer", "false"]), 3, &["garner: peer false: ended without an answer to \"version\""]);
    refused(&mut speed(&["--peer", "echo hello"]), 3, &["peer echo hello: answered \"hello\""]);
    refused(&mut speed(&["--peer", "echo error out of order"]), 3, &["version: out of order"]);
}

/// A powercap tree with one package, whose counter something moves on: so many microjoules each millisecond.
struct Counting {
    root: PathBuf,
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Counting {
    fn new(name: &str, step: u64) -> Counting {
        let root = file(name);
        let package = root.join("intel-rapl:0");
        fs::create_dir_all(&package).unwrap();
        let write = |file: &str, text: &str| fs::write(package.join(file), text).unwrap();
        write("name", "package-0\n");
        write("max_energy_range_uj", "262143328850\n");
        write("energy_uj", "0\n");
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let mut counter = 0;
            while !stopped.load(Ordering::Relaxed) {
                counter += step;
                // Never half a number.
                fs::write(package.join("new"), format!("{counter}\n")).unwrap();
                fs::rename(package.join("new"), package.join("energy_uj")).unwrap();
                thread::sleep(Duration::from_millis(1));
            }
        });
        Counting { root, stop, thread: Some(thread) }
    }

    fn option(&self) -> String {
        format!("--energy={}", self.root.display())
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map(thread::JoinHandle::join);
    }
}

#[test]
fn energy_is_shown_an_operation_and_idle() {
    let counting = Counting::new("powercap", 10_000);
    let report = json(&["--callers", "1", "--batch", "0", &counting.option()]);
    assert!(report["idle_watts"].as_f64().unwrap() > 0.0, "{report}");
    for row in report["rows"].as_array().unwrap() {
        for field in ["joules", "baseline_joules"] {
            let joules = row[field].as_f64().unwrap();
            // At most ten watts, over operations of less than a second.
            assert!(joules > 0.0 && joules < 10.0, "{field}: {row}");
        }
    }
    let shown = run(&mut speed(&["--operation", "sign", "--callers", "1", "--batch", "0", &counting.option()])).stdout;
    for words in ["millijoules an operation", "RSA-1024 sign, 1 caller", "idle before the first row: "] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
}

#[test]
fn without_a_counter_energy_is_not_measurable() {
    let empty = file("no-powercap");
    fs::create_dir_all(&empty).unwrap();
    let option = format!("--energy={}", empty.display());
    let more = ["--operation", "sign", "--callers", "1", "--batch", "0", &option];
    let shown = run(&mut speed(&more)).stdout;
    assert!(
        shown.contains(&format!("energy: not measurable here: no counter of a package in {}", empty.display())),
        "{shown}"
    );
    let report = json(&more);
    assert!(report["energy_not_measurable"].is_string() && report.get("idle_watts").is_none());
    assert!(report["rows"][0].get("joules").is_none());
}
