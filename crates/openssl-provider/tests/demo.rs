// SPDX-License-Identifier: Apache-2.0
//! The demonstration, with a short time for each of its points.

mod support;

use std::process::Command;
use support::{Site, built, run};

#[test]
fn demonstration_measures_1_to_256_callers_and_draws_them() {
    if !support::system_programs() {
        return;
    }
    let site = Site::new();
    let mut demo = Command::new(built().join("examples/demo"));
    demo.arg(built().join("libgarner_provider.so")).arg(site.path("demo.svg")).arg("0.05");
    let said = run(&mut demo);
    let rows: Vec<Vec<f64>> = said
        .lines()
        .map(|line| line.split_whitespace().map_while(|word| word.parse().ok()).collect())
        .filter(|row: &Vec<f64>| row.len() == 7)
        .collect();
    let callers: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(callers, [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0], "{said}");
    // Software and accelerated, blocking and as jobs: all have signed.
    assert!(rows.iter().all(|row| row[1..].iter().all(|rate| *rate > 0.0)), "{said}");
    for part in ["Overall statistics, blocking callers", "Overall statistics, asynchronous jobs", "Device statistics"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let picture = String::from_utf8(site.read("demo.svg")).unwrap();
    for name in ["software, blocking", "accelerated, blocking", "software, jobs", "accelerated, jobs"] {
        assert!(picture.contains(name), "{name}");
    }
}
