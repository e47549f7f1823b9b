// SPDX-License-Identifier: Apache-2.0
//! fork(2) while another thread does what a process does once. Nothing else may run in this process: the first use of
//! libcrypto by other tests would be such a thing too, and libcrypto's own locks know nothing of fork.

mod fork_support;

use fork_support::{fork, status};
use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::vectors::Native;
use garner::arithmetic::{self, Arithmetic, Modulus, Multiply, Power};
use garner::keygen;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn child_forked_while_libcrypto_initialises_itself_computes() {
    let multiply = || {
        let modulus = Modulus::new(&[u64::MAX]).unwrap();
        let mut result = [0];
        Libcrypto.multiply(&mut [Multiply { modulus: &modulus, a: &[3], b: &[5], c: None, result: &mut result }]);
        result == [15]
    };
    forked_during_the_first_use(multiply, 100, Duration::from_micros(5));
}

#[test]
fn child_forked_while_the_kernels_are_tried_computes() {
    forked_during_the_first_use(five_powers, 60, Duration::from_micros(1));
}

#[test]
fn child_forked_while_the_first_key_is_generated_generates_one() {
    let generate = || {
        let options = keygen::Options { below_fips: true, ..keygen::Options::default() };
        keygen::generate_one(&*arithmetic::best().unwrap(), 1024, &options).is_ok()
    };
    forked_during_the_first_use(generate, 100, Duration::from_micros(10));
}

/// `work` in a thread and in a child forked while the thread is inside it, a `step` later each round. What a process does
/// once is done anew in every round, for each has a process of its own; this process never does it.
fn forked_during_the_first_use(work: fn() -> bool, rounds: u32, step: Duration) {
    for round in 0..rounds {
        let middle = fork(|| {
            let (begun, forked) = (AtomicBool::new(false), AtomicBool::new(false));
            thread::scope(|scope| {
                let thread = scope.spawn(|| {
                    begun.store(true, Ordering::Release);
                    let done = work();
                    // A thread that ends takes a lock of libcrypto's, from which nothing can keep a fork away.
                    while !forked.load(Ordering::Acquire) {
                        std::hint::spin_loop();
                    }
                    done
                });
                while !begun.load(Ordering::Acquire) {
                    std::hint::spin_loop();
                }
                let start = Instant::now();
                while start.elapsed() < step * round {
                    std::hint::spin_loop();
                }
                let child = fork(work);
                forked.store(true, Ordering::Release);
                thread.join().unwrap() && status(child) == 0
            })
        });
        assert_eq!(status(middle), 0, "round {round}");
    }
}

/// Five exponentiations at once, before which kernels may be tested, and after which a processor is asked how fast four are;
/// whether they are right. True where there are no kernels.
fn five_powers() -> bool {
    let modulus = Modulus::new(&[u64::MAX; 8]).unwrap();
    let mut results = [[0; 8]; 5];
    let power = |result| Power { modulus: &modulus, base: &[3], exponent: &[4], result };
    let mut jobs: Vec<Power<'_>> = results.iter_mut().map(|result| power(&mut result[..])).collect();
    let Some(native) = Native::fastest() else { return true };
    native.power_secret(&mut jobs);
    results.iter().all(|result| *result == [81, 0, 0, 0, 0, 0, 0, 0])
}
