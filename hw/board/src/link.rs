// SPDX-License-Identifier: Apache-2.0
//! The link to the host's memory: the AXI4 slave that the design's master sees, with the time a PCIe link takes.
//!
//! ```text
//! read    address ---- latency ----> data, as fast as the link brings them (and one beat a cycle)
//! write   last beat -- latency ----> in memory, then the response
//! ```
//!
//! A register access by the host arrives as late as a write does. Both directions have the link's bandwidth, each for itself. Time is counted in cycles of the design's clock.

use crate::faults::{COMPLETION, Faults};
use crate::interface::ring::completion;
use crate::memory::{BusError, Memory};
use crate::model::{In, Out};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

const BEAT: usize = 8;
const SLAVE_ERROR: u8 = 2;
/// Transactions under way in each direction; a PCIe bridge has as many tags or more.
const UNDER_WAY: usize = 16;

/// The clock of the device in MHz: what a full LFE5U-85 of five cores reaches in the slowest of three placements
/// (docs/hardware.md). The one place to change when it moves. Everything in device time rests on it, the
/// figures of docs/board.md too.
pub const PLACED_CLOCK_MHZ: f64 = 176.8;

/// What the link takes, in cycles.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// From a read's address to its first data, and from a write's last data to its being in memory.
    pub latency: u64,
    /// Payload bytes a cycle in one direction.
    pub bytes_per_cycle: f64,
}

struct Read {
    address: u64,
    beats: usize,
    ready: u64,
    /// Fetched when the first beat is due.
    data: Option<Result<Vec<u8>, BusError>>,
    beat: usize,
}

struct Write {
    address: u64,
    beats: usize,
    data: Vec<u8>,
    strobes: Vec<u8>,
    /// When it is in memory; none while beats are still to come.
    ready: Option<u64>,
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
}

/// The slave with its queues.
pub struct Link {
    timing: Timing,
    memory: Arc<Mutex<Memory>>,
    reads: VecDeque<Read>,
    writes: VecDeque<Write>,
    /// When each direction is free again.
    down_free: f64,
    up_free: f64,
    response: Option<u8>,
    /// What went over it.
    pub traffic: Traffic,
}

impl Link {
    /// An idle link.
    pub fn new(timing: Timing, memory: Arc<Mutex<Memory>>) -> Link {
        Link {
            timing,
            memory,
            reads: VecDeque::new(),
            writes: VecDeque::new(),
            down_free: 0.0,
            up_free: 0.0,
            response: None,
            traffic: Traffic::default(),
        }
    }

    /// What an access of a register takes in one direction, in cycles.
    pub fn latency(&self) -> u64 {
        self.timing.latency
    }

    /// Drops everything that is under way.
    pub fn reset(&mut self) {
        self.reads.clear();
        self.writes.clear();
        self.response = None;
    }

    /// The inputs of cycle `now`.
    pub fn drive(&mut self, now: u64, pins: &mut In, faults: &mut Faults) {
        let memory = &self.memory;
        let alive = !faults.hung();
        pins.m_arready = alive && self.reads.len() < UNDER_WAY;
        pins.m_awready = alive && self.writes.len() < UNDER_WAY;
        pins.m_wready = alive && self.writes.iter().any(|write| write.ready.is_none());

        pins.m_rvalid = false;
        if let Some(read) = self.reads.front_mut()
            && read.ready <= now
            && alive
        {
            let data = read.data.get_or_insert_with(|| {
                let mut data = vec![0; read.beats * BEAT];
                Memory::read(memory, read.address, &mut data).map(|()| data)
            });
            pins.m_rvalid = true;
            pins.m_rlast = read.beat + 1 == read.beats;
            (pins.m_rdata, pins.m_rresp) = match data {
                Ok(data) => {
                    let beat = &data[read.beat * BEAT..][..BEAT];
                    (u64::from_le_bytes(beat.try_into().expect("eight bytes")), 0)
                }
                Err(BusError) => (0, SLAVE_ERROR),
            };
        }

        if self.response.is_none()
            && alive
            && self.writes.front().and_then(|write| write.ready).is_some_and(|ready| ready <= now)
            && let Some(write) = self.writes.pop_front()
        {
            if let Some(cycles) = cycles_of(&write.data) {
                self.traffic.jobs += 1;
                self.traffic.computing += u64::from(cycles);
            }
            let done = commit(memory, write, faults);
            self.traffic.errors += u64::from(done.is_err());
            self.response = Some(if done.is_ok() { 0 } else { SLAVE_ERROR });
        }
        pins.m_bvalid = self.response.is_some();
        pins.m_bresp = self.response.unwrap_or(0);
    }

    /// Takes note of what the design did in cycle `now`. Whether anything moved.
    pub fn observe(&mut self, now: u64, pins: &In, out: &Out) -> bool {
        let mut moved = false;
        if pins.m_rvalid && out.m_rready == 1 {
            moved = true;
            let read = self.reads.front_mut().expect("driven from it");
            read.beat += 1;
            self.traffic.bytes_read += BEAT as u64;
            self.traffic.errors += u64::from(pins.m_rlast && pins.m_rresp != 0);
            if pins.m_rlast {
                self.reads.pop_front();
            }
        }
        if pins.m_arready && out.m_arvalid == 1 {
            moved = true;
            let beats = usize::from(out.m_arlen) + 1;
            let ready = self.timing.pass(&mut self.down_free, now, beats);
            self.reads.push_back(Read { address: out.m_araddr, beats, ready, data: None, beat: 0 });
        }
        if pins.m_awready && out.m_awvalid == 1 {
            moved = true;
            let beats = usize::from(out.m_awlen) + 1;
            let (data, strobes) = (Vec::with_capacity(beats * BEAT), Vec::with_capacity(beats));
            self.writes.push_back(Write { address: out.m_awaddr, beats, data, strobes, ready: None });
        }
        if pins.m_wready && out.m_wvalid == 1 {
            moved = true;
            let write = self.writes.iter_mut().find(|write| write.ready.is_none()).expect("ready only with one");
            write.data.extend_from_slice(&out.m_wdata.to_le_bytes());
            write.strobes.push(out.m_wstrb);
            self.traffic.bytes_written += BEAT as u64;
            if out.m_wlast == 1 || write.strobes.len() == write.beats {
                write.ready = Some(self.timing.pass(&mut self.up_free, now, write.beats));
            }
        }
        if pins.m_bvalid && out.m_bready == 1 {
            moved = true;
            self.response = None;
        }
        moved
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.reads.is_empty() && self.writes.is_empty() && self.response.is_none()
    }
}

impl Timing {
    /// When so many beats, started now, are through; the direction is busy until `free`.
    fn pass(&self, free: &mut f64, now: u64, beats: usize) -> u64 {
        let start = free.max(now as f64);
        *free = start + (beats * BEAT) as f64 / self.bytes_per_cycle;
        *free as u64 + self.latency
    }
}

/// The cycles that a completion tells, if it is one.
fn cycles_of(data: &[u8]) -> Option<u32> {
    let start = completion::CYCLES.offset();
    let cycles = data.get(start..start + 4).filter(|_| data.len() <= COMPLETION)?;
    Some(u32::from_le_bytes(cycles.try_into().expect("four bytes")))
}

/// Writes what the strobes say, in runs.
fn commit(memory: &Mutex<Memory>, mut write: Write, faults: &mut Faults) -> Result<(), BusError> {
    faults.damage(&mut write.data);
    let written = |byte: usize| write.strobes[byte / BEAT] >> (byte % BEAT) & 1 == 1;
    let mut byte = 0;
    while byte < write.data.len() {
        let end = (byte..write.data.len()).find(|&i| !written(i)).unwrap_or(write.data.len());
        if end > byte {
            Memory::write(memory, write.address.wrapping_add(byte as u64), &write.data[byte..end])?;
        }
        byte = end.max(byte) + usize::from(end < write.data.len());
    }
    Ok(())
}
