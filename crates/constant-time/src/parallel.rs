// SPDX-License-Identifier: Apache-2.0
//! Judges cases side by side, one on each processor.

use crate::verdict::{Table, Verdict};
use nix::errno::Errno;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Fills `table` with the verdicts on the cases of these names, in their order. `judge` gets the position of a name; what
/// it starts stays on the processor that it is called on.
pub fn rows(table: &mut Table, what: &str, names: &[&str], judge: impl Fn(usize) -> Verdict + Sync) {
    let cpus = cpus().expect("a process may ask where it runs");
    let (next, judge) = (&AtomicUsize::new(0), &judge);
    let (sender, verdicts) = mpsc::channel();
    std::thread::scope(|scope| {
        for cpu in cpus {
            let sender = sender.clone();
            scope.spawn(move || {
                stay_on(cpu).expect("a processor that this process has");
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= names.len() || sender.send((at, judge(at))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut shown) = (vec![None; names.len()], 0);
        for (done, (at, verdict)) in verdicts.into_iter().enumerate() {
            waiting[at] = Some(verdict);
            while let Some(verdict) = waiting.get_mut(shown).and_then(Option::take) {
                table.row(names[shown], verdict);
                shown += 1;
            }
            table.progress(&format!("{what} {}/{}", done + 1, names.len()));
        }
    });
}

/// The processors that this process, or thread, may run on.
pub fn cpus() -> nix::Result<Vec<usize>> {
    let set = sched_getaffinity(Pid::from_raw(0))?;
    let cpus: Vec<usize> = (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu).unwrap_or(false)).collect();
    if cpus.is_empty() { Err(Errno::ENODEV) } else { Ok(cpus) }
}

fn stay_on(cpu: usize) -> nix::Result<()> {
    let mut one = CpuSet::new();
    one.set(cpu)?;
    sched_setaffinity(Pid::from_raw(0), &one)
}
