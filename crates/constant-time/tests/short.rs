// SPDX-License-Identifier: Apache-2.0
//! The shortest parts of the evidence, so that what would make all of it worthless is seen before `make check-ct` is.

#![cfg(target_arch = "x86_64")]

use std::io::Write;
use std::process::Command;

fn passes(part: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_check-ct")).arg(part).output().expect("check-ct starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "check-ct {part:?}: {}\n{text}", String::from_utf8_lossy(&output.stderr));
    print!("{text}");
}

#[test]
fn leaks_on_purpose_are_seen() {
    passes("control");
}

#[test]
fn a_multiplication_traces_alike_for_all_secrets() {
    if garner::arithmetic::vectors::Native::available().is_empty() {
        return std::io::stderr().write_all(b"left out: this processor has no kernels to trace\n").unwrap();
    }
    passes("multiply, 512 bits, 1 jobs");
}
