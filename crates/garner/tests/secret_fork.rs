// SPDX-License-Identifier: Apache-2.0
//! Secrets of a forked child: on pages that are locked, though they may have been its parent's. Alone in its process, whose
//! locked memory is limited.

mod fork_support;

use fork_support::{fork, status};
use garner::secret::SecretWords;
use std::io::Write;

/// Whether the pages of a secret are locked, by the kernel's flags of their mapping.
fn is_locked(secret: &SecretWords) -> bool {
    let address = secret.as_ptr().addr();
    let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
    let mut inside = false;
    for line in maps.lines() {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        if let Some((Ok(from), Ok(to))) = range.map(|(from, to)| (number(from), number(to))) {
            inside = (from..to).contains(&address);
        }
        if inside && let Some(flags) = line.strip_prefix("VmFlags:") {
            return flags.split(' ').any(|flag| flag == "lo");
        }
    }
    panic!("the pages of a secret are in no mapping");
}

fn number(hexadecimal: &str) -> Result<usize, std::num::ParseIntError> {
    usize::from_str_radix(hexadecimal, 16)
}

#[test]
fn new_secrets_of_a_child_are_locked_as_those_of_its_parent() {
    if !is_locked(&SecretWords::copy_of(&[1])) {
        return std::io::stderr().write_all(b"left out: the system locks no memory here (ulimit -l)\n").unwrap();
    }
    // That page is kept, and the child has it, too.
    let child = fork(|| is_locked(&SecretWords::copy_of(&[2])));
    assert_eq!(status(child), 0);
}
