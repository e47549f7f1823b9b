// SPDX-License-Identifier: Apache-2.0
//! What a program says on standard input and output so that `garner speed --peer` measures it in turn with Garner.
//!
//! One line asks, one line answers ("ok …" or "error …"):
//!
//! | asked | answered |
//! |---|---|
//! | `version` | `ok OpenSSL 4.0.3` |
//! | `key HEX`, a private key in DER | `ok BITS` |
//! | `sign SECONDS CALLERS` | `ok OPERATIONS ELAPSED EACH P50 P99`, times in nanoseconds: until the last thread was done, until a thread was done on average, and the latencies' percentiles |
//! | `verify SECONDS CALLERS` | the same |
//! | `decrypt SECONDS CALLERS`, OAEP with SHA-256 | the same |
//! | `keygen SECONDS CALLERS`, keys as long as the one given | the same |
//!
//! Rounds are timed by the very code that times Garner's.

#[path = "../../../crates/cli/src/speed/round.rs"]
pub mod round;

use round::{Round, Worker, percentile};
use std::io::{self, BufRead, Write};
use std::time::Duration;

/// A program that is measured.
pub trait Peer {
    /// What it is, with its version.
    fn version(&self) -> String;

    /// Takes a private key in DER, PKCS#1 or PKCS#8, for the rounds to come, and returns the bits of its modulus.
    fn key(&mut self, der: &[u8]) -> Result<usize, String>;

    /// One round of `operation` ("sign", "verify", "decrypt" or "keygen") by `callers` threads, every result of which is
    /// checked, or some of the last after it.
    fn round(&mut self, operation: &str, window: Duration, callers: usize) -> Result<Round, String>;
}

/// Answers until there is nobody left to ask.
pub fn serve(peer: &mut impl Peer) -> io::Result<()> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match answer(peer, &line?) {
            Ok(answer) => writeln!(output, "ok {answer}")?,
            Err(error) => writeln!(output, "error {error}")?,
        }
        output.flush()?;
    }
    Ok(())
}

/// The first `callers` of `workers`, after making those that are missing.
pub fn first<W: Worker>(
    workers: &mut Vec<W>,
    callers: usize,
    mut make: impl FnMut(usize) -> Result<W, String>,
) -> Result<&mut [W], String> {
    for caller in workers.len()..callers {
        workers.push(make(caller)?);
    }
    Ok(&mut workers[..callers])
}

fn answer(peer: &mut impl Peer, line: &str) -> Result<String, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["version"] => Ok(peer.version()),
        ["key", hex] => peer.key(&from_hex(hex).ok_or("key: not hexadecimal")?).map(|bits| bits.to_string()),
        [operation @ ("sign" | "verify" | "decrypt" | "keygen"), seconds, callers] => {
            let window = seconds.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            let window = window.ok_or_else(|| format!("{operation}: {seconds} is not a number of seconds"))?;
            let callers = callers.parse().ok().filter(|&callers| callers > 0);
            let callers = callers.ok_or_else(|| format!("{operation}: {} is not a number of callers", words[2]))?;
            let mut round = peer.round(operation, window, callers)?;
            round.latencies.sort_unstable();
            Ok(format!(
                "{} {} {} {} {}",
                round.operations,
                round.elapsed.as_nanos(),
                round.each.as_nanos(),
                percentile(&round.latencies, 0.5),
                percentile(&round.latencies, 0.99)
            ))
        }
        _ => Err(format!("unknown request: {line}")),
    }
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()).collect()
}
