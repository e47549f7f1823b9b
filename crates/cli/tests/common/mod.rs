// SPDX-License-Identifier: Apache-2.0
//! Runs the command.

#![allow(dead_code)] // Each test file uses its part.

pub mod folder;
pub mod terminal;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

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

impl From<Output> for Outcome {
    fn from(output: Output) -> Outcome {
        let Output { status, stdout, stderr } = output;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Outcome { status: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
    }
}

pub fn run(command: &mut Command) -> Outcome {
    command.output().unwrap().into()
}

/// The commands that the help lists.
pub fn commands() -> Vec<String> {
    let help = run(&mut garner(&["--help"])).stdout;
    let (_, list) = help.split_once("Commands:\n").unwrap();
    let names = list.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with("   "));
    let mut names: Vec<String> = names.map(|line| line.split_whitespace().next().unwrap().to_owned()).collect();
    names.retain(|name| name != "help");
    assert!(names.len() > 8, "{names:?}");
    names
}

/// Makes a named pipe.
pub fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// Sends a running command this signal, once it is ready for that.
pub fn send(child: &Child, signal: Signal) {
    let ready = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(caught, 16).unwrap() & 1 << (signal.as_raw() - 1) != 0
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while !ready() {
        assert!(Instant::now() < deadline, "it does not wait for {signal:?}");
        thread::sleep(Duration::from_millis(1));
    }
    // Handlers are there one by one.
    thread::sleep(Duration::from_millis(20));
    kill_process(Pid::from_child(child), signal).unwrap();
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

/// Says what does not run here and why, past what keeps the words of tests that pass.
pub fn left_out(why: impl std::fmt::Display) {
    std::io::stderr().write_all(format!("left out: {why}\n").as_bytes()).unwrap();
}
