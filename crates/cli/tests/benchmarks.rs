// SPDX-License-Identifier: Apache-2.0
//! `bench/run.sh`, as short as it gets, and where something goes wrong: with a stand-in for the command, as nothing is measured
//! there.

mod common;

use common::folder::Folder;
use common::{Outcome, run};
use serde_json::Value;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// Gives figures so many times, writes its plot, and then fails with half of its output written.
const STAND_IN: &str = r#"#!/bin/sh
[ "$1" != --version ] || exit 0
count=$(($(cat "$FOLDER/count") - 1))
echo "$count" >"$FOLDER/count"
while [ $# -gt 0 ]; do
    case $1 in --plot) echo new >"$2" && plot=", \"command\": \"--plot $2\"" ;; esac
    shift
done
[ "$count" -ge 0 ] || { printf '{"half'; exit 3; }
echo "{\"garner_per_s\": 10.0, \"per_second\": 9.0, \"peak_memory_kib\": 11${plot-}}"
"#;

/// Files of `bench/results`, by the benchmark that writes them.
const RESULTS: [(&str, u32, &[&str]); 4] = [
    ("batches", 1, &["batches.json"]),
    (
        "callers",
        2,
        &["callers-one-core.json", "callers-one-core.svg", "callers-all-cores.json", "callers-all-cores.svg"],
    ),
    ("scaling", 11, &["scaling-1.json", "scaling-2.json", "scaling.json"]),
    ("bulk", 8, &["bulk-batches.json", "bulk.json"]),
];

/// Runs a benchmark whose command fails after `count` times.
fn bench(folder: &Folder, benchmark: &str, count: u32) -> Outcome {
    folder.write("count", count.to_string());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/run.sh");
    let mut command = Command::new(script);
    command.arg(benchmark).env("FOLDER", folder.path("")).env("RESULTS", folder.path("results")).env("PROCESSOR", "");
    command.env("TMPDIR", folder.path("")).env("GARNER", folder.path("garner"));
    run(command.envs([("PEER", "no"), ("BULK_LINES", "10")]))
}

#[test]
fn a_run_cut_short_leaves_the_last_results_alone() {
    let folder = Folder::new("benchmarks");
    folder.write("garner", STAND_IN);
    fs::set_permissions(folder.path("garner"), Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(folder.path("results")).unwrap();
    let several = std::thread::available_parallelism().is_ok_and(|count| count.get() > 1);
    for (benchmark, runs, names) in RESULTS.into_iter().filter(|(name, ..)| several || *name != "scaling") {
        let path = |name: &str| format!("results/{name}");
        for name in names {
            folder.write(&path(name), "old\n");
        }
        for count in 0..runs {
            let outcome = bench(&folder, benchmark, count);
            assert_ne!(outcome.status, 0, "{benchmark}, {count}: {outcome:?}");
            for name in names {
                assert_eq!(folder.read(&path(name)), b"old\n", "{name} after {count} of {benchmark}");
            }
        }
        let outcome = bench(&folder, benchmark, runs);
        assert_eq!(outcome.status, 0, "{benchmark}: {outcome:?}");
        for name in names {
            let text = String::from_utf8(folder.read(&path(name))).unwrap();
            assert_ne!(text, "old\n", "{name}");
            // Not from the root on: the target folder is named as it is by default, wherever it is.
            let plot = text.split("--plot ").nth(1).is_some_and(|plot| plot.contains("/results/callers-"));
            assert_eq!(plot, benchmark == "callers" && name.ends_with(".json"), "{name}: {text}");
        }
    }
    let left: Vec<_> = folder.path("results").read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().starts_with('.')), "{left:?}");
    assert_eq!(folder.path("").read_dir().unwrap().count(), 3, "nothing may be left behind");
}

#[test]
fn every_file_of_a_benchmark_names_its_commit_its_machine_and_the_load_before() {
    let folder = Folder::new("benchmarks-short");
    let mut command = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/run.sh"));
    command.args(["scaling", "bulk"]).env("GARNER", env!("CARGO_BIN_EXE_garner")).env("RESULTS", folder.path(""));
    command.envs([
        ("PEER", "no"),
        ("PROCESSOR", ""),
        ("SECONDS_EACH", "0.01"),
        ("BULK_LINES", "500"),
        ("BULK_BATCH", "64"),
    ]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names = vec!["bulk", "bulk-batches"];
    if std::thread::available_parallelism().unwrap().get() > 1 {
        names.extend(["scaling", "scaling-1", "scaling-2"]);
    } else {
        common::left_out("scaling: this machine has one processor");
    }
    for name in names {
        let result: Value = serde_json::from_slice(&folder.read(&format!("{name}.json"))).unwrap();
        for field in ["commit", "dirty"] {
            assert!(result.get(field).is_some(), "{name}: {field}");
        }
        assert!(result["load"].is_number() && result["busy"].is_number(), "{name}: {result}");
        assert!(result["machine"]["cpu"].is_string() && result["machine"]["date"].is_string(), "{name}: {result}");
    }
}
