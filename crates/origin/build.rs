// SPDX-License-Identifier: Apache-2.0
//! Asks git for the commit that is built, and whether the sources are those of the commit.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What programs are built from, as git's patterns. What else changes, as tests and documents, changes no figure.
const SOURCES: [&str; 6] = [
    ":(top,glob)Cargo.*",
    ":(top,glob)rust-toolchain.toml",
    ":(top,glob)*/*/Cargo.toml",
    ":(top,glob)*/*/build.rs",
    ":(top,glob)crates/*/src/**",
    ":(top,glob)bench/*/src/**",
];

fn main() {
    // Unpacked from an archive it may lie in somebody else's repository, whose commit tells nothing.
    if git(&["ls-files", "--error-unmatch", "build.rs"]).is_none() {
        println!("cargo::rerun-if-changed=build.rs");
        return;
    }
    let commit = git(&["rev-parse", "HEAD"]);
    let changes = git(&[&["status", "--porcelain", "--"], &SOURCES[..]].concat());
    if let (Some(commit), Some(changes)) = (commit, changes) {
        println!("cargo::rustc-env=GARNER_COMMIT={commit}");
        println!("cargo::rustc-env=GARNER_DIRTY={}", !changes.is_empty());
    }
    watched().iter().for_each(|path| println!("cargo::rerun-if-changed={}", path.display()));
}

/// What changes with the commit, and with the sources.
fn watched() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = ["HEAD", "logs/HEAD"]
        .iter()
        .filter_map(|name| git(&["rev-parse", "--path-format=absolute", "--git-path", name]))
        .map(PathBuf::from)
        .collect();
    if let Some(top) = git(&["rev-parse", "--show-toplevel"]) {
        let top = Path::new(&top);
        paths.extend(["Cargo.toml", "Cargo.lock", "rust-toolchain.toml"].map(|name| top.join(name)));
        let folders = ["crates", "bench"].into_iter().flat_map(|name| std::fs::read_dir(top.join(name)));
        for folder in folders.flatten().flatten() {
            paths.extend(["src", "build.rs", "Cargo.toml"].map(|name| folder.path().join(name)));
        }
    }
    // What is not there would have Cargo build anew every time.
    paths.retain(|path| path.exists());
    paths
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim_end().to_owned())
}
