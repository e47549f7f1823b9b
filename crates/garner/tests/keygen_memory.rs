// SPDX-License-Identifier: Apache-2.0
//! Memory of key generation. Alone in its process, so that nothing else is measured.

use garner::arithmetic;
use garner::keygen::{Generator, Options};
use garner::secret::SecretWords;

/// Resident memory of this process, in KiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn memory_does_not_grow_with_the_number_of_keys() {
    let arithmetic = arithmetic::best().unwrap();
    let options = Options { below_fips: true, ..Options::default() };
    let mut generator = Generator::new(&*arithmetic, 512, usize::MAX, &options).unwrap();
    generator.by_ref().take(200).for_each(|key| drop(key.unwrap()));
    let before = resident();
    generator.by_ref().take(1_000).for_each(|key| drop(key.unwrap()));
    let grown = resident().saturating_sub(before);
    assert!(grown < 512, "{grown} KiB for 1,000 keys");
}

#[test]
fn memory_of_a_dropped_secret_comes_back_zero() {
    let mut addresses = Vec::new();
    for words in [1, 511, 512, 513, 2_048, 2_049, 100_000] {
        for _ in 0..3 {
            let mut secret = SecretWords::zeroed(words);
            assert!(secret.iter().all(|&word| word == 0), "{words}");
            secret.fill(u64::MAX);
            addresses.push(secret.as_ptr().addr());
        }
        // Nothing is left either when a shorter secret was in the same pages.
        drop(SecretWords::copy_of(&vec![u64::MAX; words.div_ceil(2)]));
        assert!(SecretWords::zeroed(words).iter().all(|&word| word == 0));
    }
    addresses.dedup();
    assert!(addresses.len() < 21, "pages are used again");
    // A thread's last secrets outlive its own memory.
    thread_local! { static LAST: SecretWords = SecretWords::copy_of(&[1]); }
    std::thread::spawn(|| LAST.with(|secret| assert_eq!(secret[0], 1))).join().unwrap();
}
