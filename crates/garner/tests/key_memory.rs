// SPDX-License-Identifier: Apache-2.0
//! The memory of a cached key. Alone in its process, so that nothing else is measured.

mod key_support;

use garner::key::PrivateKey;
use openssl::rsa::Rsa;

/// Resident memory of this process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 1024
}

#[test]
fn a_cached_4096_bit_key_takes_less_than_64_kib() {
    const KEYS: usize = 200;
    let der = Rsa::generate(4096).unwrap().private_key_to_der().unwrap();
    let load = |count| (0..count).map(|_| PrivateKey::from_der(&der).unwrap()).collect::<Vec<_>>();
    // libcrypto's own pools and the allocator's first pages are not the keys'.
    drop(load(10));
    let before = resident();
    let keys = load(KEYS);
    let each = resident().saturating_sub(before) / KEYS;
    println!("{each} bytes of resident memory per 4096-bit key, {} keys", keys.len());
    assert!(each < 64 << 10, "{each} bytes per key");
    // Four pages of secrets at least: less would mean that the measurement saw nothing.
    assert!(each >= 8 << 10, "{each} bytes per key cannot be right");
}
