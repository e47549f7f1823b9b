// SPDX-License-Identifier: Apache-2.0
//! The rings of one board, for one owner: descriptors in, completions out, and a place in memory for each job.
//!
//! Nothing a board writes late can reach a caller's memory: operands and results lie in places of the rings' own.
//! `driver` shares them between threads, `direct` has them alone.

use super::format::{COMPLETION, Completion, DESCRIPTOR, Descriptor, Job};
use super::interface::registers as register;
use super::memory::DmaMemory;
use super::transport::Transport;
use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{Ordering, fence};
use std::time::{Duration, Instant};

/// Jobs under way at most, and places of each ring.
pub const DEPTH: usize = 64;
/// Where the board sees our memory.
const ADDRESS: u64 = 0x1000_0000;
/// How long a board may take to erase its keys when it is closed; a card takes less than a millisecond.
const WIPING: Duration = Duration::from_secs(10);
/// How often a board that erases is asked whether it has ended. It takes some 50,000 cycles.
const ERASING_POLL: Duration = Duration::from_micros(100);

/// What the capability registers say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Capability {
    pub cores: usize,
    pub key_slots: usize,
    pub max_bits: usize,
    pub operand_bytes: usize,
}

/// Counters of the board, in device time.
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

/// Where in our memory things are.
#[derive(Clone, Copy)]
struct Layout {
    completions: usize,
    places: usize,
    operands: usize,
    place: usize,
}

impl Layout {
    fn new(capability: Capability) -> Layout {
        let operands = capability.operand_bytes.next_multiple_of(64);
        let completions = DEPTH * DESCRIPTOR;
        let place = operands + (capability.max_bits / 8).next_multiple_of(64);
        Layout { completions, places: (completions + DEPTH * COMPLETION).next_multiple_of(4096), operands, place }
    }

    fn operands(self, place: usize) -> usize {
        self.places + place * self.place
    }

    fn result(self, place: usize) -> usize {
        self.operands(place) + self.operands
    }

    fn bytes(self) -> usize {
        self.places + DEPTH * self.place
    }
}

/// The rings, their memory, and the way to the board.
pub struct Rings {
    transport: Box<dyn Transport>,
    memory: DmaMemory,
    layout: Layout,
    capability: Capability,
    interrupt: OwnedFd,
    /// Descriptors put and completions taken, modulo 2^16.
    tail: u16,
    head: u16,
}

impl Rings {
    /// Takes a board over and resets it. [`Rings::start`] comes next.
    ///
    /// # Errors
    /// What is behind `transport` is no accelerator of this version, or it failed.
    pub fn open(mut transport: Box<dyn Transport>) -> io::Result<Rings> {
        transport.reset()?;
        let capability = identify(&mut *transport)?;
        let layout = Layout::new(capability);
        let memory = DmaMemory::new(layout.bytes(), ADDRESS)?;
        let interrupt = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        // Last: from here on nothing fails, and the rings unmap it when they are dropped.
        transport.map(&memory)?;
        Ok(Rings { transport, memory, layout, capability, interrupt, tail: 0, head: 0 })
    }

    /// Sets a fresh or reset board up, when it has erased what it held: rings from index 0, and whether it interrupts.
    ///
    /// # Errors
    /// The board does not answer, or is still erasing when the transport's patience ends.
    pub fn start(&mut self, interrupts: bool) -> io::Result<()> {
        let limit = self.patience();
        until_erased(&mut *self.transport, limit)?;
        let (submissions, completions) =
            (self.memory.address(), self.memory.address() + self.layout.completions as u64);
        self.memory.wipe(0, self.layout.places);
        (self.tail, self.head) = (0, 0);
        self.transport.interrupt(self.interrupt.as_fd())?;
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
            self.transport.write(offset, value)?;
        }
        Ok(())
    }

    /// What the board can do.
    pub fn capability(&self) -> Capability {
        self.capability
    }

    /// How long the transport's boards may be silent.
    pub fn patience(&self) -> Duration {
        self.transport.patience()
    }

    /// What an interrupt signals.
    pub fn interrupt(&self) -> BorrowedFd<'_> {
        self.interrupt.as_fd()
    }

    /// Whether `bytes` of operands fit a place.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        bytes <= self.capability.operand_bytes
    }

    /// Puts a job into the ring, with its operands at a free place, whose number becomes its tag. The board learns of it
    /// by [`Rings::ring_doorbell`]. At most [`DEPTH`] jobs may be under way, and the operands must fit.
    pub fn put(&mut self, place: usize, job: Job, operands: &[&[u8]], result_bytes: usize) {
        let start = self.layout.operands(place);
        let mut end = start;
        for part in operands {
            assert!(end + part.len() <= start + self.layout.operands, "operands that fit their place");
            self.memory.write(end, part);
            end += part.len();
        }
        let descriptor = Descriptor {
            job,
            tag: place as u16,
            operand_bytes: end - start,
            result_bytes,
            operand_address: self.memory.address() + start as u64,
            result_address: self.memory.address() + self.layout.result(place) as u64,
        };
        self.memory.write(usize::from(self.tail) % DEPTH * DESCRIPTOR, &descriptor.to_bytes());
        self.tail = self.tail.wrapping_add(1);
    }

    /// Tells the board of all jobs that were put.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn ring_doorbell(&mut self) -> io::Result<()> {
        self.transport.write(register::SUBMISSION_TAIL, self.tail.into())
    }

    /// Whether there is a completion to take.
    pub fn has_next(&self) -> bool {
        Completion::is_new(self.memory.word(self.next() + Completion::PHASE), self.head, DEPTH)
    }

    /// Takes the next completion, if there is one. The board learns of it by [`Rings::acknowledge`].
    pub fn take(&mut self) -> Option<Completion> {
        if !self.has_next() {
            return None;
        }
        fence(Ordering::Acquire);
        let at = self.next();
        self.head = self.head.wrapping_add(1);
        Some(Completion::read(|offset| self.memory.word(at + offset)))
    }

    fn next(&self) -> usize {
        self.layout.completions + usize::from(self.head) % DEPTH * COMPLETION
    }

    /// Tells the board of all completions that were taken.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn acknowledge(&mut self) -> io::Result<()> {
        self.transport.write(register::COMPLETION_HEAD, self.head.into())
    }

    /// Lets the next completion interrupt again. To be called before looking for completions: what comes later raises
    /// it anew.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn rearm(&mut self) -> io::Result<()> {
        self.transport.write(register::INTERRUPT_STATUS, u32::MAX)
    }

    /// Copies out the result of the job at a place.
    pub fn result(&self, place: usize, result: &mut [u8]) {
        self.memory.read(self.layout.result(place), result);
    }

    /// Overwrites a place: operands and results are secret, or will be.
    pub fn wipe(&self, place: usize) {
        self.memory.wipe(self.layout.operands(place), self.layout.place);
    }

    /// Whether the board is there, and the one we know how to talk to.
    ///
    /// # Errors
    /// It is not: a function that is gone reads as ones.
    pub fn check_presence(&mut self) -> io::Result<()> {
        present(&mut *self.transport)
    }

    /// Resets a board that hangs. [`Rings::start`] comes next.
    ///
    /// # Errors
    /// It does not answer, or it is another one now.
    pub fn reset(&mut self) -> io::Result<()> {
        self.transport.reset()?;
        if identify(&mut *self.transport)? == self.capability {
            Ok(())
        } else {
            Err(io::Error::other("it is another board now"))
        }
    }

    /// The board's counters; `clear` sets them to 0 afterwards.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn counters(&mut self, clear: bool) -> io::Result<Counters> {
        let transport = &mut self.transport;
        let mut wide = |offset: usize| {
            let low = transport.read(offset)?;
            io::Result::Ok(u64::from(low) | u64::from(transport.read(offset + 4)?) << 32)
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
            transport.write(register::CONTROL, register::CONTROL_ENABLE | register::CONTROL_CLEAR_COUNTERS)?;
        }
        Ok(counters)
    }
}

impl Drop for Rings {
    /// Overwrites the keys on the board, stops it and takes the memory back.
    fn drop(&mut self) {
        let transport = &mut self.transport;
        let closed = transport
            .write(register::CONTROL, register::CONTROL_ZEROISE)
            .and_then(|()| until_erased(&mut **transport, WIPING))
            .and_then(|()| transport.write(register::CONTROL, 0));
        // A reset erases as well, and ends what is under way; only then is the memory ours alone.
        let ended = transport.reset().and_then(|()| transport.unmap(&self.memory));
        if let Err(error) = closed.and(ended) {
            tracing::warn!(%error, "the board was left without its keys being seen overwritten");
        }
    }
}

fn field(value: u32, mask: u32) -> usize {
    ((value & mask) >> mask.trailing_zeros()) as usize
}

fn present(transport: &mut dyn Transport) -> io::Result<()> {
    match transport.read(register::ID)? {
        register::ID_VALUE_CONSTANT => Ok(()),
        u32::MAX => Err(io::Error::new(io::ErrorKind::NotConnected, "the board is gone: its registers read as ones")),
        id => Err(io::Error::other(format!("no Garner accelerator: identification {id:#010x}"))),
    }
}

/// Waits until the board has erased what it held: after a reset, and after `CONTROL_ZEROISE`.
fn until_erased(transport: &mut dyn Transport, limit: Duration) -> io::Result<()> {
    let start = Instant::now();
    while transport.read(register::STATUS)? & register::STATUS_ZEROISING != 0 {
        present(transport)?;
        if start.elapsed() > limit {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "the board did not end erasing its memories"));
        }
        std::thread::sleep(ERASING_POLL);
    }
    Ok(())
}

/// Refuses what is no accelerator of this version.
fn identify(transport: &mut dyn Transport) -> io::Result<Capability> {
    present(transport)?;
    let major = field(transport.read(register::VERSION)?, register::VERSION_MAJOR);
    if major != register::VERSION_MAJOR_CONSTANT as usize {
        let known = register::VERSION_MAJOR_CONSTANT;
        return Err(io::Error::other(format!("register map version {major}; version {known} is known here")));
    }
    let cores = transport.read(register::CAPABILITY_CORES)?;
    let arithmetic = transport.read(register::CAPABILITY_ARITHMETIC)?;
    let montgomery = transport.read(register::CAPABILITY_MONTGOMERY)?;
    let capability = Capability {
        cores: field(cores, register::CAPABILITY_CORES_CORES),
        key_slots: field(cores, register::CAPABILITY_CORES_KEY_SLOTS),
        max_bits: field(arithmetic, register::CAPABILITY_ARITHMETIC_MAX_BITS),
        operand_bytes: 4 * field(montgomery, register::CAPABILITY_MONTGOMERY_OPERAND_WORDS),
    };
    // A key is n, of max_bits, five numbers of half as many, and 32 bits of e: 7 / 16 * max_bits + 4 bytes.
    let has_room_for_keys = capability.operand_bytes * 16 >= 7 * capability.max_bits + 64;
    if capability.cores == 0 || capability.key_slots == 0 || !has_room_for_keys {
        return Err(io::Error::other(format!("impossible capabilities: {capability:?}")));
    }
    Ok(capability)
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;

    #[test]
    fn a_board_whose_operands_are_a_word_too_short_for_its_longest_key_is_refused() {
        let words = 7 * 2048 / 64 + 1;
        for (operand_words, good) in [(words, true), (words - 1, false)] {
            let (mut fake, _) = Fake::new();
            fake.operand_words = operand_words;
            let opened = Rings::open(fake);
            assert_eq!(opened.is_ok(), good, "{:?}", opened.err());
        }
    }

    #[test]
    fn no_ring_is_enabled_while_a_board_erases_what_it_held() {
        let (mut fake, seen) = Fake::new();
        fake.erasing = 3; // else start() would not end
        let mut rings = Rings::open(fake).unwrap();
        rings.start(false).unwrap();
        assert!(seen.enabled.load(Ordering::SeqCst));
        assert!(!seen.enabled_early.load(Ordering::SeqCst));
    }

    #[test]
    fn a_board_that_never_ends_erasing_is_refused() {
        let (mut fake, seen) = Fake::new();
        (fake.erasing, fake.patience) = (u64::MAX, Duration::from_millis(2));
        let mut rings = Rings::open(fake).unwrap();
        assert_eq!(rings.start(false).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(!seen.enabled.load(Ordering::SeqCst));
    }
}
