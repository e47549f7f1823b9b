// SPDX-License-Identifier: Apache-2.0
//! The rings of one engine of a board, whatever its descriptors say: places for descriptors and completions in shared memory,
//! and the registers of the engine's page.
//!
//! `rings` has those of RSA, `aes` those of both AES engines. A [`Link`] is the way to the board and the memory, which all
//! rings of a board share.

use super::format::{COMPLETION, Completion, DESCRIPTOR};
use super::interface::board::Engine;
use super::interface::{masked, registers as register};
use super::memory::DmaMemory;
use super::transport::Transport;
use std::io;
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

/// Jobs under way at most, and places of each ring.
pub const DEPTH: usize = 64;
/// Where the board sees our memory.
pub const ADDRESS: u64 = 0x1000_0000;
/// Bytes of the two rings of an engine.
pub const RING_BYTES: usize = (DEPTH * (DESCRIPTOR + COMPLETION)).next_multiple_of(4096);
/// How long a board may take to erase its keys when it is closed; a card takes less than a millisecond.
const WIPING: Duration = Duration::from_secs(10);
/// How often a board that erases is asked whether it has ended. It takes some 50,000 cycles.
const ERASING_POLL: Duration = Duration::from_micros(100);

/// The way to a board, and the memory that is shared with it.
pub struct Link {
    pub transport: Box<dyn Transport>,
    pub memory: DmaMemory,
}

impl Link {
    /// Takes `bytes` of memory that the board may use from now on. Nothing is to fail afterwards, or [`Link::close`] it.
    ///
    /// # Errors
    /// There is no such memory, or the board may not have it.
    pub fn new(mut transport: Box<dyn Transport>, bytes: usize) -> io::Result<Link> {
        let memory = DmaMemory::new(bytes, ADDRESS)?;
        transport.map(&memory)?;
        Ok(Link { transport, memory })
    }

    /// Resets a board that is not to be used any more, which erases its keys and ends what is under way, and overwrites the
    /// whole memory, also of a board that cannot be reset.
    ///
    /// # Errors
    /// The reset was refused or not answered.
    pub fn retire(&mut self) -> io::Result<()> {
        let reset = self.transport.reset();
        self.memory.wipe(0, self.memory.len());
        reset
    }

    /// Overwrites the keys in these engines, stops them and takes the memory back.
    pub fn close(&mut self, engines: &[Engine]) {
        let transport = &mut *self.transport;
        let closed = engines.iter().try_for_each(|engine| {
            transport.write(engine.offset + register::CONTROL, register::CONTROL_ZEROISE)?;
            until_erased(transport, *engine, WIPING)?;
            transport.write(engine.offset + register::CONTROL, 0)
        });
        // A reset erases as well, and ends what is under way; only then is the memory ours alone.
        let ended = transport.reset().and_then(|()| transport.unmap(&self.memory));
        if let Err(error) = closed.and(ended) {
            tracing::warn!(%error, "the board was left without its keys being seen overwritten");
        }
    }
}

/// The rings of one engine.
pub struct Ring {
    engine: Engine,
    /// Where in the memory its submissions are; its completions lie behind them.
    submissions: usize,
    /// Descriptors put and completions taken, modulo 2^16.
    tail: u16,
    head: u16,
    /// The index of the descriptor of each place whose job is under way.
    under_way: [Option<u16>; DEPTH],
}

impl Ring {
    /// Of an engine, with [`RING_BYTES`] of memory at `at`, a multiple of 64. [`Ring::start`] comes next.
    pub fn new(engine: Engine, at: usize) -> Ring {
        Ring { engine, submissions: at, tail: 0, head: 0, under_way: [None; DEPTH] }
    }

    /// Sets a fresh or reset engine up, when it has erased what it held: rings from index 0, and whether it interrupts.
    ///
    /// # Errors
    /// The board does not answer, or is still erasing when the transport's patience ends.
    pub fn start(&mut self, link: &mut Link, interrupts: bool) -> io::Result<()> {
        let limit = link.transport.patience();
        until_erased(&mut *link.transport, self.engine, limit)?;
        link.memory.wipe(self.submissions, RING_BYTES);
        (self.tail, self.head, self.under_way) = (0, 0, [None; DEPTH]);
        let submissions = link.memory.address() + self.submissions as u64;
        let completions = link.memory.address() + self.completions() as u64;
        let log2 = DEPTH.ilog2();
        let enabled = if interrupts { register::INTERRUPT_ENABLE_COMPLETION } else { 0 };
        for (offset, value) in [
            (register::SUBMISSION_BASE_LOW, submissions as u32),
            (register::SUBMISSION_BASE_HIGH, (submissions >> 32) as u32),
            (register::SUBMISSION_SIZE, log2),
            (register::SUBMISSION_TAIL, 0),
            (register::COMPLETION_BASE_LOW, completions as u32),
            (register::COMPLETION_BASE_HIGH, (completions >> 32) as u32),
            (register::COMPLETION_SIZE, log2),
            (register::COMPLETION_HEAD, 0),
            (register::INTERRUPT_STATUS, u32::MAX),
            (register::INTERRUPT_ENABLE, enabled),
            (register::CONTROL, register::CONTROL_ENABLE),
        ] {
            self.write(link, offset, value)?;
        }
        Ok(())
    }

    /// Writes one of the engine's registers.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn write(&self, link: &mut Link, register: usize, value: u32) -> io::Result<()> {
        link.transport.write(self.engine.offset + register, value)
    }

    /// Reads one of the engine's registers.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn read(&self, link: &mut Link, register: usize) -> io::Result<u32> {
        link.transport.read(self.engine.offset + register)
    }

    /// Puts the descriptor of a job at a free place into the ring. The board learns of it by [`Ring::ring_doorbell`].
    pub fn put(&mut self, link: &Link, place: usize, descriptor: &[u8; DESCRIPTOR]) {
        link.memory.write(self.submissions + usize::from(self.tail) % DEPTH * DESCRIPTOR, descriptor);
        self.under_way[place] = Some(self.tail);
        self.tail = self.tail.wrapping_add(1);
    }

    /// Tells the board of all jobs that were put.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn ring_doorbell(&self, link: &mut Link) -> io::Result<()> {
        self.write(link, register::SUBMISSION_TAIL, self.tail.into())
    }

    /// Whether there is a completion to take.
    pub fn has_next(&self, link: &Link) -> bool {
        Completion::is_new(link.memory.word(self.next() + Completion::PHASE), self.head, DEPTH)
    }

    /// Takes the next completion, if there is one, and the place of its job. The board learns of it by [`Ring::acknowledge`].
    ///
    /// # Errors
    /// It is of no job that is under way. Such a board is broken or worse.
    pub fn take(&mut self, link: &Link) -> io::Result<Option<(usize, Completion)>> {
        if !self.has_next(link) {
            return Ok(None);
        }
        fence(Ordering::Acquire);
        let at = self.next();
        self.head = self.head.wrapping_add(1);
        let completion = Completion::read(|offset| link.memory.word(at + offset));
        // Jobs end in any order, so that two under way may have had the same place in the ring; the same index only if
        // 2^16 others ended while one of them hung.
        let Some(place) = self.under_way.iter().position(|&index| index == Some(completion.index)) else {
            let reason = format!("it completed a job that was not under way: index {}", completion.index);
            return Err(io::Error::other(reason));
        };
        self.under_way[place] = None;
        Ok(Some((place, completion)))
    }

    fn completions(&self) -> usize {
        self.submissions + DEPTH * DESCRIPTOR
    }

    fn next(&self) -> usize {
        self.completions() + usize::from(self.head) % DEPTH * COMPLETION
    }

    /// Tells the board of all completions that were taken.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn acknowledge(&self, link: &mut Link) -> io::Result<()> {
        self.write(link, register::COMPLETION_HEAD, self.head.into())
    }

    /// Whether the engine could not write a completion. None behind it is found any more: a job is lost, and the phase of its
    /// place is of no use.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn has_lost_completion(&self, link: &mut Link) -> io::Result<bool> {
        Ok(self.read(link, register::ERROR)? & register::ERROR_COMPLETION_FAULT != 0)
    }

    /// The engine's counters; `clear` sets them to 0 afterwards.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn counters(&self, link: &mut Link, clear: bool) -> io::Result<Counters> {
        let mut wide = |register: usize| {
            let low = self.read(link, register)?;
            io::Result::Ok(u64::from(low) | u64::from(self.read(link, register + 4)?) << 32)
        };
        let counters = Counters {
            cycles: wide(register::CYCLES)?,
            jobs: wide(register::JOBS)?,
            failed: wide(register::JOBS_FAILED)?,
            busy_core_cycles: wide(register::BUSY_CORE_CYCLES)?,
            bus_cycles: wide(register::BUS_CYCLES)?,
            bus_beats: wide(register::BUS_BEATS)?,
        };
        if clear {
            self.write(link, register::CONTROL, register::CONTROL_ENABLE | register::CONTROL_CLEAR_COUNTERS)?;
        }
        Ok(counters)
    }
}

/// Counters of an engine, in device time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Counters {
    pub cycles: u64,
    pub jobs: u64,
    pub failed: u64,
    pub busy_core_cycles: u64,
    pub bus_cycles: u64,
    pub bus_beats: u64,
}

/// A register's field, by its mask.
pub fn field(value: u32, mask: u32) -> usize {
    masked(value, mask) as usize
}

/// Whether the engine is there, and one we know how to talk to.
///
/// # Errors
/// It is not: a function that is gone reads as ones.
pub fn present(transport: &mut dyn Transport, engine: Engine) -> io::Result<()> {
    match transport.read(engine.offset + register::ID)? {
        register::ID_VALUE_CONSTANT => Ok(()),
        u32::MAX => Err(io::Error::new(io::ErrorKind::NotConnected, "the board is gone: its registers read as ones")),
        id => Err(io::Error::other(format!("no Garner accelerator: identification {id:#010x}"))),
    }
}

/// Refuses what is no engine of this version.
///
/// # Errors
/// See there.
pub fn check_version(transport: &mut dyn Transport, engine: Engine) -> io::Result<()> {
    present(transport, engine)?;
    let major = field(transport.read(engine.offset + register::VERSION)?, register::VERSION_MAJOR);
    if major == register::VERSION_MAJOR_CONSTANT as usize {
        return Ok(());
    }
    let known = register::VERSION_MAJOR_CONSTANT;
    Err(io::Error::other(format!("register map version {major}; version {known} is known here")))
}

/// Waits until the engine has erased what it held: after a reset, and after `CONTROL_ZEROISE`.
fn until_erased(transport: &mut dyn Transport, engine: Engine, limit: Duration) -> io::Result<()> {
    let start = Instant::now();
    while transport.read(engine.offset + register::STATUS)? & register::STATUS_ZEROISING != 0 {
        present(transport, engine)?;
        if start.elapsed() > limit {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the board did not end erasing its memories"));
        }
        std::thread::sleep(ERASING_POLL);
    }
    Ok(())
}
