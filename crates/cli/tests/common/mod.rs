//! Runs the command.

#![allow(dead_code)] // Each test file uses its part.

pub mod folder;

use std::process::{Command, Output};

/// The `garner` just built.
pub fn garner(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_garner"));
    command.args(arguments);
    command
}

/// What a run came to.
#[derive(Debug)]
pub struct Outcome {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

pub fn run(command: &mut Command) -> Outcome {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Outcome { status: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
}

/// The command is refused with this status, and says why in a line that has all of `words`.
#[track_caller]
pub fn refused(command: &mut Command, status: i32, words: &[&str]) {
    let outcome = run(command);
    assert_eq!(outcome.status, status, "{outcome:?}");
    assert_eq!(outcome.stdout, "");
    for word in words {
        assert!(outcome.stderr.contains(word), "{word} is not in: {}", outcome.stderr);
    }
}
