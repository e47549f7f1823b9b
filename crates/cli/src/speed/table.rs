// SPDX-License-Identifier: Apache-2.0
//! The result as a table for people.

use super::arguments::{Kind, Shape};
use super::energy::Energy;
use super::measure::{Outcome, PerKey, Row};
use crate::invocation;
use crate::machine::Machine;
use crate::output::{grouped, rate, time};
use std::fmt::Write;

/// Header, one line per row under one heading per key size, footer.
pub fn text(machine: &Machine, command: &str, energy: Option<&Energy>, rows: &[Row]) -> String {
    let mut text = String::new();
    let mut line = |content: &str| writeln!(text, "{}", content.trim_end()).expect("a string takes everything");
    line("Garner beside OpenSSL: operations per second, blinding and check on");
    line(&machine.line());
    let names = names(rows);
    let mut bits = 0;
    for row in rows.iter().filter(|row| row.kind.is_rate() && row.kind != Kind::Keygen) {
        if row.bits != bits {
            bits = row.bits;
            line("");
            line(&heading(bits, &names));
        }
        line(&figures(row, &names));
    }
    let times: Vec<&Row> = rows.iter().filter(|row| !row.kind.is_rate()).collect();
    if !times.is_empty() {
        line("");
        line(&latency_heading(&names));
        times.iter().for_each(|row| line(&latencies(row, &names)));
    }
    let keys: Vec<&Row> = rows.iter().filter(|row| row.kind == Kind::Keygen).collect();
    if !keys.is_empty() {
        line("");
        line(&keygen_heading(&names));
        keys.iter().for_each(|row| line(&generation(row, &names)));
        line(&format!(
            "  means, a key; tests: candidates put to Miller-Rabin, {RAMESH} at 2048 bits in Ramesh 2020 (mbedTLS)"
        ));
    }
    match energy {
        None => {}
        Some(Energy::NotMeasurable(reason)) => line(&format!("\nenergy: not measurable here: {reason}")),
        Some(Energy::Measured { idle_watts }) => {
            line("");
            line(&energy_heading(&names));
            rows.iter().for_each(|row| line(&joules(row, &names)));
            line(&format!("  all that the processors used, by RAPL; idle before the first row: {idle_watts:.1} W"));
        }
    }
    let checked: u64 = rows.iter().map(|row| row.garner().checked).sum();
    line("");
    let first = rows.first().map_or("-", |row| row.device.as_str());
    line(&format!(
        "device {first} · p50 and p99 are Garner's latencies, in batches that of the whole batch · fill: operations per batch"
    ));
    if let Some(row) = rows.iter().find(|row| row.slots > row.shape.callers) {
        line(&format!("Garner had {} slots: more threads than callers, and than the other systems", row.slots));
    }
    line(&format!(
        "all {} of Garner's results checked, every signature verified by OpenSSL · reproduce: {}",
        grouped(checked),
        command
    ));
    text
}

/// The systems beside Garner, in the order of the columns.
fn names(rows: &[Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for baseline in rows.iter().flat_map(Row::baselines) {
        if !names.contains(&baseline.name) {
            names.push(baseline.name.clone());
        }
    }
    names
}

fn heading(bits: u32, names: &[String]) -> String {
    let mut text = format!("{:<24}{:>10}", format!("RSA-{bits}"), "Garner/s");
    for name in names {
        write!(text, "{:>width$}{:>8}", format!("{name}/s"), "ratio", width = width(name)).expect("as above");
    }
    write!(text, "{:>9}{:>9}{:>7}", "p50", "p99", "fill").expect("as above");
    text
}

fn figures(row: &Row, names: &[String]) -> String {
    let garner = row.garner();
    let mut text = format!("  {:<22}{:>10}", format!("{}, {}", row.kind, row.shape), rate(garner.per_second));
    for name in names {
        let baseline = row.baselines().iter().find(|baseline| baseline.name == *name);
        let cell = |show: fn(&Outcome) -> String| baseline.map_or("-".to_owned(), show);
        let (per_second, ratio) = (cell(|one| rate(one.per_second)), cell(|one| format!("{:.2}", one.ratio)));
        write!(text, "{per_second:>width$}{ratio:>8}", width = width(name)).expect("as above");
    }
    let fill = row.fill.map_or("-".to_owned(), |fill| format!("{fill:.1}"));
    write!(text, "{:>9}{:>9}{fill:>7}", time(garner.p50_us), time(garner.p99_us)).expect("as above");
    text
}

fn energy_heading(names: &[String]) -> String {
    let mut text = format!("{:<34}{:>10}", "millijoules an operation", "Garner");
    for name in names {
        write!(text, "{name:>width$}{:>8}", "ratio", width = width(name)).expect("as above");
    }
    text
}

/// Energy of an operation; the ratio is Garner's to the other system's.
fn joules(row: &Row, names: &[String]) -> String {
    let garner = row.garner();
    let show = |joules: Option<f64>| joules.map_or("-".to_owned(), |joules| format!("{:.3}", 1e3 * joules));
    let name = format!("RSA-{} {}, {}", row.bits, row.kind, row.shape);
    let mut text = format!("  {name:<32}{:>10}", show(garner.joules));
    for name in names {
        let joules = row.baselines().iter().find(|baseline| baseline.name == *name).and_then(|one| one.joules);
        let ratio = garner.joules.zip(joules).filter(|(_, theirs)| *theirs > 0.0);
        let ratio = ratio.map_or("-".to_owned(), |(ours, theirs)| format!("{:.2}", ours / theirs));
        write!(text, "{:>width$}{ratio:>8}", show(joules), width = width(name)).expect("as above");
    }
    text
}

fn latency_heading(names: &[String]) -> String {
    let mut text = format!("{:<24}{:>10}{:>9}", "one signature, alone", "Garner p50", "p99");
    for name in names {
        write!(text, "{:>width$}{:>9}{:>8}", format!("{name} p50"), "p99", "ratio", width = name.len() + 6)
            .expect("as above");
    }
    text
}

/// Times of one signature at a time; the ratio is that of the medians.
fn latencies(row: &Row, names: &[String]) -> String {
    let garner = row.garner();
    let name = format!("RSA-{}", row.bits);
    let mut text = format!("  {name:<22}{:>10}{:>9}", time(garner.p50_us), time(garner.p99_us));
    for name in names {
        let baseline = row.baselines().iter().find(|baseline| baseline.name == *name);
        let cell = |show: &dyn Fn(&Outcome) -> String| baseline.map_or("-".to_owned(), show);
        let (p50, p99) = (cell(&|one| time(one.p50_us)), cell(&|one| time(one.p99_us)));
        let ratio = cell(&|one| format!("{:.2}", one.p50_us / garner.p50_us));
        write!(text, "{p50:>width$}{p99:>9}{ratio:>8}", width = name.len() + 6).expect("as above");
    }
    text
}

/// Primality tests per RSA-2048 key by mbedTLS, the mean over 1000 keys (Ramesh 2020, chapter 2).
const RAMESH: u32 = 115;

fn keygen_heading(names: &[String]) -> String {
    let mut text = format!("{:<29}{:>9}{:>8}", "key generation", "Garner", "keys");
    for name in names {
        write!(text, "{name:>width$}{:>6}{:>8}", "keys", "ratio", width = name.len() + 3).expect("as above");
    }
    write!(text, "{:>12}{:>11}{:>7}", "candidates", "survivors", "tests").expect("as above");
    text
}

/// Mean times to a key, what they are means of, and what a key took.
fn generation(row: &Row, names: &[String]) -> String {
    let garner = row.garner();
    let shape = match row.shape {
        Shape { callers: 1, batch: 1 } => "one key alone".into(),
        Shape { batch: 1, callers } => format!("one each, {callers} threads"),
        Shape { batch, .. } => format!("{batch} keys at once"),
    };
    let name = format!("RSA-{}, {shape}", row.bits);
    let mean = |outcome: &Outcome| time(1e6 / outcome.per_second);
    let mut text = format!("  {name:<27}{:>9}{:>8}", mean(garner), grouped(garner.operations));
    for name in names {
        let baseline = row.baselines().iter().find(|baseline| baseline.name == *name);
        let cell = |show: &dyn Fn(&Outcome) -> String| baseline.map_or("-".to_owned(), show);
        let (time, keys) = (cell(&mean), cell(&|one| grouped(one.operations)));
        let ratio = cell(&|one| format!("{:.2}", one.ratio));
        write!(text, "{time:>width$}{keys:>6}{ratio:>8}", width = name.len() + 3).expect("as above");
    }
    if let Some(generated) = &garner.generated {
        let PerKey { candidates, survivors, primality_tests } = generated;
        write!(text, "{candidates:>12.0}{survivors:>11.1}{primality_tests:>7.1}").expect("as above");
    }
    text
}

fn width(name: &str) -> usize {
    (name.chars().count() + 4).max(10)
}

/// This command, as it would be typed again.
pub fn command() -> String {
    format!("garner {}", invocation::arguments())
}
