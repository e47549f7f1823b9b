// SPDX-License-Identifier: Apache-2.0
//! What is measured, in which order: what matters first, for time may be short. What fails is noted, and the next size goes
//! on.

use crate::kernels::{self, Bench};
use crate::operations::{self, Keys};
use crate::report::Row;
use crate::run::Run;
use garner::arithmetic::Arithmetic;
use garner::device::DeviceError;
use garner_device_cuda::{Gpu, HALF_WORDS, Machine, PUBLIC_WORDS};
use std::sync::Arc;
use std::time::Duration;

/// Keys that a batch has.
const KEYS: usize = 8;

/// What is measured on.
pub struct Plan<'a, M: Machine> {
    /// The GPU.
    pub machine: M,
    /// The host's.
    pub arithmetic: &'a Arc<dyn Arithmetic>,
    /// Sizes of batches for the curve of rate and latency.
    pub batches: &'a [usize],
    /// Size of those that threads hand to the gatherer.
    pub gathered: usize,
}

/// A device's reason.
fn reason(error: DeviceError) -> String {
    error.0
}

impl<M: Machine + Clone> Plan<'_, M> {
    /// All of it.
    pub fn run(&self, run: &mut Run<'_>) {
        run.report.machine.gpu = self.machine.model().to_owned();
        let gpu = Arc::new(Gpu::new(self.machine.clone()));
        run.given_up = Arc::clone(gpu.given_up());
        let machine = gpu.machine();
        eprintln!("{} {}, {} numbers at once", machine.name(), machine.model(), machine.width());
        let sizes = run.arguments.bits.clone();
        for &bits in &sizes {
            let what = format!("private operations of {bits} bits");
            if run.check(what.clone(), || gpu.test(bits / 2).map_err(reason)) {
                run.attempt(format!("measuring {what}"), |run| self.private(run, &gpu, bits));
            }
        }
        for words in PUBLIC_WORDS.into_iter().filter(|words| sizes.contains(&(32 * words))) {
            let what = format!("public operations of {} bits", 32 * words);
            if run.check(what.clone(), || gpu.test_public(32 * words).map_err(reason)) {
                run.attempt(format!("measuring {what}"), |run| self.public(run, &gpu, words));
            }
        }
    }

    /// One size of keys: kernels, whole operations, the gatherer beside OpenSSL, batches of many sizes.
    fn private(&self, run: &mut Run<'_>, gpu: &Arc<Gpu<M>>, bits: usize) -> Result<(), String> {
        let length = HALF_WORDS.iter().position(|words| 64 * words == bits);
        let length = length.ok_or_else(|| format!("no kernels of just {bits} bits"))?;
        // Operations that fill the GPU once: each is two numbers.
        let full = self.machine.width() / 2;
        let time = Duration::from_secs_f64(run.arguments.seconds);
        let mut kernel: f64 = 0.0;
        for count in [full, 2 * full] {
            run.rows(|meter| {
                let bench = Bench { machine: gpu.machine(), given_up: gpu.given_up(), meter, time };
                let row = kernels::private(&bench, length, count).map_err(reason)?;
                kernel = kernel.max(row.garner_per_s);
                Ok(vec![row])
            })?;
        }
        let beside_kernel = |row: Row| Row { baseline: "kernel", baseline_per_s: kernel, ..row };
        if run.is_over() {
            return Ok(());
        }
        let keys = Keys::new(bits, KEYS)?;
        let whole = |run: &mut Run<'_>, count: usize, time: Duration| {
            run.rows(|meter| {
                let row = operations::private(gpu, &**self.arithmetic, meter, &keys.all, count, time)?;
                Ok(vec![beside_kernel(row)])
            })
        };
        for count in [full, 2 * full] {
            whole(run, count, time)?;
        }
        run.rows(|_| {
            let gpu = Arc::clone(gpu);
            let [ours, openssl] =
                operations::gathered_and_by_openssl(gpu, self.arithmetic, &keys, self.gathered, time)?;
            let beside = ours.garner_per_s / openssl.garner_per_s;
            eprintln!("RSA-{bits}: {beside:.1} times OpenSSL on all processors of this host");
            Ok(vec![beside_kernel(ours), openssl])
        })?;
        self.batches.iter().try_for_each(|count| whole(run, *count, time / 8))
    }

    fn public(&self, run: &mut Run<'_>, gpu: &Gpu<M>, words: usize) -> Result<(), String> {
        let (machine, given_up) = (gpu.machine(), gpu.given_up());
        let time = Duration::from_secs_f64(run.arguments.seconds) / 2;
        run.rows(|meter| {
            let bench = Bench { machine, given_up, meter, time };
            kernels::public(&bench, words, machine.width() / 4).map(|row| vec![row]).map_err(reason)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::{arguments, machine};
    use garner::arithmetic;
    use garner_device_cuda::{Emulator, Fault};
    use std::time::Instant;

    /// What a run on a GPU with this fault ends in, its checks, those that failed, and what was measured.
    fn run(fault: Fault) -> (Result<(), String>, usize, usize, Vec<&'static str>) {
        let arguments = arguments(&["--limit", "100000"]);
        let mut run = Run::new(&arguments, Instant::now(), machine());
        let arithmetic = arithmetic::best().unwrap();
        let machine = Emulator { width: 16, ..Emulator::new(fault) };
        Plan { machine, arithmetic: &arithmetic, batches: &[1], gathered: 4 }.run(&mut run);
        let (ended, report) = (run.finish(), &run.report);
        assert_eq!(report.complete, ended.is_ok());
        let failed = report.checks.iter().filter(|check| check.error.is_some()).count();
        (ended, report.checks.len(), failed, report.rows.iter().map(|row| row.op).collect())
    }

    #[test]
    fn a_good_gpu_is_measured_in_everything_and_one_with_a_fault_in_nothing_that_it_fails() {
        let all = vec!["kernel", "kernel", "private", "private", "sign", "sign", "private", "public"];
        assert_eq!(run(Fault::None), (Ok(()), 2, 0, all));
        let failed = Err("2 of 2 checks and measurements failed".to_owned());
        assert_eq!(run(Fault::Lies), (failed, 2, 2, Vec::new()));
    }
}
