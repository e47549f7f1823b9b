// SPDX-License-Identifier: Apache-2.0
//! A C program whose key garnerd holds.

mod built;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

/// A folder with a daemon that holds `www`, its stub, another key, and the program.
struct Held {
    folder: PathBuf,
    daemon: Child,
}

impl Held {
    fn new(name: &str) -> Held {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("keys")).unwrap();
        let run = |program: &str, words: &str| {
            good(Command::new(program).args(words.split_whitespace()).current_dir(&folder));
        };
        let built = built::folder();
        run("openssl", "genrsa -out keys/www.pem 2048");
        run("openssl", "genrsa -out own.pem 2048");
        run(built.join("garner").to_str().unwrap(), "stub --name www keys/www.pem --out stub.pem");
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
        good(Command::new(manifest.join("install.sh")).arg(&built).arg(&folder));
        let mut compiler = Command::new("cc");
        compiler.args(["-Wall", "-Wextra", "-Werror", "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-g", "-o", "program"]);
        compiler.arg(manifest.join("tests/c/held.c")).args(["-Iinclude", "-Llib", "-lgarner"]);
        good(compiler.current_dir(&folder));

        let log = fs::File::create(folder.join("log")).unwrap();
        let mut daemon = Command::new(built.join("garnerd"));
        daemon.args("--socket socket --keys keys --config garnerd.toml".split(' ')).current_dir(&folder).stderr(log);
        fs::write(folder.join("garnerd.toml"), "[key.www]\n").unwrap();
        let held = Held { daemon: daemon.spawn().unwrap(), folder };
        let start = Instant::now();
        while !fs::read_to_string(held.folder.join("log")).unwrap().contains("listening") {
            assert!(start.elapsed() < Duration::from_secs(60), "the daemon does not listen");
            thread::sleep(Duration::from_millis(5));
        }
        held
    }

    fn program(&self, patience: &str) -> Output {
        let mut program = Command::new("./program");
        program.args(["stub.pem", "own.pem"]).current_dir(&self.folder).env("LD_LIBRARY_PATH", self.folder.join("lib"));
        program.env("GARNER_SOCKET", "socket").env("GARNER_PATIENCE", patience).output().unwrap()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

fn good(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

#[test]
fn a_c_program_signs_and_decrypts_by_the_daemon_alone_in_batches_and_without_waiting() {
    let held = Held::new("held");
    let output = held.program("10");
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{said}{errors}", output.status);
    for line in [
        "wrong label: verification failed",
        "bare operation in a batch: operation 7: device garnerd: not permitted: operations without padding with this key",
        "unknown name: device garnerd: it has no such key, or you may not use it",
        "no name: name: a key's name has letters",
        "NULL: name: is NULL",
        "written: private key: garnerd holds it, and gives it to nobody",
        "bare operation: device garnerd: not permitted: operations without padding with this key",
        "explicit: operation: garnerd has no such operation: decryptions of this kind",
        "digest: digest: has 7 bytes",
    ] {
        assert!(said.lines().any(|said| said.starts_with(line)), "no {line:?} in\n{said}");
    }
}

#[test]
fn without_the_daemon_a_stub_is_a_key_whose_operations_say_where_it_was_looked_for() {
    let mut held = Held::new("held-alone");
    held.daemon.kill().unwrap();
    held.daemon.wait().unwrap();
    let output = held.program("0.1");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(errors, "garner_sign: device garnerd: does not answer at socket: Connection refused (os error 111)\n");
}
