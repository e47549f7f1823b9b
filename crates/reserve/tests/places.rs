// SPDX-License-Identifier: Apache-2.0
//! The reserve where it has grown so often that it cannot grow again: alone in its process, whose address space it limits.

use garner_reserve::Promise;
use std::fs;

const MEBIBYTE: usize = 1 << 20;

/// Bytes of address space that this process has.
fn mapped() -> usize {
    let sizes = fs::read_to_string("/proc/self/statm").unwrap();
    sizes.split(' ').next().unwrap().parse::<usize>().unwrap() * 4096
}

fn limit(bytes: libc::rlim_t) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a place for the limit, and one that is not above what may be set.
    unsafe {
        libc::getrlimit(libc::RLIMIT_AS, &mut limit);
        limit.rlim_cur = bytes.min(limit.rlim_max);
        libc::setrlimit(libc::RLIMIT_AS, &limit);
    }
}

#[test]
fn refused_growth_leaves_nothing_mapped() {
    let mut promises = Vec::with_capacity(1000);
    loop {
        // Little at once, or it would double, and be as large as can be before it has no place.
        limit((mapped() + 2 * MEBIBYTE + MEBIBYTE / 2) as libc::rlim_t);
        match Promise::of(MEBIBYTE) {
            Some(promise) => promises.push(promise),
            None => break,
        }
    }
    assert!((40..100).contains(&promises.len()), "{} times", promises.len());
    limit(libc::RLIM_INFINITY);
    let before = mapped();
    for _ in 0..10 {
        assert!(Promise::of(MEBIBYTE).is_none());
    }
    assert!(mapped() < before + MEBIBYTE, "{} bytes more", mapped() - before);
}
