// SPDX-License-Identifier: Apache-2.0
//! What is measured, in which order: what matters first, for time may be short. What fails is noted, and the next size goes
//! on.

use crate::kernels::{self, Bench};
use crate::operations;
use crate::report::Row;
use crate::run::Run;
use garner::arithmetic::Arithmetic;
use garner::device::DeviceError;
use garner_device_cuda::{Gpu, Machine, OneKey, Style, one_key_by_tensor_cores};
use garner_gpu_kernels::{PUBLIC_WORDS, Role};
use std::sync::Arc;
use std::time::Duration;

/// Time that the batches of many sizes leave for what comes after them, in seconds.
const FOR_ONE_KEY: f64 = 150.0;

/// What is measured on.
pub struct Plan<'a, M: Machine> {
    /// The GPU.
    pub machine: M,
    /// The host's.
    pub arithmetic: &'a Arc<dyn Arithmetic>,
    /// Sizes of batches for the picture.
    pub batches: &'a [usize],
    /// Size of those that threads hand to the gatherer.
    pub gathered: usize,
    /// Whether there is no GPU, and so no hurry.
    pub is_emulated: bool,
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
        run.given_up.push(Arc::clone(gpu.given_up()));
        let machine = gpu.machine();
        eprintln!("{} {}, {} numbers at once", machine.name(), machine.model(), machine.width());
        let sizes: Vec<usize> = run.arguments.bits.clone();
        let is_right = |bits: &usize| {
            let what = format!("exponentiations of {} bits, private operations of {bits} bits", bits / 2);
            run.check(what, || gpu.test(bits / 2).map_err(reason))
        };
        let right: Vec<usize> = sizes.iter().copied().filter(is_right).collect();
        // The bars first, then what fills the curve.
        for &bits in &right {
            run.attempt(format!("measuring private operations of {bits} bits"), |run| self.size(run, &gpu, bits));
        }
        for words in PUBLIC_WORDS.into_iter().filter(|words| sizes.contains(&(32 * words))) {
            let what = format!("public operations of {} bits", 32 * words);
            if run.check(what.clone(), || gpu.test_public(32 * words).map_err(reason)) {
                run.attempt(format!("measuring {what}"), |run| self.public(run, &gpu, words));
            }
        }
        for &bits in &right {
            run.attempt(format!("measuring batches of {bits} bits"), |run| self.batches(run, &gpu, bits));
        }
        // Last: who knows what state a form that fails leaves the GPU in.
        self.one_key(run, &gpu, &right);
        run.let_go();
    }

    fn time(&self, run: &Run<'_>) -> Duration {
        Duration::from_secs_f64(run.arguments.seconds)
    }

    /// Operations that fill the GPU once: each is two numbers.
    fn full(&self) -> usize {
        self.machine.width() / 2
    }

    /// One size of keys: kernels, whole operations, the gatherer beside OpenSSL.
    fn size(&self, run: &mut Run<'_>, gpu: &Arc<Gpu<M>>, bits: usize) -> Result<(), String> {
        let (machine, words, full, time) = (gpu.machine(), bits / 64, self.full(), self.time(run));
        let given_up = gpu.given_up();
        let usual = Role::Walk(Style::usual(words));
        let mut walks = vec![usual];
        if words == 32 && !self.is_emulated {
            let resident = Role::Walk(Style::Resident);
            let what = format!("private operations of {bits} bits, Resident");
            let agrees = || match kernels::agree(machine, given_up, words, usual, resident).map_err(reason)? {
                true => Ok(()),
                false => Err(format!("WRONG RESULT: {what}")),
            };
            if run.check(what.clone(), agrees) {
                walks.push(resident);
            }
        }
        for count in [full, 2 * full] {
            run.rows(0.0, |meter| {
                let bench = Bench { machine, given_up, meter, time };
                kernels::private(&bench, words, &walks, false, count).map_err(reason)
            })?;
        }
        // What batches of one key have, in place of what mixed ones have.
        run.rows(0.0, |meter| {
            let bench = Bench { machine, given_up, meter, time };
            let walks = [usual, Role::WalkAlike(Style::usual(words))];
            kernels::private(&bench, words, &walks, true, 2 * full).map_err(reason)
        })?;
        // Batches that fill parts of the GPU: from where on is a thread for each number better?
        for count in [32, 16, 8, 4].map(|part| (full / part).max(1)) {
            run.rows(0.0, |_| {
                let bench = Bench { machine, given_up, meter: None, time: time / 4 };
                kernels::private(&bench, words, &[usual, Role::Walk(Style::Spread)], false, count).map_err(reason)
            })?;
        }
        let Some(keys) = run.keys(bits)? else { return Ok(()) };
        // With mixed keys; then with one, as a server has it.
        for (keys, count) in [(&keys.all[..], full), (&keys.all, 2 * full), (&keys.all[..1], 2 * full)] {
            let kernel = run.best(bits, |row| row.one_key == (keys.len() == 1));
            run.rows(0.0, |meter| {
                operations::private(&[(gpu, "")], &**self.arithmetic, meter, keys, count, time)
                    .map(|rows| beside_kernel(rows, kernel))
            })?;
        }
        let kernel = run.best(bits, |row| !row.one_key);
        let rows = run.report.rows.len();
        run.rows(0.0, |_| {
            let gpu = Arc::clone(gpu);
            operations::gathered_and_by_openssl(gpu, self.arithmetic, &keys, self.gathered, time).map(|mut rows| {
                let without = rows.split_off(1);
                beside_kernel(rows, kernel).into_iter().chain(without).collect()
            })
        })?;
        if let [ours, without] = &run.report.rows[rows..] {
            let beside = ours.garner_per_s / without.garner_per_s;
            eprintln!("RSA-{bits}: {beside:.1} times OpenSSL on all processors of this host");
        }
        Ok(())
    }

    fn public(&self, run: &mut Run<'_>, gpu: &Gpu<M>, words: usize) -> Result<(), String> {
        let (machine, given_up, time) = (gpu.machine(), gpu.given_up(), self.time(run) / 2);
        run.rows(0.0, |meter| {
            let bench = Bench { machine, given_up, meter, time };
            kernels::public(&bench, words, machine.width() / 4).map(|row| vec![row]).map_err(reason)
        })
    }

    /// Private operations in batches of many sizes.
    fn batches(&self, run: &mut Run<'_>, gpu: &Gpu<M>, bits: usize) -> Result<(), String> {
        let time = self.time(run) / 8;
        for &count in self.batches {
            if run.is_over(FOR_ONE_KEY) {
                return Ok(());
            }
            let Some(keys) = run.keys(bits)? else { return Ok(()) };
            run.rows(FOR_ONE_KEY, |meter| {
                operations::private(&[(gpu, "")], &**self.arithmetic, meter, &keys.all, count, time)
            })?;
        }
        Ok(())
    }

    /// The forms for batches of one key that nothing uses by itself, beside the one that is used: kernels alone, then whole
    /// operations.
    fn one_key(&self, run: &mut Run<'_>, usual: &Gpu<M>, sizes: &[usize]) {
        if !self.machine.has_tensor_cores() {
            eprintln!("{}: no tensor cores that multiply bytes", self.machine.name());
        }
        let forms = [OneKey::Tensor, OneKey::Constant];
        let is_there = |form: &OneKey| *form != OneKey::Tensor || self.machine.has_tensor_cores();
        let forms = forms.into_iter().filter(is_there);
        let gpus: Vec<_> = forms.map(|form| (form, Gpu::choosing(self.machine.clone(), form))).collect();
        run.given_up.extend(gpus.iter().map(|(_, gpu)| Arc::clone(gpu.given_up())));
        for &bits in sizes {
            let words = bits / 64;
            let is_right = |(form, gpu): &&(OneKey, Gpu<M>)| {
                let is_used = *form != OneKey::Tensor || one_key_by_tensor_cores(words);
                let what = format!("private operations of {bits} bits with one key, {form:?}");
                is_used && run.check(what, || gpu.test(bits / 2).map_err(reason))
            };
            let right: Vec<&(OneKey, Gpu<M>)> = gpus.iter().filter(is_right).collect();
            if !right.is_empty() {
                let what = format!("measuring private operations of {bits} bits with one key");
                run.attempt(what, |run| self.forms(run, usual, &right, bits));
            }
        }
        run.let_go();
    }

    fn forms(&self, run: &mut Run<'_>, usual: &Gpu<M>, forms: &[&(OneKey, Gpu<M>)], bits: usize) -> Result<(), String> {
        let (machine, given_up, time) = (usual.machine(), usual.given_up(), self.time(run));
        let (words, full) = (bits / 64, self.full());
        let style = Style::usual(words);
        let of = |form: &&(OneKey, Gpu<M>)| match form.0 {
            OneKey::Tensor => Role::WalkTensor,
            OneKey::Constant => Role::WalkConstant(style),
            OneKey::Record => Role::WalkAlike(style),
        };
        let walks: Vec<Role> = std::iter::once(Role::WalkAlike(style)).chain(forms.iter().map(of)).collect();
        // Many for each of the GPU's places: forms that have fewer of them would otherwise have their last ones half empty.
        for count in [full, 4 * full] {
            run.rows(0.0, |meter| {
                let bench = Bench { machine, given_up, meter, time };
                kernels::private(&bench, words, &walks, true, count).map_err(reason)
            })?;
        }
        let Some(keys) = run.keys(bits)? else { return Ok(()) };
        let names: Vec<String> = forms.iter().map(|form| format!(" {:?}", form.0)).collect();
        let others = forms.iter().zip(&names).map(|(form, name)| (&form.1, &name[..]));
        let gpus: Vec<(&Gpu<M>, &str)> = std::iter::once((usual, " Record")).chain(others).collect();
        let kernel = |device: &str| run.best(bits, |row| row.one_key && row.device == device);
        let kernels: Vec<f64> =
            gpus.iter().map(|(gpu, name)| kernel(&format!("{}{name}", gpu.machine().name()))).collect();
        run.rows(0.0, |meter| {
            let rows = operations::private(&gpus, &**self.arithmetic, meter, &keys.all[..1], 2 * full, time)?;
            Ok(rows.into_iter().zip(kernels).flat_map(|(row, kernel)| beside_kernel(vec![row], kernel)).collect())
        })
    }
}

/// Rows that are held against the kernels alone.
fn beside_kernel(rows: Vec<Row>, kernel: f64) -> Vec<Row> {
    rows.into_iter().map(|row| Row { baseline: "kernel", baseline_per_s: kernel, ..row }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::tests::{arguments, machine};
    use garner::arithmetic;
    use garner_device_cuda::{Fault, Faulty};
    use std::time::Instant;

    #[test]
    fn a_form_that_fails_leaves_its_trace_and_the_others_are_measured_beside_each_other() {
        let arguments = arguments(&["--limit", "100000"]);
        let mut run = Run::new(&arguments, Instant::now(), machine());
        let arithmetic = arithmetic::best().unwrap();
        let machine = Faulty { width: 16, ..Faulty::new(Fault::Skips(Role::WalkTensor)) };
        let plan = Plan { machine, arithmetic: &arithmetic, batches: &[1], gathered: 4, is_emulated: true };
        plan.run(&mut run);
        assert_eq!(run.finish().unwrap_err(), "1 of 4 checks and measurements failed");
        let report = &run.report;
        let failed: Vec<_> = report.checks.iter().filter_map(|check| check.error.as_deref()).collect();
        assert_eq!(failed, ["the self-test failed: a private operation of 1024 bits, number 0, is wrong"]);
        let of = |device: &str| -> Vec<usize> {
            report.rows.iter().filter(|row| row.device == device).map(|row| row.in_turns).collect()
        };
        assert!(of("faulty Tensor").is_empty());
        // Kernels of two sizes, and whole operations: each in one go with the form that is used.
        let (constant, record) = (of("faulty Constant"), of("faulty Record"));
        assert!(constant.len() == 3 && constant.iter().all(|group| *group > 0 && record.contains(group)));
        assert!(!report.complete && report.stopped_by.is_none());
    }
}
