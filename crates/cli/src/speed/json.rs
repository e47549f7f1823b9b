// SPDX-License-Identifier: Apache-2.0
//! The result as JSON for programs, and read again. Fields are added, never renamed.

use super::arguments::Kind;
use super::arguments::Shape;
use super::energy::Energy;
use super::measure::{Outcome, PerKey, Row};
use super::report::Report;
use crate::machine::Machine;
use clap::ValueEnum;
use garner_origin::Origin;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
struct Document {
    #[serde(flatten)]
    origin: Origin,
    machine: Machine,
    command: String,
    /// Watts of the processors before the first row, where energy was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_watts: Option<f64>,
    /// Why energy was not measured, though asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    energy_not_measurable: Option<String>,
    /// Whether these are all rows that were asked for; an interrupted run has the first of them.
    #[serde(default = "whole")]
    complete: bool,
    rows: Vec<JsonRow>,
}

/// One row and one system beside Garner.
#[derive(Serialize, Deserialize)]
struct JsonRow {
    /// The operation; or `latency`: that of signing by one caller alone, medians instead of rates.
    op: String,
    bits: u32,
    device: String,
    /// Threads.
    callers: usize,
    /// Operations that a thread hands over at once.
    batch: usize,
    slots: usize,
    garner_per_s: f64,
    baseline: String,
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
    /// Joules an operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    joules: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_joules: Option<f64>,
    /// Of key generation: candidates drawn, those that no small prime divides, and those put to Miller-Rabin, a key.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates_per_key: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    survivors_per_key: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    primality_tests_per_key: Option<f64>,
}

/// Reports of before they could be incomplete do not say so.
fn whole() -> bool {
    true
}

/// `{"commit": …, "machine": …, "complete": …, "rows": […]}` with one row per measurement and system beside Garner.
pub fn text(report: &Report) -> String {
    let (idle_watts, energy_not_measurable) = match &report.energy {
        None => (None, None),
        Some(Energy::Measured { idle_watts }) => (Some(*idle_watts), None),
        Some(Energy::NotMeasurable(reason)) => (None, Some(reason.clone())),
    };
    let mut document = Document {
        origin: report.origin.clone(),
        machine: report.machine.clone(),
        command: report.command.clone(),
        idle_watts,
        energy_not_measurable,
        complete: report.is_complete(),
        rows: Vec::new(),
    };
    for row in &report.rows {
        for baseline in row.baselines() {
            if row.kind.is_rate() {
                document.rows.push(json_row(row, baseline));
            }
            let alone = row.shape.callers == 1 && row.shape.batch == 1;
            if row.kind == Kind::Latency || row.kind == Kind::Sign && alone {
                document.rows.push(latency(row, baseline));
            }
        }
    }
    let mut text = serde_json::to_string_pretty(&document).expect("numbers and strings");
    text.push('\n');
    text
}

/// What every benchmark's data begin with, on a line.
pub fn origin(origin: &Origin, machine: &Machine) -> String {
    #[derive(Serialize)]
    struct Head<'a> {
        #[serde(flatten)]
        origin: &'a Origin,
        machine: &'a Machine,
    }
    serde_json::to_string(&Head { origin, machine }).expect("numbers and strings") + "\n"
}

/// The report that [`text`] wrote, for its table and its picture.
///
/// # Errors
/// It is none, or that of an interrupted run.
pub fn read(text: &[u8]) -> Result<Report, String> {
    let document: Document = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    if !document.complete {
        return Err("is of an interrupted run".to_owned());
    }
    let mut rows: Vec<Row> = Vec::new();
    for one in &document.rows {
        let kind = Kind::from_str(&one.op, false)?;
        let shape = Shape { callers: one.callers, batch: one.batch };
        let is_same = |row: &Row| (row.bits, row.shape) == (one.bits, shape);
        // The latencies of a row of signatures are that row's.
        if kind == Kind::Latency && rows.iter().any(|row| row.kind == Kind::Sign && is_same(row)) {
            continue;
        }
        if !rows.last().is_some_and(|row| row.kind == kind && is_same(row)) {
            rows.push(one.row(kind, shape));
        }
        rows.last_mut().expect("just pushed").outcomes.push(one.other());
    }
    let Document { origin, machine, command, idle_watts, energy_not_measurable, .. } = document;
    let measured = idle_watts.map(|idle_watts| Energy::Measured { idle_watts });
    let energy = measured.or(energy_not_measurable.map(Energy::NotMeasurable));
    Ok(Report { origin, machine, command, energy, all: rows.len(), rows, json: false, plot: None })
}

impl JsonRow {
    /// The row with Garner's outcome alone.
    fn row(&self, kind: Kind, shape: Shape) -> Row {
        let per_key = |candidates| {
            let (survivors, primality_tests) = self.survivors_per_key.zip(self.primality_tests_per_key)?;
            Some(PerKey { candidates, survivors, primality_tests })
        };
        let garner = Outcome {
            name: "Garner".to_owned(),
            per_second: self.garner_per_s,
            ratio: 1.0,
            operations: self.operations,
            p50_us: self.p50_us,
            p99_us: self.p99_us,
            rounds: self.rounds,
            checked: self.results_checked,
            joules: self.joules,
            generated: self.candidates_per_key.and_then(per_key),
        };
        let (bits, device, slots, fill) = (self.bits, self.device.clone(), self.slots, self.fill);
        Row { kind, bits, device, shape, slots, fill, outcomes: vec![garner] }
    }

    /// The outcome of the system beside it.
    fn other(&self) -> Outcome {
        Outcome {
            name: self.baseline.clone(),
            per_second: self.baseline_per_s,
            ratio: self.ratio,
            operations: self.baseline_operations,
            p50_us: self.baseline_p50_us,
            p99_us: self.baseline_p99_us,
            rounds: self.rounds,
            checked: 0,
            joules: self.baseline_joules,
            generated: None,
        }
    }
}

fn json_row(row: &Row, baseline: &Outcome) -> JsonRow {
    let garner = row.garner();
    let per_key = |count: fn(&PerKey) -> f64| garner.generated.as_ref().map(count);
    JsonRow {
        op: row.kind.to_string(),
        bits: row.bits,
        device: row.device.clone(),
        callers: row.shape.callers,
        batch: row.shape.batch,
        slots: row.slots,
        garner_per_s: garner.per_second,
        baseline: baseline.name.clone(),
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
        joules: garner.joules,
        baseline_joules: baseline.joules,
        candidates_per_key: per_key(|generated| generated.candidates),
        survivors_per_key: per_key(|generated| generated.survivors),
        primality_tests_per_key: per_key(|generated| generated.primality_tests),
    }
}

/// The same row told by its median latencies: how many such operations would follow one another in a second.
fn latency(row: &Row, baseline: &Outcome) -> JsonRow {
    let garner = row.garner();
    JsonRow {
        op: "latency".into(),
        garner_per_s: 1e6 / garner.p50_us,
        baseline_per_s: 1e6 / baseline.p50_us,
        ratio: baseline.p50_us / garner.p50_us,
        ..json_row(row, baseline)
    }
}
