// SPDX-License-Identifier: Apache-2.0
//! The tables of docs/performance.md, each of the rows of its data.

pub mod processes;

use serde_json::Value;
use std::collections::BTreeSet;

/// A table's line for people: its name, and a cell for each of `columns`.
fn line<T: Copy>(name: &str, columns: &[T], cell: impl Fn(T) -> String) -> String {
    let cells: Vec<String> = columns.iter().map(|&column| cell(column)).collect();
    format!("| {name} | {} |\n", cells.join(" | "))
}

fn head(name: &str, columns: &[u64]) -> String {
    line(name, columns, |column| column.to_string()) + &"|---".repeat(columns.len() + 1) + "|\n"
}

/// The row of these figures.
#[track_caller]
fn row<'a>(rows: &'a [Value], op: &str, bits: u64, (callers, batch): (u64, u64), baseline: &str) -> &'a Value {
    let is_it = |row: &&Value| {
        row["op"] == op
            && row["bits"] == bits
            && row["callers"] == callers
            && row["batch"] == batch
            && row["baseline"] == baseline
    };
    rows.iter().find(is_it).unwrap_or_else(|| panic!("{op} {bits} {callers} {batch} {baseline}"))
}

/// The values of a field, in order, each once.
fn values(rows: &[Value], field: &str) -> Vec<u64> {
    rows.iter().filter_map(|row| row[field].as_u64()).collect::<BTreeSet<u64>>().into_iter().collect()
}

/// The systems of an operation, as `OpenSSL 3.0.19`, in the order of the rows.
fn systems(rows: &[Value], op: &str) -> Vec<String> {
    let mut systems: Vec<String> = Vec::new();
    for row in rows.iter().filter(|row| row["op"] == op) {
        let name = row["baseline"].as_str().unwrap();
        if !systems.iter().any(|system| system == name) {
            systems.push(name.to_owned());
        }
    }
    systems
}

fn version(system: &str) -> &str {
    system.trim_start_matches("OpenSSL ")
}

fn whole(value: &Value) -> String {
    let digits = format!("{:.0}", value.as_f64().unwrap());
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(",")
}

fn two(value: f64) -> String {
    match value {
        small if small < 0.995 => format!("{small:.2}"),
        few if few < 9.95 => format!("{few:.1}"),
        many => format!("{many:.0}"),
    }
}

fn ratio(value: &Value) -> String {
    format!("{:.2}", value["ratio"].as_f64().unwrap())
}

fn milliseconds(row: &Value, fields: [&str; 2]) -> String {
    fields.map(|field| two(row[field].as_f64().unwrap() / 1e3)).join(" / ")
}

/// Whole batches, all sizes.
pub fn batches(rows: &[Value]) -> String {
    let sizes = values(rows, "bits");
    let shape = (1, values(rows, "batch").into_iter().max().unwrap());
    let mut table = head(&format!("whole batches of {}", shape.1), &sizes);
    for (op, name) in [("sign", "sign/s"), ("public", "public operations/s")] {
        let systems = systems(rows, op);
        let at = |bits, system: &str| row(rows, op, bits, shape, system);
        table += &line(name, &sizes, |bits| whole(&at(bits, &systems[0])["garner_per_s"]));
        for system in &systems {
            table += &line(&format!("against {}", version(system)), &sizes, |bits| ratio(at(bits, system)));
        }
    }
    table
}

/// One core and two, by callers.
pub fn callers(one: &[Value], all: &[Value]) -> String {
    let alone: Vec<Value> = one.iter().filter(|row| row["batch"] == 1).cloned().collect();
    let columns = values(&alone, "callers");
    let system = &systems(one, "sign")[0];
    let name = version(system);
    let at = |rows, callers| row(rows, "sign", 2048, (callers, 1), system);
    let first = at(one, columns[0])["garner_per_s"].as_f64().unwrap();
    let gain = |callers| format!("{:.2}", at(one, callers)["garner_per_s"].as_f64().unwrap() / first);
    let fill = |callers| at(one, callers)["fill"].as_f64().map_or("-".to_owned(), |fill| format!("{fill:.1}"));
    let ours = |rows, callers| milliseconds(at(rows, callers), ["p50_us", "p99_us"]);
    let theirs = |callers| milliseconds(at(one, callers), ["baseline_p50_us", "baseline_p99_us"]);
    [
        head("RSA-2048 sign, callers", &columns),
        line("sign/s", &columns, |callers| whole(&at(one, callers)["garner_per_s"])),
        line(&format!("against the same threads calling {name}"), &columns, |callers| ratio(at(one, callers))),
        line("gain over one caller", &columns, gain),
        line("p50 / p99, ms", &columns, |callers| ours(one, callers)),
        line(&format!("the same of {name}"), &columns, theirs),
        line("fill", &columns, fill),
        line("two cores, sign/s", &columns, |callers| whole(&at(all, callers)["garner_per_s"])),
        line(&format!("two cores, against {name}"), &columns, |callers| ratio(at(all, callers))),
        line("two cores, p50 / p99, ms", &columns, |callers| ours(all, callers)),
    ]
    .concat()
}

/// Beside Intel's library.
pub fn crypto_mb(rows: &[Value]) -> String {
    let sizes = values(rows, "bits");
    let system = systems(rows, "sign").into_iter().find(|system| system.starts_with("crypto_mb")).unwrap();
    let shape = (1, values(rows, "batch").into_iter().max().unwrap());
    let at = |op, bits, shape| row(rows, op, bits, shape, &system);
    let alone = "one signature alone (crypto_mb: a call with seven lanes for nothing), ratio";
    [
        head("whole batches, Garner's blinded and checked", &sizes),
        line("sign/s, Garner in batches of 64", &sizes, |bits| whole(&at("sign", bits, shape)["garner_per_s"])),
        line("sign/s, crypto_mb in calls of 8", &sizes, |bits| whole(&at("sign", bits, shape)["baseline_per_s"])),
        line("ratio", &sizes, |bits| ratio(at("sign", bits, shape))),
        line("verify, ratio", &sizes, |bits| ratio(at("verify", bits, shape))),
        line(alone, &sizes, |bits| format!("{:.1}", at("latency", bits, (1, 1))["ratio"].as_f64().unwrap())),
    ]
    .concat()
}

/// One signature at a time, and its time relative to others'.
pub fn latency(rows: &[Value]) -> String {
    let sizes = values(rows, "bits");
    let systems = systems(rows, "latency");
    let at = |bits, system: &str| row(rows, "latency", bits, (1, 1), system);
    let time = |bits| match at(bits, &systems[0])["p50_us"].as_f64().unwrap() {
        short if short < 999.5 => format!("{short:.0} us"),
        long => format!("{:.2} ms", long / 1e3),
    };
    let mut table = head("", &sizes).replace("|  |", "| |") + &line("p50", &sizes, time);
    for system in &systems {
        let relative = |bits| format!("{:.2}", 1.0 / at(bits, system)["ratio"].as_f64().unwrap());
        table += &line(&format!("against {}", version(system)), &sizes, relative);
    }
    table
}

/// New keys.
pub fn keygen(rows: &[Value]) -> String {
    let sizes = values(rows, "bits");
    let systems = systems(rows, "keygen");
    let many = (1, values(rows, "batch").into_iter().max().unwrap());
    let mut table = head("", &sizes).replace("|  |", "| |");
    for (name, shape) in [("many keys asked for, ms a key", many), ("one key alone, mean, ms", (1, 1))] {
        let at = |bits, system: &str| row(rows, "keygen", bits, shape, system);
        table += &line(name, &sizes, |bits| two(1e3 / at(bits, &systems[0])["garner_per_s"].as_f64().unwrap()));
        for system in &systems {
            let ratio = |bits| two(at(bits, system)["ratio"].as_f64().unwrap());
            table += &line(&format!("against {}", version(system)), &sizes, ratio);
        }
    }
    for (name, field) in [
        ("candidates that passed the sieve, a key", "survivors_per_key"),
        ("primality tests a key", "primality_tests_per_key"),
    ] {
        let of = |bits| &row(rows, "keygen", bits, many, &systems[0])[field];
        table += &line(name, &sizes, |bits| whole(of(bits)));
    }
    table
}

/// Bulk signing, round by round.
pub fn bulk(result: &Value) -> String {
    let rounds = result["rounds"].as_array().unwrap();
    let columns: Vec<u64> = (1..=rounds.len() as u64).collect();
    let figure = |round: u64, field: &str| &rounds[round as usize - 1][field];
    let share = |round| format!("{:.1} %", 100.0 * figure(round, "share").as_f64().unwrap());
    let memory = |round| format!("{:.1}", figure(round, "peak_memory_kib").as_f64().unwrap() / 1024.0);
    [
        head("round", &columns),
        line("`garner bulk`, signatures/s", &columns, |round| whole(figure(round, "bulk_per_s"))),
        line("whole batches, sign/s", &columns, |round| whole(figure(round, "batches_per_s"))),
        line("share", &columns, share),
        line("peak memory, MiB", &columns, memory),
    ]
    .concat()
}

/// The row of a program under OpenSSL.
#[track_caller]
fn named<'a>(rows: &'a [Value], name: &str) -> &'a Value {
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name}"))
}

/// Programs that sign and verify, SIZE standing for a key's.
const PROGRAMS: [(&str, &str); 14] = [
    ("`openssl speed`, one core", "openssl speed, rsaSIZE, sign/s, one core"),
    ("`openssl speed -async_jobs 64`, one core", "openssl speed -async_jobs 64, rsaSIZE, sign/s, one core"),
    ("the same, Garner's executors on both cores", "openssl speed -async_jobs 64, rsaSIZE, sign/s"),
    ("EVP, one core, 1 thread", "EVP, 1 threads, rsaSIZE, sign/s, one core"),
    ("2 threads", "EVP, 2 threads, rsaSIZE, sign/s, one core"),
    ("4 threads", "EVP, 4 threads, rsaSIZE, sign/s, one core"),
    ("8 threads", "EVP, 8 threads, rsaSIZE, sign/s, one core"),
    ("64 threads", "EVP, 64 threads, rsaSIZE, sign/s, one core"),
    ("EVP, two cores, 2 threads", "EVP, 2 threads, rsaSIZE, sign/s"),
    ("4 threads", "EVP, 4 threads, rsaSIZE, sign/s"),
    ("8 threads", "EVP, 8 threads, rsaSIZE, sign/s"),
    ("64 threads", "EVP, 64 threads, rsaSIZE, sign/s"),
    ("64 jobs on two threads", "EVP, 64 jobs, rsaSIZE, sign/s"),
    ("verifications, `openssl speed`, one core", "openssl speed, rsaSIZE, verify/s, one core"),
];

/// Programs under OpenSSL without Garner and with it.
pub fn programs(rows: &[Value]) -> String {
    let mut table =
        "| | 2048: OpenSSL / Garner | ratio | 3072 | ratio | 4096 | ratio |\n|---|---|---|---|---|---|---|\n"
            .to_owned();
    for (label, name) in PROGRAMS {
        let cell = |size: &str| {
            let row = named(rows, &name.replace("SIZE", size));
            format!("{} / {} | {}", whole(&row["openssl"]), whole(&row["garner"]), ratio(row))
        };
        table += &line(label, &["2048", "3072", "4096"], cell);
    }
    table
}

/// A signer of zones, and servers.
pub fn servers(rows: &[Value]) -> String {
    let table = [
        (
            "`dnssec-signzone -n 16`, RSA-2048, 10,000 names, processor seconds",
            "dnssec-signzone -n 16, 10000 names, CPU s",
        ),
        ("the same, seconds", "dnssec-signzone -n 16, 10000 names, s"),
        (
            "nginx, 2 workers, TLS 1.3, 64 clients, full handshakes/s",
            "nginx, 2 workers, TLS 1.3, 64 clients, handshakes/s",
        ),
        (
            "the same, processor time of the server a handshake, us",
            "nginx, 2 workers, TLS 1.3, 64 clients, CPU us each",
        ),
        (
            "HAProxy with `ssl-mode-async`, 2 threads, the same clients, handshakes/s",
            "HAProxy, async, 2 threads, TLS 1.3, 64 clients, handshakes/s",
        ),
        (
            "the same, processor time of the server a handshake, us",
            "HAProxy, async, 2 threads, TLS 1.3, 64 clients, CPU us each",
        ),
    ];
    let figure = |value: &Value| match value.as_f64().unwrap() {
        few if few < 9.95 => two(few),
        _ => whole(value),
    };
    let lines = table.map(|(label, name)| {
        let row = named(rows, name);
        format!("| {label} | {} | {} | {} |\n", figure(&row["openssl"]), figure(&row["garner"]), ratio(row))
    });
    format!("| | OpenSSL | Garner | ratio |\n|---|---|---|---|\n{}", lines.concat())
}
