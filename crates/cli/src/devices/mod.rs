// SPDX-License-Identifier: Apache-2.0
//! `garner devices`: what can run RSA here. Also which of it a command shall use.

use crate::failure::{Failure, Of};
use crate::machine::kernels;
use crate::output;
use clap::Args;
use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::vectors::{Native, Refused};
use garner::device::{Absence, Cpu, Device, Opening, resolve};
use garner::environment;
use garner::error::Error;
use garner::gather::Config;
use garner_devices::KINDS;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  garner devices            in words
  garner devices --json     for a script
  garner speed --device libcrypto
  garner speed --device vfio-user:/tmp/board0 --device vfio-user:/tmp/board1    both boards";

/// Options of `garner devices`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A device of this machine, or one it could have.
#[derive(Serialize)]
struct Entry {
    name: String,
    present: bool,
    /// Which arithmetic, with how many lanes.
    kernels: String,
    /// Exponentiations it wants at once; a private operation is two. 0, as the bounds, of an absent device.
    batch: usize,
    min_bits: usize,
    max_bits: usize,
    /// Why it is absent, or when it is used, and which of its kernels are not.
    note: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let entries = entries(&garner_devices::config().of("devices")?);
    if arguments.json {
        let text = serde_json::to_string_pretty(&entries).expect("numbers and strings");
        return output::write(&format!("{text}\n"));
    }
    let mut text = String::new();
    writeln!(text, "{:<12}{:<9}{:<16}{:>6}   {:<18}", "device", "present", "kernels", "batch", "modulus")
        .expect(STRING);
    for Entry { name, present, kernels, batch, min_bits, max_bits, note } in &entries {
        let (batch, bits) = match present {
            true => (batch.to_string(), format!("{min_bits} to {max_bits} bits")),
            false => ("-".to_owned(), "-".to_owned()),
        };
        let present = if *present { "yes" } else { "no" };
        writeln!(text, "{name:<12}{present:<9}{kernels:<16}{batch:>6}   {bits:<18}  {note}").expect(STRING);
    }
    text.push_str("\nbatch: how many exponentiations a device wants at once; a private operation is two of them\n");
    output::write(&text)
}

const STRING: &str = "a string takes everything";

/// Which devices a command uses.
#[derive(Args, Debug)]
pub struct Choice {
    /// Device: one that `garner devices` lists, a board, vfio-user:PATH or a PCI address, a GPU, cuda or cuda:N, or
    /// garnerd, which is lent the keys; several times for several [default: auto, all that may be fastest]
    #[arg(long, value_name = "NAME")]
    device: Vec<String>,

    /// A board on which a job takes so long is reset [default: 2 for a card, 120 for vfio-user]
    #[arg(long, value_name = "S", requires = "device", value_parser = parse_seconds)]
    patience: Option<f64>,
}

impl Choice {
    /// The configuration with these devices.
    pub fn config(&self) -> Result<Config, Failure> {
        config(&self.device, self.patience.map(Duration::from_secs_f64))
    }
}

/// A time for `value_parser`.
pub fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=3_600.0).contains(&seconds) => Ok(seconds),
        _ => Err("from 0.001 to 3600 seconds".into()),
    }
}

/// The configuration with the devices wished for, by the names that [`Config::named`] takes, and the CPU for what they
/// cannot take. GPUs are opened at once, for measurements, and boards have the patience asked for.
fn config(wishes: &[String], patience: Option<Duration>) -> Result<Config, Failure> {
    let mut config = garner_devices::config().of("devices")?;
    if wishes.is_empty() || wishes == ["auto"] {
        return Ok(config);
    }
    if wishes == ["libcrypto"] {
        return Ok(Config::with(Arc::new(Libcrypto), Vec::new()));
    }
    let mut present = std::mem::take(&mut config.devices);
    let kind_and_name = |wish: &String| match resolve(KINDS, wish) {
        Some((kind, name)) => (Some(kind), name),
        None => (None, wish.clone()),
    };
    let wishes: Vec<_> = wishes.iter().map(kind_and_name).collect();
    let is_again = |(place, (_, wish)): (usize, &(_, String))| wishes[..place].iter().any(|(_, other)| other == wish);
    if let Some(place) = wishes.iter().enumerate().position(is_again) {
        return Err(Failure::Usage(format!("device {}: named twice", wishes[place].1)));
    }
    let opening = Opening::default().at_once().patience(patience);
    for (kind, wish) in &wishes {
        if let Some(kind) = kind {
            // Its reason begins with the name.
            let device = kind.open(wish, &opening).map_err(|error| match error {
                Error::Argument { reason, .. } => Failure::Environment(format!("device {reason}")),
                error => Failure::Environment(error.to_string()),
            })?;
            config.devices.push(device);
        } else if let Some(index) = present.iter().position(|device| device.name() == *wish) {
            config.devices.push(present.remove(index));
        } else if wish == "cpu" {
            return Err(Failure::Environment(format!("device cpu: {}", no_cpu())));
        } else if wish == "libcrypto" {
            return Err(Failure::Usage("device libcrypto: always used when no other can, or wished for alone".into()));
        } else {
            let known: Vec<String> =
                entries(&garner_devices::config().of("devices")?).into_iter().map(|e| e.name).collect();
            return Err(Failure::Usage(format!("device {wish}: unknown; there are {}", known.join(", "))));
        }
    }
    config.fallback = present.into_iter().filter(|device| device.name() == "cpu").collect();
    Ok(config)
}

fn entries(config: &Config) -> Vec<Entry> {
    let mut entries = Vec::new();
    for device in &config.devices {
        let kernels = match device.name() {
            "cpu" | "libcrypto" => kernels(&*config.arithmetic),
            _ => device.model().unwrap_or_else(|| "-".to_owned()),
        };
        let is_host = matches!(device.name(), "cpu" | "libcrypto");
        let note = if !is_host {
            "used for large batches, after its self-test"
        } else if entries.is_empty() {
            "used first"
        } else {
            "used when those above cannot"
        };
        let refused = if device.name() == "cpu" { refused() } else { String::new() };
        entries.push(entry(&**device, true, kernels, note.to_owned() + &refused));
    }
    if !entries.iter().any(|entry| entry.name == "cpu") {
        entries.push(absent("cpu", no_cpu()));
    }
    for kind in KINDS {
        let is_there = entries.iter().any(|entry| kind.resolve(&entry.name).is_some());
        if !is_there && let Some(Absence { name, reason }) = kind.absence() {
            entries.push(absent(name, reason));
        }
    }
    if !entries.iter().any(|entry| entry.name == "libcrypto") {
        let libcrypto = Cpu::new(Arc::new(Libcrypto));
        let note = if config.devices.is_empty() { "used first" } else { "used when no other can" };
        entries.push(entry(&libcrypto, true, kernels(&Libcrypto), note.to_owned()));
    }
    entries
}

fn absent(name: &str, note: String) -> Entry {
    Entry { name: name.into(), present: false, kernels: "-".into(), batch: 0, min_bits: 0, max_bits: 0, note }
}

fn entry(device: &dyn Device, present: bool, kernels: String, note: String) -> Entry {
    let limits = device.limits();
    Entry {
        name: device.name().to_owned(),
        present,
        kernels,
        batch: device.preferred_batch(),
        min_bits: limits.min_bits,
        max_bits: limits.max_bits,
        note,
    }
}

/// Why the vector kernels are not used.
fn no_cpu() -> String {
    let missing = missing_features();
    if !missing.is_empty() {
        return format!("its kernels need AVX-512 IFMA or at least {}, which this processor lacks", missing.join(", "));
    }
    match environment::variable("GARNER_CPU") {
        Some(wish) => format!("turned off: GARNER_CPU is {}", wish.display()),
        None if !Native::refused().is_empty() => format!("its kernels did not pass their test{}", refused()),
        None => "its kernels did not pass their test, as under an emulator that rounds another way".into(),
    }
}

/// Kernels that gave wrong answers before their first use, and what does their work.
fn refused() -> String {
    let said = |one: &Refused| format!("; {} of {} gave a wrong answer: {} instead", one.kernel, one.way, one.instead);
    Native::refused().iter().map(said).collect()
}

/// What of the least that the kernels need is not there.
#[cfg(target_arch = "x86_64")]
fn missing_features() -> Vec<&'static str> {
    let features = [("AVX2", is_x86_feature_detected!("avx2")), ("FMA", is_x86_feature_detected!("fma"))];
    features.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect()
}

/// What of the least that the kernels need is not there.
#[cfg(not(target_arch = "x86_64"))]
fn missing_features() -> Vec<&'static str> {
    vec!["AVX2"]
}
