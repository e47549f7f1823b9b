// SPDX-License-Identifier: Apache-2.0
//! The tables of docs/daemon.md and docs/python.md, each of the rows of its data.

use super::{ratio, values, whole};
use serde_json::Value;

/// The row of a transport at so many clients, against this baseline.
#[track_caller]
fn at<'a>(rows: &'a [Value], clients: u64, transport: &str, baseline: &str) -> &'a Value {
    let is_it = |row: &&Value| {
        row["clients"] == clients
            && row["transport"] == transport
            && (baseline.is_empty() || row["baseline"] == baseline)
    };
    rows.iter().find(is_it).unwrap_or_else(|| panic!("{clients} {transport} {baseline}"))
}

/// One transport's rate over another's.
fn over(rows: &[Value], clients: u64, transport: &str, other: &str) -> String {
    let rate = |name| at(rows, clients, name, "")["garner_per_s"].as_f64().unwrap();
    format!("{:.2}", rate(transport) / rate(other))
}

/// A field of several transports.
fn each(rows: &[Value], clients: u64, transports: &[&str], field: &str) -> String {
    let cells: Vec<String> = transports.iter().map(|name| whole(&at(rows, clients, name, "")[field])).collect();
    cells.join(" / ")
}

/// garnerd's held keys by clients.
pub fn daemon(rows: &[Value]) -> String {
    let mut table = "| clients | garnerd: operations/s | of one process | of OpenSSL | of a socket without batches | time of an \
                     operation, us: garnerd / one process / OpenSSL | p50, us: garnerd / one process |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    for clients in values(rows, "clients") {
        table += &format!(
            "| {clients} | {} | {} | {} | {} | {} | {} |\n",
            whole(&at(rows, clients, "garnerd", "")["garner_per_s"]),
            ratio(at(rows, clients, "garnerd", "in-process")),
            ratio(at(rows, clients, "garnerd", "openssl")),
            over(rows, clients, "garnerd", "unbatched"),
            each(rows, clients, &["garnerd", "in-process", "openssl"], "cpu_us"),
            each(rows, clients, &["garnerd", "in-process"], "p50_us"),
        );
    }
    table
}

/// All ways of the most clients.
pub fn transports(rows: &[Value]) -> String {
    let clients = values(rows, "clients").into_iter().max().unwrap();
    let mut table = format!(
        "| {clients} clients | operations/s | of one process | of OpenSSL | time of an operation, us |\n|---|---|---|---|---|\n"
    );
    for (transport, name) in [
        ("garnerd", "garnerd, which holds the key"),
        ("pkcs11", "the same through its PKCS#11 module"),
        ("lent", "garnerd, which is lent the key"),
        ("in-process", "Garner in one process"),
        ("unbatched", "a socket without batches"),
        ("openssl", "OpenSSL in each process"),
        ("soft-hsm", "SoftHSM in each process, through PKCS#11"),
    ] {
        table += &format!(
            "| {name} | {} | {} | {} | {} |\n",
            whole(&at(rows, clients, transport, "")["garner_per_s"]),
            over(rows, clients, transport, "in-process"),
            over(rows, clients, transport, "openssl"),
            whole(&at(rows, clients, transport, "")["cpu_us"]),
        );
    }
    table
}

/// The Python module beside pyca/cryptography.
pub fn python(rows: &[Value]) -> String {
    let mut table =
        "| callers | Garner, signatures/s | cryptography, signatures/s | by | ratio |\n|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        let theirs = row["baseline"].as_str().unwrap().trim_start_matches("cryptography, ");
        table += &format!(
            "| {} | {} | {} | {theirs} | {} |\n",
            row["transport"].as_str().unwrap(),
            whole(&row["garner_per_s"]),
            whole(&row["baseline_per_s"]),
            ratio(row),
        );
    }
    table
}
