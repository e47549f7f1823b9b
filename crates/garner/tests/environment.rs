// SPDX-License-Identifier: Apache-2.0
//! Who reads environment variables: only `environment.rs`, which refuses to in a program with more rights than its user.
//! `constant-time` is left out: a developer's command, which plants code that reads them.

use std::fs;
use std::path::{Path, PathBuf};

/// Rust files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| match path.is_dir() {
            true => files(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

#[test]
fn no_crate_reads_a_variable_that_the_user_of_a_set_user_id_program_has_set() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let sources = fs::read_dir(crates).unwrap().flat_map(|entry| files(&entry.unwrap().path().join("src")));
    let mut seen = 0;
    let allowed = |path: &Path| {
        path.ends_with("garner/src/system/environment.rs") || path.iter().any(|part| part == "constant-time")
    };
    for path in sources.filter(|path| !allowed(path)) {
        seen += 1;
        let text = fs::read_to_string(&path).unwrap();
        for reader in ["env::var(", "env::var_os(", "env::vars", "::getenv("] {
            assert!(!text.contains(reader), "{}: {reader}…) instead of garner::environment::variable", path.display());
        }
    }
    assert!(seen > 200, "{seen} files are not all");
}
