// SPDX-License-Identifier: Apache-2.0
//! Runs every scenario of [`crate::scenarios`] under valgrind's memcheck, each in its own process.

use crate::filter::Filter;
use crate::parallel;
use crate::scenarios::{self, Expected, Scenario};
use crate::valgrind;
use crate::verdict::{Table, Verdict};
use std::path::Path;
use std::process::Command;

/// What valgrind exits with when it reported an error.
const REPORTED: i32 = 99;

/// The suppressions: each names an exception that `docs/security.md` argues.
const EXCEPTIONS: &str = include_str!("../exceptions.supp");

/// The body of one valgrind process.
///
/// # Panics
/// When the scenario fails otherwise than by an error of memcheck's.
pub fn run_one(name: &str) {
    assert!(valgrind::running(), "scenarios run under valgrind only");
    let scenario =
        scenarios::all().into_iter().find(|scenario| scenario.name == name).expect("a scenario of this name");
    (scenario.run)();
}

/// All scenarios that `filter` takes.
pub fn run(table: &mut Table, filter: Filter<'_>) {
    let scenarios: Vec<Scenario> =
        scenarios::all().into_iter().filter(|scenario| filter.takes(scenario.name)).collect();
    if scenarios.is_empty() {
        return;
    }
    table.section("memcheck: secrets are undefined; a branch or an address computed from one is reported");
    let exceptions = std::env::temp_dir().join(format!("garner-exceptions-{}.supp", std::process::id()));
    std::fs::write(&exceptions, EXCEPTIONS).expect("room for a temporary file");
    let names: Vec<&str> = scenarios.iter().map(|scenario| scenario.name).collect();
    parallel::rows(table, "memcheck", &names, |at| judge(&scenarios[at], &exceptions));
    let _ = std::fs::remove_file(&exceptions);
}

fn judge(scenario: &Scenario, exceptions: &Path) -> Verdict {
    let output = Command::new("valgrind")
        .args(["--tool=memcheck", "--leak-check=no", "--error-limit=no", "--num-callers=40", "-v"])
        .args(["--expensive-definedness-checks=yes", "--error-exitcode=99", "--max-stackframe=4000000"])
        .arg(format!("--suppressions={}", exceptions.display()))
        .arg(std::env::current_exe().map_err(|error| error.to_string())?)
        .args(["scenario", scenario.name])
        .output()
        .map_err(|error| format!("valgrind: {error}"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    let code = output.status.code();
    match scenario.expected {
        Expected::Clean if code == Some(0) => Ok(match exceptions_used(&log) {
            used if used.is_empty() => "clean".into(),
            used => format!("clean but for {used}"),
        }),
        Expected::Report(what) if code == Some(REPORTED) && log.contains(what) => Ok(format!("reported: {what}")),
        Expected::Panic(what) if code == Some(101) && log.contains(what) => Ok(format!("refused: {what}")),
        _ => {
            // The first report, with the frames that are nearest to it.
            let report = log
                .lines()
                .skip_while(|line| !["depends on", "Use of", "panicked"].iter().any(|what| line.contains(what)));
            let shown: Vec<&str> = report.take(8).collect();
            Err(format!("expected {:?}, exit {code:?}\n{}", scenario.expected, shown.join("\n")))
        }
    }
}

/// The exceptions that were met, from valgrind's `used_suppression` lines.
fn exceptions_used(log: &str) -> String {
    let mut used: Vec<&str> = log
        .lines()
        .filter_map(|line| line.split_once("used_suppression:")?.1.split_whitespace().nth(1))
        .filter(|name| EXCEPTIONS.contains(&format!("   {name}\n")))
        .collect();
    used.sort_unstable();
    used.dedup();
    used.join(", ")
}
