//! The table of scenarios and verdicts.

use std::io::{IsTerminal, Write};

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

    /// A scenario and what came of it: a remark, or why it failed.
    pub fn row(&mut self, name: &str, verdict: Result<String, String>) {
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
