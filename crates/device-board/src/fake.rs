// SPDX-License-Identifier: Apache-2.0
//! A board for tests: every job ends at once, and the result of a private operation is its operand, but for what a test asks.

use super::format::{COMPLETION, Completion, DESCRIPTOR, Op, status};
use super::interface::rsa::descriptor;
use super::interface::{registers as register, unmasked};
use super::memory::DmaMemory;
use super::ring::{ADDRESS, DEPTH};
use super::transport::Transport;
use garner::key::PrivateKey;
use openssl::rsa::Rsa;
use rustix::io::{pread, pwrite, write};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What every private operation takes; loading a key takes more.
pub const CYCLES: u32 = 1000;

/// What a test asks of a board, and what happened to it.
#[derive(Default)]
pub struct Seen {
    /// The next private operation never ends.
    pub hang: AtomicBool,
    /// Private operations are refused.
    pub refuse: AtomicBool,
    /// The next wiping of a slot is refused.
    pub refuse_wipe: AtomicBool,
    /// The index of a descriptor that cannot be read.
    pub unread: Mutex<Option<u16>>,
    /// The completion of the next private operation cannot be written.
    pub lose_completion: AtomicBool,
    /// No job is done, and nothing is signalled.
    pub deaf: AtomicBool,
    pub resets: AtomicU64,
    /// Slots that were wiped, in order.
    pub wiped: Mutex<Vec<u8>>,
    /// All that reached the board.
    pub accesses: AtomicU64,
    /// The rings were enabled; and while it erased.
    pub enabled: AtomicBool,
    pub enabled_early: AtomicBool,
}

/// The board.
pub struct Fake {
    seen: Arc<Seen>,
    /// Words of operands that it takes.
    pub operand_words: u32,
    /// So many times it says after a reset that it is still erasing.
    pub erasing: u64,
    pub patience: Duration,
    erasing_left: u64,
    memory: Option<OwnedFd>,
    event: Option<OwnedFd>,
    /// Descriptors taken and completions given since the reset.
    taken: u16,
    given: usize,
    /// A completion is lost.
    lost: bool,
}

impl Fake {
    /// A board for keys up to 2048 bits.
    pub fn new() -> (Box<Fake>, Arc<Seen>) {
        let seen = Arc::new(Seen::default());
        let fake = Fake {
            seen: Arc::clone(&seen),
            operand_words: 256,
            erasing: 0,
            patience: Duration::from_secs(60),
            erasing_left: 0,
            memory: None,
            event: None,
            taken: 0,
            given: 0,
            lost: false,
        };
        (Box::new(fake), seen)
    }

    /// The memory to work in.
    pub fn attach(&mut self, memory: OwnedFd) {
        self.memory = Some(memory);
    }

    /// What to signal.
    pub fn signal(&mut self, event: OwnedFd) {
        self.event = Some(event);
    }

    fn take_jobs(&mut self, tail: u16) -> io::Result<()> {
        let memory = self.memory.as_ref().expect("mapped memory");
        while self.taken != tail {
            let mut record = [0; DESCRIPTOR];
            let index = self.taken;
            self.taken = index.wrapping_add(1);
            let unread = *self.seen.unread.lock().unwrap() == Some(index);
            if !unread {
                pread(memory, &mut record, (usize::from(index) % DEPTH * DESCRIPTOR) as u64)?;
            }
            let job = bytemuck::cast::<_, [u32; DESCRIPTOR / 4]>(record).map(u32::from_le);
            let op = descriptor::OP.get(&job);
            let private = op == Op::Private as u64;
            let wipe = op == Op::Zeroise as u64;
            let wipe_refused = wipe && self.seen.refuse_wipe.swap(false, Ordering::SeqCst);
            if wipe && !wipe_refused {
                self.seen.wiped.lock().unwrap().push(descriptor::SLOT.get(&job) as u8);
            }
            if private && self.seen.hang.swap(false, Ordering::SeqCst) {
                continue;
            }
            let refused = private && self.seen.refuse.load(Ordering::SeqCst) || wipe_refused;
            let status = match (unread, refused) {
                (true, _) => status::BUS_FAULT,
                (_, true) => status::BAD_LENGTH,
                _ => status::OK,
            };
            if private && !refused {
                let mut number = vec![0; descriptor::RESULT_BYTES.get(&job) as usize];
                pread(memory, &mut number, descriptor::OPERAND_ADDRESS.get(&job) - ADDRESS)?;
                pwrite(memory, &number, descriptor::RESULT_ADDRESS.get(&job) - ADDRESS)?;
            }
            let cycles = if private && !refused { CYCLES } else { 2 * CYCLES };
            let completion = Completion { index, status, cycles };
            let phase = (self.given / DEPTH).is_multiple_of(2);
            let place = DEPTH * DESCRIPTOR + self.given % DEPTH * COMPLETION;
            if private && self.seen.lose_completion.swap(false, Ordering::SeqCst) {
                self.lost = true;
            } else {
                pwrite(memory, &completion.to_bytes(phase), place as u64)?;
            }
            self.given += 1;
        }
        let _ = write(self.event.as_ref().expect("an interrupt"), &1u64.to_ne_bytes()); // full is as good
        Ok(())
    }
}

impl Transport for Fake {
    fn read(&mut self, offset: usize) -> io::Result<u32> {
        self.seen.accesses.fetch_add(1, Ordering::SeqCst);
        Ok(match offset {
            register::ID => register::ID_VALUE_CONSTANT,
            register::VERSION => unmasked(register::VERSION_MAJOR_CONSTANT, register::VERSION_MAJOR),
            register::CAPABILITY_CORES => {
                unmasked(2, register::CAPABILITY_CORES_CORES) | unmasked(4, register::CAPABILITY_CORES_KEY_SLOTS)
            }
            register::CAPABILITY_ARITHMETIC => unmasked(2048, register::CAPABILITY_ARITHMETIC_MAX_BITS),
            register::CAPABILITY_MONTGOMERY => {
                unmasked(self.operand_words, register::CAPABILITY_MONTGOMERY_OPERAND_WORDS)
            }
            register::ERROR if self.lost => register::ERROR_COMPLETION_FAULT,
            register::STATUS if self.erasing_left > 0 => {
                self.erasing_left -= 1;
                register::STATUS_ZEROISING
            }
            _ => 0,
        })
    }

    fn write(&mut self, offset: usize, value: u32) -> io::Result<()> {
        self.seen.accesses.fetch_add(1, Ordering::SeqCst);
        if offset == register::CONTROL && value & register::CONTROL_ENABLE != 0 {
            self.seen.enabled.store(true, Ordering::SeqCst);
            self.seen.enabled_early.fetch_or(self.erasing_left > 0, Ordering::SeqCst);
        }
        let deaf = self.seen.deaf.load(Ordering::SeqCst);
        if offset == register::SUBMISSION_TAIL && value as u16 != self.taken && !deaf {
            self.take_jobs(value as u16)?;
        }
        Ok(())
    }

    fn map(&mut self, memory: &DmaMemory) -> io::Result<()> {
        self.attach(memory.file().try_clone_to_owned()?);
        Ok(())
    }

    fn unmap(&mut self, _: &DmaMemory) -> io::Result<()> {
        self.memory = None;
        Ok(())
    }

    fn interrupt(&mut self, event: BorrowedFd<'_>) -> io::Result<()> {
        self.signal(event.try_clone_to_owned()?);
        Ok(())
    }

    fn reset(&mut self) -> io::Result<()> {
        self.seen.accesses.fetch_add(1, Ordering::SeqCst);
        self.seen.resets.fetch_add(1, Ordering::SeqCst);
        (self.taken, self.given, self.lost, self.erasing_left) = (0, 0, false, self.erasing);
        Ok(())
    }

    fn patience(&self) -> Duration {
        self.patience
    }
}

/// A key of 512 bits.
pub fn key() -> PrivateKey {
    PrivateKey::from_der(&Rsa::generate(512).unwrap().private_key_to_der().unwrap()).unwrap()
}
