// SPDX-License-Identifier: Apache-2.0
//! A daemon of a test's own, with the keys `www`, `mail` and `bare`, and the module.

#![allow(dead_code)] // each test program uses a part

#[path = "../../../capi/tests/built/mod.rs"]
mod built;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// `mail` signs by PSS alone, as its policy says; `bare` has no paddings.
const POLICY: &str =
    "[key.www]\n[key.mail]\noperations = ['sign']\npaddings = ['pss']\n[key.bare]\noperations = ['raw']\n";

pub struct Daemon {
    pub folder: TempDir,
    process: Child,
}

impl Daemon {
    pub fn new() -> Daemon {
        let folder = tempfile::tempdir().unwrap();
        let keys = folder.path().join("keys");
        fs::create_dir(&keys).unwrap();
        for (name, bits) in [("www", "2048"), ("mail", "3072"), ("bare", "2048")] {
            let path = keys.join(name).with_extension("pem");
            good(Command::new("openssl").args(["genrsa", "-out"]).arg(&path).arg(bits));
            fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        }
        fs::write(folder.path().join("garnerd.toml"), POLICY).unwrap();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(built::folder().join("garnerd"));
        command.args("--socket socket --keys keys --config garnerd.toml".split(' ')).current_dir(folder.path());
        let process = command.stderr(log).spawn().unwrap();
        let daemon = Daemon { folder, process };
        let start = Instant::now();
        while !fs::read_to_string(daemon.path("log")).unwrap().contains("listening") {
            assert!(start.elapsed() < Duration::from_secs(60), "the daemon does not listen");
            thread::sleep(Duration::from_millis(5));
        }
        daemon
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A command in the daemon's folder that finds the daemon.
    pub fn command(&self, words: &str) -> Command {
        let words: Vec<_> = words.split_whitespace().collect();
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.folder.path());
        command.env("GARNER_SOCKET", self.path("socket")).env("GARNER_PATIENCE", "10");
        command
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The module's file.
pub fn module() -> PathBuf {
    built::folder().join("libgarner_pkcs11.so")
}

/// Runs a command that must succeed.
pub fn good(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{said}{errors}", output.status);
    output
}
