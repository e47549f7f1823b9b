// SPDX-License-Identifier: Apache-2.0
//! What garnerd costs and gains. Each row is a number of client processes that sign at the same time, by one transport; rounds of
//! all transports alternate, and the medians are compared.

mod client;
mod run;
mod unbatched;

use clap::{Parser, Subcommand, ValueEnum};
use garner_origin::Origin;
use run::{Bench, Measured, Modules};
use serde::Serialize;
use std::path::PathBuf;

/// How a client has its signatures made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// By OpenSSL, in each process.
    Openssl,
    /// By Garner, in one process with as many threads.
    InProcess,
    /// By garnerd, which holds the key.
    Garnerd,
    /// By Garner in each process, with garnerd as its device, which is lent the key.
    Lent,
    /// By garnerd, which holds the key, through its PKCS#11 module.
    Pkcs11,
    /// By a process that holds the key and has OpenSSL do each operation alone, as neverbleed has.
    Unbatched,
    /// By SoftHSM in each process, through PKCS#11.
    SoftHsm,
}

/// Measures garnerd beside OpenSSL and Garner in each process; JSON on standard output
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    role: Option<Role>,
    /// The daemon's program
    #[arg(long, default_value = "target/release/garnerd")]
    garnerd: PathBuf,
    /// The PKCS#11 module of garnerd's keys
    #[arg(long, default_value = "target/release/libgarner_pkcs11.so")]
    pkcs11: PathBuf,
    /// SoftHSM's PKCS#11 module; left out where it is not there
    #[arg(long, default_value = "/usr/lib/softhsm/libsofthsm2.so")]
    softhsm: PathBuf,
    /// Seconds of each round
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Rounds of each row, of which the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Numbers of client processes
    #[arg(long, value_delimiter = ',', default_value = "1,2,4,8,16")]
    clients: Vec<usize>,
    /// Lengths of the modulus
    #[arg(long, value_delimiter = ',', default_value = "2048")]
    bits: Vec<u32>,
}

#[derive(Subcommand)]
enum Role {
    /// One client process of a measurement
    #[command(hide = true)]
    Client(client::Arguments),
    /// The process that holds the key of transport `unbatched`
    #[command(hide = true)]
    Unbatched(unbatched::Arguments),
}

#[derive(Serialize)]
struct Row {
    op: &'static str,
    bits: u32,
    clients: usize,
    transport: Transport,
    garner_per_s: f64,
    baseline: Transport,
    baseline_per_s: f64,
    ratio: f64,
    p50_us: f64,
    p99_us: f64,
    cpu_us: f64,
    checked: u64,
}

#[derive(Serialize)]
struct Machine {
    cpu: String,
    cores: usize,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    origin: Origin,
    machine: Machine,
    command: String,
    rows: Vec<Row>,
}

fn main() {
    let arguments = Arguments::parse();
    match &arguments.role {
        Some(Role::Client(client)) => {
            println!("{}", serde_json::to_string(&client::run(client)).expect("plain data"));
            return;
        }
        Some(Role::Unbatched(server)) => return unbatched::serve(server),
        None => {}
    }
    let (origin, mut rows) = (Origin::now(), Vec::new());
    for &bits in &arguments.bits {
        let modules = Modules { pkcs11: arguments.pkcs11.clone(), softhsm: arguments.softhsm.clone() };
        let bench = Bench::new(bits, &arguments.garnerd, modules, arguments.seconds);
        for &clients in &arguments.clients {
            let measured = bench.measure(clients, arguments.rounds);
            rows.extend(of(bits, clients, &measured));
        }
    }
    let command = std::env::args().collect::<Vec<_>>().join(" ");
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let report = Report { origin, machine: Machine { cpu: processor(), cores }, command, rows };
    println!("{}", serde_json::to_string_pretty(&report).expect("plain data"));
}

/// Each transport beside OpenSSL in each process, and the daemon beside Garner in one process, too.
fn of(bits: u32, clients: usize, measured: &[(Transport, Measured)]) -> Vec<Row> {
    let find = |wanted| measured.iter().find(|(transport, _)| *transport == wanted).map(|(_, measured)| measured);
    let row = |(transport, baseline)| {
        let (ours, theirs): (&Measured, &Measured) = (find(transport)?, find(baseline)?);
        Some(Row {
            op: "sign",
            bits,
            clients,
            transport,
            garner_per_s: ours.per_s,
            baseline,
            baseline_per_s: theirs.per_s,
            ratio: ours.per_s / theirs.per_s,
            p50_us: ours.p50_us,
            p99_us: ours.p99_us,
            cpu_us: ours.cpu_us,
            checked: ours.checked,
        })
    };
    let rows = [
        (Transport::Garnerd, Transport::Openssl),
        (Transport::Garnerd, Transport::InProcess),
        (Transport::Lent, Transport::Openssl),
        (Transport::Lent, Transport::Garnerd),
        (Transport::Pkcs11, Transport::Garnerd),
        (Transport::Pkcs11, Transport::SoftHsm),
        (Transport::InProcess, Transport::Openssl),
        (Transport::Garnerd, Transport::Unbatched),
        (Transport::Unbatched, Transport::Openssl),
        (Transport::SoftHsm, Transport::Openssl),
        (Transport::Openssl, Transport::Openssl),
    ];
    rows.into_iter().filter_map(row).collect()
}

/// The processor's name, as the kernel has it.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    line.map_or_else(|| "unknown".to_owned(), |(_, name)| name.to_owned())
}
