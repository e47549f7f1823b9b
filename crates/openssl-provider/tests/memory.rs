// SPDX-License-Identifier: Apache-2.0
//! The provider in a process that runs out of memory: `tests/c/memory` at many points, each in a process of its own. None may
//! be ended by a signal, none may hang, none may see a wrong answer, and all must work again when there is memory.

mod support;

use std::fs;
use std::process::Command;
use support::{Site, compile_out_of_memory, ends, run, words};

/// A folder with the module, a key, and what OpenSSL made with it.
fn site(bits: usize) -> Site {
    let site = Site::new();
    let openssl = |arguments: &str| run(site.plain("openssl").args(words(arguments)));
    site.write("message", b"a message of no importance");
    openssl(&format!("genrsa -out key.pem {bits}"));
    openssl("dgst -sha256 -sign key.pem -out signature message");
    openssl("pkeyutl -encrypt -inkey key.pem -pkeyopt rsa_padding_mode:oaep -in message -out ciphertext");
    site
}

/// Runs out of memory as the program's documentation says; returns the most bytes of the reserve that a process used.
#[track_caller]
fn runs_out(site: &Site, who: &str, what: &str, points: usize) -> u64 {
    let program = compile_out_of_memory("memory");
    let mut command = site.garner(program.to_str().unwrap());
    command.args([".", "garner.so", who, what, &points.to_string()]).env_remove("GARNER_SUMMARY");
    let text = run(&mut command);
    let used = text.split_whitespace().filter_map(|word| word.split_once('/')?.1.parse().ok());
    used.max().expect("a process")
}

/// Lets each allocation of each operation fail, after `before` of them by a key of so many primes.
#[track_caller]
fn each_allocation_fails(site: &Site, primes: usize, before: usize) {
    site.write("message", b"a message of no importance");
    run(site.plain("openssl").args(words(&format!("genrsa -primes {primes} -out key.pem 1024"))));
    let program = compile_out_of_memory("each_allocation");
    let mut command = site.garner(program.to_str().unwrap());
    let text = run(command.args([".", &before.to_string()]).env_remove("GARNER_SUMMARY"));
    assert!(text.lines().count() == 10 && !text.contains(": 0 of "), "there was no want of memory:\n{text}");
}

#[test]
fn allocations_of_the_module_fail_one_at_a_time_or_all_from_there_on() {
    let used = runs_out(&site(2048), "module", "loaded", 100);
    assert!(used > 0, "the reserve was not needed");
}

#[test]
fn allocations_of_the_whole_process_fail() {
    runs_out(&site(2048), "everybody", "warm", 100);
}

#[test]
fn address_space_is_limited_or_all_memory_taken() {
    let site = site(2048);
    runs_out(&site, "limit", "warm", 25);
    runs_out(&site, "starved", "warm", 25);
}

#[test]
fn openssl_draws_no_blinding_anew_that_want_of_memory_would_make_wrong() {
    // Garner leaves keys of three primes to OpenSSL.
    each_allocation_fails(&Site::new(), 3, 32);
}

#[test]
fn no_operation_that_lacks_memory_gives_a_wrong_result() {
    each_allocation_fails(&Site::new(), 2, 1);
    each_allocation_fails(&Site::slow(), 2, 1);
}

#[test]
fn largest_keys_need_no_more_than_a_thread_is_promised() {
    let used = runs_out(&site(8192), "module", "alone", 2);
    let promised = garner_reserve::THREAD as u64;
    assert!((1..promised).contains(&used), "{used} bytes were used, {promised} are promised");
}

#[test]
fn openssl_signs_or_refuses_under_any_limit_of_its_address_space() {
    let site = site(2048);
    let sign = |kilobytes: usize, signature: &str| {
        // It may try to say for ever that it has no memory.
        let text = format!(
            "ulimit -v {kilobytes}; exec timeout 10 openssl dgst -sha256 -sign key.pem -out {signature} message 2>/dev/null"
        );
        let mut command: Command = site.garner("sh");
        let status = ends(command.env_remove("GARNER_SUMMARY").args(["-c", &text])).status;
        assert!(matches!(status.code(), Some(0 | 1 | 124 | 127)), "{kilobytes} kB: {status}");
        status.success().then(|| fs::read(site.path(signature)).unwrap())
    };
    let expected = site.read("signature");
    let mut signed = 0;
    for kilobytes in (10_000..50_000).step_by(1_000) {
        if let Some(signature) = sign(kilobytes, "made") {
            assert!(signature == expected, "{kilobytes} kB: a wrong signature");
            signed += 1;
        }
    }
    assert!(signed > 30, "{signed} of 40 signed");
}
