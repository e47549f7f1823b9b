// SPDX-License-Identifier: Apache-2.0
//! What `openssl.cnf` may say, what happens when it is wrong, and what the provider tells of itself.

mod support;

use std::fs;
use std::process::Command;
use support::{Site, compile, ends, run, words};

const SIGN: &str = "dgst -sha256 -sign key.pem -out signature message";

/// A site with a key and a message.
fn with_key(site: Site) -> Site {
    run(site.plain("openssl").args(words("genpkey -algorithm RSA -out key.pem")));
    site.write("message", b"a message\n");
    site
}

#[test]
fn list_shows_the_provider_its_version_and_its_figures() {
    let site = Site::new();
    let said = run(site.garner("openssl").args(words("list -providers -verbose")));
    assert!(said.contains(&format!("name: Garner\n    version: {}", env!("CARGO_PKG_VERSION"))), "{said}");
    for figure in ["operations", "total-time", "average-time", "average-load", "private-operations", "faults"] {
        assert!(said.contains(&format!("      {figure}: ")), "{figure} in {said}");
    }
    let summary = String::from_utf8(site.read("summary")).unwrap();
    assert!(summary.contains(" operations=0 "), "a count: {summary}");
    let said = run(site.garner("openssl").args(words("list -signature-algorithms -provider garner")));
    assert!(said.contains("@ garner"), "{said}");
}

#[test]
fn removing_the_line_removes_it() {
    let site = with_key(Site::new());
    let text = fs::read_to_string(site.path("openssl.cnf")).unwrap();
    site.write("openssl.cnf", text.replace("garner = garner_provider\n", "").as_bytes());
    let said = run(site.garner("openssl").args(words("list -providers")));
    assert!(!said.contains("arner") && said.contains("default"), "{said}");
    run(site.garner("openssl").args(words(SIGN)));
    assert_eq!(site.figures().get("private-operations"), 0);
}

#[test]
fn wrong_settings_are_refused_in_words_and_openssl_goes_on() {
    for (setting, reason) in [
        ("slots = many", "garner: slots = many: must be a whole number from 1 to 4096"),
        ("slots = 0", "garner: slots = 0: must be a whole number from 1 to 4096"),
        (
            "device = toaster",
            "garner: device = toaster: must be auto, cpu, libcrypto, cuda:N, garnerd, or the address of a board",
        ),
        ("queue_limit = -3", "garner: queue_limit = -3: must be a whole number from 1 to 16777216"),
    ] {
        let site = with_key(Site::with(setting));
        let output = ends(site.garner("openssl").args(words(SIGN)));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert!(said.contains(reason) && said.contains("OpenSSL goes on without Garner"), "{said}");
        assert_eq!(site.figures().get("private-operations"), 0);
    }
}

#[test]
fn settings_reach_the_gatherer() {
    let site = with_key(Site::with("device = libcrypto\nslots = 3"));
    run(site.garner("openssl").args(words(SIGN)));
    let figures = site.figures();
    figures.private_at_least(1);
    assert_eq!(figures.get("slots"), 3);
}

#[test]
fn full_queue_is_no_error() {
    let site = Site::with("queue_limit = 1\nslots = 1\ndevice = libcrypto");
    let program = compile("evp");
    run(site.garner(program.to_str().unwrap()).args(words("jobs 2 8 2")));
    site.figures().private_at_least(1);
}

#[test]
fn without_a_device_that_beats_openssl_nothing_is_offered_and_nothing_fails() {
    let site = with_key(Site::with(""));
    run(site.garner("openssl").args(words(SIGN)).env("GARNER_CPU", "libcrypto"));
    assert_eq!(site.figures().get("private-operations"), 0);
    let mut list = site.garner("openssl");
    let said = run(list.args(words("list -signature-algorithms")).env("GARNER_CPU", "libcrypto"));
    assert!(!said.contains("@ garner"), "{said}");
}

#[test]
fn module_that_is_not_there_is_no_error() {
    let site = with_key(Site::new());
    run(site.garner("openssl").args(words(SIGN)).env("OPENSSL_MODULES", "/nowhere"));
}

/// In a folder that is open to all, others may have put something in the summary's place.
#[test]
fn summary_waits_at_no_pipe_and_goes_through_no_link() {
    let site = Site::new();
    run(site.plain("openssl").args(words("genrsa -out key.pem 2048")));
    let victim = site.write("victim", b"as it was");
    assert!(Command::new("mkfifo").arg(site.path("pipe")).status().unwrap().success());
    std::os::unix::fs::symlink(&victim, site.path("link")).unwrap();
    std::os::unix::fs::symlink(site.path("nothing"), site.path("dangling")).unwrap();
    fs::hard_link(&victim, site.path("second")).unwrap();
    for name in ["pipe", "link", "dangling", "second", "good"] {
        let mut sign = site.garner("timeout");
        sign.env("GARNER_SUMMARY", site.path(name))
            .args(words("10 openssl dgst -sha256 -sign key.pem -out signature key.pem"));
        run(&mut sign);
    }
    assert_eq!(site.read("victim"), b"as it was");
    assert!(!site.path("nothing").exists());
    assert!(String::from_utf8(site.read("good")).unwrap().starts_with("garner: pid="));
}
