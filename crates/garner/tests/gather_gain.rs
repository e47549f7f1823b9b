// SPDX-License-Identifier: Apache-2.0
//! What blocking callers gain by sharing batches; a measurement, so not part of the tests:
//! `taskset -c 0 cargo test --release --test gather_gain -- --ignored --nocapture`

mod gather_support;

use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::{Modulus, Power};
use garner::device::{Device, DeviceError, DeviceInfo, Limits};
use garner::gather::{Config, Gatherer, Operation};
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Processor time, which a busy machine does not change.
fn clock(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Takes the processor for the same time whether it gets one exponentiation or four.
struct FourForOne(Duration);

impl DeviceInfo for FourForOne {
    fn name(&self) -> &str {
        "four-for-one"
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: 2, max_bits: Modulus::MAX_BITS }
    }

    fn preferred_batch(&self) -> usize {
        4
    }

    fn is_on_host(&self) -> bool {
        true
    }
}

impl Device for FourForOne {
    fn exponentiate(&self, jobs: &mut [Power<'_>]) -> Result<(), DeviceError> {
        let end = clock(ClockId::ThreadCPUTime) + self.0 * jobs.len().div_ceil(4) as u32;
        while clock(ClockId::ThreadCPUTime) < end {
            std::hint::spin_loop();
        }
        Ok(())
    }
}

#[test]
#[ignore = "a measurement"]
fn gain_of_blocking_callers() {
    let modulus = Arc::new(Modulus::new(&[u64::MAX; 16]).unwrap());
    for micros in [20, 50, 100, 200] {
        let device: Arc<dyn Device> = Arc::new(FourForOne(Duration::from_micros(micros)));
        let config = Config::with(Arc::new(Libcrypto), vec![device]);
        measure(&format!("four in {micros} us"), &config, || {
            Operation::exponentiation(&modulus, &[2], &[3; 128]).unwrap()
        });
    }
    for bits in [1024, 2048, 4096] {
        let known = gather_support::Known::new(bits);
        measure(&format!("RSA-{bits}"), &Config::new(&[]).unwrap(), || known.operation(0));
    }
}

/// Callers in a closed loop; operations per second of processor time.
fn measure(name: &str, config: &Config, operation: impl Fn() -> Operation + Sync) {
    let mut alone = 0.0;
    for callers in [1, 2, 4, 8, 16, 64] {
        let gatherer = Gatherer::new(config.clone());
        let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let start = clock(ClockId::ProcessCPUTime);
        thread::scope(|scope| {
            for _ in 0..callers {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        gatherer.run(operation()).unwrap();
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            thread::sleep(Duration::from_millis(700));
            stop.store(true, Ordering::Relaxed);
        });
        let rate = done.into_inner() as f64 / (clock(ClockId::ProcessCPUTime) - start).as_secs_f64();
        if callers == 1 {
            alone = rate;
        }
        let fill = gatherer.statistics().mean_fill();
        println!("{name:14} {callers:3} callers {rate:8.0}/s gain {:4.2} fill {fill:4.2}", rate / alone);
    }
}
