// SPDX-License-Identifier: Apache-2.0
//! Published figures have data behind them, and the data say where they come from. Tables between `<!-- NAME -->` and
//! `<!-- /NAME -->` in README.md, docs/performance.md, docs/daemon.md and docs/python.md are made of bench/results: `make figures`
//! makes them again. Names and files that begin with `avx2-` are those of processors without AVX-512, with `sunny-cove-`,
//! `golden-cove-` and `redwood-cove-` those of Intel's with it.

mod common;
mod tables;

use common::{garner, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Data of before it was kept what they come from: what was not written down then is `null` in them.
const SINCE: &str = "2026-11-25";

/// What a document says in place of a table's data where these are not there.
const NOT_KEPT: &str = "were not kept";

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_result_names_its_commit_its_machine_and_the_load_before() {
    let mut seen = 0;
    for entry in fs::read_dir(root("bench/results")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        seen += 1;
        let (name, result) = (path.display(), serde_json::from_str::<Value>(&read(&path)).unwrap());
        for field in ["commit", "dirty", "load", "machine"] {
            assert!(result.get(field).is_some(), "{name}: {field}");
        }
        let commit = result["commit"].as_str().unwrap_or_else(|| panic!("{name}: commit"));
        assert!(commit.len() == 40 && commit.bytes().all(|digit| digit.is_ascii_hexdigit()), "{name}: commit");
        assert!(result["machine"]["cores"].is_u64(), "{name}: machine");
        let date = result.get("date").unwrap_or(&result["machine"]["date"]).as_str();
        if date.is_none_or(|date| date >= SINCE) {
            assert_eq!(result["dirty"], false, "{name}: results come from clean commits");
            assert!(result["load"].is_number() && result["busy"].is_number(), "{name}: load");
        }
    }
    assert!(seen >= 19, "{seen} results");
}

/// What the names of results begin with, and the markers of their tables.
const PROCESSORS: [&str; 6] = ["", "zen-5-", "sunny-cove-", "golden-cove-", "redwood-cove-", "avx2-"];

#[test]
fn every_published_table_is_of_its_data() {
    let mut document = Document::read("docs/performance.md");
    for processor in PROCESSORS {
        let of = |name: &str| rows(&format!("{processor}{name}"));
        let callers = of("callers-one-core").zip(of("callers-all-cores"));
        let programs = of("openssl-speed").zip(of("openssl-threads"));
        let servers = of("openssl-zone").zip(of("openssl-handshakes"));
        let tables = [
            ("batches", of("batches").map(|rows| tables::batches(&rows))),
            ("callers", callers.map(|(one, all)| tables::callers(&one, &all))),
            ("crypto_mb", of("crypto-mb").map(|rows| tables::crypto_mb(&rows))),
            ("latency", of("batches").map(|rows| tables::latency(&rows))),
            ("bulk", result(&format!("{processor}bulk")).map(|result| tables::bulk(&result))),
            ("programs", programs.map(|(speed, threads)| tables::programs(&[speed, threads].concat()))),
            ("servers", servers.map(|(zone, handshakes)| tables::servers(&[zone, handshakes].concat()))),
            ("keygen", of("keygen").map(|rows| tables::keygen(&rows))),
        ];
        for (name, table) in tables {
            document.holds(&format!("{processor}{name}"), table);
        }
    }
    document.end();

    let (mut daemon, mut python) = (Document::read("docs/daemon.md"), Document::read("docs/python.md"));
    for processor in PROCESSORS {
        let of = |name: &str| rows(&format!("{processor}{name}"));
        daemon.holds(&format!("{processor}daemon"), of("daemon").map(|rows| tables::processes::daemon(&rows)));
        daemon.holds(&format!("{processor}transports"), of("daemon").map(|rows| tables::processes::transports(&rows)));
        python.holds(&format!("{processor}python"), of("python").map(|rows| tables::processes::python(&rows)));
    }
    daemon.end();
    python.end();

    let mut document = Document::read("README.md");
    let marker = "garner speed --from bench/results/";
    let (_, rest) = document.text.split_once(&format!("<!-- {marker}")).expect("the README's table");
    let file = rest.split_once(" -->").unwrap().0.to_owned();
    let outcome = run(garner(&["speed", "--from"]).arg(root("bench/results").join(&file)));
    assert_eq!(outcome.status, 0, "{outcome:?}");
    document.holds(&format!("{marker}{file}"), Some(format!("```\n{}```\n", outcome.stdout)));
    document.end();
}

struct Document {
    path: PathBuf,
    text: String,
    /// What was to be there, and is not.
    stale: Vec<String>,
}

impl Document {
    fn read(name: &str) -> Document {
        Document { path: root(name), text: read(&root(name)), stale: Vec::new() }
    }

    /// Between the markers of this name stands this table; where there are no data, that they were not kept, or no markers.
    fn holds(&mut self, name: &str, table: Option<String>) {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->\n"));
        let parts = self.text.split_once(&begin).and_then(|(head, rest)| Some((head, rest.split_once(&end)?)));
        if parts.is_none() && table.is_none() {
            return;
        }
        let (head, (there, tail)) = parts.unwrap_or_else(|| panic!("{}: {begin}…{end}", self.path.display()));
        let Some(table) = table else {
            assert!(there.contains(NOT_KEPT), "{}: {name}: no data, and not a word of that", self.path.display());
            return;
        };
        if there != table {
            self.stale.push(format!("{name} is\n{there}\nand its data give\n{table}"));
            self.text = format!("{head}{begin}{table}{end}{tail}");
        }
    }

    fn end(self) {
        if std::env::var_os("GARNER_UPDATE_FIGURES").is_some() {
            fs::write(self.path, self.text).unwrap();
        } else {
            assert!(self.stale.is_empty(), "{}: make figures: {}", self.path.display(), self.stale.join("\n"));
        }
    }
}

/// A result, if it is there.
fn result(name: &str) -> Option<Value> {
    let text = fs::read_to_string(root("bench/results").join(name).with_extension("json")).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

/// The rows of a result, if it is there.
fn rows(name: &str) -> Option<Vec<Value>> {
    let rows = result(name)?["rows"].as_array().unwrap().clone();
    Some(rows)
}

#[test]
fn a_table_of_new_keys_is_made_when_there_are_data() {
    let row = |bits: u64, batch: u64, rate: f64| {
        serde_json::json!({"op": "keygen", "bits": bits, "callers": 1, "batch": batch, "baseline": "OpenSSL 3.0.19", "ratio": 29.04,
            "garner_per_s": rate, "survivors_per_key": 80.2, "primality_tests_per_key": 79.8})
    };
    let table = tables::keygen(&[row(2048, 64, 151.5), row(2048, 1, 140.8), row(3072, 64, 23.8), row(3072, 1, 20.0)]);
    assert_eq!(
        table,
        "| | 2048 | 3072 |\n|---|---|---|\n| many keys asked for, ms a key | 6.6 | 42 |\n| against 3.0.19 | 29 | 29 |\n\
         | one key alone, mean, ms | 7.1 | 50 |\n| against 3.0.19 | 29 | 29 |\n\
         | candidates that passed the sieve, a key | 80 | 80 |\n| primality tests a key | 80 | 80 |\n"
    );
}
