// SPDX-License-Identifier: Apache-2.0
//! `garner stats`: another process's figures, and what it says where there are none.

mod common;

use common::{Outcome, garner, refused, run};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A process that signs with Garner until it is dropped.
struct Signing(Child);

impl Signing {
    fn start() -> Signing {
        let arguments = ["speed", "--bits", "1024", "--operation", "sign", "--callers", "2", "--seconds", "3600"];
        Signing(garner(&arguments).stdout(Stdio::null()).spawn().unwrap())
    }

    fn pid(&self) -> String {
        self.0.id().to_string()
    }

    /// Its figures, once it has done more than `operations`.
    fn after(&self, operations: u64) -> Value {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            assert!(Instant::now() < deadline, "it does not sign");
            let outcome = run(&mut garner(&["stats", &self.pid(), "--json"]));
            if outcome.status == 0 {
                let figures: Value = serde_json::from_str(&outcome.stdout).unwrap();
                if figures["operations"].as_u64().unwrap() > operations {
                    return figures;
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Signing {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_running_process_is_read_from_outside() {
    let signing = Signing::start();
    let first = signing.after(0);
    assert_eq!(first["pid"].as_u64().unwrap(), u64::from(signing.0.id()));
    let operations = first["operations"].as_u64().unwrap();
    let second = signing.after(operations);
    assert!(second["private_operations"].as_u64().unwrap() > 0);
    assert_eq!(second["faults"], 0);
    for figure in ["batches", "mean_fill", "load", "running_s", "slots", "device_time_s"] {
        assert!(second[figure].as_f64().unwrap() > 0.0, "{figure}: {second}");
    }
    let words = run(&mut garner(&["stats", &signing.pid()]));
    assert_eq!(words.status, 0);
    assert!(words.stdout.starts_with(&format!("process {}\n", signing.pid())), "{}", words.stdout);
    assert!(words.stdout.contains("private operations") && words.stdout.contains("load"), "{}", words.stdout);
}

#[test]
fn a_watch_ends_with_the_process_watched() {
    let signing = Signing::start();
    signing.after(0);
    let mut watch = garner(&["stats", &signing.pid(), "--watch", "--json"]);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    drop(signing);
    let rest: Vec<_> = lines.map(Result::unwrap).collect();
    let output = watch.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for line in [vec![first], rest].concat() {
        assert!(serde_json::from_str::<Value>(&line).unwrap()["operations"].as_u64().unwrap() > 0);
    }
}

#[test]
fn a_watch_ends_with_a_process_whose_parent_has_not_noticed() {
    let mut signing = Signing::start();
    signing.after(0);
    let mut watch = garner(&["stats", &signing.pid(), "--watch", "--json"]);
    let mut watch = watch.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(watch.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    signing.0.kill().unwrap();
    lines.for_each(|line| drop(line.unwrap()));
    let outcome = Outcome::from(watch.wait_with_output().unwrap());
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    refused(&mut garner(&["stats", &signing.pid()]), 3, &["has ended, which its parent has yet to notice"]);
}

#[test]
fn several_processes_are_read_and_one_without_figures_hides_none() {
    let processes = [Signing::start(), Signing::start()];
    let [first, second] = processes.each_ref().map(|process| {
        process.after(0);
        process.pid()
    });
    let own = std::process::id().to_string();
    let all = ["stats", &first, &own, &second];
    let words = run(&mut garner(&all));
    assert_eq!((words.status, words.stderr), (0, format!("garner: process {own} has not used Garner\n")));
    assert!(words.stdout.starts_with(&format!("process {first}\n")), "{}", words.stdout);
    assert!(words.stdout.contains(&format!("\n\nprocess {second}\n")), "{}", words.stdout);
    let json = run(&mut garner(&[&all[..], &["--json"]].concat()));
    assert_eq!((json.status, json.stderr), (0, format!("garner: process {own} has not used Garner\n")));
    let figures: Value = serde_json::from_str(&json.stdout).unwrap();
    let pids: Vec<_> = figures.as_array().unwrap().iter().map(|process| process["pid"].to_string()).collect();
    assert_eq!(pids, [first, second]);
    let none = run(&mut garner(&["stats", &own, "4194999"]));
    assert_eq!((none.status, none.stdout.as_str()), (3, ""));
    for text in [format!("process {own} has not used Garner"), "process 4194999: no such process".into()] {
        assert!(none.stderr.contains(&format!("garner: {text}\n")), "{}", none.stderr);
    }
}

#[test]
fn a_watch_of_several_goes_on_until_the_last_ends() {
    let (short, long) = (Signing::start(), Signing::start());
    short.after(0);
    long.after(0);
    let (short_pid, long_pid) = (short.pid(), long.pid());
    let mut watches = [&["--json"][..], &[]].map(|more| {
        let words = [&["stats", &short_pid, &long_pid, "--watch"], more].concat();
        let mut watch = garner(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(watch.stdout.take().unwrap()).lines();
        (watch, lines.map(Result::unwrap), Vec::<String>::new())
    });
    let is_of =
        |line: &str, pid: &str| line.starts_with(&format!("{pid:>10} ")) || line.contains(&format!("\"pid\":{pid},"));
    // Both are shown, by each watch; then one ends, and the other is shown twice without it: the first of these lines may have
    // been written before.
    for (_, lines, seen) in &mut watches {
        while !seen.iter().any(|line| is_of(line, &short_pid)) {
            seen.push(lines.next().unwrap());
        }
    }
    drop(short);
    for (_, lines, seen) in &mut watches {
        let mut alone = 0;
        while alone < 2 {
            let line = lines.next().expect("one process is still there");
            alone = if is_of(&line, &short_pid) { 0 } else { alone + usize::from(is_of(&line, &long_pid)) };
            seen.push(line);
        }
    }
    drop(long);
    let [json, words] = watches.map(|(watch, lines, seen)| {
        let seen: Vec<String> = seen.into_iter().chain(lines).collect();
        let output = watch.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        seen
    });
    assert!(json.iter().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{json:?}");
    let (head, lines) = words.split_first().unwrap();
    assert!(head.trim().starts_with("process   operations/s"), "{words:?}");
    assert!(lines.iter().all(|line| line.len() > 60), "{words:?}");
}

#[test]
fn what_is_wrong_with_a_process_is_named() {
    // Above the kernel's limit for process numbers.
    refused(&mut garner(&["stats", "4194999"]), 3, &["garner: process 4194999: no such process"]);
    let own = std::process::id().to_string();
    refused(&mut garner(&["stats", &own]), 3, &[&own, "has not used Garner"]);
    if std::fs::metadata("/proc/self").unwrap().uid() != 0 {
        refused(&mut garner(&["stats", "1"]), 3, &["process 1", "ermission denied"]);
    }
}
