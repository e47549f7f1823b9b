// SPDX-License-Identifier: Apache-2.0
//! The systemd drop-in that comes with Garner: systemd knows every line of it. The servers' configurations are in
//! `programs.rs`, where the servers run with them.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

fn drop_in() -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/samples/systemd.conf")).unwrap()
}

/// What systemd says of a service with this drop-in; none where there is no systemd.
fn verdict(drop_in: &str) -> Option<String> {
    let units = Path::new(env!("CARGO_TARGET_TMPDIR")).join("units");
    let service = units.join("some.service");
    fs::create_dir_all(units.join("some.service.d")).unwrap();
    fs::write(&service, "[Unit]\nDescription=some\n[Service]\nExecStart=/bin/true\n").unwrap();
    fs::write(units.join("some.service.d/garner.conf"), drop_in).unwrap();
    // Only this folder: other units of the machine may be wrong.
    let mut analyze = Command::new("systemd-analyze");
    analyze.env("SYSTEMD_UNIT_PATH", &units).args(["verify", "--man=no", "--recursive-errors=no"]);
    let output = analyze.arg(service).output().ok()?;
    let said = [output.stdout, output.stderr].concat();
    let lines = String::from_utf8_lossy(&said)
        .lines()
        .filter(|line| line.contains("garner.conf"))
        .collect::<Vec<_>>()
        .join("\n");
    Some(lines)
}

#[test]
fn systemd_knows_every_line_of_the_drop_in() {
    let text = drop_in();
    match verdict(&text) {
        Some(said) => {
            assert_eq!(said, "");
            let wrong = verdict(&text.replace("LimitMEMLOCK=", "LimitMEMLOK=")).unwrap();
            assert!(wrong.contains("LimitMEMLOK"), "systemd did not look: {wrong:?}");
        }
        None => support::left_out("systemd's own verdict: there is no systemd-analyze"),
    }
    let settings: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    assert_eq!(settings[0], "[Service]");
    let known =
        ["Environment=OPENSSL_CONF=/usr/share/garner/openssl.cnf", "Environment=GARNER_SUMMARY=", "LimitMEMLOCK="];
    assert_eq!(settings.len() - 1, known.len(), "{settings:?}");
    for (setting, known) in settings[1..].iter().zip(known) {
        assert!(setting.starts_with(known), "{setting}");
    }
}
