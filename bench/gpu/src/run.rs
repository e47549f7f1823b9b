// SPDX-License-Identifier: Apache-2.0
//! One run: its clock, its report, and what went wrong in it. `plan` says what is measured.

use crate::Arguments;
use crate::energy::Meter;
use crate::pipes;
use crate::report::{Check, Report, Row};
use crate::{kernels, report};
use garner_origin::Origin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A run.
pub struct Run<'a> {
    /// How it was called.
    pub arguments: &'a Arguments,
    /// What comes out.
    pub report: Report,
    /// The GPU's.
    pub meter: Option<Meter>,
    /// Set when the GPU was given up.
    pub given_up: Arc<AtomicBool>,
    start: Instant,
    /// Why the report was not written the last time.
    unsaved: Option<String>,
}

impl<'a> Run<'a> {
    /// Nothing in it yet.
    pub fn new(arguments: &'a Arguments, start: Instant, machine: report::Machine) -> Run<'a> {
        let origin = Origin::now();
        if let Some(warning) = origin.warning() {
            eprintln!("garner-bench-gpu: {warning}");
        }
        let report = Report {
            origin,
            machine,
            command: std::env::args().collect::<Vec<_>>().join(" "),
            complete: false,
            stopped_by: None,
            seconds: 0.0,
            pipes: Vec::new(),
            checks: Vec::new(),
            rows: Vec::new(),
        };
        Run { arguments, report, meter: None, given_up: Arc::default(), start, unsaved: None }
    }

    /// Writes the report as it is: a run that is stopped from outside shall not have been for nothing.
    ///
    /// # Errors
    /// The system's, with the file's name.
    pub fn save(&mut self) -> Result<(), String> {
        self.report.seconds = self.start.elapsed().as_secs_f64();
        let saved = self.arguments.out.as_deref().map_or(Ok(()), |file| self.report.save(file));
        self.unsaved = saved.clone().err();
        saved
    }

    /// The same; an error ends the run only at its end.
    fn note(&mut self) {
        let before = self.unsaved.is_some();
        if let Err(reason) = self.save()
            && !before
        {
            eprintln!("{reason}");
        }
    }

    /// Whether a batch was never done.
    pub fn is_hung(&self) -> bool {
        self.given_up.load(Ordering::Acquire)
    }

    /// Whether nothing is begun any more, for there is no time or no GPU. Says so once.
    pub fn is_over(&mut self) -> bool {
        let limit = self.arguments.limit;
        let reason = if self.is_hung() {
            "a GPU that did not answer".to_owned()
        } else if self.start.elapsed().as_secs_f64() > limit {
            format!("the limit of {limit} s")
        } else {
            return false;
        };
        if self.report.stopped_by.is_none() {
            eprintln!("stopped by {reason}: what is missing was not measured");
            self.report.stopped_by = Some(reason);
            self.note();
        }
        true
    }

    /// Ends it.
    ///
    /// # Errors
    /// What failed, if anything did.
    pub fn finish(&mut self) -> Result<(), String> {
        let failed = self.report.checks.iter().filter(|check| check.error.is_some()).count();
        self.report.complete = failed == 0 && self.report.stopped_by.is_none();
        self.save()?;
        match failed {
            0 => Ok(()),
            _ => Err(format!("{failed} of {} checks and measurements failed", self.report.checks.len())),
        }
    }

    /// Has `check` say whether `what` is right, and notes what it says. Whether it is, and was looked at before all was over.
    pub fn check(&mut self, what: String, check: impl FnOnce() -> Result<(), String>) -> bool {
        if self.is_over() {
            return false;
        }
        let start = Instant::now();
        let error = check().err();
        let seconds = start.elapsed().as_secs_f64();
        match &error {
            None => eprintln!("{what}: right, {seconds:.1} s"),
            Some(reason) => eprintln!("{what}: FAILED, {seconds:.1} s: {reason}"),
        }
        let is_right = error.is_none();
        self.report.checks.push(Check { what, seconds, error });
        self.note();
        is_right
    }

    /// Does `work`, whose error is noted and ends nothing else.
    pub fn attempt(&mut self, what: String, work: impl FnOnce(&mut Self) -> Result<(), String>) {
        let start = Instant::now();
        if let Err(reason) = work(self) {
            eprintln!("{what}: FAILED: {reason}");
            let seconds = start.elapsed().as_secs_f64();
            self.report.checks.push(Check { what, seconds, error: Some(reason) });
            self.note();
        }
    }

    /// Measures, unless all is over, and notes the rows.
    ///
    /// # Errors
    /// The measurement's.
    pub fn rows(&mut self, measure: impl FnOnce(Option<&Meter>) -> Result<Vec<Row>, String>) -> Result<(), String> {
        if self.is_over() {
            return Ok(());
        }
        let rows = measure(self.meter.as_ref())?;
        rows.into_iter().for_each(|row| self.add(row));
        self.note();
        Ok(())
    }

    fn add(&mut self, mut row: Row) {
        if row.op == "kernel" {
            // The bound: the products that an operation needs, at the rate of the pipe measured before.
            let wide = self.report.pipes.iter().find(|pipe| pipe.name == pipes::BOUND);
            let wide = wide.map_or(0.0, |pipe| pipe.per_clock_and_processor);
            let machine = &self.report.machine;
            let clock = row.clock_mhz.unwrap_or(machine.clock_mhz);
            let rate = wide * f64::from(machine.multiprocessors) * clock * 1e6;
            row.baseline = "products";
            row.baseline_per_s = rate / kernels::products(row.bits / 64);
        }
        if row.baseline_per_s > 0.0 {
            row.ratio = row.garner_per_s / row.baseline_per_s;
        }
        let device = &row.device;
        let energy = row.joules_per_op.map_or(String::new(), |joules| format!("{:10.2} uJ", joules * 1e6));
        let clock = row.clock_mhz.map_or(String::new(), |clock| format!("{clock:6.0} MHz"));
        eprintln!(
            "{:<8}{:>6} bits {device:<10} batch {:>6}: {:>12.0}/s  p50 {:>10.0} us  of {:<9}{:5.2}{energy}{clock}",
            row.op, row.bits, row.batch, row.garner_per_s, row.p50_us, row.baseline, row.ratio
        );
        self.report.rows.push(row);
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use clap::Parser;

    /// A run of an emulated GPU, called with these arguments too.
    pub fn arguments(more: &[&str]) -> Arguments {
        let always = ["garner-bench-gpu", "--emulate", "--bits", "1024", "--seconds", "0"];
        Arguments::try_parse_from(always.iter().chain(more)).unwrap()
    }

    /// An emulated GPU on this host.
    pub fn machine() -> report::Machine {
        report::Machine {
            gpu: String::new(),
            multiprocessors: 0,
            clock_mhz: 0.0,
            cores: 1,
            kernels: String::new(),
            openssl: String::new(),
            seconds: 0,
        }
    }

    #[test]
    fn what_fails_is_in_the_report_and_in_the_status_and_the_rest_goes_on() {
        let file = std::env::temp_dir().join(format!("garner-bench-{}.json", std::process::id()));
        let arguments = arguments(&["--out", file.to_str().unwrap()]);
        let mut run = Run::new(&arguments, Instant::now(), machine());
        assert!(run.check("one".into(), || Ok(())));
        assert!(!run.check("two".into(), || Err("WRONG RESULT".into())));
        run.attempt("three".into(), |run| run.rows(|_| Err("lost".into())));
        // Already written, for who knows whether the end is reached.
        let written = || serde_json::from_str::<serde_json::Value>(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let errors = |report: &serde_json::Value| -> Vec<Option<String>> {
            let checks = report["checks"].as_array().unwrap();
            checks.iter().map(|check| check["error"].as_str().map(str::to_owned)).collect()
        };
        assert_eq!(errors(&written()), [None, Some("WRONG RESULT".into()), Some("lost".into())]);
        for field in ["commit", "dirty", "load", "busy", "machine"] {
            assert!(written().get(field).is_some(), "{field}");
        }
        run.rows(|_| Ok(vec![Row::default(), Row::default()])).unwrap();
        assert_eq!(run.finish().unwrap_err(), "2 of 3 checks and measurements failed");
        let report = written();
        std::fs::remove_file(&file).unwrap();
        assert_eq!((&report["complete"], &report["stopped_by"]), (&false.into(), &serde_json::Value::Null));
        assert_eq!(report["rows"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn nothing_is_begun_when_the_time_is_up_and_the_report_says_so() {
        let arguments = arguments(&["--limit", "0"]);
        let mut run = Run::new(&arguments, Instant::now(), machine());
        assert!(!run.check("one".into(), || panic!("begun")));
        run.rows(|_| panic!("begun")).unwrap();
        run.finish().unwrap();
        assert_eq!(run.report.stopped_by.as_deref(), Some("the limit of 0 s"));
        assert!(!run.report.complete && run.report.checks.is_empty());
    }

    #[test]
    fn nothing_is_begun_on_a_gpu_that_was_given_up() {
        let arguments = arguments(&[]);
        let mut run = Run::new(&arguments, Instant::now(), machine());
        assert!(!run.is_hung());
        run.given_up.store(true, Ordering::Relaxed);
        assert!(!run.check("one".into(), || panic!("begun")));
        assert_eq!(run.report.stopped_by.as_deref(), Some("a GPU that did not answer"));
        assert!(run.is_hung());
    }
}
