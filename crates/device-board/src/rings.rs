// SPDX-License-Identifier: Apache-2.0
//! The rings of one board, for one owner: descriptors in, completions out, and a place in memory for each job.
//!
//! Nothing a board writes late can reach a caller's memory: operands and results lie in places of the rings' own.
//! `driver` shares them between threads, `direct` has them alone.

use super::format::{Completion, Descriptor, Job};
use super::interface::board::RSA;
use super::interface::registers as register;
use super::interface::rsa::descriptor;
use super::ring::{self, Counters, DEPTH, Link, RING_BYTES, Ring, field};
use super::transport::Transport;
use rustix::event::{EventfdFlags, eventfd};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// How often a line that rises again at once is cleared, at most. One that stays high costs speed alone: the driver looks at the
/// rings without an interrupt, too.
const REARMS: usize = 16;

/// What the capability registers say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Capability {
    pub cores: usize,
    pub key_slots: usize,
    pub max_bits: usize,
    pub operand_bytes: usize,
}

/// Where in our memory things are, behind the rings.
#[derive(Clone, Copy)]
struct Layout {
    operands: usize,
    place: usize,
}

impl Layout {
    fn new(capability: Capability) -> Layout {
        let operands = capability.operand_bytes.next_multiple_of(64);
        Layout { operands, place: operands + (capability.max_bits / 8).next_multiple_of(64) }
    }

    fn operands(self, place: usize) -> usize {
        RING_BYTES + place * self.place
    }

    fn result(self, place: usize) -> usize {
        self.operands(place) + self.operands
    }

    fn bytes(self) -> usize {
        self.operands(DEPTH)
    }
}

/// The rings of RSA, their memory, and the way to the board.
pub struct Rings {
    link: Link,
    ring: Ring,
    layout: Layout,
    capability: Capability,
    interrupt: OwnedFd,
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
        let interrupt = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let link = Link::new(transport, layout.bytes())?;
        Ok(Rings { link, ring: Ring::new(RSA, 0), layout, capability, interrupt })
    }

    /// Sets a fresh or reset board up, when it has erased what it held: rings from index 0, and whether it interrupts.
    ///
    /// # Errors
    /// The board does not answer, or is still erasing when the transport's patience ends.
    pub fn start(&mut self, interrupts: bool) -> io::Result<()> {
        self.link.transport.interrupt(self.interrupt.as_fd())?;
        self.ring.start(&mut self.link, interrupts)
    }

    /// What the board can do.
    pub fn capability(&self) -> Capability {
        self.capability
    }

    /// How long the transport's boards may be silent.
    pub fn patience(&self) -> Duration {
        self.link.transport.patience()
    }

    /// What an interrupt signals.
    pub fn interrupt(&self) -> BorrowedFd<'_> {
        self.interrupt.as_fd()
    }

    /// Whether `bytes` of operands fit a place.
    pub fn has_room_for(&self, bytes: usize) -> bool {
        bytes <= self.capability.operand_bytes
    }

    /// Puts a job into the ring, with its operands at a free place, below [`DEPTH`]. The board learns of it by
    /// [`Rings::ring_doorbell`]. The operands must fit.
    pub fn put(&mut self, place: usize, job: Job, operands: &[&[u8]], result_bytes: usize) {
        let start = self.layout.operands(place);
        let mut end = start;
        for part in operands {
            assert!(end + part.len() <= start + self.layout.operands, "operands that fit their place");
            self.link.memory.write(end, part);
            end += part.len();
        }
        let descriptor = Descriptor {
            job,
            operand_bytes: end - start,
            result_bytes,
            operand_address: self.link.memory.address() + start as u64,
            result_address: self.link.memory.address() + self.layout.result(place) as u64,
        };
        self.ring.put(&self.link, place, &descriptor.to_bytes());
    }

    /// Tells the board of all jobs that were put.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn ring_doorbell(&mut self) -> io::Result<()> {
        self.ring.ring_doorbell(&mut self.link)
    }

    /// Whether there is a completion to take.
    pub fn has_next(&self) -> bool {
        self.ring.has_next(&self.link)
    }

    /// Takes the next completion, if there is one, and the place of its job. The board learns of it by
    /// [`Rings::acknowledge`].
    ///
    /// # Errors
    /// It is of no job that is under way.
    pub fn take(&mut self) -> io::Result<Option<(usize, Completion)>> {
        self.ring.take(&self.link)
    }

    /// Tells the board of all completions that were taken.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn acknowledge(&mut self) -> io::Result<()> {
        self.ring.acknowledge(&mut self.link)
    }

    /// Lets the next completion interrupt again. To be called before looking for completions: what comes later raises
    /// it anew. The read that shows the line low is also what has brought the write to the board, behind PCI.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn rearm(&mut self) -> io::Result<()> {
        for _ in 0..REARMS {
            self.ring.write(&mut self.link, register::INTERRUPT_STATUS, u32::MAX)?;
            let lines = self.ring.read(&mut self.link, register::INTERRUPT_STATUS)?;
            if lines & register::INTERRUPT_STATUS_COMPLETION == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Copies out the result of the job at a place.
    pub fn result(&self, place: usize, result: &mut [u8]) {
        self.link.memory.read(self.layout.result(place), result);
    }

    /// Overwrites a place: operands and results are secret, or will be.
    pub fn wipe(&self, place: usize) {
        self.link.memory.wipe(self.layout.operands(place), self.layout.place);
    }

    /// Whether the board is there, and the one we know how to talk to.
    ///
    /// # Errors
    /// It is not: a function that is gone reads as ones.
    pub fn check_presence(&mut self) -> io::Result<()> {
        ring::present(&mut *self.link.transport, RSA)
    }

    /// Whether the board could not write a completion: it is of no use until [`Rings::reset`].
    ///
    /// # Errors
    /// The board does not answer.
    pub fn has_lost_completion(&mut self) -> io::Result<bool> {
        self.ring.has_lost_completion(&mut self.link)
    }

    /// Ends the use of a board: resets it, if it answers, and overwrites all memory that it shares.
    ///
    /// # Errors
    /// The reset was refused or not answered.
    pub fn retire(&mut self) -> io::Result<()> {
        self.link.retire()
    }

    /// Resets a board that hangs. [`Rings::start`] comes next.
    ///
    /// # Errors
    /// It does not answer, or it is another one now.
    pub fn reset(&mut self) -> io::Result<()> {
        self.link.transport.reset()?;
        if identify(&mut *self.link.transport)? == self.capability {
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
        self.ring.counters(&mut self.link, clear)
    }
}

impl Drop for Rings {
    /// Overwrites the keys on the board, stops it and takes the memory back.
    fn drop(&mut self) {
        self.link.close(&[RSA]);
    }
}

/// Refuses what is no accelerator of this version.
fn identify(transport: &mut dyn Transport) -> io::Result<Capability> {
    ring::check_version(transport, RSA)?;
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
    // A descriptor says lengths in so many bits.
    let has_lengths = capability.max_bits < 1 << descriptor::BITS.width.min(descriptor::EXPONENT_BITS.width);
    if capability.cores == 0 || capability.key_slots == 0 || !has_room_for_keys || !has_lengths {
        return Err(io::Error::other(format!("impossible capabilities: {capability:?}")));
    }
    Ok(capability)
}

#[cfg(test)]
mod tests {
    use super::super::fake::Fake;
    use super::*;
    use std::sync::atomic::Ordering;

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
