// SPDX-License-Identifier: Apache-2.0
//! Verdicts, and the table of scenarios with them.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

/// A remark, or why it failed.
pub type Verdict = Result<String, String>;

/// Prints as it grows, counts what passed and failed.
#[derive(Default)]
pub struct Table {
    passed: usize,
    failed: usize,
}

impl Table {
    /// A heading.
    pub fn section(&self, title: &str) {
        self.progress("");
        println!("\n{title}");
    }

    /// A scenario and what came of it.
    pub fn row(&mut self, name: &str, verdict: Verdict) {
        self.progress("");
        match verdict {
            Ok(remark) => {
                self.passed += 1;
                println!("  pass  {name:<62} {remark}");
            }
            Err(reason) => {
                self.failed += 1;
                println!("  FAIL  {name:<62} {reason}");
            }
        }
    }

    /// Something that was not checked, and why.
    pub fn skipped(&self, name: &str, reason: &str) {
        self.progress("");
        println!("  skip  {name:<62} {reason}");
    }

    /// A line that is overwritten by the next, on terminals only.
    pub fn progress(&self, text: &str) {
        let mut out = std::io::stderr();
        if out.is_terminal() {
            let _ = write!(out, "\r\x1b[K{text}");
        }
    }

    /// The last line; whether nothing failed and something passed.
    pub fn finish(&self) -> bool {
        println!("\n{} passed, {} failed", self.passed, self.failed);
        self.failed == 0 && self.passed > 0
    }
}

/// The verdict of another run of this program, which gets `message` and prints it.
pub fn of_process(arguments: &[&str], message: &[u8]) -> Verdict {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    child.stdin.take().expect("piped").write_all(message).map_err(|error| error.to_string())?;
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if output.status.success() { Ok(text) } else { Err(format!("{}, {text}", output.status)) }
}
