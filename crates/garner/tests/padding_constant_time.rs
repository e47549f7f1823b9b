//! Decoding under valgrind with the decrypted block marked as undefined: memcheck then reports every branch and every
//! address that depends on it, compiled code and libcrypto's hashes included.
//!
//! Where verdict and length are released (`padding/release.rs`) reports are expected, and nowhere else. Skipped, and
//! said so, where there is no valgrind.
#![cfg(target_arch = "x86_64")]

use garner::padding::implicit_rejection::Rejection;
use garner::padding::{Hash, oaep, pkcs1v15_encryption, premaster};
use std::hint::black_box;
use std::mem::forget;
use std::process::Command;

/// Set in the child that runs under valgrind: what it decodes.
const CASE: &str = "GARNER_CONSTANT_TIME_CASE";

/// A client request of valgrind's; 0 outside it.
///
/// Source   valgrind.h, amd64: six words at rax, the default in rdx, four rotations of rdi and an exchange of rbx.
fn client_request(request: u64, a: u64, b: u64) -> u64 {
    let words = [request, a, b, 0, 0, 0];
    let mut result = 0u64;
    // SAFETY: outside valgrind the rotations add up to 128 bits, leaving rdi as it was, and the exchange is with itself.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            inout("rdx") result, in("rax") words.as_ptr(),
        );
    }
    result
}

/// Marks bytes as undefined.
fn mark_secret(bytes: &mut [u8]) {
    // Tool "MC", request 1: MAKE_MEM_UNDEFINED.
    client_request(0x4d43_0001, bytes.as_mut_ptr() as u64, bytes.len() as u64);
}

/// Errors that memcheck has reported so far.
fn errors() -> u64 {
    client_request(0x1201, 0, 0)
}

/// What runs in the child: decodes blocks of all kinds, and prints how many errors memcheck reported.
fn child(case: &str) {
    let mut good = vec![0xa5; 256];
    good[..2].copy_from_slice(&[0, 2]);
    good[207..210].copy_from_slice(&[0, 3, 3]);
    let mut early = good.clone();
    early[5] = 0;
    let mut wrong_type = good.clone();
    wrong_type[1] = 1;
    let mut sealed = vec![0; 256];
    oaep::encode(oaep::Functions::of(Hash::Sha256), b"", b"message", &mut sealed).unwrap();
    let rejection = Rejection::new(&[7; 256], &[8; 256]).unwrap();
    let before = errors();
    for block in [good, early, wrong_type, sealed, vec![0xff; 256]] {
        let mut block = block;
        mark_secret(&mut block);
        match case {
            "premaster" => forget(black_box(premaster::decode(&block, 0x0303, Some(0x0302)))),
            "implicit" => forget(black_box(rejection.decode(&block))),
            "explicit" => forget(black_box(pkcs1v15_encryption::decode(&block))),
            "oaep" => forget(black_box(oaep::decode(oaep::Functions::of(Hash::Sha256), b"", &block))),
            // The test's own test: a comparison that ends at the first difference.
            "leaky" => _ = black_box(block.iter().position(|&byte| byte == 0)),
            other => panic!("no case {other}"),
        }
    }
    println!("reported: {}", errors() - before);
}

/// Reports that memcheck makes of a case, as counted by the child and one by one from its log.
fn reports(case: &str) -> (u64, Vec<String>) {
    let output = Command::new("valgrind")
        .args(["--num-callers=30", "--error-limit=no"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "nothing_but_verdict_and_length_is_released", "--nocapture", "--test-threads=1"])
        .env(CASE, case)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let count = printed.lines().find_map(|line| line.split("reported: ").nth(1)).unwrap_or_else(|| panic!("{log}"));
    // Lines begin with ==pid==; empty ones part the reports, and the summary follows the last.
    let lines = log.lines().map(|line| line.rsplit("== ").next().unwrap_or("").trim_end());
    let text = lines.take_while(|line| !line.contains("SUMMARY")).collect::<Vec<_>>().join("\n");
    let kinds = ["Conditional jump", "Use of uninit", "Syscall param", "Invalid "];
    let all = text.split("\n\n").filter(|report| kinds.iter().any(|kind| report.contains(kind)));
    (count.trim().parse().unwrap(), all.map(str::to_owned).collect())
}

#[test]
fn nothing_but_verdict_and_length_is_released() {
    if let Ok(case) = std::env::var(CASE) {
        return child(&case);
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("skipped: there is no valgrind");
        return;
    }
    for case in ["leaky", "premaster", "implicit", "explicit", "oaep"] {
        let (count, reports) = reports(case);
        let (released, elsewhere): (Vec<_>, Vec<_>) =
            reports.iter().partition(|report| report.contains("garner::padding::release::release"));
        println!("{case}: {count} reports from {} places that release, {} others", released.len(), elsewhere.len());
        match case {
            "leaky" => assert!(count > 0 && !elsewhere.is_empty(), "memcheck finds nothing here"),
            // Not even its length, which is always the same.
            "premaster" => assert_eq!((count, reports.len()), (0, 0), "{elsewhere:#?}"),
            _ => assert!(count > 0 && !released.is_empty() && elsewhere.is_empty(), "{case}: {}", elsewhere[0]),
        }
    }
}
