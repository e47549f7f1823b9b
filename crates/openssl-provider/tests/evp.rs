// SPDX-License-Identifier: Apache-2.0
//! `tests/c/evp`, an EVP program that knows nothing of Garner, with Garner in its configuration.

mod support;

use std::process::Command;
use std::thread;
use support::{Site, compile, compile_static, ends, run, words};

fn evp(site: &Site, arguments: &str) -> String {
    let program = compile("evp");
    run(site.garner(program.to_str().unwrap()).args(words(arguments)))
}

/// What a program says is left behind: descriptors and bytes. Without the allocator's cache of freed memory, which would
/// count as held: a fifth of a megabyte.
fn left_behind(site: &Site, arguments: &str) -> (i64, i64) {
    let program = compile("evp");
    let mut command = site.garner(program.to_str().unwrap());
    let text = run(command.args(words(arguments)).env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0"));
    let number = |name: &str| {
        let found = text.split_whitespace().find_map(|word| word.strip_prefix(name)).expect("figures");
        found.parse::<i64>().unwrap()
    };
    (number("descriptors="), number("bytes="))
}

#[test]
fn blocking_threads_get_right_answers_and_share_batches() {
    let site = Site::new();
    evp(&site, "threads 16 10");
    let figures = site.figures();
    figures.private_at_least(320);
    assert!(!support::accelerated() || figures.get("batches") < figures.get("private-operations"));
    assert_eq!(figures.get("faults"), 0);
}

#[test]
fn jobs_of_many_threads_pause_and_are_resumed_with_right_answers() {
    let site = Site::new();
    evp(&site, "jobs 3 16 4");
    let figures = site.figures();
    figures.private_at_least(384);
    // Each job verifies as often, without pausing.
    assert!(figures.get("public-operations") >= 384);
}

#[test]
fn key_generation_encryption_and_verification_inside_a_job_find_room_on_the_stack() {
    let site = Site::new();
    evp(&site, "other");
    let figures = site.figures();
    // One key before the job; the judge's encryption is not ours.
    assert_eq!((figures.get("keys-generated"), figures.get("private-operations")), (2, 2));
    assert!(figures.get("public-operations") >= 2);
}

#[test]
fn jobs_that_share_a_wait_context_all_get_their_answers() {
    let site = Site::new();
    evp(&site, "shared 16 8");
    site.figures().private_at_least(256);
}

#[test]
fn jobs_are_woken_by_the_callback_of_their_wait_context() {
    let site = Site::new();
    evp(&site, "callback 20");
    site.figures().private_at_least(40);
}

#[test]
fn callback_of_a_wait_context_is_not_called_after_its_jobs_ended() {
    let site = Site::new();
    evp(&site, "freed 50 kept");
    site.figures().private_at_least(800);
}

#[test]
fn output_may_be_written_over_its_own_input() {
    let site = Site::new();
    evp(&site, "in_place");
    let figures = site.figures();
    // Of five layouts, blocking and in a job: five signatures, three decryptions, three encryptions.
    assert_eq!(figures.get("private-operations"), 2 * 5 * 8);
    assert!(figures.get("public-operations") >= 2 * 5 * 3);
}

#[test]
fn bad_pkcs1_padding_has_the_same_stand_in_and_no_error_while_the_queue_is_full() {
    let site = Site::with("queue_limit = 1\nslots = 1\ndevice = libcrypto");
    let said = evp(&site, "full 24");
    let met = said.trim().strip_prefix("met=").and_then(|count| count.parse::<u64>().ok());
    assert!(met.is_some_and(|met| met >= 24), "{said}");
    // Those were done by the default provider, but not its way with padding: before OpenSSL 3.2 it would tell.
    let figures = site.figures();
    figures.private_at_least(6);
    assert_eq!((figures.get("private-operations") + met.unwrap()) % 24, 6);
    assert_eq!(figures.get("queue-high-water"), 1);
}

#[test]
fn abandoned_jobs_cost_nothing_and_crash_nothing() {
    let site = Site::new();
    let (descriptors, bytes) = left_behind(&site, "abandon 100");
    assert_eq!(descriptors, 0);
    // A leak of ours would be the ticket, its answer of 256 bytes and the bell: more than this for each.
    assert!(bytes < 100 * 300, "{bytes} bytes for 100 jobs");
}

#[test]
fn children_after_fork_and_exec_sign_while_their_parent_signs() {
    let site = Site::new();
    evp(&site, "fork 16");
    site.figures().private_at_least(40);
}

#[test]
fn process_may_end_while_its_threads_sign() {
    let site = Site::new();
    let said = evp(&site, "exits 40 8");
    // Each process goes on to sign for a while after libcrypto has cleaned up. Without Garner nearly each would crash.
    assert_eq!(said, "crashed=0 refused=0\n");
    site.figures().private_at_least(40 * 8);
}

/// What a thread does between two signatures, it does in libcrypto while that is cleaned up: some crash without Garner too, how
/// many depends on the machine. Chance has three rounds to be told from a defect: threads let go as soon as they have their
/// answers crash half of all processes, against a tenth without Garner.
#[test]
fn threads_that_make_contexts_crash_an_ending_process_no_more_often_than_without_garner() {
    const PROCESSES: u32 = 30;
    for padding in ["pkcs1", "pss"] {
        let arguments = format!("exits-{padding} {PROCESSES} 8");
        for round in 1.. {
            let site = Site::new();
            let with = crashed(&mut site.garner(compile("evp").to_str().unwrap()), &arguments);
            site.figures().private_at_least(24 * 8);
            let without = crashed(&mut site.plain(compile("evp").to_str().unwrap()), &arguments);
            // Of two equal rates, so much more is met in one of a hundred rounds: 2.4 standard deviations of a difference.
            let excess = with.saturating_sub(without);
            if excess * excess <= 6 * (with + without) {
                break;
            }
            assert!(
                round < 3,
                "{padding}: {with} of {PROCESSES} processes crashed, {without} without Garner, and twice before"
            );
        }
    }
}

fn crashed(program: &mut Command, arguments: &str) -> u32 {
    let said = run(program.args(words(arguments)));
    said.trim().split(['=', ' ']).nth(1).unwrap().parse().unwrap()
}

#[test]
fn module_can_be_loaded_and_unloaded_again_and_again() {
    let site = Site::new();
    let (descriptors, bytes) = left_behind(&site, "reload 200");
    assert_eq!(descriptors, 0);
    // One allocation for each would be more.
    assert!(bytes < 200 * 16, "{bytes} bytes for 200 cycles");
}

#[test]
fn keys_of_all_kinds_sign_whoever_does_it() {
    let site = Site::new();
    let said = evp(&site, "keys");
    assert!(said.lines().count() >= 20, "{said}");
    assert!(said.contains("a generation tells how it goes, and ends"), "{said}");
    assert!(said.contains("3 primes, e = 3 signs") && said.contains("no CRT signs"), "{said}");
    assert!(said.contains("implicit rejection\nimplicit rejection of three primes\nexplicit rejection"), "{said}");
    site.figures().private_at_least(20);
}

#[test]
fn payloads_of_a_wrong_length_are_refused_with_any_signature() {
    let site = Site::new();
    evp(&site, "judged");
    assert!(site.figures().get("public-operations") >= 64);
}

#[test]
fn buffers_and_inputs_of_any_size_are_answered_as_by_the_default_provider() {
    let site = Site::new();
    let said = evp(&site, "beside");
    assert!(said.lines().count() >= 30 && said.lines().all(|line| line.ends_with(": 0 differences")), "{said}");
    site.figures().private_at_least(200);
}

#[test]
fn public_exponents_that_openssl_refuses_are_refused_with_its_error() {
    let site = Site::new();
    let said = evp(&site, "exponents");
    assert!(said.lines().count() == 14 && said.lines().all(|line| line.ends_with(": 0 differences")), "{said}");
    assert!(site.figures().get("public-operations") > 20);
}

#[test]
fn contexts_have_the_parameters_copies_and_refusals_of_the_default_provider() {
    let site = Site::new();
    evp(&site, "contexts");
    site.figures().private_at_least(20);
}

#[test]
fn parameters_of_a_running_hash_reach_it_whoever_hashes() {
    let site = Site::new();
    let said = evp(&site, "parameters");
    let figures = site.figures();
    // The secret amid the message, and none: who gives it sooner has OpenSSL hash.
    assert!(said == "no parameters\n" || figures.get("private-operations") == 2, "{said}");
}

#[test]
fn default_library_context_without_algorithms_gives_right_answers_and_hides_bad_padding() {
    let site = Site::new();
    let configuration = site.path("openssl.cnf");
    let program = compile("evp");
    run(site.garner(program.to_str().unwrap()).arg("bare").arg(configuration).env("OPENSSL_CONF", "/dev/null"));
    // Once there is randomness: a signature and two decryptions, blocking and in a job.
    site.figures().private_at_least(6);
}

#[test]
fn soak_of_threads_jobs_forks_and_reloads() {
    let site = Site::new();
    let (descriptors, bytes) = left_behind(&site, "soak 8");
    site.figures().private_at_least(1000);
    assert_eq!(descriptors, 0);
    // A leak for each of these would be more; tens of thousands are usual.
    assert!(bytes < 64 * 1024, "{bytes} bytes");
}

#[test]
fn lying_device_under_the_provider_releases_no_wrong_answer() {
    if !support::accelerated() {
        return support::left_out("a device that lies: there are no kernels for this processor");
    }
    let site = Site::lying();
    evp(&site, "threads 8 10");
    evp(&site, "jobs 2 8 4");
    let figures = site.figures();
    figures.private_at_least(288);
    assert!(figures.get("faults") > 20 && figures.get("retries") > 20, "it did not lie");
}

#[test]
fn valgrind_finds_nothing_wrong_and_nothing_lost_without_the_kernels() {
    let site = Site::slow();
    let program = compile("evp");
    let under_valgrind = &|arguments| {
        let mut valgrind = site.garner("valgrind");
        // libcrypto's assembly reads whole blocks beyond what is initialised; what is ours would be an invalid access.
        valgrind.args(["-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"]);
        valgrind.args(["--undef-value-errors=no", "--child-silent-after-fork=yes"]);
        // A job's stack of 32 KiB is on the heap, perhaps right above a thread's. What moves the stack pointer by less
        // than this passes for a call or return, and what lies between for free.
        valgrind.arg("--max-stackframe=16384").arg(&program);
        run(valgrind.args(words(arguments)).env("GARNER_CPU", "libcrypto"));
    };
    // Side by side: valgrind runs each on one processor.
    thread::scope(|scope| {
        for arguments in ["threads 2 1", "jobs 1 2 1", "freed 2", "reload 3", "in_place"] {
            scope.spawn(move || under_valgrind(arguments));
        }
    });
    site.figures().private_at_least(8);
}

#[test]
fn second_libcrypto_in_the_process_is_refused_with_both_names() {
    let site = Site::new();
    let program = compile_static("second");
    let mut command = site.plain(program.to_str().unwrap());
    let output = ends(command.env("OPENSSL_MODULES", site.path("modules")));
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("second, but linked to") && said.contains("build Garner for the OpenSSL"), "{said}");
    // Once on stderr, once on the program's own queue of errors.
    assert_eq!(said.matches("build Garner for the OpenSSL").count(), 2, "{said}");
}

#[test]
fn refused_module_leaves_a_second_libcrypto_uninitialised() {
    if openssl::version::number() >= 0x4000_0000 {
        return support::left_out("OpenSSL 4 has no engines");
    }
    let site = Site::new();
    let refused = support::built().join("libgarner_engine.so");
    let mut command = site.plain(compile_static("second").to_str().unwrap());
    command.env("OPENSSL_MODULES", site.path("modules")).arg(support::compile_library("engine")).arg(refused);
    let output = ends(&mut command);
    let said = String::from_utf8_lossy(&output.stderr);
    // If it were initialised, it would clean up at exit before the program's libcrypto calls the engine for the last time.
    assert_eq!(output.status.code(), Some(1), "{}: {said}", output.status);
    assert!(said.contains("garner: loaded by another libcrypto than it is linked to"), "{said}");
}
