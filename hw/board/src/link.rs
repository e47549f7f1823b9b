// SPDX-License-Identifier: Apache-2.0
//! The link to the host: what the device reads, writes and signals goes through it, is counted, and sometimes damaged or
//! lost. Called back by `device`, which also takes the time that [`link_timing`] says; calls `memory`.

use crate::device::{BusError, Host, Timing};
use crate::faults::{COMPLETION, Faults};
use crate::interface::ring::completion;
use crate::memory::Memory;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

/// Interrupt lines of the design, and vectors of MSI-X.
pub const VECTORS: usize = 3;

/// The clock of the device in MHz: what a full LFE5U-85 of five cores reaches in the slowest of three placements
/// (docs/hardware.md). The one place to change when it moves. Everything in device time rests on it, the
/// figures of docs/board.md too.
pub const PLACED_CLOCK_MHZ: f64 = 176.8;

/// Transactions under way in each direction; a PCIe bridge has as many tags or more.
const OUTSTANDING: u32 = 16;

/// The client's event descriptors, by vector.
pub type Events = Arc<Mutex<[Option<OwnedFd>; VECTORS]>>;

/// What a link of so many microseconds and MB/s takes in cycles of such a clock. A register access by the host arrives as
/// late as a write does.
#[must_use]
pub fn link_timing(latency_us: f64, bandwidth_mb_s: f64, clock_mhz: f64) -> Timing {
    Timing {
        latency: (latency_us * clock_mhz).round() as u64,
        bytes_per_cycle: bandwidth_mb_s / clock_mhz,
        outstanding: OUTSTANDING,
    }
}

/// What went over the link.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct Traffic {
    pub bytes_read: u64,
    pub bytes_written: u64,
    pub errors: u64,
    /// Jobs whose completions are in memory.
    pub jobs: u64,
    /// Cycles that cores took for them, as their completions say.
    pub computing: u64,
    /// Cycles in which a job was under way: from the doorbell to its completion in memory.
    pub occupied: u64,
    pub interrupts: u64,
}

/// The link.
pub struct Link {
    memory: Arc<Mutex<Memory>>,
    events: Events,
    /// What strikes it and the device.
    pub faults: Faults,
    traffic: Traffic,
    /// Jobs the doorbell told of since the rings were enabled, modulo 2^16, and the traffic's count of jobs then.
    submitted: u16,
    jobs_before: u64,
    /// Up to which cycle `traffic.occupied` counts.
    counted: u64,
}

impl Link {
    /// An idle link.
    pub fn new(memory: Arc<Mutex<Memory>>, events: Events, faults: Faults) -> Link {
        let traffic = Traffic::default();
        Link { memory, events, faults, traffic, submitted: 0, jobs_before: 0, counted: 0 }
    }

    /// What went over it up to cycle `now`.
    pub fn traffic(&mut self, now: u64) -> Traffic {
        if (self.traffic.jobs - self.jobs_before) as u16 != self.submitted {
            self.traffic.occupied += now - self.counted;
        }
        self.counted = now;
        self.traffic
    }

    /// The doorbell is rung: so many jobs have been submitted since the rings were enabled, modulo 2^16.
    pub fn submit(&mut self, now: u64, submitted: u16) {
        self.traffic(now);
        self.submitted = submitted;
    }

    /// The rings are disabled, or the device reset: its jobs are forgotten.
    pub fn restart_rings(&mut self, now: u64) {
        self.traffic(now);
        self.submitted = 0;
        self.jobs_before = self.traffic.jobs;
    }
}

impl Host for Link {
    fn read(&mut self, _: u64, address: u64, data: &mut [u8]) -> Result<(), BusError> {
        self.traffic.bytes_read += data.len() as u64;
        let done = Memory::read(&self.memory, address, data);
        self.traffic.errors += u64::from(done.is_err());
        done
    }

    fn write(&mut self, now: u64, address: u64, data: &[u8]) -> Result<(), BusError> {
        self.traffic(now);
        self.traffic.bytes_written += data.len() as u64;
        if let Some(cycles) = cycles_of(data) {
            self.traffic.jobs += 1;
            self.traffic.computing += u64::from(cycles);
        }
        let mut data = data.to_vec();
        self.faults.damage(&mut data);
        let done = Memory::write(&self.memory, address, &data);
        self.traffic.errors += u64::from(done.is_err());
        done
    }

    fn interrupt(&mut self, lines: u32) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        for (vector, event) in events.iter().enumerate() {
            if lines >> vector & 1 == 0 || self.faults.loses_interrupt() {
                continue;
            }
            self.traffic.interrupts += 1;
            if let Some(event) = event {
                signal(event);
            }
        }
    }
}

/// The cycles that a completion tells, if it is one.
fn cycles_of(data: &[u8]) -> Option<u32> {
    let start = completion::CYCLES.offset();
    let cycles = data.get(start..start + 4).filter(|_| data.len() <= COMPLETION)?;
    Some(u32::from_le_bytes(cycles.try_into().expect("four bytes")))
}

/// Signals an event descriptor if it takes the signal at once. It is the client's, and may be one that blocks; a full
/// counter has been signalled anyway.
fn signal(event: &OwnedFd) {
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let mut ready = [PollFd::new(event, PollFlags::OUT)];
    if poll(&mut ready, Some(&now)).is_ok() && ready[0].revents().contains(PollFlags::OUT) {
        let _ = rustix::io::write(event, &1u64.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::event::{EventfdFlags, eventfd};
    use rustix::pipe::pipe;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn an_event_descriptor_that_is_full_does_not_hold_the_simulation() {
        let counter = eventfd(0, EventfdFlags::CLOEXEC).unwrap();
        rustix::io::write(&counter, &(u64::MAX - 2).to_ne_bytes()).unwrap();
        let (read_end, write_end) = pipe().unwrap();
        let (done, wait) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            for event in [&counter, &write_end] {
                (0..20_000).for_each(|_| signal(event)); // more than a pipe holds
                done.send(()).unwrap();
            }
            counter
        });
        for _ in 0..2 {
            wait.recv_timeout(Duration::from_secs(60)).expect("not to block");
        }
        let mut count = [0; 8];
        rustix::io::read(thread.join().unwrap(), &mut count).unwrap();
        assert_eq!(u64::from_ne_bytes(count), u64::MAX - 1, "what there was room for");
        drop(read_end);
    }
}
