// SPDX-License-Identifier: Apache-2.0
//! One AES engine of a board: its rings, a place in memory for each fragment under way, and its descriptors.

use super::plan::{FRAGMENT, Fragment, Plan};
use super::{IV, Message};
use crate::format::DESCRIPTOR;
use crate::interface::aes::{KEY_BYTES, LONG_KEY_BYTES, descriptor, status};
use crate::interface::board;
use crate::interface::registers as register;
use crate::ring::{self, Counters, DEPTH, Link, RING_BYTES, Ring, field};
use crate::transport::Transport;
use std::io;
use std::time::{Duration, Instant};

/// Bytes of memory of an engine: its rings and places.
pub const ENGINE_BYTES: usize = RING_BYTES + DEPTH * FRAGMENT;
/// A descriptor names its channel and slot in so many bits.
const CHANNELS: usize = 1 << descriptor::MESSAGE.width;
/// How long memory is looked at without a pause, and with the processor left to others in between: a card answers in
/// microseconds. Then there are naps.
const SPINNING: Duration = Duration::from_micros(20);
const YIELDING: Duration = Duration::from_millis(2);
const NAP: Duration = Duration::from_micros(100);
/// How often a board that is silent is asked whether it is still there.
const ASKING: Duration = Duration::from_millis(250);

/// What an engine can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capability {
    /// Messages at once.
    pub messages: usize,
    /// Keys it holds.
    pub key_slots: usize,
    /// Bits of each: 128, 192 or 256.
    pub key_bits: usize,
}

/// The engine.
pub struct Engine {
    page: board::Engine,
    ring: Ring,
    /// Where its memory begins.
    at: usize,
    capability: Capability,
    /// Places that no fragment has, and the fragment of each other.
    free: Vec<usize>,
    under_way: [Option<Fragment>; DEPTH],
}

/// Asks an engine what it can do.
///
/// # Errors
/// It is not there, none of this version, or another engine than the page's.
pub fn identify(transport: &mut dyn Transport, page: board::Engine) -> io::Result<Capability> {
    ring::check_version(transport, page)?;
    let cores = transport.read(page.offset + register::CAPABILITY_CORES)?;
    let montgomery = transport.read(page.offset + register::CAPABILITY_MONTGOMERY)?;
    let capability = Capability {
        messages: field(cores, register::CAPABILITY_CORES_CORES),
        key_slots: field(cores, register::CAPABILITY_CORES_KEY_SLOTS),
        key_bits: 8 * KEY_BYTES + 32 * field(montgomery, register::CAPABILITY_MONTGOMERY_OPERAND_WORDS),
    };
    let bits =
        field(transport.read(page.offset + register::CAPABILITY_ARITHMETIC)?, register::CAPABILITY_ARITHMETIC_MAX_BITS);
    let way = field(montgomery, register::CAPABILITY_MONTGOMERY_R_STEP);
    if bits != 0 || way != usize::from(page == board::AES_DECRYPTION) {
        return Err(io::Error::other(format!("the page of {} belongs to another engine", page.name)));
    }
    let Capability { messages, key_slots, key_bits } = capability;
    if messages == 0 || messages > CHANNELS || key_slots == 0 || ![128, 192, 256].contains(&key_bits) {
        return Err(io::Error::other(format!("impossible capabilities of {}: {capability:?}", page.name)));
    }
    Ok(capability)
}

impl Engine {
    /// Of a page, with [`ENGINE_BYTES`] of memory at `at`.
    pub fn new(page: board::Engine, capability: Capability, at: usize) -> Engine {
        let (free, under_way) = ((0..DEPTH).rev().collect(), [None; DEPTH]);
        Engine { page, ring: Ring::new(page, at), at, capability, free, under_way }
    }

    /// Enables it, on a board that was reset.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn start(&mut self, link: &mut Link) -> io::Result<()> {
        self.ring.start(link, false)
    }

    /// What it can do.
    pub fn capability(&self) -> Capability {
        self.capability
    }

    /// Its counters.
    ///
    /// # Errors
    /// The board does not answer.
    pub fn counters(&self, link: &mut Link, clear: bool) -> io::Result<Counters> {
        self.ring.counters(link, clear)
    }

    fn place(&self, place: usize) -> usize {
        self.at + RING_BYTES + place * FRAGMENT
    }

    /// Puts a key of [`Capability::key_bits`] into a slot, and waits for it.
    ///
    /// # Errors
    /// The board refused it, or does not answer.
    pub fn load_key(&mut self, link: &mut Link, slot: u8, key: &[u8]) -> io::Result<()> {
        let length = if key.len() == KEY_BYTES { KEY_BYTES } else { LONG_KEY_BYTES };
        let place = self.free.pop().expect("nothing is under way");
        link.memory.write(self.place(place), key);
        let source = link.memory.address() + self.place(place) as u64;
        self.put(
            link,
            place,
            &[
                (descriptor::LOAD_KEY, 1),
                (descriptor::SLOT, slot.into()),
                (descriptor::LENGTH, length as u64),
                (descriptor::SOURCE_ADDRESS, source),
            ],
        );
        self.under_way[place] = Some(Fragment { message: 0, channel: 0, offset: 0, length, last: true });
        self.ring.ring_doorbell(link)?;
        let (_, status, _) = self.wait(link)?;
        self.release(link, place, length);
        self.ring.acknowledge(link)?;
        match status {
            status::OK => Ok(()),
            other => Err(io::Error::other(format!("a key was refused: {}", status::text(other)))),
        }
    }

    /// Converts a batch. Every message is answered: its outcome is set, and what failed has zeros for a result.
    ///
    /// # Errors
    /// The board does not answer, or says what cannot be.
    pub fn convert(&mut self, link: &mut Link, messages: &mut [Message<'_>]) -> io::Result<()> {
        let lengths: Vec<usize> = messages.iter().map(|message| message.source.len()).collect();
        let mut plan = Plan::new(&lengths, self.capability.messages);
        loop {
            self.fill(link, &mut plan, messages)?;
            if self.free.len() == DEPTH {
                return Ok(());
            }
            // All completions that are there, before the board is told anything.
            let mut completion = Some(self.wait(link)?);
            while let Some((place, code, cycles)) = completion {
                let fragment = self.under_way[place].expect("its place is taken");
                let message = &mut messages[fragment.message];
                message.cycles += u64::from(cycles);
                if code == status::OK && message.failure.is_none() {
                    let end = fragment.offset + fragment.length;
                    link.memory.read(self.place(place), &mut message.destination[fragment.offset..end]);
                    message.done += fragment.length;
                } else if message.failure.is_none() {
                    message.failure = Some(status::text(code));
                    message.destination.fill(0);
                    plan.give_up(fragment.message);
                }
                self.release(link, place, fragment.length);
                completion = self.take(link)?;
            }
            self.ring.acknowledge(link)?;
        }
    }

    /// Puts fragments while there is room for them.
    fn fill(&mut self, link: &mut Link, plan: &mut Plan<'_>, messages: &[Message<'_>]) -> io::Result<()> {
        let mut is_any = false;
        while let Some(place) = self.free.pop() {
            let Some(fragment) = plan.next() else {
                self.free.push(place);
                break;
            };
            is_any = true;
            let message = &messages[fragment.message];
            let source = &message.source[fragment.offset..fragment.offset + fragment.length];
            link.memory.write(self.place(place), source);
            let address = link.memory.address() + self.place(place) as u64;
            let half = |at: usize| u64::from_le_bytes(message.iv[at..at + IV / 2].try_into().expect("half an IV"));
            let iv = if fragment.first() { [half(0), half(IV / 2)] } else { [0; 2] };
            self.put(
                link,
                place,
                &[
                    (descriptor::FIRST, fragment.first().into()),
                    (descriptor::LAST, fragment.last.into()),
                    (descriptor::MESSAGE, fragment.channel as u64),
                    (descriptor::SLOT, message.key.slot.into()),
                    (descriptor::LENGTH, fragment.length as u64),
                    (descriptor::SOURCE_ADDRESS, address),
                    (descriptor::DESTINATION_ADDRESS, address),
                    (descriptor::IV_LOW, iv[0]),
                    (descriptor::IV_HIGH, iv[1]),
                ],
            );
            self.under_way[place] = Some(fragment);
        }
        if is_any {
            self.ring.ring_doorbell(link)?;
        }
        Ok(())
    }

    fn put(&mut self, link: &Link, place: usize, fields: &[(crate::interface::Field, u64)]) {
        let mut words = [0u32; DESCRIPTOR / 4];
        for (field, value) in fields {
            field.put(&mut words, *value);
        }
        self.ring.put(link, place, &bytemuck::cast(words.map(u32::to_le)));
    }

    /// The place of a fragment that has ended, its status and its cycles.
    fn take(&mut self, link: &Link) -> io::Result<Option<(usize, u8, u32)>> {
        let taken = self.ring.take(link)?;
        Ok(taken.map(|(place, completion)| (place, completion.status, completion.cycles)))
    }

    #[inline(never)] // a profile tells waiting from work by it
    fn wait(&mut self, link: &mut Link) -> io::Result<(usize, u8, u32)> {
        let start = Instant::now();
        let mut asked = Duration::ZERO;
        loop {
            if let Some(taken) = self.take(link)? {
                return Ok(taken);
            }
            let waited = start.elapsed();
            let is_over = waited > link.transport.patience();
            if is_over || waited - asked > ASKING {
                ring::present(&mut *link.transport, self.page)?;
                if self.ring.has_lost_completion(link)? {
                    return Err(io::Error::other(format!("{} could not write a completion", self.page.name)));
                }
                asked = waited;
            }
            if is_over {
                return Err(io::Error::new(io::ErrorKind::TimedOut, format!("{} did not answer", self.page.name)));
            }
            if waited < SPINNING {
                std::hint::spin_loop();
            } else if waited < YIELDING {
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
    }

    fn release(&mut self, link: &Link, place: usize, bytes: usize) {
        link.memory.wipe(self.place(place), bytes);
        self.under_way[place] = None;
        self.free.push(place);
    }
}
