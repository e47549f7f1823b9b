// SPDX-License-Identifier: Apache-2.0
//! A board for one thread alone, without the gatherer: jobs into the rings, completions out of them. No lock, no thread,
//! no interrupt, and no call of the kernel but what the transport needs to reach a register.
//!
//! **Nothing is blinded and nothing is checked here.** What a board returns is to be checked before anybody sees it:
//! one wrong CRT half gives the key away.

use super::address;
use super::driver::{NOT_OURS, key_parts};
use super::format::{self, Op, Scheme, status};
use super::owned::Owned;
use super::ring::{Counters, DEPTH};
use super::rings::{Capability, Rings};
use super::transport::Transport;
use garner::error::{Error, Result};
use garner::key::PrivateKey;
use std::io;

/// One job. Numbers are words of 64 bits, the lowest first, as many as the modulus has; all of them public to whoever can
/// read this process's memory, and secret to everybody else.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Job<'a> {
    /// Puts a modulus of any odd number into a slot of every core, for [`Job::Multiply`] and [`Job::Exponentiate`].
    LoadModulus {
        /// Which slot.
        slot: u8,
        /// The modulus; its top bit is set.
        modulus: &'a [u64],
    },
    /// Puts a key into a slot of every core, for all jobs.
    LoadKey {
        /// Which slot.
        slot: u8,
        /// A key that the board takes, see [`DeviceInfo::takes_key`](garner::device::DeviceInfo::takes_key).
        key: &'a PrivateKey,
    },
    /// a * b / R mod n, a Montgomery multiplication. R is what the board's arrays make it: 2 to the power of a multiple of
    /// word_bits * rows.
    Multiply {
        /// Which slot.
        slot: u8,
        /// A factor, below n.
        a: &'a [u64],
        /// The other.
        b: &'a [u64],
    },
    /// base^exponent mod n.
    Exponentiate {
        /// Which slot.
        slot: u8,
        /// How.
        scheme: Scheme,
        /// Below n.
        base: &'a [u64],
        /// Any, not longer than the longest modulus.
        exponent: &'a [u64],
    },
    /// m^d mod n, by the CRT, checked by the board.
    Private {
        /// Which slot.
        slot: u8,
        /// m, below n.
        base: &'a [u64],
    },
    /// Overwrites what is in a slot of every core, and what jobs of any key have left in the cores' working memories; not
    /// what the shell still has of operands.
    Zeroise {
        /// Which slot.
        slot: u8,
    },
}

/// A job that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// What [`Direct::submit`] returned.
    pub ticket: usize,
    /// From a core's taking the job to its answer, in cycles of the board's clock; or, as [`Error::Device`], why there is no
    /// result: the board refused the job, or found its own result wrong.
    pub cycles: Result<u32>,
}

/// A board that this thread has for itself. A child made by `fork` does not have it: every call fails there.
pub struct Direct {
    name: String,
    rings: Owned<Rings>,
    free: Vec<usize>,
}

impl Direct {
    /// Opens the board at `vfio-user:PATH` or at a PCI address as `0000:03:00.0`.
    ///
    /// # Errors
    /// [`Error::Argument`] naming the address: nothing is there, or no accelerator that this driver knows.
    pub fn open(address: &str) -> Result<Direct> {
        let direct = address::open(address).and_then(|transport| Direct::over(address, transport));
        direct.map_err(|error| Error::argument("board", format!("{address}: {error}")))
    }

    fn over(address: &str, transport: Box<dyn Transport>) -> io::Result<Direct> {
        let mut rings = Rings::open(transport)?;
        rings.start(false)?;
        let (rings, free) = (Owned::new(rings), (0..DEPTH).rev().collect());
        Ok(Direct { name: format!("board:{address}"), rings, free })
    }

    fn check_owner(&self) -> Result<()> {
        if self.rings.is_ours() { Ok(()) } else { Err(failed(&self.name, NOT_OURS)) }
    }

    /// What the board can do.
    pub fn capability(&self) -> Capability {
        self.rings.capability()
    }

    /// Jobs that may still be submitted before one is taken out.
    pub fn room(&self) -> usize {
        self.free.len()
    }

    /// Writes a job into the ring; the board learns of it by [`Direct::ring_doorbell`]. A ticket below 64, until the job is
    /// taken out; none when there is no room.
    ///
    /// # Errors
    /// [`Error::Argument`] for operands longer than the board takes, [`Error::Device`] in a child of the owner.
    pub fn submit(&mut self, job: &Job<'_>) -> Result<Option<usize>> {
        self.check_owner()?;
        fn bytes(words: &[u64]) -> &[u8] {
            bytemuck::cast_slice(words)
        }
        let exponent;
        let key_operands;
        let number_operands;
        let mut request = format::Job {
            op: Op::Private,
            scheme: Scheme::FixedWindow,
            slot: 0,
            bits: 0,
            exponent_bits: 0,
            interrupt: false,
        };
        let (operands, result_bytes): (&[&[u8]], usize) = match *job {
            Job::LoadModulus { slot, modulus } => {
                (request.op, request.slot, request.bits) = (Op::LoadModulus, slot, 64 * modulus.len());
                number_operands = [bytes(modulus), &[]];
                (&number_operands, 0)
            }
            Job::LoadKey { slot, key } => {
                (request.op, request.slot, request.bits) = (Op::LoadKey, slot, key.public().bits());
                exponent = (key.public().exponent()[0] as u32).to_le_bytes();
                key_operands = key_parts(key, &exponent);
                (&key_operands, 0)
            }
            Job::Multiply { slot, a, b } => {
                (request.op, request.slot) = (Op::Multiply, slot);
                number_operands = [bytes(a), bytes(b)];
                (&number_operands, 8 * a.len())
            }
            Job::Exponentiate { slot, scheme, base, exponent } => {
                (request.op, request.slot, request.scheme) = (Op::Exponentiate, slot, scheme);
                request.exponent_bits = 64 * exponent.len();
                number_operands = [bytes(base), bytes(exponent)];
                (&number_operands, 8 * base.len())
            }
            Job::Private { slot, base } => {
                (request.op, request.slot) = (Op::Private, slot);
                number_operands = [bytes(base), &[]];
                (&number_operands, 8 * base.len())
            }
            Job::Zeroise { slot } => {
                (request.op, request.slot) = (Op::Zeroise, slot);
                (&[], 0)
            }
        };
        let length = operands.iter().map(|part| part.len()).sum();
        let longest = self.capability().max_bits;
        let bits = request.bits.max(request.exponent_bits).max(8 * result_bytes);
        if bits > longest || !self.rings.has_room_for(length) {
            let reason = format!("{bits} bits, {length} bytes of operands; this board takes {longest} bits");
            return Err(Error::argument("job", reason));
        }
        let Some(place) = self.free.pop() else { return Ok(None) };
        self.rings.put(place, request, operands, result_bytes);
        Ok(Some(place))
    }

    /// Tells the board of the jobs submitted since the last time.
    ///
    /// # Errors
    /// [`Error::Device`]: the board does not answer.
    pub fn ring_doorbell(&mut self) -> Result<()> {
        self.check_owner()?;
        self.rings.ring_doorbell().map_err(|error| failed(&self.name, error))
    }

    /// Takes out a job that has ended, and copies as many words of its result as `result` has, zeros if the job failed; none
    /// if no job has ended.
    ///
    /// A look at memory that finds nothing costs the board nothing. If nothing comes for long, see
    /// [`Direct::check_presence`].
    ///
    /// # Errors
    /// [`Error::Device`]: the board does not answer; it is to be opened again.
    pub fn poll(&mut self, result: &mut [u64]) -> Result<Option<Ended>> {
        self.check_owner()?;
        let Some((place, completion)) = self.rings.take().map_err(|error| failed(&self.name, error))? else {
            return Ok(None);
        };
        let words = result.len().min(self.capability().max_bits / 64);
        self.rings.result(place, bytemuck::cast_slice_mut(&mut result[..words]));
        self.rings.wipe(place);
        self.free.push(place);
        self.rings.acknowledge().map_err(|error| failed(&self.name, error))?;
        let cycles = if completion.status == status::OK {
            Ok(completion.cycles)
        } else {
            result.fill(0);
            Err(failed(&self.name, status::text(completion.status)))
        };
        Ok(Some(Ended { ticket: place, cycles }))
    }

    /// Whether the board is still there, and its completions are found.
    ///
    /// # Errors
    /// [`Error::Device`]: it is not, or could not write a completion; the board is to be opened again.
    pub fn check_presence(&mut self) -> Result<()> {
        self.check_owner()?;
        let lost = self.rings.check_presence().and_then(|()| self.rings.has_lost_completion());
        match lost.map_err(|error| failed(&self.name, error))? {
            false => Ok(()),
            true => Err(failed(&self.name, "a completion could not be written")),
        }
    }

    /// Counters in device time, since the reset or since they were cleared; `clear` clears them.
    ///
    /// # Errors
    /// [`Error::Device`]: the board does not answer.
    pub fn counters(&mut self, clear: bool) -> Result<Counters> {
        self.check_owner()?;
        self.rings.counters(clear).map_err(|error| failed(&self.name, error))
    }
}

fn failed(name: &str, reason: impl ToString) -> Error {
    Error::Device { device: name.to_owned(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::child::in_child;
    use super::super::fake::Fake;
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn a_descriptor_that_could_not_be_read_fails_its_job_alone() {
        let (fake, seen) = Fake::new();
        let mut direct = Direct::over("fake", fake).unwrap();
        *seen.unread.lock().unwrap() = Some(1);
        let mut submit = |base| direct.submit(&Job::Private { slot: 0, base: &[base; 8] }).unwrap();
        let tickets = [3, 4, 5].map(&mut submit);
        direct.ring_doorbell().unwrap();
        let mut poll = || {
            let mut result = [9; 8];
            (direct.poll(&mut result).unwrap().unwrap(), result)
        };
        let (first, second, third) = (poll(), poll(), poll());
        assert!(first.0.cycles.is_ok() && third.0.cycles.is_ok());
        assert!(second.0.cycles.is_err_and(|reason| reason.to_string().contains("memory could not be read")));
        assert_eq!([first.0.ticket, second.0.ticket, third.0.ticket].map(Some), tickets);
        assert_eq!((first.1, second.1, third.1), ([3; 8], [0; 8], [5; 8]));
        assert_eq!((direct.poll(&mut [0; 8]), direct.room()), (Ok(None), DEPTH));
    }

    #[test]
    fn numbers_longer_than_the_board_takes_are_refused() {
        let (fake, _) = Fake::new();
        let mut direct = Direct::over("fake", fake).unwrap();
        for words in [33, 128] {
            let number = &vec![u64::MAX; words][..];
            for job in [
                Job::LoadModulus { slot: 0, modulus: number },
                Job::Multiply { slot: 0, a: number, b: &[1] },
                Job::Exponentiate { slot: 0, scheme: Scheme::FixedWindow, base: &[1], exponent: number },
                Job::Private { slot: 0, base: number },
            ] {
                let refused = direct.submit(&job);
                assert!(matches!(refused, Err(Error::Argument { .. })), "{job:?}: {refused:?}");
            }
        }
        let longest = Job::LoadModulus { slot: 0, modulus: &[u64::MAX; 32] };
        assert_eq!((direct.room(), direct.submit(&longest).unwrap().is_some()), (DEPTH, true));
    }

    #[test]
    fn a_completion_that_could_not_be_written_is_told_by_who_looks_for_the_board() {
        let (fake, seen) = Fake::new();
        let mut direct = Direct::over("fake", fake).unwrap();
        seen.lose_completion.store(true, Ordering::SeqCst);
        for _ in 0..2 {
            direct.submit(&Job::Private { slot: 0, base: &[3; 8] }).unwrap();
        }
        direct.check_presence().unwrap();
        direct.ring_doorbell().unwrap();
        assert_eq!(direct.poll(&mut [0; 8]).unwrap(), None, "nor is the one behind it found");
        assert!(direct.check_presence().unwrap_err().to_string().contains("could not be written"));
    }

    #[test]
    fn a_child_of_a_fork_gets_errors_and_leaves_the_board_alone() {
        let (fake, seen) = Fake::new();
        let direct = Direct::over("fake", fake).unwrap();
        let base = [3; 8];
        let job = Job::Private { slot: 0, base: &base };
        // Dropped in the child, too; the parent goes on with it.
        let mut direct = Some(direct);
        assert!(in_child(|| {
            let accesses = seen.accesses.load(Ordering::SeqCst);
            let mut direct = direct.take().unwrap();
            let refused = direct.submit(&job).is_err()
                && direct.ring_doorbell().is_err()
                && direct.poll(&mut [0; 8]).is_err()
                && direct.check_presence().is_err()
                && direct.counters(false).is_err();
            drop(direct);
            refused && seen.accesses.load(Ordering::SeqCst) == accesses
        }));
        let mut direct = direct.unwrap();
        let ticket = direct.submit(&job).unwrap();
        direct.ring_doorbell().unwrap();
        assert_eq!(direct.poll(&mut [0; 8]).unwrap().map(|ended| ended.ticket), ticket);
        let resets = seen.resets.load(Ordering::SeqCst);
        drop(direct);
        assert_eq!(seen.resets.load(Ordering::SeqCst), resets + 1, "the owner leaves a board without keys");
    }
}
