// SPDX-License-Identifier: Apache-2.0
//! The design at work, on a thread of its own: it answers register accesses, moves data over the link, raises
//! interrupts. Called by `function`; calls `device`, around which it puts a `link`.
//!
//! The thread sleeps while the design has nothing to do: no descriptor, no transaction, no timer that runs. Device time
//! stands still then.

use crate::device::{Device, Model, ModelError, Timing};
use crate::faults::{Faults, Plan, Strike};
use crate::interface::board::{self, PAGE_BYTES};
use crate::interface::registers as register;
use crate::link::{ENGINES, Events, Link, Traffic};
use crate::memory::Memory;
use rustix::io::Errno;
use std::fmt;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// After so many cycles without anything on a bus the design is asked whether it is idle.
const QUIET: u64 = 2048;
/// Faults strike, and requests are looked for, after so many cycles at the latest.
const STEP: u64 = 16;

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

/// What a simulation has done.
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct Statistics {
    pub cycles: u64,
    /// Time in which the simulation did not sleep.
    pub awake: Duration,
    /// Of each engine.
    pub traffic: [Traffic; ENGINES],
}

impl Statistics {
    /// What was done since an earlier moment.
    #[must_use]
    pub fn since(self, before: Statistics) -> Statistics {
        Statistics {
            cycles: self.cycles - before.cycles,
            awake: self.awake.saturating_sub(before.awake),
            traffic: std::array::from_fn(|engine| self.traffic[engine].since(before.traffic[engine])),
        }
    }

    /// Simulated cycles a second of real time.
    pub fn speed(&self) -> f64 {
        self.cycles as f64 / self.awake.as_secs_f64().max(1e-9)
    }

    /// Everything, for a program; cycles are those of a clock of `clock_mhz`. RSA's by themselves, those of the AES engines
    /// below their names.
    pub fn json(&self, board: &str, clock_mhz: f64) -> serde_json::Value {
        let mut said = serde_json::json!({
            "board": board, "clock_mhz": clock_mhz, "cycles": self.cycles, "awake_s": self.awake.as_secs_f64(),
            "cycles_per_second": self.speed(),
        });
        for (engine, traffic) in self.traffic.iter().enumerate() {
            let of_engine = serde_json::json!({
                "jobs": traffic.jobs, "occupied_cycles": traffic.occupied, "computing_cycles": traffic.computing,
                "bytes_read": traffic.bytes_read, "bytes_written": traffic.bytes_written, "bus_errors": traffic.errors,
                "interrupts": traffic.interrupts,
            });
            match of_engine {
                serde_json::Value::Object(members) if engine == 0 => {
                    said.as_object_mut().expect("it is").extend(members)
                }
                of_engine => said[board::ENGINES[engine].name] = of_engine,
            }
        }
        said
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (engine, traffic) in self.traffic.iter().enumerate() {
            let Traffic { bytes_read, bytes_written, errors, jobs, computing, occupied, interrupts } = traffic;
            if engine > 0 && *jobs == 0 {
                continue;
            }
            write!(
                f,
                "{}: {jobs} jobs, {computing} core cycles, under way in {occupied} of {} cycles; {bytes_read} bytes \
                 read, {bytes_written} written, {errors} bus errors, {interrupts} interrupts; ",
                board::ENGINES[engine].name,
                self.cycles,
            )?;
        }
        write!(f, "{:.2} s, {:.0} kcycles/s", self.awake.as_secs_f64(), self.speed() / 1e3)
    }
}

/// The handle of a running simulation.
pub struct Simulation {
    /// Of the design: each has a page of registers.
    pub engines: usize,
    requests: Sender<Request>,
    statistics: Arc<Mutex<Statistics>>,
    thread: Option<JoinHandle<()>>,
}

impl Simulation {
    /// Starts the thread; the design is reset.
    ///
    /// # Errors
    /// [`ModelError::NoWaves`] when a waveform is wanted of a model that has none.
    pub fn start(parts: Parts) -> Result<Simulation, ModelError> {
        let (requests, receiver) = mpsc::channel();
        let statistics = Arc::new(Mutex::new(Statistics::default()));
        let engines = parts.model.engines();
        let mut runner = Runner::new(parts, Arc::clone(&statistics))?;
        let thread = std::thread::Builder::new()
            .name("simulation".to_owned())
            .spawn(move || runner.run(&receiver))
            .expect("a thread");
        Ok(Simulation { engines, requests, statistics, thread: Some(thread) })
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
    device: Device<Link>,
    engines: usize,
    /// Of a register access on its way over the link, in cycles.
    latency: u64,
    /// The cycle in which a register was last written, or the design last asked whether it is idle.
    asked: u64,
    statistics: Arc<Mutex<Statistics>>,
}

impl Runner {
    fn new(parts: Parts, statistics: Arc<Mutex<Statistics>>) -> Result<Runner, ModelError> {
        let link = Link::new(parts.memory, parts.events, Faults::new(parts.faults));
        let mut device = Device::new(&parts.model, link);
        device.set_timing(parts.timing);
        if let Some(wave) = parts.wave {
            device.wave(&wave.path, wave.from, wave.cycles)?;
        }
        let engines = parts.model.engines();
        Ok(Runner { device, engines, latency: parts.timing.latency, asked: 0, statistics })
    }

    fn run(&mut self, requests: &Receiver<Request>) {
        let mut awake = Duration::ZERO;
        let mut since = Instant::now();
        loop {
            let request = match requests.try_recv() {
                Ok(request) => Some(request),
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) if self.may_sleep() => {
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
            self.advance(STEP);
            if self.device.cycles() % 4096 < STEP {
                self.publish(awake + since.elapsed());
            }
        }
    }

    fn publish(&mut self, awake: Duration) {
        let cycles = self.device.cycles();
        let traffic = self.device.host().traffic(cycles);
        *self.statistics.lock().unwrap_or_else(PoisonError::into_inner) = Statistics { cycles, awake, traffic };
    }

    /// Whether nothing would ever happen without the outside.
    fn may_sleep(&mut self) -> bool {
        if self.device.host().faults.absent() {
            return true;
        }
        if self.device.quiet().min(self.device.cycles() - self.asked) <= QUIET {
            return false;
        }
        let idle = (0..self.engines).all(|engine| self.is_idle(engine));
        if !idle {
            self.asked = self.device.cycles(); // ask again after another quiet stretch
        }
        idle
    }

    /// Whether an engine has nothing to do and no timer that runs.
    fn is_idle(&mut self, engine: usize) -> bool {
        let page = board::ENGINES[engine].offset;
        self.read((page + register::STATUS) as u16).is_some_and(|status| {
            status & (register::STATUS_IDLE | register::STATUS_ZEROISING) == register::STATUS_IDLE
        }) && self
            .read((page + register::INTERRUPT_COALESCE) as u16)
            .is_some_and(|coalesce| coalesce & register::INTERRUPT_COALESCE_CYCLES == 0)
    }

    fn reset(&mut self) {
        let now = self.device.cycles();
        self.device.host().reset(now);
        self.device.reset();
    }

    /// A register access is on its way over the link.
    fn travel(&mut self) {
        self.advance(self.latency);
    }

    /// Takes note of what a write means for the jobs under way.
    fn tell_of(&mut self, offset: u16, value: u32) {
        let (now, offset, page) = (self.device.cycles(), usize::from(offset), PAGE_BYTES);
        if offset / page < self.engines {
            self.device.host().tell_of(now, offset / page, offset % page, value);
        }
    }

    /// Lets so many cycles pass; what strikes meanwhile strikes.
    fn advance(&mut self, cycles: u64) {
        let end = self.device.cycles() + cycles;
        loop {
            let now = self.device.cycles();
            match self.device.host().faults.strike(now) {
                Some(Strike::Memory(dice)) => self.device.flip_memory(dice),
                Some(Strike::Core) => self.device.stop_core(),
                Some(Strike::Bus) => self.device.hold_bus(true),
                None => {}
            }
            if now >= end {
                return;
            }
            self.device.run(STEP.min(end - now));
        }
    }

    /// Reads a register; `None` when the design refuses or does not answer.
    fn read(&mut self, offset: u16) -> Option<u32> {
        if self.device.host().faults.absent() { Some(u32::MAX) } else { self.device.read(offset) }
    }

    fn write(&mut self, offset: u16, value: u32) -> Option<()> {
        if self.device.host().faults.absent() {
            return Some(());
        }
        let done = self.device.write(offset, value);
        self.asked = self.device.cycles();
        done
    }
}
