// SPDX-License-Identifier: Apache-2.0
//! `make check-ct-mutations`: whether `make check-ct` finds leaks. Copies the sources, plants leaks in the copy of the
//! library, all of them dormant, builds `check-ct` from it, and wakes one leak after the other: the scenario that should find
//! it must pass without and fail with it. The library itself knows nothing of this.

#![forbid(unsafe_code)]

mod leaks;
mod tree;

use leaks::{LEAKS, Leak};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// The name in the environment of the leak that is to leak; as in [`leaks::DORMANT`].
const AWAKE: &str = "PLANTED_LEAK";

/// The sources that this program was built from.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Below it, the library's.
const LIBRARY: &str = "crates/garner/src";

/// What `check-ct` is called when it is built from the copy, beside the one that is not.
const PROGRAM: &str = "check-ct-with-leaks";

fn main() -> ExitCode {
    let filter = match &std::env::args().skip(1).collect::<Vec<_>>()[..] {
        [] => String::new(),
        [filter] if !filter.starts_with('-') => filter.clone(),
        _ => {
            eprintln!("usage: check-ct-mutations [PART OF A LEAK'S NAME]");
            return ExitCode::from(2);
        }
    };
    match run(&filter) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("check-ct-mutations: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all leaks were found whose name contains `filter`, and there are some.
fn run(filter: &str) -> Result<bool, Box<dyn Error>> {
    let chosen: Vec<&Leak> = LEAKS.iter().filter(|leak| leak.name.contains(filter)).collect();
    let program = build()?;
    println!("without a leak");
    let mut failed = 0;
    for scenario in chosen.iter().map(|leak| leak.scenario).collect::<BTreeSet<_>>() {
        let started = Instant::now();
        let outcome = judge(&program, scenario, "")?;
        let passed = outcome.passed;
        failed += usize::from(!passed);
        show(passed, scenario, started, if passed { "" } else { &outcome.output });
    }
    println!("\nwith one leak");
    for leak in &chosen {
        let started = Instant::now();
        let outcome = judge(&program, leak.scenario, leak.name)?;
        failed += usize::from(!outcome.found);
        show(outcome.found, leak.name, started, if outcome.found { leak.scenario } else { &outcome.output });
    }
    println!("\n{} leaks, {failed} not found or seen where there is none", chosen.len());
    Ok(failed == 0 && !chosen.is_empty())
}

fn show(good: bool, name: &str, started: Instant, remark: &str) {
    let verdict = if good { "pass" } else { "FAIL" };
    println!("  {verdict}  {name:<62} {:>3} s  {remark}", started.elapsed().as_secs());
}

/// `check-ct` with all leaks planted.
fn build() -> Result<PathBuf, Box<dyn Error>> {
    let root = Path::new(ROOT).canonicalize()?;
    // Where this program is: what does not change is not built again.
    let release = std::env::current_exe()?.parent().ok_or("this program has no folder")?.to_owned();
    let target = release.parent().ok_or("this program's folder has none")?;
    let copy = target.join("planted");
    tree::copy(&root, &copy)?;
    for file in LEAKS.iter().map(|leak| leak.file).collect::<BTreeSet<_>>() {
        tree::change(&copy.join(LIBRARY).join(file), |source| with_leaks(file, source))?;
    }
    tree::change(&copy.join(LIBRARY).join("lib.rs"), |source| Ok(source + leaks::DORMANT))?;
    tree::change(&copy.join("crates/constant-time/Cargo.toml"), |manifest| {
        ["name", "default-run"].iter().try_fold(manifest, |manifest, field| {
            replaced(&manifest, &format!("{field} = \"check-ct\""), &format!("{field} = \"{PROGRAM}\""))
        })
    })?;
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "garner-constant-time", "--bin", PROGRAM, "--target-dir"])
        .arg(target)
        .current_dir(&copy)
        .status()?;
    if !status.success() {
        return Err("the sources with leaks do not compile".into());
    }
    Ok(target.join("release").join(PROGRAM))
}

/// The source of a file with all its leaks.
fn with_leaks(file: &str, source: String) -> Result<String, String> {
    LEAKS.iter().filter(|leak| leak.file == file).try_fold(source, plant)
}

/// `source` with one leak more.
fn plant(source: String, leak: &Leak) -> Result<String, String> {
    let awake = format!("crate::planted::awake({:?})", leak.name);
    replaced(&source, leak.original, &leak.leaking.replace("LEAKS", &awake))
        .map_err(|reason| format!("{}: {}: {reason}", leak.name, leak.file))
}

/// `text` with `to` in the place of `from`, which must be there once.
fn replaced(text: &str, from: &str, to: &str) -> Result<String, String> {
    match text.matches(from).count() {
        1 => Ok(text.replacen(from, to, 1)),
        count => Err(format!("{from:?} is there {count} times, must be once")),
    }
}

/// What came of a scenario.
struct Outcome {
    /// It passed.
    passed: bool,
    /// It failed because a secret was seen to matter, not for another reason.
    found: bool,
    output: String,
}

fn judge(program: &Path, scenario: &str, leak: &str) -> Result<Outcome, Box<dyn Error>> {
    let output = Command::new(program).args(["--exact", scenario]).env(AWAKE, leak).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let row = |verdict| text.lines().any(|line| line.starts_with(&format!("  {verdict}  {scenario} ")));
    let seen = ["exit Some(99)", "found OtherCounters", "found OtherAddresses", "found Unknown", ", after that "];
    Ok(Outcome {
        passed: output.status.success() && row("pass"),
        found: !output.status.success() && row("FAIL") && seen.iter().any(|seen| text.contains(seen)),
        output: text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_leak_has_a_place_in_the_library_and_a_name_of_its_own() {
        for file in LEAKS.iter().map(|leak| leak.file).collect::<BTreeSet<_>>() {
            let source = std::fs::read_to_string(Path::new(ROOT).join(LIBRARY).join(file)).unwrap();
            assert_ne!(with_leaks(file, source.clone()), Ok(source));
        }
        assert_eq!(LEAKS.iter().map(|leak| leak.name).collect::<BTreeSet<_>>().len(), LEAKS.len());
    }

    #[test]
    fn a_leak_whose_place_is_gone_is_an_error() {
        let leak = &LEAKS[0];
        assert!(plant("fn other() {}".into(), leak).unwrap_err().contains("is there 0 times"));
        assert!(plant([leak.original; 2].concat(), leak).unwrap_err().contains("is there 2 times"));
    }
}
