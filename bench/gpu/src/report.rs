// SPDX-License-Identifier: Apache-2.0
//! What comes out: the schema of `garner speed --json`, with what only a GPU has beside it.

use garner_origin::Origin;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Everything of one run.
#[derive(Serialize)]
pub struct Report {
    /// Of which commit, and beside what other work.
    #[serde(flatten)]
    pub origin: Origin,
    /// Where and when.
    pub machine: Machine,
    /// How it was called.
    pub command: String,
    /// Whether all was measured, and all that was checked was right. Not before the end: false, with nothing in `stopped_by`,
    /// is a run that was stopped from outside.
    pub complete: bool,
    /// What ended it before all was measured, if anything did.
    pub stopped_by: Option<String>,
    /// How long it took so far.
    pub seconds: f64,
    /// Rates of the pipes; empty without a GPU.
    pub pipes: Vec<Pipe>,
    /// What was checked, right or wrong.
    pub checks: Vec<Check>,
    /// The measurements.
    pub rows: Vec<Row>,
}

impl Report {
    /// The text of it.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers and strings") + "\n"
    }

    /// Writes it to `file`, whole or not at all.
    ///
    /// # Errors
    /// The system's, with the file's name.
    pub fn save(&self, file: &Path) -> Result<(), String> {
        let part = file.with_extension("part");
        let written = fs::write(&part, self.text()).and_then(|()| fs::rename(&part, file));
        written.map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// The GPU and the host.
#[derive(Serialize)]
pub struct Machine {
    /// The GPU's name for itself.
    pub gpu: String,
    /// Its multiprocessors; 0 where it is emulated.
    pub multiprocessors: u32,
    /// Its highest clock, in MHz, as the driver says; that of a measurement is in its row.
    pub clock_mhz: f64,
    /// Processors of the host.
    pub cores: usize,
    /// The host's arithmetic.
    pub kernels: String,
    /// libcrypto.
    pub openssl: String,
    /// Seconds since 1970.
    pub seconds: u64,
}

/// One pipe.
#[derive(Serialize)]
pub struct Pipe {
    /// What it does.
    pub name: &'static str,
    /// Lanes a clock and multiprocessor.
    pub per_clock_and_processor: f64,
}

/// One check; or a measurement in which something failed.
#[derive(Serialize)]
pub struct Check {
    /// What was compared with libcrypto.
    pub what: String,
    /// How long it took, compiling included.
    pub seconds: f64,
    /// What was wrong, if anything was.
    pub error: Option<String>,
}

/// One measurement. The fields that `garner speed --json` has mean the same.
#[derive(Serialize, Default, Clone)]
pub struct Row {
    /// `kernel`: kernels alone, nothing copied; `private`: blinded numbers to and fro; `sign`: through the gatherer, or by
    /// OpenSSL without Garner on all processors; `public`: kernels of public operations alone.
    pub op: &'static str,
    /// Of the modulus.
    pub bits: usize,
    /// The GPU, or `openssl`.
    pub device: String,
    /// Threads.
    pub callers: usize,
    /// Operations handed over at once.
    pub batch: usize,
    /// Operations a second.
    pub garner_per_s: f64,
    /// What the rate is held against.
    pub baseline: &'static str,
    /// Its rate.
    pub baseline_per_s: f64,
    /// Ours over that.
    pub ratio: f64,
    /// Whether every result was checked and right. Kernels alone work on random numbers; theirs are checked before.
    pub checked: bool,
    /// How many that were.
    pub results_checked: u64,
    /// Median time of a batch.
    pub p50_us: f64,
    /// Its 99th percentile.
    pub p99_us: f64,
    /// Energy of the GPU for one operation, where the driver tells.
    pub joules_per_op: Option<f64>,
    /// Clock of the multiprocessors while it was measured, in MHz, where the driver's library tells.
    pub clock_mhz: Option<f64>,
    /// Batches measured.
    pub rounds: usize,
}
