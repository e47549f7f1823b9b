// SPDX-License-Identifier: Apache-2.0
//! The result as JSON for programs. Fields are added, never renamed.

use super::arguments::Kind;
use super::measure::{Outcome, Row};
use super::table::command;
use crate::machine::Machine;
use garner::keygen::Statistics;
use serde::Serialize;

#[derive(Serialize)]
struct Report<'a> {
    machine: &'a Machine,
    command: String,
    /// Whether these are all rows that were asked for; an interrupted run has the first of them.
    complete: bool,
    rows: Vec<JsonRow<'a>>,
}

/// One row and one system beside Garner.
#[derive(Serialize)]
struct JsonRow<'a> {
    /// The operation; or `latency`: that of signing by one caller alone, medians instead of rates.
    op: String,
    bits: u32,
    device: &'a str,
    /// Threads.
    callers: usize,
    /// Operations that a thread hands over at once.
    batch: usize,
    slots: usize,
    garner_per_s: f64,
    baseline: &'a str,
    baseline_per_s: f64,
    ratio: f64,
    /// Whether every result of Garner's was checked and right; never false in a report, which is then not written.
    checked: bool,
    /// How many results that were.
    results_checked: u64,
    p50_us: f64,
    p99_us: f64,
    baseline_p50_us: f64,
    baseline_p99_us: f64,
    /// Operations per batch.
    fill: Option<f64>,
    rounds: usize,
    /// Operations in all rounds.
    operations: u64,
    baseline_operations: u64,
    /// Of key generation: candidates drawn, those that no small prime divides, and those put to Miller-Rabin, a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates_per_key: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    survivors_per_key: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    primality_tests_per_key: Option<f64>,
}

/// `{"machine": …, "complete": …, "rows": […]}` with one row per measurement and system beside Garner.
pub fn text(machine: &Machine, rows: &[Row], complete: bool) -> String {
    let mut report = Report { machine, command: command(), complete, rows: Vec::new() };
    for row in rows {
        for baseline in row.baselines() {
            if row.kind.is_rate() {
                report.rows.push(json_row(row, baseline));
            }
            let alone = row.shape.callers == 1 && row.shape.batch == 1;
            if row.kind == Kind::Latency || row.kind == Kind::Sign && alone {
                report.rows.push(latency(row, baseline));
            }
        }
    }
    let mut text = serde_json::to_string_pretty(&report).expect("numbers and strings");
    text.push('\n');
    text
}

fn json_row<'a>(row: &'a Row, baseline: &'a Outcome) -> JsonRow<'a> {
    let garner = row.garner();
    let per_key = |count: fn(&Statistics) -> u64| {
        garner.generated.as_ref().map(|generated| count(generated) as f64 / generated.keys.max(1) as f64)
    };
    JsonRow {
        op: row.kind.to_string(),
        bits: row.bits,
        device: &row.device,
        callers: row.shape.callers,
        batch: row.shape.batch,
        slots: row.slots,
        garner_per_s: garner.per_second,
        baseline: &baseline.name,
        baseline_per_s: baseline.per_second,
        ratio: baseline.ratio,
        checked: garner.checked > 0,
        results_checked: garner.checked,
        p50_us: garner.p50_us,
        p99_us: garner.p99_us,
        baseline_p50_us: baseline.p50_us,
        baseline_p99_us: baseline.p99_us,
        fill: row.fill,
        rounds: garner.rounds,
        operations: garner.operations,
        baseline_operations: baseline.operations,
        candidates_per_key: per_key(|generated| generated.candidates),
        survivors_per_key: per_key(|generated| generated.survivors),
        primality_tests_per_key: per_key(|generated| generated.primality_tests),
    }
}

/// The same row told by its median latencies: how many such operations would follow one another in a second.
fn latency<'a>(row: &'a Row, baseline: &'a Outcome) -> JsonRow<'a> {
    let garner = row.garner();
    JsonRow {
        op: "latency".into(),
        garner_per_s: 1e6 / garner.p50_us,
        baseline_per_s: 1e6 / baseline.p50_us,
        ratio: baseline.p50_us / garner.p50_us,
        ..json_row(row, baseline)
    }
}
