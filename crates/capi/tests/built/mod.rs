// SPDX-License-Identifier: Apache-2.0
//! Where the C library lies. Cargo builds it for nobody's tests, as Rust cannot link it; so these have it built.

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

/// The folder with an up-to-date `libgarner.so` and `libgarner.a`, of the profile these tests have, and with the programs
/// `garner` and `garnerd`.
pub fn folder() -> PathBuf {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        // The test is target/PROFILE/deps/TEST.
        let folder = std::env::current_exe().unwrap().ancestors().nth(2).unwrap().to_owned();
        let profile = folder.file_name().unwrap().to_str().unwrap();
        let profile = if profile == "debug" { "dev" } else { profile };
        let mut cargo = Command::new(env!("CARGO"));
        // All of the workspace, with its examples: else cargo would choose other features than `cargo test` has, and build
        // nearly everything anew.
        cargo.args(["build", "--quiet", "--workspace", "--lib", "--examples", "--bin", "garner", "--bin", "garnerd"]);
        cargo.args(["--profile", profile, "--target-dir"]);
        let status = cargo.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR")).status();
        assert!(status.expect("cargo").success(), "{cargo:?} failed");
        folder
    });
    FOLDER.clone()
}
