// SPDX-License-Identifier: Apache-2.0
//! `garner stats`: what garnerd has done, by its figures; `garner stats PID...`: what other processes have done with Garner, read
//! from outside.

use crate::failure::{Failure, Of};
use crate::output::{self, grouped, rate, time};
use clap::Args;
use garner::error::Error;
use garner::stats::{self, Statistics};
use garner_remote::figures;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{Display, Write};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  garner stats                         garnerd, where it gives figures (/run/garnerd/metrics, or GARNER_METRICS)
  garner stats 4711                    once
  garner stats $(pidof nginx)          a block for each process
  garner stats $(pidof nginx) --watch  a line every second for each, until they end
  garner stats 4711 --json             for a script: an object; of several processes an array of them; with --watch
                                       one object a line

Of several processes those that cannot be read are named on standard error, and the others are shown all the same.
load is the part of the slots in use, averaged over the time since the first operation: at 100 % there were always as
many batches under way as slots.";

/// Lines of `--watch` between two headings.
const PAGE: u64 = 20;

/// Options of `garner stats`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The processes; without any, garnerd
    #[arg(value_name = "PID", value_parser = clap::value_parser!(u32).range(1..))]
    pids: Vec<u32>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Go on, every second, until the processes end
    #[arg(long, requires = "pids")]
    watch: bool,
}

/// [`Statistics`] with what follows from them.
#[derive(Serialize)]
struct Report {
    pid: u32,
    started: u64,
    running_s: f64,
    slots: u64,
    operations: u64,
    private_operations: u64,
    public_operations: u64,
    exponentiations: u64,
    batches: u64,
    public_batches: u64,
    mean_fill: f64,
    lane_use: f64,
    device_time_s: f64,
    mean_time_us: f64,
    load: f64,
    faults: u64,
    retries: u64,
    device_failures: u64,
    out_of_service: u64,
    queue: u64,
    queue_high_water: u64,
}

impl From<&Statistics> for Report {
    fn from(statistics: &Statistics) -> Report {
        Report {
            pid: statistics.pid,
            started: statistics.started,
            running_s: statistics.running.as_secs_f64(),
            slots: statistics.slots,
            operations: statistics.operations(),
            private_operations: statistics.private_operations,
            public_operations: statistics.public_operations,
            exponentiations: statistics.exponentiations,
            batches: statistics.batches,
            public_batches: statistics.public_batches,
            mean_fill: statistics.mean_fill(),
            lane_use: statistics.lane_use(),
            device_time_s: statistics.device_time.as_secs_f64(),
            mean_time_us: statistics.mean_time().as_secs_f64() * 1e6,
            load: statistics.load(),
            faults: statistics.faults,
            retries: statistics.retries,
            device_failures: statistics.device_failures,
            out_of_service: statistics.out_of_service,
            queue: statistics.queue,
            queue_high_water: statistics.queue_high_water,
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.pids.is_empty() {
        return daemon(arguments.json);
    }
    let mut readings = Vec::new();
    let mut unread = Vec::new();
    for &pid in &arguments.pids {
        match read(pid) {
            Ok(statistics) => readings.push((pid, statistics)),
            Err(failure) => unread.push(failure),
        }
    }
    // What is said last is the failure of them all.
    let last = if readings.is_empty() { unread.pop() } else { None };
    for failure in unread {
        output::complain(failure);
    }
    if let Some(failure) = last {
        return Err(failure);
    }
    if arguments.watch {
        return watch(arguments, readings);
    }
    let several = arguments.pids.len() > 1;
    let reports: Vec<Report> = readings.iter().map(|(_, statistics)| Report::from(statistics)).collect();
    output::write(&match (arguments.json, several) {
        (true, false) => json(&reports[0]),
        (true, true) => json(&reports),
        (false, _) => reports.iter().map(page).collect::<Vec<_>>().join("\n"),
    })
}

/// The figures of the daemon: its own names for a script, words for people.
fn daemon(as_json: bool) -> Result<(), Failure> {
    let path = figures::socket();
    let figures: BTreeMap<_, _> = figures::read(&path).of(path.display())?.into_iter().collect();
    if as_json {
        return output::write(&json(&figures));
    }
    let figure = |name: &str| figures.get(&format!("garnerd_{name}")).copied().unwrap_or_default();
    let count = |name| grouped(figure(name) as u64);
    let per = |part, whole| if whole > 0.0 { part / whole } else { 0.0 };
    let batches = figure("batch_requests_count");
    let fill = per(figure("batch_requests_sum"), batches);
    let busy = per(figure("batch_time_seconds_total"), figure("batch_requests_sum")) * 1e6;
    let lines = [
        ("requests answered", count("requests_answered_total")),
        ("requests refused", count("requests_refused_total")),
        ("requests per batch", format!("{fill:.2} in {} batches", grouped(batches as u64))),
        ("time per request", time(busy)),
        ("keys", count("keys")),
        ("connections", count("connections")),
        ("connections accepted", count("connections_accepted_total")),
        ("connections turned away", count("connections_turned_away_total")),
        ("wrong results caught", count("faults_total")),
        ("operations run again", count("retries_total")),
        ("device failures", count("device_failures_total")),
        ("devices out of service", count("devices_out_of_service")),
    ];
    let mut text = "garnerd\n".to_owned();
    for (name, value) in lines {
        writeln!(text, "  {name:<24}{value}").expect("a string takes everything");
    }
    output::write(&text)
}

/// A line every second for each process, until the last has ended.
fn watch(arguments: &Arguments, mut readings: Vec<(u32, Statistics)>) -> Result<(), Failure> {
    let several = arguments.pids.len() > 1;
    let mut lines = 0;
    while !readings.is_empty() {
        thread::sleep(Duration::from_secs(1));
        let (mut now, mut text) = (Vec::new(), String::new());
        for (pid, before) in &readings {
            match read(*pid) {
                Ok(after) => {
                    if arguments.json {
                        text.push_str(&json(&Report::from(&after)));
                    } else {
                        if lines % PAGE == 0 {
                            text.push_str(&row(several.then_some("process"), HEADING));
                        }
                        text.push_str(&row(several.then_some(pid), &line(before, &after)));
                    }
                    lines += 1;
                    now.push((*pid, after));
                }
                // That it ends is what ends its watch.
                Err(_) if ended(*pid).is_some() => {}
                Err(failure) if readings.len() == 1 => return Err(failure),
                Err(failure) => output::complain(failure),
            }
        }
        output::write(&text)?;
        readings = now;
    }
    Ok(())
}

/// A line of `--watch`, of several processes with the one it is of.
fn row(process: Option<impl Display>, line: &str) -> String {
    process.map_or(line.to_owned(), |process| format!("{process:>10}{line}"))
}

/// The figures of process `pid`, or which of the things that can be wrong is.
fn read(pid: u32) -> Result<Statistics, Failure> {
    stats::read(pid).map_err(|error| {
        let reason = match (ended(pid), error) {
            (Some(how), _) => format!("process {pid}: {how}"),
            (None, Error::Argument { reason, .. }) => reason,
            (None, other) => format!("process {pid}: {other}"),
        };
        Failure::Environment(reason)
    })
}

/// How a process that does not run any more comes not to, in words.
fn ended(pid: u32) -> Option<&'static str> {
    // The state follows the name, which is in brackets and may have some of its own.
    let stat = fs::read(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(|&byte| byte == b')').next().and_then(|rest| rest.trim_ascii_start().first());
    match state {
        Some(b'Z' | b'X') => Some("has ended, which its parent has yet to notice"),
        _ if !Path::new(&format!("/proc/{pid}")).exists() => Some("no such process"),
        _ => None,
    }
}

fn json(report: &impl Serialize) -> String {
    format!("{}\n", serde_json::to_string(report).expect("numbers"))
}

fn page(report: &Report) -> String {
    let mean = rate(if report.running_s > 0.0 { report.operations as f64 / report.running_s } else { 0.0 });
    let lines = [
        ("private operations", grouped(report.private_operations)),
        ("public operations", grouped(report.public_operations)),
        ("exponentiations", grouped(report.exponentiations)),
        ("operations per second", format!("{mean} over {:.1} s since the first", report.running_s)),
        ("time per operation", time(report.mean_time_us)),
        (
            "operations per batch",
            format!("{:.2}, {:.0} % of the lanes used", report.mean_fill, report.lane_use * 100.0),
        ),
        ("load", format!("{:.0} % of {}", report.load * 100.0, slots(report.slots))),
        ("waiting", format!("{} now, {} at most", grouped(report.queue), grouped(report.queue_high_water))),
        ("wrong results caught", grouped(report.faults)),
        ("operations run again", grouped(report.retries)),
        ("device failures", grouped(report.device_failures)),
        ("devices out of service", grouped(report.out_of_service)),
    ];
    let mut text = format!("process {}\n", report.pid);
    for (name, value) in lines {
        writeln!(text, "  {name:<24}{value}").expect("a string takes everything");
    }
    text
}

fn slots(slots: u64) -> String {
    if slots == 1 { "1 slot".into() } else { format!("{slots} slots") }
}

const HEADING: &str =
    "   operations/s   us/operation   per batch    load   waiting   wrong results caught   run again\n";

/// What happened between two readings.
fn line(before: &Statistics, after: &Statistics) -> String {
    let operations = after.operations().saturating_sub(before.operations());
    let seconds = after.running.saturating_sub(before.running).as_secs_f64();
    let device_time = after.device_time.saturating_sub(before.device_time).as_secs_f64();
    let busy = after.busy.saturating_sub(before.busy).as_secs_f64();
    let in_batches = |s: &Statistics| s.private_operations.saturating_add(s.exponentiations);
    let batched = in_batches(after).saturating_sub(in_batches(before));
    let batches = after.batches.saturating_sub(before.batches);
    let of = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    format!(
        "{:>15}{:>15.1}{:>12.1}{:>7.0} %{:>10}{:>23}{:>12}\n",
        rate(of(operations as f64, seconds)),
        of(device_time, operations as f64) * 1e6,
        of(batched as f64, batches as f64),
        of(busy, seconds * after.slots as f64) * 100.0,
        grouped(after.queue),
        grouped(after.faults.saturating_sub(before.faults)),
        grouped(after.retries.saturating_sub(before.retries)),
    )
}
