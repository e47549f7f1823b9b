// SPDX-License-Identifier: Apache-2.0
//! fork(2) while another thread does what takes long: it does not wait for the end of that.

mod fork_support;

use fork_support::{fork, status};
use garner::key::PrivateKey;
use openssl::rsa::Rsa;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

#[test]
fn forks_do_not_wait_for_the_primes_of_a_key_to_be_checked() {
    const FORKS: usize = 20;
    // Long enough that a fork is much shorter on a busy machine, too.
    let der = Rsa::generate(4096).unwrap().private_key_to_der().unwrap();
    let key = PrivateKey::from_der(&der).unwrap();
    let (checks, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                key.check_primes().unwrap();
                checks.fetch_add(1, Ordering::Relaxed);
            }
        });
        for _ in 0..FORKS {
            thread::sleep(Duration::from_millis(5)); // or several forks find the thread between two primes
            assert_eq!(status(fork(|| true)), 0);
        }
        over.store(true, Ordering::Relaxed);
    });
    // Each fork would wait for one of the two primes at least.
    let checks = checks.into_inner();
    assert!(4 * checks < FORKS, "{checks} keys were checked meanwhile");
}
