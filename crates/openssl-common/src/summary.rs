// SPDX-License-Identifier: Apache-2.0
//! One line of figures when the process ends or the module is unloaded, where the environment variable
//! `GARNER_SUMMARY` asks for it: `stderr`, or the path of a file to append to. Child processes write their own lines.

use crate::figures::{Figures, Value};
use garner::environment;
use rustix::process::geteuid;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::sync::atomic::{AtomicU32, Ordering};

/// The environment variable; without effect in a program with more rights than its user.
pub const VARIABLE: &str = "GARNER_SUMMARY";

/// The process that has written its last line.
static ENDED: AtomicU32 = AtomicU32::new(0);

/// Writes the line before the process ends.
pub(crate) fn last(line: impl FnOnce() -> String) {
    write(line);
    ENDED.store(std::process::id(), Ordering::Relaxed);
}

/// Writes the line, if it was asked for and the process's last was not written yet.
pub(crate) fn write(line: impl FnOnce() -> String) {
    let Some(target) = environment::variable(VARIABLE) else { return };
    if ENDED.load(Ordering::Relaxed) == std::process::id() {
        return;
    }
    let line = line();
    // Nobody is there to be told of a failure: the process is about to end.
    if target == "stderr" {
        let _ = std::io::stderr().write_all(line.as_bytes());
    } else if let Some(mut file) = opened(&target) {
        // One write, so that the lines of several processes do not mix.
        let _ = file.write_all(line.as_bytes());
    }
}

/// The file to append to. Others may have put something else in its place, where the folder is open to all: a link to a file
/// that they may not write, or a pipe that nobody reads, at which the process would wait for ever.
fn opened(target: &OsStr) -> Option<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().create(true).append(true).custom_flags(flags).open(target).ok()?;
    let found = file.metadata().ok()?;
    let me = geteuid().as_raw();
    (found.is_file() && [me, 0].contains(&found.uid()) && found.nlink() == 1).then_some(file)
}

/// `garner: pid=17 program=nginx front-end=provider device=cpu private-operations=9 …`
pub(crate) fn line(front_end: &str, device: &str, figures: &Figures) -> String {
    let program = std::fs::read_to_string("/proc/self/comm").unwrap_or_default();
    let program = program.trim_end().replace(char::is_whitespace, "_");
    let pid = std::process::id();
    let mut line = format!("garner: pid={pid} program={program} front-end={front_end} device={device}");
    for (name, value) in figures {
        let _ = match value {
            Value::Count(count) => write!(line, " {name}={count}"),
            Value::Real(real) => write!(line, " {name}={real:.6}"),
        };
    }
    line.push('\n');
    line
}
