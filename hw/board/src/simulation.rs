// SPDX-License-Identifier: Apache-2.0
//! The design at work, on a thread of its own: it answers register accesses, moves data over the link, raises
//! interrupts. Called by `function`; calls `model` and `link`.
//!
//! The thread sleeps while the design has nothing to do: no descriptor, no transaction, no timer that runs. Device time
//! stands still then.

use crate::faults::{Faults, Plan, Strike};
use crate::interface::registers as register;
use crate::link::{Link, Timing, Traffic};
use crate::memory::Memory;
use crate::model::{In, Model, ModelError, Out};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::fmt;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Interrupt lines of the design, and vectors of MSI-X.
pub const VECTORS: usize = 3;

/// After so many cycles without anything on a bus the design is asked whether it is idle.
const QUIET: u64 = 2048;
/// A register answers within this many cycles, or not at all.
const REGISTER_LIMIT: u64 = 10_000;

/// Answers a request.
pub type Answer<T> = Box<dyn FnOnce(Result<T, Errno>) + Send>;

/// What the outside asks of the simulation; served in order.
pub enum Request {
    /// Read a register.
    Read(u16, Answer<u32>),
    /// Write a register.
    Write(u16, u32, Answer<()>),
    /// Reset the design.
    Reset(Answer<()>),
    /// End.
    Stop,
}

/// A window of cycles to write a waveform of.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub struct Wave {
    pub path: PathBuf,
    pub from: u64,
    pub cycles: u64,
}

/// What a simulation is made of.
#[allow(missing_docs)]
pub struct Parts {
    pub model: Model,
    pub timing: Timing,
    pub memory: Arc<Mutex<Memory>>,
    pub events: Events,
    pub faults: Plan,
    pub wave: Option<Wave>,
}

/// The client's event descriptors, by vector.
pub type Events = Arc<Mutex<[Option<OwnedFd>; VECTORS]>>;

/// What a simulation has done.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct Statistics {
    pub cycles: u64,
    /// Cycles in which a job was under way: from the doorbell to its completion in memory.
    pub occupied: u64,
    /// Time in which the simulation did not sleep.
    pub awake: Duration,
    pub traffic: Traffic,
    pub interrupts: u64,
}

impl Statistics {
    /// What was done since an earlier moment.
    #[must_use]
    pub fn since(self, before: Statistics) -> Statistics {
        let (new, old) = (self.traffic, before.traffic);
        Statistics {
            cycles: self.cycles - before.cycles,
            occupied: self.occupied - before.occupied,
            awake: self.awake.saturating_sub(before.awake),
            traffic: Traffic {
                bytes_read: new.bytes_read - old.bytes_read,
                bytes_written: new.bytes_written - old.bytes_written,
                errors: new.errors - old.errors,
                jobs: new.jobs - old.jobs,
                computing: new.computing - old.computing,
            },
            interrupts: self.interrupts - before.interrupts,
        }
    }

    /// Simulated cycles a second of real time.
    pub fn speed(&self) -> f64 {
        self.cycles as f64 / self.awake.as_secs_f64().max(1e-9)
    }

    /// Everything, for a program; cycles are those of a clock of `clock_mhz`.
    pub fn json(&self, board: &str, clock_mhz: f64) -> serde_json::Value {
        serde_json::json!({
            "board": board, "clock_mhz": clock_mhz, "jobs": self.traffic.jobs, "cycles": self.cycles,
            "occupied_cycles": self.occupied, "computing_cycles": self.traffic.computing,
            "bytes_read": self.traffic.bytes_read, "bytes_written": self.traffic.bytes_written,
            "bus_errors": self.traffic.errors, "interrupts": self.interrupts,
            "awake_s": self.awake.as_secs_f64(), "cycles_per_second": self.speed(),
        })
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Traffic { bytes_read, bytes_written, errors, jobs, computing } = self.traffic;
        write!(
            f,
            "{jobs} jobs, {computing} core cycles, under way in {} of {} cycles; {bytes_read} bytes read, \
             {bytes_written} written, {errors} bus errors, {} interrupts; {:.2} s, {:.0} kcycles/s",
            self.occupied,
            self.cycles,
            self.interrupts,
            self.awake.as_secs_f64(),
            self.speed() / 1e3,
        )
    }
}

/// The handle of a running simulation.
pub struct Simulation {
    requests: Sender<Request>,
    statistics: Arc<Mutex<Statistics>>,
    thread: Option<JoinHandle<()>>,
}

impl Simulation {
    /// Starts the thread; the design is reset.
    ///
    /// # Errors
    /// [`ModelError::NoWaves`] when a waveform is wanted of a model that has none.
    pub fn start(mut parts: Parts) -> Result<Simulation, ModelError> {
        if let Some(wave) = &parts.wave {
            parts.model.wave_start(&wave.path)?; // to know now; the runner starts it anew
            parts.model.wave_stop();
        }
        let (requests, receiver) = mpsc::channel();
        let statistics = Arc::new(Mutex::new(Statistics::default()));
        let mut runner = Runner::new(parts, Arc::clone(&statistics));
        let thread = std::thread::Builder::new()
            .name("simulation".to_owned())
            .spawn(move || runner.run(&receiver))
            .expect("a thread");
        Ok(Simulation { requests, statistics, thread: Some(thread) })
    }

    /// Hands in a request; its answer is given on the simulation's thread.
    pub fn request(&self, request: Request) {
        // A simulation that has ended drops the request; its client sees a time-out.
        let _ = self.requests.send(request);
    }

    /// What it has done so far.
    pub fn statistics(&self) -> Statistics {
        *self.statistics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        self.request(Request::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Runner {
    model: Model,
    link: Link,
    events: Events,
    faults: Faults,
    wave: Option<Wave>,
    pins: In,
    out: Out,
    now: u64,
    /// The last cycle in which anything moved on a bus.
    moved: u64,
    /// Jobs the doorbell told of since the rings were enabled, modulo 2^16, and the traffic's count of jobs then.
    submitted: u16,
    jobs_before: u64,
    occupied: u64,
    interrupts: u64,
    statistics: Arc<Mutex<Statistics>>,
}

impl Runner {
    fn new(parts: Parts, statistics: Arc<Mutex<Statistics>>) -> Runner {
        Runner {
            model: parts.model,
            link: Link::new(parts.timing, parts.memory),
            events: parts.events,
            faults: Faults::new(parts.faults),
            wave: parts.wave,
            pins: In::default(),
            out: Out::default(),
            now: 0,
            moved: 0,
            submitted: 0,
            jobs_before: 0,
            occupied: 0,
            interrupts: 0,
            statistics,
        }
    }

    fn run(&mut self, requests: &Receiver<Request>) {
        let mut awake = Duration::ZERO;
        let mut since = Instant::now();
        self.reset();
        loop {
            let request = match requests.try_recv() {
                Ok(request) => Some(request),
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) if self.now - self.moved > QUIET && self.may_sleep() => {
                    awake += since.elapsed();
                    self.publish(awake);
                    let request = requests.recv().ok();
                    since = Instant::now();
                    request
                }
                Err(TryRecvError::Empty) => None,
            };
            match request {
                Some(Request::Read(offset, answer)) => {
                    self.travel();
                    answer(self.read(offset).ok_or(Errno::IO));
                }
                Some(Request::Write(offset, value, answer)) => {
                    self.tell_of(offset, value);
                    self.travel();
                    answer(self.write(offset, value).ok_or(Errno::IO));
                }
                Some(Request::Reset(answer)) => {
                    self.reset();
                    self.publish(awake + since.elapsed());
                    answer(Ok(()));
                }
                Some(Request::Stop) => return,
                None => {}
            }
            for _ in 0..16 {
                self.cycle();
            }
            if self.now % 4096 < 16 {
                self.publish(awake + since.elapsed());
            }
        }
    }

    fn publish(&self, awake: Duration) {
        let mut statistics = self.statistics.lock().unwrap_or_else(PoisonError::into_inner);
        let (cycles, occupied) = (self.now, self.occupied);
        *statistics = Statistics { cycles, occupied, awake, traffic: self.link.traffic, interrupts: self.interrupts };
    }

    /// Whether nothing would ever happen without the outside.
    fn may_sleep(&mut self) -> bool {
        if self.faults.absent() {
            return true;
        }
        let moved = self.now;
        let idle = self.link.is_idle()
            && self.read(register::STATUS as u16).is_some_and(|status| {
                status & (register::STATUS_IDLE | register::STATUS_ZEROISING) == register::STATUS_IDLE
            })
            && self
                .read(register::INTERRUPT_COALESCE as u16)
                .is_some_and(|coalesce| coalesce & register::INTERRUPT_COALESCE_CYCLES == 0);
        if !idle {
            self.moved = moved; // ask again after another quiet stretch
        }
        idle
    }

    fn reset(&mut self) {
        self.link.reset();
        self.restart_rings();
        self.pins = In::default();
        for _ in 0..4 {
            self.cycle();
        }
        self.pins.rst_n = true;
        self.moved = self.now;
    }

    /// A register access is on its way over the link.
    fn travel(&mut self) {
        for _ in 0..self.link.latency() {
            self.cycle();
        }
    }

    /// Takes note of what a write means for the jobs under way. A doorbell counts from when it is rung.
    fn tell_of(&mut self, offset: u16, value: u32) {
        match usize::from(offset) {
            register::SUBMISSION_TAIL => self.submitted = value as u16,
            register::CONTROL if value & register::CONTROL_ENABLE == 0 => self.restart_rings(),
            _ => {}
        }
    }

    fn restart_rings(&mut self) {
        self.submitted = 0;
        self.jobs_before = self.link.traffic.jobs;
    }

    fn is_occupied(&self) -> bool {
        (self.link.traffic.jobs - self.jobs_before) as u16 != self.submitted
    }

    fn cycle(&mut self) {
        match self.faults.strike(self.now) {
            Some(Strike::Memory(dice)) => self.model.flip_memory(dice),
            Some(Strike::Core) => self.model.stop_core(),
            None => {}
        }
        if let Some(wave) = &self.wave {
            if self.now == wave.from {
                if let Err(error) = self.model.wave_start(&wave.path) {
                    tracing::error!("{error}");
                }
            } else if self.now == wave.from.saturating_add(wave.cycles) {
                self.model.wave_stop();
            }
        }
        let resetting = !self.pins.rst_n;
        if !resetting {
            self.link.drive(self.now, &mut self.pins, &mut self.faults);
        }
        let out = self.model.cycle(&self.pins);
        if !resetting {
            if self.link.observe(self.now, &self.pins, &out) {
                self.moved = self.now;
            }
            let rising = out.irq & !self.out.irq;
            if rising != 0 {
                self.interrupt(rising);
            }
        }
        self.out = out;
        self.now += 1;
        self.occupied += u64::from(self.is_occupied());
    }

    fn interrupt(&mut self, rising: u8) {
        let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        for (vector, event) in events.iter().enumerate() {
            if rising >> vector & 1 == 0 || self.faults.loses_interrupt() {
                continue;
            }
            self.interrupts += 1;
            if let Some(event) = event {
                signal(event);
            }
        }
    }

    /// A read over AXI4-Lite; `None` when the design refuses or does not answer.
    fn read(&mut self, offset: u16) -> Option<u32> {
        if self.faults.absent() {
            return Some(u32::MAX);
        }
        self.pins.arvalid = true;
        self.pins.araddr = offset;
        self.pins.rready = true;
        let mut value = None;
        for _ in 0..REGISTER_LIMIT {
            self.cycle();
            if self.pins.arvalid && self.out.arready == 1 {
                self.pins.arvalid = false;
            }
            if self.out.rvalid == 1 {
                value = (self.out.rresp == 0).then_some(self.out.rdata);
                break;
            }
        }
        (self.pins.arvalid, self.pins.rready) = (false, false);
        value
    }

    fn write(&mut self, offset: u16, value: u32) -> Option<()> {
        if self.faults.absent() {
            return Some(());
        }
        (self.pins.awvalid, self.pins.wvalid, self.pins.bready) = (true, true, true);
        (self.pins.awaddr, self.pins.wdata) = (offset, value);
        let mut done = None;
        for _ in 0..REGISTER_LIMIT {
            self.cycle();
            self.pins.awvalid &= self.out.awready == 0;
            self.pins.wvalid &= self.out.wready == 0;
            if self.out.bvalid == 1 {
                done = (self.out.bresp == 0).then_some(());
                break;
            }
        }
        (self.pins.awvalid, self.pins.wvalid, self.pins.bready) = (false, false, false);
        self.moved = self.now;
        done
    }
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
