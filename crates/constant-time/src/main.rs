// SPDX-License-Identifier: Apache-2.0
//! `make check-ct`: the constant-time evidence that `docs/security.md` cites.
//!
//! Calls the library from outside, as compiled for release. The library knows nothing of it.

#![deny(unsafe_code)]

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "the allocator of this program")]
mod arena;
#[cfg(target_arch = "x86_64")]
mod filter;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "controls written in assembly")]
mod form;
#[cfg(target_arch = "x86_64")]
mod memcheck;
#[cfg(target_arch = "x86_64")]
mod parallel;
#[cfg(target_arch = "x86_64")]
mod remains;
#[cfg(target_arch = "x86_64")]
mod scenarios;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "forks, and reads the code of the child that it steps through")]
mod trace;
#[cfg(target_arch = "x86_64")]
mod traced;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "valgrind's requests are instructions")]
mod valgrind;
#[cfg(target_arch = "x86_64")]
mod verdict;

use std::process::ExitCode;

#[cfg(not(target_arch = "x86_64"))]
fn main() -> ExitCode {
    eprintln!("check-ct steps through x86-64 code: this is another processor");
    ExitCode::FAILURE
}

#[cfg(target_arch = "x86_64")]
fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name);
        at.map(|at| arguments.remove(at)).is_some()
    };
    let (long, exact) = (flag("--long"), flag("--exact"));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let part = match arguments[..] {
        ["scenario", name] => {
            memcheck::run_one(name);
            return ExitCode::SUCCESS;
        }
        ["remains", subject] => {
            remains::run_one(subject);
            return ExitCode::SUCCESS;
        }
        ["trace", name] => return traced::run_one(name),
        [] => "",
        [part] if !part.starts_with('-') => part,
        _ => {
            eprintln!("usage: check-ct [--long] [[--exact] PART OF A SCENARIO'S NAME]");
            return ExitCode::from(2);
        }
    };
    let filter = filter::Filter { part, exact };
    let mut table = verdict::Table::default();
    form::run(&mut table, filter);
    memcheck::run(&mut table, filter);
    remains::run(&mut table, filter);
    traced::run(&mut table, filter, long);
    if table.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
