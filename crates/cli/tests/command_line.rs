// SPDX-License-Identifier: Apache-2.0
//! Help, exit statuses and errors of every command.

mod common;

use common::{commands, garner, refused, run};
use serde_json::Value;
use std::io;
use std::process::{Command, Stdio};

#[test]
fn every_command_explains_itself_with_examples() {
    let commands = commands();
    for command in commands.iter().map(|command| vec![&command[..], "--help"]).chain([vec!["--help"]]) {
        let outcome = run(&mut garner(&command));
        assert_eq!(outcome.status, 0);
        assert!(outcome.stdout.contains("Usage: garner") && outcome.stdout.contains("Examples:"), "{}", outcome.stdout);
        assert_eq!(outcome.stderr, "");
    }
    assert!(run(&mut garner(&["--help"])).stdout.contains("Exit status:"));
    assert!(run(&mut garner(&["--version"])).stdout.starts_with("garner "));
}

#[test]
fn the_environment_variables_are_listed() {
    let help = run(&mut garner(&["--help"])).stdout;
    let (_, section) = help.split_once("\nEnvironment:\n").unwrap();
    let listed =
        section.lines().take_while(|line| !line.is_empty()).map(|line| line.split_whitespace().next().unwrap());
    let names = ["CPU", "GPU", "KERNELS", "SUMMARY", "SOCKET", "PATIENCE", "METRICS"];
    assert_eq!(listed.collect::<Vec<_>>(), names.map(|name| format!("GARNER_{name}")));
}

#[test]
fn an_unknown_hash_is_answered_with_those_of_the_help() {
    let listed = |text: &str, option: &str| {
        let (_, text) = text.split_once(option).unwrap();
        text.split_once("[possible values: ").unwrap().1.split_once(']').unwrap().0.to_owned()
    };
    for command in ["sign", "verify", "bulk", "encrypt", "decrypt"] {
        let help = run(&mut garner(&[command, "--help"])).stdout;
        for option in ["--hash", "--mgf1-hash"] {
            let refusal = run(&mut garner(&[command, option, "md5"]));
            assert_eq!(refusal.status, 2);
            let option = format!("{option} <NAME>");
            let names = listed(&refusal.stderr, &option);
            assert_eq!(names, listed(&help, &option), "{command}");
            let sha1 = names.starts_with("sha1, ");
            assert_eq!(sha1, !(option.starts_with("--hash") && ["sign", "bulk"].contains(&command)), "{command}");
            assert!(names.contains("sha256, sha384, sha512, sha512-224, sha512-256, sha3-224"), "{names}");
        }
    }
}

#[test]
fn unknown_words_are_refused_by_name() {
    refused(&mut garner(&[]), 2, &["Usage"]);
    refused(&mut garner(&["sped"]), 2, &["sped", "speed"]);
    refused(&mut garner(&["speed", "--bit", "2048"]), 2, &["--bit"]);
    refused(
        &mut garner(&["speed", "--operation", "decript"]),
        2,
        &["decript", "sign, verify, public, exp, decrypt, keygen"],
    );
    refused(
        &mut garner(&["speed", "--device", "abacus"]),
        2,
        &["garner: device abacus: unknown", "cpu, cuda, libcrypto"],
    );
}

#[test]
fn values_out_of_range_are_refused_with_the_range() {
    refused(&mut garner(&["speed", "--bits", "511"]), 2, &["--bits", "RSA-511 is not supported", "512 to 8192"]);
    refused(&mut garner(&["speed", "--bits", "2048,16384"]), 2, &["RSA-16384", "512 to 8192"]);
    refused(&mut garner(&["speed", "--bits", "2k"]), 2, &["not a whole number"]);
    refused(&mut garner(&["speed", "--callers", "0"]), 2, &["--callers", "1 to 4096"]);
    refused(&mut garner(&["speed", "--batch", "99999"]), 2, &["--batch", "16384"]);
    refused(&mut garner(&["speed", "--slots", "0"]), 2, &["--slots", "1 to 1024"]);
    refused(&mut garner(&["speed", "--seconds", "0"]), 2, &["--seconds", "0.001"]);
    refused(&mut garner(&["speed", "--seconds", "nan"]), 2, &["--seconds"]);
    refused(&mut garner(&["stats", "0"]), 2, &["0"]);
}

/// What `garner devices --json` shows of the device of this name.
fn shown(command: &mut Command, name: &str) -> Option<Value> {
    let devices: Vec<Value> = serde_json::from_str(&run(command).stdout).unwrap();
    devices.into_iter().find(|device| device["name"] == name)
}

#[test]
fn devices_are_shown_in_words_and_as_json() {
    let words = run(&mut garner(&["devices"]));
    assert_eq!(words.status, 0);
    assert!(words.stdout.contains("cpu ") && words.stdout.contains("libcrypto "), "{}", words.stdout);
    for line in words.stdout.lines() {
        let bounds = line.contains(" to ") && line.contains(" bits ");
        assert!(!line.contains(" no  ") || !bounds, "an absent device has no bounds: {line}");
    }
    let libcrypto = shown(&mut garner(&["devices", "--json"]), "libcrypto").unwrap();
    assert_eq!(libcrypto["present"], true);
    assert_eq!(libcrypto["max_bits"], 8192);
}

#[test]
fn an_absent_device_is_explained_and_cannot_be_measured() {
    let cpu = shown(garner(&["devices", "--json"]).env("GARNER_CPU", "libcrypto"), "cpu").unwrap();
    assert_eq!(cpu["present"], false);
    let why = cpu["note"].as_str().unwrap();
    assert!(why.contains("GARNER_CPU is libcrypto") || why.contains("AVX-512"), "{why}");
    refused(garner(&["speed", "--device", "cpu"]).env("GARNER_CPU", "libcrypto"), 3, &["garner: device cpu: ", why]);
}

#[test]
fn a_device_named_twice_is_refused() {
    for names in [["cuda", "cuda:0"], ["vfio-user:/board", "vfio-user:/board"]] {
        let command = &["speed", "--device", names[0], "--device", names[1]];
        refused(&mut garner(command), 2, &[&format!("device {}: named twice", names[1])]);
    }
}

#[test]
fn a_board_that_is_not_there_is_named_once() {
    for address in ["vfio-user:/nonexistent/board", "0000:ff:1f.7"] {
        let command = garner(&["speed", "--device", address]).output().unwrap();
        let text = String::from_utf8(command.stderr).unwrap();
        assert!(command.status.code() == Some(3) && text.contains(&format!("garner: device {address}: ")), "{text}");
        assert_eq!(text.matches(address).count(), 1, "{text}");
    }
}

#[test]
fn an_absent_gpu_is_explained_as_the_driver_has_it() {
    let off = shown(garner(&["devices", "--json"]).env("GARNER_GPU", "off"), "cuda").unwrap();
    assert_eq!(off["note"], "turned off: GARNER_GPU is off");
    let Some(absent) = shown(garner(&["devices", "--json"]).env_remove("GARNER_GPU"), "cuda") else {
        return common::left_out("what is said without a GPU: there is one");
    };
    let why = absent["note"].as_str().unwrap();
    refused(garner(&["speed", "--device", "cuda"]).env_remove("GARNER_GPU"), 3, &["garner: device cuda:0: ", why]);
}

#[test]
fn a_setting_that_makes_no_sense_is_refused_by_name() {
    refused(garner(&["devices"]).env("GARNER_CPU", "abacus"), 3, &["GARNER_CPU", "abacus"]);
    refused(garner(&["devices"]).env("GARNER_KERNELS", "abacus"), 3, &["GARNER_KERNELS", "abacus", "two-rows"]);
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    for command in [&["devices"][..], &["--help"], &["speed", "--help"]] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = garner(command).stdout(writer).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    }
}
