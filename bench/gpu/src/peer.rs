// SPDX-License-Identifier: Apache-2.0
//! Another library's rates on the same GPU, and ours beside them.

use crate::report::Row;
use std::path::Path;

#[derive(serde::Deserialize)]
struct Peer {
    name: String,
    rows: Vec<PeerRow>,
}

#[derive(serde::Deserialize)]
struct PeerRow {
    bits: usize,
    per_s: f64,
}

/// How our kernels stand to the peer's, whose moduli are mixed: with mixed keys, then with one, which it does not know of.
///
/// # Errors
/// The file is not there, or is no peer's.
pub fn compare(file: &Path, rows: &[Row]) -> Result<Vec<String>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
    let peer: Peer = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    let mut lines = Vec::new();
    for PeerRow { bits, per_s } in &peer.rows {
        for (keys, one_key) in [("mixed keys", false), ("one key", true)] {
            let ours = rows.iter().filter(|row| row.op == "kernel" && row.bits == *bits && row.one_key == one_key);
            let ours = ours.map(|row| row.garner_per_s).fold(0.0, f64::max);
            let (name, ratio) = (&peer.name, ours / per_s);
            lines.push(format!("RSA-{bits}, {keys}: {ours:.0}/s against {per_s:.0}/s of {name}: {ratio:.2}"));
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_compared_with_mixed_keys_and_with_one_by_itself() {
        let file = std::env::temp_dir().join(format!("garner-peer-{}.json", std::process::id()));
        std::fs::write(&file, r#"{"name": "P", "rows": [{"bits": 2048, "per_s": 100}]}"#).unwrap();
        let row = |one_key, garner_per_s| Row { op: "kernel", bits: 2048, one_key, garner_per_s, ..Row::default() };
        let lines = compare(&file, &[row(false, 150.0), row(true, 300.0)]).unwrap();
        std::fs::remove_file(&file).unwrap();
        let expected = [
            "RSA-2048, mixed keys: 150/s against 100/s of P: 1.50",
            "RSA-2048, one key: 300/s against 100/s of P: 3.00",
        ];
        assert_eq!(lines, expected);
    }
}
