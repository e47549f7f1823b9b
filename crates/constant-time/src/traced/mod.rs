// SPDX-License-Identifier: Apache-2.0
//! What is traced, and the verdict: every secret must give the same trace.

mod controls;
mod keygen;
mod padding;
mod private_op;
mod vectors;

use crate::filter::Filter;
use crate::parallel;
use crate::trace::{Case, Trace, first_difference, source_line, traces};
use crate::verdict::{Table, Verdict, of_process};
use garner::arithmetic::Arithmetic;
use garner::arithmetic::vectors::Native;
use std::process::ExitCode;
use std::time::Instant;

/// Secrets tried for each call: random ones, and at the end the extremes.
const SECRETS: usize = 6;

/// What must come of the traces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    /// The same program counters, the same addresses.
    Equal,
    /// Different program counters: a control.
    OtherCounters,
    /// The same program counters, different addresses: a control.
    OtherAddresses,
    /// An instruction the tracer cannot vouch for: a control.
    Unknown,
}

/// A call and what must come of it.
struct Traced {
    name: String,
    expected: Expected,
    case: Box<dyn FnOnce() -> Box<dyn Case>>,
}

impl Traced {
    fn new<C: Case + 'static>(name: String, expected: Expected, case: impl FnOnce() -> C + 'static) -> Traced {
        Traced { name, expected, case: Box::new(|| Box::new(case())) }
    }
}

/// With `long` also those that take minutes each.
fn all(long: bool) -> Vec<Traced> {
    [controls::all(), vectors::all(long), private_op::all(long), padding::all(), keygen::all()]
        .into_iter()
        .flatten()
        .collect()
}

/// All calls that `filter` takes; with `long` also those that take minutes each.
pub fn run(table: &mut Table, filter: Filter<'_>, long: bool) {
    let all = all(long);
    let names: Vec<&str> = all.iter().map(|traced| &*traced.name).filter(|name| filter.takes(name)).collect();
    if names.is_empty() {
        return;
    }
    table.section(&format!(
        "traces: single-stepped with {SECRETS} secrets; program counters and addresses must be equal"
    ));
    for (name, what) in [("ifma", "AVX-512 IFMA"), ("avx-ifma", "AVX-IFMA"), ("avx2", "AVX2 and FMA")] {
        if !Native::available().iter().any(|native| native.name() == name) {
            table.skipped(&format!("{name}: all traces"), &format!("this processor has no {what}"));
        }
    }
    parallel::rows(table, "traces", &names, |at| of_process(&["trace", names[at]], &[]));
}

/// The body of the process that traces one call: prints the verdict.
///
/// # Panics
/// When there is no call of this name.
pub fn run_one(name: &str) -> ExitCode {
    let traced = all(true).into_iter().find(|traced| traced.name == name).expect("a call of this name");
    let (code, text) = match judge(traced) {
        Ok(remark) => (ExitCode::SUCCESS, remark),
        Err(reason) => (ExitCode::FAILURE, reason),
    };
    println!("{text}");
    code
}

fn judge(Traced { expected, case, .. }: Traced) -> Verdict {
    let mut case = case();
    let started = Instant::now();
    let traces: [Trace; SECRETS] = traces(case.as_mut())?;
    let first = traces[0];
    let other =
        traces.iter().position(|trace| trace.counters != first.counters || trace.instructions != first.instructions);
    let elsewhere =
        traces.iter().position(|trace| trace.addresses != first.addresses || trace.accesses != first.accesses);
    let unknown = traces.iter().map(|trace| trace.unknown).find(|&counter| counter != 0);
    let (found, secret) = match (unknown, other, elsewhere) {
        (Some(_), _, _) => (Expected::Unknown, None),
        (_, Some(secret), _) => (Expected::OtherCounters, Some(secret)),
        (_, _, Some(secret)) => (Expected::OtherAddresses, Some(secret)),
        _ => (Expected::Equal, None),
    };
    if found == expected && first.instructions > 0 {
        return Ok(match expected {
            Expected::Equal => format!(
                "{SECRETS} equal traces: {} instructions, {} addresses, {:.1} s",
                first.instructions,
                first.accesses,
                started.elapsed().as_secs_f64()
            ),
            Expected::OtherCounters => "seen: other program counters".into(),
            Expected::OtherAddresses => "seen: other addresses".into(),
            Expected::Unknown => "seen: an instruction of unknown time".into(),
        });
    }
    let detail = match (secret, unknown) {
        (Some(secret), _) => first_difference(case.as_mut(), 0, secret)?,
        (_, Some(counter)) => source_line(counter),
        _ => String::new(),
    };
    Err(format!("expected {expected:?}, found {found:?}\n        {detail}"))
}
