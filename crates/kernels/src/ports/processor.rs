// SPDX-License-Identifier: Apache-2.0
//! What processors do in a cycle, with 512-bit registers.

use crate::program::{Op, Source};

/// A kind of work for the vector ports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// `vpmadd52luq`, `vpmadd52huq`
    MultiplyAdd,
    /// `vpaddq`, `vpsubq`, `vpandq`, `vporq`
    Addition,
    /// `vpsllq`, `vpsrlq`, `vpsraq` by a constant
    Shift,
    /// `vpunpcklqdq`, `vshufi64x2`, `vpermq`, `vpermi2q` and their like
    Shuffle,
    /// `vmovdqa64` under a mask, from a register or memory
    Merge,
    /// `vptestmq`, `vpcmpeqq`, `vpmovq2m`
    Test,
}

impl Work {
    /// Every kind.
    pub const ALL: [Work; 6] = [Work::MultiplyAdd, Work::Addition, Work::Shift, Work::Shuffle, Work::Merge, Work::Test];

    /// What `op` gives the vector ports to do; moves and zeros of whole registers are done where registers are renamed.
    pub fn of(op: &Op) -> Option<Work> {
        match op {
            Op::MultiplyAddLow { .. } | Op::MultiplyAddHigh { .. } => Some(Work::MultiplyAdd),
            Op::Add { .. } | Op::Subtract { .. } | Op::And { .. } | Op::Or { .. } => Some(Work::Addition),
            Op::ShiftLeft { .. } | Op::ShiftRight { .. } | Op::Carry { .. } => Some(Work::Shift),
            Op::EvenWords { .. }
            | Op::OddWords { .. }
            | Op::EvenPairs { .. }
            | Op::OddPairs { .. }
            | Op::Down { .. }
            | Op::Up { .. }
            | Op::Permute { .. }
            | Op::Choose { .. } => Some(Work::Shuffle),
            Op::Merge { .. } => Some(Work::Merge),
            Op::Test { .. } | Op::Equal { .. } | Op::Negative { .. } => Some(Work::Test),
            Op::Zero { .. }
            | Op::Copy { from: Source::Vector(_) | Source::Row(_), .. }
            | Op::Store { .. }
            | Op::MergeStore { .. }
            | Op::Advance { .. }
            | Op::Repeat { .. } => None,
        }
    }
}

/// Which ports do some work, and how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// A bit for each vector port that can do it.
    pub ports: u8,
    /// Cycles until the result can be used.
    pub latency: usize,
}

/// A processor's core, as far as the kernels see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// Its name: `golden-cove`.
    pub name: &'static str,
    /// For each [`Work`], in the order of [`Work::ALL`].
    pub units: [Unit; Work::ALL.len()],
    /// Cycles for which a port is busy with one operation: two where it is 256 bits wide.
    pub busy: usize,
    /// Loads that begin in two cycles.
    pub loads_in_two: usize,
    /// Cycles until what a load brings can be used.
    pub load_latency: usize,
    /// Stores that begin in two cycles.
    pub stores_in_two: usize,
    /// Cycles from a store to the end of a load of the same row.
    pub forward_latency: usize,
    /// Instructions taken in a cycle.
    pub width: usize,
    /// Instructions under way, from the oldest unfinished.
    pub window: usize,
    /// Vector operations that wait for operands or ports.
    pub waiting: usize,
}

const fn unit(ports: u8, latency: usize) -> Unit {
    Unit { ports, latency }
}

impl Processor {
    /// Every processor in the table.
    ///
    /// Where to look the entries up: uops.info for ports and latencies of instructions (Alder Lake's P cores, Ice Lake, Zen 4, Zen 5);
    /// for widths, windows and ways to memory Intel's Optimization Reference Manual (248966, Golden Cove and Ice Lake) and AMD's
    /// Software Optimization Guides 57647 (Zen 4) and 58455 (Zen 5). Latencies and rates of Golden Cove and Sunny Cove are as measured
    /// on Xeons of the 6th and the 3rd generation (`cargo run --release --example kernels -- latencies`); their widths and windows,
    /// and the entries of the others, have not been compared one by one.
    pub const ALL: [Processor; 4] = [Processor::GOLDEN_COVE, Processor::SUNNY_COVE, Processor::ZEN4, Processor::ZEN5];

    /// Intel's Golden Cove with 512 bits: ports 0 (joined with 1) and 5, here bits 0 and 1.
    ///
    /// A chain of additions alone takes a cycle each. Where a result goes on to the other port it waits: multiply-add, shift and
    /// addition in a chain take 9 cycles together, not 6. An addition counts for 2 here.
    pub const GOLDEN_COVE: Processor = Processor {
        name: "golden-cove",
        units: [unit(0b11, 4), unit(0b11, 2), unit(0b01, 1), unit(0b10, 3), unit(0b11, 1), unit(0b10, 3)],
        busy: 1,
        loads_in_two: 4,
        load_latency: 7,
        stores_in_two: 2,
        forward_latency: 7,
        width: 6,
        window: 512,
        waiting: 97,
    };

    /// Intel's Sunny Cove as in servers, which have a second multiplier of 512 bits: Golden Cove's ports, fewer instructions at once.
    pub const SUNNY_COVE: Processor = Processor {
        name: "sunny-cove",
        forward_latency: 8,
        width: 5,
        window: 352,
        waiting: 80,
        ..Processor::GOLDEN_COVE
    };

    /// AMD's Zen 4: four vector pipes of 256 bits, in which 512 bits take two cycles.
    pub const ZEN4: Processor = Processor {
        name: "zen4",
        units: [unit(0b0011, 4), unit(0b1111, 1), unit(0b0110, 1), unit(0b0110, 4), unit(0b1111, 1), unit(0b0011, 4)],
        busy: 2,
        loads_in_two: 2,
        load_latency: 8,
        stores_in_two: 1,
        forward_latency: 8,
        width: 6,
        window: 320,
        waiting: 128,
    };

    /// AMD's Zen 5 with pipes of 512 bits, as in servers.
    pub const ZEN5: Processor = Processor {
        name: "zen5",
        units: [unit(0b0011, 4), unit(0b1111, 2), unit(0b0110, 2), unit(0b0110, 5), unit(0b1111, 2), unit(0b0011, 4)],
        busy: 1,
        loads_in_two: 4,
        load_latency: 8,
        stores_in_two: 2,
        forward_latency: 11,
        width: 8,
        window: 448,
        waiting: 210,
    };

    /// The processor of this name.
    pub fn named(name: &str) -> Option<Processor> {
        Processor::ALL.into_iter().find(|processor| processor.name == name)
    }

    /// Which ports do this work, and how long.
    pub fn unit(&self, work: Work) -> Unit {
        self.units[work as usize]
    }
}
