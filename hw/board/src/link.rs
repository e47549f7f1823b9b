// SPDX-License-Identifier: Apache-2.0
//! The link to the host: what the device reads, writes and signals goes through it, is counted, and sometimes damaged or
//! lost. Called back by `device`, which also takes the time that [`link_timing`] says; calls `memory`.

use crate::device::{BusError, Host, Timing};
use crate::faults::Faults;
use crate::interface::board::{self, LINES, VECTORS};
use crate::interface::ring::completion;
use crate::interface::{masked, registers as register};
use crate::memory::Memory;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, PoisonError};

/// Engines of a whole board.
pub const ENGINES: usize = board::ENGINES.len();

/// The vectors of a board with so many engines.
#[must_use]
pub fn vectors(engines: usize) -> usize {
    board::ENGINES[..engines].iter().map(|engine| engine.vectors).sum()
}

/// The vector that a line of the design raises.
fn vector_of(line: usize) -> usize {
    let engine = board::ENGINES[line / LINES];
    if engine.vectors == LINES { engine.vector + line % LINES } else { engine.vector }
}

/// The clock of the device in MHz: what a full LFE5U-85 of five cores reaches in the slowest of three placements; that of
/// docs/hardware.md is their median, 190. The one place to change when it moves. Everything in device time rests on it, the
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

/// What went over the link for an engine.
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

impl Traffic {
    /// What went since an earlier moment.
    #[must_use]
    pub fn since(self, before: Traffic) -> Traffic {
        Traffic {
            bytes_read: self.bytes_read - before.bytes_read,
            bytes_written: self.bytes_written - before.bytes_written,
            errors: self.errors - before.errors,
            jobs: self.jobs - before.jobs,
            computing: self.computing - before.computing,
            occupied: self.occupied - before.occupied,
            interrupts: self.interrupts - before.interrupts,
        }
    }
}

/// An engine's rings, as far as the host's writes to its registers tell of them.
#[derive(Debug, Clone, Copy, Default)]
struct Rings {
    traffic: Traffic,
    /// Where completions go, and how many bytes of them there are.
    completions: u64,
    completion_bytes: u64,
    /// Of rings that are disabled nobody here knows how many jobs the device had taken: none is counted as under way.
    enabled: bool,
    /// Jobs the doorbell told of since the rings were enabled, modulo 2^16, and the traffic's count of jobs then.
    submitted: u16,
    jobs_before: u64,
    /// Up to which cycle `traffic.occupied` counts.
    counted: u64,
}

impl Rings {
    fn count(&mut self, now: u64) {
        if self.enabled && (self.traffic.jobs - self.jobs_before) as u16 != self.submitted {
            self.traffic.occupied += now - self.counted;
        }
        self.counted = now;
    }

    /// Whether a write there is a completion.
    fn completes(&self, address: u64) -> bool {
        address.wrapping_sub(self.completions) < self.completion_bytes
    }
}

/// The link.
pub struct Link {
    memory: Arc<Mutex<Memory>>,
    events: Events,
    /// What strikes it and the device.
    pub faults: Faults,
    rings: [Rings; ENGINES],
}

impl Link {
    /// An idle link.
    pub fn new(memory: Arc<Mutex<Memory>>, events: Events, faults: Faults) -> Link {
        Link { memory, events, faults, rings: Default::default() }
    }

    /// What went over it up to cycle `now`, for each engine.
    pub fn traffic(&mut self, now: u64) -> [Traffic; ENGINES] {
        self.rings.each_mut().map(|rings| {
            rings.count(now);
            rings.traffic
        })
    }

    /// The host writes a register of an engine. A doorbell counts from when it is rung.
    pub fn tell_of(&mut self, now: u64, engine: usize, register: usize, value: u32) {
        let rings = &mut self.rings[engine];
        let low = u64::from(u32::MAX);
        match register {
            register::SUBMISSION_TAIL => {
                rings.count(now);
                rings.submitted = value as u16;
            }
            register::CONTROL => self.enable_rings(now, engine, value & register::CONTROL_ENABLE != 0),
            register::COMPLETION_BASE_LOW => {
                let begins = u64::from(value & register::COMPLETION_BASE_LOW_VALUE);
                rings.completions = rings.completions & !low | begins;
            }
            register::COMPLETION_BASE_HIGH => {
                rings.completions = rings.completions & low | u64::from(value) << u32::BITS;
            }
            register::COMPLETION_SIZE => {
                rings.completion_bytes = (completion::BYTES as u64) << masked(value, register::COMPLETION_SIZE_LOG2);
            }
            _ => {}
        }
    }

    /// The rings of an engine are enabled or disabled, or are written to be what they are. They begin anew when they are
    /// enabled: until then come the completions of jobs that were under way when they were disabled.
    fn enable_rings(&mut self, now: u64, engine: usize, enabled: bool) {
        let rings = &mut self.rings[engine];
        rings.count(now);
        if enabled && !rings.enabled {
            rings.submitted = 0;
            rings.jobs_before = rings.traffic.jobs;
        }
        rings.enabled = enabled;
    }

    /// The device is reset.
    pub fn reset(&mut self, now: u64) {
        for engine in 0..ENGINES {
            self.enable_rings(now, engine, false);
            (self.rings[engine].completions, self.rings[engine].completion_bytes) = (0, 0);
        }
    }
}

impl Host for Link {
    fn read(&mut self, _: u64, engine: u32, address: u64, data: &mut [u8]) -> Result<(), BusError> {
        let traffic = &mut self.rings[engine as usize].traffic;
        traffic.bytes_read += data.len() as u64;
        let done = Memory::read(&self.memory, address, data);
        traffic.errors += u64::from(done.is_err());
        done
    }

    fn write(&mut self, now: u64, engine: u32, address: u64, data: &[u8]) -> Result<(), BusError> {
        let rings = &mut self.rings[engine as usize];
        rings.count(now);
        rings.traffic.bytes_written += data.len() as u64;
        let mut data = data.to_vec();
        if rings.completes(address) {
            rings.traffic.jobs += 1;
            rings.traffic.computing += u64::from(cycles_of(&data));
            let next = address.wrapping_add(completion::BYTES as u64); // where it begins the client says
            if self.faults.repeats() && rings.completes(next) {
                // An error is that of the completion itself.
                let _ = Memory::write(&self.memory, next, &data);
            }
        } else if engine == 0 {
            self.faults.damage(&mut data);
        }
        let done = Memory::write(&self.memory, address, &data);
        rings.traffic.errors += u64::from(done.is_err());
        done
    }

    fn interrupt(&mut self, lines: u32) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        let mut signalled = [false; VECTORS];
        for line in (0..LINES * ENGINES).filter(|line| lines >> line & 1 != 0) {
            let vector = vector_of(line);
            if std::mem::replace(&mut signalled[vector], true) || self.faults.loses_interrupt() {
                continue;
            }
            self.rings[line / LINES].traffic.interrupts += 1;
            if let Some(event) = &events[vector] {
                signal(event);
            }
        }
    }
}

/// The cycles that a completion tells; 0 of half a one.
fn cycles_of(data: &[u8]) -> u32 {
    let start = completion::CYCLES.offset();
    let cycles = data.get(start..start + 4).and_then(|cycles| cycles.try_into().ok());
    cycles.map_or(0, u32::from_le_bytes)
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
    use crate::faults::Plan;
    use garner_vfio_user::message::DmaMap;
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

    #[test]
    fn completions_are_known_by_where_they_go_and_each_engine_is_counted_for_itself() {
        let plan = Plan { flip: 1.0, ..Plan::default() };
        let mut link = Link::new(Arc::default(), Events::default(), Faults::new(plan));
        for (engine, base) in [(0, 0x1000), (1, 0x2000)] {
            link.tell_of(0, engine, register::COMPLETION_BASE_LOW, base);
            link.tell_of(0, engine, register::COMPLETION_BASE_HIGH, 0);
            link.tell_of(0, engine, register::COMPLETION_SIZE, 2);
            link.tell_of(0, engine, register::CONTROL, register::CONTROL_ENABLE);
            link.tell_of(5, engine, register::SUBMISSION_TAIL, 1);
        }
        let mut completion = [0; completion::BYTES];
        completion[completion::CYCLES.offset()] = 7;
        assert_eq!(link.write(10, 1, 0x1FF0, &[0; 16]), Err(BusError), "a block, and nothing is mapped");
        assert_eq!(link.write(15, 1, 0x2010, &completion), Err(BusError));
        let [rsa, encryption, _] = link.traffic(25);
        assert_eq!((rsa.jobs, rsa.occupied, rsa.bytes_written), (0, 20, 0));
        assert_eq!((encryption.jobs, encryption.computing, encryption.occupied), (1, 7, 10));
        assert_eq!((encryption.bytes_written, encryption.errors), (32, 2));
    }

    #[test]
    fn the_lowest_bits_of_where_completions_go_are_0_as_in_the_design() {
        let mut link = Link::new(Arc::default(), Events::default(), Faults::new(Plan::default()));
        link.tell_of(0, 0, register::COMPLETION_BASE_LOW, 0x100F);
        link.tell_of(0, 0, register::COMPLETION_SIZE, 0);
        for (address, jobs) in [(0x0FF0, 0), (0x1000, 1), (0x1010, 1)] {
            assert_eq!(link.write(0, 0, address, &[0; completion::BYTES]), Err(BusError), "nothing is mapped");
            assert_eq!(link.traffic(0)[0].jobs, jobs, "{address:#x}");
        }
    }

    #[test]
    fn completions_of_disabled_rings_are_no_jobs_of_those_that_are_enabled_next() {
        let mut link = Link::new(Arc::default(), Events::default(), Faults::new(Plan::default()));
        let ends =
            |link: &mut Link, now| assert_eq!(link.write(now, 0, 0x1000, &[0; completion::BYTES]), Err(BusError));
        link.tell_of(0, 0, register::COMPLETION_BASE_LOW, 0x1000);
        link.tell_of(0, 0, register::COMPLETION_SIZE, 2);
        link.tell_of(0, 0, register::CONTROL, register::CONTROL_ENABLE);
        link.tell_of(10, 0, register::SUBMISSION_TAIL, 3);
        link.tell_of(15, 0, register::CONTROL, register::CONTROL_ENABLE | register::CONTROL_ZEROISE); // they go on
        ends(&mut link, 20);
        link.tell_of(30, 0, register::CONTROL, 0); // one of two is still to end, the other was not read
        ends(&mut link, 40);
        assert_eq!(link.traffic(100)[0].occupied, 20);
        link.tell_of(100, 0, register::SUBMISSION_TAIL, 0);
        link.tell_of(100, 0, register::CONTROL, register::CONTROL_ENABLE);
        link.tell_of(200, 0, register::SUBMISSION_TAIL, 1);
        ends(&mut link, 207);
        let rsa = link.traffic(300)[0];
        assert_eq!((rsa.jobs, rsa.occupied), (3, 27));
    }

    #[test]
    fn completions_behind_so_many_are_written_twice_within_the_ring() {
        let file = rustix::fs::memfd_create("test", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        rustix::fs::ftruncate(&file, 0x1000).unwrap();
        let mut memory = Memory::default();
        memory.set_bus_master(true);
        let map = DmaMap { flags: DmaMap::READ | DmaMap::WRITE, address: 0x1000, size: 0x1000, ..DmaMap::default() };
        memory.map(&map, Some(file.try_clone().unwrap())).unwrap();
        let faults = Faults::new(Plan { twice_after: Some(1), ..Plan::default() });
        let mut link = Link::new(Arc::new(Mutex::new(memory)), Events::default(), faults);
        link.tell_of(0, 0, register::COMPLETION_BASE_LOW, 0x1000);
        link.tell_of(0, 0, register::COMPLETION_SIZE, 2);
        let mut seen = [0; 4 * completion::BYTES];
        for (place, byte) in [1, 2, 3, 4].into_iter().enumerate() {
            link.write(0, 0, (0x1000 + place * completion::BYTES) as u64, &[byte; completion::BYTES]).unwrap();
            rustix::io::pread(&file, &mut seen, 0).unwrap();
            let places: Vec<u8> = seen.chunks(completion::BYTES).map(|place| place[0]).collect();
            assert_eq!(places, [[1, 0, 0, 0], [1, 2, 2, 0], [1, 2, 3, 3], [1, 2, 3, 4]][place]);
        }
    }

    #[test]
    fn the_rings_of_rsa_have_a_vector_for_each_line_and_those_of_aes_one() {
        assert_eq!((0..9).map(vector_of).collect::<Vec<_>>(), [0, 1, 2, 3, 3, 3, 4, 4, 4]);
        assert_eq!((vectors(1), vectors(ENGINES)), (LINES, VECTORS));
    }
}
