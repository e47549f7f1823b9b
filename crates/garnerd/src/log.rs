// SPDX-License-Identifier: Apache-2.0
//! The daemon's log: lines on standard error, which a system's manager collects.

use std::fmt::Display;
use std::io::{Write, stderr};

/// A line of the log. Where nobody takes it, it is lost: `eprintln` would panic, and a worker end by it.
pub fn say(line: impl Display) {
    let _ = writeln!(stderr(), "garnerd: {line}");
}
